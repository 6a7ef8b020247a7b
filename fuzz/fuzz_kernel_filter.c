/* Filters as they come from --filter; what parses must parse again from its own print, and become a
 * program whose jumps stay inside. */
#include <stdlib.h>

#include "capture/filter_code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_print(const struct kernel_filter *f)
{
	struct kernel_filter again = {0};
	struct out o;
	out_memory(&o);
	kernel_filter_print(f, &o);
	out_char(&o, '\0');
	if (!kernel_filter_parse(&again, o.buf, NULL) || again.tests.n != f->tests.n)
		abort();
	for (size_t i = 0; i < f->tests.n; i++) {
		const struct filter_test *a = &f->tests.v[i], *b = &again.tests.v[i];
		if (a->term != b->term || a->op != b->op || a->value != b->value ||
		    a->alternative != b->alternative)
			abort();
	}
	kernel_filter_free(&again);
	(void)out_finish(&o);
}

static void check_program(const struct kernel_filter *f)
{
	struct filter_layout l = {.cast = 1};
	struct filter_code code = {0};
	for (size_t i = 0; i < FILTER_TERMS; i++)
		l.terms[i] = l.snoopx = (struct filter_place){FILTER_FROM_SAMPLE, 8, 8, 3, 5};
	filter_compile(f, &l, 3, &code);
	for (size_t i = 0; i < code.v.n; i++) {
		const struct bpf_insn *insn = &code.v.v[i];
		bool jump = BPF_CLASS(insn->code) == BPF_JMP && BPF_OP(insn->code) != BPF_CALL &&
			    BPF_OP(insn->code) != BPF_EXIT;
		if (jump && (insn->off < 0 || i + 1 + (size_t)insn->off >= code.v.n))
			abort();
	}
	if (vec_last(&code.v).code != (BPF_JMP | BPF_EXIT))
		abort();
	vec_free(&code.v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernel_filter f = {0};
	struct err err = {0};
	char *text = mem_alloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	if (kernel_filter_parse(&f, text, &err)) {
		check_print(&f);
		check_program(&f);
	} else if (!err.text[0] || f.tests.n) {
		abort();
	}
	kernel_filter_free(&f);
	free(text);
	return 0;
}
