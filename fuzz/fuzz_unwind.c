/*
 * Unwinding: hostile tables, registers and stacks. The first byte: bit 0 arm64, bit 1 a chain of
 * the kernel; two bytes say how long the .eh_frame section is, which follows; then registers, and
 * the stack up to the end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "perfdata/test_maker.h"
#include "resolve/unwind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct cfi_table *find_table(void *ctx, object_id object, uint64_t addr)
{
	(void)object;
	(void)addr;
	return ctx;
}

/* Code nearly everywhere. */
static struct session *make_session(void)
{
	struct session *s = session_new();
	struct maker m;
	mk_init(&m, false);
	mk_u32(&m, 1);
	mk_u32(&m, 1);
	mk_u64(&m, 0x1000);
	mk_u64(&m, (uint64_t)1 << 62);
	mk_zeros(&m, 32);
	mk_u32(&m, PROT_READ | PROT_EXEC);
	mk_u32(&m, 0);
	mk_text(&m, "//anon", 8);
	struct record r = mk_view(&m, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	session_apply(s, &r, &(struct sample_id){.pid = 1, .tid = 1, .time = 1}, NULL);
	(void)out_finish(&m.o);
	session_seal(s);
	return s;
}

static void run(struct session *s, const char *machine, const struct cfi_table *t, struct cursor *c,
		bool chained)
{
	struct resolve_options opt = {0};
	struct unwinder *u = unwinder_new(s, machine, &opt);
	uint64_t regs[64] = {0}, chain[3] = {0x1000, 0x2000, 0};
	for (size_t i = 0; i < 33; i++)
		regs[i] = cursor_u64(c);
	struct unwind_input in = {.process = session_who_at(s, 1, 1, 1).process,
				  .time = 1,
				  .space = 1,
				  .mask = ((uint64_t)1 << 33) - 1,
				  .regs = (const uint8_t *)regs,
				  .stack = c->p,
				  .stack_size = cursor_left(c),
				  .chain = chain,
				  .chain_count = chained ? 3 : 0};
	if (t)
		unwinder_add_source(u, &(struct unwind_source){find_table, (void *)t});
	struct unwind_result r = unwinder_run(u, &in);
	if (!r.count || r.count > 8192)
		abort();
	uint64_t caller;
	(void)unwinder_leaf_caller(u, &in, &caller);
	unwinder_free(u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor c = cursor_of(data, size, false);
	uint8_t how = cursor_u8(&c);
	size_t n = cursor_u16(&c);
	const uint8_t *section = cursor_bytes(&c, MIN(n, cursor_left(&c)));
	if (c.bad)
		return 0;
	const struct arch *arch = how & 1 ? &arch_arm64 : &arch_x86_64;
	struct cfi_input in = {.arch = arch};
	in.sections[0] = (struct cfi_section){
		{(const char *)section, (size_t)(c.p - section)}, 0x4000, true};
	in.sections[1].data = STR("");
	struct cfi_table t;
	bool any = cfi_build(&t, &in);
	struct session *s = make_session();
	run(s, arch->name, any ? &t : NULL, &c, how & 2);
	session_free(s);
	cfi_free(&t);
	return 0;
}
