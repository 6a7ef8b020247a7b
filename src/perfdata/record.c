#include "perfdata/record.h"

static const char *const kernel_names[] = {
	[PERF_RECORD_MMAP] = "MMAP",
	[PERF_RECORD_LOST] = "LOST",
	[PERF_RECORD_COMM] = "COMM",
	[PERF_RECORD_EXIT] = "EXIT",
	[PERF_RECORD_THROTTLE] = "THROTTLE",
	[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
	[PERF_RECORD_FORK] = "FORK",
	[PERF_RECORD_READ] = "READ",
	[PERF_RECORD_SAMPLE] = "SAMPLE",
	[PERF_RECORD_MMAP2] = "MMAP2",
	[PERF_RECORD_AUX] = "AUX",
	[PERF_RECORD_ITRACE_START] = "ITRACE_START",
	[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
	[PERF_RECORD_SWITCH] = "SWITCH",
	[PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
	[PERF_RECORD_NAMESPACES] = "NAMESPACES",
	[PERF_RECORD_KSYMBOL] = "KSYMBOL",
	[PERF_RECORD_BPF_EVENT] = "BPF_EVENT",
	[PERF_RECORD_CGROUP] = "CGROUP",
	[PERF_RECORD_TEXT_POKE] = "TEXT_POKE",
	[RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
	[22] = "CALLCHAIN_DEFERRED", /* newer than the oldest headers we build with */
};

static const char *const tool_names[] = {
	[RECORD_HEADER_ATTR - 64] = "ATTR",
	[RECORD_HEADER_EVENT_TYPE - 64] = "EVENT_TYPE",
	[RECORD_HEADER_TRACING_DATA - 64] = "TRACING_DATA",
	[RECORD_HEADER_BUILD_ID - 64] = "BUILD_ID",
	[RECORD_FINISHED_ROUND - 64] = "FINISHED_ROUND",
	[RECORD_ID_INDEX - 64] = "ID_INDEX",
	[RECORD_AUXTRACE_INFO - 64] = "AUXTRACE_INFO",
	[RECORD_AUXTRACE - 64] = "AUXTRACE",
	[RECORD_AUXTRACE_ERROR - 64] = "AUXTRACE_ERROR",
	[RECORD_THREAD_MAP - 64] = "THREAD_MAP",
	[RECORD_CPU_MAP - 64] = "CPU_MAP",
	[RECORD_STAT_CONFIG - 64] = "STAT_CONFIG",
	[RECORD_STAT - 64] = "STAT",
	[RECORD_STAT_ROUND - 64] = "STAT_ROUND",
	[RECORD_EVENT_UPDATE - 64] = "EVENT_UPDATE",
	[RECORD_TIME_CONV - 64] = "TIME_CONV",
	[RECORD_HEADER_FEATURE - 64] = "FEATURE",
	[RECORD_COMPRESSED - 64] = "COMPRESSED",
	[RECORD_FINISHED_INIT - 64] = "FINISHED_INIT",
	[RECORD_COMPRESSED2 - 64] = "COMPRESSED2",
	[RECORD_BPF_METADATA - 64] = "BPF_METADATA",
	[RECORD_SCHEDSTAT_CPU - 64] = "SCHEDSTAT_CPU",
	[RECORD_SCHEDSTAT_DOMAIN - 64] = "SCHEDSTAT_DOMAIN",
};

static const char *name_of(uint32_t type)
{
	if (type < ARRAY_LEN(kernel_names))
		return kernel_names[type];
	return type >= 64 && type - 64 < ARRAY_LEN(tool_names) ? tool_names[type - 64] : NULL;
}

bool record_type_known(uint32_t type)
{
	return name_of(type);
}

const char *record_type_name(uint32_t type)
{
	const char *name = name_of(type);
	return name ? name : "UNKNOWN";
}

static int32_t cursor_i32(struct cursor *c)
{
	return (int32_t)cursor_u32(c);
}

/* The bytes of an id of the given size; a size no id has is taken as the longest. */
static void take_build_id(struct cursor *c, unsigned size, struct build_id *out)
{
	const uint8_t *p = cursor_bytes(c, BUILD_ID_MAX);
	out->size = (uint8_t)MIN(size, BUILD_ID_MAX);
	if (p)
		memcpy(out->bytes, p, out->size);
}

/*
 * Whether an MMAP2 holds a build id instead of the inode. Linux (seen up to 6.18) also sets the bit
 * when not this event but another one on the machine wants build ids, and then writes the inode all
 * the same: what cannot be the head of a build id is the device's number.
 */
static bool holds_build_id(const struct record *r, struct cursor c)
{
	if (!(r->misc & MISC_MMAP_BUILD_ID))
		return false;
	unsigned size = cursor_u8(&c);
	return size && size <= BUILD_ID_MAX && !cursor_u8(&c) && !cursor_u16(&c);
}

bool record_mmap(const struct record *r, struct rec_mmap *out)
{
	*out = (struct rec_mmap){.v2 = r->type == PERF_RECORD_MMAP2};
	struct cursor c = record_cursor(r);
	out->pid = cursor_i32(&c);
	out->tid = cursor_i32(&c);
	out->addr = cursor_u64(&c);
	out->len = cursor_u64(&c);
	out->pgoff = cursor_u64(&c);
	if (!out->v2) {
		/* What is not data is taken for code, as the kernel meant by sending it. */
		out->prot = r->misc & MISC_MMAP_DATA ? 3 : 5;
	} else if (holds_build_id(r, c)) {
		unsigned size = cursor_u8(&c);
		cursor_skip(&c, 3);
		take_build_id(&c, size, &out->build_id);
	} else {
		out->major = cursor_u32(&c);
		out->minor = cursor_u32(&c);
		out->inode = cursor_u64(&c);
		out->inode_generation = cursor_u64(&c);
	}
	if (out->v2) {
		out->prot = cursor_u32(&c);
		out->flags = cursor_u32(&c);
	}
	out->path = cursor_cstr(&c);
	return !c.bad;
}

bool record_comm(const struct record *r, struct rec_comm *out)
{
	struct cursor c = record_cursor(r);
	out->pid = cursor_i32(&c);
	out->tid = cursor_i32(&c);
	out->comm = cursor_cstr(&c);
	out->exec = r->misc & MISC_COMM_EXEC;
	return !c.bad;
}

bool record_task(const struct record *r, struct rec_task *out)
{
	struct cursor c = record_cursor(r);
	out->pid = cursor_i32(&c);
	out->ppid = cursor_i32(&c);
	out->tid = cursor_i32(&c);
	out->ptid = cursor_i32(&c);
	out->time = cursor_u64(&c);
	return !c.bad;
}

bool record_lost(const struct record *r, struct rec_lost *out)
{
	struct cursor c = record_cursor(r);
	out->id = cursor_u64(&c);
	out->lost = cursor_u64(&c);
	return !c.bad;
}

bool record_lost_samples(const struct record *r, uint64_t *lost)
{
	struct cursor c = record_cursor(r);
	*lost = cursor_u64(&c);
	return !c.bad;
}

bool record_namespaces(const struct record *r, struct rec_namespaces *out)
{
	*out = (struct rec_namespaces){0};
	struct cursor c = record_cursor(r);
	out->pid = cursor_i32(&c);
	out->tid = cursor_i32(&c);
	uint64_t n = cursor_u64(&c);
	if (c.bad || n > cursor_left(&c) / 16)
		return false;
	out->count = (size_t)MIN(n, ARRAY_LEN(out->ns));
	for (size_t i = 0; i < out->count; i++) {
		out->ns[i].dev = cursor_u64(&c);
		out->ns[i].inode = cursor_u64(&c);
	}
	return true;
}

bool record_ksymbol(const struct record *r, struct rec_ksymbol *out)
{
	struct cursor c = record_cursor(r);
	out->addr = cursor_u64(&c);
	out->len = cursor_u32(&c);
	out->ksym_type = cursor_u16(&c);
	out->flags = cursor_u16(&c);
	out->name = cursor_cstr(&c);
	return !c.bad;
}

bool record_bpf(const struct record *r, struct rec_bpf *out)
{
	struct cursor c = record_cursor(r);
	out->kind = cursor_u16(&c);
	out->flags = cursor_u16(&c);
	out->id = cursor_u32(&c);
	const uint8_t *tag = cursor_bytes(&c, sizeof out->tag);
	if (tag)
		memcpy(out->tag, tag, sizeof out->tag);
	return !c.bad;
}

bool record_cgroup(const struct record *r, struct rec_cgroup *out)
{
	struct cursor c = record_cursor(r);
	out->id = cursor_u64(&c);
	out->path = cursor_cstr(&c);
	return !c.bad;
}

bool record_throttle(const struct record *r, struct rec_throttle *out)
{
	struct cursor c = record_cursor(r);
	out->time = cursor_u64(&c);
	out->id = cursor_u64(&c);
	out->stream_id = cursor_u64(&c);
	return !c.bad;
}

bool record_switch_cpu_wide(const struct record *r, struct rec_switch *out)
{
	struct cursor c = record_cursor(r);
	out->other_pid = cursor_i32(&c);
	out->other_tid = cursor_i32(&c);
	return !c.bad;
}

bool record_build_id(const struct record *r, struct rec_build_id *out)
{
	*out = (struct rec_build_id){0};
	struct cursor c = record_cursor(r);
	out->pid = cursor_i32(&c);
	struct cursor id = cursor_sub(&c, 24);
	unsigned size = BUILD_ID_MAX;
	if (!id.bad && r->misc & MISC_BUILD_ID_SIZE)
		size = id.p[BUILD_ID_MAX];
	take_build_id(&id, size, &out->build_id);
	/* Old writers filled the record to its last byte with the name. */
	out->path = cursor_text(&c, cursor_left(&c));
	return !c.bad;
}
