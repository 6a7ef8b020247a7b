/*
 * Perf maps and jitdumps of the processes that are recorded: kept while they can be had, written
 * into the recording at its end.
 *
 * A process that maps anonymous memory to be run may write a perf map. It is looked for at once,
 * then some times a second, when the process ends and when the recording does; what has come to it
 * since the last look gets that look's time. The directory is held open where it is not ours, so
 * that a container may end at any moment. A jitdump is opened when its mapping is told of.
 */
#ifndef KILN_JIT_SNAPSHOT_H
#define KILN_JIT_SNAPSHOT_H

#include "base/diag.h"
#include "base/hash.h"
#include "perfdata/blob.h"

struct perfdata_writer;
struct rec_mmap;

/* Text of a map that was not there yet at `time`. */
struct jit_growth {
	uint64_t time;
	size_t end; /* in the process's text */
};

struct jit_process {
	int32_t pid;
	uint32_t user;
	uint64_t since;
	bool over;                    /* has ended: nothing more comes */
	bool refused;                 /* its map is not to be trusted; said once */
	uint32_t misses;              /* times it had no map */
	int dir;                      /* its /tmp, where that is not ours; -1: it is */
	int map;                      /* -1: not found yet */
	int64_t started;              /* seconds since 1970; 0: not known */
	uint64_t device, inode, read; /* of the map: what it is and how far it was read */
	char inner[16];               /* its number as it sees it itself */
	VEC(char) text;
	VEC(struct jit_growth) growth;
};

struct jit_dump {
	int32_t pid;
	uint64_t since;
	string_id path;
	int fd;
};

struct jit_snapshot {
	VEC(struct jit_process) processes;
	VEC(struct jit_dump) dumps;
	struct u64map by_pid; /* pid -> index of its latest process */
	struct strtab paths;
	struct blob_clock clock;
	int32_t clockid;    /* of the recording; -1: the kernel's own, -2: it has no times */
	uint64_t looked;    /* the time of the last look, by the recording's clock */
	uint64_t looked_at; /* and by the monotonic one */
	size_t looks;
	size_t bytes; /* of all texts */
	bool full;
	uint64_t refused;
	char why[256]; /* of the first refused */
};

void jit_snapshot_init(struct jit_snapshot *j, int32_t clockid);
void jit_snapshot_free(struct jit_snapshot *j);

/* A process mapped memory to be run, at a time by the recording's clock (0: before it). */
void jit_snapshot_watch(struct jit_snapshot *j, int32_t pid, uint64_t time);
/* ... or its jitdump. True: it is one. */
bool jit_snapshot_mapped(struct jit_snapshot *j, const struct rec_mmap *m, uint64_t time);
/* It has ended, or is about to, or has begun to run another program. */
void jit_snapshot_exit(struct jit_snapshot *j, int32_t pid);

/* The second moment by both clocks; before anything is written. */
void jit_snapshot_end(struct jit_snapshot *j);

/* Now and then. now: the time of what was recorded last. */
void jit_snapshot_look(struct jit_snapshot *j, uint64_t now);

/* The addresses that samples fell into, sorted, of one process; all: every line may be asked for.
 */
struct jit_hits {
	const uint64_t *v;
	size_t n;
	bool all;
};

/* What is worth keeping of map i or dump i, as blob.h has it; heap memory. False: nothing. */
MUST_USE bool jit_snapshot_map(const struct jit_snapshot *j, size_t i, const struct jit_hits *hits,
			       struct str *out);
MUST_USE bool jit_snapshot_dump(const struct jit_snapshot *j, size_t i, const struct jit_hits *hits,
				struct str *out);

#endif
