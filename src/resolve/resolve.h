/*
 * Which code: (object, address) -> symbol. Symbol tables are loaded when an object is first hit, in
 * parallel, each once. Owns all symbol tables.
 */
#ifndef KILN_RESOLVE_H
#define KILN_RESOLVE_H

#include "base/diag.h"
#include "base/pool.h"
#include "object/object.h"
#include "session/session.h"

struct jits;

struct debuginfod_options;

struct resolve_options {
	const char *symfs;
	const char *build_id_dir; /* perf's cache, "~/.debug" */
	const char *kallsyms;     /* --kallsyms FILE; NULL: the cache, then /proc/kallsyms */
	const char *vmlinux;      /* --vmlinux FILE: symbols and lines of the kernel itself */
	const char *cfi_cache;    /* directory of unwind tables; NULL: they are not kept */
	const struct debuginfod_options *debuginfod; /* NULL: nothing is downloaded */
	bool demangle;
	bool demangle_kernel; /* the kernel's names, too */
	bool demangle_maps;   /* those of perf maps, too: Java's */
	bool merge_clones;    /* parts and copies of a function made by the compiler are that one */
	/* Code made at run time, as far as it is known; NULL: none. Outlives the resolver. */
	const struct jits *jits;
	bool force;         /* perf maps, whoever they belong to */
	int64_t recorded;   /* when the recording ended, seconds since 1970; 0: not known … */
	uint64_t last_time; /* … and the time of its last sample */
};

struct resolver;

struct resolver *resolver_new(const struct session *s, const struct resolve_options *opt);
void resolver_free(struct resolver *r);

/* Loads the symbol tables of these objects (ids into the session) on the pool. */
void resolver_load(struct resolver *r, const object_id *objects, size_t n, struct pool *pool,
		   struct diags *d);

/* Downloads the debug files of these objects where there is no debug information on this machine
 * and the options allow it. After resolver_load(), which leaves it to this to say what is missing.
 */
void resolver_fetch(struct resolver *r, const object_id *objects, size_t n, struct diags *d);

/* Symbols that came with the recording, for the object with this name; used when its file is
 * missing or another one now. All before the first resolver_load(): put an object, its symbols (the
 * names are borrowed), the next object …, end. */
struct embedded_key {
	enum object_kind kind; /* OBJECT_KERNEL: the modules' too */
	struct str path;       /* borrowed */
	int32_t pid;
	struct build_id build_id;
	bool gone; /* the file was another one already when the recording ended */
};
struct embedded_table;
struct embedded_table *resolver_embed(struct resolver *r, const struct embedded_key *key);
void resolver_embed_symbol(struct embedded_table *t, const struct symbol *s);
void resolver_embed_end(struct resolver *r);

/* After resolver_load() of its object. NULL when nothing is known there. */
const struct symbol *resolver_symbol(const struct resolver *r, object_id object, uint64_t addr);

/* The names of this object may need demangle(). */
bool resolver_mangled(const struct resolver *r, object_id object);

/* Its symbols came from a file on disk: what addr2line could have read. */
bool resolver_has_file(const struct resolver *r, object_id object);

/* Recorded address - address in the object's symbol table: not 0 for a kernel that lay elsewhere.
 */
uint64_t resolver_bias(const struct resolver *r, object_id object);

/* False for a kernel address that neither the kernel's mapping nor its symbols cover: the place was
 * only guessed, and is nobody's. */
bool resolver_covers(const struct resolver *r, object_id object, uint64_t addr);

#endif
