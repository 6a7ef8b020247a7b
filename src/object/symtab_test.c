/* Look-ups, aliases, overlaps, and the two structures below them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <elf.h>

#include "object/rbtree.h"
#include "object/symtab_build.h"

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 24;
}

/* --- sorting ---------------------------------------------------------------------------------- */

static void sorts(void **state)
{
	(void)state;
	uint64_t seed = 3;
	for (int round = 0; round < 60; round++) {
		size_t n = next_random(&seed) % (round < 30 ? 100 : 5000);
		uint64_t mask = round % 3 == 0   ? 0xf
				: round % 3 == 1 ? UINT64_MAX
						 : 0xffffff0000000fff;
		struct sort_key *keys = calloc(n + 1, sizeof *keys);
		for (size_t i = 0; i < n; i++)
			keys[i] = (struct sort_key){next_random(&seed) * 0x9e3779b97f4a7c15u & mask,
						    (uint32_t)i};
		sort_keys(keys, n);
		for (size_t i = 1; i < n; i++) {
			assert_true(keys[i - 1].key <= keys[i].key);
			if (keys[i - 1].key == keys[i].key)
				assert_true(keys[i - 1].index < keys[i].index);
		}
		free(keys);
	}
}

/* --- the tree --------------------------------------------------------------------------------- */

/* The number of black nodes on every way down; fails unless it is the same on all. */
static int black_height(const struct rb_tree *t, uint32_t node, uint32_t parent)
{
	const struct rb_node *n = &t->nodes[node];
	if (!node)
		return 1;
	assert_int_equal(n->parent, parent);
	if (n->red) {
		assert_int_equal(t->nodes[n->child[0]].red, 0);
		assert_int_equal(t->nodes[n->child[1]].red, 0);
	}
	if (n->child[0])
		assert_true(t->nodes[n->child[0]].key <= n->key);
	if (n->child[1])
		assert_true(t->nodes[n->child[1]].key >= n->key);
	int left = black_height(t, n->child[0], node), right = black_height(t, n->child[1], node);
	assert_int_equal(left, right);
	return left + !n->red;
}

static void tree_stays_balanced(void **state)
{
	(void)state;
	enum { N = 400 };
	uint64_t seed = 9;
	for (int round = 0; round < 20; round++) {
		struct rb_tree t;
		bool in[N + 1] = {0};
		rb_init(&t, N);
		for (int step = 0; step < 1500; step++) {
			uint32_t node = (uint32_t)(1 + next_random(&seed) % N);
			if (in[node])
				rb_erase(&t, node);
			else
				rb_insert(&t, node, next_random(&seed) % 50);
			in[node] = !in[node];
			if (step % 25 == 0)
				black_height(&t, t.root, 0);
		}
		rb_free(&t);
	}
}

/* Seven in order: the textbook's tree, and the one perf's library makes. */
static void tree_shape(void **state)
{
	(void)state;
	struct rb_tree t;
	rb_init(&t, 7);
	for (uint32_t i = 1; i <= 7; i++)
		rb_insert(&t, i, i);
	assert_int_equal(t.root, 2);
	assert_int_equal(t.nodes[2].child[1], 4);
	assert_int_equal(t.nodes[4].child[1], 6);
	rb_erase(&t, 2);
	/* Its successor takes its place. */
	assert_int_equal(t.root, 3);
	rb_free(&t);
}

/* --- aliases ---------------------------------------------------------------------------------- */

static struct symbol symbol(const char *name, uint64_t size, uint8_t binding)
{
	return (struct symbol){.start = 0x100,
			       .end = 0x100 + size,
			       .name = name,
			       .binding = binding,
			       .type = STT_FUNC};
}

static void assert_wins(struct symbol a, struct symbol b)
{
	assert_true(symbol_preferred(&a, &b, true));
	assert_false(symbol_preferred(&b, &a, true));
}

static void aliases(void **state)
{
	(void)state;
	assert_wins(symbol("__x", 8, STB_WEAK), symbol("long_name", 0, STB_GLOBAL));
	assert_wins(symbol("__x", 8, STB_LOCAL), symbol("long_name", 8, STB_WEAK));
	assert_wins(symbol("__x", 8, STB_GLOBAL), symbol("long_name", 8, STB_LOCAL));
	assert_wins(symbol("x", 8, STB_GLOBAL), symbol("_long_name", 8, STB_GLOBAL));
	assert_wins(symbol("longer", 8, STB_GLOBAL), symbol("short", 8, STB_GLOBAL));
	/* By their demangled names: "foo" has no underscore and "a_b_c" is longer. */
	assert_wins(symbol("_Z3foov", 8, STB_GLOBAL), symbol("_foo", 8, STB_GLOBAL));
	assert_wins(symbol("a_b_c", 8, STB_GLOBAL), symbol("_Z3foov", 8, STB_GLOBAL));
	/* A tie goes to the first, unless that is one of the kernel's old system call aliases. */
	struct symbol a = symbol("_ZN3FooC2Ev", 8, STB_GLOBAL);
	struct symbol b = symbol("_ZN3FooC1Ev", 8, STB_GLOBAL);
	assert_true(symbol_preferred(&a, &b, true));
	assert_true(symbol_preferred(&b, &a, true));
	assert_wins(symbol("sys_read", 8, STB_GLOBAL), symbol("SyS_read", 8, STB_GLOBAL));
}

/* --- whole tables -------------------------------------------------------------------------------
 */

static void build(struct symtab *t, const struct symbol *syms, size_t n, bool tidy)
{
	struct symtab_build b = {0};
	*t = (struct symtab){0};
	for (size_t i = 0; i < n; i++)
		symtab_build_insert(&b, syms[i].start, syms[i].end - syms[i].start, syms[i].name,
				    STB_GLOBAL, STT_FUNC);
	symtab_build_pass(&b, tidy);
	symtab_build_finish(&b, t, (struct symtab_wanted){0});
	symtab_build_free(&b);
}

static const char *name_at(const struct symtab *t, uint64_t addr)
{
	const struct symbol *s = symtab_find(t, addr);
	return s ? s->name : "-";
}

/* Where one symbol lies in another, the one nearer to the tree's root answers; behind an inner one
 * that is above, nothing does. */
static void nested(void **state)
{
	(void)state;
	struct symtab t;
	/* Inserted second, the inner one is below the outer one. */
	build(&t, (struct symbol[]){{0x100, 0x200, "outer"}, {0x140, 0x150, "inner"}}, 2, true);
	assert_string_equal(name_at(&t, 0x145), "outer");
	assert_string_equal(name_at(&t, 0x190), "outer");
	assert_string_equal(name_at(&t, 0x200), "-");
	symtab_free(&t);
	/* Inserted first, it is above. */
	build(&t, (struct symbol[]){{0x140, 0x150, "inner"}, {0x100, 0x200, "outer"}}, 2, true);
	assert_string_equal(name_at(&t, 0x13f), "outer");
	assert_string_equal(name_at(&t, 0x145), "inner");
	assert_string_equal(name_at(&t, 0x190), "-");
	symtab_free(&t);
}

/* The table's answer is that of a search in the tree, for every address. */
static void same_as_search(void **state)
{
	(void)state;
	enum { N = 60, SPACE = 300 };
	uint64_t seed = 5;
	for (int round = 0; round < 100; round++) {
		struct symbol syms[N];
		struct rb_tree tree;
		struct symtab t;
		rb_init(&tree, N);
		for (uint32_t i = 0; i < N; i++) {
			uint64_t start = next_random(&seed) % SPACE;
			syms[i] = (struct symbol){start, start + 1 + next_random(&seed) % 40, "s"};
			rb_insert(&tree, i + 1, start);
		}
		build(&t, syms, N, false);
		for (uint64_t a = 0; a < SPACE + 50; a++) {
			uint32_t at = tree.root;
			while (at && (a < syms[at - 1].start || a >= syms[at - 1].end))
				at = tree.nodes[at].child[a >= syms[at - 1].start];
			const struct symbol *s = symtab_find(&t, a);
			assert_int_equal(s != NULL, at != 0);
			if (s) {
				assert_int_equal(s->start, syms[at - 1].start);
				assert_int_equal(s->end, syms[at - 1].end);
			}
		}
		symtab_free(&t);
		rb_free(&tree);
	}
}

static bool nothing(const void *ctx, uint64_t from, uint64_t to)
{
	(void)ctx;
	return from > to;
}

/* Overlaps that nobody asks about cost nothing. */
static void unwanted_overlaps(void **state)
{
	(void)state;
	struct symtab_build b = {0};
	struct symtab t = {0};
	symtab_build_insert(&b, 0x100, 0x100, "outer", STB_GLOBAL, STT_OBJECT);
	symtab_build_insert(&b, 0x110, 0x10, "inner", STB_GLOBAL, STT_OBJECT);
	symtab_build_pass(&b, true);
	symtab_build_finish(&b, &t, (struct symtab_wanted){.fn = nothing});
	assert_int_equal(t.patches.n, 0);
	symtab_build_free(&b);
	symtab_free(&t);
}

static void extremes(void **state)
{
	(void)state;
	struct symtab t;
	build(&t, NULL, 0, true);
	assert_null(symtab_find(&t, 0));
	symtab_free(&t);
	struct symbol syms[] = {{0, 0, "zero"}, {UINT64_MAX - 1, UINT64_MAX - 1, "top"}};
	build(&t, syms, 2, true);
	assert_string_equal(name_at(&t, 0), "zero");
	assert_string_equal(name_at(&t, UINT64_MAX - 1), "top");
	symtab_free(&t);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts),
		cmocka_unit_test(tree_stays_balanced),
		cmocka_unit_test(tree_shape),
		cmocka_unit_test(aliases),
		cmocka_unit_test(nested),
		cmocka_unit_test(same_as_search),
		cmocka_unit_test(unwanted_overlaps),
		cmocka_unit_test(extremes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
