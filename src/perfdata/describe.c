/* The header in perf's words: one function per feature, in a table. */
#include "perfdata/describe.h"

#include <stdio.h>
#include <time.h>

struct view {
	struct out *o;
	const struct perfdata *pd;
	const struct perfdata_header *h;
	struct cursor c; /* over the feature's payload */
};

static struct str take_string(struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	return cursor_text(c, n);
}

static void put_line(struct out *o, const char *label, struct str text)
{
	out_fmt(o, "# %s : ", label);
	out_str(o, text);
	out_char(o, '\n');
}

static void put_hostname(struct view *v)
{
	put_line(v->o, "hostname", take_string(&v->c));
}

static void put_os_release(struct view *v)
{
	put_line(v->o, "os release", take_string(&v->c));
}

static void put_version(struct view *v)
{
	put_line(v->o, "perf version", take_string(&v->c));
}

static void put_arch(struct view *v)
{
	put_line(v->o, "arch", take_string(&v->c));
}

static void put_cpu_desc(struct view *v)
{
	put_line(v->o, "cpudesc", take_string(&v->c));
}

static void put_cpu_id(struct view *v)
{
	put_line(v->o, "cpuid", take_string(&v->c));
}

static void put_nrcpus(struct view *v)
{
	out_fmt(v->o, "# nrcpus online : %u\n# nrcpus avail : %u\n", v->h->cpus_online,
		v->h->cpus_available);
}

static void put_total_mem(struct view *v)
{
	out_fmt(v->o, "# total memory : %" PRIu64 " kB\n", v->h->total_mem_kb);
}

static void put_cmdline(struct view *v)
{
	out_cstr(v->o, "# cmdline : ");
	for (size_t i = 0; i < v->h->cmdline_count; i++) {
		for (const char *p = v->h->cmdline[i]; *p; p++)
			out_cstr(v->o, *p == '\'' ? "\\'" : (char[]){*p, 0});
		out_char(v->o, ' ');
	}
	out_char(v->o, '\n');
}

static void put_event_desc(struct view *v)
{
	struct cursor *c = &v->c;
	uint32_t n = cursor_u32(c), attr_size = cursor_u32(c);
	for (uint32_t i = 0; i < n; i++) {
		struct cursor bytes = cursor_sub(c, attr_size);
		struct attr attr;
		bool whole = attr_decode(&bytes, &attr);
		uint32_t ids = cursor_u32(c);
		struct str name = take_string(c);
		if (!whole || c->bad || ids > cursor_left(c) / 8) {
			out_cstr(v->o, "# event desc: not available or unable to read\n");
			return;
		}
		out_cstr(v->o, "# event : name = ");
		out_str(v->o, name);
		out_cstr(v->o, ", ");
		for (uint32_t k = 0; k < ids; k++)
			out_fmt(v->o, "%s %" PRIu64, k ? "," : ", id = {", cursor_u64(c));
		if (ids)
			out_cstr(v->o, " }");
		attr_describe(v->o, &attr, ", ", " = ");
		out_char(v->o, '\n');
	}
}

static void put_strings(struct view *v, const char *label)
{
	uint32_t n = cursor_u32(&v->c);
	for (uint32_t i = 0; i < n && !v->c.bad; i++)
		put_line(v->o, label, take_string(&v->c));
}

static void skip_strings(struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	for (uint32_t i = 0; i < n && !c->bad; i++)
		(void)take_string(c);
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
static void put_cpu_topology(struct view *v)
{
	struct cursor threads, ids, *c = &v->c;
	put_strings(v, "sibling sockets");
	threads = *c;
	skip_strings(c);
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

static void put_numa_topology(struct view *v)
{
	uint32_t n = cursor_u32(&v->c);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t node = cursor_u32(&v->c);
		uint64_t total = cursor_u64(&v->c), left = cursor_u64(&v->c);
		struct str cpus = take_string(&v->c);
		if (v->c.bad)
			return;
		out_fmt(v->o,
			"# node%u meminfo  : total = %" PRIu64 " kB, free = %" PRIu64
			" kB\n# node%u cpu list : %.*s\n",
			node, total, left, node, (int)cpus.n, cpus.p);
	}
}

static void put_branch_stack(struct view *v)
{
	out_cstr(v->o, "# contains samples with branch stack\n");
}

static void put_pmu_mappings(struct view *v)
{
	uint32_t n = cursor_u32(&v->c);
	if (!n) {
		out_cstr(v->o, "# pmu mappings: not available\n");
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t type = cursor_u32(&v->c);
		struct str name = take_string(&v->c);
		if (v->c.bad)
			break;
		out_fmt(v->o, "%s%.*s = %u", i ? ", " : "# pmu mappings: ", (int)name.n, name.p,
			type);
	}
	out_char(v->o, '\n');
}

static void put_group_desc(struct view *v)
{
	for (size_t i = 0; i < perfdata_event_count(v->pd); i++) {
		if (perfdata_event(v->pd, i)->members < 2)
			continue;
		out_cstr(v->o, "# group: ");
		perfdata_describe_event(v->o, v->pd, i, DESCRIBE_GROUP, false);
	}
}

static void put_auxtrace(struct view *v)
{
	out_cstr(v->o, "# contains AUX area data (e.g. instruction trace)\n");
}

static void put_stat(struct view *v)
{
	out_cstr(v->o, "# contains stat data\n");
}

static void put_cache(struct view *v)
{
	struct cursor *c = &v->c;
	out_cstr(v->o, "# CPU cache info:\n");
	if (cursor_u32(c) != 1) /* version */
		return;
	uint32_t n = cursor_u32(c);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t level = cursor_u32(c);
		cursor_skip(c, 12); /* line size, sets, ways */
		struct str type = take_string(c), size = take_string(c), cpus = take_string(c);
		if (c->bad)
			return;
		out_fmt(v->o, "#  L%u %-15.*s %8.*s [%.*s]\n", level, (int)type.n, type.p,
			(int)size.n, size.p, (int)cpus.n, cpus.p);
	}
}

static void put_sample_time(struct view *v)
{
	const struct perfdata_header *h = v->h;
	const uint64_t times[2] = {h->first_sample_time, h->last_sample_time};
	for (unsigned i = 0; i < 2; i++)
		out_fmt(v->o, "# time of %s sample : %" PRIu64 ".%06" PRIu64 "\n",
			i ? "last" : "first", times[i] / 1000000000, times[i] / 1000 % 1000000);
	out_fmt(v->o, "# sample duration : %10.3f ms\n", (double)(times[1] - times[0]) / 1e6);
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

static void put_mem_topology(struct view *v)
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

static void put_clockid(struct view *v)
{
	/* The unit is perf's word for it. */
	out_fmt(v->o, "# clockid frequency: %" PRIu64 " MHz\n", v->h->clockid_resolution * 1000);
}

static void put_dir_format(struct view *v)
{
	out_fmt(v->o, "# directory data version : %" PRIu64 "\n", cursor_u64(&v->c));
}

static void put_bpf_btf(struct view *v)
{
	uint32_t n = cursor_u32(&v->c);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = cursor_u32(&v->c), size = cursor_u32(&v->c);
		cursor_skip(&v->c, size);
		if (v->c.bad)
			return;
		out_fmt(v->o, "# btf info of id %u\n", id);
	}
}

static void put_compressed(struct view *v)
{
	out_fmt(v->o, "# compressed : %s, level = %d, ratio = %d\n",
		v->h->comp_type == 1 ? "Zstd" : "Unknown", (int)v->h->comp_level,
		(int)v->h->comp_ratio);
}

/* Pairs of name and value. */
static void put_caps(struct view *v, uint32_t n, struct str pmu)
{
	out_fmt(v->o, "# %.*s pmu capabilities: %s", (int)pmu.n, pmu.p, n ? "" : "not available");
	for (uint32_t i = 0; i < n; i++) {
		struct str name = take_string(&v->c), value = take_string(&v->c);
		if (v->c.bad)
			break;
		out_fmt(v->o, "%s%.*s=%.*s", i ? ", " : "", (int)name.n, name.p, (int)value.n,
			value.p);
	}
	out_char(v->o, '\n');
}

static void put_cpu_pmu_caps(struct view *v)
{
	put_caps(v, cursor_u32(&v->c), STR("cpu"));
}

static void put_pmu_caps(struct view *v)
{
	uint32_t n = cursor_u32(&v->c);
	for (uint32_t i = 0; i < n && !v->c.bad; i++) {
		/* The name comes behind its capabilities. */
		uint32_t caps = cursor_u32(&v->c);
		struct cursor at = v->c;
		for (uint32_t k = 0; k < caps && !v->c.bad; k++) {
			(void)take_string(&v->c);
			(void)take_string(&v->c);
		}
		struct str pmu = take_string(&v->c);
		struct cursor behind = v->c;
		if (behind.bad)
			return;
		v->c = at;
		put_caps(v, caps, pmu);
		v->c = behind;
	}
}

static const char *clock_name(uint32_t id)
{
	static const char *const names[] = {
		[0] = "realtime",          [1] = "monotonic",     [2] = "process_cputime_id",
		[3] = "thread_cputime_id", [4] = "monotonic_raw", [5] = "realtime_coarse",
		[6] = "monotonic_coarse",  [7] = "boottime",      [11] = "tai"};
	return id < ARRAY_LEN(names) && names[id] ? names[id] : "(not found)";
}

static void put_clock_data(struct view *v)
{
	uint32_t version = cursor_u32(&v->c), id = cursor_u32(&v->c);
	uint64_t wall = cursor_u64(&v->c), clock = cursor_u64(&v->c);
	if (v->c.bad || version != 1) {
		out_cstr(v->o, "# reference time disabled\n");
		return;
	}
	time_t seconds = (time_t)(wall / 1000000000);
	unsigned micros = (unsigned)(wall / 1000 % 1000000);
	struct tm tm;
	char date[64] = "<error>";
	if (localtime_r(&seconds, &tm))
		strftime(date, sizeof date, "%F %T", &tm);
	out_fmt(v->o, "# clockid: %s (%u)\n", clock_name(id), id);
	out_fmt(v->o,
		"# reference time: %s.%06u = %lld.%06u (TOD) = %" PRIu64 ".%09" PRIu64 " (%s)\n",
		date, micros, (long long)seconds, micros, clock / 1000000000, clock % 1000000000,
		clock_name(id));
}

static void put_hybrid_topology(struct view *v)
{
	uint32_t n = cursor_u32(&v->c);
	out_cstr(v->o, "# hybrid cpu system:\n");
	for (uint32_t i = 0; i < n; i++) {
		struct str pmu = take_string(&v->c), cpus = take_string(&v->c);
		if (v->c.bad)
			return;
		out_fmt(v->o, "# %.*s cpu list : %.*s\n", (int)pmu.n, pmu.p, (int)cpus.n, cpus.p);
	}
}

static const struct {
	const char *name;
	void (*put)(struct view *v);
	bool only_full;
} features[] = {
	[FEAT_TRACING_DATA] = {"TRACING_DATA"},
	[FEAT_BUILD_ID] = {"BUILD_ID"},
	[FEAT_HOSTNAME] = {"HOSTNAME", put_hostname},
	[FEAT_OSRELEASE] = {"OSRELEASE", put_os_release},
	[FEAT_VERSION] = {"VERSION", put_version},
	[FEAT_ARCH] = {"ARCH", put_arch},
	[FEAT_NRCPUS] = {"NRCPUS", put_nrcpus},
	[FEAT_CPUDESC] = {"CPUDESC", put_cpu_desc},
	[FEAT_CPUID] = {"CPUID", put_cpu_id},
	[FEAT_TOTAL_MEM] = {"TOTAL_MEM", put_total_mem},
	[FEAT_CMDLINE] = {"CMDLINE", put_cmdline},
	[FEAT_EVENT_DESC] = {"EVENT_DESC", put_event_desc},
	[FEAT_CPU_TOPOLOGY] = {"CPU_TOPOLOGY", put_cpu_topology, true},
	[FEAT_NUMA_TOPOLOGY] = {"NUMA_TOPOLOGY", put_numa_topology, true},
	[FEAT_BRANCH_STACK] = {"BRANCH_STACK", put_branch_stack},
	[FEAT_PMU_MAPPINGS] = {"PMU_MAPPINGS", put_pmu_mappings},
	[FEAT_GROUP_DESC] = {"GROUP_DESC", put_group_desc},
	[FEAT_AUXTRACE] = {"AUXTRACE", put_auxtrace},
	[FEAT_STAT] = {"STAT", put_stat},
	[FEAT_CACHE] = {"CACHE", put_cache, true},
	[FEAT_SAMPLE_TIME] = {"SAMPLE_TIME", put_sample_time},
	[FEAT_MEM_TOPOLOGY] = {"MEM_TOPOLOGY", put_mem_topology, true},
	[FEAT_CLOCKID] = {"CLOCKID", put_clockid},
	[FEAT_DIR_FORMAT] = {"DIR_FORMAT", put_dir_format},
	[FEAT_BPF_PROG_INFO] = {"BPF_PROG_INFO"},
	[FEAT_BPF_BTF] = {"BPF_BTF", put_bpf_btf},
	[FEAT_COMPRESSED] = {"COMPRESSED", put_compressed},
	[FEAT_CPU_PMU_CAPS] = {"CPU_PMU_CAPS", put_cpu_pmu_caps},
	[FEAT_CLOCK_DATA] = {"CLOCK_DATA", put_clock_data},
	[FEAT_HYBRID_TOPOLOGY] = {"HYBRID_TOPOLOGY", put_hybrid_topology, true},
	[FEAT_PMU_CAPS] = {"PMU_CAPS", put_pmu_caps},
};

static void put_features(struct out *o, const struct perfdata *pd, bool full)
{
	const struct perfdata_header *h = perfdata_header(pd);
	for (unsigned i = 0; i < ARRAY_LEN(features); i++) {
		struct str bytes = perfdata_feature(pd, i);
		if (!perfdata_has(h, i) || !features[i].put)
			continue;
		if (features[i].only_full && !full) {
			out_fmt(o, "# %s info available, use -I to display\n", features[i].name);
			continue;
		}
		struct view v = {o, pd, h, cursor_of(bytes.p, bytes.n, h->swapped)};
		features[i].put(&v);
	}
}

static void put_missing(struct out *o, const struct perfdata_header *h)
{
	out_cstr(o, "# missing features: ");
	for (unsigned i = 1; i < ARRAY_LEN(features); i++)
		if (!perfdata_has(h, i))
			out_fmt(o, "%s ", features[i].name);
	out_char(o, '\n');
}

void perfdata_describe_header(struct out *o, const struct perfdata *pd, bool full)
{
	const struct perfdata_header *h = perfdata_header(pd);
	time_t when = h->captured_on;
	char date[32] = "(unknown)\n";
	(void)ctime_r(&when, date);
	out_fmt(o,
		"# ========\n# captured on    : %s# header version : 1\n"
		"# data offset    : %" PRIu64 "\n# data size      : %" PRIu64
		"\n# feat offset    : %" PRIu64 "\n",
		date, h->data_offset, h->data_size, h->feature_offset);
	/* A pipe's features come behind its header. */
	if (h->pipe) {
		out_cstr(o, "# ========\n#\n");
		put_features(o, pd, full);
		return;
	}
	put_features(o, pd, full);
	put_missing(o, h);
	out_cstr(o, "# ========\n#\n");
}
