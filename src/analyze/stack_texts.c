#include "analyze/stack_texts.h"

#include "analyze/tree.h"

/* Names can be as long as their files say, and there are many stacks. */
#define MAX_TEXT 16384

struct stack_texts stack_texts_begin(struct profile *into)
{
	return (struct stack_texts){
		.hidden = profile_frame(into, (func_id){0}, (object_id){0}, 1, CODE_USER, 0),
		.shown = profile_frame(into, (func_id){0}, (object_id){0}, 2, CODE_USER, 0)};
}

static string_id intern_text(struct profile *into, struct str text)
{
	static const char rest[] = "...";
	if (text.n <= MAX_TEXT)
		return strtab_intern(&into->strings, text);
	text = str_skip(text, text.n - MAX_TEXT + sizeof rest);
	const char *next = memchr(text.p, ';', text.n);
	if (next)
		text = str_skip(text, (size_t)(next - text.p));
	VEC(char) cut = {0};
	vec_append(&cut, rest, sizeof rest - 1);
	vec_append(&cut, text.p, text.n);
	string_id id = strtab_intern(&into->strings, str_make(cut.v, cut.n));
	vec_free(&cut);
	return id;
}

/* Two trees of one shape: what differs is what the nodes' own numbers mean. */
static void add_nodes(struct profile *into, const struct tree *counts, const struct tree *weights,
		      struct profile_row row)
{
	VEC(char) path = {0};
	VEC(size_t) starts = {0}; /* by depth: where in the path a name goes */
	vec_push(&starts, 0);
	for (uint32_t i = 1; i < counts->nodes.n; i++) {
		const struct tree_node *n = &counts->nodes.v[i];
		starts.n = n->depth;
		path.n = vec_last(&starts);
		struct str name = tree_name(counts, i);
		vec_append(&path, name.p, name.n);
		if (n->self) {
			row.trace = intern_text(into, str_make(path.v, path.n));
			row.count = n->self;
			row.weight = weights->nodes.v[i].self;
			vec_push(&into->rows, row);
		}
		vec_push(&path, ';');
		vec_push(&starts, path.n);
	}
	vec_free(&path);
	vec_free(&starts);
}

static void add_event(struct profile *into, const struct profile *rows, uint32_t event,
		      struct profile_row row, bool verbatim)
{
	struct tree_options how = {.event = {event},
				   .root = TREE_ROOT_COMM,
				   .verbatim = verbatim,
				   .folded = !verbatim};
	struct tree counts, weights;
	tree_build(&counts, rows, &how);
	how.weights = true;
	tree_build(&weights, rows, &how);
	add_nodes(into, &counts, &weights, row);
	tree_free(&counts);
	tree_free(&weights);
}

/* The same profile with only the rows that are hidden, or only the others. */
static struct profile rows_of(const struct profile *p, const struct filter *filter, bool hidden)
{
	struct profile view = *p;
	memset(&view.rows, 0, sizeof view.rows);
	for (size_t i = 0; i < p->rows.n; i++)
		if (filter_hides(filter, p->rows.v[i].thread, p->rows.v[i].leaf) == hidden)
			vec_push(&view.rows, p->rows.v[i]);
	return view;
}

uint32_t stack_texts_add(const struct stack_texts *t, struct profile *into,
			 const struct profile *from, const struct filter *filter, bool verbatim)
{
	uint32_t first = (uint32_t)into->events.n - 1;
	struct profile shown = rows_of(from, filter, false), hidden = rows_of(from, filter, true);
	for (uint32_t i = 1; i < from->events.n; i++) {
		struct profile_event e = from->events.v[i];
		e.name = strtab_intern(&into->strings, profile_str(from, e.name));
		e.unit = strtab_intern(&into->strings, profile_str(from, e.unit));
		e.tracepoint = true; /* its rows have texts */
		vec_push(&into->events, e);
		struct profile_row row = {.event = {first + i}, .cpu = PROFILE_ANY_CPU};
		row.leaf = t->shown;
		add_event(into, &shown, i, row, verbatim);
		row.leaf = t->hidden;
		add_event(into, &hidden, i, row, verbatim);
	}
	vec_free(&shown.rows);
	vec_free(&hidden.rows);
	return first;
}
