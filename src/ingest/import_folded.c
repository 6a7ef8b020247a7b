/* Folded stacks: frames root first, joined by ';', a blank, a number. */
#include "base/vec.h"
#include "ingest/import.h"
#include "ingest/scan.h"

struct folded {
	struct profile *p;
	struct lines *in;
	struct diags *d;
	event_id event;
	uint64_t total;

	/* The stack of the line before, because sorted input repeats most of it: its text, and for
	 * each frame where it ends in the text and the stack down to it. */
	VEC(char) text;
	VEC(struct level {
		size_t end;
		stack_id stack;
	})
	levels;
};

static void bad_line(struct folded *f, const char *why)
{
	diag_add(f->d, DIAG_BAD_LINE, 1, "%s: line %" PRIu64 " is not a folded stack: %s",
		 f->in->name, f->in->number, why);
	diag_hint(f->d, DIAG_BAD_LINE, "a folded line reads \"main;parse;read 42\"");
}

/* "12" or "12.7": whole number, and whether a fraction was dropped by rounding. */
static bool parse_weight(struct str s, uint64_t *out, bool *rounded)
{
	struct str fraction;
	struct str whole = str_split(s, '.', &fraction);
	if (!str_to_u64(whole, 10, out) || (fraction.n && !all_digits(fraction)))
		return false;
	*rounded = false;
	for (size_t i = 0; i < fraction.n; i++)
		*rounded |= fraction.p[i] != '0';
	if (fraction.n && fraction.p[0] >= '5' && *out < UINT64_MAX)
		++*out;
	return true;
}

static frame_id frame_of(struct profile *p, struct str name)
{
	enum code_kind kind = str_ends(name, "_[k]") ? CODE_KERNEL : CODE_USER;
	unsigned flags = str_ends(name, "_[j]")   ? FRAME_JIT
			 : str_ends(name, "_[i]") ? FRAME_INLINED
						  : 0;
	func_id func = profile_func(p, name, (object_id){0}, 0, 0);
	return profile_frame(p, func, (object_id){0}, 0, kind, flags);
}

/* Forgets the levels of the last line that `stack` does not begin with. */
static void keep_common(struct folded *f, struct str stack)
{
	size_t same = 0, limit = MIN(stack.n, f->text.n);
	while (same < limit && stack.p[same] == f->text.v[same])
		same++;
	while (f->levels.n) {
		size_t end = vec_last(&f->levels).end;
		if (end < same || (end == same && (same == stack.n || stack.p[same] == ';')))
			break;
		f->levels.n--;
	}
	f->text.n = f->levels.n ? vec_last(&f->levels).end : 0;
}

static stack_id stack_of(struct folded *f, struct str stack)
{
	keep_common(f, stack);
	struct level top = f->levels.n ? vec_last(&f->levels) : (struct level){0};
	vec_append(&f->text, stack.p + f->text.n, stack.n - f->text.n);
	size_t at = f->levels.n ? top.end + 1 : 0;
	/* A level that ends at the end of the text was the last frame; ";" behind it opens one
	 * more, possibly empty. */
	while (at <= stack.n) {
		const char *semi = at < stack.n ? memchr(stack.p + at, ';', stack.n - at) : NULL;
		top.end = semi ? (size_t)(semi - stack.p) : stack.n;
		struct str name = str_make(stack.p + at, top.end - at);
		top.stack = profile_stack(f->p, top.stack, frame_of(f->p, name));
		vec_push(&f->levels, top);
		at = top.end + 1;
	}
	return top.stack;
}

static void add_line(struct folded *f, struct str line)
{
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	if (!line.n)
		return;
	size_t number = line.n;
	while (number && !is_blank_char(line.p[number - 1]))
		number--;
	uint64_t weight;
	bool rounded;
	if (f->in->cut)
		return bad_line(f, "it is too long");
	if (!number || !parse_weight(str_skip(line, number), &weight, &rounded))
		return bad_line(f, "it does not end in a blank and a number");
	if (rounded)
		diag_add(f->d, DIAG_NOTE, 1,
			 "%s: line %" PRIu64 ": the weight is not whole and was rounded",
			 f->in->name, f->in->number);
	if (weight > UINT64_MAX - f->total) {
		diag_partial(f->d, DIAG_BAD_LINE,
			     "%s: line %" PRIu64 " is left out: the weights exceed 64 bits",
			     f->in->name, f->in->number);
		return;
	}
	f->total += weight;
	stack_id stack = stack_of(f, str_make(line.p, number - 1));
	profile_add(f->p, &(struct profile_row){.event = f->event,
						.cpu = PROFILE_ANY_CPU,
						.stack = stack,
						.leaf = f->p->stacks.v[stack.v].frame,
						.count = weight,
						.weight = weight});
}

bool import_folded(struct profile *p, struct lines *in, struct diags *d, struct err *err)
{
	struct folded f = {.p = p, .in = in, .d = d};
	f.event = profile_event(p, STR("samples"));
	p->events.v[f.event.v].has_stacks = true;
	struct str line;
	while (lines_next(in, &line))
		add_line(&f, line);
	vec_free(&f.text);
	vec_free(&f.levels);
	return lines_ok(in, err);
}
