/* Walks the DIEs of a unit in the order in which they stand. */
#ifndef KILN_DWARF_WALK_H
#define KILN_DWARF_WALK_H

#include "object/dwarf_const.h"
#include "object/dwarf_spans.h"

struct dwarf_walk {
	struct dwarf_unit *u;
	const struct dwarf_abbrevs *abbrevs;
	struct cursor c; /* behind the attributes read or skipped so far */
	const char *section;
};

/* Starts at a DIE of the unit; an offset outside of it makes the first step fail. */
static inline struct dwarf_walk dwarf_walk_from(struct dwarf_unit *u, uint64_t offset)
{
	struct str section = dwarf_unit_section(u);
	struct dwarf_walk w = {.u = u, .abbrevs = dwarf_unit_abbrevs(u), .section = section.p};
	w.c = dwarf_cursor(str_make(section.p, (size_t)u->end), offset, u->data->s.swap);
	if (offset < u->dies)
		cursor_fail(&w.c);
	return w;
}

static inline uint64_t dwarf_walk_offset(const struct dwarf_walk *w)
{
	return (uint64_t)((const char *)w->c.p - w->section);
}

/* Reads the code of the next DIE. False: the bytes end, or lie. *a becomes NULL where a list of
 * children ends; else its attributes are next, to be read or skipped. */
static inline bool dwarf_walk_next(struct dwarf_walk *w, const struct dwarf_abbrev **a)
{
	if (w->c.p >= w->c.end)
		return false;
	uint64_t code = dwarf_uleb(&w->c);
	*a = code ? dwarf_abbrevs_find(w->abbrevs, code) : NULL;
	return !w->c.bad && (!code || *a);
}

/* Skips the attributes; gives the offset of the next sibling, 0 when the DIE does not say. */
uint64_t dwarf_walk_skip(struct dwarf_walk *w, const struct dwarf_abbrev *a);

/* The same, and keeps where the code is. */
uint64_t dwarf_walk_pc(struct dwarf_walk *w, const struct dwarf_abbrev *a, struct dwarf_pc *pc);

/* Goes to a sibling; false when it lies outside, or not ahead. */
static inline bool dwarf_walk_jump(struct dwarf_walk *w, uint64_t sibling)
{
	if (sibling <= dwarf_walk_offset(w) || sibling > w->u->end)
		return false;
	w->c.p = (const uint8_t *)w->section + sibling;
	return true;
}

#endif
