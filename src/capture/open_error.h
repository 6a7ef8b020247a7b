/* Why an event could not be opened, in words about this event, this target and this machine. */
#ifndef KILN_OPEN_ERROR_H
#define KILN_OPEN_ERROR_H

#include "base/err.h"

struct counter;

void open_error_explain(const struct counter *c, int32_t tid, int32_t cpu, int error,
			struct err *err);

#endif
