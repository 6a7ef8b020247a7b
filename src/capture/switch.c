/* Going on in a new file, and files with a time behind their name. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/out.h"
#include "capture/recording_path.h"
#include "capture/run.h"
#include "perfdata/writer.h"

/* FILE.YYYYMMDDhhmmssCC, hundredths of a second last, as perf has it; a later one when that
 * exists. */
static bool stamped_name(const char *path, char out[PATH_MAX])
{
	struct timeval now;
	struct tm tm;
	char text[32];
	gettimeofday(&now, NULL);
	for (int tries = 0; tries < 1000; tries++) {
		if (!localtime_r(&now.tv_sec, &tm) ||
		    !strftime(text, sizeof text, "%Y%m%d%H%M%S", &tm))
			return false;
		int n = snprintf(out, PATH_MAX, "%s.%s%02ld", path, text,
				 (long)now.tv_usec / 10000);
		if (n < 0 || n >= PATH_MAX)
			return false;
		if (access(out, F_OK) != 0)
			return true;
		now.tv_usec += 10000;
		if (now.tv_usec >= 1000000) {
			now.tv_sec++;
			now.tv_usec -= 1000000;
		}
	}
	return false;
}

static bool stamps(const struct capture *c)
{
	const struct capture_switch *s = &c->plan->switching;
	return s->on_signal || s->bytes || s->seconds || c->plan->timestamp_name;
}

static void forget_oldest(struct capture *c)
{
	size_t keep = c->plan->switching.max_files;
	while (keep && c->files_written.n > keep) {
		(void)!recording_remove(c->files_written.v[0]);
		free(c->files_written.v[0]);
		c->files_written.n--;
		memmove(c->files_written.v, c->files_written.v + 1,
			c->files_written.n * sizeof *c->files_written.v);
	}
}

bool output_rename(struct capture *c, struct err *err)
{
	char name[PATH_MAX];
	const char *path = c->plan->output;
	if (stamps(c) && (!stamped_name(path, name) || rename(path, name) != 0))
		return err_sys(err, errno, "cannot give %s a name with a time", path);
	if (c->plan->written)
		c->plan->written(stamps(c) ? name : path);
	if (!stamps(c))
		return true;
	vec_push(&c->files_written, mem_strdup(name));
	forget_oldest(c);
	return true;
}

/* The state of what runs, for the file to come: from /proc, and then from all the records that may
 * be younger, with which the rings are emptied into the old file. So a process is known in the new
 * one that ends before its first record is written. */
static bool gather_state(struct capture *c, struct out *state, struct err *err)
{
	if (!output_state(c, state, err))
		return false;
	for (size_t i = 0; i < c->readers.v.n; i++)
		c->readers.v.v[i].scan.keep = state;
	bool ok = readers_drain(c, true, err);
	for (size_t i = 0; i < c->readers.v.n; i++)
		c->readers.v.v[i].scan.keep = NULL;
	return ok;
}

static bool begin_next(struct capture *c, const struct out *state, struct err *err)
{
	struct iovec iov = {.iov_base = state->buf, .iov_len = state->n};
	return output_begin(c, err) && perfdata_write(c->writer, &iov, 1, err);
}

static bool switch_to_next(struct capture *c, struct out *state, struct err *err)
{
	if (!gather_state(c, state, err) || !output_lost_samples(c, err))
		return false;
	uint64_t bytes = perfdata_writer_bytes(c->writer);
	if (!output_end(c, true, err))
		return false;
	c->bytes_before += bytes;
	c->file_began = capture_clock();
	readers_new_file(c);
	return begin_next(c, state, err);
}

bool output_switch(struct capture *c, struct err *err)
{
	struct out state;
	out_memory(&state);
	bool ok = switch_to_next(c, &state, err);
	(void)out_finish(&state);
	return ok;
}
