#include "capture/thread_masks.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>

#include "base/file.h"

#define NODES "/sys/devices/system/node"

void thread_masks_free(struct thread_masks *m)
{
	for (size_t i = 0; i < m->v.n; i++) {
		vec_free(&m->v.v[i].cpus.v);
		vec_free(&m->v.v[i].affinity.v);
	}
	vec_free(&m->v);
}

size_t thread_masks_of(const struct thread_masks *m, uint32_t cpu)
{
	size_t i = 0;
	while (i < m->v.n && !cpus_has(&m->v.v[i].cpus, cpu))
		i++;
	return i;
}

static void keep_online(struct cpu_list *list, const struct cpu_list *online)
{
	size_t n = 0;
	for (size_t i = 0; i < list->v.n; i++)
		if (cpus_has(online, list->v.v[i]))
			list->v.v[n++] = list->v.v[i];
	list->v.n = n;
}

static bool read_list(struct cpu_list *out, const char *path)
{
	char text[4096];
	return file_read_line(path, text, sizeof text) && cpus_parse(out, str_of(text), NULL);
}

/* The node's number, from the link in the CPU's directory. */
static bool node_of(uint32_t cpu, unsigned *node)
{
	char path[64];
	bool found = false;
	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u", cpu);
	DIR *d = opendir(path);
	if (!d)
		return false;
	for (struct dirent *e; !found && (e = readdir(d));)
		found = sscanf(e->d_name, "node%u", node) == 1;
	closedir(d);
	return found;
}

void cpus_of_node(struct cpu_list *out, uint32_t cpu)
{
	char path[64];
	unsigned node;
	if (node_of(cpu, &node)) {
		snprintf(path, sizeof path, NODES "/node%u/cpulist", node);
		if (read_list(out, path) && cpus_has(out, cpu))
			return;
	}
	vec_clear(&out->v);
	vec_push(&out->v, cpu);
}

/* The CPUs that share something with this one, by the first of the files that exists. */
static void read_siblings(struct cpu_list *out, uint32_t cpu, const char *const files[2])
{
	char path[128];
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/%s", cpu,
			 files[i]);
		if (read_list(out, path) && cpus_has(out, cpu))
			return;
		vec_clear(&out->v);
	}
	vec_push(&out->v, cpu);
}

static void copy_list(struct cpu_list *to, const struct cpu_list *from)
{
	vec_append(&to->v, from->v.v, from->v.n);
}

enum layout { LAYOUT_CPU, LAYOUT_CORE, LAYOUT_PACKAGE, LAYOUT_NUMA };

static void make_layout(struct thread_masks *m, enum layout layout, const struct cpu_list *online)
{
	static const char *const core[] = {"core_cpus_list", "thread_siblings_list"};
	static const char *const package[] = {"package_cpus_list", "core_siblings_list"};
	for (size_t i = 0; i < online->v.n; i++) {
		uint32_t cpu = online->v.v[i];
		struct thread_mask mask = {0};
		if (thread_masks_of(m, cpu) < m->v.n)
			continue;
		if (layout == LAYOUT_CPU)
			vec_push(&mask.cpus.v, cpu);
		else if (layout == LAYOUT_NUMA)
			cpus_of_node(&mask.cpus, cpu);
		else
			read_siblings(&mask.cpus, cpu, layout == LAYOUT_CORE ? core : package);
		keep_online(&mask.cpus, online);
		copy_list(&mask.affinity, &mask.cpus);
		vec_push(&m->v, mask);
	}
}

static bool parse_list(struct cpu_list *out, struct str text, const char *spec,
		       const struct cpu_list *online, struct err *err)
{
	if (!cpus_parse(out, text, err)) {
		err_wrap(err, "--threads %s", spec);
		return err_hint(err, "cpu, core, package, numa, or CPUS/AFFINITY:… as "
				     "0,2-3/2-3:1,4-5/4-5");
	}
	keep_online(out, online);
	return out->v.n || err_set(err, ERR_USAGE, "--threads %s: of the CPUs %.*s none is online",
				   spec, (int)text.n, text.p);
}

static bool overlap(const struct cpu_list *a, const struct cpu_list *b, uint32_t *cpu)
{
	for (size_t i = 0; i < a->v.n; i++)
		if (cpus_has(b, a->v.v[i])) {
			*cpu = a->v.v[i];
			return true;
		}
	return false;
}

static bool check_overlaps(const struct thread_masks *m, const struct thread_mask *new,
			   const char *spec, struct err *err)
{
	uint32_t cpu;
	for (size_t i = 0; i < m->v.n; i++) {
		if (overlap(&m->v.v[i].cpus, &new->cpus, &cpu))
			return err_set(err, ERR_USAGE,
				       "--threads %s: two threads would read CPU %u", spec, cpu);
		if (overlap(&m->v.v[i].affinity, &new->affinity, &cpu))
			return err_set(err, ERR_USAGE,
				       "--threads %s: two threads would run on CPU %u", spec, cpu);
	}
	return true;
}

static bool parse_masks(struct thread_masks *m, const char *spec, const struct cpu_list *online,
			struct err *err)
{
	for (struct str rest = str_of(spec); rest.p;) {
		struct str affinity, pair = str_split(rest, ':', &rest);
		struct str cpus = str_split(pair, '/', &affinity);
		struct thread_mask mask = {0};
		bool ok = parse_list(&mask.cpus, cpus, spec, online, err) &&
			  parse_list(&mask.affinity, affinity, spec, online, err) &&
			  check_overlaps(m, &mask, spec, err);
		vec_push(&m->v, mask);
		if (!ok)
			return false;
	}
	return true;
}

bool thread_masks_make(struct thread_masks *m, const char *spec, const struct cpu_list *online,
		       struct err *err)
{
	static const char *const layouts[] = {
		[LAYOUT_CPU] = "cpu",
		[LAYOUT_CORE] = "core",
		[LAYOUT_PACKAGE] = "package",
		[LAYOUT_NUMA] = "numa",
	};
	for (size_t i = 0; i < ARRAY_LEN(layouts); i++)
		if (!strcmp(*spec ? spec : "cpu", layouts[i])) {
			make_layout(m, (enum layout)i, online);
			return true;
		}
	return parse_masks(m, spec, online, err);
}

void cpus_run_on(const struct cpu_list *cpus)
{
	size_t count = cpus->v.n ? vec_last(&cpus->v) + (size_t)1 : 0;
	cpu_set_t *set = count ? CPU_ALLOC(count) : NULL;
	size_t size = CPU_ALLOC_SIZE(count);
	if (!set)
		return;
	CPU_ZERO_S(size, set);
	for (size_t i = 0; i < cpus->v.n; i++)
		CPU_SET_S(cpus->v.v[i], size, set);
	(void)sched_setaffinity(0, size, set);
	CPU_FREE(set);
}
