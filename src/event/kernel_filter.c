#include "event/kernel_filter.h"

#include <linux/perf_event.h>

#include "event/mark.h"
#include "event/nearest.h"

/* Of PERF_SAMPLE_…, those that headers of older kernels do not have. */
#define FIELD_CGROUP (1U << 21)
#define FIELD_DATA_PAGE_SIZE (1U << 22)
#define FIELD_CODE_PAGE_SIZE (1U << 23)

static const struct {
	const char *name;
	uint64_t field;
} terms[FILTER_TERMS] = {
	[FILTER_IP] = {"ip", PERF_SAMPLE_IP},
	[FILTER_ID] = {"id", PERF_SAMPLE_ID},
	[FILTER_TID] = {"tid", PERF_SAMPLE_TID},
	[FILTER_PID] = {"pid", PERF_SAMPLE_TID},
	[FILTER_CPU] = {"cpu", PERF_SAMPLE_CPU},
	[FILTER_TIME] = {"time", PERF_SAMPLE_TIME},
	[FILTER_ADDR] = {"addr", PERF_SAMPLE_ADDR},
	[FILTER_PERIOD] = {"period", PERF_SAMPLE_PERIOD},
	[FILTER_TXN] = {"txn", PERF_SAMPLE_TRANSACTION},
	[FILTER_WEIGHT] = {"weight", PERF_SAMPLE_WEIGHT},
	[FILTER_WEIGHT1] = {"weight1", FILTER_WEIGHT_PARTS},
	[FILTER_WEIGHT2] = {"weight2", FILTER_WEIGHT_PARTS},
	[FILTER_WEIGHT3] = {"weight3", FILTER_WEIGHT_PARTS},
	[FILTER_PHYS_ADDR] = {"phys_addr", PERF_SAMPLE_PHYS_ADDR},
	[FILTER_CODE_PGSZ] = {"code_pgsz", FIELD_CODE_PAGE_SIZE},
	[FILTER_DATA_PGSZ] = {"data_pgsz", FIELD_DATA_PAGE_SIZE},
	[FILTER_MEM_OP] = {"mem_op", PERF_SAMPLE_DATA_SRC},
	[FILTER_MEM_LVL] = {"mem_lvl", PERF_SAMPLE_DATA_SRC},
	[FILTER_MEM_SNOOP] = {"mem_snoop", PERF_SAMPLE_DATA_SRC},
	[FILTER_MEM_REMOTE] = {"mem_remote", PERF_SAMPLE_DATA_SRC},
	[FILTER_MEM_LOCK] = {"mem_lock", PERF_SAMPLE_DATA_SRC},
	[FILTER_MEM_DTLB] = {"mem_dtlb", PERF_SAMPLE_DATA_SRC},
	[FILTER_MEM_BLK] = {"mem_blk", PERF_SAMPLE_DATA_SRC},
	[FILTER_MEM_HOPS] = {"mem_hops", PERF_SAMPLE_DATA_SRC},
	[FILTER_UID] = {"uid", 0},
	[FILTER_GID] = {"gid", 0},
	[FILTER_CGROUP] = {"cgroup", FIELD_CGROUP},
};

static const struct {
	const char *name;
	enum filter_term term;
} aliases[] = {
	{"ins_lat", FILTER_WEIGHT2},
	{"p_stage_cyc", FILTER_WEIGHT3},
	{"retire_lat", FILTER_WEIGHT3},
};

/* By length, so that the first that fits is the right one. */
static const struct {
	const char *text;
	enum filter_op op;
} ops[] = {
	{"==", FILTER_EQ}, {"!=", FILTER_NE}, {"<=", FILTER_LE}, {">=", FILTER_GE},
	{"<", FILTER_LT},  {">", FILTER_GT},  {"&", FILTER_AND},
};

/* Numbers of the kernel's union perf_mem_data_src. */
static const struct {
	enum filter_term term;
	uint8_t value;
	const char *name;
} constants[] = {
	{FILTER_MEM_OP, PERF_MEM_OP_NA, "na"},
	{FILTER_MEM_OP, PERF_MEM_OP_LOAD, "load"},
	{FILTER_MEM_OP, PERF_MEM_OP_STORE, "store"},
	{FILTER_MEM_OP, PERF_MEM_OP_PFETCH, "pfetch"},
	{FILTER_MEM_OP, PERF_MEM_OP_EXEC, "exec"},
	{FILTER_MEM_LVL, 0x1, "l1"},
	{FILTER_MEM_LVL, 0x2, "l2"},
	{FILTER_MEM_LVL, 0x3, "l3"},
	{FILTER_MEM_LVL, 0x4, "l4"},
	{FILTER_MEM_LVL, 0x9, "cxl"},
	{FILTER_MEM_LVL, 0xa, "io"},
	{FILTER_MEM_LVL, 0xb, "any_cache"},
	{FILTER_MEM_LVL, 0xc, "lfb"},
	{FILTER_MEM_LVL, 0xd, "ram"},
	{FILTER_MEM_LVL, 0xe, "pmem"},
	{FILTER_MEM_LVL, 0xf, "na"},
	{FILTER_MEM_SNOOP, PERF_MEM_SNOOP_NA, "na"},
	{FILTER_MEM_SNOOP, PERF_MEM_SNOOP_NONE, "none"},
	{FILTER_MEM_SNOOP, PERF_MEM_SNOOP_HIT, "hit"},
	{FILTER_MEM_SNOOP, PERF_MEM_SNOOP_MISS, "miss"},
	{FILTER_MEM_SNOOP, PERF_MEM_SNOOP_HITM, "hitm"},
	{FILTER_MEM_SNOOP, 1 << 5, "fwd"},
	{FILTER_MEM_SNOOP, 2 << 5, "peer"},
	{FILTER_MEM_REMOTE, 1, "remote"},
	{FILTER_MEM_LOCK, PERF_MEM_LOCK_NA, "na"},
	{FILTER_MEM_LOCK, PERF_MEM_LOCK_LOCKED, "locked"},
	{FILTER_MEM_DTLB, PERF_MEM_TLB_NA, "na"},
	{FILTER_MEM_DTLB, PERF_MEM_TLB_L1 | PERF_MEM_TLB_HIT, "l1_hit"},
	{FILTER_MEM_DTLB, PERF_MEM_TLB_L1 | PERF_MEM_TLB_MISS, "l1_miss"},
	{FILTER_MEM_DTLB, PERF_MEM_TLB_L2 | PERF_MEM_TLB_HIT, "l2_hit"},
	{FILTER_MEM_DTLB, PERF_MEM_TLB_L2 | PERF_MEM_TLB_MISS, "l2_miss"},
	{FILTER_MEM_DTLB, PERF_MEM_TLB_HIT, "any_hit"},
	{FILTER_MEM_DTLB, PERF_MEM_TLB_MISS, "any_miss"},
	{FILTER_MEM_DTLB, PERF_MEM_TLB_WK, "walk"},
	{FILTER_MEM_DTLB, PERF_MEM_TLB_OS, "fault"},
	{FILTER_MEM_BLK, 1, "na"},
	{FILTER_MEM_BLK, 2, "by_data"},
	{FILTER_MEM_BLK, 4, "by_addr"},
	{FILTER_MEM_HOPS, 1, "hops0"},
	{FILTER_MEM_HOPS, 2, "hops1"},
	{FILTER_MEM_HOPS, 3, "hops2"},
	{FILTER_MEM_HOPS, 4, "hops3"},
};

void kernel_filter_free(struct kernel_filter *f)
{
	vec_free(&f->tests);
}

const char *filter_term_name(enum filter_term term)
{
	return terms[term].name;
}

uint64_t filter_term_field(enum filter_term term)
{
	return terms[term].field;
}

/* --- parsing ------------------------------------------------------------------------------- */

struct filter_parser {
	struct str rest, bad;
	struct err *err;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static void skip_space(struct filter_parser *p)
{
	while (p->rest.n && memchr(" \t\n", p->rest.p[0], 3))
		p->rest = str_skip(p->rest, 1);
}

/* The word or number at the front; where there is none, whatever stands there is `bad`. */
static struct str take_word(struct filter_parser *p)
{
	size_t n = 0;
	skip_space(p);
	while (n < p->rest.n && is_word(p->rest.p[n]))
		n++;
	struct str word = str_make(p->rest.p, n);
	p->bad = str_make(p->rest.p, n ? n : MIN(p->rest.n, (size_t)1));
	p->rest = str_skip(p->rest, n);
	return word;
}

static bool fail_term(struct filter_parser *p, struct str word)
{
	struct arena a = {0};
	struct nearest ne = {.arena = &a, .want = word};
	for (size_t i = 0; i < FILTER_TERMS; i++)
		nearest_add(&ne, str_of(terms[i].name));
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
		nearest_add(&ne, str_of(aliases[i].name));
	const char *near = nearest_text(&ne);
	if (word.n)
		err_set(p->err, ERR_USAGE, "a filter cannot look at \"%.*s\"", (int)MIN(word.n, 50),
			word.p);
	else
		err_set(p->err, ERR_USAGE, "a term of the filter is missing");
	if (near)
		err_hint(p->err, "the nearest names: %s", near);
	else
		err_hint(
			p->err,
			"terms are ip id tid pid cpu time addr period txn weight weight1 weight2 "
			"weight3 phys_addr code_pgsz data_pgsz mem_op mem_lvl mem_snoop mem_remote "
			"mem_lock mem_dtlb mem_blk mem_hops uid gid cgroup");
	arena_free(&a);
	return false;
}

static bool parse_term(struct filter_parser *p, enum filter_term *term)
{
	struct str word = take_word(p);
	for (size_t i = 0; i < FILTER_TERMS; i++)
		if (str_is(word, terms[i].name)) {
			*term = (enum filter_term)i;
			return true;
		}
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
		if (str_is(word, aliases[i].name)) {
			*term = aliases[i].term;
			return true;
		}
	return fail_term(p, word);
}

static bool parse_op(struct filter_parser *p, enum filter_term term, enum filter_op *op)
{
	skip_space(p);
	bool both = str_starts(p->rest, "&&"); /* meant as "and" */
	for (size_t i = 0; !both && i < ARRAY_LEN(ops); i++)
		if (str_starts(p->rest, ops[i].text)) {
			*op = ops[i].op;
			p->rest = str_skip(p->rest, strlen(ops[i].text));
			return true;
		}
	p->bad = str_make(p->rest.p, MIN(p->rest.n, (size_t)1 + both));
	err_set(p->err, ERR_USAGE, "behind \"%s\" a filter wants a comparison", terms[term].name);
	return err_hint(p->err, "comparisons are == != < <= > >= and & (some bit in both)");
}

static bool fail_value(struct filter_parser *p, enum filter_term term, struct str word)
{
	struct out o;
	if (word.n)
		err_set(p->err, ERR_USAGE, "\"%s\" cannot be compared with \"%.*s\"",
			terms[term].name, (int)MIN(word.n, 50), word.p);
	else
		err_set(p->err, ERR_USAGE, "the value that \"%s\" is compared with is missing",
			terms[term].name);
	out_memory(&o);
	for (size_t i = 0; i < ARRAY_LEN(constants); i++)
		if (constants[i].term == term)
			out_fmt(&o, " %s", constants[i].name);
	err_hint(p->err, "a value is a number (12, 0x1f)%s%.*s", o.n ? ", or one of" : "", (int)o.n,
		 o.n ? o.buf : "");
	(void)out_finish(&o);
	return false;
}

static bool parse_value(struct filter_parser *p, enum filter_term term, uint64_t *value)
{
	struct str word = take_word(p);
	for (size_t i = 0; i < ARRAY_LEN(constants); i++)
		if (constants[i].term == term && str_is(word, constants[i].name)) {
			*value = constants[i].value;
			return true;
		}
	bool hex = str_starts(word, "0x") || str_starts(word, "0X");
	if (word.n && str_to_u64(str_skip(word, hex ? 2 : 0), hex ? 16 : 10, value))
		return true;
	return fail_value(p, term, word);
}

/* What stands between two tests. *more: whether there is another one. */
static bool parse_join(struct filter_parser *p, bool *more, bool *alternative)
{
	skip_space(p);
	*alternative = str_starts(p->rest, "||");
	*more = p->rest.n > 0;
	if (!*more)
		return true;
	if (*alternative || p->rest.p[0] == ',') {
		p->rest = str_skip(p->rest, *alternative ? 2 : 1);
		return true;
	}
	p->bad = str_make(p->rest.p, str_starts(p->rest, "&&") ? 2 : 1);
	err_set(p->err, ERR_USAGE, "tests of a filter are joined with \",\" or \"||\"");
	return err_hint(p->err, "\",\" means and; \"||\" means or, and binds more tightly; there "
				"are no parentheses");
}

bool kernel_filter_parse(struct kernel_filter *f, const char *text, struct err *err)
{
	struct err unused = {0};
	struct filter_parser p = {.rest = str_of(text), .err = err ? err : &unused};
	size_t before = f->tests.n;
	bool ok, more = true, alternative = false;
	do {
		struct filter_test t = {.alternative = alternative};
		ok = parse_term(&p, &t.term) && parse_op(&p, t.term, &t.op) &&
		     parse_value(&p, t.term, &t.value) && parse_join(&p, &more, &alternative);
		if (ok && f->tests.n == FILTER_MAX_TESTS)
			ok = err_set(p.err, ERR_USAGE, "a filter has %d tests at most",
				     FILTER_MAX_TESTS);
		if (ok)
			vec_push(&f->tests, t);
	} while (ok && more);
	if (!ok) {
		f->tests.n = before;
		err_mark(p.err, str_of(text), p.bad);
	}
	return ok;
}

void kernel_filter_print(const struct kernel_filter *f, struct out *o)
{
	for (size_t i = 0; i < f->tests.n; i++) {
		const struct filter_test *t = &f->tests.v[i];
		size_t op = 0;
		while (ops[op].op != t->op)
			op++;
		out_fmt(o, "%s%s %s 0x%" PRIx64,
			!i               ? ""
			: t->alternative ? " || "
					 : ", ",
			terms[t->term].name, ops[op].text, t->value);
	}
}
