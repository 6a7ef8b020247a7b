#include "capture/filter_load.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"

#define TYPES_FILE "/sys/kernel/btf/vmlinux"
#define TYPES_LIMIT ((size_t)64 << 20)
#define LOG_BYTES (64 << 10)
#define LICENCE "Dual MIT/GPL" /* the kernel's functions used are for GPL programs only */

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof *attr);
}

static uint64_t address_of(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

void filter_layout_find(struct filter_layout *l)
{
	struct str bytes = {0};
	struct btf b;
	bool types = file_read(TYPES_FILE, TYPES_LIMIT, &bytes, NULL) && btf_open(&b, bytes, NULL);
	filter_layout_init(l, types ? &b : NULL);
	if (types)
		btf_close(&b);
	free((void *)bytes.p);
}

static bool refuse_term(const struct filter_layout *l, enum filter_term term, const char *event,
			struct err *err)
{
	struct utsname u;
	const char *release = uname(&u) == 0 ? u.release : "?";
	err_set(err, ERR_UNSUPPORTED, "this kernel (%s) does not show \"%s\" to a filter of %s",
		release, filter_term_name(term), event);
	if (l->cast)
		return err_hint(err, "samples of this kernel do not have it");
	return err_hint(err, "kernels since 6.3 that describe their types (" TYPES_FILE
			     ") show all of a sample; others ip, pid, tid, cpu, period, addr, uid, "
			     "gid and cgroup");
}

/* What went wrong, for each call that may be forbidden. */
static bool fail(int error, const char *what, const char *event, struct err *err)
{
	if (error == EPERM || error == EACCES) {
		bool root = geteuid() == 0;
		err_set(err, ERR_PERMISSION,
			"a filter of %s runs in the kernel as a BPF program, which %s may not load",
			event, root ? "even root" : "this user");
		if (root)
			return err_hint(err,
					"a container may have taken CAP_BPF or CAP_PERFMON away, "
					"or the kernel is locked down (/sys/kernel/security/"
					"lockdown); before 5.11 `ulimit -l` counts, too");
		return err_hint(err, "it takes root, or the capabilities CAP_BPF and CAP_PERFMON; "
				     "filters of tracepoints do not need them");
	}
	if (error == ENOSYS) {
		err_set(err, ERR_UNSUPPORTED,
			"a filter of %s runs in the kernel as a BPF program, and this kernel has "
			"no BPF",
			event);
		return err_hint(err, "record without --filter and choose when looking at it");
	}
	return err_sys(err, error, "%s of the filter of %s", what, event);
}

static int load_program(const struct filter_code *code, char *log)
{
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insns = address_of(code->v.v),
		.insn_cnt = (uint32_t)code->v.n,
		.license = address_of(LICENCE),
		.log_buf = address_of(log),
		.log_size = log ? LOG_BYTES : 0,
		.log_level = log ? 1 : 0,
		.prog_name = "kiln_filter",
	};
	return bpf(BPF_PROG_LOAD, &attr);
}

/* The kernel says why in its log, in the line before its statistics. */
static bool fail_load(int error, const struct filter_code *code, const char *event, struct err *err)
{
	char *log = mem_zalloc(LOG_BYTES + 1);
	struct str text, line, last = {0};
	fail(error, "the kernel does not take the program", event, err);
	if (err->code == ERR_SYSTEM && load_program(code, log) < 0) {
		text = str_of(log);
		while (str_line(&text, &line))
			if (line.n && !str_starts(line, "processed "))
				last = line;
	}
	if (last.n)
		err_hint(err, "its verifier says: %.*s", (int)MIN(last.n, (size_t)200), last.p);
	free(log);
	return false;
}

bool filter_load(struct filter_loaded *out, const struct kernel_filter *f,
		 const struct filter_layout *l, const char *event, struct err *err)
{
	union bpf_attr map = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = sizeof(uint32_t),
		.value_size = sizeof(uint64_t),
		.max_entries = 1,
		.map_name = "kiln_filtered",
	};
	struct filter_code code = {0};
	*out = FILTER_UNLOADED;
	for (size_t i = 0; i < f->tests.n; i++)
		if (!l->terms[f->tests.v[i].term].source)
			return refuse_term(l, f->tests.v[i].term, event, err);
	out->map_fd = bpf(BPF_MAP_CREATE, &map);
	if (out->map_fd < 0)
		return fail(errno, "cannot make the counter", event, err);
	filter_compile(f, l, out->map_fd, &code);
	out->program_fd = load_program(&code, NULL);
	if (out->program_fd < 0)
		fail_load(errno, &code, event, err);
	vec_free(&code.v);
	if (out->program_fd < 0)
		filter_unload(out);
	return out->program_fd >= 0;
}

bool filter_attach(const struct filter_loaded *f, int event_fd, const char *event, struct err *err)
{
	if (ioctl(event_fd, PERF_EVENT_IOC_SET_BPF, f->program_fd) == 0)
		return true;
	return fail(errno, "cannot attach the program", event, err);
}

uint64_t filter_dropped(const struct filter_loaded *f)
{
	uint32_t key = 0;
	uint64_t count = 0;
	union bpf_attr attr = {
		.map_fd = (uint32_t)f->map_fd,
		.key = address_of(&key),
		.value = address_of(&count),
	};
	return bpf(BPF_MAP_LOOKUP_ELEM, &attr) == 0 ? count : 0;
}

void filter_unload(struct filter_loaded *f)
{
	close_fd(&f->map_fd);
	close_fd(&f->program_fd);
	*f = FILTER_UNLOADED;
}
