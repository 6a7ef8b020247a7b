#include "object/symtab_build.h"

#include <elf.h>

#include "object/demangle.h"
#include "object/overlap.h"

#define PAGE 4096u

/* Aliases are told apart by so much of their names. */
#define ALIAS_NAME_MAX 4096
/* A library with a hundred thousand aliases needs a tenth of this; a file made to keep us busy gets
 * a few seconds. */
#define DEMANGLE_BUDGET ((uint64_t)128 << 20)

void symtab_build_free(struct symtab_build *b)
{
	vec_free(&b->all);
	vec_free(&b->live);
	vec_free(&b->dropped);
}

void symtab_build_insert(struct symtab_build *b, uint64_t start, uint64_t size, const char *name,
			 uint8_t binding, uint8_t type)
{
	uint64_t end;
	if (b->all.n == UINT32_MAX - 1)
		return;
	if (__builtin_add_overflow(start, size, &end))
		end = UINT64_MAX;
	vec_push(&b->all, (struct symbol){.start = start,
					  .end = end,
					  .name = name,
					  .binding = binding,
					  .type = type});
}

/* --- two symbols at one address -------------------------------------------------------------- */

/* Names that demangle to texts of one length, as nearly all pairs do: the same symbol in .symtab
 * and .dynsym, or the two kinds of a constructor or destructor, which differ in one digit. */
static bool alike(const char *a, const char *b, bool mangled)
{
	size_t i = 0;
	while (i < ALIAS_NAME_MAX && a[i] && a[i] == b[i])
		i++;
	if (a[i] == b[i])
		return true;
	return mangled && i && (a[i - 1] == 'C' || a[i - 1] == 'D') && a[i] >= '0' && a[i] <= '5' &&
	       b[i] >= '0' && b[i] <= '5' && strncmp(a + i + 1, b + i + 1, ALIAS_NAME_MAX) == 0;
}

static bool starts_with_sys(struct str name)
{
	return str_starts(name, "SyS") || str_starts(name, "compat_SyS");
}

/* A symbol and, once it was needed, the shape of its name. */
struct rival {
	const struct symbol *symbol;
	struct name_shape shape;
	bool measured;
};

static const struct name_shape *rival_shape(struct rival *r, struct symtab_build *b)
{
	if (!r->measured) {
		struct str name = str_make(r->symbol->name,
					   strnlen(r->symbol->name, ALIAS_NAME_MAX));
		r->shape = name_shape(name, b->mangled && b->demangled < DEMANGLE_BUDGET);
		b->demangled += r->shape.work;
		r->measured = true;
	}
	return &r->shape;
}

/* Whether perf keeps x, the one inserted first. */
static bool rival_wins(struct rival *x, struct rival *y, struct symtab_build *build)
{
	const struct symbol *a = x->symbol, *b = y->symbol;
	bool a_sized = a->end > a->start, b_sized = b->end > b->start;
	if (a_sized != b_sized)
		return a_sized;
	if ((a->binding == STB_WEAK) != (b->binding == STB_WEAK))
		return b->binding == STB_WEAK;
	if ((a->binding == STB_GLOBAL) != (b->binding == STB_GLOBAL))
		return a->binding == STB_GLOBAL;
	if (alike(a->name, b->name, build->mangled))
		return true;

	const struct name_shape *sa = rival_shape(x, build), *sb = rival_shape(y, build);
	if (sa->underscores != sb->underscores)
		return sa->underscores < sb->underscores;
	if (sa->length != sb->length)
		return sa->length > sb->length;
	return !starts_with_sys(symbol_name(a));
}

bool symbol_preferred(const struct symbol *a, const struct symbol *b, bool mangled)
{
	struct symtab_build build = {.mangled = mangled};
	return rival_wins(&(struct rival){.symbol = a}, &(struct rival){.symbol = b}, &build);
}

/* --- passes ---------------------------------------------------------------------------------- */

static struct symbol *live_at(struct symtab_build *b, size_t i)
{
	return &b->all.v[b->live.v[i].index];
}

static void fill_in_ends(struct symtab_build *b)
{
	for (size_t i = 0; i + 1 < b->live.n; i++) {
		struct symbol *s = live_at(b, i);
		if (s->end == s->start)
			s->end = live_at(b, i + 1)->start;
	}
	struct symbol *last = live_at(b, b->live.n - 1);
	if (last->end == last->start)
		last->end = last->start > UINT64_MAX - 2 * PAGE
				    ? UINT64_MAX
				    : round_up(last->start, PAGE) + PAGE;
}

/* Each address's symbols fight in order of insertion, the winner against the next. */
static void drop_duplicates(struct symtab_build *b)
{
	size_t kept = 0;
	struct rival first = {.symbol = live_at(b, 0)};
	for (size_t i = 1; i < b->live.n; i++) {
		struct sort_key next = b->live.v[i];
		struct rival second = {.symbol = &b->all.v[next.index]};
		if (b->live.v[kept].key != next.key) {
			b->live.v[++kept] = next;
			first = second;
		} else if (rival_wins(&first, &second, b)) {
			vec_push(&b->dropped, next.index);
		} else {
			vec_push(&b->dropped, b->live.v[kept].index);
			b->live.v[kept] = next;
			first = second;
		}
	}
	b->live.n = kept + 1;
}

void symtab_build_pass(struct symtab_build *b, bool tidy)
{
	size_t from = b->passes ? b->pass[b->passes - 1].inserted : 0;
	vec_reserve(&b->live, b->all.n - from);
	for (size_t i = from; i < b->all.n; i++)
		vec_push(&b->live,
			 (struct sort_key){.key = b->all.v[i].start, .index = (uint32_t)i});
	if (b->all.n > from) {
		sort_keys(b->live.v, b->live.n);
		if (tidy) {
			fill_in_ends(b);
			drop_duplicates(b);
		}
	}
	b->pass[b->passes].inserted = b->all.n;
	b->pass[b->passes].dropped = b->dropped.n;
	b->passes++;
}

void symtab_build_finish(struct symtab_build *b, struct symtab *t, struct symtab_wanted wanted)
{
	vec_reserve(&t->syms, b->live.n);
	for (size_t i = 0; i < b->live.n; i++)
		vec_push(&t->syms, *live_at(b, i));
	overlap_patch(b, t, wanted);
}
