#include "capture/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/vfs.h>

#include "base/base.h"

int cgroup_open(const char *name, struct err *err)
{
	/* Version 1 has a tree for each controller; the other two are version 2. */
	static const char *const roots[] = {"/sys/fs/cgroup/perf_event", "/sys/fs/cgroup/unified",
					    "/sys/fs/cgroup"};
	char path[PATH_MAX];
	bool mounted = false;
	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		struct statfs fs;
		if (statfs(roots[i], &fs) != 0 ||
		    (fs.f_type != CGROUP_SUPER_MAGIC && fs.f_type != CGROUP2_SUPER_MAGIC))
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
