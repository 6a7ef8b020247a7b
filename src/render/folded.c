#include "base/vec.h"
#include "render/render.h"

/*
 * The order is that of the whole stacks as strings, "a", "a b", "a;c", which is not the tree's:
 * blank sorts before ';', so what hangs below "a" comes behind "a b" although "a" itself comes
 * before. Hence a node is two items among its siblings: its own line and its children.
 */
struct item {
	uint32_t node;
	bool below;    /* its children; else its own line */
	size_t prefix; /* bytes of the path above the node, last ';' included */
};

struct folder {
	struct out *o;
	const struct tree *t;
	VEC(char) path;
	VEC(struct item) work;     /* a stack: next item last */
	VEC(uint32_t) waiting;     /* siblings whose children come later than their successors */
	VEC(struct item) siblings; /* of one node, in order */
};

/* Do the stacks below `a` sort behind `b`, a later sibling? */
static bool sorts_behind(struct str a, struct str b)
{
	return b.n > a.n && memcmp(a.p, b.p, a.n) == 0 && (unsigned char)b.p[a.n] < ';';
}

static void push_children(struct folder *f, uint32_t node)
{
	const struct tree_node *nodes = f->t->nodes.v;
	size_t prefix = f->path.n;
	vec_clear(&f->siblings);
	for (uint32_t c = node + 1; c < nodes[node].end; c = nodes[c].end) {
		struct str name = tree_name(f->t, c);
		while (f->waiting.n && !sorts_behind(tree_name(f->t, vec_last(&f->waiting)), name))
			vec_push(&f->siblings,
				 (struct item){f->waiting.v[--f->waiting.n], true, prefix});
		vec_push(&f->siblings, (struct item){c, false, prefix});
		if (nodes[c].end > c + 1)
			vec_push(&f->waiting, c);
	}
	while (f->waiting.n)
		vec_push(&f->siblings, (struct item){f->waiting.v[--f->waiting.n], true, prefix});
	for (size_t i = f->siblings.n; i-- > 0;)
		vec_push(&f->work, f->siblings.v[i]);
}

static void put_line(struct folder *f, uint32_t node)
{
	const struct tree_node *n = &f->t->nodes.v[node];
	if (!n->self)
		return;
	out_bytes(f->o, f->path.v, f->path.n);
	out_str(f->o, tree_name(f->t, node));
	out_char(f->o, ' ');
	out_u64(f->o, n->self);
	out_char(f->o, '\n');
}

void render_folded(struct out *o, const struct tree *t)
{
	struct folder f = {.o = o, .t = t};
	if (t->nodes.n)
		push_children(&f, 0);
	while (f.work.n) {
		struct item i = f.work.v[--f.work.n];
		f.path.n = i.prefix;
		if (!i.below) {
			put_line(&f, i.node);
			continue;
		}
		struct str name = tree_name(t, i.node);
		vec_append(&f.path, name.p, name.n);
		vec_push(&f.path, ';');
		push_children(&f, i.node);
	}
	vec_free(&f.path);
	vec_free(&f.work);
	vec_free(&f.waiting);
	vec_free(&f.siblings);
}
