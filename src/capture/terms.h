/* What the terms of one event (cpu-clock/period=…,call-graph=…/) change in its attr. */
#ifndef KILN_TERMS_H
#define KILN_TERMS_H

#include "capture/counters.h"

/* c->event is set. Fails on terms that a recording cannot do. */
MUST_USE bool terms_apply(struct counter *c, struct err *err);

#endif
