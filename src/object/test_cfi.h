/* CFI sections for tests, written entry by entry. */
#ifndef KILN_TEST_CFI_H
#define KILN_TEST_CFI_H

#include "base/out.h"
#include "object/cfi.h"

struct test_cfi {
	struct out o;
	size_t cie; /* where the latest CIE is */
	bool debug; /* .debug_frame */
	bool wide;  /* 64-bit DWARF */
};

static inline void cfi_put(struct test_cfi *t, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		out_char(&t->o, (char)(v >> 8 * i));
}

static inline size_t cfi_begin(struct test_cfi *t)
{
	if (t->wide)
		cfi_put(t, UINT32_MAX, 4);
	cfi_put(t, 0, t->wide ? 8 : 4);
	return t->o.n;
}

static inline void cfi_end(struct test_cfi *t, size_t start)
{
	uint64_t length = t->o.n - start;
	int bytes = t->wide ? 8 : 4;
	memcpy(t->o.buf + start - bytes, &length, (size_t)bytes);
}

#define PROGRAM(...)                                                \
	((struct str){(const char *)(const uint8_t[]){__VA_ARGS__}, \
		      sizeof((const uint8_t[]){__VA_ARGS__})})

/* Version 1 (4 in .debug_frame), code alignment 1, data alignment -8, absolute pointers.
 * augmentation: "" or "zR" or "zRS". */
static inline void cfi_cie(struct test_cfi *t, const struct arch *a, const char *augmentation,
			   struct str program)
{
	t->cie = t->o.n;
	size_t start = cfi_begin(t);
	cfi_put(t, t->debug ? UINT64_MAX : 0, t->debug && t->wide ? 8 : 4);
	cfi_put(t, t->debug ? 4 : 1, 1);
	out_bytes(&t->o, augmentation, strlen(augmentation) + 1);
	if (t->debug)
		cfi_put(t, 8, 2); /* sizes of an address and of a segment */
	cfi_put(t, 1, 1);
	cfi_put(t, 0x78, 1);
	cfi_put(t, a->dwarf.ra, 1);
	if (augmentation[0] == 'z') {
		cfi_put(t, 1, 1);
		cfi_put(t, 0, 1);
	}
	out_str(&t->o, program);
	cfi_end(t, start);
}

static inline void cfi_fde(struct test_cfi *t, bool augmented, uint64_t pc, uint64_t size,
			   struct str program)
{
	size_t start = cfi_begin(t);
	cfi_put(t, t->debug ? t->cie : t->o.n - t->cie, t->debug && t->wide ? 8 : 4);
	cfi_put(t, pc, 8);
	cfi_put(t, size, 8);
	if (augmented)
		cfi_put(t, 0, 1);
	out_str(&t->o, program);
	cfi_end(t, start);
}

/* What x86-64 functions begin with: CFA = sp + 8, the return address right below it. */
#define X86_START PROGRAM(0x0c, 7, 8, 0x90, 1)
/* arm64: CFA = sp */
#define ARM_START PROGRAM(0x0c, 31, 0)

static inline bool test_cfi_build(struct test_cfi *t, const struct arch *a, struct cfi_table *out)
{
	struct cfi_input in = {.arch = a};
	in.sections[0] = (struct cfi_section){.data = out_text(&t->o), .eh = !t->debug};
	in.sections[1].data = STR("");
	return cfi_build(out, &in);
}

#endif
