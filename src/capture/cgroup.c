#include "capture/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/vfs.h>

#include "base/base.h"
#include "capture/emit.h"

#define RECORD_CGROUP 19 /* PERF_RECORD_CGROUP, since 5.7 */

/* Version 1 has a tree for each controller; the other two are version 2. */
static const char *const roots[] = {"/sys/fs/cgroup/perf_event", "/sys/fs/cgroup/unified",
				    "/sys/fs/cgroup"};

static bool is_mounted(const char *root)
{
	struct statfs fs;
	return statfs(root, &fs) == 0 &&
	       (fs.f_type == CGROUP_SUPER_MAGIC || fs.f_type == CGROUP2_SUPER_MAGIC);
}

int cgroup_open(const char *name, struct err *err)
{
	char path[PATH_MAX];
	bool mounted = false;
	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		if (!is_mounted(roots[i]))
			continue;
		mounted = true;
		snprintf(path, sizeof path, "%s/%s", roots[i], name);
		int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0)
			return fd;
	}
	if (mounted) {
		err_set(err, ERR_INPUT, "there is no control group \"%s\"", name);
		err_hint(err, "names are paths below /sys/fs/cgroup, as `cat /proc/PID/cgroup` "
			      "shows them");
	} else {
		err_set(err, ERR_UNSUPPORTED, "no control groups are mounted here");
		err_hint(err, "sudo mount -t cgroup2 none /sys/fs/cgroup");
	}
	return -1;
}

/* A group's number is that of its directory. */
static void emit_group(struct emitter *e, uint64_t id, const char *path)
{
	emit_begin(e, RECORD_CGROUP, 0);
	emit_u64(e, id);
	emit_text(e, str_of(*path ? path : "/"));
	emit_end(e);
}

void cgroup_synthesize(struct emitter *e)
{
	size_t i = 0;
	while (i < ARRAY_LEN(roots) && !is_mounted(roots[i]))
		i++;
	if (i == ARRAY_LEN(roots))
		return;
	char *const start[] = {(char *)roots[i], NULL};
	FTS *tree = fts_open(start, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL);
	for (FTSENT *entry; tree && !e->failed && (entry = fts_read(tree));)
		if (entry->fts_info == FTS_D)
			emit_group(e, entry->fts_statp->st_ino, entry->fts_path + strlen(roots[i]));
	if (tree)
		(void)fts_close(tree);
}
