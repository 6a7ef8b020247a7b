#include "object/cfi_pool.h"

#define EXPRESSION_MAX 1024

void cfi_pool_init(struct cfi_pool *p, const struct arch *arch)
{
	*p = (struct cfi_pool){.arch = arch};
	vec_push(&p->rules, (struct cfi_rule){.cfa = CFI_NONE});
	vec_push(&p->lists, (struct cfi_list){0});
}

void cfi_pool_free(struct cfi_pool *p)
{
	vec_free(&p->rules);
	vec_free(&p->lists);
	vec_free(&p->saves);
	vec_free(&p->exprs);
	index_free(&p->rule_index);
	index_free(&p->list_index);
	index_free(&p->expr_index);
}

static bool same_save(const struct cfi_save *a, const struct cfi_save *b)
{
	return load64(a) == load64(b);
}

static uint64_t hash_save(const struct cfi_save *s)
{
	return s->how ? hash_mix(load64(s), 1) : 0;
}

void cfi_state_set(struct cfi_state *s, struct cfi_save save)
{
	struct cfi_save *have = &s->saves[save.reg];
	save.unused = 0;
	s->saves_hash ^= hash_save(have) ^ hash_save(&save);
	*have = save;
	s->list = CFI_NO_LIST;
	uint32_t bit = (uint32_t)1 << save.reg;
	s->listed = save.how ? s->listed | bit : s->listed & ~bit;
}

/* --- lists ------------------------------------------------------------------------------------ */

/* The registers of a list in its order: return address, frame pointer, others. */
static size_t list_order(const struct arch *a, uint32_t listed, uint8_t *out)
{
	size_t n = 0;
	uint32_t first = (uint32_t)1 << a->dwarf.ra, second = (uint32_t)1 << a->dwarf.fp;
	if (listed & first)
		out[n++] = a->dwarf.ra;
	if (listed & second)
		out[n++] = a->dwarf.fp;
	for (uint32_t left = listed & ~(first | second); left; left &= left - 1)
		out[n++] = (uint8_t)__builtin_ctz(left);
	return n;
}

static bool same_list(const struct cfi_pool *p, const struct cfi_list *l, const struct cfi_state *s)
{
	if (l->hash != s->saves_hash || l->count != (uint32_t)__builtin_popcount(s->listed))
		return false;
	for (uint32_t i = 0; i < l->count; i++) {
		const struct cfi_save *have = &p->saves.v[l->first + i];
		if (!same_save(have, &s->saves[have->reg]))
			return false;
	}
	return true;
}

static uint32_t intern_list(struct cfi_pool *p, const struct cfi_state *s)
{
	uint64_t h = hash_mix(s->saves_hash, s->listed);
	if (!s->listed)
		return 0;
	for (struct index_probe at = index_probe(&p->list_index, h);
	     index_next(&p->list_index, &at);)
		if (same_list(p, &p->lists.v[at.value], s))
			return at.value;
	uint8_t order[CFI_REGS];
	size_t n = list_order(p->arch, s->listed, order);
	p->full |= p->saves.n + n > CFI_POOL_MAX;
	if (p->full)
		return CFI_NO_LIST;
	uint32_t id = (uint32_t)p->lists.n;
	vec_push(&p->lists, (struct cfi_list){s->saves_hash, (uint32_t)p->saves.n, (uint32_t)n});
	for (size_t i = 0; i < n; i++)
		vec_push(&p->saves, s->saves[order[i]]);
	index_put(&p->list_index, h, id);
	return id;
}

/* --- rules ------------------------------------------------------------------------------------ */

uint32_t cfi_pool_rule(struct cfi_pool *p, struct cfi_state *s)
{
	if (s->list == CFI_NO_LIST && !p->full)
		s->list = intern_list(p, s);
	if (p->full)
		return 0;
	const struct cfi_list *l = &p->lists.v[s->list];
	struct cfi_rule rule = {.cfa = s->cfa,
				.reg = s->reg,
				.flags = s->flags,
				.save_count = (uint8_t)l->count,
				.value = s->value,
				.first_save = l->first};
	uint64_t h = hash_mix(load64(&rule), rule.first_save + (uint64_t)1);
	for (struct index_probe at = index_probe(&p->rule_index, h);
	     index_next(&p->rule_index, &at);)
		if (!memcmp(&p->rules.v[at.value], &rule, sizeof rule))
			return at.value;
	p->full = p->rules.n >= CFI_POOL_MAX;
	if (p->full)
		return 0;
	vec_push(&p->rules, rule);
	index_put(&p->rule_index, h, (uint32_t)p->rules.n - 1);
	return (uint32_t)p->rules.n - 1;
}

/* --- expressions ------------------------------------------------------------------------------ */

bool cfi_pool_expression(struct cfi_pool *p, struct str bytes, int32_t *value)
{
	if (!bytes.n || bytes.n > EXPRESSION_MAX || p->full)
		return false;
	uint64_t h = hash_bytes(bytes.p, bytes.n, 0);
	for (struct index_probe at = index_probe(&p->expr_index, h);
	     index_next(&p->expr_index, &at);) {
		const uint8_t *have = p->exprs.v + (at.value - 1);
		if (load16(have) == bytes.n && !memcmp(have + 2, bytes.p, bytes.n)) {
			*value = (int32_t)(at.value - 1);
			return true;
		}
	}
	if (p->exprs.n + bytes.n + 2 > CFI_POOL_MAX)
		return false;
	*value = (int32_t)p->exprs.n;
	uint16_t length = (uint16_t)bytes.n;
	vec_append(&p->exprs, (const uint8_t *)&length, sizeof length);
	vec_append(&p->exprs, (const uint8_t *)bytes.p, bytes.n);
	index_put(&p->expr_index, h, (uint32_t)*value + 1);
	return true;
}
