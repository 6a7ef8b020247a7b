/* The kernel's side of synth.h: its text, modules, BPF programs. */
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/synth.h"
#include "object/object.h"

#define KERNEL_NAME "[kernel.kallsyms]"
#define KALLSYMS "/proc/kallsyms"
#define MAX_BPF_FUNCTIONS 4096

/* --- kallsyms ------------------------------------------------------------------------------ */

/* Reads /proc/kallsyms line by line and stops when fn says so: the whole is some 10 MB of text that
 * the kernel has to print for us. */
static void each_kallsym(bool (*fn)(void *ctx, uint64_t addr, struct str name), void *ctx)
{
	enum { CHUNK = 64 << 10 };
	CLEANUP(close_fd) int fd = open(KALLSYMS, O_RDONLY | O_CLOEXEC);
	CLEANUP(mem_free_ptr) char *buf = mem_alloc(CHUNK);
	size_t kept = 0;
	ssize_t n;
	if (fd < 0)
		return;
	while ((n = read(fd, buf + kept, CHUNK - kept)) > 0) {
		struct str text = str_make(buf, kept + (size_t)n);
		const char *last = memrchr(text.p, '\n', text.n);
		if (!last)
			return;
		struct str whole = str_make(buf, (size_t)(last + 1 - buf)), line;
		while (str_line(&whole, &line)) {
			/* "address type name[\t[module]]" */
			uint64_t addr;
			struct str rest;
			struct str hex = str_split(line, ' ', &rest);
			if (rest.n > 2 && str_to_u64(hex, 16, &addr) &&
			    !fn(ctx, addr, str_skip(rest, 2)))
				return;
		}
		kept = text.n - (size_t)(last + 1 - buf);
		memmove(buf, last + 1, kept);
	}
}

struct text_range {
	uint64_t text, stext, etext;
	uint64_t size; /* if known: then the end, far down the list, need not be found */
	bool hidden;   /* all addresses read as zero */
};

/* How long the kernel's code is, from the map of physical memory; 0 when that is hidden. */
static uint64_t code_size(void)
{
#ifdef __x86_64__ /* elsewhere this is more than the code */
	struct str text, line, end;
	uint64_t first = 0, last = 0;
	if (!file_read("/proc/iomem", 1 << 20, &text, NULL))
		return 0;
	for (struct str rest = text; str_line(&rest, &line);) {
		line = str_trim(line);
		if (!str_ends(line, " : Kernel code"))
			continue;
		struct str start = str_split(str_split(line, ' ', &end), '-', &end);
		if (!str_to_u64(start, 16, &first) || !str_to_u64(end, 16, &last))
			first = last = 0;
	}
	free((void *)text.p);
	return last > first ? last + 1 - first : 0;
#else
	return 0;
#endif
}

static bool find_text(void *ctx, uint64_t addr, struct str name)
{
	struct text_range *r = ctx;
	if (str_is(name, "_text"))
		r->text = addr;
	else if (str_is(name, "_stext"))
		r->stext = addr;
	else if (str_is(name, "_etext"))
		r->etext = addr;
	else
		return true;
	r->hidden = !addr;
	return !r->hidden && !((r->etext || r->size) && r->text && r->stext);
}

/* --- kernel and modules -------------------------------------------------------------------- */

static void emit_kernel_map(const struct synth *s, uint64_t addr, uint64_t len, uint64_t pgoff,
			    struct str name)
{
	emit_begin(s->e, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	emit_u32(s->e, UINT32_MAX); /* pid -1: the kernel */
	emit_u32(s->e, 0);
	emit_u64(s->e, addr);
	emit_u64(s->e, len);
	emit_u64(s->e, pgoff);
	emit_text(s->e, name);
	emit_end(s->e);
}

static void note_build_id(const struct synth *s, const char *notes, struct str name)
{
	struct build_id id;
	struct str bytes;
	if (!file_read(notes, 1 << 20, &bytes, NULL))
		return;
	if (build_id_from_notes(bytes.p, bytes.n, &id))
		mapped_files_note(s->files, name, &id, true);
	free((void *)bytes.p);
}

/* "name size uses users state 0xaddress [taints]" */
static void synth_module(const struct synth *s, struct str line)
{
	struct str words[6], rest = line;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		words[i] = rest.p ? str_split(rest, ' ', &rest) : STR("");
	uint64_t size, addr;
	if (!str_to_u64(words[1], 10, &size) || !str_to_u64(words[5], 0, &addr) || !addr)
		return;
	char name[128], notes[256];
	int n = snprintf(name, sizeof name, "[%.*s]", (int)words[0].n, words[0].p);
	if (n < 0 || (size_t)n >= sizeof name)
		return;
	snprintf(notes, sizeof notes, "/sys/module/%.*s/notes/.note.gnu.build-id", (int)words[0].n,
		 words[0].p);
	emit_kernel_map(s, addr, size, 0, str_of(name));
	note_build_id(s, notes, str_of(name));
}

bool synth_kernel(const struct synth *s)
{
	struct text_range r = {.size = code_size()};
	struct str modules, rest, line;
	note_build_id(s, "/sys/kernel/notes", STR(KERNEL_NAME));
	each_kallsym(find_text, &r);
	uint64_t start = r.text ? r.text : r.stext;
	if (!start)
		return false;
	/* The name carries the symbol by which a reader finds out how far the kernel was moved. */
	uint64_t len = UINT64_MAX - start;
	if (r.size)
		len = r.size;
	else if (r.etext > start)
		len = r.etext - start;
	emit_kernel_map(s, start, len, start,
			r.text ? STR(KERNEL_NAME "_text") : STR(KERNEL_NAME "_stext"));
	if (file_read("/proc/modules", 4 << 20, &modules, NULL)) {
		rest = modules;
		while (str_line(&rest, &line))
			synth_module(s, line);
		free((void *)modules.p);
	}
	return true;
}

/* --- BPF ----------------------------------------------------------------------------------- */

struct bpf_function {
	uint64_t addr;
	uint32_t len;
	char fallback[32];                /* bpf_prog_TAG */
	char name[BPF_TAG_SIZE * 2 + 64]; /* as in kallsyms; empty when not there */
};

struct bpf_functions {
	VEC(struct bpf_function) v;
};

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof *attr);
}

static bool program_info(int fd, struct bpf_prog_info *info)
{
	union bpf_attr attr = {0};
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof *info;
	attr.info.info = (uintptr_t)info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0;
}

/* The functions of one program, and its BPF_EVENT record. */
static void synth_program(const struct synth *s, int fd, struct bpf_functions *out)
{
	struct bpf_prog_info info = {0};
	if (!program_info(fd, &info) || !info.nr_jited_ksyms ||
	    info.nr_jited_ksyms > MAX_BPF_FUNCTIONS)
		return;
	uint32_t n = info.nr_jited_ksyms;
	CLEANUP(mem_free_ptr) uint64_t *addrs = mem_calloc(n, sizeof *addrs);
	CLEANUP(mem_free_ptr) uint32_t *lens = mem_calloc(n, sizeof *lens);
	info = (struct bpf_prog_info){
		.nr_jited_ksyms = n,
		.nr_jited_func_lens = n,
		.jited_ksyms = (uintptr_t)addrs,
		.jited_func_lens = (uintptr_t)lens,
	};
	if (!program_info(fd, &info))
		return;
	char tag[2 * BPF_TAG_SIZE + 1];
	for (size_t i = 0; i < BPF_TAG_SIZE; i++)
		snprintf(tag + 2 * i, 3, "%02x", info.tag[i]);
	for (uint32_t i = 0; i < MIN(n, MIN(info.nr_jited_ksyms, info.nr_jited_func_lens)); i++) {
		if (!addrs[i])
			continue;
		struct bpf_function f = {.addr = addrs[i], .len = lens[i]};
		snprintf(f.fallback, sizeof f.fallback, "bpf_prog_%s", tag);
		vec_push(&out->v, f);
	}
	emit_begin(s->e, PERF_RECORD_BPF_EVENT, 0);
	emit_u16(s->e, PERF_BPF_EVENT_PROG_LOAD);
	emit_u16(s->e, 0);
	emit_u32(s->e, info.id);
	emit_bytes(s->e, info.tag, BPF_TAG_SIZE);
	emit_end(s->e);
}

static int by_addr(const void *a, const void *b)
{
	uint64_t x = ((const struct bpf_function *)a)->addr;
	uint64_t y = ((const struct bpf_function *)b)->addr;
	return x < y ? -1 : x > y;
}

/* The kernel has given every function a name with its own tag; reading it there saves us BTF. */
static bool take_bpf_name(void *ctx, uint64_t addr, struct str name)
{
	struct bpf_functions *fs = ctx;
	struct bpf_function key = {.addr = addr};
	if (!str_starts(name, "bpf_prog_"))
		return true;
	struct bpf_function *f = bsearch(&key, fs->v.v, fs->v.n, sizeof key, by_addr);
	struct str rest;
	name = str_split(name, '\t', &rest);
	if (f && name.n < sizeof f->name)
		snprintf(f->name, sizeof f->name, "%.*s", (int)name.n, name.p);
	return true;
}

void synth_bpf(const struct synth *s)
{
	struct bpf_functions fs = {0};
	union bpf_attr attr = {0};
	while (bpf(BPF_PROG_GET_NEXT_ID, &attr) == 0) {
		union bpf_attr get = {.prog_id = attr.next_id};
		CLEANUP(close_fd) int fd = bpf(BPF_PROG_GET_FD_BY_ID, &get);
		attr.start_id = attr.next_id;
		if (fd >= 0)
			synth_program(s, fd, &fs);
	}
	if (fs.v.n) {
		qsort(fs.v.v, fs.v.n, sizeof fs.v.v[0], by_addr);
		each_kallsym(take_bpf_name, &fs);
	}
	for (size_t i = 0; i < fs.v.n; i++) {
		const struct bpf_function *f = &fs.v.v[i];
		emit_begin(s->e, PERF_RECORD_KSYMBOL, 0);
		emit_u64(s->e, f->addr);
		emit_u32(s->e, f->len);
		emit_u16(s->e, PERF_RECORD_KSYMBOL_TYPE_BPF);
		emit_u16(s->e, 0);
		emit_text(s->e, str_of(f->name[0] ? f->name : f->fallback));
		emit_end(s->e);
	}
	vec_free(&fs.v);
}
