/* What the feature sections hold; a section that does not parse is left out and said. */
#include "perfdata/reader.h"

/* u32 length, bytes padded with NULs. */
static struct str take_string(struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	return cursor_text(c, n);
}

static const char *keep_string(struct perfdata *pd, struct cursor *c)
{
	struct str s = take_string(c);
	return c->bad ? NULL : arena_str(&pd->arena, s).p;
}

static void decode_cmdline(struct perfdata *pd, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	if (n > cursor_left(c) / 4) {
		cursor_fail(c);
		return;
	}
	const char **argv = arena_alloc(&pd->arena, n * sizeof *argv + 1);
	for (uint32_t i = 0; i < n; i++)
		argv[i] = keep_string(pd, c);
	if (c->bad)
		return;
	pd->header.cmdline = argv;
	pd->header.cmdline_count = n;
}

/* Names of the events, in their order. */
static void decode_event_desc(struct perfdata *pd, struct cursor *c)
{
	uint32_t n = cursor_u32(c), attr_size = cursor_u32(c);
	for (uint32_t i = 0; i < n && !c->bad; i++) {
		cursor_skip(c, attr_size);
		uint32_t ids = cursor_u32(c);
		struct str name = take_string(c);
		cursor_skip(c, (size_t)ids * 8);
		if (!c->bad && i < pd->events.n && !pd->events.v[i].name.n)
			pd->events.v[i].name = arena_str(&pd->arena, name);
	}
}

static void decode_group_desc(struct perfdata *pd, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	for (uint32_t i = 0; i < n && !c->bad; i++) {
		struct str name = take_string(c);
		uint32_t leader = cursor_u32(c), members = cursor_u32(c);
		if (c->bad)
			return;
		if (leader >= pd->events.n || members > pd->events.n - leader || !members ||
		    pd->events.v[leader].members > 1) {
			cursor_fail(c);
			return;
		}
		struct perfdata_event *ev = &pd->events.v[leader];
		ev->members = members;
		/* perf's word for a group nobody named. */
		if (!str_is(name, "{anon_group}"))
			ev->group_name = arena_str(&pd->arena, name);
		for (uint32_t k = 1; k < members; k++)
			ev[k].leader = leader;
	}
}

static void decode_pmu_mappings(struct perfdata *pd, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	if (n > cursor_left(c) / 8) {
		cursor_fail(c);
		return;
	}
	struct pmu_name *pmus = arena_alloc(&pd->arena, n * sizeof *pmus + 1);
	for (uint32_t i = 0; i < n; i++) {
		pmus[i].type = cursor_u32(c);
		pmus[i].name = take_string(c);
	}
	if (c->bad)
		return;
	pd->pmus = pmus;
	pd->pmu_count = n;
}

static void decode_build_ids(struct perfdata *pd, struct cursor *c)
{
	while (cursor_left(c) >= 8) {
		/* Old writers left the type 0. */
		struct record r = record_view(c->p, pd->swap, 0);
		struct rec_build_id id;
		if (r.size < 8 || r.size > cursor_left(c) || !record_build_id(&r, &id)) {
			cursor_fail(c);
			return;
		}
		vec_push(&pd->build_ids, id);
		cursor_skip(c, r.size);
	}
}

static void decode_compressed(struct perfdata *pd, struct cursor *c)
{
	struct perfdata_header *h = &pd->header;
	h->comp_version = cursor_u32(c);
	h->comp_type = cursor_u32(c);
	h->comp_level = cursor_u32(c);
	h->comp_ratio = cursor_u32(c);
	h->comp_mmap_len = cursor_u32(c);
	h->compressed = true;
}

static void decode_nrcpus(struct perfdata *pd, struct cursor *c)
{
	pd->header.cpus_available = cursor_u32(c);
	pd->header.cpus_online = cursor_u32(c);
}

static void decode_sample_time(struct perfdata *pd, struct cursor *c)
{
	pd->header.first_sample_time = cursor_u64(c);
	pd->header.last_sample_time = cursor_u64(c);
}

static void decode_one(struct perfdata *pd, unsigned feature, struct cursor *c)
{
	struct perfdata_header *h = &pd->header;
	switch (feature) {
	case FEAT_TRACING_DATA:
		h->tracing_data = pd->features[feature];
		break;
	case FEAT_BUILD_ID:
		decode_build_ids(pd, c);
		break;
	case FEAT_HOSTNAME:
		h->hostname = keep_string(pd, c);
		break;
	case FEAT_OSRELEASE:
		h->os_release = keep_string(pd, c);
		break;
	case FEAT_VERSION:
		h->version = keep_string(pd, c);
		break;
	case FEAT_ARCH:
		h->arch = keep_string(pd, c);
		break;
	case FEAT_NRCPUS:
		decode_nrcpus(pd, c);
		break;
	case FEAT_CPUDESC:
		h->cpu_desc = keep_string(pd, c);
		break;
	case FEAT_CPUID:
		h->cpu_id = keep_string(pd, c);
		break;
	case FEAT_TOTAL_MEM:
		h->total_mem_kb = cursor_u64(c);
		break;
	case FEAT_CMDLINE:
		decode_cmdline(pd, c);
		break;
	case FEAT_EVENT_DESC:
		decode_event_desc(pd, c);
		break;
	case FEAT_PMU_MAPPINGS:
		decode_pmu_mappings(pd, c);
		break;
	case FEAT_GROUP_DESC:
		decode_group_desc(pd, c);
		break;
	case FEAT_SAMPLE_TIME:
		decode_sample_time(pd, c);
		break;
	case FEAT_CLOCKID:
		h->clockid_resolution = cursor_u64(c);
		break;
	case FEAT_COMPRESSED:
		decode_compressed(pd, c);
		break;
	default:
		break;
	}
}

void features_decode(struct perfdata *pd)
{
	for (unsigned i = 0; i < ARRAY_LEN(pd->features); i++) {
		if (!pd->features[i].p)
			continue;
		struct cursor c = cursor_of(pd->features[i].p, pd->features[i].n, pd->swap);
		decode_one(pd, i, &c);
		if (c.bad)
			diag_add(pd->diags, DIAG_BAD_FEATURE, 1,
				 "%s: header feature %u does not hold what it should", pd->name, i);
	}
}
