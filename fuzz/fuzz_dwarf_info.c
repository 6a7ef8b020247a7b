/*
 * Everything but line programs: units, abbreviations, DIEs, ranges, names, packages. The input is a
 * byte of flags, then the sections in the order below, each behind its length (4 bytes, little
 * endian, cut to what is there); then the sections of a second file in the same way. Where the
 * flags say so, the second file (the first, when there is no second) is also the one shared by dwz,
 * and the split unit or package of every skeleton.
 */
#include <stdlib.h>

#include "object/dwarf.h"
#include "object/dwarf_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FRAMES_MAX 64

static bool give_split(void *ctx, const struct dwarf_split *want, struct dwarf_sections *out)
{
	(void)want;
	*out = *(const struct dwarf_sections *)ctx;
	return true;
}

static uint64_t sum; /* so that no read is optimised away */

static void touch(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		sum += (uint8_t)s.p[i];
}

static void check(struct dwarf *d, const uint64_t *addrs, size_t n)
{
	struct dwarf_results r;
	dwarf_lookup(d, addrs, n, NULL, &r);
	for (size_t i = 0; i < n; i++) {
		struct dwarf_frame frames[FRAMES_MAX];
		size_t count = dwarf_frames_at(d, addrs[i], frames, FRAMES_MAX);
		if (count != MIN(r.at[i].n, FRAMES_MAX))
			abort();
		for (size_t k = 0; k < count; k++) {
			touch(frames[k].function);
			if (frames[k].file)
				touch(frames[k].file->name);
			if (!str_eq(frames[k].function, r.at[i].v[k].function))
				abort();
		}
	}
	dwarf_results_free(&r);
}

static struct dwarf_sections take_sections(struct cursor *c, uint8_t flags)
{
	struct dwarf_sections s = {.swap = flags & 1, .relocatable = flags & 2};
	struct str *slots[] = {&s.info,     &s.abbrev,      &s.str,      &s.line,
			       &s.line_str, &s.ranges,      &s.addr,     &s.types,
			       &s.aranges,  &s.str_offsets, &s.rnglists, &s.cu_index};
	for (size_t i = 0; i < ARRAY_LEN(slots); i++) {
		size_t n = cursor_u32(c);
		n = MIN(n, cursor_left(c));
		*slots[i] = str_make((const char *)c->p, n);
		cursor_skip(c, n);
	}
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor c = cursor_of(data, size, false);
	uint8_t flags = cursor_u8(&c);
	struct dwarf_sections s = take_sections(&c, flags);
	struct dwarf_sections other = cursor_left(&c) ? take_sections(&c, flags) : s;
	if (flags & 4)
		s.alt = &other;

	/* The addresses the units themselves name. */
	struct dwarf_data d;
	struct dwarf_index ix = {0};
	uint64_t addrs[64];
	size_t n = 0;
	dwarf_data_init(&d, &s, NULL);
	dwarf_data_scan(&d);
	dwarf_index_build(&ix, &d);
	dwarf_index_build_silent(&ix, &d);
	for (size_t i = 0; i < MIN(ix.segments.n, 16); i++) {
		const struct dwarf_segment *g = &ix.segments.v[i];
		addrs[n++] = g->low;
		addrs[n++] = g->low + (g->high - g->low) / 3;
		addrs[n++] = g->high - 1;
	}
	dwarf_index_free(&ix);
	dwarf_data_free(&d);
	addrs[n++] = 0x1000;

	struct dwarf *w = dwarf_new(&s, flags & 8 ? give_split : NULL, &other);
	check(w, addrs, n);
	dwarf_free(w);
	return 0;
}
