/* Events and their attrs in perf's words. */
#include <stdio.h>

#include "perfdata/describe.h"
#include "perfdata/tracing.h"

struct bit_name {
	uint64_t bit;
	const char *name;
};

/* In perf's order, which is not the order of the bits. */
static const struct bit_name sample_bits[] = {
	{PERF_SAMPLE_IP, "IP"},
	{PERF_SAMPLE_TID, "TID"},
	{PERF_SAMPLE_TIME, "TIME"},
	{PERF_SAMPLE_ADDR, "ADDR"},
	{PERF_SAMPLE_READ, "READ"},
	{PERF_SAMPLE_CALLCHAIN, "CALLCHAIN"},
	{PERF_SAMPLE_ID, "ID"},
	{PERF_SAMPLE_CPU, "CPU"},
	{PERF_SAMPLE_PERIOD, "PERIOD"},
	{PERF_SAMPLE_STREAM_ID, "STREAM_ID"},
	{PERF_SAMPLE_RAW, "RAW"},
	{PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK"},
	{PERF_SAMPLE_REGS_USER, "REGS_USER"},
	{PERF_SAMPLE_STACK_USER, "STACK_USER"},
	{PERF_SAMPLE_IDENTIFIER, "IDENTIFIER"},
	{PERF_SAMPLE_REGS_INTR, "REGS_INTR"},
	{PERF_SAMPLE_DATA_SRC, "DATA_SRC"},
	{PERF_SAMPLE_WEIGHT, "WEIGHT"},
	{PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR"},
	{PERF_SAMPLE_AUX, "AUX"},
	{PERF_SAMPLE_CGROUP, "CGROUP"},
	{PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE"},
	{PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE"},
	{PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT"},
	{0},
};

static const struct bit_name branch_bits[] = {
	{1 << 0, "USER"},       {1 << 1, "KERNEL"},
	{1 << 2, "HV"},         {1 << 3, "ANY"},
	{1 << 4, "ANY_CALL"},   {1 << 5, "ANY_RETURN"},
	{1 << 6, "IND_CALL"},   {1 << 7, "ABORT_TX"},
	{1 << 8, "IN_TX"},      {1 << 9, "NO_TX"},
	{1 << 10, "COND"},      {1 << 11, "CALL_STACK"},
	{1 << 12, "IND_JUMP"},  {1 << 13, "CALL"},
	{1 << 14, "NO_FLAGS"},  {1 << 15, "NO_CYCLES"},
	{1 << 16, "TYPE_SAVE"}, {1 << 17, "HW_INDEX"},
	{1 << 18, "PRIV_SAVE"}, {0},
};

static const struct bit_name read_bits[] = {
	{PERF_FORMAT_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED"},
	{PERF_FORMAT_TOTAL_TIME_RUNNING, "TOTAL_TIME_RUNNING"},
	{PERF_FORMAT_ID, "ID"},
	{PERF_FORMAT_GROUP, "GROUP"},
	{FORMAT_LOST, "LOST"},
	{0},
};

/* The one-bit flags, in their order; precise_ip stands among them. */
static const struct bit_name flags_before_precise[] = {
	{ATTR_DISABLED, "disabled"},
	{ATTR_INHERIT, "inherit"},
	{ATTR_PINNED, "pinned"},
	{ATTR_EXCLUSIVE, "exclusive"},
	{ATTR_EXCLUDE_USER, "exclude_user"},
	{ATTR_EXCLUDE_KERNEL, "exclude_kernel"},
	{ATTR_EXCLUDE_HV, "exclude_hv"},
	{ATTR_EXCLUDE_IDLE, "exclude_idle"},
	{ATTR_MMAP, "mmap"},
	{ATTR_COMM, "comm"},
	{ATTR_FREQ, "freq"},
	{ATTR_INHERIT_STAT, "inherit_stat"},
	{ATTR_ENABLE_ON_EXEC, "enable_on_exec"},
	{ATTR_TASK, "task"},
	{ATTR_WATERMARK, "watermark"},
	{0},
};

static const struct bit_name flags_behind_precise[] = {
	{ATTR_MMAP_DATA, "mmap_data"},
	{ATTR_SAMPLE_ID_ALL, "sample_id_all"},
	{ATTR_EXCLUDE_HOST, "exclude_host"},
	{ATTR_EXCLUDE_GUEST, "exclude_guest"},
	{ATTR_EXCLUDE_CALLCHAIN_KERNEL, "exclude_callchain_kernel"},
	{ATTR_EXCLUDE_CALLCHAIN_USER, "exclude_callchain_user"},
	{ATTR_MMAP2, "mmap2"},
	{ATTR_COMM_EXEC, "comm_exec"},
	{ATTR_USE_CLOCKID, "use_clockid"},
	{ATTR_CONTEXT_SWITCH, "context_switch"},
	{ATTR_WRITE_BACKWARD, "write_backward"},
	{ATTR_NAMESPACES, "namespaces"},
	{ATTR_KSYMBOL, "ksymbol"},
	{ATTR_BPF_EVENT, "bpf_event"},
	{ATTR_AUX_OUTPUT, "aux_output"},
	{ATTR_CGROUP, "cgroup"},
	{ATTR_TEXT_POKE, "text_poke"},
	{ATTR_BUILD_ID, "build_id"},
	{ATTR_INHERIT_THREAD, "inherit_thread"},
	{ATTR_REMOVE_ON_EXEC, "remove_on_exec"},
	{ATTR_SIGTRAP, "sigtrap"},
	{0},
};

struct attr_text {
	struct out *o;
	const char *sep, *is;
};

static void put_name(const struct attr_text *t, const char *name)
{
	out_cstr(t->o, t->sep);
	out_cstr(t->o, name);
	out_cstr(t->o, t->is);
}

static void put_number(const struct attr_text *t, const char *name, uint64_t v)
{
	if (!v)
		return;
	put_name(t, name);
	out_u64(t->o, v);
}

static void put_hex(const struct attr_text *t, const char *name, uint64_t v)
{
	if (!v)
		return;
	put_name(t, name);
	out_cstr(t->o, "0x");
	out_hex(t->o, v);
}

static void put_bits(const struct attr_text *t, const char *name, uint64_t v,
		     const struct bit_name *bits)
{
	if (!v)
		return;
	put_name(t, name);
	const char *bar = "";
	for (; bits->name; bits++) {
		if (!(v & bits->bit))
			continue;
		out_cstr(t->o, bar);
		out_cstr(t->o, bits->name);
		bar = "|";
	}
}

static void put_flags(const struct attr_text *t, uint64_t v, const struct bit_name *flags)
{
	for (; flags->name; flags++)
		put_number(t, flags->name, !!(v & flags->bit));
}

void attr_describe(struct out *o, const struct attr *a, const char *sep, const char *is)
{
	const struct attr_text text = {o, sep, is}, *t = &text;
	put_number(t, "type", a->type);
	put_number(t, "size", a->size);
	put_hex(t, "config", a->config);
	put_number(t, "{ sample_period, sample_freq }", a->sample_period);
	put_bits(t, "sample_type", a->sample_type, sample_bits);
	put_bits(t, "read_format", a->read_format, read_bits);
	put_flags(t, a->flags, flags_before_precise);
	put_number(t, "precise_ip", attr_precise(a));
	put_flags(t, a->flags, flags_behind_precise);
	put_number(t, "{ wakeup_events, wakeup_watermark }", a->wakeup_events);
	put_number(t, "bp_type", a->bp_type);
	put_hex(t, "{ bp_addr, config1 }", a->config1);
	put_hex(t, "{ bp_len, config2 }", a->config2);
	put_bits(t, "branch_sample_type", a->branch_sample_type, branch_bits);
	put_hex(t, "sample_regs_user", a->sample_regs_user);
	put_number(t, "sample_stack_user", a->sample_stack_user);
	if (a->clockid) {
		put_name(t, "clockid");
		out_i64(o, a->clockid);
	}
	put_hex(t, "sample_regs_intr", a->sample_regs_intr);
	put_number(t, "aux_watermark", a->aux_watermark);
	put_number(t, "sample_max_stack", a->sample_max_stack);
	put_number(t, "aux_sample_size", a->aux_sample_size);
	put_number(t, "sig_data", a->sig_data);
}

static void put_group(struct out *o, const struct perfdata *pd, size_t index)
{
	const struct perfdata_event *ev = perfdata_event(pd, index);
	bool braces = ev->members > 1;
	if (braces) {
		out_str(o, ev->group_name);
		out_char(o, '{');
	}
	for (size_t i = 0; i < ev->members; i++) {
		if (i)
			out_char(o, ',');
		out_str(o, perfdata_event(pd, index + i)->name);
	}
	if (braces)
		out_char(o, '}');
}

static void put_trace_fields(struct out *o, const struct perfdata_event *ev,
			     const struct tracing *fields, const char *sep)
{
	out_cstr(o, sep);
	if (ev->attr.type != PERF_TYPE_TRACEPOINT) {
		out_cstr(o, " (not a tracepoint)");
		return;
	}
	out_cstr(o, " trace_fields: ");
	tracing_fields(fields, ev->attr.config, o);
}

void perfdata_describe_event(struct out *o, const struct perfdata *pd, size_t index,
			     enum describe_event what, const struct tracing *fields)
{
	const struct perfdata_event *ev = perfdata_event(pd, index);
	if (what == DESCRIBE_GROUP) {
		if (ev->leader != index)
			return;
		put_group(o, pd, index);
		out_char(o, '\n');
		return;
	}
	out_str(o, ev->name);
	if (what == DESCRIBE_ATTR) {
		/* The first separator is a colon. */
		struct out attr;
		out_memory(&attr);
		attr_describe(&attr, &ev->attr, ", ", ": ");
		out_char(o, ':');
		out_str(o, str_skip(out_text(&attr), 1));
		(void)out_finish(&attr);
	} else if (what == DESCRIBE_FREQ) {
		out_fmt(o, ": sample_%s=%" PRIu64, ev->attr.flags & ATTR_FREQ ? "freq" : "period",
			ev->attr.sample_period);
	}
	if (fields)
		put_trace_fields(o, ev, fields, what == DESCRIBE_NAME ? ":" : ",");
	out_char(o, '\n');
}
