#include "event/pmu.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/file.h"

#define TEXT_MAX 4096 /* a sysfs file is one page */

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* What is in a directory, hidden entries left out, sorted. */
static void list_dir(struct arena *a, const char *path, struct pmu_names *out)
{
	DIR *d = opendir(path);
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));)
		if (e->d_name[0] != '.')
			vec_push(&out->v, arena_str(a, str_of(e->d_name)));
	closedir(d);
	if (out->v.n)
		qsort(out->v.v, out->v.n, sizeof out->v.v[0], by_text);
}

/* A name from the command line that is to be a file's: nothing that leads elsewhere. */
static bool is_file_name(struct str s)
{
	return s.n && s.n < 256 && s.p[0] != '.' && !memchr(s.p, '/', s.n) &&
	       !memchr(s.p, '\0', s.n);
}

static bool read_text(struct arena *a, const char *path, struct str *out)
{
	char buf[TEXT_MAX];
	if (!file_read_line(path, buf, sizeof buf))
		return false;
	*out = str_trim(arena_str(a, str_of(buf)));
	return true;
}

void pmu_names(struct arena *a, const char *devices, struct pmu_names *out)
{
	list_dir(a, devices, out);
}

bool pmu_open(struct pmu *pmu, struct arena *a, const char *devices, struct str name)
{
	uint64_t type;
	if (!is_file_name(name))
		return false;
	*pmu = (struct pmu){.name = arena_str(a, name)};
	pmu->dir = arena_printf(a, "%s/%s", devices, pmu->name.p);
	if (!file_read_u64(arena_printf(a, "%s/type", pmu->dir), &type) || type > UINT32_MAX)
		return false;
	pmu->type = (uint32_t)type;
	pmu->core = str_is(name, "cpu");
	/* cpumask: of uncore PMUs; cpus: of the kinds of cores of a hybrid machine. */
	static const char *const files[] = {"cpumask", "cpus"};
	for (size_t i = 0; i < ARRAY_LEN(files) && !pmu->cpus; i++) {
		struct str cpus;
		if (read_text(a, arena_printf(a, "%s/%s", pmu->dir, files[i]), &cpus) && cpus.n)
			pmu->cpus = arena_str(a, cpus).p;
		pmu->core |= pmu->cpus && !strcmp(files[i], "cpus");
	}
	return true;
}

bool pmu_matches(struct str name, struct str pattern)
{
	char want[300], have[300];
	if (str_starts(name, "uncore_") && !str_starts(pattern, "uncore_"))
		name = str_skip(name, strlen("uncore_"));
	if (name.n >= sizeof have || pattern.n >= sizeof want)
		return false;
	snprintf(want, sizeof want, "%.*s", (int)pattern.n, pattern.p);
	snprintf(have, sizeof have, "%.*s", (int)name.n, name.p);
	if (strpbrk(want, "*?["))
		return fnmatch(want, have, 0) == 0;
	if (!str_starts(name, want))
		return false;
	struct str rest = str_skip(name, pattern.n);
	if (rest.n && rest.p[0] == '_')
		rest = str_skip(rest, 1);
	for (size_t i = 0; i < rest.n; i++)
		if (rest.p[i] < '0' || rest.p[i] > '9')
			return false;
	return true;
}

void pmu_fields(const struct pmu *pmu, struct arena *a, struct pmu_names *out)
{
	list_dir(a, arena_printf(a, "%s/format", pmu->dir), out);
}

static bool is_helper(struct str s)
{
	return str_ends(s, ".scale") || str_ends(s, ".unit") || str_ends(s, ".per-pkg") ||
	       str_ends(s, ".snapshot");
}

void pmu_events(const struct pmu *pmu, struct arena *a, struct pmu_names *out)
{
	size_t n = 0;
	list_dir(a, arena_printf(a, "%s/events", pmu->dir), out);
	for (size_t i = 0; i < out->v.n; i++)
		if (!is_helper(out->v.v[i]))
			out->v.v[n++] = out->v.v[i];
	out->v.n = n;
}

bool pmu_field_place(const struct pmu *pmu, struct arena *a, struct str field, struct str *place)
{
	return is_file_name(field) &&
	       read_text(a, arena_printf(a, "%s/format/%.*s", pmu->dir, (int)field.n, field.p),
			 place);
}

/* "0-7" or "12": first and last bit. */
static bool parse_bits(struct str s, uint64_t *from, uint64_t *to)
{
	struct str last;
	struct str first = str_split(s, '-', &last);
	if (!str_to_u64(first, 10, from) || *from > 63)
		return false;
	*to = *from;
	return !last.p || (str_to_u64(last, 10, to) && *to < 64 && *to >= *from);
}

bool pmu_place_value(struct str place, struct attr *attr, uint64_t value, uint64_t *max)
{
	struct str bits;
	struct str word = str_split(place, ':', &bits);
	uint64_t *config = str_is(word, "config")    ? &attr->config
			   : str_is(word, "config1") ? &attr->config1
			   : str_is(word, "config2") ? &attr->config2
			   : str_is(word, "config3") ? &attr->config3
						     : NULL;
	uint64_t mask = 0, put = 0, from, to;
	unsigned used = 0;
	*max = UINT64_MAX;
	if (!config || !bits.p)
		return false;
	/* Ranges hold the value's bits from the lowest up. */
	while (bits.p) {
		if (!parse_bits(str_trim(str_split(bits, ',', &bits)), &from, &to))
			return false;
		for (uint64_t b = from; b <= to; b++) {
			mask |= (uint64_t)1 << b;
			if (used < 64 && value >> used & 1)
				put |= (uint64_t)1 << b;
			used++;
		}
	}
	*max = used < 64 ? ((uint64_t)1 << used) - 1 : UINT64_MAX;
	if (value > *max)
		return false;
	*config = (*config & ~mask) | put;
	return true;
}

/* The kernel's spelling of an event's name. */
static bool find_name(const struct pmu *pmu, struct arena *a, struct str name, struct str *out)
{
	struct pmu_names all = {0};
	bool found = false;
	pmu_events(pmu, a, &all);
	for (size_t i = 0; i < all.v.n && !found; i++) {
		found = all.v.v[i].n == name.n && !strncasecmp(all.v.v[i].p, name.p, name.n);
		if (found)
			*out = all.v.v[i];
	}
	vec_free(&all.v);
	return found;
}

bool pmu_event_find(const struct pmu *pmu, struct arena *a, struct str name, struct pmu_event *out)
{
	struct str text;
	*out = (struct pmu_event){.scale = 1};
	if (!is_file_name(name) || !find_name(pmu, a, name, &out->name))
		return false;
	const char *path = arena_printf(a, "%s/events/%s", pmu->dir, out->name.p);
	if (!read_text(a, path, &out->terms))
		return false;
	if (read_text(a, arena_printf(a, "%s.unit", path), &text) && text.n)
		out->unit = arena_str(a, text).p;
	if (read_text(a, arena_printf(a, "%s.scale", path), &text) && text.n)
		out->scale = strtod(arena_str(a, text).p, NULL);
	return true;
}
