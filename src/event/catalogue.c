#include "event/catalogue.h"

#include <linux/perf_event.h>
#include <stdio.h>

#define MAX_ALIASES 5

static const struct {
	uint32_t type;
	uint32_t config;
	const char *names[2]; /* [0] is the one that is printed */
	const char *what;
} plain[] = {
	{PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_CPU_CYCLES,
	 {"cycles", "cpu-cycles"},
	 "CPU cycles; their length changes with the CPU's frequency"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, {"instructions"}, "instructions retired"},
	{PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_CACHE_REFERENCES,
	 {"cache-references"},
	 "accesses to the last-level cache, usually"},
	{PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_CACHE_MISSES,
	 {"cache-misses"},
	 "accesses that the last-level cache could not serve, usually"},
	{PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	 {"branches", "branch-instructions"},
	 "branch instructions retired"},
	{PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_BRANCH_MISSES,
	 {"branch-misses"},
	 "branches that were predicted wrongly"},
	{PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_BUS_CYCLES,
	 {"bus-cycles"},
	 "bus cycles; their length does not change"},
	{PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	 {"stalled-cycles-frontend", "idle-cycles-frontend"},
	 "cycles in which no instruction could be issued"},
	{PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	 {"stalled-cycles-backend", "idle-cycles-backend"},
	 "cycles in which no instruction could be retired"},
	{PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_REF_CPU_CYCLES,
	 {"ref-cycles"},
	 "cycles of a clock that the CPU's frequency does not change"},
	{PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_CPU_CLOCK,
	 {"cpu-clock"},
	 "a high-resolution timer on each CPU, in ns; samples without hardware counters"},
	{PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_TASK_CLOCK,
	 {"task-clock"},
	 "time a task has been running, in ns"},
	{PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_PAGE_FAULTS,
	 {"page-faults", "faults"},
	 "page faults, minor and major"},
	{PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_CONTEXT_SWITCHES,
	 {"context-switches", "cs"},
	 "switches from one task to another"},
	{PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_CPU_MIGRATIONS,
	 {"cpu-migrations", "migrations"},
	 "moves of a task to another CPU"},
	{PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_PAGE_FAULTS_MIN,
	 {"minor-faults"},
	 "page faults served from memory"},
	{PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	 {"major-faults"},
	 "page faults that had to wait for a disk"},
	{PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_ALIGNMENT_FAULTS,
	 {"alignment-faults"},
	 "unaligned accesses the kernel had to mend (never on x86)"},
	{PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_EMULATION_FAULTS,
	 {"emulation-faults"},
	 "instructions the kernel had to emulate"},
	{PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_DUMMY,
	 {"dummy"},
	 "counts nothing: carries side-band records"},
	{PERF_TYPE_SOFTWARE,
	 PERF_COUNT_SW_BPF_OUTPUT,
	 {"bpf-output"},
	 "records written by BPF programs with bpf_perf_event_output()"},
	{PERF_TYPE_SOFTWARE,
	 11 /* PERF_COUNT_SW_CGROUP_SWITCHES */,
	 {"cgroup-switches"},
	 "context switches to a task of another cgroup"},
};

/* What the tool measures itself, with names of their own in perf stat. */
static const struct {
	const char *name, *what;
} tools[] = {
	{"duration_time", "wall-clock time of the measurement, in ns (for counting)"},
	{"user_time", "time of the measured command in user space, in ns (for counting)"},
	{"system_time", "time of the measured command in the kernel, in ns (for counting)"},
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

static enum event_class class_of(uint32_t type)
{
	return type == PERF_TYPE_SOFTWARE   ? EVENT_SOFTWARE
	       : type == PERF_TYPE_HARDWARE ? EVENT_HARDWARE
					    : EVENT_CACHE;
}

bool catalogue_find(struct str name, enum event_class *class, uint32_t *type, uint64_t *config)
{
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		for (size_t k = 0; k < ARRAY_LEN(plain[i].names) && plain[i].names[k]; k++)
			if (str_is(name, plain[i].names[k])) {
				*type = plain[i].type;
				*config = plain[i].config;
				*class = class_of(*type);
				return true;
			}
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		if (str_is(name, tools[i].name)) {
			*class = EVENT_TOOL;
			*type = PERF_TYPE_SOFTWARE;
			*config = PERF_COUNT_SW_DUMMY;
			return true;
		}
	*class = EVENT_CACHE;
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

static void describe_cache(size_t cache, size_t op, size_t result, char *buf, size_t size)
{
	static const char *const doing[] = {"loads", "stores", "prefetches"};
	static const char *const what[] = {
		"the first-level data cache",
		"the first-level instruction cache",
		"the last-level cache",
		"the data TLB",
		"the instruction TLB",
		"the branch predictor",
		"the memory of the own NUMA node",
	};
	snprintf(buf, size, "%s %s %s", doing[op], result ? "that missed" : "through", what[cache]);
}

static void each_cache(void (*fn)(void *ctx, const struct catalogue_entry *e), void *ctx)
{
	for (size_t c = 0; c < ARRAY_LEN(caches); c++)
		for (size_t op = 0; op < ARRAY_LEN(ops); op++)
			for (size_t r = 0; r < ARRAY_LEN(results); r++) {
				char name[64], what[96];
				if (!(caches[c].ops >> op & 1))
					continue;
				print_cache(c, op, r, name, sizeof name);
				describe_cache(c, op, r, what, sizeof what);
				fn(ctx, &(struct catalogue_entry){
						.class = EVENT_CACHE,
						.type = PERF_TYPE_HW_CACHE,
						.config = c | op << 8 | r << 16,
						.name = name,
						.what = what,
					});
			}
}

void catalogue_each_entry(void (*fn)(void *ctx, const struct catalogue_entry *e), void *ctx)
{
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		fn(ctx, &(struct catalogue_entry){
				.class = class_of(plain[i].type),
				.type = plain[i].type,
				.config = plain[i].config,
				.name = plain[i].names[0],
				.alias = plain[i].names[1],
				.what = plain[i].what,
			});
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		fn(ctx, &(struct catalogue_entry){
				.class = EVENT_TOOL,
				.type = PERF_TYPE_SOFTWARE,
				.config = PERF_COUNT_SW_DUMMY,
				.name = tools[i].name,
				.what = tools[i].what,
			});
	each_cache(fn, ctx);
}

struct names_only {
	void (*fn)(void *ctx, struct str name);
	void *ctx;
};

static void give_names(void *ctx, const struct catalogue_entry *e)
{
	const struct names_only *n = ctx;
	n->fn(n->ctx, str_of(e->name));
	if (e->alias)
		n->fn(n->ctx, str_of(e->alias));
}

void catalogue_each(void (*fn)(void *ctx, struct str name), void *ctx)
{
	struct names_only n = {fn, ctx};
	catalogue_each_entry(give_names, &n);
}
