/*
 * measure [-t SECONDS] [-o FILE] -- COMMAND: what a command costs.
 * measure -n: the time now, in microseconds of the monotonic clock.
 *
 * Runs the command with its output sent to FILE (default /dev/null) and prints one line on stdout:
 * CPU seconds (user + system, of the command and the children it waited for), wall seconds, peak
 * resident set in MB, exit status (128 + signal when it was killed; 124 when the limit was
 * reached).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t timed_out;
static volatile pid_t child;

/* The command leads its own process group, so that a pipeline under sh ends as a whole. */
static void on_alarm(int sig)
{
	(void)sig;
	timed_out = 1;
	if (child > 0)
		kill(-child, SIGKILL);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

_Noreturn static void run_command(char **command, const char *out)
{
	setpgid(0, 0);
	int null = open("/dev/null", O_RDWR);
	int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (null < 0 || fd < 0) {
		fprintf(stderr, "measure: cannot open %s: %s\n", out, strerror(errno));
		_exit(127);
	}
	dup2(null, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execvp(command[0], command);
	_exit(127);
}

int main(int argc, char **argv)
{
	const char *out = "/dev/null";
	unsigned limit = 0;
	int c;
	while ((c = getopt(argc, argv, "+t:o:n")) != -1) {
		if (c == 't')
			limit = (unsigned)strtoul(optarg, NULL, 10);
		else if (c == 'o')
			out = optarg;
		else if (c == 'n')
			return printf("%.0f\n", now() * 1e6) < 0;
		else
			return 2;
	}
	if (optind >= argc) {
		fprintf(stderr, "usage: measure [-t SECONDS] [-o FILE] -- COMMAND...\n");
		return 2;
	}

	double start = now();
	pid_t pid = fork();
	if (pid < 0) {
		perror("measure: fork");
		return 2;
	}
	if (pid == 0)
		run_command(argv + optind, out);
	setpgid(pid, pid); /* also here: whoever comes first */
	child = pid;
	struct sigaction action = {.sa_handler = on_alarm};
	sigaction(SIGALRM, &action, NULL);
	alarm(limit);

	int status;
	struct rusage use;
	while (wait4(pid, &status, 0, &use) < 0)
		if (errno != EINTR) {
			perror("measure: wait4");
			return 2;
		}
	double wall = now() - start;
	int code = timed_out             ? 124
		   : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
					 : WEXITSTATUS(status);
	printf("%.3f %.3f %.1f %d\n", seconds(use.ru_utime) + seconds(use.ru_stime), wall,
	       (double)use.ru_maxrss / 1024, code);
	return 0;
}
