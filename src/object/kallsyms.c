/*
 * /proc/kallsyms: "ffffffff81000000 T _text\t[module]" per line. The kernel's part is sorted, the
 * modules' is not. perf takes text, weak and initialised or zeroed data (T W D B, either case);
 * other kinds do not even bound their neighbours. No symbol has a size: each reaches to the next
 * one, and so of several at one address the last in the file is the one with a size, and wins.
 */
#include <elf.h>
#include <stdlib.h>

#include "base/hash.h"
#include "object/kallsyms_line.h"
#include "object/object.h"
#include "object/sort.h"

#define PAGE 4096u
#define MODULES_MAX UINT16_MAX

struct parser {
	struct kallsyms *k;
	char *names; /* room for all that is still to come */
	struct index modules;
	uint16_t module; /* that of the line before: modules come in runs */
	uint64_t stext;
	bool any_address;
};

static uint16_t parser_module(struct parser *p, struct str name)
{
	struct kallsyms *k = p->k;
	if (str_eq(k->modules.v[p->module], name))
		return p->module;
	uint64_t hash = hash_str(name);
	if (!name.n)
		return p->module = 0;
	for (struct index_probe at = index_probe(&p->modules, hash); index_next(&p->modules, &at);)
		if (str_eq(k->modules.v[at.value], name))
			return p->module = (uint16_t)at.value;
	if (k->modules.n == MODULES_MAX)
		return 0;
	index_put(&p->modules, hash, (uint32_t)k->modules.n);
	p->module = (uint16_t)k->modules.n;
	vec_push(&k->modules, arena_str(&k->table.arena, name));
	return p->module;
}

static void parser_line(struct parser *p, const struct kallsyms_line *l)
{
	p->any_address |= l->address != 0;
	if (!kallsyms_line_counts(l))
		return;
	if (l->name.p[0] == '_') {
		if (!p->k->text && str_is(l->name, "_text"))
			p->k->text = l->address;
		else if (!p->stext && str_is(l->name, "_stext"))
			p->stext = l->address;
	}
	char *name = p->names;
	memcpy(name, l->name.p, l->name.n);
	name[l->name.n] = '\0';
	p->names += l->name.n + 1;

	char lower = l->kind | 0x20;
	uint8_t binding = lower == 'w' ? STB_WEAK : lower == l->kind ? STB_LOCAL : STB_GLOBAL;
	uint8_t type = lower == 't' || lower == 'w' ? STT_FUNC : STT_OBJECT;
	vec_push(&p->k->table.syms, (struct symbol){.start = l->address,
						    .end = l->address,
						    .name = name,
						    .binding = binding,
						    .type = type});
	vec_push(&p->k->module_of, parser_module(p, l->module));
}

/* Brings symbols and their modules in order of address; equal ones stay as they were. */
static void sort_by_address(struct kallsyms *k)
{
	size_t n = k->table.syms.n, i = 1;
	while (i < n && k->table.syms.v[i - 1].start <= k->table.syms.v[i].start)
		i++;
	if (i >= n)
		return;
	struct sort_key *keys = mem_calloc(n, sizeof *keys);
	for (i = 0; i < n; i++)
		keys[i] = (struct sort_key){k->table.syms.v[i].start, (uint32_t)i};
	sort_keys(keys, n);
	struct symbol *syms = mem_calloc(n, sizeof *syms);
	uint16_t *modules = mem_calloc(n, sizeof *modules);
	for (i = 0; i < n; i++) {
		syms[i] = k->table.syms.v[keys[i].index];
		modules[i] = k->module_of.v[keys[i].index];
	}
	memcpy(k->table.syms.v, syms, n * sizeof *syms);
	memcpy(k->module_of.v, modules, n * sizeof *modules);
	free(modules);
	free(syms);
	free(keys);
}

/* Ends, and one symbol per address. Between the kernel and a module lies a gap: the last symbol
 * before it ends with its page, or the next one. */
static void tidy(struct kallsyms *k)
{
	struct symbol *s = k->table.syms.v;
	uint16_t *module = k->module_of.v;
	size_t n = k->table.syms.n, kept = 0;
	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && s[i + 1].start == s[i].start)
			continue;
		bool gap = i + 1 < n && !module[i] != !module[i + 1];
		s[kept] = s[i];
		module[kept] = module[i];
		if (i + 1 < n && !gap)
			s[kept].end = s[i + 1].start;
		else if (s[i].start > UINT64_MAX - 2 * PAGE)
			s[kept].end = UINT64_MAX;
		else
			s[kept].end = round_up(s[i].start, PAGE) + PAGE;
		kept++;
	}
	k->table.syms.n = k->module_of.n = kept;
}

bool kallsyms_parse(struct kallsyms *k, struct str text, struct err *err)
{
	*k = (struct kallsyms){0};
	struct parser p = {.k = k, .names = arena_alloc(&k->table.arena, text.n + 1)};
	vec_push(&k->modules, STR(""));
	vec_reserve(&k->table.syms, text.n / 40);
	vec_reserve(&k->module_of, text.n / 40);

	struct str line;
	struct kallsyms_line l;
	uint64_t lines = 0;
	while (str_line(&text, &line)) {
		if (!kallsyms_line_parse(line, &l))
			continue;
		lines++;
		if (k->table.syms.n < UINT32_MAX)
			parser_line(&p, &l);
	}
	index_free(&p.modules);
	if (!k->text)
		k->text = p.stext;
	k->hidden = lines && !p.any_address;
	if (!lines) {
		kallsyms_free(k);
		return err_set(err, ERR_INPUT, "no line of the kernel's symbol list makes sense");
	}
	sort_by_address(k);
	tidy(k);
	return true;
}

void kallsyms_free(struct kallsyms *k)
{
	symtab_free(&k->table);
	vec_free(&k->modules);
	vec_free(&k->module_of);
	*k = (struct kallsyms){0};
}
