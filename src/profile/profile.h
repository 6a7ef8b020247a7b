/*
 * THE model: what was sampled, where, how often. Strings, objects, functions, frames and stacks are
 * interned, so equal things have equal ids and views work on integers alone. Filled by a builder
 * (ingest, importers), read-only afterwards.
 *
 * Slot 0 of every table is "none".
 */
#ifndef KILN_PROFILE_H
#define KILN_PROFILE_H

#include "base/hash.h"
#include "base/vec.h"

/* Where code runs; also the letter perf prints: [k] [.] [g] [u] [H]. */
enum code_kind {
	CODE_USER,
	CODE_KERNEL,
	CODE_GUEST_KERNEL,
	CODE_GUEST_USER,
	CODE_HYPERVISOR,
};

struct profile_event {
	string_id name;
	string_id unit;  /* of the weight: "" for plain counts, "ns" … */
	bool has_stacks; /* recorded with call chains */
	bool tracepoint;
	bool copied_stacks; /* stacks were unwound from copies of them, not by frame pointers */
	uint64_t samples; /* totals over all rows of this event, filters applied */
	uint64_t weight;
	uint64_t lost; /* samples known to be lost */
};

/* Something that holds code: a file, the kernel, a perf map, "[vdso]". */
struct profile_object {
	string_id path; /* long name: "/usr/lib/libc.so.6", "[kernel.kallsyms]" */
	string_id name; /* short name: "libc.so.6", "[kernel.kallsyms]" */
	enum code_kind kind;
	bool jit;
};

/* A named function. Unresolved addresses share one nameless function per object (name 0). */
struct profile_func {
	string_id name; /* demangled, as shown */
	object_id object;
	uint64_t start; /* in the object's address space; 0 for imported profiles */
	uint64_t size;
	bool clones; /* several pieces of code, with no common start: start and size are 0 */
};

enum frame_flag {
	FRAME_INLINED = 1 << 0,
	FRAME_JIT = 1 << 1,
	FRAME_NO_MAP = 1 << 2, /* the address lay in no mapping */
};

/* One place in the code: (object, address). */
struct profile_frame {
	func_id func;
	object_id object; /* 0: unknown */
	uint64_t addr; /* file offset in a mapped file; absolute in kernel, JIT and unknown code */
	uint8_t kind;  /* enum code_kind: the cpu mode it was seen in */
	uint8_t flags;
	string_id srcline;
};

/* Stack trie: parent < child; the root's parent is stack 0 (the empty stack). A stack_id names the
 * path from its root frame down to this frame, the leaf. */
struct profile_stack {
	stack_id parent;
	frame_id frame;
};

/* Who ran: one entry per (process, thread, command name). */
struct profile_thread {
	int32_t pid, tid;
	string_id comm;
	uint32_t process; /* tells processes apart that had the same pid at different times; 0
			     unknown */
};

/* Aggregated samples: rows are unique in (event, thread, cpu, stack, leaf, trace) as far as the
 * builder was asked to keep these apart; what it was not asked for is 0 (cpu: PROFILE_ANY_CPU). */
struct profile_row {
	event_id event;
	thread_id thread;
	uint32_t cpu;
	stack_id stack; /* 0: no call chain */
	frame_id leaf;  /* of the sampled instruction pointer; equals the stack's leaf nearly always
			 */
	string_id trace; /* what the tracepoint said */
	bool cut;        /* the stack was deeper than the recording kept: its root is missing */
	uint64_t count;
	uint64_t weight; /* sum of periods */
	uint64_t time;   /* of its first sample; 0 where times are not known */
};
#define PROFILE_ANY_CPU UINT32_MAX

struct profile {
	struct strtab strings;
	VEC(struct profile_event) events;
	VEC(struct profile_object) objects;
	VEC(struct profile_func) funcs;
	VEC(struct profile_frame) frames;
	VEC(struct profile_stack) stacks;
	VEC(struct profile_thread) threads;
	VEC(struct profile_row) rows;

	/* builder's indexes */
	struct index object_index, func_index, frame_index, stack_index, thread_index, row_index;
};

struct profile *profile_new(void);
void profile_free(struct profile *p);

/* --- building: each returns the id of an equal earlier entry or of a new one --------------- */

event_id profile_event(struct profile *p, struct str name);
object_id profile_object(struct profile *p, struct str path, struct str name, enum code_kind kind);
func_id profile_func(struct profile *p, struct str name, object_id object, uint64_t start,
		     uint64_t size);
/* Frames are equal when object, addr, kind, flags and func are. Ingest makes them with func 0 first
 * and sets it after symbolizing, see frames.v[id].func. */
frame_id profile_frame(struct profile *p, func_id func, object_id object, uint64_t addr,
		       enum code_kind kind, unsigned flags);
stack_id profile_stack(struct profile *p, stack_id parent, frame_id frame);

/* The same two with the hash given, for callers that look many up at once and prefetch. */
static inline uint64_t profile_frame_hash(func_id func, object_id object, uint64_t addr,
					  enum code_kind kind, unsigned flags)
{
	return hash_mix(addr, (uint64_t)object.v << 32 | func.v << 11 | kind << 8 | flags);
}
static inline uint64_t profile_stack_hash(stack_id parent, frame_id frame)
{
	return hash_mix(parent.v, frame.v);
}
frame_id profile_frame_hashed(struct profile *p, uint64_t hash, func_id func, object_id object,
			      uint64_t addr, enum code_kind kind, unsigned flags);
stack_id profile_stack_hashed(struct profile *p, uint64_t hash, stack_id parent, frame_id frame);

thread_id profile_thread(struct profile *p, int32_t pid, int32_t tid, struct str comm,
			 uint32_t process);
/* Adds to the row of this key and to the event's totals. */
void profile_add(struct profile *p, const struct profile_row *row);
/* Nothing more comes: frees what only building needs. */
void profile_seal(struct profile *p);

/* --- reading ------------------------------------------------------------------------------ */

static inline struct str profile_str(const struct profile *p, string_id id)
{
	return strtab_get(&p->strings, id);
}
static inline const struct profile_frame *profile_frame_at(const struct profile *p, frame_id id)
{
	return &p->frames.v[id.v];
}
/* The function's name, or "[unknown]". */
struct str profile_frame_name(const struct profile *p, frame_id id);

/* Number of frames in a stack, and the frames themselves root first into `out`. */
size_t profile_stack_depth(const struct profile *p, stack_id id);
void profile_stack_frames(const struct profile *p, stack_id id, frame_id *out, size_t depth);

#endif
