/* The CFI tables of a recording's objects, each loaded when an address in it is first asked for. */
#ifndef KILN_UNWIND_OBJECTS_H
#define KILN_UNWIND_OBJECTS_H

#include "object/cfi.h"
#include "object/elf_file.h"
#include "resolve/resolve.h"
#include "session/session.h"

struct unwind_object {
	bool wanted;            /* a stack went through it */
	bool changed;           /* the file is another one now */
	struct cfi_table table; /* row_count 0: there is none */
	struct mapped map;      /* the file, for constants that expressions read */
	struct str image;
	struct elf_file elf; /* of image */
};

struct unwind_kept {
	struct build_id id;
	struct str block;
};

struct unwind_objects {
	const struct session *session;
	struct resolve_options opt;
	const struct arch *arch;
	VEC(struct unwind_kept) kept; /* came with the recording */
	struct unwind_object **v;     /* by object id; NULL until asked for */
};

void unwind_objects_init(struct unwind_objects *o, const struct session *s, const struct arch *arch,
			 const struct resolve_options *opt);
void unwind_objects_free(struct unwind_objects *o);

/* Never NULL. */
struct unwind_object *unwind_object(struct unwind_objects *o, object_id id);

/* A constant of the object, by its virtual address; false where the program may have changed it. */
bool unwind_object_read(const struct unwind_object *o, uint64_t vaddr, unsigned size,
			uint64_t *out);

#endif
