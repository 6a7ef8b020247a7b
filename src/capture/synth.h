/*
 * Side-band records for what exists already when recording starts, made from /proc: processes,
 * threads, their mappings and namespaces; the kernel, its modules and BPF programs.
 */
#ifndef KILN_SYNTH_H
#define KILN_SYNTH_H

#include "capture/emit.h"
#include "capture/mapped_files.h"

struct synth {
	struct emitter *e;
	struct mapped_files *files;
	bool data;     /* also mappings that hold no code */
	bool build_id; /* mappings carry build ids, as the kernel's own records do */
	bool namespaces;
	bool maps;           /* what processes have mapped, beside their names and parents */
	uint64_t timeout_ns; /* for the mappings of one process */
	unsigned threads;    /* that synth_all() may use */
};

/* One process with all its threads. Those that end meanwhile are left out silently; false when it
 * has ended itself. */
bool synth_process(const struct synth *s, int32_t pid);

/* Only its main thread's name and this one thread, and the mappings. */
void synth_thread(const struct synth *s, int32_t pid, int32_t tid);

/* Only the name: the command before it has become anything. */
void synth_name(const struct synth *s, int32_t pid);

/* Every process; in any order when threads share the work. */
void synth_all(const struct synth *s);

/* The process a thread belongs to; 0 when there is no such thread. */
int32_t synth_process_of(int32_t tid);

/* The kernel's text and the modules. False when the addresses are hidden from us. */
bool synth_kernel(const struct synth *s);

/* Programs loaded by now; nothing where bpf(2) is not allowed. */
void synth_bpf(const struct synth *s);

#endif
