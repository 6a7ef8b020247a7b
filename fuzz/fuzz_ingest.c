/*
 * A whole run over a perf.data: session, both kinds of second pass, symbols. The file names in it
 * lead nowhere, so the result depends on the input alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ingest/ingest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_profile(const struct profile *p)
{
	uint64_t samples = 0, rows = 0;
	for (size_t i = 0; i < p->events.n; i++)
		samples += p->events.v[i].samples;
	for (size_t i = 0; i < p->rows.n; i++) {
		rows += p->rows.v[i].count;
		if (p->rows.v[i].stack.v >= p->stacks.n || p->rows.v[i].leaf.v >= p->frames.n)
			abort();
	}
	if (rows != samples)
		abort();
	for (uint32_t i = 1; i < p->stacks.n; i++)
		if (p->stacks.v[i].parent.v >= i || p->stacks.v[i].frame.v >= p->frames.n)
			abort();
}

static void check_rows(struct ingest *in, const struct ingest_rows *rows)
{
	const struct profile *p = ingest_profile(in);
	for (size_t i = 0; i < rows->n; i++) {
		struct ingest_chain c = ingest_chain(in, rows->v[i].chain);
		struct record r;
		if (!perfdata_record_at(ingest_perfdata(in), rows->v[i].offset, &r))
			abort();
		if (c.leaf.v >= p->frames.n || rows->v[i].thread.v >= p->threads.n)
			abort();
		for (size_t k = 0; k < c.depth; k++)
			if (c.frames[k].v >= p->frames.n)
				abort();
	}
}

static void run(const char *path, const struct ingest_options *opt, bool timed)
{
	struct diags diags = {0};
	struct err err = {0};
	struct ingest *in = ingest_open(path, opt, &diags, &err);
	if (!in) {
		if (!err.text[0])
			abort();
		return;
	}
	struct ingest_rows rows = {0};
	if (timed) {
		if (ingest_timed(in, &rows, &err))
			check_rows(in, &rows);
	} else if (ingest_aggregate(in, &err)) {
		check_profile(ingest_profile(in));
	}
	ingest_close(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	int fd = memfd_create("input", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	struct ingest_options opt = {
		.threads = 1,
		.by_cpu = true,
		.by_thread = true,
		.resolve = {.symfs = "/nonexistent", .kallsyms = "/dev/null", .demangle = true},
	};
	run(path, &opt, false);
	run(path, &opt, true);
	close(fd);
	return 0;
}
