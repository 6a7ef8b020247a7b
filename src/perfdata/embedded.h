/*
 * Symbols that travel inside a recording, so that it can be read when the files it speaks of are
 * gone, or somewhere else.
 *
 * They are EVENT_UPDATE records of a kind of their own. perf (all versions) takes an update of a
 * kind it does not know for nothing, without a word, in files and in pipes; an unknown record type
 * or header feature would stop or worry it. Each record stands alone: it names the object again.
 *
 *   u32 version (1)    u32 kind of object   u32 flags   i32 pid (perf maps)
 *   u32 build id size  20 bytes build id    path, NUL
 *   then, up to the end, symbols: u64 start, u64 end, u8 binding, u8 type, name, NUL
 *   padding: zeros, so that a start, end and name of nothing ends the row
 *
 * Addresses are those of the object's own symbol table (object.h): file offsets for ELF files,
 * absolute ones for the kernel and perf maps.
 */
#ifndef KILN_EMBEDDED_H
#define KILN_EMBEDDED_H

#include "base/build_id.h"
#include "base/cursor.h"
#include "base/out.h"

#define UPDATE_SYMBOLS UINT64_C(0x6e6c696b) /* "kiln" */

enum embedded_kind {
	EMBEDDED_FILE,
	EMBEDDED_KERNEL,
	EMBEDDED_VDSO,
	EMBEDDED_PERF_MAP,  /* symbols of a map without times: older recordings have them */
	EMBEDDED_TIMED_MAP, /* these are not followed by symbols: see blob.h */
	EMBEDDED_JITDUMP,
	EMBEDDED_CFI, /* the unwind table of a file, as the cache on disk has it: see blob.h */
};

/* When recorded, the path did not lead to this object any more: what is there is another file. */
#define EMBEDDED_GONE 1u

struct embedded_object {
	enum embedded_kind kind;
	uint32_t flags;
	int32_t pid;
	struct build_id build_id;
	struct str path;
};

struct embedded_symbol {
	uint64_t start, end;
	uint8_t binding, type;
	struct str name; /* followed by a NUL */
};

/* --- writing ------------------------------------------------------------------------------ */

struct embedded_writer {
	struct out out; /* whole records, once ended */
	uint64_t event; /* id of an event of the recording: perf wants a valid one */
	struct embedded_object object;
	size_t record_at; /* where in out the open record begins */
	bool open;
};

void embedded_writer_init(struct embedded_writer *w, uint64_t event);
void embedded_writer_free(struct embedded_writer *w);

/* The symbols added from now on are this object's. Its path is borrowed until the end. */
void embedded_begin(struct embedded_writer *w, const struct embedded_object *o);
void embedded_add(struct embedded_writer *w, const struct embedded_symbol *s);
/* Begins a record of what is not symbols; the caller appends to w->out, embedded_end() ends it. */
void embedded_open(struct embedded_writer *w);
void embedded_end(struct embedded_writer *w);

/* --- reading: perfdata_embedded() gives the cursor ----------------------------------------- */

/* False: damaged, or of a version we do not know. */
MUST_USE bool embedded_object(struct cursor *c, struct embedded_object *out);
/* False at the end. */
MUST_USE bool embedded_symbol(struct cursor *c, struct embedded_symbol *out);

#endif
