/*
 * Another program without libc, built with -O2 and debug information: what it does is inlined, twice
 * over in places, and a function is called from within an inlined one.
 */
static volatile unsigned long sink;

#define INLINED static inline __attribute__((always_inline))
#define CALLED __attribute__((noinline))

INLINED unsigned long mix(unsigned long x)
{
	for (int i = 0; i < 40; i++)
		x = x * 31 + (x >> 7);
	return x;
}

INLINED unsigned long twice(unsigned long x)
{
	x ^= 0x55;
	return mix(x) + 1;
}

CALLED void touch(void)
{
	sink++;
}

CALLED unsigned long leaf(unsigned long x)
{
	x = twice(x) ^ mix(x + 3);
	touch(); /* else it would have no frame */
	return x;
}

INLINED unsigned long through(unsigned long x)
{
	return leaf(x) +
	       leaf(x + 1);
}

CALLED unsigned long rounds(unsigned long n)
{
	unsigned long sum = 0;
	for (unsigned long i = 0; i < n; i++)
		sum += through(i);
	return sum;
}

__attribute__((noreturn, used)) void entry(void)
{
	sink = rounds(1000000);
	__asm__ volatile("syscall" : : "a"(231), "D"(0)); /* exit_group(0) */
	__builtin_unreachable();
}

/* The chain of frame pointers ends here, at zero. */
__asm__(".globl _start\n.type _start, @function\n_start:\n"
	".cfi_startproc\n.cfi_undefined rip\n"
	"xor %ebp, %ebp\nand $-16, %rsp\ncall entry\nhlt\n"
	".cfi_endproc\n.size _start, . - _start\n");
