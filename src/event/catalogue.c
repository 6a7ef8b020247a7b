#include "event/catalogue.h"

#include <linux/perf_event.h>
#include <stdio.h>

#define MAX_ALIASES 5

static const struct {
	uint32_t type;
	uint32_t config;
	const char *names[2]; /* [0] is the one that is printed */
} plain[] = {
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, {"cycles", "cpu-cycles"}},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, {"instructions"}},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, {"cache-references"}},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, {"cache-misses"}},
	{PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	 {"branches", "branch-instructions"}},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, {"branch-misses"}},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, {"bus-cycles"}},
	{PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	 {"stalled-cycles-frontend", "idle-cycles-frontend"}},
	{PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	 {"stalled-cycles-backend", "idle-cycles-backend"}},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, {"ref-cycles"}},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, {"cpu-clock"}},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, {"task-clock"}},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, {"page-faults", "faults"}},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, {"context-switches", "cs"}},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, {"cpu-migrations", "migrations"}},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, {"minor-faults"}},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, {"major-faults"}},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, {"alignment-faults"}},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, {"emulation-faults"}},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, {"dummy"}},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, {"bpf-output"}},
	{PERF_TYPE_SOFTWARE, 11 /* PERF_COUNT_SW_CGROUP_SWITCHES */, {"cgroup-switches"}},
};

/* A cache event is CACHE[-OP][-RESULT] in perf's spelling, with its config made of the three
 * indices. Which operations a cache has is the kernel's generic table. */
enum { OP_READ = 1, OP_WRITE = 2, OP_PREFETCH = 4 };

static const struct {
	const char *names[MAX_ALIASES];
	unsigned ops;
} caches[] = {
	{{"L1-dcache", "l1-d", "l1d", "L1-data"}, OP_READ | OP_WRITE | OP_PREFETCH},
	{{"L1-icache", "l1-i", "l1i", "L1-instruction"}, OP_READ | OP_PREFETCH},
	{{"LLC", "L2"}, OP_READ | OP_WRITE | OP_PREFETCH},
	{{"dTLB", "d-tlb", "Data-TLB"}, OP_READ | OP_WRITE | OP_PREFETCH},
	{{"iTLB", "i-tlb", "Instruction-TLB"}, OP_READ},
	{{"branch", "branches", "bpu", "btb", "bpc"}, OP_READ},
	{{"node"}, OP_READ | OP_WRITE | OP_PREFETCH},
};

static const char *const ops[][MAX_ALIASES] = {
	{"load", "loads", "read"},
	{"store", "stores", "write"},
	{"prefetch", "prefetches", "speculative-read", "speculative-load"},
};

static const char *const results[][MAX_ALIASES] = {
	{"refs", "Reference", "ops", "access"},
	{"misses", "miss"},
};

/* Takes the longest of the names off the front of *text, which must go on with '-' or end. */
static bool take_name(struct str *text, const char *const names[MAX_ALIASES])
{
	size_t best = 0;
	for (size_t i = 0; i < MAX_ALIASES && names[i]; i++) {
		size_t n = strlen(names[i]);
		if (n > best && str_starts(*text, names[i]) && (text->n == n || text->p[n] == '-'))
			best = n;
	}
	if (!best)
		return false;
	*text = str_skip(*text, best);
	if (text->n)
		*text = str_skip(*text, 1);
	return true;
}

/* What follows the cache: an operation, a result, or both, in any order. */
static bool parse_cache_tail(struct str rest, size_t cache, uint64_t *config)
{
	size_t op = ARRAY_LEN(ops), result = ARRAY_LEN(results);
	while (rest.n) {
		bool taken = false;
		for (size_t i = 0; op == ARRAY_LEN(ops) && !taken && i < ARRAY_LEN(ops); i++) {
			taken = take_name(&rest, ops[i]);
			if (taken)
				op = i;
		}
		for (size_t i = 0; result == ARRAY_LEN(results) && !taken && i < ARRAY_LEN(results);
		     i++) {
			taken = take_name(&rest, results[i]);
			if (taken)
				result = i;
		}
		if (!taken)
			return false;
	}
	if (op == ARRAY_LEN(ops))
		op = 0;
	if (result == ARRAY_LEN(results))
		result = 0;
	if (!(caches[cache].ops >> op & 1))
		return false;
	*config = cache | op << 8 | result << 16;
	return true;
}

static bool find_cache(struct str name, uint64_t *config)
{
	if (!name.n || name.p[name.n - 1] == '-')
		return false;
	for (size_t i = 0; i < ARRAY_LEN(caches); i++) {
		struct str rest = name;
		if (take_name(&rest, caches[i].names))
			return parse_cache_tail(rest, i, config);
	}
	return false;
}

bool catalogue_find(struct str name, uint32_t *type, uint64_t *config)
{
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		for (size_t k = 0; k < ARRAY_LEN(plain[i].names) && plain[i].names[k]; k++)
			if (str_is(name, plain[i].names[k])) {
				*type = plain[i].type;
				*config = plain[i].config;
				return true;
			}
	*type = PERF_TYPE_HW_CACHE;
	return find_cache(name, config);
}

/* The name perf prints: "L1-dcache-loads", "L1-dcache-load-misses". */
static void print_cache(size_t cache, size_t op, size_t result, char *buf, size_t size)
{
	if (result)
		snprintf(buf, size, "%s-%s-%s", caches[cache].names[0], ops[op][0],
			 results[result][0]);
	else
		snprintf(buf, size, "%s-%s", caches[cache].names[0], ops[op][1]);
}

void catalogue_each(void (*fn)(void *ctx, struct str name), void *ctx)
{
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		for (size_t k = 0; k < ARRAY_LEN(plain[i].names) && plain[i].names[k]; k++)
			fn(ctx, str_of(plain[i].names[k]));
	for (size_t c = 0; c < ARRAY_LEN(caches); c++)
		for (size_t op = 0; op < ARRAY_LEN(ops); op++)
			for (size_t r = 0; r < ARRAY_LEN(results); r++) {
				char name[64];
				if (!(caches[c].ops >> op & 1))
					continue;
				print_cache(c, op, r, name, sizeof name);
				fn(ctx, str_of(name));
			}
}
