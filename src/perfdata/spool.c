/*
 * Getting the input into maps: regular files as they are; pipes and compressed data through an
 * unnamed temporary file, so that they can be read again and memory does not grow with them.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/out.h"
#include "perfdata/reader.h"

#define COPY_BYTES ((size_t)1 << 20)
/* Records of a profile shrink to a tenth or a hundredth. Beyond this it is a bomb. */
#define RATIO_MAX 8192

void map_release(const uint8_t *p, size_t n)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = (uintptr_t)p & ~(page - 1), to = (uintptr_t)p + n;
	/* The pages are those of a read-only file map: at worst they are read in again. */
	(void)madvise((void *)from, to - from, MADV_DONTNEED);
}

static bool map_fd(struct perfdata *pd, int fd, const char *name, struct mapped *out,
		   struct err *err)
{
	struct stat st;
	*out = (struct mapped){0};
	if (fstat(fd, &st) != 0)
		return err_sys(err, errno, "cannot stat %s", name);
	if (st.st_size > 0) {
		void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED)
			return err_sys(err, errno, "cannot map %s", name);
		*out = (struct mapped){.p = p, .n = (size_t)st.st_size};
	}
	vec_push(&pd->maps, *out);
	return true;
}

static bool copy_to_end(int from, int to, const char *name, struct err *err)
{
	char *buf = mem_alloc(COPY_BYTES);
	bool ok = true;
	while (ok) {
		ssize_t n = read(from, buf, COPY_BYTES);
		if (n == 0)
			break;
		if (n > 0)
			ok = file_write_all(to, buf, (size_t)n, "a temporary file", err) ||
			     err_hint(err, "set TMPDIR to a directory with room");
		else if (errno != EINTR)
			ok = err_sys(err, errno, "cannot read %s", name);
	}
	free(buf);
	return ok;
}

bool spool_map(struct perfdata *pd, int fd, struct err *err)
{
	struct stat st;
	struct mapped m;
	if (fstat(fd, &st) != 0)
		return err_sys(err, errno, "cannot stat %s", pd->name);
	if (!pd->maps.n)
		pd->header.captured_on = st.st_mtime;
	if (S_ISREG(st.st_mode))
		return map_fd(pd, fd, pd->name, &m, err);
	CLEANUP(close_fd) int temp = file_temp(pd->temp_dir, err);
	return temp >= 0 && copy_to_end(fd, temp, pd->name, err) &&
	       map_fd(pd, temp, "a temporary file", &m, err);
}

/* One zstd stream runs through all compressed records of a segment, and what comes out of one may
 * end inside a record that goes on in the next. */
struct unpacker {
	struct perfdata *pd;
	const struct segment *from;
	struct out out;
	ZSTD_DCtx *zstd;
	VEC(uint8_t) tail; /* unpacked, not yet a whole record */
	uint64_t packed, unpacked;
	bool bad;
};

/* Hands on the whole records at the front of the tail. */
static void flush_tail(struct unpacker *u)
{
	size_t at = 0, span;
	while ((span = record_span(u->tail.v + at, u->tail.n - at, u->pd->swap)))
		at += span;
	out_bytes(&u->out, u->tail.v, at);
	u->tail.n -= at;
	memmove(u->tail.v, u->tail.v + at, u->tail.n);
	/* A record is less than 64 KB, so a longer tail does not begin with one. */
	if (u->tail.n > UINT16_MAX)
		u->bad = true;
}

static void unpack(struct unpacker *u, const uint8_t *p, size_t n, uint64_t offset)
{
	const char *why = "unpacks to nonsense";
	ZSTD_inBuffer in = {.src = p, .size = n};
	const size_t room = ZSTD_DStreamOutSize();
	bool more = true;
	u->packed += n;
	while (!u->bad && more) {
		vec_reserve(&u->tail, room);
		ZSTD_outBuffer out = {.dst = u->tail.v + u->tail.n, .size = room};
		size_t r = ZSTD_decompressStream(u->zstd, &out, &in);
		u->tail.n += out.pos;
		u->unpacked += out.pos;
		if (ZSTD_isError(r)) {
			why = ZSTD_getErrorName(r);
			u->bad = true;
		} else if (u->unpacked / RATIO_MAX > u->packed) {
			why = "grows beyond all measure";
			u->bad = true;
		}
		/* A full buffer means there may be more inside zstd. */
		more = in.pos < in.size || out.pos == out.size;
		flush_tail(u);
	}
	if (u->bad)
		diag_partial(u->pd->diags, DIAG_CORRUPT,
			     "%s is damaged: compressed data at offset 0x%" PRIx64
			     " (%s); nothing behind it is read",
			     u->from->name, offset, why);
}

static void unpack_record(struct unpacker *u, const uint8_t *p, size_t span, uint64_t offset)
{
	bool swap = u->pd->swap;
	if (header_type(p, swap) == RECORD_COMPRESSED) {
		unpack(u, p + 8, span - 8, offset);
	} else if (header_type(p, swap) == RECORD_COMPRESSED2) {
		uint64_t n = load64(p + 8);
		n = swap ? swap64(n) : n;
		unpack(u, p + 16, (size_t)MIN(n, span - 16), offset);
	} else {
		out_bytes(&u->out, p, span);
	}
}

/* Why the last bytes were no record; said here, as the unpacked copy no longer shows it. */
static void say_end(struct unpacker *u, size_t left, uint64_t offset)
{
	const struct segment *s = u->from;
	bool missing = s->n < s->expected;
	if (u->bad || (s->to_eof && left))
		return;
	if (left || missing)
		diag_partial(u->pd->diags,
			     missing || u->pd->header.pipe ? DIAG_TRUNCATED : DIAG_CORRUPT,
			     "%s ends inside a record or is damaged, at offset 0x%" PRIx64
			     "; nothing behind it is read",
			     s->name, offset);
	else if (u->tail.n && !s->to_eof)
		diag_partial(u->pd->diags, DIAG_TRUNCATED,
			     "%s: the compressed records end inside one, at offset 0x%" PRIx64,
			     s->name, offset);
}

static void unpack_all(struct unpacker *u)
{
	const struct segment *s = u->from;
	size_t at = 0, released = 0, span;
	while (!u->bad && (span = record_span(s->p + at, s->n - at, u->pd->swap))) {
		unpack_record(u, s->p + at, span, s->offset + at);
		at += span;
		if (at - released >= CHUNK_BYTES) {
			map_release(s->p + released, at - released);
			released = at;
		}
	}
	say_end(u, s->n - at, s->offset + at);
	map_release(s->p, s->n);
}

bool spool_unpack(struct perfdata *pd, const struct segment *s, struct segment *out,
		  struct err *err)
{
	CLEANUP(close_fd) int temp = file_temp(pd->temp_dir, err);
	if (temp < 0)
		return false;
	struct unpacker u = {.pd = pd, .from = s, .zstd = ZSTD_createDCtx()};
	if (!u.zstd)
		mem_exhausted(sizeof(void *));
	out_fd(&u.out, temp);
	unpack_all(&u);
	ZSTD_freeDCtx(u.zstd);
	vec_free(&u.tail);
	if (!out_finish(&u.out)) {
		err_sys(err, u.out.error, "cannot unpack %s into a temporary file", pd->name);
		return err_hint(err, "set TMPDIR to a directory with room");
	}
	struct mapped m;
	if (!map_fd(pd, temp, "a temporary file", &m, err))
		return false;
	*out = (struct segment){.name = s->name,
				.p = m.p,
				.n = m.n,
				.offset = s->offset,
				.expected = m.n,
				.unpacked = true};
	return true;
}
