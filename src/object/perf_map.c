/*
 * Perf maps: text files in which a JIT compiler says where it put its code, "START SIZE name" per
 * line, numbers in hex. Compilers reuse addresses and only ever append, so a later line is the
 * truth where two overlap.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elf.h>

#include "object/jit_code.h"
#include "object/sort.h"

#define FILE_MAX ((size_t)1 << 30)

/* A hex number, "0x" allowed, and the blanks behind it. */
static bool take_hex(struct str *s, uint64_t *out)
{
	size_t n = 0;
	while (n < s->n && s->p[n] != ' ' && s->p[n] != '\t')
		n++;
	if (!str_to_u64(str_make(s->p, n), 16, out))
		return false;
	*s = str_skip(*s, n);
	while (s->n && (*s->p == ' ' || *s->p == '\t'))
		*s = str_skip(*s, 1);
	return true;
}

bool perf_map_line(struct str line, uint64_t *start, uint64_t *end, struct str *name)
{
	uint64_t size;
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	if (!take_hex(&line, start) || !take_hex(&line, &size) || !line.n)
		return false;
	*name = line;
	return !__builtin_add_overflow(*start, size, end) && !memchr(line.p, '\0', line.n);
}

static bool parse_line(struct str line, struct symbol *out, struct str *name)
{
	uint64_t start, end;
	if (!perf_map_line(line, &start, &end, name))
		return false;
	*out = (struct symbol){.start = start, .end = end, .binding = STB_GLOBAL, .type = STT_FUNC};
	return true;
}

/* Symbols by start (in order of lines among equals), with each one's line number in `line`. */
static void sort_symbols(struct symtab *t, uint32_t *line)
{
	size_t n = t->syms.n;
	struct sort_key *keys = mem_calloc(n, sizeof *keys);
	struct symbol *sorted = mem_calloc(n, sizeof *sorted);
	for (size_t i = 0; i < n; i++)
		keys[i] = (struct sort_key){t->syms.v[i].start, (uint32_t)i};
	sort_keys(keys, n);
	for (size_t i = 0; i < n; i++) {
		sorted[i] = t->syms.v[keys[i].index];
		line[i] = keys[i].index;
	}
	memcpy(t->syms.v, sorted, n * sizeof *sorted);
	free(sorted);
	free(keys);
}

/* Symbols that have begun, the latest line on top; those that have ended are taken off when they
 * come up. */
struct heap {
	const struct symtab *t;
	const uint32_t *line;
	uint32_t *v; /* indices into t->syms */
	size_t n;
};

static void heap_push(struct heap *h, uint32_t symbol)
{
	size_t i = h->n++;
	while (i && h->line[h->v[(i - 1) / 2]] < h->line[symbol]) {
		h->v[i] = h->v[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	h->v[i] = symbol;
}

static void heap_pop(struct heap *h)
{
	uint32_t last = h->v[--h->n];
	size_t i = 0, child;
	while ((child = 2 * i + 1) < h->n) {
		if (child + 1 < h->n && h->line[h->v[child + 1]] > h->line[h->v[child]])
			child++;
		if (h->line[h->v[child]] <= h->line[last])
			break;
		h->v[i] = h->v[child];
		i = child;
	}
	if (h->n)
		h->v[i] = last;
}

/* What covers `addr` by the latest line; UINT32_MAX when nothing does. */
static uint32_t heap_top(struct heap *h, uint64_t addr)
{
	while (h->n && h->t->syms.v[h->v[0]].end <= addr)
		heap_pop(h);
	return h->n ? h->v[0] : UINT32_MAX;
}

/* Walks over the addresses in order and patches the ranges where the nearest symbol is not the
 * answer. */
static void patch_overlaps(struct symtab *t, const uint32_t *line)
{
	struct heap h = {.t = t, .line = line, .v = mem_calloc(t->syms.n, sizeof *h.v)};
	for (size_t i = 0; i < t->syms.n; i++) {
		uint64_t next = i + 1 < t->syms.n ? t->syms.v[i + 1].start : UINT64_MAX;
		uint64_t at = t->syms.v[i].start;
		heap_push(&h, (uint32_t)i);
		while (at < next) {
			uint32_t top = heap_top(&h, at);
			if (top == UINT32_MAX)
				break;
			uint64_t to = MIN(next, t->syms.v[top].end);
			if (top != i)
				vec_push(&t->patches, (struct symtab_patch){at, to, top});
			at = to;
		}
	}
	free(h.v);
}

/* Calls for each line of a map that is one. */
static void each_line(struct str text, const char *name, struct diags *d,
		      void (*fn)(void *ctx, const struct symbol *s, struct str name), void *ctx)
{
	uint64_t number = 0, bad = 0, first_bad = 0;
	struct str line, text_of;
	struct symbol s;
	while (str_line(&text, &line)) {
		number++;
		if (!line.n)
			continue;
		if (parse_line(line, &s, &text_of))
			fn(ctx, &s, text_of);
		else
			first_bad = bad++ ? first_bad : number;
	}
	if (!bad)
		return;
	diag_add(d, DIAG_BAD_MAP_FILE, bad,
		 "%s: line %" PRIu64 " is not \"START SIZE name\", skipped", name, first_bad);
	diag_hint(d, DIAG_BAD_MAP_FILE, "check that the program that wrote it is whole");
}

static void add_symbol(void *ctx, const struct symbol *s, struct str name)
{
	struct symtab *t = ctx;
	if (t->syms.n == UINT32_MAX - 1)
		return;
	vec_push(&t->syms, *s);
	vec_last(&t->syms).name = jit_name(&t->arena, name);
}

void symtab_parse_perf_map(struct symtab *t, struct str text, const char *name, struct diags *d)
{
	*t = (struct symtab){0};
	each_line(text, name, d, add_symbol, t);
	if (!t->syms.n)
		return;
	uint32_t *lines = mem_calloc(t->syms.n, sizeof *lines);
	sort_symbols(t, lines);
	patch_overlaps(t, lines);
	free(lines);
}

struct timed_map {
	struct jit_table *table;
	uint64_t time;
};

static void add_code(void *ctx, const struct symbol *s, struct str name)
{
	const struct timed_map *m = ctx;
	struct jit_table *t = m->table;
	if (s->start == s->end || t->codes.n == UINT32_MAX / 4)
		return;
	vec_push(&t->codes, (struct jit_code){.addr = s->start,
					      .end = s->end,
					      .time = m->time,
					      .name = jit_name(&t->arena, name)});
}

void jit_table_add_map(struct jit_table *t, struct str text, uint64_t time, const char *name,
		       struct diags *d)
{
	each_line(text, name, d, add_code, &(struct timed_map){t, time});
}

bool symtab_load_perf_map(struct symtab *t, const char *path, struct diags *d, struct err *err)
{
	*t = (struct symtab){0};
	/* Anybody may put anything into /tmp: a FIFO would make us wait for ever. */
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) != 0)
		return err_sys(err, errno, "cannot open %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INPUT, "%s is not a regular file", path);
	struct str text;
	if (!file_read_fd(fd, path, FILE_MAX, &text, err))
		return false;
	symtab_parse_perf_map(t, text, path, d);
	free((char *)text.p);
	return true;
}
