/* The header in perf's words: one function per feature, in a table. */
#include "perfdata/describe.h"

#include <time.h>

#include "perfdata/describe_view.h"

void view_line(struct view *v, const char *label, struct str text)
{
	out_fmt(v->o, "# %s : ", label);
	out_str(v->o, text);
	out_char(v->o, '\n');
}

static void put_hostname(struct view *v)
{
	view_line(v, "hostname", view_string(v));
}

static void put_os_release(struct view *v)
{
	view_line(v, "os release", view_string(v));
}

static void put_version(struct view *v)
{
	view_line(v, "perf version", view_string(v));
}

static void put_arch(struct view *v)
{
	view_line(v, "arch", view_string(v));
}

static void put_cpu_desc(struct view *v)
{
	view_line(v, "cpudesc", view_string(v));
}

static void put_cpu_id(struct view *v)
{
	view_line(v, "cpuid", view_string(v));
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
		struct str name = view_string(v);
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
		struct str name = view_string(v);
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
		perfdata_describe_event(v->o, v->pd, i, DESCRIBE_GROUP, NULL);
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

static void put_sample_time(struct view *v)
{
	const struct perfdata_header *h = v->h;
	const uint64_t times[2] = {h->first_sample_time, h->last_sample_time};
	for (unsigned i = 0; i < 2; i++)
		out_fmt(v->o, "# time of %s sample : %" PRIu64 ".%06" PRIu64 "\n",
			i ? "last" : "first", times[i] / 1000000000, times[i] / 1000 % 1000000);
	out_fmt(v->o, "# sample duration : %10.3f ms\n", (double)(times[1] - times[0]) / 1e6);
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

static void put_compressed(struct view *v)
{
	out_fmt(v->o, "# compressed : %s, level = %d, ratio = %d\n",
		v->h->comp_type == 1 ? "Zstd" : "Unknown", (int)v->h->comp_level,
		(int)v->h->comp_ratio);
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
	[FEAT_CPU_TOPOLOGY] = {"CPU_TOPOLOGY", view_cpu_topology, true},
	[FEAT_NUMA_TOPOLOGY] = {"NUMA_TOPOLOGY", view_numa_topology, true},
	[FEAT_BRANCH_STACK] = {"BRANCH_STACK", put_branch_stack},
	[FEAT_PMU_MAPPINGS] = {"PMU_MAPPINGS", put_pmu_mappings},
	[FEAT_GROUP_DESC] = {"GROUP_DESC", put_group_desc},
	[FEAT_AUXTRACE] = {"AUXTRACE", put_auxtrace},
	[FEAT_STAT] = {"STAT", put_stat},
	[FEAT_CACHE] = {"CACHE", view_cache, true},
	[FEAT_SAMPLE_TIME] = {"SAMPLE_TIME", put_sample_time},
	[FEAT_MEM_TOPOLOGY] = {"MEM_TOPOLOGY", view_mem_topology, true},
	[FEAT_CLOCKID] = {"CLOCKID", put_clockid},
	[FEAT_DIR_FORMAT] = {"DIR_FORMAT", put_dir_format},
	[FEAT_BPF_PROG_INFO] = {"BPF_PROG_INFO", view_bpf_prog_info},
	[FEAT_BPF_BTF] = {"BPF_BTF", view_bpf_btf},
	[FEAT_COMPRESSED] = {"COMPRESSED", put_compressed},
	[FEAT_CPU_PMU_CAPS] = {"CPU_PMU_CAPS", view_cpu_pmu_caps},
	[FEAT_CLOCK_DATA] = {"CLOCK_DATA", put_clock_data},
	[FEAT_HYBRID_TOPOLOGY] = {"HYBRID_TOPOLOGY", view_hybrid_topology, true},
	[FEAT_PMU_CAPS] = {"PMU_CAPS", view_pmu_caps},
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
