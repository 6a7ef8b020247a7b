/*
 * Events by name: one parser for -e, one catalogue. An event is an immutable meaning: how the
 * kernel is asked for it (attr) and how people call it (name).
 *
 *   LIST  = ITEM {"," ITEM}
 *   ITEM  = EVENT | [NAME] "{" EVENT {"," EVENT} "}" [":" MODIFIERS]
 *   EVENT = HEAD [":" MODIFIERS] | HEAD "/" TERM {"," TERM} "/" [MODIFIERS]
 *   HEAD  = catalogue name | rNNN | PMU or its event | SYSTEM:TRACEPOINT | mem:ADDR[/LEN][:rwx]
 *         | a name that libpfm4 knows (vendor.h)
 */
#ifndef KILN_EVENT_H
#define KILN_EVENT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "base/vec.h"
#include "perfdata/attr.h"

enum event_class {
	EVENT_SOFTWARE,
	EVENT_HARDWARE,
	EVENT_CACHE,
	EVENT_RAW,
	EVENT_TRACEPOINT,
	EVENT_PMU, /* of a device in sysfs */
	EVENT_BREAKPOINT,
	EVENT_TOOL, /* measured by the tool: an event that counts nothing, for the kernel */
};

/* Which of the settings an event brings itself; what it does not bring is the command's. */
enum event_term {
	TERM_PERIOD = 1 << 0,
	TERM_FREQ = 1 << 1,
	TERM_TIME = 1 << 2,
	TERM_CALL_GRAPH = 1 << 3,
	TERM_STACK_SIZE = 1 << 4,
	TERM_MAX_STACK = 1 << 5,
	TERM_INHERIT = 1 << 6,
	TERM_OVERWRITE = 1 << 7,
	TERM_MAX_EVENTS = 1 << 8,
	TERM_PERCORE = 1 << 9,
	TERM_AUX_OUTPUT = 1 << 10,
	TERM_AUX_SAMPLE_SIZE = 1 << 11,
	TERM_BRANCH_TYPE = 1 << 12,
	TERM_DRIVER_CONFIG = 1 << 13,
	TERM_AUX_ACTION = 1 << 14,
};

enum event_stacks { STACKS_NO, STACKS_FP, STACKS_DWARF, STACKS_LBR };

struct event_terms {
	unsigned set;                         /* of enum event_term */
	uint64_t period, frequency;           /* one of them at most */
	uint64_t branch_type;                 /* PERF_SAMPLE_BRANCH_… */
	uint64_t max_events;                  /* for what prints events as they come */
	uint32_t stack_size, aux_sample_size; /* bytes */
	uint16_t max_stack;                   /* frames */
	enum event_stacks stacks;
	bool time, inherit, overwrite, percore, aux_output;
	const char *driver_config; /* "@…" without the @ */
};

struct event {
	enum event_class class;
	/* As perf calls it: as it was written ("faults", "cycles:u", "msr/tsc/"), what name=
	 * says, or for a tracepoint SYSTEM:NAME alone. */
	const char *name;
	/* type, config, exclude_* bits, precise_ip, aux_output, aux_action; the rest is the
	 * recorder's */
	struct attr attr;
	struct event_terms terms;
	bool max_precise;  /* modifier P: the highest precise_ip the machine has */
	bool wants_kernel; /* the text named k (or h) itself: user space alone will not do */
	bool sample_read;  /* S: each sample holds the counts of the whole group */
	bool weak;         /* W: without its group if the machine has no room for all of it */
	bool bpf;          /* b: counted by BPF, where events are counted and not sampled */
	bool retire;       /* R: the latency of retirement instead of a count */
	uint32_t group;    /* 1 + index in list.groups; 0: in none */

	/* Of a PMU's own event: a count times scale is in that unit ("Joules"). */
	double scale; /* 1 when nothing is said */
	const char *unit;
	const char *cpus; /* the only CPUs where it can be opened ("0,18"); NULL: all */

	/* What event_list_print() makes its text from. */
	const char *head, *term_text, *modifiers; /* NULL when there are none */
};

struct event_group {
	const char *name;      /* NULL: none */
	const char *modifiers; /* NULL: none */
	uint32_t first, count; /* indices in list.events */
};

struct event_list {
	struct arena arena;
	VEC(struct event) events;
	VEC(struct event_group) groups;
	const char *devices;   /* where PMUs are; NULL: EVENT_DEVICES */
	bool no_vendor;        /* do not look for libpfm4 */
	struct vendor *vendor; /* libpfm4, once a name was found nowhere else */
};

#define EVENT_DEVICES "/sys/bus/event_source/devices"

/* Appends the events of a text ("cycles:u,{cs,faults}:S,irq:*"). On failure err says what is wrong
 * with which word, and its hint the nearest names and, in lines of their own, the text with the
 * place marked. tracefs: where tracefs is mounted (NULL: not). */
MUST_USE bool event_parse(struct event_list *list, const char *text, const char *tracefs,
			  struct err *err);
/* As event_parse(), but for names of libpfm4 only. */
MUST_USE bool event_parse_vendor(struct event_list *list, const char *text, struct err *err);
void event_list_free(struct event_list *list);

/* Makes one group of all events, as --group does; groups there were are gone. */
void event_list_group_all(struct event_list *list);

/* A text that parses to the same list: globs are replaced by what they stand for. */
void event_list_print(const struct event_list *list, struct out *o);

#endif
