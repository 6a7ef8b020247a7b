/* The vocabulary every file shares: fixed-width integers, small macros, ids. */
#ifndef KILN_BASE_H
#define KILN_BASE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define UNUSED __attribute__((unused))

/* Scoped cleanup: `CLEANUP(close_fd) int fd = open(...)`. */
#define CLEANUP(fn) __attribute__((cleanup(fn)))

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/*
 * Ids: an index into one table, wrapped so that two kinds cannot be mixed.
 * 0 is "none" everywhere; tables keep a dummy entry in slot 0.
 */
typedef struct {
	uint32_t v;
} string_id;
typedef struct {
	uint32_t v;
} object_id;
typedef struct {
	uint32_t v;
} thread_id;
typedef struct {
	uint32_t v;
} func_id;
typedef struct {
	uint32_t v;
} frame_id;
typedef struct {
	uint32_t v;
} stack_id;
typedef struct {
	uint32_t v;
} event_id;

static inline uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

static inline uint16_t swap16(uint16_t v)
{
	return __builtin_bswap16(v);
}
static inline uint32_t swap32(uint32_t v)
{
	return __builtin_bswap32(v);
}
static inline uint64_t swap64(uint64_t v)
{
	return __builtin_bswap64(v);
}

/* Unaligned native-endian loads; the compiler makes each one instruction. */
static inline uint16_t load16(const void *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof v);
	return v;
}
static inline uint32_t load32(const void *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return v;
}
static inline uint64_t load64(const void *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

#endif
