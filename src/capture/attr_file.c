#include "capture/attr_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>

#include "base/file.h"
#include "base/out.h"
#include "capture/perf_event.h"

static void put_flag(struct out *o, const struct attr *a, const char *name, uint64_t flag)
{
	out_fmt(o, "%s=%d\n", name, a->flags & flag ? 1 : 0);
}

static void put_flags(struct out *o, const struct attr *a)
{
	static const struct {
		const char *name;
		uint64_t flag;
	} flags[] = {
		{"disabled", ATTR_DISABLED},
		{"inherit", ATTR_INHERIT},
		{"pinned", ATTR_PINNED},
		{"exclusive", ATTR_EXCLUSIVE},
		{"exclude_user", ATTR_EXCLUDE_USER},
		{"exclude_kernel", ATTR_EXCLUDE_KERNEL},
		{"exclude_hv", ATTR_EXCLUDE_HV},
		{"exclude_idle", ATTR_EXCLUDE_IDLE},
		{"mmap", ATTR_MMAP},
		{"comm", ATTR_COMM},
		{"freq", ATTR_FREQ},
		{"inherit_stat", ATTR_INHERIT_STAT},
		{"enable_on_exec", ATTR_ENABLE_ON_EXEC},
		{"task", ATTR_TASK},
		{"watermark", ATTR_WATERMARK},
		{"mmap_data", ATTR_MMAP_DATA},
		{"sample_id_all", ATTR_SAMPLE_ID_ALL},
		{"exclude_host", ATTR_EXCLUDE_HOST},
		{"exclude_guest", ATTR_EXCLUDE_GUEST},
		{"exclude_callchain_kernel", ATTR_EXCLUDE_CALLCHAIN_KERNEL},
		{"exclude_callchain_user", ATTR_EXCLUDE_CALLCHAIN_USER},
		{"mmap2", ATTR_MMAP2},
		{"comm_exec", ATTR_COMM_EXEC},
		{"context_switch", ATTR_CONTEXT_SWITCH},
		{"write_backward", ATTR_WRITE_BACKWARD},
		{"namespaces", ATTR_NAMESPACES},
		{"use_clockid", ATTR_USE_CLOCKID},
	};
	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		put_flag(o, a, flags[i].name, flags[i].flag);
	out_fmt(o, "precise_ip=%u\n", attr_precise(a));
}

static void put_fields(struct out *o, const struct attr *a)
{
	out_fmt(o, "type=%u\nsize=%d\nconfig=%" PRIu64 "\n", a->type, ATTR_BYTES, a->config);
	out_fmt(o, "sample_period=%" PRIu64 "\nsample_type=%" PRIu64 "\nread_format=%" PRIu64 "\n",
		a->sample_period, a->sample_type, a->read_format);
	put_flags(o, a);
	out_fmt(o, "wakeup_events=%u\nbp_type=%u\nconfig1=%" PRIu64 "\nconfig2=%" PRIu64 "\n",
		a->wakeup_events, a->bp_type, a->config1, a->config2);
	out_fmt(o,
		"branch_sample_type=%" PRIu64 "\nsample_regs_user=%" PRIu64
		"\nsample_stack_user=%u\n",
		a->branch_sample_type, a->sample_regs_user, a->sample_stack_user);
}

bool attr_file_write(const char *dir, const struct attr *a, int fd, int group_fd, int32_t tid,
		     int32_t cpu, struct err *err)
{
	char name[64], path[PATH_MAX];
	struct out o;
	snprintf(name, sizeof name, "event-%u-%" PRIu64 "-%d", a->type, a->config, fd);
	if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
		return err_set(err, ERR_INPUT, "the directory name %s is too long", dir);
	CLEANUP(close_fd) int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (file < 0)
		return err_sys(err, errno, "cannot create %s", path);
	out_memory(&o);
	out_fmt(&o, "[%s]\nfd=%d\ngroup_fd=%d\ncpu=%d\npid=%d\nflags=%lu\n", name, fd, group_fd,
		cpu, tid, PERF_EVENT_OPEN_FLAGS);
	put_fields(&o, a);
	bool ok = file_write_all(file, o.buf, o.n, path, err);
	(void)out_finish(&o);
	return ok;
}
