#include "capture/test_btf.h"

static void members_by_path(void **state)
{
	(void)state;
	static const struct {
		const char *path;
		uint64_t offset, size; /* bits; size 0: not there */
	} all[] = {
		{"ip", 14 * 64, 64},
		{"tid_entry.tid", 12 * 64 + 32, 32},
		{"weight.full", 6 * 64, 64},
		{"weight.var3_w", 6 * 64 + 48, 16},
		{"data_src.mem_op", 5 * 64, 5},
		{"data_src.mem_lvl_num", 5 * 64 + 33, 4},
		{"data_src.mem_hops", 5 * 64 + 43, 3},
		{"tid_entry", 12 * 64, 64},
		{"no_such_member", 0, 0},
		{"tid_entry.no_such_member", 0, 0},
		{"ip.more", 0, 0},
		{"tid_entr", 0, 0},
	};
	for (int swap = 0; swap < 2; swap++) {
		struct out o;
		struct btf b;
		open_types(&b, &o, swap, true);
		uint32_t id = btf_struct(&b, "perf_sample_data");
		assert_int_not_equal(id, 0);
		assert_int_equal(btf_struct(&b, "perf_sample"), 0);
		assert_int_equal(btf_function(&b, "perf_sample_data"), 0);
		assert_int_not_equal(btf_function(&b, "bpf_cast_to_kern_ctx"), 0);
		for (size_t i = 0; i < ARRAY_LEN(all); i++) {
			struct btf_field f;
			bool found = btf_member(&b, id, all[i].path, &f);
			assert_int_equal(found, all[i].size != 0);
			if (!found)
				continue;
			assert_int_equal(f.offset, all[i].offset);
			assert_int_equal(f.size, all[i].size);
		}
		btf_close(&b);
		(void)out_finish(&o);
	}
}

static void types_cut_short(void **state)
{
	(void)state;
	struct out o;
	struct str whole = make_types(&o, false, true);
	for (size_t n = 0; n < whole.n; n++) {
		struct btf b;
		char *copy = mem_alloc(n + 1); /* so that a read behind it is seen */
		memcpy(copy, whole.p, n);
		assert_false(btf_open(&b, str_make(copy, n), NULL));
		free(copy);
	}
	(void)out_finish(&o);
}

/* A struct that has itself as a member without a name must not be followed for ever. */
static void types_in_a_circle(void **state)
{
	(void)state;
	struct types t = {0};
	struct out o;
	struct btf b;
	struct btf_field f;
	out_memory(&t.types);
	out_memory(&t.names);
	out_memory(&o);
	out_char(&t.names, '\0');
	type(&t, "s", STRUCT, 3, false, 8);
	member(&t, "", 1, 0);
	member(&t, "", 2, 0);
	member(&t, "", 1, 0);
	type(&t, "t", TYPEDEF, 0, false, 2);
	uint32_t header[] = {0x0001eb9f,         24, 0, (uint32_t)t.types.n, (uint32_t)t.types.n,
			     (uint32_t)t.names.n};
	out_bytes(&o, header, sizeof header);
	out_bytes(&o, t.types.buf, t.types.n);
	out_bytes(&o, t.names.buf, t.names.n);
	assert_true(btf_open(&b, out_text(&o), NULL));
	assert_false(btf_member(&b, 1, "x", &f));
	assert_false(btf_member(&b, 2, "x", &f));
	assert_false(btf_member(&b, 77, "x", &f));
	btf_close(&b);
	(void)out_finish(&o);
	(void)out_finish(&t.types);
	(void)out_finish(&t.names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_by_path),
		cmocka_unit_test(types_cut_short),
		cmocka_unit_test(types_in_a_circle),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
