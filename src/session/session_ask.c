/* Questions to a sealed session. */
#include "session/session_state.h"

const struct life *session_life_at(const struct session *s, int32_t tid, uint64_t time)
{
	const uint32_t *first = u64map_get(&s->first, (uint32_t)tid);
	if (!first)
		return NULL;
	const struct life *end = s->lives.v + s->lives.n;
	const struct life *lo = s->lives.v + *first, *hit = NULL;
	/* Few lives per tid, unless pids wrapped around often: gallop, then halve. */
	size_t step = 1;
	while (lo < end && lo->tid == tid && lo->start <= time) {
		hit = lo;
		if ((size_t)(end - lo) <= step || lo[step].tid != tid || lo[step].start > time)
			step = 1;
		lo += step;
		step *= 2;
	}
	return hit;
}

static void name_at(const struct session *s, const struct life *l, uint64_t time,
		    struct session_who *who)
{
	uint32_t lo = 0, hi = l->comm_count;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (s->comms.v[l->comm_first + mid].time <= time)
			lo = mid + 1;
		else
			hi = mid;
	}
	who->named = lo > 0;
	who->named_later = !lo && l->comm_count;
	if (l->comm_count)
		who->comm = s->comms.v[l->comm_first + (lo ? lo - 1 : 0)].comm;
}

struct session_who session_who_at(const struct session *s, int32_t pid, int32_t tid, uint64_t time)
{
	struct session_who who = {.pid = pid, .tid = tid};
	const struct life *l = session_life_at(s, tid, time);
	if (l) {
		name_at(s, l, time, &who);
		who.process = l->process;
	}
	if ((!l || (l->pid != pid && pid != -1)) && pid != tid) {
		const struct life *leader = session_life_at(s, pid, time);
		who.process = leader ? leader->process : 0;
	}
	return who;
}

uint64_t session_started(const struct session *s, int32_t pid)
{
	const struct life *l = session_life_at(s, pid, UINT64_MAX);
	return l ? l->start : 0;
}

bool session_last_comm(const struct session *s, uint32_t process, string_id *comm)
{
	const struct life *l = &s->lives.v[s->processes.v[process].leader];
	if (!l->comm_count)
		return false;
	*comm = s->comms.v[l->comm_first + l->comm_count - 1].comm;
	return true;
}

uint64_t session_epoch_at(const struct session *s, uint32_t process, uint64_t time)
{
	uint64_t epoch = spacetime_epoch(&s->processes.v[0].space, time) << 32;
	const struct process *p = &s->processes.v[process];
	return process ? epoch + spacetime_epoch(&p->space, time) + spacetime_epoch(&p->code, time)
		       : epoch;
}

/* Files that have names of their own. Runtimes fill others while they run (a memfd), or tell of
 * code in files of their own kind (the ahead-of-time compiled part of a .dll). */
static bool holds_code(const struct session *s, object_id id)
{
	const struct session_object *o = session_object(s, id);
	struct str path = session_str(s, o->path);
	return o->kind == OBJECT_VDSO || (o->kind == OBJECT_FILE && !str_starts(path, "/memfd:") &&
					  !str_starts(path, "/dev/shm/") &&
					  !str_ends(path, ".dll") && !str_ends(path, ".exe"));
}

/* What a process had at an address: mapped, or made at run time. NULL: nothing. */
static const struct mapping *own_mapping_at(const struct session *s, const struct process *p,
					    uint64_t ip, uint64_t time, struct session_place *place)
{
	const struct mapping *m = spacetime_at(&p->space, ip, time, &place->lo, &place->hi);
	const struct mapping *code = spacetime_at(&p->code, ip, time, &place->lo, &place->hi);
	return code && !(m && holds_code(s, m->object)) ? code : m;
}

struct session_place session_place_at(const struct session *s, uint32_t process, bool kernel,
				      uint64_t ip, uint64_t time)
{
	struct session_place place = {.lo = 0, .hi = UINT64_MAX};
	if (kernel)
		process = 0;
	else if (!process)
		return place;
	for (int i = 0; i < MAX_ANCESTORS; i++) {
		const struct process *p = &s->processes.v[process];
		const struct mapping *m = own_mapping_at(s, p, ip, time, &place);
		if (m) {
			place.object = m->object;
			place.bias = m->bias;
			break;
		}
		if (!p->parent)
			break;
		time = MIN(time, p->fork_time);
		process = p->parent;
	}
	return place;
}

size_t session_object_count(const struct session *s)
{
	return s->objects.list.n;
}

const struct session_object *session_object(const struct session *s, object_id id)
{
	return &s->objects.list.v[id.v];
}

struct str session_str(const struct session *s, string_id id)
{
	return strtab_get(&s->objects.strings, id);
}

uint64_t session_kernel_text(const struct session *s)
{
	return s->kernel_text;
}

object_id session_kernel_object(const struct session *s)
{
	return s->kernel;
}
