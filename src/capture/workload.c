#include "capture/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

/* What samples between fork and the new program's own name are called. */
#define COMM_BEFORE_EXEC "kiln-exec"

static _Noreturn void child(char *const *argv, int go, int failed, bool stdout_to_stderr,
			    const sigset_t *mask)
{
	char byte;
	ssize_t n;
	if (stdout_to_stderr)
		(void)dup2(STDERR_FILENO, STDOUT_FILENO);
	prctl(PR_SET_NAME, COMM_BEFORE_EXEC);
	/* Ignored signals stay ignored over exec, and we ignore these for our own sake. */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	do
		n = read(go, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(0);
	execvp(argv[0], argv);
	int error = errno;
	if (write(failed, &error, sizeof error) != sizeof error)
		_exit(126);
	_exit(127);
}

bool workload_fork(struct workload *w, char *const *argv, bool stdout_to_stderr,
		   const sigset_t *mask, struct err *err)
{
	int go[2], failed[2];
	*w = (struct workload){.go = -1, .failed = -1, .pidfd = -1};
	if (pipe2(go, O_CLOEXEC) != 0)
		return err_sys(err, errno, "cannot make a pipe");
	if (pipe2(failed, O_CLOEXEC) != 0) {
		err_sys(err, errno, "cannot make a pipe");
		close(go[0]);
		close(go[1]);
		return false;
	}
	pid_t pid = fork();
	if (pid == 0) {
		close(go[1]);
		close(failed[0]);
		child(argv, go[0], failed[1], stdout_to_stderr, mask);
	}
	int error = errno;
	close(go[0]);
	close(failed[1]);
	w->go = go[1];
	w->failed = failed[0];
	if (pid < 0) {
		close_fd(&w->go);
		close_fd(&w->failed);
		return err_sys(err, error, "cannot start a process for %s", argv[0]);
	}
	w->pid = pid;
	w->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	return true;
}

bool workload_start(struct workload *w, const char *name, struct err *err)
{
	int error = 0;
	ssize_t n;
	if (write(w->go, "", 1) != 1)
		return err_sys(err, errno, "cannot start %s", name);
	do
		n = read(w->failed, &error, sizeof error);
	while (n < 0 && errno == EINTR);
	if (n == sizeof error)
		return err_sys(err, error, "cannot run %s", name);
	return true;
}

bool workload_poll(struct workload *w)
{
	if (w->pid && !w->ended)
		w->ended = waitpid(w->pid, &w->status, WNOHANG) != 0;
	return !w->pid || w->ended;
}

void workload_stop(struct workload *w)
{
	close_fd(&w->go);
	if (!workload_poll(w))
		kill(w->pid, SIGTERM);
}

void workload_end(struct workload *w)
{
	if (!w->pid)
		return;
	close_fd(&w->go);
	while (!w->ended) {
		pid_t got = waitpid(w->pid, &w->status, 0);
		if (got < 0 && errno == EINTR)
			kill(w->pid, SIGKILL);
		else
			w->ended = true;
	}
	close_fd(&w->failed);
	close_fd(&w->pidfd);
}
