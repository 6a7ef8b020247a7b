// Stacks of all kinds, each for about SECONDS: unwind KIND SECONDS
#include <alloca.h>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define NOINLINE __attribute__((noinline))

static volatile unsigned long sink;

NOINLINE void burn(int n)
{
	for (int i = 0; i < n; i++)
		sink = sink * 31 + (unsigned long)i;
}

NOINLINE int recurse(int n)
{
	if (n == 0) {
		burn(20000);
		return 1;
	}
	int r = recurse(n - 1) + n;
	sink = sink + (unsigned long)r;
	return r;
}
static void recursion() { recurse(30); }
static void deep() { recurse(150); }

NOINLINE int with_alloca(int n)
{
	size_t size = 16 + (size_t)n * 8;
	char *p = static_cast<char *>(alloca(size));
	memset(p, n, size);
	if (n == 0)
		burn(20000);
	else
		sink = sink + (unsigned long)with_alloca(n - 1);
	return p[3];
}
static void allocas() { with_alloca(20); }

struct alignas(64) Aligned {
	char c[64];
};
NOINLINE int realigned(int n)
{
	Aligned a;
	memset(&a, n, sizeof a);
	if (n == 0)
		burn(10000);
	else
		sink = sink + (unsigned long)realigned(n - 1);
	return a.c[5];
}
static void realign() { realigned(10); }

extern "C" NOINLINE int compare(const void *a, const void *b)
{
	burn(20);
	return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}
static void callbacks()
{
	int v[1000];
	for (int &x : v)
		x = rand();
	qsort(v, 1000, sizeof *v, compare);
	sink = sink + (unsigned long)v[5];
	std::vector<std::string> s;
	for (int i = 0; i < 300; i++)
		s.push_back(std::to_string(rand()));
	std::sort(s.begin(), s.end(), [](const std::string &a, const std::string &b) {
		burn(5);
		return a < b;
	});
	sink = sink + (unsigned long)s[0][0];
}

struct Cleanup {
	~Cleanup() { burn(50); }
};
NOINLINE void thrower(int n)
{
	Cleanup c;
	if (n == 0)
		throw std::runtime_error("x");
	thrower(n - 1);
	sink = sink + 1;
}
static void exceptions()
{
	for (int i = 0; i < 50; i++) {
		try {
			thrower(10);
		} catch (std::exception &e) {
			sink = sink + (unsigned long)e.what()[0];
			burn(100);
		}
	}
}

static jmp_buf place;
NOINLINE void jumper(int n)
{
	if (n == 0) {
		burn(3000);
		longjmp(place, 1);
	}
	jumper(n - 1);
	sink = sink + 1;
}
static void jumps()
{
	for (int i = 0; i < 5; i++)
		if (!setjmp(place))
			jumper(8);
}

NOINLINE void handler_work() { burn(20000); }
static void handler(int) { handler_work(); }
static void signals()
{
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	burn(2000);
}

static void library()
{
	char b[256];
	for (int i = 0; i < 300; i++) {
		snprintf(b, sizeof b, "%d %s %f", i, "hello", i * 1.5);
		sink = sink + strlen(b);
		timespec t;
		clock_gettime(CLOCK_MONOTONIC, &t);
	}
}

static void threads()
{
	std::thread a([] {
		for (int i = 0; i < 2000; i++)
			recurse(10);
	});
	std::thread b([] {
		for (int i = 0; i < 500; i++)
			library();
	});
	a.join();
	b.join();
}

static const struct {
	const char *name;
	void (*run)();
} kinds[] = {
	{"recursion", recursion}, {"deep", deep},           {"allocas", allocas},
	{"realign", realign},     {"callbacks", callbacks}, {"exceptions", exceptions},
	{"jumps", jumps},         {"signals", signals},     {"library", library},
	{"threads", threads},
};

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? atof(argv[2]) : 0.3;
	for (const auto &k : kinds) {
		if (argc < 2 || strcmp(k.name, argv[1]) != 0)
			continue;
		timespec start, now;
		clock_gettime(CLOCK_MONOTONIC, &start);
		do {
			k.run();
			clock_gettime(CLOCK_MONOTONIC, &now);
		} while (double(now.tv_sec - start.tv_sec) + double(now.tv_nsec - start.tv_nsec) / 1e9 <
			 seconds);
		return 0;
	}
	return 2;
}
