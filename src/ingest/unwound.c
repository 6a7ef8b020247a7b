#include "ingest/unwound.h"

#include <stdlib.h>

#include "perfdata/blob.h"
#include "resolve/unwind.h"

struct unwound {
	struct unwinder *unwinder; /* NULL: nothing is known about this CPU */
	uint64_t cut, whole, lost;
	uint64_t largest;  /* copy of a stack that was cut */
	uint32_t *lost_in; /* by object: stacks that end there */
};

/* Tables shrink to a fifth or so; all of a recording's together are not larger than the cache. */
#define KEPT_RATIO_MAX 64
#define KEPT_MAX ((uint64_t)512 << 20)

/* Tables that came with the recording. The pieces of one follow each other. */
static void read_kept(struct unwinder *u, const struct perfdata *pd, struct diags *d)
{
	struct blob blob = {0};
	uint64_t room = KEPT_MAX;
	for (size_t i = 0; i < perfdata_embedded_count(pd); i++) {
		struct cursor c = perfdata_embedded(pd, i);
		struct embedded_object o;
		struct blob_piece piece;
		struct str block;
		if (!embedded_object(&c, &o) || o.kind != EMBEDDED_CFI)
			continue;
		bool ok = blob_read(&c, &piece) && piece.whole <= room &&
			  piece.whole / KEPT_RATIO_MAX <= piece.packed && blob_add(&blob, &piece);
		if (ok && blob.got == blob.size) {
			ok = blob_unpack(&blob, &block);
			if (ok) {
				room -= block.n;
				unwinder_keep(u, &o.build_id, block);
			}
			blob_free(&blob);
		}
		if (!ok)
			diag_add(d, DIAG_BAD_RECORD, 1,
				 "an unwind table is damaged in the recording");
	}
	blob_free(&blob);
}

static struct unwound *unwound_new(struct ingest *in)
{
	struct unwound *u = mem_zalloc(sizeof *u);
	u->lost_in = mem_calloc(session_object_count(in->session), sizeof *u->lost_in);
	u->unwinder = unwinder_new(in->session, perfdata_header(in->pd)->arch, &in->opt.resolve);
	if (u->unwinder)
		read_kept(u->unwinder, in->pd, in->diags);
	return u;
}

void unwound_free(struct unwound *u)
{
	if (!u)
		return;
	unwinder_free(u->unwinder);
	free(u->lost_in);
	free(u);
}

static uint64_t space_of(const struct ingest *in, const struct placed *p)
{
	uint64_t epoch = session_epoch_at(in->session, p->who.process, p->time);
	return hash_mix(p->who.process, epoch) | 1;
}

/* Where the user's part of a chain begins, with its marker; the chain's end when it has none. */
static size_t user_marker(const struct sample *s)
{
	for (size_t i = s->chain_count; i > 0; i--)
		if (s->chain[i - 1] == PERF_CONTEXT_USER)
			return i - 1;
	return s->chain_count;
}

/* Keeps the first words, and puts a user's part behind them. */
static void replace_chain(struct sample_scratch *scratch, struct sample *s, size_t keep,
			  const uint64_t *ips, size_t n)
{
	size_t need = keep + 1 + n;
	const uint64_t *from = s->chain;
	bool in_scratch = from && from == scratch->words;
	if (scratch->cap < need) {
		scratch->cap = need + need / 2;
		scratch->words = mem_realloc_array(scratch->words, scratch->cap,
						   sizeof *scratch->words);
	}
	if (keep && !in_scratch)
		memcpy(scratch->words, from, keep * sizeof *from);
	scratch->words[keep] = PERF_CONTEXT_USER;
	if (n)
		memcpy(scratch->words + keep + 1, ips, n * sizeof *ips);
	s->chain = scratch->words;
	s->chain_count = need;
}

/* Stacks that the kernel's chain has continued count as whole. */
static void count(struct unwound *u, const struct sample *s, const struct unwind_result *r)
{
	if (r->end == UNWIND_WHOLE || r->spliced) {
		u->whole++;
	} else if (r->end == UNWIND_CUT) {
		u->cut++;
		u->largest = MAX(u->largest, s->user_stack_size);
	} else {
		u->lost++;
		u->lost_in[r->lost_in.v]++;
	}
}

/* True: it was cut. */
static bool unwind_stack(struct unwound *u, struct unwind_input *in, struct sample_scratch *scratch,
			 struct sample *s)
{
	size_t marker = user_marker(s);
	if (marker < s->chain_count) {
		in->chain = s->chain + marker + 1;
		in->chain_count = s->chain_count - marker - 1;
	}
	struct unwind_result r = unwinder_run(u->unwinder, in);
	if (!r.count)
		return false;
	count(u, s, &r);
	replace_chain(scratch, s, marker, r.ips, r.count);
	return r.end == UNWIND_CUT && !r.spliced;
}

/* The caller of a leaf, behind the leaf. */
static void repair_leaf(struct unwound *u, struct unwind_input *in, struct sample_scratch *scratch,
			struct sample *s)
{
	uint64_t caller;
	size_t marker = user_marker(s), user = marker + 1;
	if (user >= s->chain_count || !unwinder_leaf_caller(u->unwinder, in, &caller))
		return;
	size_t n = s->chain_count - user;
	if (n > 1 && s->chain[user + 1] == caller)
		return;
	uint64_t *ips = mem_calloc(n + 1, sizeof *ips);
	ips[0] = s->chain[user];
	ips[1] = caller;
	memcpy(ips + 2, s->chain + user + 1, (n - 1) * sizeof *ips);
	replace_chain(scratch, s, marker, ips, n + 1);
	free(ips);
}

void unwound_add(struct ingest *in, const struct record *r, const struct attr *a,
		 struct sample_scratch *scratch, struct placed *p)
{
	struct sample *s = &p->sample;
	if (!(a->sample_type & PERF_SAMPLE_CALLCHAIN) || in->opt.no_callchains || !s->user_regs)
		return;
	if (!in->unwound)
		in->unwound = unwound_new(in);
	struct unwound *u = in->unwound;
	bool stack = a->sample_type & PERF_SAMPLE_STACK_USER;
	uint64_t ip;
	/* 32-bit programs, other CPUs: what is known for certain is where the thread was. */
	if (!u->unwinder || r->swap || s->user_abi != PERF_SAMPLE_REGS_ABI_64) {
		if (stack && sample_user_ip(s, a, perfdata_header(in->pd)->arch, r->swap, &ip))
			replace_chain(scratch, s, s->chain_count, &ip, 1);
		return;
	}
	struct unwind_input input = {.process = p->who.process,
				     .time = p->time,
				     .space = space_of(in, p),
				     .mask = a->sample_regs_user,
				     .regs = s->user_regs,
				     .stack = s->user_stack,
				     .stack_size = (size_t)s->user_stack_valid};
	if (stack)
		p->cut |= unwind_stack(u, &input, scratch, s);
	else
		repair_leaf(u, &input, scratch, s);
}

static void tell_cut(const struct unwound *u, uint64_t all, struct diags *d)
{
	if (!u->cut)
		return;
	diag_add(d, DIAG_CUT_STACK, 1,
		 "%" PRIu64 " of %" PRIu64 " stacks are cut: the copy of the stack, %" PRIu64
		 " bytes, did not hold all of it",
		 u->cut, all, u->largest);
	if (u->largest < 65528)
		diag_hint(d, DIAG_CUT_STACK, "record with a larger copy: --call-graph dwarf,65528");
}

/* Where most of the stacks end that lead nowhere. A few do so in any program, in the middle of what
 * no table describes. */
static void tell_lost(const struct unwound *u, uint64_t all, const struct session *s,
		      struct diags *d)
{
	uint32_t most = 0;
	if (!u->lost || u->lost * 100 < all)
		return;
	for (uint32_t i = 1; i < session_object_count(s); i++)
		if (!most || u->lost_in[i] > u->lost_in[most])
			most = i;
	if (!most || !u->lost_in[most])
		return;
	const struct session_object *o = session_object(s, (object_id){most});
	struct str name = session_str(s, o->kind == OBJECT_ANON ? o->name : o->path);
	diag_add(d, DIAG_LOST_STACK, 1,
		 "%" PRIu64 " of %" PRIu64 " stacks end early, %" PRIu32
		 " of them in %.*s, which has neither unwind information nor frame pointers there",
		 u->lost, all, u->lost_in[most], (int)name.n, name.p);
	diag_hint(
		d, DIAG_LOST_STACK, "%s",
		o->kind == OBJECT_FILE
			? "build it with -fno-omit-frame-pointer or -fasynchronous-unwind-tables"
			: "tell its compiler to keep frame pointers: java -XX:+PreserveFramePointer");
}

void unwound_tell(struct ingest *in)
{
	const struct unwound *u = in->unwound;
	if (!u || !u->unwinder)
		return;
	uint64_t all = u->cut + u->whole + u->lost;
	unwinder_tell(u->unwinder, in->diags);
	tell_cut(u, all, in->diags);
	tell_lost(u, all, in->session, in->diags);
}
