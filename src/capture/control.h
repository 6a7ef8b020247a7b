/* Orders from outside while a recording runs: one in a line, each answered with "ack". */
#ifndef KILN_CONTROL_H
#define KILN_CONTROL_H

#include "base/base.h"

enum order {
	ORDER_NONE,
	ORDER_ENABLE,  /* all events, or the one named */
	ORDER_DISABLE, /* likewise */
	ORDER_EVLIST,  /* with -v, -g or -F */
	ORDER_SNAPSHOT,
	ORDER_PING,
	ORDER_STOP,
};

struct control {
	int fd, ack_fd; /* -1: none */
	char line[256]; /* what has come of a line that is not complete yet */
	char word[256]; /* behind the order that came last; empty: nothing */
	size_t n;
	bool overlong; /* the line is none of ours: skipped to its end */
	char ready[512];
	size_t ready_n, ready_at; /* read, not looked at yet */
};

/* Takes in what can be read now, without waiting longer than one read. False at the end of it. */
bool control_read(struct control *c);

/* The next whole order that has come, with c->word; ORDER_NONE: no more. unknown: a line that is
 * none.
 */
enum order control_next(struct control *c, bool *unknown);

void control_ack(const struct control *c);

#endif
