/*
 * The grammar of `perf script` text: what one line says. Nothing is kept, all is borrowed from the
 * line.
 *
 *   COMM TID|PID/TID [CPU] TIME: PERIOD EVENT: REST      head of a sample
 *   <tab>ADDR SYM+0xOFF (DSO)                            frame, leaf first
 *     FILE:LINE                                          source line of the frame above
 *
 * CPU, TIME, PERIOD and EVENT may be missing; COMM may hold blanks, digits and brackets, and is
 * right-aligned where samples take one line. REST is the one frame of such a line, or the payload
 * of a tracepoint.
 */
#ifndef KILN_SCRIPT_TEXT_H
#define KILN_SCRIPT_TEXT_H

#include "base/str.h"

struct script_head {
	struct str comm;
	int32_t pid, tid; /* pid -1: not in the text */
	uint64_t period;  /* 1 when not in the text */
	struct str event; /* empty when not in the text */
	struct str rest;
	bool has_period;
	bool side_band; /* not a sample: PERF_RECORD_… */
};

/* timeless: also heads without TIME, which much other text looks like. */
bool script_head(struct str line, bool timeless, struct script_head *out);

struct script_frame {
	uint64_t addr;
	struct str name; /* without offset; empty when unresolved */
	struct str dso;  /* empty when unknown */
	bool inlined;
};

bool script_frame(struct str text, struct script_frame *out);

#endif
