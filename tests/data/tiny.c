/*
 * The program of the recordings here: no libc, so that one small file holds every symbol. Its call
 * tree is known: main calls light (1 part of the work) and heavy (3 parts: 1 of its own, 2 in deep,
 * half of them through the recursion of down).
 */
static volatile unsigned long sink;

__attribute__((noinline)) static void spin(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * i;
}

__attribute__((noinline)) static void down(int depth, unsigned long n)
{
	if (depth > 0)
		down(depth - 1, n);
	else
		spin(n);
	sink++;
}

__attribute__((noinline)) static void deep(unsigned long n)
{
	spin(n);
	down(6, n);
	sink++;
}

__attribute__((noinline)) static void heavy(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * i;
	deep(n);
	sink++;
}

__attribute__((noinline)) static void light(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i * i;
}

__attribute__((noinline)) static void rounds(void)
{
	for (int i = 0; i < 300; i++) {
		light(400000);
		heavy(400000);
	}
}

__attribute__((noreturn, used)) void entry(void)
{
	rounds();
	__asm__ volatile("syscall" : : "a"(231), "D"(0)); /* exit_group(0) */
	__builtin_unreachable();
}

/* The chain of frame pointers ends here, at zero. */
__asm__(".globl _start\n.type _start, @function\n_start:\n"
	"xor %ebp, %ebp\nand $-16, %rsp\ncall entry\nhlt\n.size _start, . - _start\n");
