/*
 * Runs a program for which perf_event_open fails.
 *
 * usage: deny seccomp|ptrace ERRNO COMMAND [ARG]...
 *
 * seccomp: by a filter, as containers have it. ptrace: as if the kernel itself said so, for what
 * other kernels do (x86-64 only; 77 elsewhere). Children of the command are not affected by ptrace.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static void filter(int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("seccomp");
		exit(77);
	}
}

#if defined __x86_64__
static int trace(pid_t pid, int error)
{
	int status, ours = 0;
	waitpid(pid, &status, 0);
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	for (int pass = 0;;) {
		if (ptrace(PTRACE_SYSCALL, pid, 0, pass) || waitpid(pid, &status, 0) < 0)
			return 1;
		if (WIFEXITED(status))
			return WEXITSTATUS(status);
		if (WIFSIGNALED(status))
			return 128 + WTERMSIG(status);
		pass = 0;
		if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
			pass = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
			continue;
		}
		struct user_regs_struct regs;
		ptrace(PTRACE_GETREGS, pid, 0, &regs);
		if (ours) {
			regs.rax = (unsigned long long)-error;
			ptrace(PTRACE_SETREGS, pid, 0, &regs);
			ours = 0;
		} else if (regs.orig_rax == SYS_perf_event_open) {
			regs.orig_rax = -1ULL; /* no system call */
			ptrace(PTRACE_SETREGS, pid, 0, &regs);
			ours = 1;
		}
	}
}
#endif

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	int error = atoi(argv[2]);
	if (!strcmp(argv[1], "seccomp")) {
		filter(error);
		execvp(argv[3], argv + 3);
		return 127;
	}
#if defined __x86_64__
	pid_t pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	return trace(pid, error);
#else
	return 77;
#endif
}
