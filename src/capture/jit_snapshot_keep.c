/* What of a perf map or jitdump is worth its place in the recording. */
#include <stdlib.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/file.h"
#include "base/out.h"
#include "capture/jit_snapshot.h"
#include "object/jit_code.h"

static bool is_hit(const struct jit_hits *h, uint64_t start, uint64_t end)
{
	size_t lo = 0, hi = h->all ? 0 : h->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (h->v[mid] < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return h->all || (lo < h->n && h->v[lo] < end);
}

static void put_u64(struct out *o, uint64_t v)
{
	out_bytes(o, &v, sizeof v);
}

/* --- maps ------------------------------------------------------------------------------------- */

static void keep_lines(struct out *o, struct str text, const struct jit_hits *hits)
{
	struct str line, name;
	uint64_t start, end;
	while (str_line(&text, &line)) {
		if (!perf_map_line(line, &start, &end, &name) || !is_hit(hits, start, end))
			continue;
		out_str(o, line);
		out_char(o, '\n');
	}
}

bool jit_snapshot_map(const struct jit_snapshot *j, size_t i, const struct jit_hits *hits,
		      struct str *out)
{
	const struct jit_process *p = &j->processes.v[i];
	struct out o;
	size_t from = 0;
	bool any = false;
	out_memory(&o);
	for (size_t g = 0; g < p->growth.n; g++) {
		size_t at = o.n;
		put_u64(&o, p->growth.v[g].time);
		put_u64(&o, 0);
		keep_lines(&o, str_make(p->text.v + from, p->growth.v[g].end - from), hits);
		from = p->growth.v[g].end;
		uint64_t n = o.n - at - 16;
		memcpy(o.buf + at + 8, &n, sizeof n);
		any |= n > 0;
		if (!n)
			o.n = at;
	}
	*out = str_make(o.buf, o.n);
	if (!any)
		(void)out_finish(&o);
	return any;
}

/* --- dumps ------------------------------------------------------------------------------------ */

#define HEADER_MIN 40
#define PREFIX 16
enum { CODE_LOAD, CODE_MOVE, CODE_DEBUG_INFO, CODE_CLOSE, CODE_UNWINDING_INFO };

struct dump_record {
	uint32_t id;
	const uint8_t *bytes;
	size_t size;
	uint64_t addr, code_size, index; /* of LOAD and MOVE */
};

/* False at the end, or where it is not whole. */
static bool next_record(struct cursor *c, struct dump_record *r)
{
	struct cursor head = *c;
	*r = (struct dump_record){.bytes = c->p, .id = cursor_u32(&head)};
	r->size = cursor_u32(&head);
	if (head.bad || r->size < PREFIX || r->size > cursor_left(c))
		return false;
	struct cursor body = cursor_sub(c, r->size);
	cursor_skip(&body, PREFIX + 8 + 8); /* pid and tid, vma */
	if (r->id == CODE_MOVE)
		cursor_skip(&body, 8); /* where it was */
	r->addr = cursor_u64(&body);
	r->code_size = cursor_u64(&body);
	r->index = cursor_u64(&body);
	if (body.bad && (r->id == CODE_LOAD || r->id == CODE_MOVE))
		r->code_size = 0;
	return true;
}

/* Which code was hit, wherever it was moved. */
static void find_hit(struct cursor c, const struct jit_hits *hits, struct u64map *wanted)
{
	struct dump_record r;
	while (next_record(&c, &r))
		if (r.id <= CODE_MOVE && r.code_size <= UINT64_MAX - r.addr &&
		    is_hit(hits, r.addr, r.addr + r.code_size))
			u64map_put(wanted, r.index, 1);
}

static bool keep_records(struct out *o, struct cursor c, const struct u64map *wanted)
{
	struct dump_record r, waiting[2]; /* lines and frames of the next LOAD */
	size_t n = 0;
	bool any = false;
	while (next_record(&c, &r)) {
		if (r.id == CODE_DEBUG_INFO || r.id == CODE_UNWINDING_INFO) {
			if (n < ARRAY_LEN(waiting))
				waiting[n++] = r;
			continue;
		}
		bool keep = r.id <= CODE_MOVE && u64map_get(wanted, r.index);
		for (size_t i = 0; keep && r.id == CODE_LOAD && i < n; i++)
			out_bytes(o, waiting[i].bytes, waiting[i].size);
		if (keep)
			out_bytes(o, r.bytes, r.size);
		any |= keep;
		if (r.id == CODE_LOAD)
			n = 0;
	}
	return any;
}

bool jit_snapshot_dump(const struct jit_snapshot *j, size_t i, const struct jit_hits *hits,
		       struct str *out)
{
	struct str file;
	struct u64map wanted = {0};
	struct out o;
	bool any = false;
	if (lseek(j->dumps.v[i].fd, 0, SEEK_SET) != 0 ||
	    !file_read_fd(j->dumps.v[i].fd, "jitdump", BLOB_MAX, &file, NULL))
		return false;
	struct cursor c = cursor_of(file.p, file.n, false);
	c.swap = file.n >= 4 && load32(file.p) == 0x4454694au;
	struct cursor head = c;
	cursor_skip(&head, 8);
	size_t size = cursor_u32(&head);
	out_memory(&o);
	if (!head.bad && size >= HEADER_MIN && size <= file.n) {
		out_bytes(&o, cursor_bytes(&c, size), size);
		find_hit(c, hits, &wanted);
		any = keep_records(&o, c, &wanted);
	}
	u64map_free(&wanted);
	free((char *)file.p);
	*out = str_make(o.buf, o.n);
	if (!any)
		(void)out_finish(&o);
	return any;
}
