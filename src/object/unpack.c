#include "object/unpack.h"

#include <sys/mman.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>
#if KILN_HAVE_LZMA
#include <lzma.h>
#endif

/* What xz may take besides its output: -9 needs 64 MiB. */
#define WORK_LIMIT ((size_t)256 << 20)

/* Puts at most `room` bytes to `to`; the number of bytes, or SIZE_MAX. */
typedef size_t unpack_fn(struct str in, uint8_t *to, size_t room);

static size_t unpack_zlib_format(struct str in, uint8_t *to, size_t room, int window)
{
	z_stream z = {0};
	size_t given = 0, made = 0;
	int status = Z_OK;
	if (inflateInit2(&z, window) != Z_OK)
		return SIZE_MAX;
	while (status == Z_OK) {
		/* zlib counts in 32 bits. */
		uInt input = (uInt)MIN(in.n - given, UINT32_MAX);
		uInt output = (uInt)MIN(room - made, UINT32_MAX);
		z.next_in = (Bytef *)(uintptr_t)(in.p + given);
		z.avail_in = input;
		z.next_out = to + made;
		z.avail_out = output;
		status = inflate(&z, Z_NO_FLUSH);
		if (z.avail_in == input && z.avail_out == output && status == Z_OK)
			status = Z_BUF_ERROR;
		given += input - z.avail_in;
		made += output - z.avail_out;
	}
	inflateEnd(&z);
	return status == Z_STREAM_END ? made : SIZE_MAX;
}

static size_t unpack_zlib(struct str in, uint8_t *to, size_t room)
{
	return unpack_zlib_format(in, to, room, MAX_WBITS);
}

static size_t unpack_gzip(struct str in, uint8_t *to, size_t room)
{
	return unpack_zlib_format(in, to, room, MAX_WBITS + 16);
}

static size_t unpack_zstd(struct str in, uint8_t *to, size_t room)
{
	size_t made = ZSTD_decompress(to, room, in.p, in.n);
	return ZSTD_isError(made) ? SIZE_MAX : made;
}

static size_t unpack_xz(struct str in, uint8_t *to, size_t room)
{
#if KILN_HAVE_LZMA
	uint64_t work = WORK_LIMIT;
	size_t given = 0, made = 0;
	if (lzma_stream_buffer_decode(&work, 0, NULL, (const uint8_t *)in.p, &given, in.n, to,
				      &made, room) != LZMA_OK)
		return SIZE_MAX;
	return made;
#else
	(void)in;
	(void)to;
	(void)room;
	return SIZE_MAX;
#endif
}

bool unpack(enum packing how, struct str in, size_t limit, struct mapped *out)
{
	static unpack_fn *const by[] = {[PACKED_ZLIB] = unpack_zlib,
					[PACKED_GZIP] = unpack_gzip,
					[PACKED_ZSTD] = unpack_zstd,
					[PACKED_XZ] = unpack_xz};
	*out = (struct mapped){0};
	if (!limit)
		return false;
	uint8_t *room = mmap(NULL, limit, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED)
		return false;
	size_t n = by[how](in, room, limit);
	if (n == SIZE_MAX || n == 0) {
		munmap(room, limit);
		return false;
	}
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t kept = round_up(n, page), mapped = round_up(limit, page);
	if (kept < mapped)
		munmap(room + kept, mapped - kept);
	*out = (struct mapped){room, n};
	return true;
}

bool packing_of(struct str file, enum packing *how)
{
	static const struct {
		const char *magic;
		size_t n;
		enum packing how;
	} kinds[] = {{"\x1f\x8b", 2, PACKED_GZIP},
		     {"\x28\xb5\x2f\xfd", 4, PACKED_ZSTD},
		     {"\xfd"
		      "7zXZ",
		      6, PACKED_XZ}};
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (file.n > kinds[i].n && !memcmp(file.p, kinds[i].magic, kinds[i].n)) {
			*how = kinds[i].how;
			return true;
		}
	return false;
}
