/* Built without libpfm4: there is nothing to open, so nothing else is ever called. */
#include "event/vendor.h"

struct vendor *vendor_open(void)
{
	return NULL;
}

void vendor_close(struct vendor *v)
{
	(void)v;
}

enum vendor_error vendor_encode(struct vendor *v, const char *text, struct vendor_event *out)
{
	(void)v;
	(void)text;
	(void)out;
	return VENDOR_FAILED;
}

void vendor_each_pmu(struct vendor *v, void (*fn)(void *ctx, const struct vendor_pmu *p), void *ctx)
{
	(void)v;
	(void)fn;
	(void)ctx;
}

void vendor_each_event(struct vendor *v, struct str pmu,
		       void (*fn)(void *ctx, const struct vendor_name *n), void *ctx)
{
	(void)v;
	(void)pmu;
	(void)fn;
	(void)ctx;
}

void vendor_each_attribute(struct vendor *v, int id,
			   void (*fn)(void *ctx, const struct vendor_attribute *a), void *ctx)
{
	(void)v;
	(void)id;
	(void)fn;
	(void)ctx;
}
