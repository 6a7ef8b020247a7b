#include "capture/available.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/cpus.h"
#include "capture/perf_event.h"
#include "event/event.h"

/* Whether the CPUs have counters at all: their PMU is "cpu", or on hybrid and ARM machines one of
 * several with such a beginning. */
static bool has_counters(void)
{
	static const char *const begins[] = {"cpu", "armv", "arm_", "apple_"};
	DIR *d = opendir(EVENT_DEVICES);
	bool found = false;
	for (struct dirent *e; d && !found && (e = readdir(d));)
		for (size_t i = 0; i < ARRAY_LEN(begins); i++)
			found |= !strncmp(e->d_name, begins[i], strlen(begins[i]));
	if (d)
		closedir(d);
	return found;
}

static int try_open(const struct attr *attr, int32_t tid, int32_t cpu)
{
	CLEANUP(close_fd) int fd = perf_event_open(attr, tid, cpu, -1);
	return fd >= 0 ? 0 : errno;
}

static int32_t first_cpu(const char *cpus)
{
	struct cpu_list list = {0};
	int32_t cpu = 0;
	if (cpus && cpus_parse(&list, str_of(cpus), NULL) && list.v.n)
		cpu = (int32_t)list.v.v[0];
	vec_free(&list.v);
	return cpu;
}

static void explain(const struct attr *attr, struct available *out)
{
	char level[16] = "unknown";
	bool hardware = attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
			attr->type == PERF_TYPE_RAW;
	switch (out->error) {
	case EACCES:
	case EPERM:
		(void)!file_read_line(PARANOID_FILE, level, sizeof level);
		snprintf(out->why, sizeof out->why,
			 geteuid() ? "kernel.perf_event_paranoid is %s"
				   : "the kernel refuses it, to root too",
			 level);
		break;
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
		snprintf(out->why, sizeof out->why, "%s",
			 !hardware        ? "the kernel does not have it"
			 : has_counters() ? "the CPU does not have it"
					  : "no hardware counters");
		break;
	case ENOSYS:
		snprintf(out->why, sizeof out->why, "a kernel without perf events");
		break;
	default:
		snprintf(out->why, sizeof out->why, "%s", strerror(out->error));
	}
}

void available_try(const struct attr *attr, const char *cpus, struct available *out)
{
	struct attr a = *attr;
	a.flags = (a.flags | ATTR_DISABLED) & ~(uint64_t)ATTR_EXCLUDE_GUEST;
	*out = (struct available){0};
	out->error = try_open(&a, 0, -1);
	if (out->error == EINVAL)
		out->error = try_open(&a, -1, first_cpu(cpus));
	if (out->error == EACCES || out->error == EPERM) {
		a.flags |= ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
		out->user_only = try_open(&a, 0, -1) == 0;
	}
	out->yes = !out->error || out->user_only;
	if (out->error)
		explain(attr, out);
}
