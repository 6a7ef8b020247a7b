#include "capture/tracing_data.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/out.h"

#define FORMAT_LIMIT (4 << 20)
#define CMDLINES_LIMIT (64 << 20)

struct wanted {
	struct strtab systems;
	struct strtab events;          /* "system/event" */
	VEC(string_id) systems_in_use; /* in order of first use */
	VEC(string_id) events_in_use;
};

static void put_u32(struct out *o, uint32_t v)
{
	out_bytes(o, &v, sizeof v);
}

static void put_u64(struct out *o, uint64_t v)
{
	out_bytes(o, &v, sizeof v);
}

/* A u64 size and the file's bytes; tracefs files tell no size, so it is known afterwards. */
static bool put_file(struct out *o, const char *tracefs, const char *name, size_t limit,
		     struct err *err)
{
	char path[PATH_MAX];
	struct str text;
	snprintf(path, sizeof path, "%s/%s", tracefs, name);
	if (!file_read(path, limit, &text, err))
		return false;
	put_u64(o, text.n);
	out_str(o, text);
	free((void *)text.p);
	return true;
}

static void put_header(struct out *o)
{
	static const char magic[] = {23, 8, 68};
	out_bytes(o, magic, sizeof magic);
	out_cstr(o, "tracing");
	out_bytes(o, "0.6", sizeof "0.6");
	out_char(o, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	out_char(o, sizeof(long));
	put_u32(o, (uint32_t)sysconf(_SC_PAGESIZE));
}

static void want(struct wanted *w, const char *name)
{
	struct str rest, more;
	struct str system = str_split(str_of(name), ':', &rest);
	struct str event = str_split(rest, ':', &more);
	char key[512];
	if (!system.n || !event.n)
		return;
	snprintf(key, sizeof key, "%.*s/%.*s", (int)system.n, system.p, (int)event.n, event.p);
	if (!strtab_find(&w->systems, system).v)
		vec_push(&w->systems_in_use, strtab_intern(&w->systems, system));
	if (!strtab_find(&w->events, str_of(key)).v)
		vec_push(&w->events_in_use, strtab_intern(&w->events, str_of(key)));
}

static bool in_system(struct str event, struct str system)
{
	return event.n > system.n && event.p[system.n] == '/' &&
	       memcmp(event.p, system.p, system.n) == 0;
}

static bool put_system(struct out *o, const char *tracefs, const struct wanted *w,
		       struct str system, struct err *err)
{
	out_bytes(o, system.p, system.n + 1); /* with its NUL */
	size_t count_at = o->n;
	uint32_t n = 0;
	put_u32(o, 0);
	for (size_t i = 0; i < w->events_in_use.n; i++) {
		struct str event = strtab_get(&w->events, w->events_in_use.v[i]);
		char name[600];
		if (!in_system(event, system))
			continue;
		snprintf(name, sizeof name, "events/%s/format", event.p);
		if (!put_file(o, tracefs, name, FORMAT_LIMIT, err))
			return false;
		n++;
	}
	memcpy(o->buf + count_at, &n, sizeof n);
	return true;
}

/* Formats of printk strings and names of tasks: welcome, not needed. */
static void put_extras(struct out *o, const char *tracefs)
{
	char path[PATH_MAX];
	struct str text;
	put_u32(o, 0); /* kallsyms: readers have better sources */
	snprintf(path, sizeof path, "%s/printk_formats", tracefs);
	if (file_read(path, FORMAT_LIMIT, &text, NULL)) {
		put_u32(o, (uint32_t)text.n);
		out_str(o, text);
		free((void *)text.p);
	} else {
		put_u32(o, 0);
	}
	if (!put_file(o, tracefs, "saved_cmdlines", CMDLINES_LIMIT, NULL))
		put_u64(o, 0);
}

bool tracing_data_build(struct out *o, const char *tracefs, const char *const *names, size_t count,
			struct err *err)
{
	struct wanted w = {0};
	for (size_t i = 0; i < count; i++)
		want(&w, names[i]);
	put_header(o);
	out_bytes(o, "header_page", sizeof "header_page");
	bool ok = put_file(o, tracefs, "events/header_page", FORMAT_LIMIT, err);
	out_bytes(o, "header_event", sizeof "header_event");
	ok = ok && put_file(o, tracefs, "events/header_event", FORMAT_LIMIT, err);
	put_u32(o, 0); /* formats of the function tracer */
	put_u32(o, (uint32_t)w.systems_in_use.n);
	for (size_t i = 0; ok && i < w.systems_in_use.n; i++)
		ok = put_system(o, tracefs, &w, strtab_get(&w.systems, w.systems_in_use.v[i]), err);
	if (ok)
		put_extras(o, tracefs);
	strtab_free(&w.systems);
	strtab_free(&w.events);
	vec_free(&w.systems_in_use);
	vec_free(&w.events_in_use);
	return ok;
}
