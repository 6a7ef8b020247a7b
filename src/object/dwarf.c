#include "object/dwarf.h"

#include "object/dwarf_code.h"
#include "object/dwarf_index.h"
#include "object/dwarf_split.h"
#include "object/sort.h"

/* Longer inline chains are cut at their outer end. */
#define CHAIN_MAX 512

struct dwarf {
	struct dwarf_data main, alt;
	dwarf_split_fn *split;
	void *split_ctx;
	pthread_mutex_t split_lock; /* guards the list, and one question at a time */
	VEC(struct dwarf_data *) splits;

	pthread_mutex_t index_lock; /* while an index is made */
	struct dwarf_index index, silent;
	_Atomic bool have_index, have_silent;
};

struct str *dwarf_section_slot(struct dwarf_sections *s, struct str name)
{
	const struct {
		const char *name;
		struct str *slot;
	} slots[] = {
		{"info", &s->info},         {"types", &s->types},
		{"abbrev", &s->abbrev},     {"line", &s->line},
		{"str", &s->str},           {"line_str", &s->line_str},
		{"ranges", &s->ranges},     {"rnglists", &s->rnglists},
		{"addr", &s->addr},         {"str_offsets", &s->str_offsets},
		{"aranges", &s->aranges},   {"cu_index", &s->cu_index},
		{"tu_index", &s->tu_index},
	};
	if (str_starts(name, ".debug_"))
		name = str_skip(name, strlen(".debug_"));
	else if (str_starts(name, ".zdebug_"))
		name = str_skip(name, strlen(".zdebug_"));
	else
		return NULL;
	if (str_ends(name, ".dwo"))
		name.n -= strlen(".dwo");
	for (size_t i = 0; i < ARRAY_LEN(slots); i++)
		if (str_is(name, slots[i].name))
			return slots[i].slot;
	return NULL;
}

struct dwarf *dwarf_new(const struct dwarf_sections *s, dwarf_split_fn *split, void *ctx)
{
	struct dwarf *d = mem_zalloc(sizeof *d);
	dwarf_data_init(&d->main, s, s->alt ? &d->alt : NULL);
	dwarf_data_init(&d->alt, s->alt ? s->alt : &(struct dwarf_sections){0}, NULL);
	d->split = split;
	d->split_ctx = ctx;
	pthread_mutex_init(&d->split_lock, NULL);
	pthread_mutex_init(&d->index_lock, NULL);
	return d;
}

void dwarf_free(struct dwarf *d)
{
	if (!d)
		return;
	dwarf_index_free(&d->index);
	dwarf_index_free(&d->silent);
	for (size_t i = 0; i < d->splits.n; i++) {
		dwarf_data_free(d->splits.v[i]);
		free(d->splits.v[i]);
	}
	vec_free(&d->splits);
	dwarf_data_free(&d->main);
	dwarf_data_free(&d->alt);
	pthread_mutex_destroy(&d->split_lock);
	pthread_mutex_destroy(&d->index_lock);
	free(d);
}

/* The unit with the DIEs of a skeleton; the skeleton itself when there is no other: it may hold the
 * functions, too. Asked once per unit, by its code. */
static struct dwarf_unit *split_unit(void *ctx, struct dwarf_unit *u)
{
	struct dwarf *d = ctx;
	if (!d->split)
		return u;
	struct dwarf_split want = {u->signature, dwarf_unit_split_name(u), dwarf_unit_comp_dir(u)};
	struct dwarf_sections got = {0}, picked;
	struct dwarf_unit *found = NULL;
	pthread_mutex_lock(&d->split_lock);
	bool have = d->split(d->split_ctx, &want, &got);
	if (have && got.cu_index.n) {
		have = dwarf_package_pick(&got, want.id, &picked);
		got = picked;
	}
	if (have) {
		struct dwarf_data *data = mem_alloc(sizeof *data);
		dwarf_data_init(data, &got, d->main.alt);
		vec_push(&d->splits, data);
		found = dwarf_data_split_unit(data, u);
	}
	pthread_mutex_unlock(&d->split_lock);
	return found ? found : u;
}

static void need_index(struct dwarf *d, _Atomic bool *have, struct dwarf_index *ix,
		       void (*build)(struct dwarf_index *, struct dwarf_data *))
{
	if (atomic_load_explicit(have, memory_order_acquire))
		return;
	pthread_mutex_lock(&d->index_lock);
	if (!*have) {
		dwarf_data_scan(&d->main);
		build(ix, &d->main);
		atomic_store_explicit(have, true, memory_order_release);
	}
	pthread_mutex_unlock(&d->index_lock);
}

/* The units that may have the address, NULL and 0 when none does. Only where those that tell their
 * ranges do not are the others asked. */
static const uint32_t *units_at(struct dwarf *d, uint64_t addr, size_t hint[2], uint32_t *count)
{
	const struct dwarf_segment *s;
	need_index(d, &d->have_index, &d->index, dwarf_index_build);
	s = dwarf_index_find(&d->index, addr, &hint[0]);
	if (s) {
		*count = s->count;
		return &d->index.candidates.v[s->first];
	}
	need_index(d, &d->have_silent, &d->silent, dwarf_index_build_silent);
	s = dwarf_index_find(&d->silent, addr, &hint[1]);
	*count = s ? s->count : 0;
	return s ? &d->silent.candidates.v[s->first] : NULL;
}

static size_t frames_in(struct dwarf *d, uint32_t unit, uint64_t addr, struct dwarf_frame *out,
			size_t max, uint64_t *size)
{
	struct dwarf_code *code = dwarf_unit_code(&d->main.units.v[unit]);
	return dwarf_code_frames(code, addr, out, max, size, split_unit, d);
}

/* Where units overlap, the one whose function there is the smallest is right (what covers it are
 * mostly leavings of the linker); without a function, the first one that has a line. */
static size_t frames_best(struct dwarf *d, const uint32_t *units, uint32_t count, uint64_t addr,
			  struct dwarf_frame *out, size_t max)
{
	uint32_t best = 0;
	uint64_t size, best_size = UINT64_MAX;
	size_t found = 0;
	if (count == 1)
		return frames_in(d, units[0], addr, out, max, &size);
	for (uint32_t i = 0; i < count; i++) {
		struct dwarf_frame probe;
		size_t n = frames_in(d, units[i], addr, &probe, 1, &size);
		if (n && (!found || size < best_size)) {
			best = i;
			best_size = size;
			found = n;
		}
	}
	return found ? frames_in(d, units[best], addr, out, max, &size) : 0;
}

size_t dwarf_frames_at(struct dwarf *d, uint64_t addr, struct dwarf_frame *out, size_t max)
{
	uint32_t count;
	const uint32_t *units = units_at(d, addr, (size_t[2]){0}, &count);
	return max && count ? frames_best(d, units, count, addr, out, max) : 0;
}

struct str dwarf_file_path(const struct dwarf_file *f, struct arena *a)
{
	struct str parts[3] = {f->comp_dir, f->dir, f->name};
	size_t first = 2, n = 0;
	while (first && !str_starts(parts[first], "/"))
		first--;
	for (size_t i = first; i < 3; i++)
		n += parts[i].n + 1;
	char *text = arena_alloc(a, n + 1);
	n = 0;
	for (size_t i = first; i < 3; i++) {
		if (!parts[i].n)
			continue;
		if (n && text[n - 1] != '/')
			text[n++] = '/';
		memcpy(text + n, parts[i].p, parts[i].n);
		n += parts[i].n;
	}
	text[n] = 0;
	return str_make(text, n);
}

/* --- many addresses --------------------------------------------------------------------------- */

struct batch {
	struct dwarf *d;
	const uint64_t *addrs;
	struct dwarf_results *out;
	struct sort_key *order; /* key: unit; index: of addrs. By unit, then by address */
	VEC(size_t) groups;     /* where in order a unit begins; and its end */
};

static void batch_unit(void *ctx, size_t group, unsigned worker)
{
	struct batch *b = ctx;
	struct dwarf_frame frames[CHAIN_MAX];
	size_t hint[2] = {0};
	const struct sort_key *last = NULL;
	for (size_t i = b->groups.v[group]; i < b->groups.v[group + 1]; i++) {
		const struct sort_key *k = &b->order[i];
		struct dwarf_frames *at = &b->out->at[k->index];
		uint64_t addr = b->addrs[k->index];
		uint32_t count;
		if (last && b->addrs[last->index] == addr) {
			*at = b->out->at[last->index];
			continue;
		}
		last = k;
		const uint32_t *units = units_at(b->d, addr, hint, &count);
		size_t n = frames_best(b->d, units, count, addr, frames, CHAIN_MAX);
		struct dwarf_frame *kept = arena_alloc(&b->out->arenas[worker], n * sizeof *frames);
		memcpy(kept, frames, n * sizeof *frames);
		*at = (struct dwarf_frames){kept, n};
	}
}

/* Orders the addresses that have a unit by that, then by address. */
static void batch_group(struct batch *b, size_t n)
{
	size_t hint[2] = {0}, kept = 0;
	b->order = mem_calloc(n + 1, sizeof *b->order);
	for (size_t i = 0; i < n; i++)
		b->order[i] = (struct sort_key){b->addrs[i], (uint32_t)i};
	sort_keys(b->order, n);
	for (size_t i = 0; i < n; i++) {
		uint32_t count;
		const uint32_t *units = units_at(b->d, b->order[i].key, hint, &count);
		if (count)
			b->order[kept++] = (struct sort_key){units[0], b->order[i].index};
	}
	sort_keys(b->order, kept);
	for (size_t i = 0; i < kept; i++)
		if (!i || b->order[i].key != b->order[i - 1].key)
			vec_push(&b->groups, i);
	vec_push(&b->groups, kept);
}

void dwarf_lookup(struct dwarf *d, const uint64_t *addrs, size_t n, struct pool *pool,
		  struct dwarf_results *out)
{
	struct batch b = {.d = d, .addrs = addrs, .out = out};
	*out = (struct dwarf_results){.arena_count = pool ? pool_threads(pool) : 1};
	out->at = mem_calloc(n + 1, sizeof *out->at);
	out->arenas = mem_calloc(out->arena_count, sizeof *out->arenas);
	batch_group(&b, n);
	size_t groups = b.groups.n - 1;
	if (pool)
		pool_run(pool, groups, batch_unit, &b);
	else
		for (size_t i = 0; i < groups; i++)
			batch_unit(&b, i, 0);
	vec_free(&b.groups);
	free(b.order);
}

void dwarf_results_free(struct dwarf_results *r)
{
	for (unsigned i = 0; i < r->arena_count; i++)
		arena_free(&r->arenas[i]);
	free(r->arenas);
	free(r->at);
	*r = (struct dwarf_results){0};
}
