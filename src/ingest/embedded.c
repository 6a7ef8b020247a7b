#include "ingest/embedded.h"

#include "perfdata/embedded.h"

static const enum object_kind kinds[] = {
	[EMBEDDED_FILE] = OBJECT_FILE,
	[EMBEDDED_KERNEL] = OBJECT_KERNEL,
	[EMBEDDED_VDSO] = OBJECT_VDSO,
	[EMBEDDED_PERF_MAP] = OBJECT_ANON,
};

void ingest_embedded(const struct perfdata *pd, struct resolver *r, struct diags *d)
{
	for (size_t i = 0; i < perfdata_embedded_count(pd); i++) {
		struct cursor c = perfdata_embedded(pd, i);
		struct embedded_object o;
		struct embedded_symbol s;
		bool whole = embedded_object(&c, &o);
		if (whole && o.kind > EMBEDDED_PERF_MAP)
			continue; /* see jit.h */
		if (!whole) {
			diag_add(d, DIAG_BAD_RECORD, 1,
				 "symbols inside the recording are damaged or of a newer kind, "
				 "skipped");
			continue;
		}
		struct embedded_key key = {.kind = kinds[o.kind],
					   .path = o.path,
					   .pid = o.pid,
					   .build_id = o.build_id,
					   .gone = o.flags & EMBEDDED_GONE};
		struct embedded_table *t = resolver_embed(r, &key);
		while (embedded_symbol(&c, &s))
			resolver_embed_symbol(t, &(struct symbol){.start = s.start,
								  .end = s.end,
								  .name = s.name.p,
								  .binding = s.binding,
								  .type = s.type});
	}
	resolver_embed_end(r);
}
