#include "ingest/trace_text.h"

static bool name_address(void *ctx, uint64_t addr, struct str *name, uint64_t *start)
{
	return ingest_kernel_symbol(ctx, addr, name, start);
}

bool trace_text_open(struct ingest *in, struct tracefmt **out, struct diags *d, struct err *err)
{
	struct perfdata *pd = ingest_perfdata(in);
	struct str data = perfdata_header(pd)->tracing_data;
	bool wanted = false;
	*out = NULL;
	for (size_t i = 0; i < perfdata_event_count(pd); i++)
		wanted |= perfdata_event(pd, i)->attr.type == PERF_TYPE_TRACEPOINT;
	if (!wanted)
		return true;
	if (!data.n) {
		diag_add(d, DIAG_NOTE, 1,
			 "the file holds no tracepoint formats, so their fields cannot be shown");
		return true;
	}
	*out = tracefmt_new(data, d, err);
	if (!*out)
		return false;
	ingest_load_kernel(in);
	tracefmt_set_resolver(*out, name_address, in);
	return true;
}
