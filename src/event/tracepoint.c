#include "event/tracepoint.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "event/nearest.h"

struct names {
	VEC(struct str) v;
};

void tracepoint_list_free(struct tracepoint_list *list)
{
	vec_free(&list->items);
	arena_free(&list->arena);
}

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* The sub-directories of a directory, sorted. errno on failure. */
static bool list_dirs(struct arena *a, const char *path, struct names *out)
{
	DIR *d = opendir(path);
	if (!d)
		return false;
	for (struct dirent *e; (e = readdir(d));)
		if (e->d_name[0] != '.' && e->d_type == DT_DIR)
			vec_push(&out->v, arena_str(a, str_of(e->d_name)));
	closedir(d);
	if (out->v.n)
		qsort(out->v.v, out->v.n, sizeof out->v.v[0], by_text);
	return true;
}

static bool is_glob(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (strchr("*?[", s.p[i]))
			return true;
	return false;
}

static bool fail_access(const char *tracefs, struct str what, int error, struct err *err)
{
	if (error == EACCES || error == EPERM) {
		err_sys(err, error, "tracepoint %.*s: %s may not be read", (int)what.n, what.p,
			tracefs);
		return err_hint(err,
				"run as root, or let everybody read the formats: sudo mount -o "
				"remount,mode=755 %s",
				tracefs);
	}
	return err_sys(err, error, "tracepoint %.*s: cannot read %s/events", (int)what.n, what.p,
		       tracefs);
}

static bool fail_unknown(const char *kind, const char *full, const struct names *known,
			 struct str part, const char *prefix, struct arena *a, struct err *err)
{
	struct nearest ne = {.arena = a, .want = part};
	for (size_t i = 0; i < known->v.n; i++)
		nearest_add(&ne, known->v.v[i]);
	err_set(err, ERR_USAGE, "there is no %s", full);
	const char *near = nearest_text(&ne);
	if (near)
		return err_hint(err, "the nearest %s%s: %s", kind, prefix, near);
	return err_hint(err, "this kernel's %s%s are the directories in tracefs events/", kind,
			prefix);
}

/* Appends every event of one system that matches. A plain name needs no look into the directory,
 * which may be large. */
static bool find_in_system(struct tracepoint_list *list, const char *tracefs, struct str system,
			   struct str name, struct str what, struct err *err)
{
	struct names events = {0};
	const char *dir = arena_printf(&list->arena, "%s/events/%s", tracefs, system.p);
	if (!is_glob(name)) {
		vec_push(&events.v, name);
	} else if (!list_dirs(&list->arena, dir, &events)) {
		return fail_access(tracefs, what, errno, err);
	}
	bool ok = true;
	for (size_t i = 0; i < events.v.n && ok; i++) {
		if (is_glob(name) && fnmatch(name.p, events.v.v[i].p, 0) != 0)
			continue;
		const char *path = arena_printf(&list->arena, "%s/%s/id", dir, events.v.v[i].p);
		struct tracepoint tp = {.system = system, .name = events.v.v[i]};
		if (file_read_u64(path, &tp.id))
			vec_push(&list->items, tp);
		else if (access(path, F_OK) == 0)
			ok = fail_access(tracefs, what, EACCES, err);
	}
	vec_free(&events.v);
	return ok;
}

/* The name was plain or matched nothing: says what is there instead. */
static bool fail_no_event(const char *tracefs, struct str system, struct str name, struct str what,
			  struct arena *a, struct err *err)
{
	struct names events = {0};
	const char *dir = arena_printf(a, "%s/events/%s", tracefs, system.p);
	if (!list_dirs(a, dir, &events)) {
		vec_free(&events.v);
		return fail_access(tracefs, what, errno, err);
	}
	fail_unknown("tracepoints of ", arena_printf(a, "tracepoint %s:%s", system.p, name.p),
		     &events, name, system.p, a, err);
	vec_free(&events.v);
	return false;
}

bool tracepoint_find(struct tracepoint_list *list, const char *tracefs, struct str system,
		     struct str name, struct err *err)
{
	struct arena *a = &list->arena;
	system = arena_str(a, system);
	name = arena_str(a, name);
	struct str what = str_of(arena_printf(a, "%s:%s", system.p, name.p));
	if (!tracefs) {
		err_set(err, ERR_UNSUPPORTED, "tracepoint %s: tracefs is not mounted", what.p);
		return err_hint(err, "sudo mount -t tracefs tracefs /sys/kernel/tracing");
	}
	struct names systems = {0};
	bool ok = list_dirs(a, arena_printf(a, "%s/events", tracefs), &systems);
	if (!ok) {
		vec_free(&systems.v);
		return fail_access(tracefs, what, errno, err);
	}
	size_t before = list->items.n, matched = 0;
	struct str last = {0};
	for (size_t i = 0; i < systems.v.n && ok; i++) {
		struct str s = systems.v.v[i];
		/* The function tracer's own records are no perf events, so * does not mean them. */
		bool match = is_glob(system)
				     ? fnmatch(system.p, s.p, 0) == 0 && !str_is(s, "ftrace")
				     : str_eq(system, s);
		if (!match)
			continue;
		matched++;
		last = s;
		ok = find_in_system(list, tracefs, s, name, what, err);
	}
	if (ok && !matched)
		ok = fail_unknown("systems",
				  arena_printf(a, "tracepoint system %s (in %s)", system.p, what.p),
				  &systems, system, "", a, err);
	else if (ok && list->items.n == before)
		ok = matched == 1 ? fail_no_event(tracefs, last, name, what, a, err)
				  : err_set(err, ERR_USAGE, "no tracepoint matches %s", what.p);
	vec_free(&systems.v);
	return ok;
}

size_t tracepoint_systems(struct arena *a, const char *tracefs, struct str name, struct str *names,
			  size_t max)
{
	struct names systems = {0};
	size_t n = 0;
	if (tracefs && name.n && !memchr(name.p, '/', name.n) &&
	    list_dirs(a, arena_printf(a, "%s/events", tracefs), &systems)) {
		for (size_t i = 0; i < systems.v.n && n < max; i++) {
			const char *path = arena_printf(a, "%s/events/%s/%.*s/id", tracefs,
							systems.v.v[i].p, (int)name.n, name.p);
			if (access(path, F_OK) == 0)
				names[n++] = str_of(arena_printf(a, "%s:%.*s", systems.v.v[i].p,
								 (int)name.n, name.p));
		}
	}
	vec_free(&systems.v);
	return n;
}
