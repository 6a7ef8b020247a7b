#include "resolve/embedded.h"

#include <stdlib.h>

#include "object/symtab_build.h"

/* Files that one path led to during a recording; a lying file cannot make a search longer. */
#define SAME_PATH_MAX 64

void embedded_tables_free(struct embedded_tables *t)
{
	for (size_t i = 0; i < t->v.n; i++) {
		vec_free(&t->v.v[i]->found);
		symtab_free(&t->v.v[i]->table);
		free(t->v.v[i]);
	}
	vec_free(&t->v);
	index_free(&t->by_path);
}

static bool same_key(const struct embedded_key *a, const struct embedded_key *b)
{
	return a->kind == b->kind && a->pid == b->pid && str_eq(a->path, b->path) &&
	       !memcmp(&a->build_id, &b->build_id, sizeof a->build_id);
}

static uint64_t hash_key(enum object_kind kind, struct str path)
{
	return hash_mix(hash_str(path), kind);
}

struct embedded_table *embedded_tables_put(struct embedded_tables *t,
					   const struct embedded_key *key)
{
	/* All records of one object follow each other; and lies cannot make this slow. */
	if (t->v.n && same_key(&vec_last(&t->v)->key, key))
		return vec_last(&t->v);
	struct embedded_table *new = mem_zalloc(sizeof *new);
	new->key = *key;
	vec_push(&t->v, new);
	index_put(&t->by_path, hash_key(key->kind, key->path), (uint32_t)t->v.n);
	return new;
}

static void seal(struct embedded_table *e)
{
	struct symtab_build b = {.mangled = e->key.kind == OBJECT_FILE};
	for (size_t i = 0; i < e->found.n; i++) {
		const struct symbol *s = &e->found.v[i];
		symtab_build_insert(&b, s->start, s->end - s->start, s->name, s->binding, s->type);
	}
	symtab_build_pass(&b, true);
	symtab_build_finish(&b, &e->table, (struct symtab_wanted){0});
	symtab_build_free(&b);
	vec_free(&e->found);
	e->table.build_id = e->key.build_id;
	e->table.mangled = e->key.kind == OBJECT_FILE;
}

void embedded_tables_seal(struct embedded_tables *t)
{
	for (size_t i = 0; i < t->v.n; i++)
		if (t->v.v[i]->found.n)
			seal(t->v.v[i]);
}

const struct embedded_table *embedded_tables_find(const struct embedded_tables *t,
						  const struct session_object *o, struct str path)
{
	uint64_t h = hash_key(o->kind, path);
	unsigned tries = 0;
	for (struct index_probe p = index_probe(&t->by_path, h);
	     tries < SAME_PATH_MAX && index_next(&t->by_path, &p); tries++) {
		const struct embedded_table *e = t->v.v[p.value - 1];
		if (e->key.kind != o->kind || !str_eq(e->key.path, path))
			continue;
		if (o->build_id.size && e->key.build_id.size &&
		    !build_id_eq(&o->build_id, &e->key.build_id))
			continue;
		return e;
	}
	return NULL;
}

const struct symtab *embedded_tables_kernel(const struct embedded_tables *t)
{
	for (size_t i = 0; i < t->v.n; i++)
		if (t->v.v[i]->key.kind == OBJECT_KERNEL)
			return &t->v.v[i]->table;
	return NULL;
}
