/* What every fuzzer needs beside its one function. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

/* Input must not be able to make us ask for more than there is: that is a finding. */
_Noreturn void mem_exhausted(size_t bytes)
{
	fprintf(stderr, "out of memory: %zu bytes\n", bytes);
	abort();
}
