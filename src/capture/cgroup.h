/* Control groups by name. */
#ifndef KILN_CGROUP_H
#define KILN_CGROUP_H

#include "base/err.h"

/* A descriptor of the group's directory, for perf_event_open(2); -1 on failure. */
int cgroup_open(const char *name, struct err *err);

/* A CGROUP record for every group there is: samples carry its number only. */
struct emitter;
void cgroup_synthesize(struct emitter *e);

#endif
