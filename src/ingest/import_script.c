/* The text of `perf script` -> profile. */
#include "base/hash.h"
#include "ingest/import.h"
#include "ingest/scan.h"
#include "ingest/script_text.h"

struct script {
	struct profile *p;
	struct lines *in;
	struct diags *d;
	enum import_detail detail;
	uint64_t total;

	/* Frames by what is written of them, so that a line seen before costs one look-up. */
	struct strtab keys;
	VEC(frame_id) frames; /* by key */
	VEC(char) key;

	/* The sample being read: its row, and its frames leaf first. */
	bool open;
	struct profile_row row;
	VEC(frame_id) chain;
};

/* Kernel code lies in the upper half of the address space. */
static bool is_high(uint64_t addr)
{
	return addr >> 63;
}

static bool is_kernel(const struct script_frame *f)
{
	struct str base = str_basename(f->dso);
	if (str_starts(f->dso, "[kernel.") || str_starts(f->dso, "[guest.kernel.") ||
	    str_is(base, "vmlinux") || str_starts(base, "vmlinux-"))
		return true;
	if (str_ends(base, ".ko") || str_ends(base, ".ko.xz") || str_ends(base, ".ko.zst") ||
	    str_ends(base, ".ko.gz"))
		return true;
	return is_high(f->addr) && !str_is(f->dso, "[vsyscall]");
}

static bool is_jit(struct str dso)
{
	struct str base = str_basename(dso);
	return (str_starts(base, "perf-") && str_ends(base, ".map")) ||
	       (str_starts(base, "jitted-") && str_ends(base, ".so"));
}

static frame_id make_frame(struct script *s, const struct script_frame *f)
{
	enum code_kind kind = is_kernel(f) ? CODE_KERNEL : CODE_USER;
	unsigned flags = (f->inlined ? FRAME_INLINED : 0) | (is_jit(f->dso) ? FRAME_JIT : 0);
	object_id object = {0};
	if (f->dso.n)
		object = profile_object(s->p, f->dso, str_basename(f->dso), kind);
	if (!f->dso.n && !f->inlined && !f->name.n)
		flags |= FRAME_NO_MAP;
	func_id func = profile_func(s->p, f->name, object, 0, 0);
	return profile_frame(s->p, func, object, f->name.n ? 0 : f->addr, kind, flags);
}

static frame_id frame_of(struct script *s, const struct script_frame *f)
{
	/* All that make_frame() looks at. */
	uint64_t addr = f->name.n ? 0 : f->addr;
	vec_clear(&s->key);
	vec_append(&s->key, (const char *)&addr, sizeof addr);
	vec_push(&s->key, (char)(is_high(f->addr) + 2 * f->inlined));
	vec_append(&s->key, f->name.p, f->name.n);
	vec_push(&s->key, '\0');
	vec_append(&s->key, f->dso.p, f->dso.n);
	string_id id = strtab_intern(&s->keys, str_make(s->key.v, s->key.n));
	while (s->frames.n <= id.v)
		vec_push(&s->frames, (frame_id){0});
	if (!s->frames.v[id.v].v)
		s->frames.v[id.v] = make_frame(s, f);
	return s->frames.v[id.v];
}

static void end_sample(struct script *s)
{
	if (!s->open)
		return;
	s->open = false;
	stack_id stack = {0};
	for (size_t i = s->chain.n; i-- > 0;)
		stack = profile_stack(s->p, stack, s->chain.v[i]);
	if (s->chain.n) {
		s->row.stack = stack;
		s->row.leaf = s->chain.v[0];
		s->p->events.v[s->row.event.v].has_stacks = true;
	}
	profile_add(s->p, &s->row);
}

static void bad_line(struct script *s, const char *what)
{
	diag_add(s->d, DIAG_BAD_LINE, 1, "%s: line %" PRIu64 " %s", s->in->name, s->in->number,
		 what);
}

static thread_id thread_of(struct script *s, const struct script_head *h)
{
	return profile_thread(s->p, s->detail == IMPORT_BY_COMM ? -1 : h->pid,
			      s->detail == IMPORT_BY_THREAD ? h->tid : -1, h->comm, 0);
}

static void begin_sample(struct script *s, const struct script_head *h)
{
	end_sample(s);
	vec_clear(&s->chain);
	if (h->side_band)
		return;
	if (h->period > UINT64_MAX - s->total) {
		diag_partial(s->d, DIAG_BAD_LINE,
			     "%s: line %" PRIu64 " is left out: the periods exceed 64 bits",
			     s->in->name, s->in->number);
		return;
	}
	s->total += h->period;
	s->open = true;
	s->row = (struct profile_row){
		.event = profile_event(s->p, h->event.n ? h->event : STR("samples")),
		.thread = thread_of(s, h),
		.cpu = PROFILE_ANY_CPU,
		.count = 1,
		.weight = h->period,
	};
	/* Tracepoints print no period by default, and their payload may look like anything. */
	struct script_frame f;
	bool tracepoint = !h->has_period && memchr(h->event.p, ':', h->event.n);
	s->p->events.v[s->row.event.v].tracepoint |= tracepoint;
	if (h->rest.n && !tracepoint && script_frame(h->rest, &f))
		s->row.leaf = frame_of(s, &f);
}

static void add_frame(struct script *s, const struct script_frame *f)
{
	if (s->open)
		vec_push(&s->chain, frame_of(s, f));
}

static void add_line(struct script *s, struct str line)
{
	if (s->in->cut)
		bad_line(s, "is too long and was cut");
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	if (skip_blanks(line, 0) == line.n)
		return end_sample(s);
	if (str_is(line, "#") || str_starts(line, "# "))
		return;
	struct script_head head;
	struct script_frame frame;
	/* perf indents frames by a tab; copied text may have blanks there, and a blank may also be
	 * in front of a right-aligned command name. */
	if (line.p[0] == '\t' && script_frame(line, &frame))
		return add_frame(s, &frame);
	bool plain = !is_blank_char(line.p[0]) && line.p[0] != '#';
	if ((plain || memchr(line.p, ':', line.n)) && script_head(line, plain, &head))
		return begin_sample(s, &head);
	if (line.p[0] == '#')
		return;
	if (plain) {
		end_sample(s);
		return bad_line(s, "is not the head of a sample");
	}
	/* What is neither head nor frame below a frame is that frame's source line: of no use,
	 * since frames are kept by function. */
	if (script_frame(line, &frame))
		add_frame(s, &frame);
	else if (s->open && !s->chain.n)
		bad_line(s, "is not a frame");
}

bool import_perf_script(struct profile *p, struct lines *in, enum import_detail detail,
			struct diags *d, struct err *err)
{
	struct script s = {.p = p, .in = in, .d = d, .detail = detail};
	struct str line;
	while (lines_next(in, &line))
		add_line(&s, line);
	end_sample(&s);
	strtab_free(&s.keys);
	vec_free(&s.frames);
	vec_free(&s.key);
	vec_free(&s.chain);
	return lines_ok(in, err);
}
