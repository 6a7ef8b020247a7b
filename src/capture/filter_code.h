/*
 * A filter as a BPF program that the kernel runs for each sample: it ends with 1 to keep the
 * sample, or counts it and ends with 0 to drop it.
 */
#ifndef KILN_FILTER_CODE_H
#define KILN_FILTER_CODE_H

#include <linux/bpf.h>

#include "base/vec.h"
#include "capture/filter_btf.h"
#include "event/kernel_filter.h"

/* Where the value of a term comes from. */
enum filter_source {
	FILTER_FROM_NOWHERE,
	FILTER_FROM_SAMPLE,  /* `at` bytes into struct perf_sample_data */
	FILTER_FROM_CONTEXT, /* `at` bytes into struct bpf_perf_event_data; always 8 bytes */
	FILTER_FROM_HELPER,  /* the kernel function of number `at` */
};

struct filter_place {
	enum filter_source source;
	int16_t at;
	uint8_t bytes;        /* that are loaded: 1, 2, 4 or 8 */
	uint8_t shift, width; /* bits; of the loaded number */
};

/* What this kernel gives. */
struct filter_layout {
	int32_t cast; /* the function that makes the sample readable; 0: only the context is */
	int16_t data; /* offset of the pointer to struct perf_sample_data, then */
	struct filter_place terms[FILTER_TERMS];
	struct filter_place snoopx; /* the upper part of mem_snoop */
};

/* Without types (NULL), or when they show that the kernel does not prepare samples for filters yet
 * (before 6.3): what every kernel with BPF has. */
void filter_layout_init(struct filter_layout *l, const struct btf *b);

struct filter_code {
	VEC(struct bpf_insn) v;
};

/* map_fd: of an array whose first value, 8 bytes, counts what is dropped. All terms must have a
 * place. The caller frees code->v. */
void filter_compile(const struct kernel_filter *f, const struct filter_layout *l, int map_fd,
		    struct filter_code *code);

#endif
