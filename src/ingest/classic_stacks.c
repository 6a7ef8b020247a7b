#include "ingest/classic_stacks.h"

#include "ingest/scan.h"

void classic_stacks_init(struct classic_stacks *c, struct profile *p,
			 const struct classic_options *opt)
{
	*c = (struct classic_stacks){.p = p, .opt = opt};
	out_memory(&c->key);
	out_memory(&c->name);
	(void)profile_event(p, STR("samples"));
}

void classic_stacks_free(struct classic_stacks *c)
{
	strtab_free(&c->keys);
	vec_free(&c->ranges);
	vec_free(&c->parts);
	(void)out_finish(&c->key);
	(void)out_finish(&c->name);
}

/* Appends the frame of a name to `parts`. ';' in it (from a command's name or a source line) opens
 * a further frame: in the text that comes out it cannot be told from one. */
static void push_name(struct classic_stacks *c, struct str name)
{
	for (struct str rest = name; rest.p;) {
		struct str part = str_split(rest, ';', &rest);
		func_id func = profile_func(c->p, part, (object_id){0}, 0, 0);
		vec_push(&c->parts, profile_frame(c->p, func, (object_id){0}, 0, CODE_USER, 0));
	}
}

stack_id classic_stacks_root(struct classic_stacks *c, const struct classic_head *h)
{
	struct out *o = &c->name;
	o->n = 0;
	out_str(o, h->comm);
	if (c->opt->pid || c->opt->tid) {
		out_char(o, '-');
		out_str(o, h->pid);
	}
	if (c->opt->tid) {
		out_char(o, '/');
		out_str(o, h->tid);
	}
	for (size_t i = 0; i < o->n; i++)
		if (o->buf[i] == ' ')
			o->buf[i] = '_';
	c->java = str_starts(out_text(o), "java");
	struct classic_range r = {.known = true, .first = (uint32_t)c->parts.n};
	push_name(c, out_text(o));
	r.count = (uint32_t)c->parts.n - r.first;
	stack_id stack = classic_stacks_push(c, (stack_id){0}, r);
	c->parts.n = r.first;
	return stack;
}

/* The source line behind a frame, without what is in brackets. */
static void put_srcline(struct out *o, struct lines *in)
{
	struct str line;
	if (!lines_next(in, &line))
		return;
	size_t before = o->n;
	out_char(o, ':');
	for (size_t i = 0; i < line.n; i++) {
		const char *end = line.p[i] == '[' ? memchr(line.p + i, ']', line.n - i) : NULL;
		if (end)
			i = (size_t)(end - line.p);
		else if (o->n > before + 1 || !is_blank_char(line.p[i]))
			out_char(o, line.p[i]);
	}
	while (o->n > before + 1 && is_blank_char(o->buf[o->n - 1]))
		o->n--;
	if (o->n == before + 1)
		o->n = before;
}

static void push_parts(struct classic_stacks *c, const struct classic_frame *f, struct lines *in)
{
	struct classic_style style = {.kernel = c->opt->kernel,
				      .jit = c->opt->jit,
				      .addrs = c->opt->addrs,
				      .java = c->java};
	bool nowhere = false;
	struct str rest = f->name, part;
	while (classic_part(&rest, &part)) {
		classic_name(&c->name, f, part, &style);
		nowhere |= str_is(part, "[unknown]") && str_is(f->dso, "[unknown]");
		if (c->opt->srcline && !nowhere)
			put_srcline(&c->name, in);
		push_name(c, out_text(&c->name));
		style.inlined = true;
	}
}

struct classic_range classic_stacks_frame(struct classic_stacks *c, const struct classic_frame *f,
					  struct lines *in)
{
	if (c->opt->srcline) {
		c->parts.n = 0;
		push_parts(c, f, in);
		return (struct classic_range){true, 0, (uint32_t)c->parts.n};
	}
	/* All that push_parts() looks at. */
	struct out *key = &c->key;
	key->n = 0;
	out_char(key, c->java ? 'L' : ' ');
	if (c->opt->addrs)
		out_str(key, f->pc);
	out_char(key, '\0');
	out_str(key, f->name);
	out_char(key, '\0');
	out_str(key, f->dso);
	string_id id = strtab_intern(&c->keys, out_text(key));
	while (c->ranges.n <= id.v)
		vec_push(&c->ranges, (struct classic_range){0});
	struct classic_range *r = &c->ranges.v[id.v];
	if (!r->known) {
		*r = (struct classic_range){true, (uint32_t)c->parts.n, 0};
		push_parts(c, f, in);
		r->count = (uint32_t)c->parts.n - r->first;
	}
	return *r;
}

stack_id classic_stacks_push(struct classic_stacks *c, stack_id stack, struct classic_range r)
{
	for (uint32_t i = 0; i < r.count; i++)
		stack = profile_stack(c->p, stack, c->parts.v[r.first + i]);
	return stack;
}

bool classic_stacks_add(struct classic_stacks *c, stack_id stack, uint64_t weight)
{
	if (weight > UINT64_MAX - c->total)
		return false;
	c->total += weight;
	profile_add(c->p, &(struct profile_row){.event = {1},
						.cpu = PROFILE_ANY_CPU,
						.stack = stack,
						.leaf = c->p->stacks.v[stack.v].frame,
						.count = 1,
						.weight = weight});
	return true;
}
