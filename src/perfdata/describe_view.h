/* Inside of the header's description; only for describe*.c. */
#ifndef KILN_DESCRIBE_VIEW_H
#define KILN_DESCRIBE_VIEW_H

#include "perfdata/describe.h"

/* One feature about to be described. */
struct view {
	struct out *o;
	const struct perfdata *pd;
	const struct perfdata_header *h;
	struct cursor c; /* over the feature's payload */
};

/* u32 length, bytes padded with NULs. */
static inline struct str view_string(struct view *v)
{
	uint32_t n = cursor_u32(&v->c);
	return cursor_text(&v->c, n);
}

/* "# label : text" */
void view_line(struct view *v, const char *label, struct str text);

/* describe_machine.c */
void view_cpu_topology(struct view *v);
void view_numa_topology(struct view *v);
void view_hybrid_topology(struct view *v);
void view_cache(struct view *v);
void view_mem_topology(struct view *v);
void view_cpu_pmu_caps(struct view *v);
void view_pmu_caps(struct view *v);

/* describe_bpf.c */
void view_bpf_prog_info(struct view *v);
void view_bpf_btf(struct view *v);

#endif
