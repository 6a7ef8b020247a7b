/* For unit tests: profiles made from lines of text. */
#ifndef KILN_TEST_STACKS_H
#define KILN_TEST_STACKS_H

#include <stdlib.h>

#include "profile/profile.h"

/* Functions are named by one letter or more, lie in the object "lib" at the address that their
 * first letter gives and are 16 bytes long; "k_…" is in the kernel, "?N" is no function but an
 * address. */
static frame_id test_frame(struct profile *p, struct str name, unsigned offset)
{
	bool kernel = str_starts(name, "k_");
	object_id object = kernel ? profile_object(p, STR("[kernel.kallsyms]"),
						   STR("[kernel.kallsyms]"), CODE_KERNEL)
				  : profile_object(p, STR("/usr/lib/lib"), STR("lib"), CODE_USER);
	enum code_kind kind = kernel ? CODE_KERNEL : CODE_USER;
	uint64_t start = 0x1000 + (uint64_t)(uint8_t)name.p[kernel ? 2 : 0] * 16;
	if (name.p[0] == '?')
		return profile_frame(p, (func_id){0}, object, start + (uint64_t)(uint8_t)name.p[1],
				     kind, 0);
	func_id func = profile_func(p, name, object, start, 16);
	return profile_frame(p, func, object, start + offset % 16, kind, 0);
}

/* Each line "COMM/TID root;…;leaf WEIGHT" is one row of the event with one sample; every use of a
 * function is at another of its addresses. */
static struct profile *test_profile(const char *text)
{
	struct profile *p = profile_new();
	event_id event = profile_event(p, STR("clock"));
	p->events.v[event.v].has_stacks = true;
	struct str rest = str_of(text), line;
	unsigned offset = 0;
	while (str_line(&rest, &line)) {
		struct str stack, weight_text, tid_text;
		struct str who = str_split(line, ' ', &stack);
		stack = str_split(stack, ' ', &weight_text);
		struct str comm = str_split(who, '/', &tid_text);
		uint64_t tid = 1, weight = 0;
		if (tid_text.p)
			(void)!str_to_u64(tid_text, 10, &tid);
		(void)!str_to_u64(weight_text, 10, &weight);
		struct profile_row row = {.event = event,
					  .thread = profile_thread(p, (int32_t)tid, (int32_t)tid,
								   comm, (uint32_t)tid),
					  .cpu = (uint32_t)tid % 2,
					  .count = 1,
					  .weight = weight};
		while (stack.p) {
			struct str name = str_split(stack, ';', &stack);
			row.leaf = test_frame(p, name, offset++);
			row.stack = profile_stack(p, row.stack, row.leaf);
		}
		profile_add(p, &row);
	}
	return p;
}

#endif
