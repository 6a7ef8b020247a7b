/*
 * Inside of the DWARF reader: one set of sections, its units, and how bytes are read.
 *
 * The binary's own sections, the file shared by dwz and every split unit are each a struct
 * dwarf_data. All that is here is read-only once it has been read, or guarded by its own lock,
 * so that look-ups in different units never wait for each other.
 */
#ifndef KILN_DWARF_DATA_H
#define KILN_DWARF_DATA_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/cursor.h"
#include "base/hash.h"
#include "base/vec.h"
#include "object/dwarf.h"

/* Lists and programs may be pointed at from many places, so a small lying file could make us read
 * the same bytes without end. Each kind of work has a budget in proportion to its section, far
 * above what true files need; when it is used up, answers stop. */
enum dwarf_work {
	DWARF_WORK_ABBREVS,
	DWARF_WORK_ROOTS, /* searching the abbreviations of first DIEs */
	DWARF_WORK_DIES,
	DWARF_WORK_RANGES,
	DWARF_WORK_LINES,
	DWARF_WORK_COUNT
};

struct dwarf_unit {
	struct dwarf_data *data;
	/* Offsets in .debug_info (.debug_types): of the header, of what follows the unit, of the
	 * first DIE. */
	uint64_t offset, end, dies;
	uint64_t abbrev_offset;
	uint64_t signature; /* of a type unit; id of a split or skeleton unit */
	uint64_t type_die;  /* relative to offset; 0: not a type unit */
	uint8_t version, address_size, offset_size;
	bool in_types; /* offsets are of .debug_types */
	bool listed;   /* .debug_aranges has its code */

	/* From the first DIE: see dwarf_unit_root(). */
	_Atomic bool has_root;
	bool has_low, has_ranges, has_lines, has_split;
	uint16_t tag;
	uint16_t ranges_form;
	uint64_t low, high; /* low: base of range lists; high: 0 when there is none */
	uint64_t ranges, lines;
	uint64_t str_offsets_base, addr_base, rnglists_base, gnu_ranges_base;

	/* The unit of the binary that a split unit belongs to: it has the addresses and lines. */
	const struct dwarf_unit *skeleton;

	_Atomic(const struct dwarf_abbrevs *) abbrevs; /* set when first asked for */
	_Atomic(struct dwarf_code *) code;             /* the same */
};

struct dwarf_data {
	struct dwarf_sections s;
	struct dwarf_data *alt; /* NULL: none */

	/* By offset, those of .debug_types behind those of .debug_info. */
	VEC(struct dwarf_unit) units;
	size_t info_units; /* how many are of .debug_info */
	_Atomic bool scanned;

	pthread_mutex_t scan_lock; /* while headers or first DIEs are read */
	pthread_mutex_t lock;      /* guards what follows */
	struct arena arena;
	struct u64map abbrev_at; /* offset and sizes -> index */
	VEC(struct dwarf_abbrevs *) abbrevs;
	struct u64map lines_at; /* offset -> index */
	VEC(struct dwarf_lines *) lines;
	struct u64map types; /* signature -> unit */
	bool types_read;

	_Atomic int64_t budget[DWARF_WORK_COUNT];
};

void dwarf_data_init(struct dwarf_data *d, const struct dwarf_sections *s, struct dwarf_data *alt);
void dwarf_data_free(struct dwarf_data *d);

/* Takes n bytes of work off the budget; false when it is used up. */
static inline bool dwarf_data_spend(const struct dwarf_data *d, enum dwarf_work w, uint64_t n)
{
	_Atomic int64_t *b = &((struct dwarf_data *)d)->budget[w];
	return atomic_fetch_sub_explicit(b, (int64_t)n, memory_order_relaxed) > 0;
}

/* Reads the headers of all units, once. */
void dwarf_data_scan(struct dwarf_data *d);

/* Reads the first DIE of a unit, once. Whoever leads to a unit does it: only units that are being
 * listed are seen without. */
void dwarf_unit_root(struct dwarf_unit *u);

/* The unit that holds the DIE at an offset of .debug_info; NULL when none does. The first does not
 * read its first DIE. */
struct dwarf_unit *dwarf_data_find(struct dwarf_data *d, uint64_t offset);
struct dwarf_unit *dwarf_data_unit_at(struct dwarf_data *d, uint64_t offset);

/* The type unit of a signature; NULL when there is none. */
struct dwarf_unit *dwarf_data_type(struct dwarf_data *d, uint64_t signature);

static inline struct str dwarf_unit_section(const struct dwarf_unit *u)
{
	return u->in_types ? u->data->s.types : u->data->s.info;
}

/* --- bytes ------------------------------------------------------------------------------------ */

/* From an offset to the end of a section; bad when it lies behind it. */
static inline struct cursor dwarf_cursor(struct str section, uint64_t offset, bool swap)
{
	bool out = offset > section.n;
	struct cursor c = cursor_of(section.p ? section.p + (out ? section.n : offset) : "",
				    out ? 0 : section.n - offset, swap);
	c.bad = out;
	return c;
}

uint64_t dwarf_uleb_slow(struct cursor *c);
int64_t dwarf_sleb(struct cursor *c);

static inline uint64_t dwarf_uleb(struct cursor *c)
{
	if (LIKELY(c->p < c->end && *c->p < 0x80))
		return *c->p++;
	return dwarf_uleb_slow(c);
}

/* A number of 1, 2, 3, 4 or 8 bytes. */
uint64_t dwarf_sized(struct cursor *c, unsigned size);

/* The length at the start of a unit; *offset_size becomes 4 or 8. */
uint64_t dwarf_initial_length(struct cursor *c, uint8_t *offset_size);

/* The text at an offset, to its NUL, the end of the section or a limit. */
struct str dwarf_text(struct str section, uint64_t offset);

#endif
