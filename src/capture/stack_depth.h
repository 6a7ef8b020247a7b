/* How deep call chains may be: the kernel's limit, raised for the time of a recording. */
#ifndef KILN_STACK_DEPTH_H
#define KILN_STACK_DEPTH_H

#include "base/base.h"

struct counters;

#define STACK_DEPTH_USUAL 127

struct stack_depth {
	uint64_t before; /* the limit as it was; 0: it was not changed */
	uint64_t now;
};

/* After the events are configured, before they are opened: raises the limit when an event wants
 * more, if the kernel lets us (the right, and nobody else recording call chains). Events that want
 * all there is say so, if that is not the usual. True: it was raised. */
bool stack_depth_raise(struct stack_depth *s, struct counters *cs);
/* After the events are closed. */
void stack_depth_restore(struct stack_depth *s);

#endif
