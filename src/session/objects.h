/* The session's table of objects: what mmap and ksymbol records call the things that hold code. */
#ifndef KILN_OBJECTS_H
#define KILN_OBJECTS_H

#include "base/hash.h"
#include "session/session.h"

struct objects {
	struct strtab strings;
	VEC(struct session_object) list; /* [0] is "none" */
	struct index index;
};

void objects_init(struct objects *o);
void objects_free(struct objects *o);

/* A user mapping. *absolute: addresses in it are looked up as they are (JIT code, heap). */
object_id objects_user(struct objects *o, const struct rec_mmap *m, bool *absolute);

/* The kernel or a module; *text: it is the kernel's own text, and pgoff its reference symbol. */
object_id objects_kernel(struct objects *o, const struct rec_mmap *m, bool *text);

object_id objects_bpf(struct objects *o, const struct rec_ksymbol *k);

object_id objects_jit(struct objects *o, int32_t pid, struct str path, uint64_t which);

/* Ids of paths, to objects that have none. */
void objects_take_build_ids(struct objects *o, const struct rec_build_id *ids, size_t n);

#endif
