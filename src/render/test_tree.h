/* For tests: a tree from folded text. */
#ifndef KILN_TEST_TREE_H
#define KILN_TEST_TREE_H

#include "analyze/tree.h"

/* A profile of lines "a;b;c 12". */
static void add_stack(struct profile *p, struct str line)
{
	size_t blank = line.n;
	while (line.p[blank - 1] != ' ')
		blank--;
	uint64_t weight;
	assert_true(str_to_u64(str_skip(line, blank), 10, &weight));
	stack_id stack = {0};
	for (struct str rest = str_make(line.p, blank - 1); rest.p;) {
		func_id func = profile_func(p, str_split(rest, ';', &rest), (object_id){0}, 0, 0);
		stack = profile_stack(p, stack,
				      profile_frame(p, func, (object_id){0}, 0, CODE_USER, 0));
	}
	profile_add(p, &(struct profile_row){.event = profile_event(p, STR("samples")),
					     .stack = stack,
					     .count = weight,
					     .weight = weight});
}

static void grow(struct tree *t, const char *folded)
{
	struct profile *p = profile_new();
	struct str text = str_of(folded), line;
	while (str_line(&text, &line))
		add_stack(p, line);
	tree_build(t, p, &(struct tree_options){.weights = true, .verbatim = true});
	profile_free(p);
}

#endif
