/*
 * robust KILN TRUNCATIONS FLIPS FILE...: damages perf.data files and looks what kiln makes of them.
 *
 * Each case is one damaged copy (cut at a random byte, or with one to eight random bytes changed)
 * given to one of kiln's commands. What is asked of each: no signal, no report of a sanitizer, an
 * end within the time limit, bounded memory; a failure says why; a cut file is never shown as
 * whole.
 *
 * The cases depend on the files and a fixed seed only. A bad one is kept in the current directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LIMIT_SECONDS = 20,
	LIMIT_MB = 1500, /* sanitizers double what a program needs, and more */
	SANITIZER_STATUS = 99,
	WORKERS_MAX = 64,
};

struct job {
	pid_t pid;
	size_t number;
	bool cut, open_ended;
	char what[160];
	char path[64], errors[64];
};

struct run {
	const char *kiln;
	char **files;
	size_t file_count;
	struct job jobs[WORKERS_MAX];
	size_t running, workers;
	size_t passed, failed;
	uint64_t random;
};

static const char *const commands[][6] = {
	{"report", "--stdio", "-i", NULL},
	{"report", "--stdio", "--children", "-i", NULL},
	{"script", "-i", NULL},
	{"fold", "-i", NULL},
	{"evlist", "-v", "-i", NULL},
	{"flame", "-o", "/dev/null", "-i", NULL},
};

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

_Noreturn static void die(const char *what)
{
	perror(what);
	exit(2);
}

static uint8_t *read_whole(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) != 0)
		die(path);
	*size = (size_t)st.st_size;
	uint8_t *data = malloc(*size + 1);
	if (!data || read(fd, data, *size) != (ssize_t)*size)
		die(path);
	close(fd);
	return data;
}

static void write_whole(const char *path, const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		die(path);
	close(fd);
}

/* Half of the changes go to the first 4 KB: header, attributes and first records steer the rest. */
static void flip_bytes(struct run *r, struct job *j, uint8_t *data, size_t size)
{
	size_t count = 1 + next_random(&r->random) % 8;
	size_t range = next_random(&r->random) % 2 && size > 4096 ? 4096 : size;
	size_t at = 0;
	for (size_t i = 0; i < count; i++) {
		at = next_random(&r->random) % range;
		data[at] ^= (uint8_t)(1 + next_random(&r->random) % 255);
	}
	snprintf(j->what, sizeof j->what, "%zu bytes changed, last at %zu", count, at);
}

static uint64_t u64_at(const uint8_t *data, size_t size, size_t at)
{
	uint64_t v = 0;
	if (at + sizeof v <= size)
		memcpy(&v, data + at, sizeof v);
	return v;
}

/* By size of the header, and of the data. */
static bool is_open_ended(const uint8_t *data, size_t size)
{
	return u64_at(data, size, 8) == 16 || u64_at(data, size, 48) == 0;
}

static void damage(struct run *r, struct job *j)
{
	const char *source = r->files[j->number % r->file_count];
	size_t size;
	uint8_t *data = read_whole(source, &size);
	j->open_ended = is_open_ended(data, size);
	if (j->cut) {
		size = next_random(&r->random) % size;
		snprintf(j->what, sizeof j->what, "cut to %zu bytes", size);
	} else {
		flip_bytes(r, j, data, size);
	}
	snprintf(j->path, sizeof j->path, "case-%zu.data", j->number);
	snprintf(j->errors, sizeof j->errors, "case-%zu.stderr", j->number);
	write_whole(j->path, data, size);
	free(data);
}

static const char *const *command_of(const struct job *j)
{
	return commands[j->number / 2 % (sizeof commands / sizeof commands[0])];
}

_Noreturn static void exec_kiln(const struct run *r, const struct job *j)
{
	const char *argv[9] = {r->kiln};
	size_t n = 1;
	for (const char *const *word = command_of(j); *word; word++)
		argv[n++] = *word;
	argv[n] = j->path;
	int null = open("/dev/null", O_RDWR);
	int errors = open(j->errors, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	dup2(null, 0);
	dup2(null, 1);
	dup2(errors, 2);
	alarm(LIMIT_SECONDS);
	execv(r->kiln, (char **)argv);
	_exit(127);
}

/* NULL when all is well, else what is not. */
static const char *judge(const struct job *j, int status, const struct rusage *use)
{
	struct stat st;
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGALRM ? "does not end" : "dies of a signal";
	if (WEXITSTATUS(status) == SANITIZER_STATUS)
		return "has a report of a sanitizer";
	if (WEXITSTATUS(status) > 2)
		return "ends with an exit status that means nothing";
	if (use->ru_maxrss / 1024 > LIMIT_MB)
		return "takes too much memory";
	if (WEXITSTATUS(status) != 0 && (stat(j->errors, &st) != 0 || st.st_size == 0))
		return "fails without a word";
	if (WEXITSTATUS(status) == 0 && j->cut && !j->open_ended)
		return "shows a cut file as if it were whole";
	return NULL;
}

static void show_errors(const char *path)
{
	char buf[2000];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, sizeof buf - 1);
	if (n > 0) {
		buf[n] = '\0';
		printf("%s\n", buf);
	}
	if (fd >= 0)
		close(fd);
}

static void collect(struct run *r)
{
	int status;
	struct rusage use;
	pid_t pid = wait4(-1, &status, 0, &use);
	if (pid < 0)
		die("wait4");
	struct job *j = r->jobs;
	while (j->pid != pid)
		j++;
	const char *wrong = judge(j, status, &use);
	if (wrong) {
		r->failed++;
		printf("kiln %s on %s (%s, %s) %s; status %#x\n", command_of(j)[0], j->path,
		       r->files[j->number % r->file_count], j->what, wrong, (unsigned)status);
		show_errors(j->errors);
	} else {
		r->passed++;
		unlink(j->path);
	}
	unlink(j->errors);
	j->pid = 0;
	r->running--;
}

static void start(struct run *r, size_t number, bool cut)
{
	if (r->running == r->workers)
		collect(r);
	struct job *j = r->jobs;
	while (j->pid)
		j++;
	*j = (struct job){.number = number, .cut = cut};
	damage(r, j);
	fflush(stdout);
	j->pid = fork();
	if (j->pid < 0)
		die("fork");
	if (j->pid == 0)
		exec_kiln(r, j);
	r->running++;
}

int main(int argc, char **argv)
{
	if (argc < 5) {
		fprintf(stderr, "usage: robust KILN TRUNCATIONS FLIPS FILE...\n");
		return 2;
	}
	struct run r = {.kiln = argv[1],
			.files = argv + 4,
			.file_count = (size_t)argc - 4,
			.random = 20240229};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	r.workers = cpus < 1 ? 1 : cpus > WORKERS_MAX ? WORKERS_MAX : (size_t)cpus;
	size_t cuts = strtoul(argv[2], NULL, 10), flips = strtoul(argv[3], NULL, 10);

	setenv("ASAN_OPTIONS", "exitcode=99:allocator_may_return_null=0", 1);
	setenv("UBSAN_OPTIONS", "exitcode=99:halt_on_error=1:print_stacktrace=1", 1);
	for (size_t i = 0; i < cuts + flips && r.failed < 20; i++)
		start(&r, i, i < cuts);
	while (r.running)
		collect(&r);
	printf("%zu damaged files, %zu handled well, %zu not\n", r.passed + r.failed, r.passed,
	       r.failed);
	return r.failed ? 1 : 0;
}
