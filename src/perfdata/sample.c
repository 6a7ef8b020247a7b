/*
 * Samples: the hot path of every view. One function body, made twice by the compiler: for files of
 * our own byte order, where a field is one load, and for the others.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "perfdata/record.h"

#define BRANCH_HW_INDEX (1u << 17) /* bits of attr.branch_sample_type */
#define BRANCH_COUNTERS (1u << 19)
#define ALWAYS_INLINE inline __attribute__((always_inline))

/* What is left of the record; always whole words, as records are. */
struct words {
	const uint8_t *p;
	size_t left; /* in words */
};

static ALWAYS_INLINE uint64_t word_at(const uint8_t *p, bool swap)
{
	uint64_t v = load64(p);
	return swap ? swap64(v) : v;
}

static ALWAYS_INLINE bool take(struct words *w, bool swap, uint64_t *out)
{
	if (UNLIKELY(!w->left))
		return false;
	*out = word_at(w->p, swap);
	w->p += 8;
	w->left--;
	return true;
}

/* Two u32 in one word, in the order they lie in memory. */
static ALWAYS_INLINE bool take_pair(struct words *w, bool swap, uint32_t *a, uint32_t *b)
{
	if (UNLIKELY(!w->left))
		return false;
	*a = load32(w->p);
	*b = load32(w->p + 4);
	if (swap) {
		*a = swap32(*a);
		*b = swap32(*b);
	}
	w->p += 8;
	w->left--;
	return true;
}

static ALWAYS_INLINE const uint8_t *take_words(struct words *w, uint64_t n)
{
	if (UNLIKELY(n > w->left))
		return NULL;
	const uint8_t *p = w->p;
	w->p += n * 8;
	w->left -= (size_t)n;
	return p;
}

void sample_scratch_free(struct sample_scratch *s)
{
	free(s->words);
	*s = (struct sample_scratch){0};
}

static const uint64_t *scratch_chain(struct sample_scratch *s, const uint8_t *p, size_t n,
				     bool swap)
{
	if (s->cap < n) {
		s->cap = MAX(n, 128);
		s->words = mem_realloc_array(s->words, s->cap, sizeof *s->words);
	}
	for (size_t i = 0; i < n; i++)
		s->words[i] = word_at(p + i * 8, swap);
	return s->words;
}

static ALWAYS_INLINE bool take_chain(struct words *w, bool swap, struct sample_scratch *s,
				     struct sample *out)
{
	uint64_t n;
	if (!take(w, swap, &n))
		return false;
	const uint8_t *p = take_words(w, n);
	if (UNLIKELY(!p))
		return false;
	out->chain_count = (size_t)n;
	/* In a pipe stream a record may begin at any multiple of 4. */
	if (swap || ((uintptr_t)p & 7))
		out->chain = scratch_chain(s, p, (size_t)n, swap);
	else
		out->chain = (const uint64_t *)(const void *)p;
	return true;
}

static bool take_read(struct words *w, bool swap, uint64_t format, struct sample *out)
{
	unsigned times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	unsigned per_value = 1 + !!(format & PERF_FORMAT_ID) + !!(format & FORMAT_LOST);
	uint64_t n = times + per_value;
	if (format & PERF_FORMAT_GROUP) {
		if (!w->left)
			return false;
		uint64_t values = word_at(w->p, swap);
		if (values > w->left)
			return false;
		n = 1 + times + values * per_value;
	}
	out->read = take_words(w, n);
	out->read_size = (size_t)n * 8;
	return out->read;
}

static ALWAYS_INLINE bool take_raw(struct words *w, bool swap, struct sample *out)
{
	if (!w->left)
		return false;
	uint32_t size = load32(w->p);
	size = swap ? swap32(size) : size;
	const uint8_t *p = take_words(w, ((uint64_t)size + 4 + 7) / 8);
	if (!p)
		return false;
	out->raw = p + 4;
	out->raw_size = size;
	return true;
}

static bool take_branches(struct words *w, bool swap, uint64_t branch_type, struct sample *out)
{
	uint64_t n;
	if (!take(w, swap, &n) || n > w->left)
		return false;
	if (branch_type & BRANCH_HW_INDEX && !take(w, swap, &out->branch_hw_idx))
		return false;
	out->branches = take_words(w, n * 3);
	out->branch_count = (size_t)n;
	if (branch_type & BRANCH_COUNTERS && !take_words(w, n))
		return false;
	return out->branches;
}

static bool take_regs(struct words *w, bool swap, uint64_t mask, uint64_t *abi,
		      const uint8_t **regs)
{
	if (!take(w, swap, abi))
		return false;
	if (!*abi)
		return true;
	*regs = take_words(w, (uint64_t)__builtin_popcountll(mask));
	return *regs;
}

static bool take_stack(struct words *w, bool swap, struct sample *out)
{
	uint64_t size;
	if (!take(w, swap, &size))
		return false;
	if (!size)
		return true;
	if (size % 8)
		return false;
	out->user_stack = take_words(w, size / 8);
	if (!out->user_stack || !take(w, swap, &out->user_stack_valid))
		return false;
	out->user_stack_size = size;
	out->user_stack_valid = MIN(out->user_stack_valid, size);
	return true;
}

static bool take_weight(struct words *w, bool swap, bool parts, struct sample *out)
{
	uint64_t v;
	if (!take(w, swap, &v))
		return false;
	out->weight = parts ? (uint32_t)v : v;
	if (parts) {
		out->ins_lat = (uint16_t)(v >> 32);
		out->p_stage_cyc = (uint16_t)(v >> 48);
	}
	return true;
}

static bool take_aux(struct words *w, bool swap, struct sample *out)
{
	if (!take(w, swap, &out->aux_size) || out->aux_size > (uint64_t)w->left * 8)
		return false;
	out->aux = take_words(w, (out->aux_size + 7) / 8);
	return out->aux;
}

/* The fields few recordings have. */
static bool take_rare(struct words *w, bool swap, const struct attr *a, struct sample *out)
{
	uint64_t t = a->sample_type;
	if (t & PERF_SAMPLE_BRANCH_STACK && !take_branches(w, swap, a->branch_sample_type, out))
		return false;
	if (t & PERF_SAMPLE_REGS_USER &&
	    !take_regs(w, swap, a->sample_regs_user, &out->user_abi, &out->user_regs))
		return false;
	if (t & PERF_SAMPLE_STACK_USER && !take_stack(w, swap, out))
		return false;
	if (t & PERF_SAMPLE_WEIGHT_TYPE &&
	    !take_weight(w, swap, t & PERF_SAMPLE_WEIGHT_STRUCT, out))
		return false;
	if (t & PERF_SAMPLE_DATA_SRC && !take(w, swap, &out->data_src))
		return false;
	if (t & PERF_SAMPLE_TRANSACTION && !take(w, swap, &out->transaction))
		return false;
	if (t & PERF_SAMPLE_REGS_INTR &&
	    !take_regs(w, swap, a->sample_regs_intr, &out->intr_abi, &out->intr_regs))
		return false;
	if (t & PERF_SAMPLE_PHYS_ADDR && !take(w, swap, &out->phys_addr))
		return false;
	if (t & PERF_SAMPLE_CGROUP && !take(w, swap, &out->cgroup))
		return false;
	if (t & PERF_SAMPLE_DATA_PAGE_SIZE && !take(w, swap, &out->data_page_size))
		return false;
	if (t & PERF_SAMPLE_CODE_PAGE_SIZE && !take(w, swap, &out->code_page_size))
		return false;
	return !(t & PERF_SAMPLE_AUX) || take_aux(w, swap, out);
}

#define RARE_FIELDS                                                                  \
	(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | \
	 PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |  \
	 PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |        \
	 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_AUX)

static ALWAYS_INLINE bool take_who(struct words *w, bool swap, const struct attr *a,
				   struct sample *out)
{
	uint64_t t = a->sample_type;
	uint32_t reserved;
	if (t & PERF_SAMPLE_IDENTIFIER && !take(w, swap, &out->who.id))
		return false;
	if (t & PERF_SAMPLE_IP && !take(w, swap, &out->ip))
		return false;
	if (t & PERF_SAMPLE_TID) {
		uint32_t pid, tid;
		if (!take_pair(w, swap, &pid, &tid))
			return false;
		out->who.pid = (int32_t)pid;
		out->who.tid = (int32_t)tid;
	}
	if (t & PERF_SAMPLE_TIME && !take(w, swap, &out->who.time))
		return false;
	if (t & PERF_SAMPLE_ADDR && !take(w, swap, &out->addr))
		return false;
	if (t & PERF_SAMPLE_ID && !take(w, swap, &out->who.id))
		return false;
	if (t & PERF_SAMPLE_STREAM_ID && !take(w, swap, &out->who.stream_id))
		return false;
	if (t & PERF_SAMPLE_CPU && !take_pair(w, swap, &out->who.cpu, &reserved))
		return false;
	return !(t & PERF_SAMPLE_PERIOD) || take(w, swap, &out->period);
}

static ALWAYS_INLINE bool decode(const struct record *r, const struct attr *a, bool swap,
				 struct sample_scratch *s, struct sample *out)
{
	uint64_t t = a->sample_type;
	struct words w = {r->body, r->body_size / 8};
	if (UNLIKELY(!take_who(&w, swap, a, out)))
		return false;
	if (t & PERF_SAMPLE_READ && !take_read(&w, swap, a->read_format, out))
		return false;
	if (t & PERF_SAMPLE_CALLCHAIN && !take_chain(&w, swap, s, out))
		return false;
	if (t & PERF_SAMPLE_RAW && !take_raw(&w, swap, out))
		return false;
	return !(t & RARE_FIELDS) || take_rare(&w, swap, a, out);
}

static const struct sample_id nobody = {.pid = -1, .tid = -1, .cpu = UINT32_MAX};

bool record_sample(const struct record *r, const struct attr *a, struct sample_scratch *s,
		   struct sample *out)
{
	*out = (struct sample){
		.who = nobody,
		.period = a->sample_period,
		.misc = r->misc,
		.cpumode = r->misc & MISC_CPUMODE_MASK,
	};
	return r->swap ? decode(r, a, true, s, out) : decode(r, a, false, s, out);
}

bool record_trailer(const struct record *r, const struct attr *a, struct sample_id *out)
{
	*out = nobody;
	uint64_t t = a->sample_type;
	if (!(a->flags & ATTR_SAMPLE_ID_ALL) || r->type >= RECORD_HEADER_ATTR)
		return true;
	size_t n = (size_t)__builtin_popcountll(t & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						     PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
						     PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER));
	if (r->body_size < n * 8)
		return false;
	struct cursor c = cursor_of(r->body + r->body_size - n * 8, n * 8, r->swap);
	if (t & PERF_SAMPLE_TID) {
		out->pid = (int32_t)cursor_u32(&c);
		out->tid = (int32_t)cursor_u32(&c);
	}
	if (t & PERF_SAMPLE_TIME)
		out->time = cursor_u64(&c);
	if (t & PERF_SAMPLE_ID)
		out->id = cursor_u64(&c);
	if (t & PERF_SAMPLE_STREAM_ID)
		out->stream_id = cursor_u64(&c);
	if (t & PERF_SAMPLE_CPU) {
		out->cpu = cursor_u32(&c);
		cursor_skip(&c, 4);
	}
	if (t & PERF_SAMPLE_IDENTIFIER)
		out->id = cursor_u64(&c);
	return true;
}
