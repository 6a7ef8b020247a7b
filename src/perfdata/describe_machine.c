/* What the machine was: topology, caches, memory, capabilities. */
#include "perfdata/describe_view.h"

static void put_strings(struct view *v, const char *label)
{
	uint32_t n = cursor_u32(&v->c);
	for (uint32_t i = 0; i < n && !v->c.bad; i++)
		view_line(v, label, view_string(v));
}

static void skip_strings(struct view *v)
{
	uint32_t n = cursor_u32(&v->c);
	for (uint32_t i = 0; i < n && !v->c.bad; i++)
		(void)view_string(v);
}

static void put_cpu_ids(struct view *v, struct cursor ids, struct cursor dies)
{
	bool has_dies = cursor_left(&dies);
	for (uint32_t i = 0; i < v->h->cpus_available && !ids.bad; i++) {
		uint32_t core = cursor_u32(&ids), socket = cursor_u32(&ids);
		if (ids.bad)
			return;
		out_fmt(v->o, "# CPU %u: Core ID %d, ", i, (int)core);
		if (has_dies)
			out_fmt(v->o, "Die ID %d, ", (int)cursor_u32(&dies));
		out_fmt(v->o, "Socket ID %d\n", (int)socket);
	}
}

/* Sockets, threads, ids per CPU, then in newer files dies and die ids; printed in another order. */
void view_cpu_topology(struct view *v)
{
	struct cursor threads, ids, *c = &v->c;
	put_strings(v, "sibling sockets");
	threads = *c;
	skip_strings(v);
	ids = *c;
	if (!cursor_left(c)) {
		v->c = threads;
		put_strings(v, "sibling threads");
		out_cstr(v->o, "# Core ID and Socket ID information is not available\n");
		return;
	}
	cursor_skip(c, (size_t)v->h->cpus_available * 8);
	if (cursor_left(c))
		put_strings(v, "sibling dies   ");
	struct cursor dies = *c;
	v->c = threads;
	put_strings(v, "sibling threads");
	put_cpu_ids(v, ids, dies);
}

void view_numa_topology(struct view *v)
{
	uint32_t n = cursor_u32(&v->c);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t node = cursor_u32(&v->c);
		uint64_t total = cursor_u64(&v->c), left = cursor_u64(&v->c);
		struct str cpus = view_string(v);
		if (v->c.bad)
			return;
		out_fmt(v->o,
			"# node%u meminfo  : total = %" PRIu64 " kB, free = %" PRIu64
			" kB\n# node%u cpu list : %.*s\n",
			node, total, left, node, (int)cpus.n, cpus.p);
	}
}

void view_hybrid_topology(struct view *v)
{
	uint32_t n = cursor_u32(&v->c);
	out_cstr(v->o, "# hybrid cpu system:\n");
	for (uint32_t i = 0; i < n; i++) {
		struct str pmu = view_string(v), cpus = view_string(v);
		if (v->c.bad)
			return;
		out_fmt(v->o, "# %.*s cpu list : %.*s\n", (int)pmu.n, pmu.p, (int)cpus.n, cpus.p);
	}
}

void view_cache(struct view *v)
{
	struct cursor *c = &v->c;
	out_cstr(v->o, "# CPU cache info:\n");
	if (cursor_u32(c) != 1) /* version */
		return;
	uint32_t n = cursor_u32(c);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t level = cursor_u32(c);
		cursor_skip(c, 12); /* line size, sets, ways */
		struct str type = view_string(v), size = view_string(v), cpus = view_string(v);
		if (c->bad)
			return;
		out_fmt(v->o, "#  L%u %-15.*s %8.*s [%.*s]\n", level, (int)type.n, type.p,
			(int)size.n, size.p, (int)cpus.n, cpus.p);
	}
}

/* The runs of set bits, as "0-23,32-199"; perf's buffer cuts them off at 99 characters. */
static void put_bit_ranges(struct out *o, struct cursor words, uint64_t bits)
{
	struct out text;
	out_memory(&text);
	uint64_t word = 0, from = 0;
	bool in_run = false;
	for (uint64_t i = 0; i <= bits && text.n < 99; i++) {
		if (i % 64 == 0 && i < bits)
			word = cursor_u64(&words);
		bool set = i < bits && (word >> (i % 64) & 1);
		if (set && !in_run)
			from = i;
		if (!set && in_run) {
			out_fmt(&text, "%s%" PRIu64, text.n ? "," : "", from);
			if (from != i - 1)
				out_fmt(&text, "-%" PRIu64, i - 1);
		}
		in_run = set;
	}
	out_bytes(o, text.buf, MIN(text.n, 99));
	(void)out_finish(&text);
}

static uint64_t count_bits(struct cursor words, uint64_t bits)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < bits; i += 64) {
		uint64_t word = cursor_u64(&words);
		if (bits - i < 64)
			word &= ((uint64_t)1 << (bits - i)) - 1;
		n += (uint64_t)__builtin_popcountll(word);
	}
	return n;
}

void view_mem_topology(struct view *v)
{
	struct cursor *c = &v->c;
	if (cursor_u64(c) != 1) /* version */
		return;
	uint64_t block = cursor_u64(c), n = cursor_u64(c);
	out_fmt(v->o, "# memory nodes (nr %d, block size 0x%" PRIx64 "):\n", (int)n, block);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t node = cursor_u64(c);
		(void)cursor_u64(c); /* said again */
		uint64_t bits = cursor_u64(c);
		if (c->bad || bits / 8 > cursor_left(c))
			return;
		struct cursor words = cursor_sub(c, (size_t)(bits + 63) / 64 * 8);
		uint64_t size = block * count_bits(words, bits);
		unsigned unit = 0;
		for (; size / 1024 > 1 && unit < 3; unit++)
			size /= 1024;
		out_fmt(v->o, "#  %3" PRIu64 " [%" PRIu64 "%c]: ", node, size, "BKMG"[unit]);
		put_bit_ranges(v->o, words, bits);
		out_char(v->o, '\n');
	}
}

/* Pairs of name and value. */
static void put_caps(struct view *v, uint32_t n, struct str pmu)
{
	out_fmt(v->o, "# %.*s pmu capabilities: %s", (int)pmu.n, pmu.p, n ? "" : "not available");
	for (uint32_t i = 0; i < n; i++) {
		struct str name = view_string(v), value = view_string(v);
		if (v->c.bad)
			break;
		out_fmt(v->o, "%s%.*s=%.*s", i ? ", " : "", (int)name.n, name.p, (int)value.n,
			value.p);
	}
	out_char(v->o, '\n');
}

void view_cpu_pmu_caps(struct view *v)
{
	put_caps(v, cursor_u32(&v->c), STR("cpu"));
}

void view_pmu_caps(struct view *v)
{
	uint32_t n = cursor_u32(&v->c);
	for (uint32_t i = 0; i < n && !v->c.bad; i++) {
		/* The name comes behind its capabilities. */
		uint32_t caps = cursor_u32(&v->c);
		struct cursor at = v->c;
		for (uint32_t k = 0; k < caps && !v->c.bad; k++) {
			(void)view_string(v);
			(void)view_string(v);
		}
		struct str pmu = view_string(v);
		struct cursor behind = v->c;
		if (behind.bad)
			return;
		v->c = at;
		put_caps(v, caps, pmu);
		v->c = behind;
	}
}
