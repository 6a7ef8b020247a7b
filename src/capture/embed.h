/*
 * Symbols for the recording itself. While records pass, notes which addresses were hit and which
 * files were mapped, and holds on to the files, as they may be deleted, or go with their mount
 * namespace, before the recording ends. At the end looks up the names and writes them.
 *
 * Noted too much is harmless (a name nobody asks for), so nothing here keeps time: an address of a
 * process belongs to all mappings that ever covered it.
 *
 * Several threads may show records at once: embed_see() locks where it finds something new.
 */
#ifndef KILN_EMBED_H
#define KILN_EMBED_H

#include <pthread.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/hash.h"
#include "capture/capture.h"
#include "capture/jit_snapshot.h"
#include "object/object.h"
#include "perfdata/attr.h"
#include "perfdata/embedded.h"

struct counters;
struct perfdata_writer;
struct record;

struct embed_object {
	enum embedded_kind kind;
	string_id path;
	int32_t pid; /* one process that mapped it */
	struct build_id build_id;
	uint64_t inode;      /* known where the build id is not */
	struct mapped held;  /* the file itself, once found */
	VEC(uint64_t) addrs; /* hit, in its own space; while writing */
};

struct embed_map {
	int32_t pid;
	uint32_t object;
	uint64_t start, end;
	uint64_t pgoff; /* ip - start + pgoff is the address in the object */
};

struct embed_hit {
	uint64_t ip;
	int32_t pid;
};

/* Where a sample of one event has what we look at, in 8-byte words of its body. */
struct sample_layout {
	uint64_t sample_type, read_format;
	size_t ip, tid, after_fixed;
};

struct embed {
	enum capture_embed mode;
	bool many;   /* recordings, one after the other */
	bool whole;  /* callers are found later, from copied stacks: keep all of a table */
	bool full;   /* a limit was reached: not everything is noted */
	bool sorted; /* maps are, by pid and start */
	VEC(struct sample_layout) layouts; /* per event */
	struct u64map by_id;               /* of an event -> its index */
	uint64_t *recent; /* what was noted lately: spares most of the look-ups; read and written
			   * without the lock, as a lost entry costs a look-up only */
	pthread_mutex_t lock;                             /* over all below */
	struct u64map kernel_known, hit_known, map_known; /* by hash; sets */
	VEC(uint64_t) kernel;                             /* ips */
	VEC(struct embed_hit) hits;                       /* of user space */
	VEC(struct embed_map) maps;
	struct u64map parents; /* pid -> pid of its parent, whose mappings it began with */
	struct strtab paths;
	VEC(struct embed_object) objects;
	struct u64map by_key;
	size_t held;
	struct attr attr; /* of the first event: what records end in */
	struct jit_snapshot jit;
	struct kallsyms names; /* of the kernel's functions, as far as they were looked up */
};

void embed_init(struct embed *e, enum capture_embed mode, const struct counters *cs);
void embed_free(struct embed *e);

/* Looks at one record, the kernel's or one of ours. */
void embed_see(struct embed *e, const struct record *r);

/* Now and then, when all that was recorded has been seen. now: the time of the last of it. */
void embed_look(struct embed *e, uint64_t now);

/* Looks the names up and writes them. May be called again: later files hold what was seen by then.
 */
MUST_USE bool embed_write(struct embed *e, struct perfdata_writer *w, uint64_t event,
			  struct diags *d, struct err *err);

/* --- embed_hold.c: the files ---------------------------------------------------------------- */

struct rec_mmap;
/* Opens the file behind a mapping just made, wherever it is. */
void embed_hold(struct embed *e, struct embed_object *o, const struct rec_mmap *m);
/* Whether its path does not lead to it, here and now. */
bool embed_is_gone(const struct embed *e, const struct embed_object *o);
/* Its symbols; an empty table when there are none. */
struct symtab;
void embed_symbols(const struct embed *e, const struct embed_object *o, bool gone,
		   struct symtab *t);

#endif
