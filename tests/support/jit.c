/*
 * A program that makes code at run time and tells of it, for tests.
 *
 * usage: jit MILLISECONDS WORD...
 *   map      writes /tmp/perf-PID.map, by the number it knows itself by
 *   dump     writes jit-PID.dump in the current directory
 *   swap     the dump has the other byte order
 *   remove   removes the files before it ends
 *   memfd    the code lies in a memfd instead of anonymous memory
 *   frames   the code keeps no frame pointer; the dump tells how to unwind it (x86-64)
 *
 * Spends the given CPU time in each of: first, at one address; second, at that same address later;
 * wanderer, which a dump says was made elsewhere and moved. They are called by outer, which is
 * compiled code, and call nothing.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* uint64_t spin(uint64_t n): counts down, with a frame pointer. */
static const uint8_t plain_code[] = {
#if defined(__x86_64__)
	0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0x5d, 0xc3,
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
	0xfd, 0x7b, 0xbf, 0xa9, 0xfd, 0x03, 0x00, 0x91, 0x00, 0x04, 0x00, 0xf1,
	0xe1, 0xff, 0xff, 0x54, 0xfd, 0x7b, 0xc1, 0xa8, 0xc0, 0x03, 0x5f, 0xd6,
#define MACHINE EM_AARCH64
#endif
};

/* The same, moving the stack pointer instead of keeping one in rbp. */
static const uint8_t frameless_code[] = {0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0xf8, 0x48, 0xff,
					 0xc8, 0x75, 0xfb, 0x48, 0x83, 0xc4, 0x18, 0xc3};
static const uint8_t *code = plain_code;
static size_t code_size = sizeof plain_code;

/* .eh_frame of that, as if it lay behind the code on the next multiple of 8: CFA is rsp+8, rsp+32
 * from byte 4 to byte 16. Then a search table that has nothing in it. */
static const uint8_t frames[] = {
	0x14,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	1,
	'z',
	'R',
	0,
	1,
	0x78,
	0x10,
	1,
	0x1b,
	0x0c,
	7,
	8,
	0x90,
	1,
	0,
	0,
	0x14,
	0,
	0,
	0,
	0x1c,
	0,
	0,
	0,
	0xc8,
	0xff,
	0xff,
	0xff,
	sizeof frameless_code,
	0,
	0,
	0,
	0,
	0x44,
	0x0e,
	0x20,
	0x4c,
	0x0e,
	8,
	0,
	0,
	0,
	0,
	0,
	1,
	0xff,
	0xff,
	0xff,
	0,
	0,
	0,
	0,
};

static FILE *map, *dump;
static int swap;
static uint64_t next_index;

static uint64_t now(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void u32(uint32_t v)
{
	v = swap ? __builtin_bswap32(v) : v;
	fwrite(&v, sizeof v, 1, dump);
}

static void u64(uint64_t v)
{
	v = swap ? __builtin_bswap64(v) : v;
	fwrite(&v, sizeof v, 1, dump);
}

static void begin_record(uint32_t id, size_t body)
{
	u32(id);
	u32((uint32_t)(16 + body));
	u64(now(CLOCK_MONOTONIC));
}

static void tell_lines(const uint8_t *at, const char *file)
{
	size_t name = strlen(file) + 1;
	begin_record(2, 16 + (16 + name) + (16 + 2));
	u64((uintptr_t)at);
	u64(2);
	u64((uintptr_t)at);
	u32(10);
	u32(1);
	fwrite(file, name, 1, dump);
	u64((uintptr_t)at + 4);
	u32(11);
	u32(2);
	fwrite("\xff", 2, 1, dump); /* the same file */
}

static void tell_frames(void)
{
	begin_record(4, 24 + sizeof frames);
	u64(sizeof frames);
	u64(8);
	u64(0);
	fwrite(frames, sizeof frames, 1, dump);
}

static void tell(const uint8_t *at, const char *name)
{
	if (map) {
		fprintf(map, "%lx %zx %s\n", (unsigned long)at, code_size, name);
		fflush(map);
	}
	if (!dump)
		return;
	tell_lines(at, "/src/test.lang");
	if (code == frameless_code)
		tell_frames();
	begin_record(0, 40 + strlen(name) + 1 + code_size);
	u32((uint32_t)getpid());
	u32((uint32_t)getpid());
	u64((uintptr_t)at);
	u64((uintptr_t)at);
	u64(code_size);
	u64(next_index++);
	fwrite(name, strlen(name) + 1, 1, dump);
	fwrite(code, code_size, 1, dump);
	fflush(dump);
}

static void tell_move(const uint8_t *from, const uint8_t *to, uint64_t index)
{
	begin_record(1, 48);
	u32((uint32_t)getpid());
	u32((uint32_t)getpid());
	u64((uintptr_t)to);
	u64((uintptr_t)from);
	u64((uintptr_t)to);
	u64(code_size);
	u64(index);
	fflush(dump);
}

static void begin_dump(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	dump = fd < 0 ? NULL : fdopen(fd, "w");
	if (!dump)
		exit(3);
	u32(0x4a695444);
	u32(1);
	u32(40);
	u32(MACHINE);
	u32(0);
	u32((uint32_t)getpid());
	u64(now(CLOCK_MONOTONIC));
	u64(0);
	fflush(dump);
	/* This is how a profiler hears of it. */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		exit(4);
}

__attribute__((noinline)) static uint64_t outer(const uint8_t *at, uint64_t ms)
{
	uint64_t (*spin)(uint64_t) = (uint64_t(*)(uint64_t))(uintptr_t)at;
	uint64_t end = now(CLOCK_PROCESS_CPUTIME_ID) + ms * 1000000, sum = 0;
	while (now(CLOCK_PROCESS_CPUTIME_ID) < end)
		sum += spin(200000);
	return sum;
}

static uint8_t *code_memory(int use_memfd)
{
	int fd = use_memfd ? memfd_create("code", 0) : -1;
	if (fd >= 0 && ftruncate(fd, 8192) != 0)
		exit(5);
	uint8_t *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
			  fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		exit(6);
	memcpy(p, code, code_size);
	memcpy(p + 4096, code, code_size);
	__builtin___clear_cache((char *)p, (char *)p + 8192);
	return p;
}

static int has(int argc, char **argv, const char *word)
{
	for (int i = 2; i < argc; i++)
		if (!strcmp(argv[i], word))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	char map_path[64], dump_path[64];
	uint64_t ms = argc > 1 ? strtoull(argv[1], NULL, 10) : 100, sum = 0;
	snprintf(map_path, sizeof map_path, "/tmp/perf-%d.map", (int)getpid());
	snprintf(dump_path, sizeof dump_path, "jit-%d.dump", (int)getpid());
	swap = has(argc, argv, "swap");
	if (has(argc, argv, "frames")) {
		code = frameless_code;
		code_size = sizeof frameless_code;
	}
	if (has(argc, argv, "map") && !(map = fopen(map_path, "w")))
		return 2;
	if (has(argc, argv, "dump"))
		begin_dump(dump_path);
	uint8_t *at = code_memory(has(argc, argv, "memfd"));
	uint64_t index = next_index;
	if (dump) {
		tell(at + 2048, "wanderer"); /* never run there */
		tell_move(at + 2048, at + 4096, index);
	}
	if (map) {
		fprintf(map, "%lx %zx %s\n", (unsigned long)(at + 4096), code_size, "wanderer");
		fflush(map);
	}
	tell(at, "first");
	sum += outer(at, ms);
	sum += outer(at + 4096, ms);
	tell(at, "second");
	sum += outer(at, ms);
	if (has(argc, argv, "remove")) {
		if (map)
			unlink(map_path);
		if (dump)
			unlink(dump_path);
	}
	return sum == 1;
}
