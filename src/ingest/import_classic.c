/* `perf script` text -> the stacks that stackcollapse-perf.pl makes of it. */
#include "ingest/classic_stacks.h"
#include "ingest/import.h"

struct classic {
	struct classic_stacks stacks;
	struct lines *in;
	struct diags *d;
	const struct classic_options *opt;

	struct out event; /* the only one taken; empty until the first is seen */
	bool noted_event; /* said that others are left out */
	struct out line;  /* copy of a frame line, with `srcline` */

	/* The sample being read. */
	bool open;
	uint64_t period;
	stack_id root;
	VEC(frame_id) chain; /* leaf first */
};

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
		diag_hint(c->d, DIAG_NOTE, "-e NAME chooses another event");
	}
	return false;
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
	c->root = classic_stacks_root(&c->stacks, h);
	c->open = true;
}

static void take_frame(struct classic *c, const struct classic_frame *f)
{
	/* A name that begins with a bracket is that of a process. */
	if (!c->open || str_starts(f->name, "("))
		return;
	struct classic_range r = classic_stacks_frame(&c->stacks, f, c->in);
	for (uint32_t i = r.count; i-- > 0;)
		vec_push(&c->chain, c->stacks.parts.v[r.first + i]);
}

static void end_sample(struct classic *c)
{
	if (!c->open)
		return;
	c->open = false;
	stack_id stack = c->root;
	for (size_t i = c->chain.n; i-- > 0;)
		stack = profile_stack(c->stacks.p, stack, c->chain.v[i]);
	vec_clear(&c->chain);
	if (!classic_stacks_add(&c->stacks, stack, c->period))
		diag_partial(c->d, DIAG_BAD_LINE,
			     "%s: the sample before line %" PRIu64
			     " is left out: the periods exceed 64 bits",
			     c->in->name, c->in->number);
}

static void take_line(struct classic *c, struct str line)
{
	struct classic_head head;
	struct classic_frame frame;
	if (c->in->cut)
		diag_add(c->d, DIAG_BAD_LINE, 1, "%s: line %" PRIu64 " is too long and was cut",
			 c->in->name, c->in->number);
	if (line.n && line.p[0] == '#')
		return;
	if (!line.n)
		return end_sample(c);
	if (classic_head(line, &head))
		return take_head(c, line, &head);
	if (c->opt->srcline) {
		/* Reading the source lines moves the text away under the frame. */
		c->line.n = 0;
		out_str(&c->line, line);
		line = out_text(&c->line);
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
	struct classic c = {.in = in, .d = d, .opt = opt};
	classic_stacks_init(&c.stacks, p, opt);
	out_memory(&c.event);
	out_memory(&c.line);
	out_cstr(&c.event, opt->event ? opt->event : "");
	struct str line;
	while (lines_next(in, &line))
		take_line(&c, line);
	classic_stacks_free(&c.stacks);
	(void)out_finish(&c.event);
	(void)out_finish(&c.line);
	vec_free(&c.chain);
	return lines_ok(in, err);
}
