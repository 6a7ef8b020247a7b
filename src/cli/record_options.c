#include "cli/record_options.h"

#define STACK_BYTES 8192
#define STACK_BYTES_MAX 65528
#define FRAMES_MAX 65535

struct record_options record_opts = {.synth = CAPTURE_SYNTH_ALL};
#define opts record_opts

static bool set_stack_bytes(struct str text, struct err *err)
{
	uint64_t n;
	if (!str_to_u64(text, 10, &n) || !n || n > STACK_BYTES_MAX)
		return err_set(err, ERR_USAGE,
			       "--call-graph dwarf wants a stack size from 8 to %d, not \"%.*s\"",
			       STACK_BYTES_MAX, (int)text.n, text.p);
	opts.stack_bytes = (uint32_t)round_up(n, 8);
	return true;
}

static bool set_max_stack(struct str text, struct err *err)
{
	uint64_t n;
	if (!str_to_u64(text, 10, &n) || !n || n > FRAMES_MAX)
		return err_set(err, ERR_USAGE,
			       "--call-graph fp wants a number of frames from 1 to %d, not "
			       "\"%.*s\"",
			       FRAMES_MAX, (int)text.n, text.p);
	opts.max_stack = (uint16_t)n;
	return true;
}

static bool set_call_graph(void *value, const char *text, bool negated, struct err *err)
{
	enum call_graph *mode = value;
	struct str rest = {0}, word = text ? str_split(str_of(text), ',', &rest) : STR("fp");
	opts.stack_bytes = STACK_BYTES;
	if (negated || str_is(word, "no"))
		*mode = CALL_GRAPH_NONE;
	else if (str_is(word, "fp"))
		*mode = CALL_GRAPH_FP;
	else if (str_is(word, "lbr"))
		*mode = CALL_GRAPH_LBR;
	else if (str_is(word, "dwarf"))
		*mode = CALL_GRAPH_DWARF;
	else
		return err_set(err, ERR_USAGE, "--call-graph knows fp, dwarf and lbr, not \"%s\"",
			       text);
	if (!rest.p)
		return true;
	if (*mode == CALL_GRAPH_DWARF)
		return set_stack_bytes(rest, err);
	if (*mode == CALL_GRAPH_FP)
		return set_max_stack(rest, err);
	return err_set(err, ERR_USAGE, "--call-graph %.*s takes no size, as in \"%s\"", (int)word.n,
		       word.p, text);
}

/* The same as fp,FRAMES, whatever the order. */
static bool set_depth(void *value, const char *text, bool negated, struct err *err)
{
	enum call_graph *mode = value;
	if (negated) {
		opts.max_stack = 0;
		return true;
	}
	if (*mode == CALL_GRAPH_NONE)
		*mode = CALL_GRAPH_FP;
	return set_max_stack(str_of(text), err);
}

/* What the user's settings say of recordings. */
static struct {
	const char *call_graph; /* what -g means; NULL: fp */
	const char *stack_bytes;
} settings;

bool record_setting(const char *name, const char *value, struct err *err)
{
	if (!strcmp(name, "record.call-graph") || !strcmp(name, "call-graph.record-mode")) {
		enum call_graph mode = CALL_GRAPH_NONE;
		if (!set_call_graph(&mode, value, false, err))
			return false;
		settings.call_graph = mode == CALL_GRAPH_NONE ? NULL : value;
	}
	if (!strcmp(name, "call-graph.dump-size")) {
		settings.stack_bytes = value;
		return set_stack_bytes(str_of(value), err);
	}
	if (strcmp(name, "record.build-id") != 0)
		return true;
	opts.no_build_id_cache = !strcmp(value, "no-cache");
	opts.no_build_ids = !strcmp(value, "skip");
	opts.build_id_mmap = !strcmp(value, "mmap");
	if (opts.no_build_id_cache || opts.no_build_ids || opts.build_id_mmap ||
	    !strcmp(value, "cache"))
		return true;
	return err_set(err, ERR_USAGE, "%s is cache, no-cache, skip or mmap, not \"%s\"", name,
		       value);
}

/* -g turns call chains on; a --call-graph before it stays. */
static bool set_g(void *value, const char *text, bool negated, struct err *err)
{
	enum call_graph *mode = value;
	(void)text;
	if (negated)
		*mode = CALL_GRAPH_NONE;
	if (negated || *mode != CALL_GRAPH_NONE)
		return true;
	const char *usual = settings.call_graph ? settings.call_graph : "fp";
	if (!set_call_graph(mode, usual, false, err))
		return false;
	bool sized = *mode != CALL_GRAPH_DWARF || strchr(usual, ',') || !settings.stack_bytes;
	return sized || set_stack_bytes(str_of(settings.stack_bytes), err);
}

static bool add_filter(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	(void)err;
	if (negated) {
		vec_clear(&opts.filters);
		return true;
	}
	struct filter_option f = {.event_option = opts.events.list.n, .text = text};
	vec_push(&opts.filters, f);
	return true;
}

/* Kept among the -e, because a --filter belongs to the last of both. */
static bool add_pfm_events(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	(void)negated;
	(void)err;
	vec_push(&opts.pfm_events, opts.events.list.n);
	vec_push(&opts.events.list, text);
	return true;
}

/* A control group is for the events before it. */
static bool set_cgroups(void *value, const char *text, bool negated, struct err *err)
{
	(void)err;
	*(const char **)value = negated ? NULL : text;
	opts.cgroup_events = opts.events.list.n;
	return true;
}

static bool set_registers(void *value, const char *text, bool negated, struct err *err)
{
	uint64_t *mask = value;
	*mask = 0;
	if (negated)
		return true;
	if (text && !strcmp(text, "?")) {
		opts.list_registers = true;
		return true;
	}
	if (text)
		return value_registers(text, mask, err);
	*mask = capture_registers();
	return true;
}

static bool set_compression(void *value, const char *text, bool negated, struct err *err)
{
	uint64_t level = 1;
	if (text && (!str_to_u64(str_of(text), 10, &level) || level > 22))
		return err_set(err, ERR_USAGE,
			       "-z wants a level from 1 to 22 (0: none), not \"%s\"", text);
	*(uint64_t *)value = negated ? 0 : level;
	return true;
}

static bool set_embed(void *value, const char *text, bool negated, struct err *err)
{
	enum capture_embed *embed = value;
	if (negated)
		*embed = CAPTURE_EMBED_NONE;
	else if (!text || !strcmp(text, "hot"))
		*embed = CAPTURE_EMBED_HOT;
	else if (!strcmp(text, "all"))
		*embed = CAPTURE_EMBED_ALL;
	else
		return err_set(err, ERR_USAGE, "--embed knows hot and all, not \"%s\"", text);
	return true;
}

static bool set_switch(void *value, const char *text, bool negated, struct err *err)
{
	(void)err;
	*(bool *)value = !negated;
	opts.switch_output = text;
	return true;
}

static bool set_threads(void *value, const char *text, bool negated, struct err *err)
{
	(void)err;
	*(const char **)value = negated ? NULL : text ? text : "";
	return true;
}

static bool set_aio(void *value, const char *text, bool negated, struct err *err)
{
	uint64_t n = 1;
	if (text && (!str_to_u64(str_of(text), 10, &n) || !n))
		return err_set(err, ERR_USAGE, "--aio wants a number of blocks, 1 to 4, not \"%s\"",
			       text);
	*(unsigned *)value = negated ? 0 : (unsigned)MIN(n, (uint64_t)4);
	return true;
}

static bool set_affinity(void *value, const char *text, bool negated, struct err *err)
{
	enum capture_affinity *affinity = value;
	if (negated)
		*affinity = CAPTURE_AFFINITY_NONE;
	else if (!strcmp(text, "node"))
		*affinity = CAPTURE_AFFINITY_NODE;
	else if (!strcmp(text, "cpu"))
		*affinity = CAPTURE_AFFINITY_CPU;
	else
		return err_set(err, ERR_USAGE, "--affinity knows node and cpu, not \"%s\"", text);
	return true;
}

static bool set_synth(void *value, const char *text, bool negated, struct err *err)
{
	static const struct {
		const char *word;
		unsigned bits;
	} words[] = {
		{"no", 0},
		{"task", CAPTURE_SYNTH_TASK},
		{"mmap", CAPTURE_SYNTH_TASK | CAPTURE_SYNTH_MMAP},
		{"cgroup", CAPTURE_SYNTH_CGROUP},
		{"all", CAPTURE_SYNTH_ALL},
	};
	unsigned *synth = value;
	*synth = 0;
	for (struct str rest = str_of(negated ? "no" : text); rest.p;) {
		struct str word = str_trim(str_split(rest, ',', &rest));
		size_t i = 0;
		while (i < ARRAY_LEN(words) && !str_is(word, words[i].word))
			i++;
		if (i == ARRAY_LEN(words))
			return err_set(err, ERR_USAGE,
				       "--synth knows no, all, task, mmap and cgroup, not \"%s\"",
				       text);
		*synth |= words[i].bits;
	}
	return true;
}

const struct option record_option_table[] = {
	{OPT_GROUP, .help = "what to record"},
	{OPT_STRING, 'p', "pid", "PID,…", "existing processes, all their threads",
	 .value = &opts.pids},
	{OPT_STRING, 't', "tid", "TID,…", "existing threads", .value = &opts.tids},
	{OPT_STRING, 'u', "uid", "USER", "what this user runs now, by name or number",
	 .value = &opts.user},
	{OPT_BOOL, 'a', "all-cpus", NULL, "the whole system (the default without a command)",
	 .value = &opts.all_cpus},
	{OPT_STRING, 'C', "cpu", "CPUS", "everything on these CPUs: 0-3,8", .value = &opts.cpus},
	{OPT_CALL, 'G', "cgroup", "NAME,…",
	 "only tasks in this control group: one for all events before it or one for each; with -a",
	 .value = &opts.cgroups, .call = set_cgroups},
	{OPT_BOOL, 'i', "no-inherit", NULL,
	 "not the children of what is recorded; -t does without them unless --inherit",
	 .value = &opts.no_inherit, .was_set = &opts.inherit_given},
	{OPT_BOOL, 0, "per-thread", NULL, "one buffer per thread, and no children",
	 .value = &opts.per_thread},
	{OPT_STRING, 'D', "delay", "MS|A-B,…",
	 "start after so many milliseconds, or record from A to B only; -1: when --control says",
	 .value = &opts.delay},
	{OPT_STRING, 0, "control", "fd:N[,M]|fifo:PATH[,ACK]",
	 "obey enable [EVENT], disable [EVENT], evlist [-v|-g|-F], snapshot, ping and stop from "
	 "there; each is answered with ack",
	 .value = &opts.control},

	{OPT_GROUP, .help = "events"},
	{OPT_STRINGS, 'e', "event", "EVENT,…",
	 "cycles, cpu-clock, page-faults, L1-dcache-load-misses, r1a8, sched:sched_switch, irq:* …",
	 .value = &opts.events},
	{OPT_CALL, 0, "pfm-events", "EVENT,…", "as -e, but only names that libpfm4 knows",
	 .call = add_pfm_events},
	{OPT_BOOL, 0, "group", NULL, "all events as one group: {a,b} says it for some",
	 .value = &opts.group},
	{OPT_CALL, 0, "filter", "EXPR",
	 "of the -e before it, only the tracepoints whose fields are so ('prev_pid == 0'), or the "
	 "samples that are so ('cpu == 1, period > 1000')",
	 .call = add_filter},
	{OPT_CALL, 0, "exclude-perf", NULL, "not the tracepoints that the recorder itself passes",
	 .call = add_filter},
	{OPT_STRING, 'F', "freq", "HZ|max", "samples per second (default 4000)",
	 .value = &opts.frequency},
	{OPT_U64, 'c', "count", "N", "one sample every N events", .value = &opts.period,
	 .was_set = &opts.period_given},
	{OPT_BOOL, 'n', "no-samples", NULL, "no samples: the side-band alone",
	 .value = &opts.no_samples},
	{OPT_BOOL, 0, "all-user", NULL, "only user space", .value = &opts.all_user},
	{OPT_BOOL, 0, "all-kernel", NULL, "only the kernel", .value = &opts.all_kernel},
	{OPT_BOOL, 0, "strict-freq", NULL, "fail when -F is more than the kernel allows",
	 .value = &opts.strict_freq},

	{OPT_GROUP, .help = "what each sample holds"},
	{OPT_CALL, 'g', NULL, NULL, "call stacks, by frame pointers", .value = &opts.call_graph,
	 .call = set_g},
	{OPT_CALL, 0, "call-graph", "MODE",
	 "call stacks: fp[,FRAMES] by frame pointers, dwarf[,BYTES] with a copy of the stack (8192), "
	 "lbr by the CPU",
	 .value = &opts.call_graph, .call = set_call_graph},
	{OPT_CALL, 0, "max-stack", "FRAMES",
	 "call stacks up to this depth; more than the kernel's limit (127) where it can be raised",
	 .value = &opts.call_graph, .call = set_depth},
	{OPT_BOOL, 0, "user-callchains", NULL, "of call stacks, the user's part only",
	 .value = &opts.user_callchains},
	{OPT_BOOL, 0, "kernel-callchains", NULL, "of call stacks, the kernel's part only",
	 .value = &opts.kernel_callchains},
	{OPT_BOOL, 'b', "branch-any", NULL, "the last taken branches (needs hardware)",
	 .value = &opts.branch_any},
	{OPT_STRING, 'j', "branch-filter", "KIND,…",
	 "branches of a kind: any any_call any_ret ind_call cond call u k hv no_flags …",
	 .value = &opts.branch_filter},
	{OPT_BOOL, 'd', "data", NULL, "data addresses, and data mappings", .value = &opts.data},
	{OPT_BOOL, 0, "phys-data", NULL, "physical data addresses", .value = &opts.phys_data},
	{OPT_BOOL, 0, "data-page-size", NULL, "page size of the data address",
	 .value = &opts.data_page_size},
	{OPT_BOOL, 0, "code-page-size", NULL, "page size of the code address",
	 .value = &opts.code_page_size},
	{OPT_BOOL, 'P', "period", NULL, "the period (always with -F)",
	 .value = &opts.sample_period},
	{OPT_BOOL, 'T', "timestamp", NULL, "times (always recorded)", .value = &opts.timestamp},
	{OPT_BOOL, 'W', "weight", NULL, "the cost the CPU tells (special events only)",
	 .value = &opts.weight},
	{OPT_BOOL, 0, "transaction", NULL, "transaction flags (special events only)",
	 .value = &opts.transaction},
	{OPT_BOOL, 'R', "raw-samples", NULL, "raw records of all events, not tracepoints alone",
	 .value = &opts.raw},
	{OPT_BOOL, 0, "sample-cpu", NULL, "the CPU", .value = &opts.sample_cpu},
	{OPT_BOOL, 0, "sample-identifier", NULL, "the event's id in front (else where needed)",
	 .value = &opts.sample_identifier},
	{OPT_BOOL, 0, "running-time", NULL, "with the counts of :S, how long they were counted",
	 .value = &opts.running_time},
	{OPT_CALL, 0, "user-regs", "REG,…", "registers of user space; ? lists them",
	 .value = &opts.user_regs, .call = set_registers, .optional_arg = true},
	{OPT_CALL, 'I', "intr-regs", "REG,…", "registers where the sample was taken; ? lists them",
	 .value = &opts.intr_regs, .call = set_registers, .optional_arg = true},
	{OPT_STRING, 'k', "clockid", "CLOCK",
	 "times by monotonic, monotonic_raw, realtime, boottime or tai", .value = &opts.clock},

	{OPT_GROUP, .help = "beside the samples"},
	{OPT_BOOL, 's', "stat", NULL, "the count of each thread, at its end", .value = &opts.stat},
	{OPT_BOOL, 0, "switch-events", NULL, "context switches", .value = &opts.switch_events},
	{OPT_BOOL, 0, "latency", NULL, "what latency profiles need: context switches",
	 .value = &opts.latency},
	{OPT_BOOL, 0, "namespaces", NULL, "namespaces (always, where the rights allow it)",
	 .value = &opts.namespaces},
	{OPT_BOOL, 0, "all-cgroups", NULL, "control groups, and the one of each sample",
	 .value = &opts.all_cgroups},
	{OPT_BOOL, 0, "no-bpf-event", NULL, "no BPF programs that are loaded meanwhile",
	 .value = &opts.no_bpf_event},
	{OPT_CALL, 0, "synth", "no|all|task|mmap|cgroup",
	 "of what runs already: names (task), and mappings (mmap), control groups (default all)",
	 .value = &opts.synth, .call = set_synth},
	{OPT_BOOL, 0, "tail-synthesize", NULL, "that at the end of the file, as it is then",
	 .value = &opts.tail_synthesize},
	{OPT_U64, 0, "num-thread-synthesize", "N", "threads that read /proc for it",
	 .value = &opts.synth_threads},
	{OPT_U64, 0, "proc-map-timeout", "MS", "for the mappings of one process (default 500 ms)",
	 .value = &opts.map_timeout},
	{OPT_BOOL, 0, "timestamp-boundary", NULL,
	 "times of the first and the last sample in the header (always)",
	 .value = &opts.timestamp_boundary},
	{OPT_BOOL, 'B', "no-buildid", NULL, "no build ids", .value = &opts.no_build_ids},
	{OPT_BOOL, 'N', "no-buildid-cache", NULL,
	 "no copies into ~/.debug (the default, except under the name perf); --buildid-cache makes "
	 "them",
	 .value = &opts.no_build_id_cache, .was_set = &opts.build_id_cache_set},
	{OPT_BOOL, 0, "buildid-all", NULL, "build ids of all mapped files (always)",
	 .value = &opts.build_id_all},
	{OPT_BOOL, 0, "buildid-mmap", NULL, "build ids in mapping records (where the kernel can)",
	 .value = &opts.build_id_mmap},

	{OPT_GROUP, .help = "output"},
	{OPT_STRING, 'o', "output", "FILE", "default perf.data; - is standard output",
	 .value = &opts.output},
	{OPT_CALL, 'z', "compression-level", "LEVEL", "compress: 1 fast (default) … 22 small",
	 .value = &opts.compress, .call = set_compression, .optional_arg = true},
	{OPT_CALL, 0, "switch-output", "signal|SIZE|TIME",
	 "a new file, FILE.TIMESTAMP, on SIGUSR2 or after so much: 100M, 30s, 5m",
	 .value = &opts.switching, .call = set_switch, .optional_arg = true},
	{OPT_STRINGS, 0, "switch-output-event", "EVENT,…",
	 "a new file each time one of these happens; they are not recorded",
	 .value = &opts.switch_events_list},
	{OPT_U64, 0, "switch-max-files", "N", "keep the last N of them",
	 .value = &opts.switch_max_files},
	{OPT_BOOL, 0, "timestamp-filename", NULL, "the time of its end behind the file's name",
	 .value = &opts.timestamp_filename},
	{OPT_STRING, 0, "max-size", "SIZE", "end when the file is so large: 512K, 1G",
	 .value = &opts.max_size},
	{OPT_CALL, 0, "aio", "N",
	 "write in the background, from N blocks of memory (default 1, at most 4)",
	 .value = &opts.blocks, .optional_arg = true, .call = set_aio},
	{OPT_CALL, 0, "threads", "cpu|core|package|numa|MASKS",
	 "a reader thread for each CPU, core … and a directory of files; masks as "
	 "CPUS/AFFINITY:CPUS/AFFINITY",
	 .value = &opts.threads, .optional_arg = true, .call = set_threads},
	{OPT_BOOL, 0, "overwrite", NULL,
	 "keep the latest samples in memory; write them on SIGUSR2 and at the end",
	 .value = &opts.overwrite},
	{OPT_STRING, 'm', "mmap-pages", "PAGES|SIZE", "size of each ring buffer: 256, 1M …",
	 .value = &opts.ring},
	{OPT_STRING, 0, "mmap-flush", "SIZE",
	 "leave a ring buffer alone until it holds so much (at most a quarter of it)",
	 .value = &opts.mmap_flush},
	{OPT_CALL, 0, "affinity", "node|cpu",
	 "run on the node, or the CPU, whose ring buffer is being read", .value = &opts.affinity,
	 .call = set_affinity},
	{OPT_U64, 'r', "realtime", "PRIORITY", "read with this priority of SCHED_FIFO, 1 to 99",
	 .value = &opts.realtime},
	{OPT_BOOL, 0, "no-buffering", NULL, "wake up for every sample",
	 .value = &opts.no_buffering},
	{OPT_CALL, 0, "embed", "hot|all",
	 "put the symbols hit, or all of the files hit, into the recording, to read it elsewhere "
	 "(default: only those that cannot be found later; --no-embed: none)",
	 .value = &opts.embed, .optional_arg = true, .call = set_embed},
	{OPT_BOOL, 0, "strict", NULL, "exit with status 3 when anything was lost",
	 .value = &opts.strict},
	{OPT_BOOL, 0, "dry-run", NULL, "open the events, record nothing; -v tells what they are",
	 .value = &opts.dry_run},
	{OPT_BOOL, 'q', "quiet", NULL, "say nothing but errors", .value = &opts.quiet},
	{OPT_COUNT, 'v', "verbose", NULL, "say more", .value = &opts.verbose},

	{OPT_CALL, 0, "off-cpu", NULL, "", .value = (void *)&refused_off_cpu, .call = record_refuse,
	 .hidden = true},
	{OPT_CALL, 'S', "snapshot", "OPTIONS", "", .value = (void *)&refused_snapshot,
	 .call = record_refuse, .optional_arg = true, .hidden = true},
	{OPT_CALL, 0, "aux-sample", "OPTIONS", "", .value = (void *)&refused_aux_sample,
	 .call = record_refuse, .optional_arg = true, .hidden = true},
	{OPT_CALL, 0, "kcore", NULL, "", .value = (void *)&refused_kcore, .call = record_refuse,
	 .hidden = true},
	{OPT_CALL, 0, "debuginfod", "URLS", "", .value = (void *)&refused_debuginfod,
	 .call = record_refuse, .optional_arg = true, .hidden = true},
	{OPT_CALL, 0, "clang-path", "PATH", "", .value = (void *)&refused_clang,
	 .call = record_refuse, .hidden = true},
	{OPT_CALL, 0, "clang-opt", "OPTIONS", "", .value = (void *)&refused_clang,
	 .call = record_refuse, .hidden = true},
	{OPT_CALL, 0, "vmlinux", "FILE", "", .value = (void *)&refused_vmlinux,
	 .call = record_refuse, .hidden = true},
	{0},
};
