/*
 * The command to record. It is forked before the events are opened, because they need its pid, and
 * waits to be told to exec, so that nothing of it is missed.
 */
#ifndef KILN_WORKLOAD_H
#define KILN_WORKLOAD_H

#include <signal.h>
#include <sys/types.h>

#include "base/err.h"

struct workload {
	pid_t pid;  /* 0: none */
	int go;     /* closing it without a byte lets the child go away */
	int failed; /* the child writes errno here when exec fails; closed by a good exec */
	int pidfd;  /* readable when it has ended; -1 where the kernel has none */
	bool ended;
	int status; /* as wait(2), when ended */
};

/* stdout_to_stderr: our own standard output carries the recording. mask: the signal mask the
 * command is to have. */
MUST_USE bool workload_fork(struct workload *w, char *const *argv, bool stdout_to_stderr,
			    const sigset_t *mask, struct err *err);

/* Lets it exec and waits until it has. False when exec failed. */
MUST_USE bool workload_start(struct workload *w, const char *name, struct err *err);

/* True when it has ended (or never was); does not wait. */
bool workload_poll(struct workload *w);

/* Asks it to end (SIGTERM) when it still runs, without waiting. */
void workload_stop(struct workload *w);

/* Waits until it has ended and closes everything. A signal that arrives meanwhile (a second Ctrl-C)
 * kills it. */
void workload_end(struct workload *w);

#endif
