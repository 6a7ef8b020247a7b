/* Orders from outside while a recording runs: one word per line, each answered with "ack". */
#ifndef KILN_CONTROL_H
#define KILN_CONTROL_H

#include "base/base.h"

enum order { ORDER_NONE, ORDER_ENABLE, ORDER_DISABLE, ORDER_SNAPSHOT, ORDER_PING, ORDER_STOP };

struct control {
	int fd, ack_fd; /* -1: none */
	char line[64];  /* what has come of a line that is not complete yet */
	size_t n;
	bool overlong; /* the line is none of ours: skipped to its end */
	char ready[512];
	size_t ready_n, ready_at; /* read, not looked at yet */
};

/* Takes in what can be read now, without waiting longer than one read. False at the end of it. */
bool control_read(struct control *c);

/* The next whole order that has come; ORDER_NONE: no more. unknown: a word that is none. */
enum order control_next(struct control *c, bool *unknown);

void control_ack(const struct control *c);

#endif
