/* Which addresses were hit, and what was mapped there: noted as records pass. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "capture/counters.h"
#include "capture/embed.h"
#include "perfdata/record.h"

#define RECENT 8192           /* slots; a power of two */
#define KERNEL_MAX (1u << 20) /* addresses */
#define HITS_MAX (1u << 20)   /* addresses, per process */
#define MAPS_MAX (1u << 20)
#define PARENTS_MAX (1u << 20)
#define CONTEXT_FIRST ((uint64_t)-4095) /* PERF_CONTEXT_*: not addresses */

static struct sample_layout layout_of(const struct attr *a)
{
	const uint64_t one_word = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				  PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
				  PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	struct sample_layout l = {.sample_type = a->sample_type, .read_format = a->read_format};
	l.ip = a->sample_type & PERF_SAMPLE_IDENTIFIER ? 1 : 0;
	l.tid = l.ip + (a->sample_type & PERF_SAMPLE_IP ? 1 : 0);
	l.after_fixed = (size_t)__builtin_popcountll(a->sample_type & one_word);
	return l;
}

void embed_init(struct embed *e, enum capture_embed mode, const struct counters *cs)
{
	*e = (struct embed){.mode = mode, .lock = PTHREAD_MUTEX_INITIALIZER};
	if (mode == CAPTURE_EMBED_NONE)
		return;
	e->recent = mem_calloc(RECENT, sizeof *e->recent);
	for (size_t i = 0; i < cs->v.n; i++) {
		const struct counter *k = &cs->v.v[i];
		vec_push(&e->layouts, layout_of(&k->attr));
		e->attr = i ? e->attr : k->attr;
		e->whole |= (k->attr.sample_type & PERF_SAMPLE_STACK_USER) != 0;
		for (size_t f = 0; cs->v.n > 1 && f < k->fds.n; f++)
			u64map_put(&e->by_id, k->fds.v[f].id, (uint32_t)i);
	}
	int32_t clockid = e->attr.flags & ATTR_USE_CLOCKID ? e->attr.clockid : -1;
	jit_snapshot_init(&e->jit, e->attr.sample_type & PERF_SAMPLE_TIME ? clockid : -2);
}

void embed_free(struct embed *e)
{
	for (size_t i = 0; i < e->objects.n; i++) {
		file_unmap(&e->objects.v[i].held);
		vec_free(&e->objects.v[i].addrs);
	}
	jit_snapshot_free(&e->jit);
	vec_free(&e->objects);
	vec_free(&e->layouts);
	vec_free(&e->kernel);
	vec_free(&e->hits);
	vec_free(&e->maps);
	u64map_free(&e->by_id);
	u64map_free(&e->kernel_known);
	u64map_free(&e->hit_known);
	u64map_free(&e->map_known);
	u64map_free(&e->parents);
	u64map_free(&e->by_key);
	strtab_free(&e->paths);
	kallsyms_free(&e->names);
	free(e->recent);
}

/* True when new; false too when there is no room. */
static bool set_add(struct embed *e, struct u64map *set, uint64_t key, size_t limit)
{
	if (u64map_get(set, key))
		return false;
	if (set->n >= limit) {
		e->full = true;
		return false;
	}
	u64map_put(set, key, 1);
	return true;
}

static void see_address(struct embed *e, int32_t pid, uint64_t ip)
{
	bool kernel = (int64_t)ip < 0;
	if (ip >= CONTEXT_FIRST)
		return;
	uint64_t key = hash_mix(ip, kernel ? 0 : (uint64_t)(uint32_t)pid + 1);
	uint64_t *slot = &e->recent[key & (RECENT - 1)];
	if (LIKELY(__atomic_load_n(slot, __ATOMIC_RELAXED) == key))
		return;
	__atomic_store_n(slot, key, __ATOMIC_RELAXED);
	pthread_mutex_lock(&e->lock);
	if (kernel && set_add(e, &e->kernel_known, ip, KERNEL_MAX))
		vec_push(&e->kernel, ip);
	else if (!kernel && set_add(e, &e->hit_known, key, HITS_MAX))
		vec_push(&e->hits, (struct embed_hit){.ip = ip, .pid = pid});
	pthread_mutex_unlock(&e->lock);
}

/* Words of the counts inside a sample (PERF_SAMPLE_READ), which begin at `p`. */
static size_t read_words(uint64_t format, const uint8_t *p, size_t left)
{
	size_t times = (format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 1u : 0u) +
		       (format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 1u : 0u);
	size_t each = 1 + (format & PERF_FORMAT_ID ? 1u : 0u) + (format & FORMAT_LOST ? 1u : 0u);
	if (!(format & PERF_FORMAT_GROUP))
		return times + each;
	uint64_t n = left ? load64(p) : 0;
	return 1 + times + (size_t)MIN(n, left) * each;
}

/* By the id of its event, which lies at the same place in all samples. NULL: of no event of ours.
 */
static const struct sample_layout *layout_find(const struct embed *e, const struct record *r)
{
	const struct sample_layout *first = &e->layouts.v[0];
	const uint64_t before_id = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				   PERF_SAMPLE_ADDR;
	size_t at = 0;
	if (e->layouts.n == 1)
		return first;
	if (!(first->sample_type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)))
		return NULL;
	if (!(first->sample_type & PERF_SAMPLE_IDENTIFIER))
		at = (size_t)__builtin_popcountll(first->sample_type & before_id);
	if (r->body_size < (at + 1) * 8)
		return NULL;
	const uint32_t *event = u64map_get(&e->by_id, load64(r->body + at * 8));
	return event ? &e->layouts.v[*event] : NULL;
}

static void see_sample(struct embed *e, const struct record *r)
{
	const struct sample_layout *l = layout_find(e, r);
	size_t words = r->body_size / 8;
	if (!l || words < l->after_fixed || !(l->sample_type & PERF_SAMPLE_TID))
		return;
	int32_t pid = (int32_t)load32(r->body + l->tid * 8);
	if (l->sample_type & PERF_SAMPLE_IP)
		see_address(e, pid, load64(r->body + l->ip * 8));
	if (!(l->sample_type & PERF_SAMPLE_CALLCHAIN))
		return;
	size_t at = l->after_fixed;
	if (l->sample_type & PERF_SAMPLE_READ)
		at += read_words(l->read_format, r->body + at * 8, words - at);
	if (at >= words)
		return;
	size_t n = (size_t)MIN(load64(r->body + at * 8), words - at - 1);
	for (size_t i = 0; i < n; i++)
		see_address(e, pid, load64(r->body + (at + 1 + i) * 8));
}

static struct embed_object *object_put(struct embed *e, const struct embed_object *want,
				       uint32_t *index)
{
	uint64_t key = hash_bytes(&want->build_id, sizeof want->build_id,
				  hash_mix(want->path.v, want->inode) + want->kind);
	uint32_t *known = u64map_get(&e->by_key, key);
	if (known) {
		*index = *known;
		return NULL;
	}
	*index = (uint32_t)e->objects.n;
	u64map_put(&e->by_key, key, *index);
	vec_push(&e->objects, *want);
	return &vec_last(&e->objects);
}

/* False for what has no symbols to keep. *bias: as a mapping's pgoff. */
static bool describe(struct embed *e, const struct rec_mmap *m, struct embed_object *o,
		     uint64_t *bias)
{
	bool whole = e->mode == CAPTURE_EMBED_HOT || e->mode == CAPTURE_EMBED_ALL;
	*bias = m->pgoff;
	*o = (struct embed_object){.kind = EMBEDDED_FILE, .pid = m->pid, .build_id = m->build_id};
	o->path = strtab_intern(&e->paths, m->path);
	if (str_is(m->path, "[vdso]")) {
		o->kind = EMBEDDED_VDSO;
		o->pid = 0;
		return whole;
	}
	o->inode = m->build_id.size ? 0 : m->inode;
	return m->path.n > 1 && m->path.p[0] == '/' && m->path.p[1] != '/' &&
	       !str_starts(m->path, "/dev/") && !str_starts(m->path, "/SYSV");
}

/* Memory that programs write code to, or mark as code afterwards. */
static bool is_code_memory(struct str path)
{
	return str_is(path, "//anon") || str_starts(path, "/memfd:") ||
	       str_starts(path, "/dev/zero") || str_starts(path, "/anon_hugepage") ||
	       str_is(path, "[heap]");
}

/* True: nothing but code made at run time is to be had of this mapping. A memfd may hold that, or a
 * whole program. */
static bool see_code(struct embed *e, const struct record *r, const struct rec_mmap *m)
{
	struct sample_id who = {0};
	/* Our own records have a time of zero: it was there before. */
	if (!record_trailer(r, &e->attr, &who))
		who.time = 0;
	if (is_code_memory(m->path)) {
		jit_snapshot_watch(&e->jit, m->pid, who.time);
		return !str_starts(m->path, "/memfd:");
	}
	return jit_snapshot_mapped(&e->jit, m, who.time);
}

static void note_map(struct embed *e, const struct rec_mmap *m)
{
	struct embed_object want;
	struct embed_map map;
	if (!describe(e, m, &want, &map.pgoff))
		return;
	struct embed_object *new = object_put(e, &want, &map.object);
	if (new &&new->kind == EMBEDDED_FILE)
		embed_hold(e, new, m);
	map.pid = m->pid;
	map.start = m->addr;
	map.end = m->len > UINT64_MAX - m->addr ? UINT64_MAX : m->addr + m->len;
	uint64_t key = hash_mix(hash_mix(map.start, map.end), hash_mix(map.pgoff, map.object)) +
		       (uint32_t)map.pid;
	if (!set_add(e, &e->map_known, key, MAPS_MAX))
		return;
	vec_push(&e->maps, map);
	e->sorted = false;
}

static void see_mmap(struct embed *e, const struct record *r)
{
	struct rec_mmap m;
	if (!record_mmap(r, &m) || m.pid < 0 || !(m.prot & PROT_EXEC) ||
	    (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
		return;
	pthread_mutex_lock(&e->lock);
	if (!see_code(e, r, &m))
		note_map(e, &m);
	pthread_mutex_unlock(&e->lock);
}

static void see_fork(struct embed *e, const struct record *r)
{
	struct rec_task task;
	if (!record_task(r, &task) || task.pid == task.ppid)
		return;
	pthread_mutex_lock(&e->lock);
	if (e->parents.n < PARENTS_MAX)
		u64map_put(&e->parents, (uint32_t)task.pid, (uint32_t)task.ppid);
	pthread_mutex_unlock(&e->lock);
}

static void see_exit(struct embed *e, const struct record *r)
{
	struct rec_task task;
	if (!record_task(r, &task) || task.pid != task.tid)
		return;
	pthread_mutex_lock(&e->lock);
	jit_snapshot_exit(&e->jit, task.pid);
	pthread_mutex_unlock(&e->lock);
}

/* Another program, maybe in another root directory by now: what it makes is looked for anew. */
static void see_exec(struct embed *e, const struct record *r)
{
	struct rec_comm m;
	if (!record_comm(r, &m))
		return;
	pthread_mutex_lock(&e->lock);
	jit_snapshot_exit(&e->jit, m.pid);
	pthread_mutex_unlock(&e->lock);
}

void embed_see(struct embed *e, const struct record *r)
{
	if (!e->layouts.n)
		return;
	switch (r->type) {
	case PERF_RECORD_SAMPLE:
		see_sample(e, r);
		break;
	case PERF_RECORD_MMAP2:
		see_mmap(e, r);
		break;
	case PERF_RECORD_FORK:
		see_fork(e, r);
		break;
	case PERF_RECORD_EXIT:
		see_exit(e, r);
		break;
	case PERF_RECORD_COMM:
		if (r->misc & MISC_COMM_EXEC)
			see_exec(e, r);
		break;
	default:
		break;
	}
}

void embed_look(struct embed *e, uint64_t now)
{
	if (!e->layouts.n)
		return;
	pthread_mutex_lock(&e->lock);
	jit_snapshot_look(&e->jit, now);
	pthread_mutex_unlock(&e->lock);
}
