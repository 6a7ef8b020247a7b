#include <sys/prctl.h>

#include "cli/workloads/workloads.h"

/* Two members 56 bytes apart in one cache line. The initial value puts it into .data. */
struct buf {
	volatile char data1;
	char reserved[55];
	volatile char data2;
} __attribute__((aligned(64)));

static struct buf buf1 = {.reserved = {1}};

int datasym(int argc, char *const *argv)
{
	(void)argc;
	(void)argv;
	prctl(PR_SET_NAME, "perf-datasym");
	for (;;) {
		buf1.data1 = (char)(buf1.data1 + 1);
		buf1.data2 = (char)(buf1.data2 + buf1.data1);
	}
}
