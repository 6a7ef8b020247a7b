/*
 * How good the stacks and names of a profile are: how many stacks reach the start of their thread,
 * where the others end, which objects have no names, and what would help.
 */
#ifndef KILN_QUALITY_H
#define KILN_QUALITY_H

#include "profile/profile.h"

/* What is wrong with an object; each has its cure. */
enum quality_fault {
	FAULT_NO_FRAME_POINTERS, /* stacks by frame pointers end in it */
	FAULT_NO_UNWIND_TABLES,  /* copied stacks end in it */
	FAULT_JIT_FRAMES,        /* stacks end in code made at run time */
	FAULT_JIT_NAMES,         /* code made at run time without names */
	FAULT_NO_SYMBOLS,
	FAULT_KERNEL_NAMES,
	FAULT_NO_MAP, /* addresses that belong to nothing: what led there was no frame */
};

struct quality_object {
	string_id name; /* of the object; 0: addresses in none */
	enum quality_fault fault;
	uint64_t count; /* stacks that end here, or frames without a name */
};

struct quality {
	uint64_t stacks; /* samples with a call chain */
	uint64_t whole;  /* reach the start of their thread, or of the kernel's part */
	uint64_t cut;    /* deeper than what was recorded */
	uint64_t broken; /* the rest: they end in the middle */
	uint64_t frames, nameless;
	bool copied;                      /* stacks were copied, not found by frame pointers */
	VEC(struct quality_object) ends;  /* where broken stacks end, the most first */
	VEC(struct quality_object) names; /* where frames have no names, the most first */
};

/* Of all samples of an event. */
void quality_measure(const struct profile *p, event_id event, struct quality *q);
void quality_free(struct quality *q);

/* "built without frame pointers: record with --call-graph dwarf" */
const char *quality_cure(enum quality_fault fault);
/* What to do about stacks that are cut. */
const char *quality_cut_cure(const struct quality *q);

/* 0 to 100; of nothing: 0. */
double quality_percent(uint64_t part, uint64_t of);

#endif
