#include "capture/targets.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/thread_masks.h"

#define MOUNT_PROC "mount -t proc proc /proc"

static void add_thread(struct targets *t, int32_t tid)
{
	if (u64map_get(&t->seen, (uint64_t)tid))
		return;
	u64map_put(&t->seen, (uint64_t)tid, 0);
	vec_push(&t->tids, tid);
}

/* Not in /proc: because it is not there, because it is hidden, or because /proc is not. */
static bool fail_missing(const char *what, int32_t id, struct err *err)
{
	if (access("/proc/self", F_OK) != 0) {
		err_set(err, ERR_SYSTEM, "%s %d cannot be found: /proc is not mounted", what, id);
		return err_hint(err, MOUNT_PROC);
	}
	if (kill(id, 0) != 0 && errno == EPERM) {
		err_set(err, ERR_PERMISSION, "%s %d belongs to another user", what, id);
		return err_hint(err, "run as that user, or with sudo");
	}
	err_set(err, ERR_INPUT, "there is no %s %d", what, id);
	return err_hint(err, "`pgrep -a NAME` finds a process by its name");
}

static bool add_process(struct targets *t, int32_t pid, struct err *err)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	DIR *d = opendir(path);
	if (!d && (errno == ENOENT || errno == ESRCH))
		return fail_missing("process", pid, err);
	if (!d)
		return err_sys(err, errno, "cannot read %s", path);
	for (struct dirent *e; (e = readdir(d));) {
		uint64_t tid;
		if (str_to_u64(str_of(e->d_name), 10, &tid) && tid <= INT32_MAX)
			add_thread(t, (int32_t)tid);
	}
	closedir(d);
	return true;
}

/* What a user runs now. Processes that end meanwhile are none of it. */
static bool add_user(struct targets *t, uint32_t user, struct err *err)
{
	DIR *d = access("/proc/self", F_OK) == 0 ? opendir("/proc") : NULL;
	if (!d) {
		err_set(err, ERR_SYSTEM, "what user %u runs cannot be found: /proc is not mounted",
			user);
		return err_hint(err, MOUNT_PROC);
	}
	for (struct dirent *e; (e = readdir(d));) {
		uint64_t pid;
		struct stat st;
		if (str_to_u64(str_of(e->d_name), 10, &pid) && pid && pid <= INT32_MAX &&
		    fstatat(dirfd(d), e->d_name, &st, 0) == 0 && st.st_uid == user &&
		    add_process(t, (int32_t)pid, NULL))
			vec_push(&t->user_pids, (int32_t)pid);
	}
	closedir(d);
	if (!t->tids.n)
		return err_set(err, ERR_INPUT, "user %u runs nothing now", user);
	return true;
}

static bool add_cpus(struct targets *t, const struct capture_plan *plan, struct err *err)
{
	for (size_t i = 0; i < plan->cpu_count; i++) {
		if (!cpus_has(&t->online, plan->cpus[i])) {
			char online[256] = "?";
			(void)!file_read_line(ONLINE_FILE, online, sizeof online);
			err_set(err, ERR_INPUT, "CPU %u is not online", plan->cpus[i]);
			return err_hint(err, "these are: %s", online);
		}
		vec_push(&t->cpus, (int32_t)plan->cpus[i]);
	}
	for (size_t i = 0; !plan->cpu_count && i < t->online.v.n; i++)
		vec_push(&t->cpus, (int32_t)t->online.v.v[i]);
	return true;
}

bool targets_find(struct targets *t, const struct capture_plan *plan, int32_t command_pid,
		  struct err *err)
{
	if (!cpus_online(&t->online, err))
		return false;
	for (size_t i = 0; i < plan->pid_count; i++)
		if (!add_process(t, plan->pids[i], err))
			return false;
	if (plan->by_user && !add_user(t, plan->user, err))
		return false;
	for (size_t i = 0; i < plan->tid_count; i++) {
		char path[64];
		snprintf(path, sizeof path, "/proc/%d", plan->tids[i]);
		if (access(path, F_OK) != 0)
			return fail_missing("thread", plan->tids[i], err);
		add_thread(t, plan->tids[i]);
	}
	if (plan->all_cpus || plan->cpu_count) {
		t->system_wide = true;
		vec_push(&t->tids, -1);
	} else if (!t->tids.n && command_pid) {
		t->command = true;
		vec_push(&t->tids, command_pid);
	} else if (!t->tids.n) {
		return err_set(err, ERR_USAGE, "there is nothing to record");
	}
	if (plan->per_thread) {
		vec_push(&t->cpus, -1);
		return true;
	}
	return add_cpus(t, plan, err);
}

bool targets_limit(struct targets *t, const struct thread_masks *masks,
		   const struct capture_plan *plan, struct err *err)
{
	size_t n = 0;
	for (size_t i = 0; i < t->cpus.n; i++)
		if (t->cpus.v[i] < 0 || thread_masks_of(masks, (uint32_t)t->cpus.v[i]) < masks->v.n)
			t->cpus.v[n++] = t->cpus.v[i];
	if (!n)
		return err_set(err, ERR_USAGE, "--threads %s reads none of the CPUs to record",
			       plan->threads);
	if (n < t->cpus.n && plan->note)
		plan->note("only the CPUs in the masks of --threads are recorded");
	t->cpus.n = n;
	return true;
}

void targets_free(struct targets *t)
{
	vec_free(&t->tids);
	vec_free(&t->cpus);
	vec_free(&t->user_pids);
	u64map_free(&t->seen);
	vec_free(&t->online.v);
}
