/* `perf script` text -> the stacks that stackcollapse-perf.pl makes of it. */
#include "base/hash.h"
#include "ingest/classic_text.h"
#include "ingest/import.h"
#include "ingest/scan.h"

/* Of struct classic's parts. */
struct part_range {
	bool known;
	uint32_t first, count;
};

struct classic {
	struct profile *p;
	struct lines *in;
	struct diags *d;
	const struct classic_options *opt;
	uint64_t total;

	struct out event; /* the only one taken; empty until the first is seen */
	bool noted_event; /* said that others are left out */

	/* The sample being read. */
	bool open;
	uint64_t period;
	struct out root;     /* its name */
	VEC(frame_id) chain; /* leaf first */

	/* What a frame line stands for, by its text: a range of `parts`, root first. */
	struct strtab keys;
	VEC(struct part_range) ranges; /* by key */
	VEC(frame_id) parts;
	struct out key, name;
};

/* --- heads ---------------------------------------------------------------------------------- */

static bool wanted_event(struct classic *c, struct str event)
{
	if (!c->event.n) {
		out_str(&c->event, event);
		return true;
	}
	struct str own = out_text(&c->event);
	if (str_eq(event, own))
		return true;
	if (!c->opt->event && !c->noted_event) {
		c->noted_event = true;
		diag_add(c->d, DIAG_NOTE, 1,
			 "%s: only stacks of %.*s are shown; there is also %.*s", c->in->name,
			 (int)own.n, own.p, (int)event.n, event.p);
		diag_hint(c->d, DIAG_NOTE, "--event-filter=NAME chooses another");
	}
	return false;
}

static void set_root(struct classic *c, const struct classic_head *h)
{
	struct out *o = &c->root;
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
}

/* A head leaves the frames read so far alone: only a blank line ends a sample. */
static void take_head(struct classic *c, struct str line, const struct classic_head *h)
{
	struct str period, event;
	bool known = classic_event(line, &period, &event);
	if (known && !wanted_event(c, event))
		return;
	c->period = 1;
	if (known && period.n && !str_is(period, "0") && !str_to_u64(period, 10, &c->period))
		c->period = UINT64_MAX;
	set_root(c, h);
	c->open = true;
}

/* --- frames --------------------------------------------------------------------------------- */

/* Appends the frame of a name to `parts`. ';' in it (from a command's name or a source line) opens
 * a further frame: in the text that comes out it cannot be told from one. */
static void push_name(struct classic *c, struct str name)
{
	for (struct str rest = name; rest.p;) {
		struct str part = str_split(rest, ';', &rest);
		func_id func = profile_func(c->p, part, (object_id){0}, 0, 0);
		vec_push(&c->parts, profile_frame(c->p, func, (object_id){0}, 0, CODE_USER, 0));
	}
}

/* With `srcline` the line behind a frame holds its source line: brackets and what is in them go. */
static void put_srcline(struct classic *c)
{
	struct str line;
	if (!lines_next(c->in, &line))
		return;
	struct out *o = &c->name;
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

/* Appends what the frame stands for to `parts`. */
static void push_parts(struct classic *c, const struct classic_frame *f, bool java)
{
	struct classic_style style = {
		.kernel = c->opt->kernel, .jit = c->opt->jit, .addrs = c->opt->addrs, .java = java};
	bool nowhere = false;
	struct str rest = f->name, part;
	while (classic_part(&rest, &part)) {
		classic_name(&c->name, f, part, &style);
		nowhere |= str_is(part, "[unknown]") && str_is(f->dso, "[unknown]");
		if (c->opt->srcline && !nowhere)
			put_srcline(c);
		push_name(c, out_text(&c->name));
		style.inlined = true;
	}
}

/* The range of `parts` for a frame line; known ones are looked up by all that push_parts() looks
 * at. */
static struct part_range parts_of(struct classic *c, const struct classic_frame *f, bool java)
{
	struct out *key = &c->key;
	key->n = 0;
	out_char(key, java ? 'L' : ' ');
	if (c->opt->addrs)
		out_str(key, f->pc);
	out_char(key, '\0');
	out_str(key, f->name);
	out_char(key, '\0');
	out_str(key, f->dso);
	string_id id = strtab_intern(&c->keys, out_text(key));
	while (c->ranges.n <= id.v)
		vec_push(&c->ranges, (struct part_range){0});
	struct part_range *r = &c->ranges.v[id.v];
	if (!r->known) {
		*r = (struct part_range){true, (uint32_t)c->parts.n, 0};
		push_parts(c, f, java);
		r->count = (uint32_t)c->parts.n - r->first;
	}
	return *r;
}

static void take_frame(struct classic *c, const struct classic_frame *f)
{
	/* A name that begins with a bracket is that of a process. */
	if (!c->open || str_starts(f->name, "("))
		return;
	bool java = str_starts(out_text(&c->root), "java");
	struct part_range r;
	if (c->opt->srcline) {
		c->parts.n = 0;
		push_parts(c, f, java);
		r = (struct part_range){true, 0, (uint32_t)c->parts.n};
	} else {
		r = parts_of(c, f, java);
	}
	for (uint32_t i = r.count; i-- > 0;)
		vec_push(&c->chain, c->parts.v[r.first + i]);
}

/* --- lines ---------------------------------------------------------------------------------- */

static void end_sample(struct classic *c)
{
	if (!c->open)
		return;
	c->open = false;
	if (c->period > UINT64_MAX - c->total) {
		diag_partial(c->d, DIAG_BAD_LINE,
			     "%s: the sample before line %" PRIu64
			     " is left out: the periods exceed 64 bits",
			     c->in->name, c->in->number);
	} else {
		c->total += c->period;
		size_t mark = c->parts.n;
		push_name(c, out_text(&c->root));
		stack_id stack = {0};
		for (size_t i = mark; i < c->parts.n; i++)
			stack = profile_stack(c->p, stack, c->parts.v[i]);
		c->parts.n = mark;
		for (size_t i = c->chain.n; i-- > 0;)
			stack = profile_stack(c->p, stack, c->chain.v[i]);
		profile_add(c->p, &(struct profile_row){.event = {1},
							.cpu = PROFILE_ANY_CPU,
							.stack = stack,
							.leaf = c->p->stacks.v[stack.v].frame,
							.count = 1,
							.weight = c->period});
	}
	vec_clear(&c->chain);
}

static void take_line(struct classic *c, struct str line)
{
	struct classic_head head;
	struct classic_frame frame;
	if (line.n && line.p[0] == '#')
		return;
	if (!line.n)
		return end_sample(c);
	if (classic_head(line, &head))
		return take_head(c, line, &head);
	if (c->opt->srcline) {
		/* Reading the source lines moves the text away under the frame. */
		c->key.n = 0;
		out_str(&c->key, line);
		line = out_text(&c->key);
	}
	if (classic_frame(line, &frame))
		return take_frame(c, &frame);
	diag_add(c->d, DIAG_BAD_LINE, 1,
		 "%s: line %" PRIu64 " is neither the head of a sample nor a frame", c->in->name,
		 c->in->number);
}

bool import_classic(struct profile *p, struct lines *in, const struct classic_options *opt,
		    struct diags *d, struct err *err)
{
	struct classic c = {.p = p, .in = in, .d = d, .opt = opt};
	struct out *buffers[] = {&c.event, &c.root, &c.key, &c.name};
	for (size_t i = 0; i < ARRAY_LEN(buffers); i++)
		out_memory(buffers[i]);
	out_cstr(&c.event, opt->event ? opt->event : "");
	(void)profile_event(p, STR("samples"));
	struct str line;
	while (lines_next(in, &line))
		take_line(&c, line);
	for (size_t i = 0; i < ARRAY_LEN(buffers); i++)
		(void)out_finish(buffers[i]);
	strtab_free(&c.keys);
	vec_free(&c.chain);
	vec_free(&c.ranges);
	vec_free(&c.parts);
	return lines_ok(in, err);
}
