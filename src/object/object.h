/*
 * Objects: files (or kernel tables, or perf maps) that hold code, and their symbols.
 *
 * A symbol table is sorted; a look-up is a binary search. Addresses are file offsets for ELF files
 * (st_value moved by the program header it lies in: what a mapping's ip - start + pgoff gives),
 * absolute for the kernel and for perf maps.
 */
#ifndef KILN_OBJECT_H
#define KILN_OBJECT_H

#include "base/arena.h"
#include "base/build_id.h"
#include "base/diag.h"
#include "base/err.h"
#include "base/file.h"
#include "base/vec.h"

struct symbol {
	uint64_t start;
	uint64_t end;     /* exclusive */
	const char *name; /* as in the file (mangled); NUL-terminated: read it with symbol_name() */
	uint8_t binding;  /* STB_* for ELF; 'T'/'t' style kinds of kallsyms are mapped to these */
	uint8_t type;     /* STT_* */
};

/* Names are not measured when a table is loaded (that would read all of a large string table), so
 * a lying file may hold a name of any length: this is the limit. */
#define SYMBOL_NAME_MAX 65536

static inline struct str symbol_name(const struct symbol *s)
{
	return str_make(s->name, strnlen(s->name, SYMBOL_NAME_MAX));
}

/* A range that more than one symbol covers, and the one a look-up gives there. */
struct symtab_patch {
	uint64_t from, to; /* to: exclusive */
	uint32_t symbol;   /* index; UINT32_MAX: none */
};

struct symtab {
	VEC(struct symbol) syms;          /* by start */
	VEC(struct symtab_patch) patches; /* by from, disjoint; mostly empty */
	struct build_id build_id;         /* of the file the symbols came from */
	bool mangled;                     /* names may need demangle(): user ELF files only */
	struct arena arena;               /* owns names made here (PLT, kallsyms, perf maps) … */
	struct mapped map;                /* … and this file those that are in it, */
	struct mapped mini;               /* or this one, unpacked from a section of it */
};

void symtab_free(struct symtab *t);

/* NULL when no symbol covers addr. */
const struct symbol *symtab_find(const struct symtab *t, uint64_t addr);

/* --- where symbols come from --------------------------------------------------------------- */

struct object_source {
	const char *path;         /* as recorded */
	struct build_id build_id; /* as recorded; size 0 when unknown */
	int32_t pid;              /* a process that mapped it; 0 when unknown */
	const char *symfs;        /* prefix for every path; NULL or "" = none */
	const char *build_id_dir; /* "~/.debug" expanded; NULL = none */
	const char *fetched;      /* its debug file, downloaded; NULL = none */
};

/* ELF symbols, from the file itself, its separate debug file (build id, debuglink) or the build-id
 * cache, chosen in perf's order; .symtab (or that of .gnu_debugdata) before .dynsym, PLT entries
 * named "foo@plt". A file whose
 * build id differs from the recorded one is not used: that is told in DIAG_CHANGED_OBJECT, and the
 * result is true with an empty table. False: there is no such file, it is not ELF, or it has no
 * symbols. Thread-safe: touches nothing shared but `d`. */
MUST_USE bool symtab_load_elf(struct symtab *t, const struct object_source *src, struct diags *d,
			      struct err *err);

/* The same from an ELF image in memory (the vdso). */
MUST_USE bool symtab_load_image(struct symtab *t, const void *image, size_t size, struct err *err);

/* Replaces a mapped ELF file by a copy in memory of what symtab_load_image() and an unwinder read of
 * it, so that its file system can be unmounted; the rest reads as zeros. False: it is left as it
 * is. */
bool object_detach(struct mapped *file);

/* The kernel's image, at the addresses it was linked for; *text is that of _text or _stext, 0 when
 * it has neither. False: unreadable, without symbols, or not of the recorded build (where that is
 * known). */
MUST_USE bool symtab_load_vmlinux(struct symtab *t, const char *path,
				  const struct build_id *recorded, uint64_t *text, struct err *err);
/* The .text of a kernel module (.ko, also packed: .ko.xz, .ko.zst, .ko.gz) that was loaded at base.
 */
MUST_USE bool symtab_load_module(struct symtab *t, const char *path,
				 const struct build_id *recorded, uint64_t base, struct err *err);

/* kallsyms text: the kernel's and all modules' symbols; module_of gives each symbol's module (""
 * for the kernel itself). */
struct kallsyms {
	struct symtab table;
	VEC(struct str) modules; /* [0] is "" */
	VEC(uint16_t) module_of; /* per symbol, index into modules */
	uint64_t text;           /* address of _text (or _stext), 0 when not there */
	bool hidden;             /* all addresses are zero: kptr_restrict */
};
MUST_USE bool kallsyms_parse(struct kallsyms *k, struct str text, struct err *err);
void kallsyms_free(struct kallsyms *k);

/* From a file of such text, /proc/kallsyms: the lines that kallsyms_parse() needs to find the
 * symbols at these addresses, which are brought in order, and possibly some more. False when it
 * cannot be read. */
struct out;
MUST_USE bool kallsyms_near(const char *path, uint64_t *addrs, size_t n, struct out *text);

/* A perf map ("START SIZE name" per line, hex). Later lines win where they overlap. Lines that do
 * not parse are counted in DIAG_BAD_MAP_FILE. */
MUST_USE bool symtab_load_perf_map(struct symtab *t, const char *path, struct diags *d,
				   struct err *err);
void symtab_parse_perf_map(struct symtab *t, struct str text, const char *name, struct diags *d);

/* --- small tools ---------------------------------------------------------------------------- */

/* The build id note of an ELF file; size 0 and false when it has none. */
MUST_USE bool object_build_id(const char *path, struct build_id *out, struct err *err);
/* From raw note bytes (/sys/kernel/notes, a PT_NOTE segment). */
MUST_USE bool build_id_from_notes(const void *p, size_t n, struct build_id *out);

/* Demangles C++, Rust, D, OCaml and Java names, without parameters (but for Java) and return type;
 * "NAME@plt" keeps its ending. The result lives in `a`; names that are not mangled come back as
 * they are. Only for tables with `mangled` set: perf shows other names as they are. */
struct str demangle(struct arena *a, struct str name);

/* The same for names of perf maps: "Lcom/foo/Bar;::method" of Java. */
struct str demangle_map_name(struct arena *a, struct str name);

/* The name (mangled) of the function that this one is a copy or a part of, made by the compiler or
 * the linker (".cold", ".part.N", ".constprop.N" …); without GNU's symbol version, too. Borrowed.
 */
struct str name_without_clone(struct str name);

#endif
