/* Terms between slashes: "period=1000,call-graph=fp", and in a PMU's event "event=0x3c,edge". */
#ifndef KILN_TERM_H
#define KILN_TERM_H

#include "event/event.h"

struct term {
	struct str text;  /* all of it */
	struct str key;   /* may begin with '@' */
	struct str value; /* quotes taken off; p is NULL when there is none */
	bool is_number;
	uint64_t number; /* of the value; 1 when there is none */
};

/* Takes the next term off the front of *rest; false at the end (rest->p is NULL then), or with
 * *bad set when there is no term where one should be. */
MUST_USE bool term_next(struct str *rest, struct term *t, struct str *bad);

enum term_result {
	TERM_DONE,
	TERM_UNKNOWN, /* no term of ours: perhaps one of the PMU */
	TERM_WRONG,   /* *bad and *err are set */
};

/* The terms that every kind of event knows; config… too when `config` is set. name= is put into
 * e->name. Texts go to the arena. */
enum term_result term_apply(struct event *e, const struct term *t, bool config, struct arena *arena,
			    struct str *bad, struct err *err);

void term_each(void (*fn)(void *ctx, struct str name), void *ctx);

#endif
