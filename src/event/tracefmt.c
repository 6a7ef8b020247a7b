#include "event/tracefmt.h"

struct tracefmt *tracefmt_new(struct str tracing_data, struct diags *d, struct err *err)
{
	(void)tracing_data;
	(void)d;
	err_set(err, ERR_UNSUPPORTED, "tracepoint formats cannot be read yet");
	return NULL;
}

void tracefmt_free(struct tracefmt *t)
{
	(void)t;
}

bool tracefmt_print(struct tracefmt *t, struct out *o, const void *raw, size_t size)
{
	(void)t;
	(void)o;
	(void)raw;
	(void)size;
	return false;
}

struct str tracefmt_name(const struct tracefmt *t, uint64_t id)
{
	(void)t;
	(void)id;
	return STR("");
}
