#include "session/session.h"

#include <stdlib.h>

#include "session/session_state.h"

struct session *session_new(void)
{
	struct session *s = mem_zalloc(sizeof *s);
	objects_init(&s->objects);
	s->ordered = true;
	vec_push(&s->processes, (struct process){.pid = -1});
	vec_push(&s->lives, (struct life){0});
	return s;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->processes.n; i++) {
		spacetime_free(&s->processes.v[i].space);
		spacetime_free(&s->processes.v[i].code);
	}
	vec_free(&s->codes);
	objects_free(&s->objects);
	vec_free(&s->changes);
	vec_free(&s->build_ids);
	vec_free(&s->processes);
	vec_free(&s->lives);
	vec_free(&s->comms);
	u64map_free(&s->current);
	u64map_free(&s->first);
	free(s);
}

/* --- pass 1: take records in ------------------------------------------------------------------ */

static void add_change(struct session *s, const struct change *c)
{
	if (s->changes.n && c->time < vec_last(&s->changes).time)
		s->ordered = false;
	vec_push(&s->changes, *c);
}

static bool apply_mmap(struct session *s, const struct record *r, uint64_t time)
{
	struct rec_mmap m;
	if (!record_mmap(r, &m))
		return false;
	struct change c = {.time = time, .pid = m.pid, .tid = m.tid};
	uint8_t mode = r->misc & MISC_CPUMODE_MASK;
	c.kind = mode == PERF_RECORD_MISC_KERNEL ? CHANGE_KERNEL_MAP : CHANGE_MAP;
	if (mode != PERF_RECORD_MISC_KERNEL && mode != PERF_RECORD_MISC_USER)
		return true; /* guests have address spaces of their own, which nobody records */
	c.map.start = m.addr;
	c.map.end = m.addr + m.len < m.addr ? UINT64_MAX : m.addr + m.len;
	if (c.kind == CHANGE_KERNEL_MAP) {
		bool text = false;
		c.map.object = objects_kernel(&s->objects, &m, &text);
		if (text) {
			s->kernel_text = m.pgoff;
			s->kernel = c.map.object;
		}
	} else {
		bool absolute;
		if (!m.v2)
			m.prot = r->misc & MISC_MMAP_DATA ? 0 : 4 /* PROT_EXEC */;
		c.map.object = objects_user(&s->objects, &m, &absolute);
		c.map.bias = absolute ? 0 : m.pgoff - m.addr;
		if (session_object(s, c.map.object)->kind == OBJECT_VDSO)
			c.map.bias = -m.addr;
	}
	add_change(s, &c);
	return true;
}

static bool apply_comm(struct session *s, const struct record *r, uint64_t time)
{
	struct rec_comm m;
	if (!record_comm(r, &m))
		return false;
	add_change(s, &(struct change){.time = time,
				       .kind = CHANGE_COMM,
				       .pid = m.pid,
				       .tid = m.tid,
				       .comm = strtab_intern(&s->objects.strings, m.comm)});
	return true;
}

/* The recorder sets this in the FORKs it makes up for tasks that were already there. */
#define MISC_FORK_SYNTHESIZED (1 << 13)

static bool apply_fork(struct session *s, const struct record *r, uint64_t time)
{
	struct rec_task t;
	if (!record_task(r, &t))
		return false;
	struct change c = {.time = time ? time : t.time,
			   .kind = CHANGE_FORK,
			   .synthesized = (r->misc & MISC_FORK_SYNTHESIZED) != 0,
			   .pid = t.pid,
			   .tid = t.tid};
	c.parent.pid = t.ppid;
	c.parent.tid = t.ptid;
	add_change(s, &c);
	return true;
}

static bool apply_ksymbol(struct session *s, const struct record *r, uint64_t time)
{
	struct rec_ksymbol k;
	if (!record_ksymbol(r, &k))
		return false;
	bool gone = k.flags & 1;
	struct change c = {.time = time, .kind = CHANGE_KERNEL_MAP};
	c.map.start = k.addr;
	c.map.end = k.addr + k.len < k.addr ? UINT64_MAX : k.addr + k.len;
	c.map.object = gone ? (object_id){0} : objects_bpf(&s->objects, &k);
	add_change(s, &c);
	return true;
}

void session_apply(struct session *s, const struct record *r, const struct sample_id *who,
		   struct diags *d)
{
	bool ok = true;
	switch (r->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		ok = apply_mmap(s, r, who->time);
		break;
	case PERF_RECORD_COMM:
		ok = apply_comm(s, r, who->time);
		break;
	case PERF_RECORD_FORK:
		ok = apply_fork(s, r, who->time);
		break;
	case PERF_RECORD_KSYMBOL:
		ok = apply_ksymbol(s, r, who->time);
		break;
	default:
		break; /* EXIT ends nothing that could be asked for: samples may still follow it */
	}
	if (!ok)
		diag_partial(d, DIAG_BAD_RECORD,
			     "at offset 0x%" PRIx64 ": %s (%u): malformed, skipped", r->offset,
			     record_type_name(r->type), r->type);
}

void session_set_build_id(struct session *s, const struct rec_build_id *id)
{
	vec_push(&s->build_ids, *id);
}

object_id session_code_object(struct session *s, int32_t pid, struct str path, uint64_t which)
{
	return objects_jit(&s->objects, pid, path, which);
}

void session_add_code(struct session *s, const struct session_code *c)
{
	vec_push(&s->codes, *c);
}

/* --- seal: replay in order of time --------------------------------------------------------------
 */

static uint32_t new_process(struct session *s, int32_t pid)
{
	vec_push(&s->processes, (struct process){.pid = pid});
	return (uint32_t)s->processes.n - 1;
}

static uint32_t new_life(struct session *s, int32_t pid, int32_t tid, uint32_t process,
			 uint64_t start)
{
	uint32_t id = (uint32_t)s->lives.n;
	vec_push(&s->lives,
		 (struct life){
			 .tid = tid, .pid = pid, .process = process, .order = id, .start = start});
	u64map_put(&s->current, (uint32_t)tid, id);
	return id;
}

static uint32_t process_of(struct session *s, int32_t pid, int32_t tid);

/* The present life of a thread that a record speaks of; begun before all time if unannounced. */
static uint32_t life_of(struct session *s, int32_t pid, int32_t tid)
{
	uint32_t *known = u64map_get(&s->current, (uint32_t)tid);
	if (known)
		return *known;
	uint32_t process;
	if (pid == tid || pid == -1)
		process = new_process(s, pid);
	else
		process = process_of(s, pid, pid);
	return new_life(s, pid, tid, process, 0);
}

/* life_of() may move the table, so it comes before the look into it. */
static uint32_t process_of(struct session *s, int32_t pid, int32_t tid)
{
	uint32_t life = life_of(s, pid, tid);
	return s->lives.v[life].process;
}

static void set_comm(struct session *s, uint32_t life, string_id comm, uint64_t time)
{
	vec_push(&s->comms, (struct comm_change){.life = life, .comm = comm, .time = time});
	/* While replaying, comm_first is the number of the latest change. */
	s->lives.v[life].comm_first = (uint32_t)s->comms.n - 1;
	s->lives.v[life].comm_count++;
}

static void inherit_space(struct session *s, uint32_t child, uint32_t parent, uint64_t time)
{
	for (int i = 0; i < MAX_ANCESTORS && parent; i++) {
		const struct process *p = &s->processes.v[parent];
		if (p->space.maps.n) {
			s->processes.v[child].parent = parent;
			s->processes.v[child].fork_time = time;
			return;
		}
		time = MIN(time, p->fork_time);
		parent = p->parent;
	}
}

static void replay_fork(struct session *s, const struct change *c)
{
	uint32_t parent = life_of(s, c->parent.pid, c->parent.tid);
	if (s->lives.v[parent].pid != c->parent.pid && c->parent.pid != -1) {
		/* The parent we know is an earlier owner of that tid. */
		uint32_t process = c->parent.pid == c->parent.tid
					   ? new_process(s, c->parent.pid)
					   : process_of(s, c->parent.pid, c->parent.pid);
		parent = new_life(s, c->parent.pid, c->parent.tid, process, c->time);
	}
	uint32_t child;
	if (c->pid == c->tid || c->pid == -1) {
		uint32_t process = new_process(s, c->pid);
		child = new_life(s, c->pid, c->tid, process, c->time);
		/* In a container all outside are 0, parent and child: then nobody knows which. */
		if (!c->synthesized && c->pid != c->parent.pid)
			inherit_space(s, process, s->lives.v[parent].process, c->time);
	} else {
		uint32_t process = process_of(s, c->pid, c->pid);
		child = new_life(s, c->pid, c->tid, process, c->time);
	}
	const struct life *p = &s->lives.v[parent];
	if (p->comm_count)
		set_comm(s, child, s->comms.v[p->comm_first].comm, c->time);
}

static void replay(struct session *s, const struct change *c)
{
	switch (c->kind) {
	case CHANGE_COMM:
		set_comm(s, life_of(s, c->pid, c->tid), c->comm, c->time);
		break;
	case CHANGE_FORK:
		replay_fork(s, c);
		break;
	case CHANGE_MAP:
	case CHANGE_KERNEL_MAP: {
		uint32_t process = 0;
		if (c->kind == CHANGE_MAP)
			process = process_of(s, c->pid, c->tid);
		spacetime_add(&s->processes.v[process].space,
			      &(struct mapping){.start = c->map.start,
						.end = c->map.end,
						.bias = c->map.bias,
						.time = c->time,
						.object = c->map.object});
		break;
	}
	}
}

static int compare_changes(const void *a, const void *b)
{
	const struct change *x = *(const struct change *const *)a;
	const struct change *y = *(const struct change *const *)b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x < y ? -1 : x > y; /* pointers into one array: the order of the input */
}

/* The idle task is there from the start; what else is called 0 takes its place (see replay_fork).
 */
static void add_idle_task(struct session *s)
{
	set_comm(s, life_of(s, 0, 0), strtab_intern(&s->objects.strings, STR("swapper")), 0);
}

static void replay_all(struct session *s)
{
	size_t n = s->changes.n;
	add_idle_task(s);
	if (s->ordered) {
		for (size_t i = 0; i < n; i++)
			replay(s, &s->changes.v[i]);
		return;
	}
	const struct change **order = mem_calloc(n, sizeof *order);
	for (size_t i = 0; i < n; i++)
		order[i] = &s->changes.v[i];
	qsort(order, n, sizeof *order, compare_changes);
	for (size_t i = 0; i < n; i++)
		replay(s, order[i]);
	free(order);
}

/* Groups comms by life (they are in order of time already) by counting. */
static void index_comms(struct session *s)
{
	struct comm_change *sorted = mem_calloc(s->comms.n, sizeof *sorted);
	uint32_t at = 0;
	for (size_t i = 1; i < s->lives.n; i++) {
		s->lives.v[i].comm_first = at;
		at += s->lives.v[i].comm_count;
		s->lives.v[i].comm_count = 0;
	}
	for (size_t i = 0; i < s->comms.n; i++) {
		struct life *l = &s->lives.v[s->comms.v[i].life];
		sorted[l->comm_first + l->comm_count++] = s->comms.v[i];
	}
	free(s->comms.v);
	s->comms.v = sorted;
	s->comms.cap = s->comms.n;
}

static int compare_lives(const void *a, const void *b)
{
	const struct life *x = a, *y = b;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void index_lives(struct session *s)
{
	qsort(s->lives.v + 1, s->lives.n - 1, sizeof *s->lives.v, compare_lives);
	for (size_t i = s->lives.n - 1; i > 0; i--) {
		const struct life *l = &s->lives.v[i];
		u64map_put(&s->first, (uint32_t)l->tid, (uint32_t)i);
		if (l->pid == l->tid)
			s->processes.v[l->process].leader = (uint32_t)i;
	}
}

static int compare_codes(const void *a, const void *b)
{
	const struct session_code *x = *(const struct session_code *const *)a;
	const struct session_code *y = *(const struct session_code *const *)b;
	/* Those that hold since ever come first: the table wants order of time. */
	uint64_t tx = x->first ? 0 : x->time, ty = y->first ? 0 : y->time;
	if (tx != ty)
		return tx < ty ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The owner of a pid at that time; one that was only announced later will do. */
static uint32_t process_at(const struct session *s, int32_t pid, uint64_t time)
{
	const struct life *l = session_life_at(s, pid, time);
	const uint32_t *first = u64map_get(&s->first, (uint32_t)pid);
	if (!l && first)
		l = &s->lives.v[*first];
	return l ? l->process : 0;
}

static void place_codes(struct session *s)
{
	size_t n = s->codes.n;
	const struct session_code **order = mem_calloc(n + 1, sizeof *order);
	for (size_t i = 0; i < n; i++)
		order[i] = &s->codes.v[i];
	if (n)
		qsort(order, n, sizeof *order, compare_codes);
	for (size_t i = 0; i < n; i++) {
		const struct session_code *c = order[i];
		uint32_t process = process_at(s, c->pid, c->time);
		if (process)
			spacetime_add(&s->processes.v[process].code,
				      &(struct mapping){.start = c->start,
							.end = c->end,
							.time = c->first ? 0 : c->time,
							.object = c->object});
	}
	free(order);
	vec_free(&s->codes);
}

void session_seal(struct session *s)
{
	replay_all(s);
	vec_free(&s->changes);
	u64map_free(&s->current);
	objects_take_build_ids(&s->objects, s->build_ids.v, s->build_ids.n);
	vec_free(&s->build_ids);
	index_comms(s);
	index_lives(s);
	place_codes(s);
	for (size_t i = 0; i < s->processes.n; i++) {
		spacetime_seal(&s->processes.v[i].space);
		spacetime_seal(&s->processes.v[i].code);
	}
}
