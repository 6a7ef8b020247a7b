/* Abbreviations: the shapes that DIEs have. A table is decoded once, however many units use it. */
#ifndef KILN_DWARF_ABBREV_H
#define KILN_DWARF_ABBREV_H

#include "object/dwarf_data.h"

struct dwarf_spec {
	uint16_t attr; /* 0: one we do not know */
	uint16_t form;
	int64_t implicit; /* value of DW_FORM_implicit_const */
};

#define DWARF_SIZE_VARIES UINT32_MAX

/* Compilers use some dozens. An abbreviation with more is taken for damage: attributes may take no
 * bytes, so a DIE of one byte could cost any time. */
#define DWARF_SPECS_MAX 512

struct dwarf_abbrev {
	uint64_t code;
	const struct dwarf_spec *specs;
	uint32_t count;
	uint32_t size;       /* of all attributes, or DWARF_SIZE_VARIES */
	uint32_t sibling;    /* index of DW_AT_sibling; UINT32_MAX: has none */
	uint32_t sibling_at; /* how far behind the code it stands; DWARF_SIZE_VARIES: not fixed */
	uint16_t tag;        /* 0: one we do not know */
	bool children;
	bool has_pc; /* tells where code is: DW_AT_low_pc or DW_AT_ranges */
};

struct dwarf_abbrevs {
	struct dwarf_abbrev *v; /* by code */
	size_t n;
	bool dense; /* codes are 1, 2, 3 … */
};

/* NULL when there is none of that code. */
static inline const struct dwarf_abbrev *dwarf_abbrevs_find(const struct dwarf_abbrevs *t,
							    uint64_t code)
{
	if (LIKELY(t->dense))
		return code - 1 < t->n ? &t->v[code - 1] : NULL;
	size_t lo = 0, hi = t->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (t->v[mid].code < code)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->n && t->v[lo].code == code ? &t->v[lo] : NULL;
}

/* The table of a unit, decoded when first asked for. Never NULL; empty when it is damaged. */
const struct dwarf_abbrevs *dwarf_unit_abbrevs(struct dwarf_unit *u);

/* One abbreviation without decoding the table, for a unit of which only the first DIE is read; its
 * attributes are put into specs. False: there is none, it is too large, or the table is one to
 * decode because many units use it. */
#define DWARF_ROOT_SPECS 64
bool dwarf_unit_root_abbrev(const struct dwarf_unit *u, uint64_t code, struct dwarf_abbrev *out,
			    struct dwarf_spec specs[DWARF_ROOT_SPECS]);

#endif
