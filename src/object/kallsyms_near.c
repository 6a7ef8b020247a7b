/*
 * The few lines of /proc/kallsyms that name given addresses. The kernel prints some hundred
 * thousand of them, sorted but for the modules at the end: so they pass by once, beside the sorted
 * addresses, and nothing is kept but the line below each address and its neighbour, where it ends.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/out.h"
#include "object/kallsyms_line.h"
#include "object/object.h"

#define PIECE (64 << 10)

struct near {
	const uint64_t *addrs; /* ascending */
	size_t n, at;          /* at: the first that is not below the lines of `group` */
	struct out *text;
	size_t group;  /* where in text the lines of the latest address begin */
	uint64_t last; /* that address */
	bool any;
	bool is_end;   /* the group bounds one that is kept */
	bool unsorted; /* all that follows is kept */
};

/* The group is complete: the next address is `next`. */
static void close_group(struct near *f, uint64_t next)
{
	while (f->at < f->n && f->addrs[f->at] < f->last)
		f->at++;
	bool wanted = f->at < f->n && f->addrs[f->at] < next;
	if (!wanted && !f->is_end)
		f->text->n = f->group;
	f->is_end = wanted;
}

static void see_line(struct near *f, struct str line)
{
	struct kallsyms_line l;
	if (!kallsyms_line_parse(line, &l) || !kallsyms_line_counts(&l))
		return;
	if (f->any && !f->unsorted && l.address != f->last) {
		f->unsorted = l.address < f->last;
		/* What the modules have may lie behind it, too. */
		close_group(f, f->unsorted ? UINT64_MAX : l.address);
		f->group = f->text->n;
	}
	f->any = true;
	f->last = l.address;
	out_str(f->text, line);
	out_char(f->text, '\n');
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

bool kallsyms_near(const char *path, uint64_t *addrs, size_t n, struct out *text)
{
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP(mem_free_ptr) char *buf = mem_alloc(PIECE);
	struct near f = {.addrs = addrs, .n = n, .text = text};
	size_t kept = 0;
	ssize_t got;
	if (fd < 0)
		return false;
	if (n)
		qsort(addrs, n, sizeof *addrs, by_value);
	while ((got = read(fd, buf + kept, PIECE - kept)) > 0) {
		const char *last = memrchr(buf, '\n', kept + (size_t)got);
		if (!last)
			return false;
		struct str lines = str_make(buf, (size_t)(last + 1 - buf)), line;
		while (str_line(&lines, &line))
			see_line(&f, line);
		kept = kept + (size_t)got - (size_t)(last + 1 - buf);
		memmove(buf, last + 1, kept);
	}
	if (f.any && !f.unsorted)
		close_group(&f, UINT64_MAX);
	return got == 0;
}
