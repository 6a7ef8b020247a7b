/* Header payloads that describe the machine's shape, from sysfs; layouts as perf writes them. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/out.h"
#include "capture/cpus.h"
#include "capture/features.h"
#include "perfdata/writer.h"

#define CPU_DIR "/sys/devices/system/cpu"
#define NODE_DIR "/sys/devices/system/node"
#define PMU_DIR "/sys/bus/event_source/devices"
#define CACHE_LEVELS 8

static void put_u32(struct out *o, uint32_t v)
{
	out_bytes(o, &v, sizeof v);
}

static void put_u64(struct out *o, uint64_t v)
{
	out_bytes(o, &v, sizeof v);
}

static void put_count_at(struct out *o, size_t at, uint32_t n)
{
	memcpy(o->buf + at, &n, sizeof n);
}

static uint32_t configured_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);
	return n > 0 ? (uint32_t)n : 1;
}

static bool cpu_text(uint32_t cpu, const char *name, char *buf, size_t size)
{
	char path[160];
	snprintf(path, sizeof path, CPU_DIR "/cpu%u/topology/%s", cpu, name);
	return file_read_line(path, buf, size);
}

/* An id that is not there (an offline CPU, another architecture) is all ones, as perf writes it. */
static uint32_t cpu_number(uint32_t cpu, const char *name)
{
	char text[32];
	int64_t v;
	if (!cpu_text(cpu, name, text, sizeof text) || !str_to_i64(str_of(text), &v))
		return UINT32_MAX;
	return (uint32_t)v;
}

/* u32 count, then each different sibling list once. False when there is none. */
static bool put_siblings(struct out *o, const char *name, const char *old_name)
{
	struct strtab seen = {0};
	size_t at = o->n;
	uint32_t n = 0;
	char text[1024];
	put_u32(o, 0);
	for (uint32_t cpu = 0; cpu < configured_cpus(); cpu++) {
		if (!cpu_text(cpu, name, text, sizeof text) &&
		    !(old_name && cpu_text(cpu, old_name, text, sizeof text)))
			continue;
		if (!text[0] || strtab_find(&seen, str_of(text)).v)
			continue;
		(void)strtab_intern(&seen, str_of(text));
		feature_string(o, text);
		n++;
	}
	put_count_at(o, at, n);
	strtab_free(&seen);
	return n > 0;
}

bool topology_cpu(struct out *o)
{
	if (!put_siblings(o, "package_cpus_list", "core_siblings_list") ||
	    !put_siblings(o, "core_cpus_list", "thread_siblings_list"))
		return false;
	for (uint32_t cpu = 0; cpu < configured_cpus(); cpu++) {
		put_u32(o, cpu_number(cpu, "core_id"));
		put_u32(o, cpu_number(cpu, "physical_package_id"));
	}
	/* Dies come behind, in newer files: left out whole where the kernel has none. */
	size_t before = o->n;
	if (!put_siblings(o, "die_cpus_list", NULL)) {
		o->n = before;
		return true;
	}
	for (uint32_t cpu = 0; cpu < configured_cpus(); cpu++)
		put_u32(o, cpu_number(cpu, "die_id"));
	return true;
}

/* "Node 0 MemTotal:   4679900 kB" */
static uint64_t node_memory(struct str text, const char *key)
{
	struct str line;
	uint64_t kb = 0;
	while (str_line(&text, &line)) {
		const char *at = memmem(line.p, line.n, key, strlen(key));
		if (!at)
			continue;
		struct str rest, value = str_skip(line, (size_t)(at - line.p) + strlen(key));
		value = str_split(str_trim(value), ' ', &rest);
		return str_to_u64(value, 10, &kb) ? kb : 0;
	}
	return 0;
}

static bool put_node(struct out *o, uint32_t node)
{
	char path[128], cpus[1024];
	struct str text;
	snprintf(path, sizeof path, NODE_DIR "/node%u/cpulist", node);
	if (!file_read_line(path, cpus, sizeof cpus))
		return false;
	snprintf(path, sizeof path, NODE_DIR "/node%u/meminfo", node);
	if (!file_read(path, 1 << 20, &text, NULL))
		return false;
	put_u32(o, node);
	put_u64(o, node_memory(text, "MemTotal:"));
	put_u64(o, node_memory(text, "MemFree:"));
	feature_string(o, cpus);
	free((void *)text.p);
	return true;
}

bool topology_numa(struct out *o)
{
	char text[1024];
	struct cpu_list nodes = {0}; /* the same notation */
	uint32_t n = 0;
	if (!file_read_line(NODE_DIR "/online", text, sizeof text) ||
	    !cpus_parse(&nodes, str_of(text), NULL)) {
		vec_free(&nodes.v);
		return false;
	}
	put_u32(o, 0);
	for (size_t i = 0; i < nodes.v.n; i++)
		n += put_node(o, nodes.v.v[i]);
	put_count_at(o, 0, n);
	vec_free(&nodes.v);
	return n > 0;
}

bool topology_pmus(struct out *o)
{
	DIR *d = opendir(PMU_DIR);
	uint32_t n = 0;
	if (!d)
		return false;
	put_u32(o, 0);
	for (struct dirent *e; (e = readdir(d));) {
		char path[sizeof PMU_DIR + sizeof e->d_name + 8];
		uint64_t type;
		snprintf(path, sizeof path, PMU_DIR "/%s/type", e->d_name);
		if (e->d_name[0] == '.' || !file_read_u64(path, &type))
			continue;
		put_u32(o, (uint32_t)type);
		feature_string(o, e->d_name);
		n++;
	}
	closedir(d);
	put_count_at(o, 0, n);
	return n > 0;
}

struct cache {
	uint64_t level, line_size, sets, ways;
	char type[32], size[32], cpus[1024];
};

static bool read_cache(uint32_t cpu, unsigned index, struct cache *c)
{
	char path[128];
	const struct {
		const char *name;
		uint64_t *number;
		char *text;
		size_t size;
	} files[] = {
		{"level", &c->level, NULL, 0},
		{"coherency_line_size", &c->line_size, NULL, 0},
		{"number_of_sets", &c->sets, NULL, 0},
		{"ways_of_associativity", &c->ways, NULL, 0},
		{"type", NULL, c->type, sizeof c->type},
		{"size", NULL, c->size, sizeof c->size},
		{"shared_cpu_list", NULL, c->cpus, sizeof c->cpus},
	};
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		snprintf(path, sizeof path, CPU_DIR "/cpu%u/cache/index%u/%s", cpu, index,
			 files[i].name);
		if (files[i].number ? !file_read_u64(path, files[i].number)
				    : !file_read_line(path, files[i].text, files[i].size))
			return false;
	}
	return true;
}

/* u32 version, u32 count, then each cache once: caches shared by CPUs show up at each of them. */
bool topology_cache(struct out *o)
{
	struct strtab seen = {0};
	uint32_t n = 0;
	put_u32(o, 1);
	put_u32(o, 0);
	for (uint32_t cpu = 0; cpu < configured_cpus(); cpu++) {
		for (unsigned i = 0; i < CACHE_LEVELS; i++) {
			struct cache c = {0};
			char key[1200];
			if (!read_cache(cpu, i, &c))
				break;
			snprintf(key, sizeof key, "%" PRIu64 " %s %s", c.level, c.type, c.cpus);
			if (strtab_find(&seen, str_of(key)).v)
				continue;
			(void)strtab_intern(&seen, str_of(key));
			put_u32(o, (uint32_t)c.level);
			put_u32(o, (uint32_t)c.line_size);
			put_u32(o, (uint32_t)c.sets);
			put_u32(o, (uint32_t)c.ways);
			feature_string(o, c.type);
			feature_string(o, c.size);
			feature_string(o, c.cpus);
			n++;
		}
	}
	put_count_at(o, 4, n);
	strtab_free(&seen);
	return n > 0;
}
