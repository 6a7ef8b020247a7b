/* Inside of session: its state. session.c takes records in and seals, session_ask.c answers. */
#ifndef KILN_SESSION_STATE_H
#define KILN_SESSION_STATE_H

#include "base/vec.h"
#include "session/objects.h"
#include "session/session.h"
#include "session/spacetime.h"

enum change_kind { CHANGE_COMM, CHANGE_FORK, CHANGE_MAP, CHANGE_KERNEL_MAP };

/* A side-band record, kept until seal puts them in order. */
struct change {
	uint64_t time;
	enum change_kind kind;
	bool synthesized; /* a FORK made up by the recorder: the maps follow, nothing is inherited
			   */
	int32_t pid, tid;
	union {
		string_id comm;
		struct {
			int32_t pid, tid;
		} parent;
		struct {
			uint64_t start, end, bias;
			object_id object;
		} map;
	};
};

struct process {
	int32_t pid;
	uint32_t leader;    /* after seal: the life of its first thread; 0: unknown */
	uint32_t parent;    /* whose maps it began with; 0: none */
	uint64_t fork_time; /* as of then */
	struct spacetime space;
	struct spacetime code; /* made at run time; on top of space */
};

/* One life of a thread id. */
struct life {
	int32_t tid, pid;
	uint32_t process;
	uint32_t order; /* of creation, for lives that begin at one time */
	uint64_t start;
	uint32_t comm_first, comm_count; /* into comms, ordered by time */
};

struct comm_change {
	uint32_t life;
	string_id comm;
	uint64_t time;
};

struct session {
	struct objects objects;
	VEC(struct change) changes;
	VEC(struct rec_build_id) build_ids; /* by path, until seal */
	VEC(struct session_code) codes;     /* until seal */
	bool ordered;                       /* changes came in order of time so far */
	uint64_t kernel_text;
	object_id kernel;

	VEC(struct process) processes; /* [0] is the kernel's address space */
	VEC(struct life) lives;        /* [0] unused; after seal: by tid, then start */
	VEC(struct comm_change) comms;
	struct u64map current; /* while replaying: tid -> its latest life */
	struct u64map first;   /* after seal: tid -> its first life */
};

/* A process inherits its parent's maps, which may inherit in turn. Processes without maps of their
 * own are skipped when linking, so real chains are a few links; this bounds made-up ones. */
#define MAX_ANCESTORS 64

/* The life of a tid at a time: the last one begun by then. After the lives are in order. */
const struct life *session_life_at(const struct session *s, int32_t tid, uint64_t time);

#endif
