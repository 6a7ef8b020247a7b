/* What a recording tells while it runs and when it ends. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/perf_event.h"
#include "cli/cli.h"
#include "cli/record_options.h"

#define opts record_opts

void record_note(const char *sentence)
{
	if (!opts.quiet)
		fprintf(stderr, "%s record: %s\n", cli_name(), sentence);
}

/* The file is looked at again, without following links, because its directory may belong to
 * somebody else. */
static bool give_one(int dir, const char *name, int kind, uid_t uid, gid_t gid)
{
	struct stat st;
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return true;
	bool ours = fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == (mode_t)kind &&
		    st.st_uid == 0 && (kind == S_IFDIR || st.st_nlink == 1);
	bool ok = !ours || fchown(fd, uid, gid) == 0;
	close(fd);
	return ok;
}

/* Its files first: they are found through it as long as it is still root's. */
static bool give_directory(const char *path, uid_t uid, gid_t gid)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	bool ok = true;
	if (!d)
		return true;
	for (struct dirent *e; (e = readdir(d));)
		ok = give_one(fd, e->d_name, S_IFREG, uid, gid) && ok;
	closedir(d);
	return give_one(AT_FDCWD, path, S_IFDIR, uid, gid) && ok;
}

/* A recording made through sudo belongs to who asked for it. */
static void give_to_sudo_user(const char *path)
{
	const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID");
	uint64_t uid, gid;
	if (geteuid() != 0 || !uid_text || !gid_text || !str_to_u64(str_of(uid_text), 10, &uid) ||
	    !str_to_u64(str_of(gid_text), 10, &gid) || uid > UINT32_MAX || gid > UINT32_MAX)
		return;
	if (!give_directory(path, (uid_t)uid, (gid_t)gid) ||
	    !give_one(AT_FDCWD, path, S_IFREG, (uid_t)uid, (gid_t)gid))
		record_note("the recording could not be given to the user who called sudo");
}

void record_answer(const char *text)
{
	bool taken = opts.output && !strcmp(opts.output, "-");
	fputs(text, taken ? stderr : stdout);
	fflush(taken ? stderr : stdout);
}

void record_written(const char *path)
{
	give_to_sudo_user(path);
	if (!opts.quiet && (opts.switching || opts.timestamp_filename))
		fprintf(stderr, "[ %s record: Dump %s ]\n", cli_name(), path);
}

void record_progress(const struct capture_result *r)
{
	char text[160];
	double seconds = (double)r->nanoseconds / 1e9;
	snprintf(text, sizeof text,
		 "recording %.0f s, %" PRIu64 " samples (%.0f/s), %.1f MB, %" PRIu64 " lost",
		 seconds, r->samples, seconds > 0 ? (double)r->samples / seconds : 0,
		 (double)r->bytes / 1024 / 1024, MAX(r->lost, r->lost_samples));
	cli_progress(text);
}

/* Bytes of a ring that holds what comes to the busiest one while the recorder waits for a CPU or
 * for the disk: as long as it did, and half as long again. */
static uint64_t enough_for(const struct capture_result *r)
{
	const double seconds = (double)MAX(r->nanoseconds, (uint64_t)1000000) / 1e9;
	double wait = MAX(0.1, 1.5 * (double)r->longest_gap / 1e9);
	double lost = (double)MAX(r->lost, r->lost_samples);
	double records = (double)MAX(r->samples, (uint64_t)1);
	double rate = (double)r->busiest_ring * (1 + lost / records) / seconds;
	uint64_t next = r->ring_bytes * 2;
	while (next < (uint64_t)1 << 30 && (double)next < (double)r->ring_bytes + rate * wait)
		next *= 2;
	return next;
}

/* What else would help: tracepoints that give every event have no rate to lower. */
static const char *or_else(const struct capture_plan *plan)
{
	bool every = plan->events && plan->events->events.n && !plan->user_rate;
	for (size_t i = 0; every && i < plan->events->events.n; i++)
		every = plan->events->events.v[i].class == EVENT_TRACEPOINT;
	return every ? "fewer events with --filter" : "fewer samples with -F";
}

static void report_lost(const struct capture_plan *plan, const struct capture_result *r)
{
	uint64_t next = enough_for(r), allowed;
	char first[96] = "";
	/* Beyond what every user may lock. */
	if (geteuid() != 0 && file_read_u64(MLOCK_FILE, &allowed) && next >> 10 >= allowed)
		snprintf(first, sizeof first,
			 " (first: sudo sysctl -w kernel.perf_event_mlock_kb=%" PRIu64 ")",
			 (next >> 10) + 4);
	fprintf(stderr,
		"%s record: the ring buffers were full: %" PRIu64 " records lost, %" PRIu64
		" of them samples\n  hint: larger buffers with -m %" PRIu64 "%s%s, or %s\n",
		cli_name(), MAX(r->lost, r->lost_samples), r->lost_samples,
		next >= 1 << 20 ? next >> 20 : next >> 10, next >= 1 << 20 ? "M" : "K", first,
		or_else(plan));
}

static void report_throttled(const struct capture_result *r)
{
	fprintf(stderr, "%s record: the kernel held sampling back ", cli_name());
	if (r->throttled == 1)
		fputs("once", stderr);
	else
		fprintf(stderr, "%" PRIu64 " times", r->throttled);
	fputs(", because it took too much time\n  hint: fewer samples with -F, or sudo sysctl -w "
	      "kernel.perf_cpu_time_max_percent=0\n",
	      stderr);
}

void record_report(const struct capture_plan *plan, const struct capture_result *r, bool ok)
{
	if (opts.quiet)
		return;
	bool to_stdout = !strcmp(plan->output, "-");
	fprintf(stderr, "[ %s record: Woken up %" PRIu64 " times to write data ]\n", cli_name(),
		r->wakeups);
	fprintf(stderr, "[ %s record: Captured and wrote %.3f MB %s (%" PRIu64 " samples)%s ]\n",
		cli_name(), (double)r->bytes / 1024 / 1024,
		to_stdout ? "to standard output" : plan->output, r->samples,
		ok ? "" : ", incomplete");
	if (r->filtered)
		fprintf(stderr, "[ %s record: %" PRIu64 " samples filtered ]\n", cli_name(),
			r->filtered);
	if (r->throttled)
		report_throttled(r);
	if (r->lost || r->lost_samples)
		report_lost(plan, r);
}

int record_command_signal(const struct capture_result *r)
{
	return r->command_ran && WIFSIGNALED(r->command_status) ? WTERMSIG(r->command_status) : 0;
}

/* The command's own, as perf has it. */
int record_exit_code(const struct capture_result *r)
{
	if (opts.strict && (r->lost || r->lost_samples))
		return EXIT_LOST;
	if (!r->command_ran || r->cut_short)
		return EXIT_OK;
	if (WIFSIGNALED(r->command_status))
		return 128 + record_command_signal(r);
	return WEXITSTATUS(r->command_status);
}
