#include "ingest/chains.h"

#include <stdlib.h>

void chains_init(struct chains *c, const struct session *s, struct profile *p, struct diags *d)
{
	*c = (struct chains){.session = s, .profile = p, .diags = d};
	c->user.key = c->kernel.key = UINT64_MAX;
	c->frames = mem_zalloc(sizeof *c->frames);
	vec_push(&c->list, (struct chain){0});
}

void chains_free(struct chains *c)
{
	vec_free(&c->list);
	index_free(&c->index);
	free(c->frames);
	vec_free(&c->scratch);
	vec_free(&c->path);
	vec_free(&c->path_stack);
}

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

/* Who the chain belongs to: constant while one chain is resolved. */
struct context {
	uint32_t process;
	uint64_t epoch, time;
	uint64_t user_key, kernel_key; /* equal keys: equal address spaces; never 0 */
};

static struct session_place find_place(struct chains *c, const struct context *ctx, bool kernel,
				       uint64_t ip)
{
	struct place_cache *cache = kernel ? &c->kernel : &c->user;
	uint64_t key = kernel ? ctx->kernel_key : ctx->user_key;
	if (cache->key != key) {
		cache->key = key;
		for (size_t i = 0; i < ARRAY_LEN(cache->place); i++)
			cache->place[i] = (struct session_place){0};
	}
	for (size_t i = 0; i < ARRAY_LEN(cache->place); i++)
		if (ip - cache->place[i].lo < cache->place[i].hi - cache->place[i].lo)
			return cache->place[i];
	struct session_place p = session_place_at(c->session, ctx->process, kernel, ip, ctx->time);
	if (kernel && !p.object.v) {
		/* The kernel's mapping ends at _etext, its symbols do not: resolve tells later. */
		p.object = session_kernel_object(c->session);
		p.bias = 0;
	}
	cache->place[cache->next++ % ARRAY_LEN(cache->place)] = p;
	return p;
}

static frame_id make_frame(struct chains *c, const struct context *ctx, enum code_kind kind,
			   uint64_t ip)
{
	bool kernel = kind == CODE_KERNEL;
	if (!kernel && kind != CODE_USER)
		return profile_frame(c->profile, (func_id){0}, (object_id){0}, ip, kind,
				     FRAME_NO_MAP);
	uint64_t key = kernel ? ctx->kernel_key : ctx->user_key;
	size_t at = (size_t)(hash_mix(ip, key) % ARRAY_LEN(c->frames->slot));
	if (c->frames->slot[at].key == key && c->frames->slot[at].ip == ip)
		return c->frames->slot[at].frame;
	struct session_place p = find_place(c, ctx, kernel, ip);
	frame_id frame = profile_frame(c->profile, (func_id){0}, p.object, ip + p.bias, kind,
				       p.object.v ? 0 : FRAME_NO_MAP);
	c->frames->slot[at].key = key;
	c->frames->slot[at].ip = ip;
	c->frames->slot[at].frame = frame;
	return frame;
}

/* Frames leaf first into c->scratch. A marker nobody knows makes the whole chain worthless. */
static void resolve_frames(struct chains *c, const struct context *ctx, const struct sample *s,
			   uint64_t offset)
{
	enum code_kind kind = CODE_USER;
	vec_clear(&c->scratch);
	for (size_t i = 0; i < s->chain_count; i++) {
		uint64_t ip = s->chain[i];
		if (ip < PERF_CONTEXT_MAX) {
			vec_push(&c->scratch, make_frame(c, ctx, kind, ip));
			if (c->max_stack && c->scratch.n == c->max_stack)
				return;
			continue;
		}
		switch (ip) {
		case PERF_CONTEXT_HV:
			kind = CODE_HYPERVISOR;
			break;
		case PERF_CONTEXT_KERNEL:
			kind = CODE_KERNEL;
			break;
		case PERF_CONTEXT_USER:
			kind = CODE_USER;
			break;
		default:
			diag_add(c->diags, DIAG_BAD_CALLCHAIN, 1,
				 "at offset 0x%" PRIx64 ": SAMPLE (9): call chain with unknown "
				 "marker %" PRId64 ", chain dropped",
				 offset, (int64_t)ip);
			vec_clear(&c->scratch);
			return;
		}
	}
}

static stack_id intern_stack(struct chains *c)
{
	size_t n = c->scratch.n, same = 0;
	while (same < n && same < c->path.n && c->path.v[same].v == c->scratch.v[n - 1 - same].v)
		same++;
	c->path.n = c->path_stack.n = same;
	stack_id stack = same ? c->path_stack.v[same - 1] : (stack_id){0};
	for (size_t i = same; i < n; i++) {
		frame_id frame = c->scratch.v[n - 1 - i];
		stack = profile_stack(c->profile, stack, frame);
		vec_push(&c->path, frame);
		vec_push(&c->path_stack, stack);
	}
	return stack;
}

uint32_t chains_intern(struct chains *c, const struct sample *s, uint32_t process, uint64_t time,
		       uint64_t offset)
{
	struct context ctx = {.process = process,
			      .epoch = session_epoch_at(c->session, process, time),
			      .time = time};
	ctx.user_key = hash_mix(process, ctx.epoch) | 1;
	ctx.kernel_key = (ctx.epoch >> 32) * 2 + 2; /* even: no user key */
	size_t count = c->skip ? 0 : s->chain_count;
	uint64_t seed = hash_mix((uint64_t)process << 3 | s->cpumode, ctx.epoch);
	uint64_t hash = hash_words(s->chain, count, hash_mix(seed, s->ip));

	/* The addresses themselves are not kept: 64 bits of hash, the ip and the length agree by
	 * chance once in many billion files. */
	for (struct index_probe p = index_probe(&c->index, hash); index_next(&c->index, &p);) {
		const struct chain *have = &c->list.v[p.value];
		if (have->hash == hash && have->ip == s->ip && have->count == count)
			return p.value;
	}
	struct chain chain = {.hash = hash, .ip = s->ip, .count = (uint32_t)count};
	chain.leaf = make_frame(c, &ctx, kind_of_mode(s->cpumode), s->ip);
	if (count) {
		resolve_frames(c, &ctx, s, offset);
		chain.stack = intern_stack(c);
	}
	uint32_t id = (uint32_t)c->list.n;
	vec_push(&c->list, chain);
	index_put(&c->index, hash, id);
	return id;
}
