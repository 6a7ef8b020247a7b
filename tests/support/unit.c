/* What every unit test program needs beside its own main(). */
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"

_Noreturn void mem_exhausted(size_t bytes)
{
	fprintf(stderr, "out of memory: %zu bytes\n", bytes);
	_exit(99);
}
