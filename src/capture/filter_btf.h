/*
 * BTF: the types of the running kernel as it describes them itself (/sys/kernel/btf/vmlinux). Only
 * what is needed to find a member of a struct and the number of a function.
 */
#ifndef KILN_FILTER_BTF_H
#define KILN_FILTER_BTF_H

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

struct btf {
	const uint8_t *types;
	size_t types_size;
	struct str names;
	bool swap;
	VEC(uint32_t) at; /* where the type with that id is; [0] is void, which is nowhere */
};

/* Borrows the bytes. */
MUST_USE bool btf_open(struct btf *b, struct str bytes, struct err *err);
void btf_close(struct btf *b);

/* The ids of the first struct and of the first function of a name; 0: there is none. */
uint32_t btf_struct(const struct btf *b, const char *name);
uint32_t btf_function(const struct btf *b, const char *name);

/* Both in bits, of a struct in memory. */
struct btf_field {
	uint64_t offset, size;
};

/* A member by its path ("tid_entry.pid"); members without a name are looked into. False when
 * there is none. */
MUST_USE bool btf_member(const struct btf *b, uint32_t id, const char *path, struct btf_field *out);

#endif
