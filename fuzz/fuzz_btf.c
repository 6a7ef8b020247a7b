/* A kernel's description of its types, and what filters look for in it. */
#include "capture/filter_code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct btf b;
	struct filter_layout l;
	struct btf_field field;
	if (!btf_open(&b, str_make((const char *)data, size), NULL))
		return 0;
	filter_layout_init(&l, &b);
	for (size_t i = 0; i < b.at.n && i < 64; i++)
		(void)!btf_member(&b, (uint32_t)i, "a.b", &field);
	btf_close(&b);
	return 0;
}
