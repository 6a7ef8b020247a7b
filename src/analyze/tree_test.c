#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "analyze/tree.h"

static uint64_t next_random(uint64_t *state)
{
	*state = hash_mix(*state + 1, 0x2545f4914f6cdd1du);
	return *state;
}

static frame_id frame(struct profile *p, const char *name, enum code_kind kind, unsigned flags)
{
	func_id func = profile_func(p, str_of(name), (object_id){0}, 0, 0);
	return profile_frame(p, func, (object_id){0}, 0, kind, flags);
}

/* Names are few, so that stacks merge; some differ in their object only. */
static frame_id random_frame(struct profile *p, uint64_t *seed)
{
	char name[16] = {(char)('a' + next_random(seed) % 6), 0};
	if (next_random(seed) % 4 == 0)
		memcpy(name + 1, " x", 3);
	object_id object = profile_object(p, str_of(next_random(seed) % 2 ? "/bin/a" : "/bin/b"),
					  STR("a"), CODE_USER);
	func_id func = profile_func(p, str_of(name), object, next_random(seed) % 3, 1);
	return profile_frame(p, func, object, next_random(seed) % 5, next_random(seed) % 2, 0);
}

static void add_random_rows(struct profile *p, uint64_t seed, size_t n)
{
	static const char *const comms[] = {"cc1", "make", "sh"};
	event_id events[] = {profile_event(p, STR("cycles")), profile_event(p, STR("faults"))};
	for (size_t i = 0; i < n; i++) {
		stack_id stack = {0};
		for (size_t depth = next_random(&seed) % 9; depth > 0; depth--)
			stack = profile_stack(p, stack, random_frame(p, &seed));
		size_t who = next_random(&seed) % 3;
		profile_add(p,
			    &(struct profile_row){.event = events[next_random(&seed) % 2],
						  .thread = profile_thread(p, (int32_t)(who % 2), 7,
									   str_of(comms[who]), 0),
						  .cpu = PROFILE_ANY_CPU,
						  .stack = stack,
						  .leaf = random_frame(p, &seed),
						  .count = 1,
						  .weight = 1 + next_random(&seed) % 1000});
	}
}

static void check_shape(const struct tree *t)
{
	uint64_t self = 0;
	assert_int_equal(t->nodes.v[0].end, t->nodes.n);
	for (uint32_t i = 0; i < t->nodes.n; i++) {
		const struct tree_node *n = &t->nodes.v[i];
		const struct tree_node *parent = &t->nodes.v[n->parent];
		self += n->self;
		uint64_t sum = n->self;
		struct str last = {0};
		for (uint32_t c = i + 1; c < n->end; c = t->nodes.v[c].end) {
			assert_int_equal(t->nodes.v[c].parent, i);
			assert_true(t->nodes.v[c].end > c && t->nodes.v[c].end <= n->end);
			if (last.p)
				assert_true(str_cmp(last, tree_name(t, c)) < 0);
			last = tree_name(t, c);
			sum += t->nodes.v[c].total;
		}
		assert_int_equal(sum, n->total);
		assert_true(n->depth <= t->max_depth);
		if (i) {
			assert_true(n->parent < i);
			assert_int_equal(n->depth, parent->depth + 1);
			assert_true(n->total <= parent->total);
		}
	}
	assert_int_equal(self, t->nodes.v[0].total);
}

static void sums_hold(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct profile *p = profile_new();
		add_random_rows(p, seed, seed * 12);
		for (unsigned variant = 0; variant < 8; variant++) {
			struct tree_options opt = {.event = {variant & 1},
						   .inverted = variant & 2,
						   .weights = variant & 4,
						   .root = (enum tree_root)(seed % 4)};
			struct tree t;
			tree_build(&t, p, &opt);
			check_shape(&t);
			uint64_t expected = 0;
			for (size_t i = 0; i < p->rows.n; i++)
				if (!opt.event.v || p->rows.v[i].event.v == opt.event.v)
					expected += opt.weights ? p->rows.v[i].weight
								: p->rows.v[i].count;
			assert_int_equal(t.nodes.v[0].total, expected);
			tree_free(&t);
		}
		profile_free(p);
	}
}

static void assert_same_tree(const struct tree *a, const struct tree *b)
{
	assert_int_equal(a->nodes.n, b->nodes.n);
	for (uint32_t i = 0; i < a->nodes.n; i++) {
		assert_true(str_eq(tree_name(a, i), tree_name(b, i)));
		assert_int_equal(a->nodes.v[i].parent, b->nodes.v[i].parent);
		assert_int_equal(a->nodes.v[i].self, b->nodes.v[i].self);
		assert_int_equal(a->nodes.v[i].kind, b->nodes.v[i].kind);
	}
}

/* Which thread saw a sample first must not show. */
static void order_of_rows_does_not_matter(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct profile *p = profile_new();
		add_random_rows(p, seed, 200);
		struct tree_options opt = {.weights = true};
		struct tree a, b;
		tree_build(&a, p, &opt);
		for (size_t i = p->rows.n; i-- > 1;) {
			uint64_t r = seed * 1000 + i;
			size_t j = next_random(&r) % i;
			struct profile_row swap = p->rows.v[i];
			p->rows.v[i] = p->rows.v[j];
			p->rows.v[j] = swap;
		}
		tree_build(&b, p, &opt);
		assert_same_tree(&a, &b);
		tree_free(&a);
		tree_free(&b);
		profile_free(p);
	}
}

static void add(struct profile *p, thread_id thread, const frame_id *frames, size_t n)
{
	stack_id stack = {0};
	for (size_t i = 0; i < n; i++)
		stack = profile_stack(p, stack, frames[i]);
	profile_add(p, &(struct profile_row){.event = profile_event(p, STR("x")),
					     .thread = thread,
					     .stack = stack,
					     .count = 1,
					     .weight = 10});
}

static void expect_names(const struct profile *p, const struct tree_options *opt,
			 const char *const *names)
{
	struct tree t;
	tree_build(&t, p, opt);
	uint32_t i = 0;
	for (; names[i]; i++) {
		assert_true(i < t.nodes.n);
		assert_memory_equal(tree_name(&t, i).p, names[i], strlen(names[i]));
		assert_int_equal(tree_name(&t, i).n, strlen(names[i]));
	}
	assert_int_equal(t.nodes.n, i);
	tree_free(&t);
}

#define NAMES(...) ((const char *const[]){"all", __VA_ARGS__, NULL})

static void names_are_as_asked(void **state)
{
	(void)state;
	struct profile *p = profile_new();
	object_id libc = profile_object(p, STR("/usr/lib/libc.so"), STR("libc.so"), CODE_USER);
	object_id kernel = profile_object(p, STR("[kernel.kallsyms]"), STR("[kernel.kallsyms]"),
					  CODE_KERNEL);
	frame_id frames[] = {
		frame(p, "main;1", CODE_USER, 0),
		profile_frame(p, (func_id){0}, libc, 0x1f00, CODE_USER, 0),
		frame(p, "jit\n", CODE_USER, FRAME_JIT),
		frame(p, "inl", CODE_USER, FRAME_INLINED),
		frame(p, "sys", CODE_KERNEL, 0),
		profile_frame(p, (func_id){0}, kernel, 0x20, CODE_KERNEL, 0),
		profile_frame(p, (func_id){0}, (object_id){0}, 0x30, CODE_USER, FRAME_NO_MAP),
	};
	add(p, profile_thread(p, 12, -1, STR("a b"), 0), frames, ARRAY_LEN(frames));
	expect_names(p, &(struct tree_options){.root = TREE_ROOT_COMM},
		     NAMES("a b", "main;1", "[libc.so]", "jit\n", "inl", "sys", "[kernel.kallsyms]",
			   "[unknown]"));
	expect_names(p,
		     &(struct tree_options){.root = TREE_ROOT_COMM_TID,
					    .folded = true,
					    .addresses = true,
					    .mark_kernel = true,
					    .mark_jit = true,
					    .mark_inlined = true},
		     NAMES("a b-12/?", "main:1", "[libc.so <1f00>]", "jit _[j]", "inl_[i]",
			   "sys_[k]", "[kernel.kallsyms <20>]_[k]", "[unknown <30>]"));
	expect_names(p, &(struct tree_options){.root = TREE_ROOT_COMM_PID, .inverted = true},
		     NAMES("[unknown]", "[kernel.kallsyms]", "sys", "inl", "jit\n", "[libc.so]",
			   "main;1", "a b-12"));
	profile_free(p);
}

static void rows_without_stack_show_their_leaf(void **state)
{
	(void)state;
	struct profile *p = profile_new();
	thread_id t = profile_thread(p, 1, 1, STR("sh"), 0);
	profile_add(p, &(struct profile_row){.event = profile_event(p, STR("x")),
					     .thread = t,
					     .leaf = frame(p, "leaf", CODE_USER, 0),
					     .count = 1});
	add(p, t, NULL, 0);
	expect_names(p, &(struct tree_options){0}, NAMES("sh", "leaf"));
	profile_free(p);
}

static void sums_stop_at_the_greatest_number(void **state)
{
	(void)state;
	struct profile *p = profile_new();
	frame_id f[] = {frame(p, "f", CODE_USER, 0), frame(p, "g", CODE_USER, 0)};
	for (size_t i = 1; i <= 2; i++)
		profile_add(
			p, &(struct profile_row){.event = profile_event(p, STR("x")),
						 .stack = profile_stack(p, (stack_id){0}, f[i - 1]),
						 .count = 1,
						 .weight = UINT64_MAX - i});
	struct tree t;
	tree_build(&t, p, &(struct tree_options){.weights = true});
	assert_true(t.nodes.v[0].total == UINT64_MAX);
	assert_true(t.nodes.v[1].total == UINT64_MAX - 1);
	tree_free(&t);
	profile_free(p);
}

static void nothing_gives_a_root(void **state)
{
	(void)state;
	struct profile *p = profile_new();
	struct tree t;
	tree_build(&t, p, &(struct tree_options){0});
	assert_int_equal(t.nodes.n, 1);
	assert_int_equal(t.nodes.v[0].total, 0);
	tree_free(&t);
	profile_free(p);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_hold),
		cmocka_unit_test(order_of_rows_does_not_matter),
		cmocka_unit_test(names_are_as_asked),
		cmocka_unit_test(rows_without_stack_show_their_leaf),
		cmocka_unit_test(sums_stop_at_the_greatest_number),
		cmocka_unit_test(nothing_gives_a_root),
	};
	return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
