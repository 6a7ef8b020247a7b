#include "capture/features.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/out.h"
#include "perfdata/writer.h"

/* Value of the first "key : value" line of a /proc file; empty when not there. */
static struct str proc_value(struct str text, const char *key)
{
	struct str line;
	while (str_line(&text, &line)) {
		struct str value;
		struct str name = str_trim(str_split(line, ':', &value));
		if (value.p && str_is(name, key))
			return str_trim(value);
	}
	return STR("");
}

static bool write_text(struct perfdata_writer *w, unsigned feature, struct str text,
		       struct err *err)
{
	char buf[512];
	struct out o;
	if (!text.n)
		return true;
	snprintf(buf, sizeof buf, "%.*s", (int)text.n, text.p);
	out_memory(&o);
	feature_string(&o, buf);
	bool ok = perfdata_writer_feature(w, feature, o.buf, o.n, err);
	(void)out_finish(&o);
	return ok;
}

static bool write_payload(struct perfdata_writer *w, unsigned feature, bool (*build)(struct out *o),
			  struct err *err)
{
	struct out o;
	out_memory(&o);
	bool ok = !build(&o) || perfdata_writer_feature(w, feature, o.buf, o.n, err);
	(void)out_finish(&o);
	return ok;
}

static bool write_cpu(struct perfdata_writer *w, struct err *err)
{
	struct str text;
	char id[256];
	if (!file_read("/proc/cpuinfo", 16 << 20, &text, NULL))
		return true;
	struct str vendor = proc_value(text, "vendor_id"), family = proc_value(text, "cpu family"),
		   model = proc_value(text, "model"), stepping = proc_value(text, "stepping"),
		   name = proc_value(text, "model name");
	if (vendor.n)
		snprintf(id, sizeof id, "%.*s,%.*s,%.*s,%.*s", (int)vendor.n, vendor.p,
			 (int)family.n, family.p, (int)model.n, model.p, (int)stepping.n,
			 stepping.p);
	else if (!file_read_line("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", id,
				 sizeof id))
		id[0] = '\0';
	bool ok = write_text(w, FEAT_CPUDESC, name, err) &&
		  write_text(w, FEAT_CPUID, str_of(id), err);
	free((void *)text.p);
	return ok;
}

static bool write_memory(struct perfdata_writer *w, struct err *err)
{
	struct str text, unit;
	uint64_t kb;
	if (!file_read("/proc/meminfo", 1 << 20, &text, NULL))
		return true;
	bool known = str_to_u64(str_split(proc_value(text, "MemTotal"), ' ', &unit), 10, &kb);
	free((void *)text.p);
	return !known || perfdata_writer_feature(w, FEAT_TOTAL_MEM, &kb, sizeof kb, err);
}

static bool write_names(struct perfdata_writer *w, const char *version, struct err *err)
{
	struct utsname u;
	if (uname(&u) != 0)
		return true;
	return write_text(w, FEAT_HOSTNAME, str_of(u.nodename), err) &&
	       write_text(w, FEAT_OSRELEASE, str_of(u.release), err) &&
	       write_text(w, FEAT_VERSION, str_of(version), err) &&
	       write_text(w, FEAT_ARCH, str_of(u.machine), err);
}

static bool write_cmdline(struct perfdata_writer *w, const struct capture_plan *plan,
			  struct err *err)
{
	struct out o;
	out_memory(&o);
	feature_cmdline(&o, plan->cmdline, plan->cmdline_count);
	bool ok = perfdata_writer_feature(w, FEAT_CMDLINE, o.buf, o.n, err);
	(void)out_finish(&o);
	return ok;
}

static uint64_t now(clockid_t clock)
{
	struct timespec t = {0};
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The clock's resolution, and its time beside the time of day. */
static bool write_clock(struct perfdata_writer *w, const struct capture_plan *plan, struct err *err)
{
	struct timespec t = {0};
	struct {
		uint32_t version, clock;
		uint64_t day, ns;
	} data = {.version = 1, .clock = (uint32_t)plan->clock};
	if (!plan->use_clock)
		return true;
	clock_getres(plan->clock, &t);
	uint64_t resolution = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	data.day = now(CLOCK_REALTIME);
	data.ns = now(plan->clock);
	return perfdata_writer_feature(w, FEAT_CLOCKID, &resolution, sizeof resolution, err) &&
	       perfdata_writer_feature(w, FEAT_CLOCK_DATA, &data, sizeof data, err);
}

bool features_write(struct perfdata_writer *w, const struct capture_plan *plan, struct err *err)
{
	uint32_t cpus[2] = {(uint32_t)sysconf(_SC_NPROCESSORS_CONF),
			    (uint32_t)sysconf(_SC_NPROCESSORS_ONLN)};
	return write_names(w, plan->version, err) &&
	       perfdata_writer_feature(w, FEAT_NRCPUS, cpus, sizeof cpus, err) &&
	       write_cpu(w, err) && write_clock(w, plan, err) && write_memory(w, err) &&
	       write_cmdline(w, plan, err) &&
	       write_payload(w, FEAT_CPU_TOPOLOGY, topology_cpu, err) &&
	       write_payload(w, FEAT_NUMA_TOPOLOGY, topology_numa, err) &&
	       write_payload(w, FEAT_PMU_MAPPINGS, topology_pmus, err) &&
	       write_payload(w, FEAT_CACHE, topology_cache, err);
}
