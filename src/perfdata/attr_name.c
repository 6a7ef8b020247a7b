#include "perfdata/attr_name.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>

static const char *const hardware[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};

static const char *const software[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};

static const char *const cache[] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
};

static const struct {
	const char *accesses, *misses;
} cache_op[] = {
	{"loads", "load-misses"},
	{"stores", "store-misses"},
	{"prefetches", "prefetch-misses"},
};

const char *attr_hardware_name(uint64_t config)
{
	return config < ARRAY_LEN(hardware) ? hardware[config] : NULL;
}

const char *attr_software_name(uint64_t config)
{
	return config < ARRAY_LEN(software) ? software[config] : NULL;
}

/* Which modes are counted, and how precisely. Silence means perf's default: everything on the
 * host. */
static void modifiers(const struct attr *a, char *out)
{
	uint64_t f = a->flags;
	bool guest_excluded_by_default = false;
	char *p = out;
	*p++ = ':';
	if (f & (ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_USER | ATTR_EXCLUDE_HV)) {
		if (!(f & ATTR_EXCLUDE_KERNEL))
			*p++ = 'k';
		if (!(f & ATTR_EXCLUDE_USER))
			*p++ = 'u';
		if (!(f & ATTR_EXCLUDE_HV))
			*p++ = 'h';
		guest_excluded_by_default = true;
	}
	for (unsigned i = 0; i < attr_precise(a); i++)
		*p++ = 'p';
	guest_excluded_by_default |= attr_precise(a) > 0;
	if (f & ATTR_EXCLUDE_HOST || !!(f & ATTR_EXCLUDE_GUEST) == guest_excluded_by_default) {
		if (!(f & ATTR_EXCLUDE_HOST))
			*p++ = 'H';
		if (!(f & ATTR_EXCLUDE_GUEST))
			*p++ = 'G';
	}
	if (p == out + 1)
		p = out;
	*p = '\0';
}

static void cache_name(uint64_t config, char *buf, size_t size)
{
	unsigned what = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;
	if (what >= ARRAY_LEN(cache) || op >= ARRAY_LEN(cache_op) || result > 1)
		snprintf(buf, size, "unknown-ext-hardware-cache-%s",
			 what >= ARRAY_LEN(cache)    ? "type"
			 : op >= ARRAY_LEN(cache_op) ? "op"
						     : "result");
	else
		snprintf(buf, size, "%s-%s", cache[what],
			 result ? cache_op[op].misses : cache_op[op].accesses);
}

static void breakpoint_name(const struct attr *a, char *buf, size_t size)
{
	snprintf(buf, size, "mem:0x%" PRIx64 ":%s%s%s", a->config1,
		 a->bp_type & HW_BREAKPOINT_R ? "r" : "", a->bp_type & HW_BREAKPOINT_W ? "w" : "",
		 a->bp_type & HW_BREAKPOINT_X ? "x" : "");
}

struct str attr_name(const struct attr *a, struct arena *arena)
{
	char base[64] = "", mods[16];
	const char *name = base;
	modifiers(a, mods);
	switch (a->type) {
	case PERF_TYPE_HARDWARE:
		name = attr_hardware_name(a->config);
		name = name ? name : "unknown-hardware";
		break;
	case PERF_TYPE_SOFTWARE:
		name = attr_software_name(a->config);
		name = name ? name : "unknown-software";
		break;
	case PERF_TYPE_TRACEPOINT:
		return STR("unknown tracepoint");
	case PERF_TYPE_HW_CACHE:
		cache_name(a->config, base, sizeof base);
		break;
	case PERF_TYPE_RAW:
		snprintf(base, sizeof base, "raw 0x%" PRIx64, a->config);
		break;
	case PERF_TYPE_BREAKPOINT:
		breakpoint_name(a, base, sizeof base);
		break;
	default:
		return str_of(arena_printf(arena, "unknown attr type: %" PRIu32, a->type));
	}
	return str_of(arena_printf(arena, "%s%s", name, mods));
}
