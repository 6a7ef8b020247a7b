#include "analyze/quality.h"

#include <stdlib.h>

static bool is_one_of(struct str name, const char *const *list)
{
	for (; *list; list++) {
		size_t n = strlen(*list);
		bool open = (*list)[n - 1] == '*';
		if (open ? name.n >= n - 1 && !memcmp(name.p, *list, n - 1) : str_is(name, *list))
			return true;
	}
	return false;
}

/* The first functions of programs and threads, in libc, musl, Go and Erlang. */
static bool is_user_start(struct str name)
{
	static const char *const starts[] = {"_start",
					     "_start_c",
					     "__libc_start_main*",
					     "__libc_start_call_main",
					     "start_thread",
					     "thread_start",
					     "clone",
					     "clone3",
					     "__clone",
					     "__clone3",
					     "__GI___clone*",
					     "_dl_start*",
					     "runtime.goexit*",
					     "runtime.rt0_go*",
					     "runtime.mstart*",
					     "runtime.mcall*",
					     "runtime.systemstack*",
					     "_rt0_*",
					     "$erts_beamasm:normal_exit*",
					     "erts_beamasm:normal_exit*",
					     NULL};
	return is_one_of(name, starts);
}

/* What calls nothing but main: behind it is the program's entry, whatever that is called. */
static bool is_called_by_start(struct str name)
{
	static const char *const seconds[] = {"__libc_start_main*", "__libc_start_call_main",
					      "libc_start_main_stage2", "_dl_start", NULL};
	return is_one_of(name, seconds);
}

/* Where the kernel is entered, or a thread of its own begins. */
static bool is_kernel_start(struct str name)
{
	static const char *const starts[] = {"ret_from_fork*",
					     "entry_*",
					     "asm_*",
					     "secondary_startup*",
					     "startup_64*",
					     "common_startup*",
					     "x86_64_start*",
					     "start_kernel",
					     "el0*",
					     "el1h*",
					     "__primary_switched",
					     "__secondary_switched",
					     "vectors",
					     "do_syscall_64",
					     NULL};
	return is_one_of(name, starts);
}

static struct str name_of(const struct profile *p, frame_id frame)
{
	const struct profile_frame *f = profile_frame_at(p, frame);
	return profile_str(p, p->funcs.v[f->func.v].name);
}

static bool is_start(const struct profile *p, frame_id frame)
{
	struct str name = name_of(p, frame);
	if (profile_frame_at(p, frame)->kind == CODE_USER)
		return is_user_start(name);
	/* Without the kernel's names nobody can tell; guests and hypervisors are others' business.
	 */
	return !name.n || is_kernel_start(name) || profile_frame_at(p, frame)->kind != CODE_KERNEL;
}

/* What is known of each stack of the trie, from its root on. */
struct stacks {
	uint32_t *root; /* its outermost node */
	uint32_t *end;  /* its outermost node in an object: what lies beyond was no frame */
	bool *whole;
	uint64_t *samples; /* that go through it */
};

static void stacks_init(struct stacks *s, const struct profile *p)
{
	s->root = mem_calloc(p->stacks.n, sizeof *s->root);
	s->end = mem_calloc(p->stacks.n, sizeof *s->end);
	s->whole = mem_calloc(p->stacks.n, sizeof *s->whole);
	s->samples = mem_calloc(p->stacks.n, sizeof *s->samples);
	for (uint32_t i = 1; i < p->stacks.n; i++) {
		uint32_t parent = p->stacks.v[i].parent.v;
		s->root[i] = parent ? s->root[parent] : i;
		uint32_t end = parent ? s->end[parent] : i;
		s->end[i] = profile_frame_at(p, p->stacks.v[end].frame)->object.v ? end : i;
		s->whole[i] = parent ? s->whole[parent] : is_start(p, p->stacks.v[i].frame);
		if (parent && s->root[parent] == parent)
			s->whole[i] |= is_called_by_start(name_of(p, p->stacks.v[i].frame));
	}
}

static void stacks_free(struct stacks *s)
{
	free(s->root);
	free(s->end);
	free(s->whole);
	free(s->samples);
}

/* Objects are told apart by name: made code of one process may be several. */
struct tally {
	const struct profile *p;
	struct u64map known; /* name and fault -> index */
	VEC(struct quality_object) v;
};

static void tally_add(struct tally *t, object_id object, enum quality_fault fault, uint64_t n)
{
	string_id name = t->p->objects.v[object.v].name;
	uint64_t key = (uint64_t)name.v << 8 | fault;
	const uint32_t *known = u64map_get(&t->known, key);
	if (!known) {
		u64map_put(&t->known, key, (uint32_t)t->v.n);
		vec_push(&t->v, (struct quality_object){.name = name, .fault = fault, .count = n});
		return;
	}
	t->v.v[*known].count += n;
}

static int compare_objects(const void *a, const void *b, void *ctx)
{
	const struct profile *p = ctx;
	const struct quality_object *x = a, *y = b;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	int by_name = str_cmp(profile_str(p, x->name), profile_str(p, y->name));
	return by_name ? by_name : (int)x->fault - (int)y->fault;
}

static void tally_end(struct tally *t)
{
	if (t->v.n)
		qsort_r(t->v.v, t->v.n, sizeof *t->v.v, compare_objects, (void *)t->p);
	u64map_free(&t->known);
}

static enum quality_fault fault_of_end(const struct profile *p, frame_id frame, bool copied)
{
	const struct profile_frame *f = profile_frame_at(p, frame);
	if (!f->object.v)
		return FAULT_NO_MAP;
	if (p->objects.v[f->object.v].jit)
		return FAULT_JIT_FRAMES;
	return copied ? FAULT_NO_UNWIND_TABLES : FAULT_NO_FRAME_POINTERS;
}

static enum quality_fault fault_of_name(const struct profile *p, frame_id frame)
{
	const struct profile_frame *f = profile_frame_at(p, frame);
	if (!f->object.v)
		return FAULT_NO_MAP;
	if (p->objects.v[f->object.v].jit)
		return FAULT_JIT_NAMES;
	return f->kind == CODE_USER ? FAULT_NO_SYMBOLS : FAULT_KERNEL_NAMES;
}

static void count_ends(const struct profile *p, event_id event, struct quality *q, struct stacks *s,
		       struct tally *ends)
{
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct profile_row *row = &p->rows.v[i];
		uint32_t stack = row->stack.v;
		if (row->event.v != event.v || !stack)
			continue;
		q->stacks += row->count;
		s->samples[stack] += row->count;
		if (row->cut) {
			q->cut += row->count;
		} else if (s->whole[stack]) {
			q->whole += row->count;
		} else {
			frame_id end = p->stacks.v[s->end[stack]].frame;
			q->broken += row->count;
			tally_add(ends, profile_frame_at(p, end)->object,
				  fault_of_end(p, end, q->copied), row->count);
		}
	}
}

static void count_names(const struct profile *p, struct quality *q, struct stacks *s,
			struct tally *names)
{
	for (size_t i = p->stacks.n; i-- > 1;) {
		const struct profile_stack *node = &p->stacks.v[i];
		if (!s->samples[i])
			continue;
		s->samples[node->parent.v] += s->samples[i];
		q->frames += s->samples[i];
		if (name_of(p, node->frame).n)
			continue;
		q->nameless += s->samples[i];
		tally_add(names, profile_frame_at(p, node->frame)->object,
			  fault_of_name(p, node->frame), s->samples[i]);
	}
}

void quality_measure(const struct profile *p, event_id event, struct quality *q)
{
	struct stacks s;
	struct tally ends = {.p = p}, names = {.p = p};
	*q = (struct quality){.copied = p->events.v[event.v].copied_stacks};
	stacks_init(&s, p);
	count_ends(p, event, q, &s, &ends);
	count_names(p, q, &s, &names);
	stacks_free(&s);
	tally_end(&ends);
	tally_end(&names);
	vec_append(&q->ends, ends.v.v, ends.v.n);
	vec_append(&q->names, names.v.v, names.v.n);
	vec_free(&ends.v);
	vec_free(&names.v);
}

void quality_free(struct quality *q)
{
	vec_free(&q->ends);
	vec_free(&q->names);
}

double quality_percent(uint64_t part, uint64_t of)
{
	return of ? 100.0 * (double)part / (double)of : 0;
}

const char *quality_cure(enum quality_fault fault)
{
	switch (fault) {
	case FAULT_NO_FRAME_POINTERS:
		return "built without frame pointers: record with --call-graph dwarf";
	case FAULT_NO_UNWIND_TABLES:
		return "no unwind tables for this code: install its debug file, or build it with "
		       "-fasynchronous-unwind-tables";
	case FAULT_JIT_FRAMES:
		return "code made at run time that keeps no frame pointers: tell its runtime to "
		       "(docs/runtimes.md)";
	case FAULT_JIT_NAMES:
		return "code made at run time: tell its runtime to write a perf map or jitdump "
		       "(docs/runtimes.md)";
	case FAULT_NO_SYMBOLS:
		return "no symbols: install its debug file, or do not strip it";
	case FAULT_KERNEL_NAMES:
		return "kernel names are hidden: record as root, or sysctl kernel.kptr_restrict=0";
	case FAULT_NO_MAP:
		return "not an address of any code: a caller was built without frame pointers";
	}
	return "";
}

const char *quality_cut_cure(const struct quality *q)
{
	return q->copied ? "record with larger copies (--call-graph dwarf,65528), or see --reroot"
			 : "record with --max-stack, or see --reroot";
}
