/*
 * What events bring themselves: their groups, whose members the kernel counts together, and the
 * settings in their terms.
 */
#ifndef KILN_GROUPS_H
#define KILN_GROUPS_H

#include "capture/counters.h"

struct perfdata_writer;

/* Sets up groups and terms of counters that are configured otherwise. */
MUST_USE bool groups_configure(struct counters *cs, const struct capture_plan *plan,
			       struct err *err);

/* The leader's descriptor for the same thread and CPU; -1: c leads. False when the leader could not
 * be opened there (its thread has ended): then c cannot, either. */
MUST_USE bool groups_fd(const struct counters *cs, const struct counter *c, int32_t tid,
			int32_t cpu, int *fd);

/* Takes a weak group apart; the caller opens its counters again, from the leader on. */
void groups_dissolve(struct counters *cs, const struct counter *member);

/* False when c is bound to other CPUs. */
bool groups_wants_cpu(const struct counter *c, int32_t cpu);

/* Reads what an event counted: value, id, lost. */
MUST_USE bool groups_read(const struct counters *cs, const struct counter *c,
			  const struct counter_fd *f, uint64_t values[3]);

/* The recording's list of groups; nothing when there are none. */
MUST_USE bool groups_write(const struct counters *cs, struct perfdata_writer *w, struct err *err);

#endif
