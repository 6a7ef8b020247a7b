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
	/* As it was written, modifiers included, which is what perf records too: "faults",
	 * "cycles:u"; a glob gives the names it stands for. Parsing it again gives the same event.
	 */
	const char *name;
	struct attr attr; /* type, config, exclude_* bits, precise_ip; the rest is the recorder's */
	bool max_precise; /* modifier P: the highest precise_ip the machine has */
	bool wants_kernel; /* the text named k (or h) itself: user space alone will not do */
};

struct event_list {
	struct arena arena;
	VEC(struct event) events;
};

/* Appends the events of a comma list ("cycles:u,sched:sched_switch,irq:*"). On failure err says
 * which word, what is wrong, and the nearest names. tracefs: where tracefs is mounted (NULL: not).
 */
MUST_USE bool event_parse(struct event_list *list, const char *text, const char *tracefs,
			  struct err *err);
void event_list_free(struct event_list *list);

#endif
