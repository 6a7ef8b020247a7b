/*
 * Events by name: one parser for -e, one catalogue. An event is an immutable meaning: how the
 * kernel is asked for it (attr) and how people call it (name).
 */
#ifndef KILN_EVENT_H
#define KILN_EVENT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "perfdata/attr.h"

enum event_class { EVENT_SOFTWARE, EVENT_HARDWARE, EVENT_CACHE, EVENT_RAW, EVENT_TRACEPOINT };

struct event {
	enum event_class class;
	const char *name; /* canonical, with modifiers: "cpu-clock:u", "sched:sched_switch" */
	struct attr attr; /* type, config, exclude_* bits, precise_ip; the rest is the recorder's */
	bool user_modifiers; /* the text named u or k itself */
};

struct event_list {
	struct arena arena;
	VEC(struct event) events;
};

/* Appends the events of a comma list ("cycles:u,sched:sched_switch"). On failure err says which
 * word, what is wrong, and the nearest names. tracefs: where tracefs is mounted (NULL: not). */
MUST_USE bool event_parse(struct event_list *list, const char *text, const char *tracefs,
			  struct err *err);
void event_list_free(struct event_list *list);

/* The name an attr would be given ("cycles:u"), for files that do not record names. */
struct str event_attr_name(const struct attr *a, struct arena *arena);

#endif
