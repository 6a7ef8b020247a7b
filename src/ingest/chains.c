#include "ingest/chains.h"

#include <stdlib.h>

void chains_init(struct chains *c, const struct session *s, struct profile *p, struct diags *d)
{
	*c = (struct chains){.session = s, .profile = p, .diags = d};
	c->user.key = c->kernel.key = UINT64_MAX;
	vec_push(&c->list, (struct chain){0});
}

void chains_free(struct chains *c)
{
	vec_free(&c->list);
	index_free(&c->index);
	vec_free(&c->scratch);
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
};

static struct session_place find_place(struct chains *c, const struct context *ctx, bool kernel,
				       uint64_t ip)
{
	struct place_cache *cache = kernel ? &c->kernel : &c->user;
	uint64_t key = kernel ? ctx->epoch >> 32 : hash_mix(ctx->process, ctx->epoch);
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
	struct session_place p = {0};
	if (kind == CODE_USER || kind == CODE_KERNEL)
		p = find_place(c, ctx, kind == CODE_KERNEL, ip);
	return profile_frame(c->profile, (func_id){0}, p.object, ip + p.bias, kind,
			     p.object.v ? 0 : FRAME_NO_MAP);
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
	stack_id stack = {0};
	for (size_t i = c->scratch.n; i-- > 0;)
		stack = profile_stack(c->profile, stack, c->scratch.v[i]);
	return stack;
}

uint32_t chains_intern(struct chains *c, const struct sample *s, uint32_t process, uint64_t time,
		       uint64_t offset)
{
	struct context ctx = {.process = process,
			      .epoch = session_epoch_at(c->session, process, time),
			      .time = time};
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
