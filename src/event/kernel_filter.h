/*
 * Filters of samples: what perf's BPF filters can say, as data. capture has the kernel check them.
 *
 *   FILTER = ANY {"," ANY}               all of them must hold
 *   ANY    = TEST {"||" TEST}            one of them must
 *   TEST   = TERM OP VALUE
 *   OP     = "==" | "!=" | "<" | "<=" | ">" | ">=" | "&"    "&": some bit is in both
 *   VALUE  = decimal or 0x… number, or for the mem_… terms a name ("load", "l1" …)
 *
 * Values are unsigned and have 64 bits.
 */
#ifndef KILN_KERNEL_FILTER_H
#define KILN_KERNEL_FILTER_H

#include "base/err.h"
#include "base/out.h"
#include "base/vec.h"

enum filter_term {
	FILTER_IP,
	FILTER_ID,
	FILTER_TID,
	FILTER_PID,
	FILTER_CPU,
	FILTER_TIME,
	FILTER_ADDR,
	FILTER_PERIOD,
	FILTER_TXN,
	FILTER_WEIGHT, /* all 64 bits; weight1 to 3 are its parts: 32, 16 and 16 bits */
	FILTER_WEIGHT1,
	FILTER_WEIGHT2, /* ins_lat */
	FILTER_WEIGHT3, /* p_stage_cyc, retire_lat */
	FILTER_PHYS_ADDR,
	FILTER_CODE_PGSZ,
	FILTER_DATA_PGSZ,
	FILTER_MEM_OP, /* and the rest of the data source */
	FILTER_MEM_LVL,
	FILTER_MEM_SNOOP, /* the snoopx bits behind the five of snoop */
	FILTER_MEM_REMOTE,
	FILTER_MEM_LOCK,
	FILTER_MEM_DTLB,
	FILTER_MEM_BLK,
	FILTER_MEM_HOPS,
	FILTER_UID,
	FILTER_GID,
	FILTER_CGROUP,
	FILTER_TERMS /* their number */
};

enum filter_op {
	FILTER_EQ,
	FILTER_NE,
	FILTER_LT,
	FILTER_LE,
	FILTER_GT,
	FILTER_GE,
	FILTER_AND,
};

struct filter_test {
	enum filter_term term;
	enum filter_op op;
	uint64_t value;
	bool alternative; /* joined with the one before by "||" */
};

#define FILTER_MAX_TESTS 64 /* as in perf */

struct kernel_filter {
	VEC(struct filter_test) tests;
};
void kernel_filter_free(struct kernel_filter *f);

/* Appends a text, which has to hold too. On failure the filter is as before, and err says what is
 * wrong, with the place marked. */
MUST_USE bool kernel_filter_parse(struct kernel_filter *f, const char *text, struct err *err);

/* A text that parses to the same. */
void kernel_filter_print(const struct kernel_filter *f, struct out *o);

/* PERF_SAMPLE_WEIGHT_STRUCT, which headers of older kernels do not have. */
#define FILTER_WEIGHT_PARTS (1U << 24)

const char *filter_term_name(enum filter_term term);

/* The PERF_SAMPLE_… bit without which the kernel does not have the value at hand; 0: none. */
uint64_t filter_term_field(enum filter_term term);

#endif
