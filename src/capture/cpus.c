#include "capture/cpus.h"

#include <stdlib.h>

#include "base/file.h"

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static bool parse_range(struct str range, uint64_t *first, uint64_t *last)
{
	struct str end;
	struct str begin = str_split(range, '-', &end);
	if (!str_to_u64(begin, 10, first))
		return false;
	*last = *first;
	if (end.p && !str_to_u64(end, 10, last))
		return false;
	return *first <= *last && *last < CPU_LIMIT;
}

static void sort_once(struct cpu_list *list)
{
	size_t n = 0;
	qsort(list->v.v, list->v.n, sizeof list->v.v[0], by_number);
	for (size_t i = 0; i < list->v.n; i++)
		if (!n || list->v.v[n - 1] != list->v.v[i])
			list->v.v[n++] = list->v.v[i];
	list->v.n = n;
}

bool cpus_parse(struct cpu_list *list, struct str text, struct err *err)
{
	struct str rest = str_trim(text);
	do {
		uint64_t first, last;
		struct str range = str_split(rest, ',', &rest);
		if (!parse_range(range, &first, &last))
			return err_set(err, ERR_USAGE,
				       "\"%.*s\" is no list of CPUs (as 0-3,8 would be)",
				       (int)MIN(text.n, 100), text.p);
		for (uint64_t cpu = first; cpu <= last; cpu++)
			vec_push(&list->v, (uint32_t)cpu);
		sort_once(list);
	} while (rest.p);
	return true;
}

/* "cpuN ..." is a line of each CPU that is online. */
static void cpus_from_stat(struct cpu_list *list)
{
	struct str text, rest, line;
	if (!file_read("/proc/stat", 16 << 20, &text, NULL))
		return;
	rest = text;
	while (str_line(&rest, &line)) {
		uint64_t cpu;
		struct str values, name = str_split(line, ' ', &values);
		if (str_starts(name, "cpu") && str_to_u64(str_skip(name, 3), 10, &cpu) &&
		    cpu < CPU_LIMIT)
			vec_push(&list->v, (uint32_t)cpu);
	}
	sort_once(list);
	free((void *)text.p);
}

bool cpus_online(struct cpu_list *list, struct err *err)
{
	char text[4096];
	if (file_read_line(ONLINE_FILE, text, sizeof text))
		return cpus_parse(list, str_of(text), err);
	/* A container may be without sysfs. */
	cpus_from_stat(list);
	if (list->v.n)
		return true;
	err_set(err, ERR_SYSTEM, "which CPUs are online cannot be read, from %s or /proc/stat",
		ONLINE_FILE);
	return err_hint(err, "sysfs must be mounted: mount -t sysfs sysfs /sys");
}

bool cpus_has(const struct cpu_list *list, uint32_t cpu)
{
	return list->v.n &&
	       bsearch(&cpu, list->v.v, list->v.n, sizeof list->v.v[0], by_number) != NULL;
}
