#include "ingest/chains.h"

#include <stdlib.h>

/* A frame of the batch on its way from an address to an id. */
struct raw_frame {
	uint64_t ip;   /* then: address in the object */
	uint64_t seen; /* the address as sampled */
	uint64_t hash;
	frame_id frame; /* 0: not known yet */
	object_id object;
	uint8_t kind;  /* enum code_kind */
	uint8_t owner; /* which of the batch's new chains */
	uint16_t slot; /* in c->recent */
};

/* A chain of the batch that was not seen before. */
struct new_chain {
	uint32_t id;
	const struct chain_request *request;
	size_t leaf;         /* index of the sampled ip in c->raw; the stack's frames follow, */
	size_t first, count; /* leaf first */
	stack_id stack;
	uint64_t hash;
};

#define RECENT_SLOTS 8192

void chains_init(struct chains *c, const struct session *s, struct profile *p, struct diags *d)
{
	*c = (struct chains){.session = s, .profile = p, .diags = d};
	c->recent = mem_calloc(RECENT_SLOTS, sizeof *c->recent);
	vec_push(&c->list, (struct chain){0});
}

void chains_free(struct chains *c)
{
	vec_free(&c->list);
	index_free(&c->index);
	free(c->recent);
	vec_free(&c->raw);
	vec_free(&c->frames);
}

/* --- step 1: which chains are new ------------------------------------------------------------ */

static void hash_requests(struct chains *c, struct chain_request *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct sample *s = r[i].sample;
		uint64_t epoch = session_epoch_at(c->session, r[i].process, r[i].time);
		r[i].user_key = hash_mix(r[i].process, epoch) | 1;
		r[i].kernel_key = (epoch >> 32) * 2 + 2; /* even: no user key */
		uint64_t seed = hash_mix(r[i].user_key ^ s->cpumode, s->ip);
		r[i].hash = hash_words(s->chain, c->skip ? 0 : s->chain_count, seed);
		index_prefetch(&c->index, r[i].hash);
	}
	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&c->list.v[index_guess(&c->index, r[i].hash)]);
}

/* The addresses themselves are not kept: 64 bits of hash and the length agree by chance once in
 * many millions of files. */
static bool find_chain(const struct chains *c, struct chain_request *r, size_t count)
{
	for (struct index_probe p = index_probe(&c->index, r->hash); index_next(&c->index, &p);) {
		const struct chain *have = &c->list.v[p.value];
		if (have->hash == r->hash && have->count == count) {
			r->chain = p.value;
			return true;
		}
	}
	return false;
}

static void add_chain(struct chains *c, struct chain_request *r, size_t count)
{
	r->chain = (uint32_t)c->list.n;
	vec_push(&c->list, (struct chain){.hash = r->hash, .count = (uint32_t)count});
	if (!c->useless)
		index_put(&c->index, r->hash, r->chain);
}

/* Thousands of short processes, each at addresses of its own, have hardly a chain in common: then
 * remembering them costs memory and gains nothing. Stacks are found equal later all the same. */
static void judge(struct chains *c, size_t n)
{
	c->looked_up += n;
	if (!c->useless && c->looked_up > 100000 && c->list.n > c->looked_up / 8 * 7) {
		c->useless = true;
		c->fixed = c->list.n;
		index_free(&c->index);
	}
	if (c->useless && !c->flat)
		c->list.n = c->fixed;
}

/* --- step 2: addresses ------------------------------------------------------------------------ */

static enum code_kind kind_of_mode(unsigned cpumode)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		return CODE_KERNEL;
	case PERF_RECORD_MISC_HYPERVISOR:
		return CODE_HYPERVISOR;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return CODE_GUEST_KERNEL;
	case PERF_RECORD_MISC_GUEST_USER:
		return CODE_GUEST_USER;
	default:
		return CODE_USER;
	}
}

static void push_raw(struct chains *c, size_t owner, enum code_kind kind, uint64_t ip)
{
	vec_push(&c->raw,
		 (struct raw_frame){.ip = ip, .kind = (uint8_t)kind, .owner = (uint8_t)owner});
}

/* What a marker between addresses says about those that follow. */
static bool context_kind(uint64_t marker, enum code_kind *kind)
{
	switch (marker) {
	case PERF_CONTEXT_HV:
		*kind = CODE_HYPERVISOR;
		return true;
	case PERF_CONTEXT_KERNEL:
		*kind = CODE_KERNEL;
		return true;
	case PERF_CONTEXT_USER:
		*kind = CODE_USER;
		return true;
	default:
		return false;
	}
}

/* The last address of the part that address i is in. */
static size_t part_end(const struct sample *s, size_t i)
{
	while (i + 1 < s->chain_count && s->chain[i + 1] < PERF_CONTEXT_MAX)
		i++;
	return i;
}

/* The chain's addresses into c->raw. A marker nobody knows makes the whole chain worthless. */
static void unpack(struct chains *c, struct new_chain *nc, size_t owner)
{
	const struct sample *s = nc->request->sample;
	size_t count = c->skip ? 0 : s->chain_count;
	enum code_kind kind = CODE_USER;
	nc->leaf = c->raw.n;
	push_raw(c, owner, kind_of_mode(s->cpumode), s->ip);
	nc->first = c->raw.n;
	size_t part = nc->first;
	for (size_t i = 0; i < count; i++) {
		uint64_t ip = s->chain[i];
		if (LIKELY(ip < PERF_CONTEXT_MAX)) {
			push_raw(c, owner, kind, ip);
			if (c->max_stack && c->raw.n - part == c->max_stack)
				i = c->apart ? part_end(s, i) : count;
		} else if (context_kind(ip, &kind)) {
			part = c->apart ? c->raw.n : part;
		} else {
			diag_add(c->diags, DIAG_BAD_CALLCHAIN, 1,
				 "at offset 0x%" PRIx64
				 ": SAMPLE (9): call chain with unknown marker %" PRId64
				 ", chain dropped",
				 nc->request->offset, (int64_t)ip);
			c->raw.n = nc->first;
			break;
		}
	}
	nc->count = c->raw.n - nc->first;
}

/* --- step 3: frames --------------------------------------------------------------------------- */

static struct session_place find_place(struct chains *c, const struct chain_request *r, bool kernel,
				       uint64_t ip)
{
	struct place_cache *cache = kernel ? &c->kernel : &c->user;
	uint64_t key = kernel ? r->kernel_key : r->user_key;
	if (cache->key != key)
		*cache = (struct place_cache){.key = key};
	for (size_t i = 0; i < ARRAY_LEN(cache->place); i++)
		if (ip - cache->place[i].lo < cache->place[i].hi - cache->place[i].lo)
			return cache->place[i];
	struct session_place p = session_place_at(c->session, r->process, kernel, ip, r->time);
	if (kernel && !p.object.v) {
		/* The kernel's mapping ends at _etext, its symbols do not: resolve tells later. */
		p.object = session_kernel_object(c->session);
		p.bias = 0;
	}
	cache->place[cache->next++ % ARRAY_LEN(cache->place)] = p;
	return p;
}

static unsigned frame_flags(const struct raw_frame *f)
{
	return f->object.v ? 0 : FRAME_NO_MAP;
}

static uint64_t space_key(const struct chain_request *r, uint8_t kind)
{
	return kind == CODE_KERNEL ? r->kernel_key : kind == CODE_USER ? r->user_key : 0;
}

static void resolve_frames(struct chains *c, const struct new_chain *chains)
{
	struct profile *p = c->profile;
	for (size_t i = 0; i < c->raw.n; i++) {
		struct raw_frame *f = &c->raw.v[i];
		const struct chain_request *r = chains[f->owner].request;
		uint64_t key = space_key(r, f->kind);
		f->slot = (uint16_t)(hash_mix(f->ip, key) % RECENT_SLOTS);
		const struct frame_slot *recent = &c->recent[f->slot];
		if (key && recent->key == key && recent->ip == f->ip) {
			f->frame = recent->frame;
			continue;
		}
		f->seen = f->ip;
		if (key) {
			struct session_place place = find_place(c, r, f->kind == CODE_KERNEL,
								f->ip);
			f->object = place.object;
			f->ip += place.bias;
		}
		f->hash = profile_frame_hash((func_id){0}, f->object, f->ip, f->kind,
					     frame_flags(f));
		index_prefetch(&p->frame_index, f->hash);
	}
	for (size_t i = 0; i < c->raw.n; i++)
		if (!c->raw.v[i].frame.v)
			__builtin_prefetch(
				&p->frames.v[index_guess(&p->frame_index, c->raw.v[i].hash)]);
	for (size_t i = 0; i < c->raw.n; i++) {
		struct raw_frame *f = &c->raw.v[i];
		if (f->frame.v)
			continue;
		f->frame = profile_frame_hashed(p, f->hash, (func_id){0}, f->object, f->ip, f->kind,
						frame_flags(f));
		uint64_t key = space_key(chains[f->owner].request, f->kind);
		if (key)
			c->recent[f->slot] = (struct frame_slot){
				.key = key, .ip = f->seen, .frame = f->frame};
	}
}

/* --- step 4: stacks --------------------------------------------------------------------------- */

/* All chains of the batch grow together from their roots, one frame a round. */
static void build_stacks(struct chains *c, struct new_chain *chains, size_t n)
{
	struct profile *p = c->profile;
	size_t active = n;
	for (size_t depth = 0; active; depth++) {
		active = 0;
		for (size_t i = 0; i < n; i++) {
			struct new_chain *nc = &chains[i];
			if (nc->count <= depth)
				continue;
			active++;
			frame_id frame = c->raw.v[nc->first + nc->count - 1 - depth].frame;
			nc->hash = profile_stack_hash(nc->stack, frame);
			index_prefetch(&p->stack_index, nc->hash);
		}
		for (size_t i = 0; i < n; i++)
			if (chains[i].count > depth)
				__builtin_prefetch(
					&p->stacks.v[index_guess(&p->stack_index, chains[i].hash)]);
		for (size_t i = 0; i < n; i++) {
			struct new_chain *nc = &chains[i];
			if (nc->count > depth)
				nc->stack = profile_stack_hashed(
					p, nc->hash, nc->stack,
					c->raw.v[nc->first + nc->count - 1 - depth].frame);
		}
	}
}

static void keep_frames(struct chains *c, struct chain *chain, const struct new_chain *nc)
{
	chain->first = (uint32_t)c->frames.n;
	chain->depth = (uint32_t)nc->count;
	vec_reserve(&c->frames, nc->count);
	for (size_t i = 0; i < nc->count; i++)
		c->frames.v[c->frames.n++] = c->raw.v[nc->first + i].frame;
}

void chains_intern(struct chains *c, struct chain_request *requests, size_t n)
{
	struct new_chain fresh[CHAIN_BATCH];
	size_t fresh_count = 0;
	judge(c, n);
	hash_requests(c, requests, n);
	vec_clear(&c->raw);
	for (size_t i = 0; i < n; i++) {
		struct chain_request *r = &requests[i];
		size_t count = c->skip ? 0 : r->sample->chain_count;
		if (find_chain(c, r, count))
			continue;
		add_chain(c, r, count);
		fresh[fresh_count] = (struct new_chain){.id = r->chain, .request = r};
		unpack(c, &fresh[fresh_count], fresh_count);
		fresh_count++;
	}
	resolve_frames(c, fresh);
	if (!c->flat)
		build_stacks(c, fresh, fresh_count);
	for (size_t i = 0; i < fresh_count; i++) {
		struct chain *chain = &c->list.v[fresh[i].id];
		chain->leaf = c->raw.v[fresh[i].leaf].frame;
		if (c->flat)
			keep_frames(c, chain, &fresh[i]);
		else
			chain->stack = fresh[i].stack;
	}
}

/* The top half of all addresses is the kernel's, whoever touched them. */
#define KERNEL_ADDRESS ((uint64_t)1 << 63)

frame_id chains_address(struct chains *c, const struct chain_request *r, uint64_t addr)
{
	bool kernel = r->sample->cpumode == PERF_RECORD_MISC_KERNEL;
	struct session_place p = session_place_at(c->session, r->process, kernel, addr, r->time);
	if (!p.object.v) {
		kernel = addr >= KERNEL_ADDRESS;
		p = session_place_at(c->session, r->process, kernel, addr, r->time);
	}
	return profile_frame(c->profile, (func_id){0}, p.object, addr + p.bias,
			     kernel ? CODE_KERNEL : CODE_USER, p.object.v ? 0 : FRAME_NO_MAP);
}
