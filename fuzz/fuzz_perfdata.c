/* perf.data of every kind: opens the input, reads all records, decodes and describes everything. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perfdata/describe.h"
#include "perfdata/perfdata.h"
#include "perfdata/tracing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode_side_band(const struct record *r)
{
	union {
		struct rec_mmap mmap;
		struct rec_comm comm;
		struct rec_task task;
		struct rec_lost lost;
		struct rec_namespaces namespaces;
		struct rec_ksymbol ksymbol;
		struct rec_bpf bpf;
		struct rec_cgroup cgroup;
		struct rec_throttle throttle;
		struct rec_switch other;
		struct rec_build_id build_id;
		uint64_t number;
	} u;
	/* Every decoder on every record: none may trust the type it was called for. */
	(void)!record_mmap(r, &u.mmap);
	(void)!record_comm(r, &u.comm);
	(void)!record_task(r, &u.task);
	(void)!record_lost(r, &u.lost);
	(void)!record_lost_samples(r, &u.number);
	(void)!record_namespaces(r, &u.namespaces);
	(void)!record_ksymbol(r, &u.ksymbol);
	(void)!record_bpf(r, &u.bpf);
	(void)!record_cgroup(r, &u.cgroup);
	(void)!record_throttle(r, &u.throttle);
	(void)!record_switch_cpu_wide(r, &u.other);
	(void)!record_build_id(r, &u.build_id);
}

/* Reads every byte a decoded sample points to. */
static uint64_t touch_sample(const struct sample *s)
{
	uint64_t sum = s->ip;
	for (size_t i = 0; i < s->chain_count; i++)
		sum += s->chain[i];
	for (size_t i = 0; i < s->raw_size; i++)
		sum += s->raw[i];
	for (size_t i = 0; i < s->read_size; i++)
		sum += s->read[i];
	for (size_t i = 0; i < s->branch_count * 24; i++)
		sum += s->branches[i];
	for (size_t i = 0; i < s->user_stack_size; i++)
		sum += s->user_stack[i];
	for (size_t i = 0; i < s->aux_size; i++)
		sum += s->aux[i];
	return sum;
}

static uint64_t read_records(struct perfdata *pd)
{
	struct perfdata_iter it;
	struct record r;
	struct sample_scratch scratch = {0};
	uint64_t sum = 0;
	perfdata_iter_init(&it, pd, 0, perfdata_chunk_count(pd));
	while (perfdata_next(&it, &r)) {
		const struct perfdata_event *ev = perfdata_event_of(pd, &r);
		struct sample_id who;
		struct sample s;
		struct record again;
		decode_side_band(&r);
		if (!ev)
			continue;
		if (record_sample(&r, &ev->attr, &scratch, &s))
			sum += touch_sample(&s);
		if (record_trailer(&r, &ev->attr, &who))
			sum += who.time;
		if (!perfdata_record_at(pd, r.offset, &again) || again.body != r.body)
			abort();
	}
	sample_scratch_free(&scratch);
	return sum;
}

static void describe(const struct perfdata *pd)
{
	struct out o;
	out_memory(&o);
	const struct perfdata_header *h = perfdata_header(pd);
	struct tracing *fields = tracing_new(h->tracing_data, h->swapped);
	perfdata_describe_header(&o, pd, true);
	for (size_t i = 0; i < perfdata_event_count(pd) && i < 64; i++)
		for (int what = DESCRIBE_NAME; what <= DESCRIBE_GROUP; what++)
			perfdata_describe_event(&o, pd, i, (enum describe_event)what, fields);
	tracing_free(fields);
	out_finish(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	int fd = memfd_create("input", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	struct diags diags = {0};
	struct err err = {0};
	struct perfdata *pd = perfdata_open(path, NULL, &diags, &err);
	if (pd) {
		/* The same twice, or reading has changed something. */
		if (read_records(pd) != read_records(pd))
			abort();
		describe(pd);
	} else if (!err.text[0]) {
		abort();
	}
	perfdata_close(pd);
	close(fd);
	return 0;
}
