/*
 * Two ways. Nearly always the stacks can be named the classic way one by one: each function is
 * looked at once, however many samples there are. But the script reads text, and there are samples
 * where what it makes of them depends on all that is in their head line, or on the sample before:
 * for those the text is made and read.
 */
#include "ingest/classic_perfdata.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "ingest/classic_stacks.h"
#include "ingest/event_text.h"
#include "ingest/scan.h"

/* --- by stacks ------------------------------------------------------------------------------- */

struct walk {
	struct classic_stacks out;
	struct ingest *in;
	const struct profile *p;
	const struct classic_options *opt;
	struct diags *d;
	event_id event; /* the one that is taken; 0: not yet seen */
	struct sample_scratch scratch;
	struct classic_range *frames; /* by frame id and whether the root is Java's */
	struct root {
		bool known, java;
		stack_id stack;
	} * roots; /* by thread */
	/* Where a stack ended up, under the root it was last seen below. */
	struct place {
		stack_id root, stack;
	} * places;
	VEC(stack_id) path;
	struct out line;
	struct ingest_rows odd; /* to be read as text */
};

/* Samples on one line touch those that follow, a tracepoint's payload is text that may look like
 * anything, and a name of two words is none to the script. */
static bool event_is_simple(const struct profile *p, const struct profile_event *e)
{
	struct str name = profile_str(p, e->name);
	return !e->tracepoint && e->has_stacks && skip_word(name, 0) == name.n;
}

static bool events_are_simple(const struct profile *p, const struct ingest_rows *rows)
{
	bool *checked = mem_calloc(p->events.n, sizeof *checked);
	bool simple = true;
	for (size_t i = 0; i < rows->n && simple; i++) {
		size_t event = rows->v[i].event + 1;
		if (!checked[event])
			simple = event_is_simple(p, &p->events.v[event]);
		checked[event] = true;
	}
	free(checked);
	return simple;
}

/* A line the script takes for a comment, or for no head at all. */
static bool has_no_head(const struct profile *p, const struct profile_thread *t)
{
	struct str comm = profile_str(p, t->comm);
	return !comm.n || is_blank_char(comm.p[0]) || comm.p[0] == '#';
}

/* A command name that the script finds whatever follows the thread id. */
static bool thread_is_simple(const struct profile *p, const struct profile_thread *t)
{
	struct str comm = profile_str(p, t->comm);
	return comm.n >= 2 && t->tid >= 0 && !has_no_head(p, t) && !memchr(comm.p, '\n', comm.n);
}

static stack_id root_of(struct walk *w, thread_id id)
{
	struct root *known = &w->roots[id.v];
	if (!known->known) {
		const struct profile_thread *t = &w->p->threads.v[id.v];
		struct out *line = &w->line;
		line->n = 0;
		out_str(line, profile_str(w->p, t->comm));
		out_fmt(line, " %5d ", t->tid);
		struct classic_head head;
		(void)classic_head(out_text(line), &head); /* thread_is_simple() */
		stack_id stack = classic_stacks_root(&w->out, &head);
		*known = (struct root){true, w->out.java, stack};
	}
	w->out.java = known->java;
	return known->stack;
}

/* A frame as `perf script` writes it, read back. */
static struct classic_range frame_of(struct walk *w, frame_id id)
{
	struct classic_range *known = &w->frames[2 * id.v + w->out.java];
	if (known->known)
		return *known;
	const struct profile_frame *f = &w->p->frames.v[id.v];
	struct out *line = &w->line;
	line->n = 0;
	out_hex(line, f->addr);
	out_char(line, ' ');
	out_str(line, profile_frame_name(w->p, id));
	if (f->func.v) {
		out_cstr(line, "+0x");
		out_hex(line, f->addr - w->p->funcs.v[f->func.v].start);
	}
	out_cstr(line, " (");
	out_str(line, f->object.v ? profile_str(w->p, w->p->objects.v[f->object.v].path)
				  : STR("[unknown]"));
	out_char(line, ')');
	struct classic_frame frame;
	*known = (struct classic_range){.known = true};
	if (classic_frame(out_text(line), &frame) && !str_starts(frame.name, "("))
		*known = classic_stacks_frame(&w->out, &frame, NULL);
	return *known;
}

static stack_id stack_of(struct walk *w, stack_id root, stack_id s)
{
	vec_clear(&w->path);
	for (; s.v && w->places[s.v].root.v != root.v; s = w->p->stacks.v[s.v].parent)
		vec_push(&w->path, s);
	stack_id at = s.v ? w->places[s.v].stack : root;
	while (w->path.n) {
		s = w->path.v[--w->path.n];
		at = classic_stacks_push(&w->out, at, frame_of(w, w->p->stacks.v[s.v].frame));
		w->places[s.v] = (struct place){root, at};
	}
	return at;
}

/* As the head line has it; 0 counts as 1. */
static uint64_t period_of(struct walk *w, const struct ingest_row *row)
{
	struct perfdata *pd = ingest_perfdata(w->in);
	const struct attr *attr = &perfdata_event(pd, row->event)->attr;
	uint64_t period = attr->sample_period;
	struct record r;
	struct sample s;
	if (attr->sample_type & PERF_SAMPLE_PERIOD && perfdata_record_at(pd, row->offset, &r) &&
	    record_sample(&r, attr, &w->scratch, &s))
		period = s.period;
	return period ? period : 1;
}

/* Only the event of the first head, or the one asked for, is taken. */
static bool wanted_event(struct walk *w, const struct ingest_row *row)
{
	struct str name = profile_str(w->p, w->p->events.v[row->event + 1].name);
	if (w->opt->event)
		return str_is(name, w->opt->event);
	if (!w->event.v)
		w->event.v = (uint32_t)row->event + 1;
	struct str own = profile_str(w->p, w->p->events.v[w->event.v].name);
	if (str_eq(name, own))
		return true;
	if (!w->d->of[DIAG_NOTE].count) {
		diag_add(w->d, DIAG_NOTE, 1, "only stacks of %.*s are shown; there is also %.*s",
			 (int)own.n, own.p, (int)name.n, name.p);
		diag_hint(w->d, DIAG_NOTE, "-e NAME chooses another event");
	}
	return false;
}

static void walk_row(struct walk *w, const struct ingest_row *row)
{
	const struct profile_thread *t = &w->p->threads.v[row->thread.v];
	if (has_no_head(w->p, t) || !wanted_event(w, row))
		return;
	if (!thread_is_simple(w->p, t)) {
		w->odd.v[w->odd.n++] = *row;
		return;
	}
	stack_id stack = stack_of(w, root_of(w, row->thread),
				  ingest_chain(w->in, row->chain).stack);
	if (!classic_stacks_add(&w->out, stack, period_of(w, row)))
		diag_partial(w->d, DIAG_BAD_RECORD,
			     "samples are left out: the periods exceed 64 bits");
}

/* --- by text --------------------------------------------------------------------------------- */

/* The thread that writes the text into a pipe. */
struct writer {
	struct ingest *in;
	const struct ingest_rows *rows;
	int fd;
	bool ok;
	struct diags diags;
	struct err err;
};

static void *write_text(void *ctx)
{
	struct writer *w = ctx;
	struct event_text_options opt = {0};
	text_fields_init(&opt.fields);
	struct out o;
	out_fd(&o, w->fd);
	w->ok = event_text_print(&o, w->in, w->rows, &opt, &w->diags, &w->err);
	if (!out_finish(&o) && w->ok)
		w->ok = err_sys(&w->err, o.error, "cannot pass on the text of the recording");
	close(w->fd);
	return NULL;
}

static void take_diags(struct diags *to, const struct diags *from)
{
	for (int i = 0; i < DIAG_KIND_COUNT; i++) {
		const struct diag *g = &from->of[i];
		if (!g->count)
			continue;
		if (g->partial)
			diag_partial(to, (enum diag_kind)i, "%s", g->first);
		else
			diag_add(to, (enum diag_kind)i, g->count, "%s", g->first);
		diag_hint(to, (enum diag_kind)i, "%s", g->hint);
	}
}

static bool by_text(struct profile *p, struct ingest *in, const struct ingest_rows *rows,
		    const char *path, const struct classic_options *opt, struct diags *d,
		    struct err *err)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_sys(err, errno, "cannot make a pipe");
	CLEANUP(close_fd) int fd = ends[0];
	struct writer *w = mem_zalloc(sizeof *w);
	*w = (struct writer){.in = in, .rows = rows, .fd = ends[1]};
	pthread_t thread;
	int error = pthread_create(&thread, NULL, write_text, w);
	if (error) {
		close(ends[1]);
		free(w);
		return err_sys(err, error, "cannot start a thread");
	}
	struct lines lines;
	lines_open_fd(&lines, fd, path);
	bool ok = import_classic(p, &lines, opt, d, err);
	lines_close(&lines);
	(void)pthread_join(thread, NULL);
	if (ok && !w->ok) {
		*err = w->err;
		ok = false;
	}
	take_diags(d, &w->diags);
	free(w);
	return ok;
}

/* --- both ------------------------------------------------------------------------------------ */

static bool by_stacks(struct profile *dst, struct ingest *in, const struct ingest_rows *rows,
		      const char *path, const struct classic_options *opt, struct diags *d,
		      struct err *err)
{
	const struct profile *p = ingest_profile(in);
	struct walk w = {.in = in, .p = p, .opt = opt, .d = d};
	classic_stacks_init(&w.out, dst, opt);
	out_memory(&w.line);
	w.frames = mem_calloc(2 * p->frames.n, sizeof *w.frames);
	w.roots = mem_calloc(p->threads.n, sizeof *w.roots);
	w.places = mem_calloc(p->stacks.n, sizeof *w.places);
	w.odd.v = mem_calloc(rows->n + 1, sizeof *w.odd.v);
	for (size_t i = 0; i < rows->n; i++)
		walk_row(&w, &rows->v[i]);
	classic_stacks_free(&w.out);
	(void)out_finish(&w.line);
	free(w.frames);
	free(w.roots);
	free(w.places);
	vec_free(&w.path);
	sample_scratch_free(&w.scratch);
	bool ok = !w.odd.n || by_text(dst, in, &w.odd, path, opt, d, err);
	free(w.odd.v);
	return ok;
}

bool classic_perfdata(struct profile *p, const char *path, const struct ingest_options *io,
		      const struct classic_options *opt, struct diags *d, struct err *err)
{
	struct ingest_options stacks = *io;
	stacks.timed_stacks = true;
	struct ingest *in = ingest_open(path, &stacks, d, err);
	if (!in)
		return false;
	struct ingest_rows rows;
	bool ok = ingest_timed(in, &rows, err);
	if (ok && events_are_simple(ingest_profile(in), &rows) && !opt->srcline)
		ok = by_stacks(p, in, &rows, path, opt, d, err);
	else if (ok)
		ok = by_text(p, in, &rows, path, opt, d, err);
	ingest_close(in);
	return ok;
}
