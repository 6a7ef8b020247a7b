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
	const struct profile *p;
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
};

/* Samples on one line touch those that follow, a tracepoint's payload is text that may look like
 * anything, and a name of two words is none to the script. */
static bool event_is_simple(const struct profile *p, const struct profile_event *e)
{
	struct str name = profile_str(p, e->name);
	return !e->tracepoint && e->has_stacks && skip_word(name, 0) == name.n;
}

/* Without a time there is no colon in front of the period, and so no period to the script. */
static bool times_are_shown(const struct perfdata *pd)
{
	for (size_t i = 0; i < perfdata_event_count(pd); i++)
		if (!(perfdata_event(pd, i)->attr.sample_type & PERF_SAMPLE_TIME))
			return false;
	return true;
}

static bool events_are_simple(const struct profile *p, const struct classic_options *opt)
{
	size_t n = 0;
	for (size_t i = 1; i < p->events.n; i++) {
		const struct profile_event *e = &p->events.v[i];
		if (e->samples && !event_is_simple(p, e))
			return false;
		n += e->samples > 0;
	}
	/* Which one comes first is a question of time. */
	return n < 2 || opt->event;
}

/* A command name that the script finds whatever follows the thread id. Threads nobody knows are
 * called ":-1" and have that number. */
static bool thread_is_simple(const struct profile *p, const struct profile_thread *t)
{
	struct str comm = profile_str(p, t->comm);
	return comm.n >= 2 && t->tid >= 0 && !is_blank_char(comm.p[0]) && comm.p[0] != '#' &&
	       !str_is(comm, ":-1") && !memchr(comm.p, '\n', comm.n);
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
	if (f->func.v && !w->p->funcs.v[f->func.v].clones) {
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

static void walk_rows(struct walk *w, const struct classic_options *opt, struct diags *d)
{
	for (size_t i = 0; i < w->p->rows.n; i++) {
		const struct profile_row *r = &w->p->rows.v[i];
		struct str event = profile_str(w->p, w->p->events.v[r->event.v].name);
		if ((opt->event && !str_is(event, opt->event)) ||
		    !thread_is_simple(w->p, &w->p->threads.v[r->thread.v]))
			continue;
		stack_id root = root_of(w, r->thread);
		/* A period of 0 counts as 1. */
		if (!classic_stacks_add(&w->out, stack_of(w, root, r->stack),
					r->weight ? r->weight : r->count))
			diag_partial(d, DIAG_BAD_RECORD,
				     "samples are left out: the periods exceed 64 bits");
	}
}

static void by_stacks(struct profile *dst, const struct profile *p,
		      const struct classic_options *opt, struct diags *d)
{
	struct walk w = {.p = p};
	classic_stacks_init(&w.out, dst, opt);
	out_memory(&w.line);
	w.frames = mem_calloc(2 * p->frames.n, sizeof *w.frames);
	w.roots = mem_calloc(p->threads.n, sizeof *w.roots);
	w.places = mem_calloc(p->stacks.n, sizeof *w.places);
	walk_rows(&w, opt, d);
	classic_stacks_free(&w.out);
	(void)out_finish(&w.line);
	free(w.frames);
	free(w.roots);
	free(w.places);
	vec_free(&w.path);
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

/* The samples of all threads, or of the odd ones only. */
static bool by_text(struct profile *p, struct ingest *in, bool all, const char *path,
		    const struct classic_options *opt, struct diags *d, struct err *err)
{
	struct ingest_rows rows;
	if (!ingest_timed(in, &rows, err))
		return false;
	const struct profile *from = ingest_profile(in);
	size_t n = 0;
	for (size_t i = 0; i < rows.n; i++)
		if (all || !thread_is_simple(from, &from->threads.v[rows.v[i].thread.v]))
			rows.v[n++] = rows.v[i];
	rows.n = n;
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_sys(err, errno, "cannot make a pipe");
	CLEANUP(close_fd) int fd = ends[0];
	struct writer *w = mem_zalloc(sizeof *w);
	*w = (struct writer){.in = in, .rows = &rows, .fd = ends[1]};
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

/* The names of the odd threads, for ingest's filter; true when there are any. */
static bool odd_comms(const struct profile *p, struct out *list, bool *usable)
{
	*usable = true;
	for (size_t i = 1; i < p->threads.n; i++) {
		if (thread_is_simple(p, &p->threads.v[i]))
			continue;
		struct str comm = profile_str(p, p->threads.v[i].comm);
		*usable &= comm.n && !memchr(comm.p, ',', comm.n);
		if (list->n)
			out_char(list, ',');
		out_str(list, comm);
	}
	bool any = list->n > 0 || !*usable;
	out_char(list, '\0');
	return any;
}

bool classic_perfdata(struct profile *p, const char *path, struct ingest_options io,
		      const struct classic_options *opt, struct diags *d, struct err *err)
{
	struct diags before = *d;
	io.by_comm = !opt->tid;
	io.by_thread = opt->tid;
	io.sampled_names = true;
	io.resolve.demangle_maps = false; /* the script has its own way with them */
	struct ingest *in = ingest_open(path, &io, d, err);
	bool ok = in && ingest_aggregate(in, err);
	struct out odd;
	out_memory(&odd);
	bool simple = false, rest = true;
	if (ok && times_are_shown(ingest_perfdata(in)) &&
	    events_are_simple(ingest_profile(in), opt)) {
		simple = true;
		bool usable;
		rest = odd_comms(ingest_profile(in), &odd, &usable);
		io.comms = usable ? odd.buf : NULL;
		by_stacks(p, ingest_profile(in), opt, d);
	}
	ingest_close(in);
	if (ok && rest) {
		/* What there is to be said about the input is found again. */
		struct diags again = {0};
		if (!simple)
			*d = before;
		in = ingest_open(path, &io, simple ? &again : d, err);
		ok = in && by_text(p, in, !simple, path, opt, d, err);
		ingest_close(in);
	}
	(void)out_finish(&odd);
	return ok;
}
