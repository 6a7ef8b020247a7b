/* A program of many kinds of behaviour, for the differential tests: kinds KIND... */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;

__attribute__((noinline)) static void burn(int milliseconds)
{
	struct timespec now, begin;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (int i = 0; i < 1000; i++)
			sink += i;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 <
		 milliseconds);
}

static void *named_thread(void *name)
{
	burn(3);
	prctl(PR_SET_NAME, name);
	burn(8);
	return NULL;
}

static void names(void)
{
	static const char *const list[] = {"a b c",      "[x]",      "12345",       "x",
					   "",           "\xc3\xa9", "two\nlines",  "(p q)",
					   "semi;colon", "tab\tx",   "kworker/0:1", " lead",
					   "end ",       "%s%n",     "f 12 b"};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		pthread_t t;
		pthread_create(&t, NULL, named_thread, (void *)list[i]);
		pthread_join(t, NULL);
	}
}

static void forks(void)
{
	for (int i = 0; i < 40; i++) {
		if (fork() == 0) {
			if (i % 3 == 0)
				prctl(PR_SET_NAME, "child of mine");
			burn(2);
			if (i % 4 == 0 && fork() == 0)
				burn(2);
			if (i % 5 == 0)
				execl("/bin/true", "true", NULL);
			_exit(0);
		}
		if (i % 4 == 3)
			while (wait(NULL) > 0)
				continue;
	}
	while (wait(NULL) > 0)
		continue;
}

static void on_signal(int number)
{
	(void)number;
	burn(2);
}

static void signals(void)
{
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 20; i++)
		raise(SIGUSR1);
}

/* A loop in memory that no file stands behind, once with and once without a name. */
static void jit(void)
{
#ifdef __x86_64__
	static const unsigned char loop[] = {0x55, 0x48, 0x89, 0xe5, 0x89, 0xf8,
					     0xff, 0xc8, 0x75, 0xfc, 0x5d, 0xc3};
	char *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	memcpy(code, loop, sizeof loop);
	memcpy(code + 256, loop, sizeof loop);
	snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
	FILE *f = fopen(path, "w");
	if (f) {
		fprintf(f, "%lx 40 a function, of sorts\nnonsense\n", (unsigned long)code);
		fclose(f);
	}
	for (int i = 0; i < 200; i++) {
		((int (*)(int))(void *)code)(400000);
		((int (*)(int))(void *)(code + 256))(400000);
	}
#endif
}

static void faults(void)
{
	for (int i = 0; i < 20; i++) {
		char *p = mmap(NULL, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			       -1, 0);
		memset(p, 1, 1 << 18);
		munmap(p, 1 << 18);
		burn(2);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {{"names", names},
		     {"forks", forks},
		     {"signals", signals},
		     {"jit", jit},
		     {"faults", faults}};
	for (int i = 1; i < argc; i++)
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
			if (!strcmp(argv[i], kinds[k].name))
				kinds[k].run();
	return 0;
}
