#include "event/vendor.h"

#include <dlfcn.h>
#include <perfmon/pfmlib_perf_event.h> /* has perf_event_attr itself, so not beside the kernel's */
#include <stdlib.h>

#include "base/mem.h"

#define LIBRARY "libpfm.so.4"

struct vendor {
	void *library;
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_terminate) *terminate;
	__typeof__(pfm_get_pmu_info) *pmu_info;
	__typeof__(pfm_get_event_next) *event_next;
	__typeof__(pfm_get_event_info) *event_info;
	__typeof__(pfm_get_event_attr_info) *attribute_info;
	__typeof__(pfm_get_os_event_encoding) *encode;
};

static bool load(struct vendor *v)
{
	const struct {
		const char *name;
		void *to;
	} all[] = {
		{"pfm_initialize", &v->initialize},
		{"pfm_terminate", &v->terminate},
		{"pfm_get_pmu_info", &v->pmu_info},
		{"pfm_get_event_next", &v->event_next},
		{"pfm_get_event_info", &v->event_info},
		{"pfm_get_event_attr_info", &v->attribute_info},
		{"pfm_get_os_event_encoding", &v->encode},
	};
	v->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; v->library && i < ARRAY_LEN(all); i++) {
		void *symbol = dlsym(v->library, all[i].name);
		if (!symbol)
			return false;
		memcpy(all[i].to, &symbol, sizeof symbol);
	}
	return v->library;
}

struct vendor *vendor_open(void)
{
	struct vendor *v = mem_zalloc(sizeof *v);
	if (load(v) && v->initialize() == PFM_SUCCESS)
		return v;
	if (v->library)
		dlclose(v->library);
	free(v);
	return NULL;
}

void vendor_close(struct vendor *v)
{
	if (!v)
		return;
	v->terminate();
	dlclose(v->library);
	free(v);
}

static enum vendor_error error_of(int result)
{
	switch (result) {
	case PFM_SUCCESS:
		return VENDOR_OK;
	case PFM_ERR_NOTFOUND:
		return VENDOR_NO_EVENT;
	case PFM_ERR_ATTR:
		return VENDOR_NO_ATTRIBUTE;
	case PFM_ERR_ATTR_VAL:
	case PFM_ERR_ATTR_SET:
		return VENDOR_BAD_VALUE;
	case PFM_ERR_UMASK:
	case PFM_ERR_FEATCOMB:
		return VENDOR_NEEDS_MASK;
	default:
		return VENDOR_FAILED;
	}
}

enum vendor_error vendor_encode(struct vendor *v, const char *text, struct vendor_event *out)
{
	struct perf_event_attr attr = {0};
	pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof arg};
	int result = v->encode(text, PFM_PLM0 | PFM_PLM3 | PFM_PLMH, PFM_OS_PERF_EVENT_EXT, &arg);
	if (result != PFM_SUCCESS)
		return error_of(result);
	attr.size = sizeof attr;
	*out = (struct vendor_event){.cpu = arg.cpu};
	struct cursor c = cursor_of(&attr, sizeof attr, false);
	return attr_decode(&c, &out->attr) ? VENDOR_OK : VENDOR_FAILED;
}

static bool find_pmu(struct vendor *v, pfm_pmu_t id, struct vendor_pmu *out, int *first)
{
	pfm_pmu_info_t info = {.size = sizeof info};
	if (v->pmu_info(id, &info) != PFM_SUCCESS)
		return false;
	*out = (struct vendor_pmu){
		.name = info.name,
		.what = info.desc,
		.here = info.is_present,
		.generic = info.type == PFM_PMU_TYPE_OS_GENERIC,
	};
	*first = info.first_event;
	return true;
}

void vendor_each_pmu(struct vendor *v, void (*fn)(void *ctx, const struct vendor_pmu *p), void *ctx)
{
	for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
		struct vendor_pmu pmu;
		int first;
		if (find_pmu(v, (pfm_pmu_t)i, &pmu, &first))
			fn(ctx, &pmu);
	}
}

void vendor_each_event(struct vendor *v, struct str name,
		       void (*fn)(void *ctx, const struct vendor_name *n), void *ctx)
{
	for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
		struct vendor_pmu pmu;
		int first;
		if (!find_pmu(v, (pfm_pmu_t)i, &pmu, &first) ||
		    (name.p ? !str_is(name, pmu.name) : !pmu.here))
			continue;
		for (int e = first; e != -1; e = v->event_next(e)) {
			pfm_event_info_t info = {.size = sizeof info};
			if (v->event_info(e, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS)
				continue;
			fn(ctx, &(struct vendor_name){
					.pmu = &pmu,
					.event = info.name,
					.what = info.desc,
					.equal = info.equiv,
					.code = info.code,
					.id = e,
				});
		}
	}
}

void vendor_each_attribute(struct vendor *v, int id,
			   void (*fn)(void *ctx, const struct vendor_attribute *a), void *ctx)
{
	pfm_event_info_t event = {.size = sizeof event};
	if (v->event_info(id, PFM_OS_PERF_EVENT_EXT, &event) != PFM_SUCCESS)
		return;
	for (int i = 0; i < event.nattrs; i++) {
		pfm_event_attr_info_t info = {.size = sizeof info};
		if (v->attribute_info(id, i, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS)
			continue;
		fn(ctx, &(struct vendor_attribute){
				.name = info.name,
				.what = info.desc,
				.mask = info.type == PFM_ATTR_UMASK,
				.value = info.type == PFM_ATTR_MOD_INTEGER,
				.code = info.code,
			});
	}
}
