/* Inside of event_parse(). Every str of the parser points into the text that is parsed, so that the
 * place of an error is known. */
#ifndef KILN_PARSE_H
#define KILN_PARSE_H

#include "event/event.h"
#include "event/modifier.h"
#include "event/nearest.h"
#include "event/term.h"

struct parser {
	struct event_list *list;
	const char *tracefs, *devices;
	struct str text; /* all of it */
	struct str bad;  /* what is wrong in it; p is NULL when nothing can be pointed at */
	struct err *err;
	bool vendor_only; /* --pfm-events: no other names */
};

/* One event of the text, cut into its parts. */
struct word {
	struct str text;      /* all of it */
	struct str head;      /* "cpu-clock", "msr", "sched:sched_switch", "mem:0x10/4:rw" */
	struct str terms;     /* p is NULL when there are no slashes */
	struct str modifiers; /* p is NULL when there are none */
};

/* Returns false; marks the place. */
bool parser_fail(struct parser *p, struct str at, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Adds an event made of class, attr, name, scale, unit and cpus; the modifiers and texts are taken
 * from the word. name NULL: as written. head NULL: as written. */
MUST_USE bool parser_push(struct parser *p, const struct word *w, struct event e);

/* Terms that are not special to a PMU. Fails on others. */
MUST_USE bool parser_plain_terms(struct parser *p, const struct word *w, struct event *e,
				 bool config);

/* Of an event known by the numbers of its attr. */
enum event_class parser_class(uint32_t type);

/* --- parse_pmu.c --------------------------------------------------------------------------- */

enum found { FOUND_NOT, FOUND, FOUND_WRONG };

/* "msr/tsc/", "msr", "uncore_imc/…/": events of the PMU or PMUs the head names. */
enum found parse_pmu(struct parser *p, const struct word *w);
/* "tsc": the head is an event of any PMU. */
enum found parse_pmu_event(struct parser *p, const struct word *w);
/* Names of PMUs and their events, for the nearest. */
void parse_pmu_nearest(struct parser *p, struct nearest *ne);

/* --- parse_vendor.c ------------------------------------------------------------------------ */

/* The head, with all its colons, is one libpfm4 knows, or in part. Not found when there is no
 * libpfm4. */
enum found parse_vendor(struct parser *p, const struct word *w);
/* Another kind will not do. */
MUST_USE bool parse_vendor_only(struct parser *p, const struct word *w);
/* Names of this machine's events, if libpfm4 was asked before. */
void parse_vendor_nearest(struct parser *p, struct nearest *ne);

/* --- parse_breakpoint.c -------------------------------------------------------------------- */

#define BREAKPOINT_PREFIX "mem:"
/* Up to its terms, if there are any, or to the end of the word: a slash may also stand in front of
 * its length. */
size_t breakpoint_length(struct str s);
/* w->head is all of it; modifiers are found in it. */
MUST_USE bool parse_breakpoint(struct parser *p, struct word *w);

/* --- parse_word.c -------------------------------------------------------------------------- */

MUST_USE bool parse_word(struct parser *p, struct word *w);

#endif
