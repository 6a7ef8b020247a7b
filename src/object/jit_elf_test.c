#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "object/jit_elf.h"
#include "object/test_jitdump.h"

/* What was written is read by the same code as any other file. */
static void there_and_back(void **state)
{
	(void)state;
	struct dump_maker m;
	struct jit_table t = {0};
	dump_begin(&m, false, 0);
	dump_record(&m, 4, 24 + 20, 10);
	dump_u64(&m, 20);
	dump_u64(&m, 8);
	dump_u64(&m, 0);
	out_bytes(&m.out, "\x08\0\0\0EHFRAME!\x01HEADER!", 20);
	dump_load(&m, 1, 0x1000, 13, 1, "name with blanks");
	dump_load(&m, 1, 0x2000, 4096, 2, "other");
	assert_true(jit_table_read_dump(&t, m.out.buf, m.out.n, "dump", NULL, NULL));
	jit_table_seal(&t);
	struct build_id ids[2];
	for (size_t i = 0; i < 2; i++) {
		const struct jit_load *l = &t.loads.v[i];
		struct symtab s;
		struct out o;
		out_memory(&o);
		out_cstr(&o, "x"); /* wherever it begins */
		jit_elf_write(&o, &t, &t.codes.v[i], &ids[i]);
		char *copy = mem_dup(o.buf + 1, o.n - 1);
		struct err err = {0};
		assert_true(symtab_load_image(&s, copy, o.n - 1, &err));
		const struct symbol *found = symtab_find(&s, JIT_ELF_TEXT + l->size - 1);
		assert_non_null(found);
		assert_string_equal(found->name, t.codes.v[i].name);
		assert_int_equal(found->end - found->start, l->size);
		assert_memory_equal(copy + JIT_ELF_TEXT, l->bytes, l->size);
		assert_true(build_id_eq(&s.build_id, &ids[i]));
		if (l->eh_frame)
			assert_memory_equal(copy + JIT_ELF_TEXT + 16, l->eh_frame, 12);
		symtab_free(&s);
		free(copy);
		(void)out_finish(&o);
	}
	assert_false(build_id_eq(&ids[0], &ids[1]));
	jit_table_free(&t);
	(void)out_finish(&m.out);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
