#include "session/objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

void objects_init(struct objects *o)
{
	*o = (struct objects){0};
	(void)strtab_intern(&o->strings, STR(""));
	vec_push(&o->list, (struct session_object){.kind = OBJECT_OTHER});
}

void objects_free(struct objects *o)
{
	strtab_free(&o->strings);
	vec_free(&o->list);
	index_free(&o->index);
}

/* Two files that had one path at different times (a rebuilt binary) are two objects: the build id
 * tells, or else the inode. */
static object_id objects_put(struct objects *o, const struct session_object *want,
			     uint64_t identity)
{
	uint64_t h = hash_mix(hash_mix(want->path.v, identity),
			      hash_bytes(want->build_id.bytes, BUILD_ID_MAX, want->kind));
	for (struct index_probe p = index_probe(&o->index, h); index_next(&o->index, &p);) {
		const struct session_object *have = &o->list.v[p.value];
		if (have->path.v == want->path.v && have->kind == want->kind &&
		    have->identity == identity && have->start == want->start &&
		    !memcmp(&have->build_id, &want->build_id, sizeof have->build_id))
			return (object_id){p.value};
	}
	uint32_t id = (uint32_t)o->list.n;
	vec_push(&o->list, *want);
	o->list.v[id].identity = identity;
	index_put(&o->index, h, id);
	return (object_id){id};
}

/* Anonymous memory, as the kernel names it in mmap records. */
static bool is_anon(const struct rec_mmap *m)
{
	return str_is(m->path, "//anon") || str_starts(m->path, "/dev/zero") ||
	       str_starts(m->path, "/anon_hugepage") || (m->flags & MAP_HUGETLB);
}

/* Memory that no file stands behind though it has a name. */
static bool is_special(const struct rec_mmap *m)
{
	return str_starts(m->path, "[stack") || str_starts(m->path, "/SYSV") ||
	       str_is(m->path, "[heap]");
}

static object_id put_anon(struct objects *o, const struct rec_mmap *m)
{
	struct session_object want = {.kind = OBJECT_OTHER};
	char path[64], name[64];
	if (m->prot & PROT_EXEC) {
		/* JIT code. The map file is named by pid; so is what people see. */
		want.kind = OBJECT_ANON;
		want.pid = m->pid;
		snprintf(path, sizeof path, "/tmp/perf-%d.map", m->pid);
		snprintf(name, sizeof name, "[JIT] tid %d", m->pid);
		want.path = strtab_intern(&o->strings, str_of(path));
		want.name = strtab_intern(&o->strings, str_of(name));
	} else {
		want.path = strtab_intern(&o->strings, m->path);
		want.name = strtab_intern(&o->strings, str_basename(m->path));
	}
	return objects_put(o, &want, 0);
}

object_id objects_jit(struct objects *o, int32_t pid, struct str path, uint64_t which)
{
	char name[64];
	snprintf(name, sizeof name, "[JIT] tid %d", pid);
	struct session_object want = {.kind = OBJECT_ANON,
				      .pid = pid,
				      .path = strtab_intern(&o->strings, path),
				      .name = strtab_intern(&o->strings, str_of(name))};
	return objects_put(o, &want, hash_mix(which, 1));
}

object_id objects_user(struct objects *o, const struct rec_mmap *m, bool *absolute)
{
	*absolute = is_anon(m) || is_special(m);
	if (*absolute)
		return put_anon(o, m);
	struct session_object want = {.pid = m->pid, .build_id = m->build_id};
	want.path = strtab_intern(&o->strings, m->path);
	if (str_is(m->path, "[vdso]")) {
		want.kind = OBJECT_VDSO;
		want.name = want.path;
		want.pid = 0;
		return objects_put(o, &want, 0);
	}
	want.kind = m->path.n && m->path.p[0] == '[' ? OBJECT_OTHER : OBJECT_FILE;
	want.name = strtab_intern(&o->strings, str_basename(m->path));
	uint64_t inode = m->build_id.size ? 0
					  : hash_mix(m->inode, (uint64_t)m->major << 32 | m->minor);
	return objects_put(o, &want, inode);
}

/* "foo" of ".../foo.ko", ".../foo.ko.xz" or "[foo]"; a '-' in a file name is a '_' in the kernel.
 */
static string_id module_name(struct objects *o, struct str path)
{
	struct str base = str_basename(path);
	if (base.n && base.p[0] == '[')
		return strtab_intern(&o->strings, base);
	char name[128];
	size_t n = 0;
	name[n++] = '[';
	for (size_t i = 0; i < base.n && n < sizeof name - 2; i++) {
		if (base.p[i] == '.')
			break;
		name[n++] = base.p[i] == '-' ? '_' : base.p[i];
	}
	name[n++] = ']';
	return strtab_intern(&o->strings, str_make(name, n));
}

object_id objects_kernel(struct objects *o, const struct rec_mmap *m, bool *text)
{
	struct session_object want = {.build_id = m->build_id,
				      .start = m->addr,
				      .end = m->addr + m->len < m->addr ? UINT64_MAX
									: m->addr + m->len};
	/* "[kernel.kallsyms]_text", "[kernel.kallsyms]_stext": the kernel and its reference symbol.
	 */
	*text = str_starts(m->path, "[kernel.kallsyms]") || str_starts(m->path, "[kernel.vmlinux]");
	if (*text) {
		want.kind = OBJECT_KERNEL;
		want.path = strtab_intern(&o->strings, STR("[kernel.kallsyms]"));
		want.name = want.path;
	} else {
		want.kind = OBJECT_MODULE;
		want.path = strtab_intern(&o->strings, m->path);
		want.name = module_name(o, m->path);
	}
	return objects_put(o, &want, 0);
}

object_id objects_bpf(struct objects *o, const struct rec_ksymbol *k)
{
	struct session_object want = {
		.kind = OBJECT_BPF, .start = k->addr, .end = k->addr + k->len};
	want.path = strtab_intern(&o->strings, k->name);
	want.name = want.path;
	return objects_put(o, &want, 0);
}

/* Objects without build id, by path. */
struct nameless {
	struct u64map first; /* path -> the first one; 0: none left */
	uint32_t *next;      /* the next one of the same path; 0: none */
};

static void nameless_find(struct nameless *l, const struct objects *o)
{
	l->next = mem_calloc(o->list.n, sizeof *l->next);
	for (size_t i = o->list.n - 1; i > 0; i--) {
		const struct session_object *have = &o->list.v[i];
		if (have->build_id.size)
			continue;
		const uint32_t *first = u64map_get(&l->first, have->path.v);
		l->next[i] = first ? *first : 0;
		u64map_put(&l->first, have->path.v, (uint32_t)i);
	}
}

static string_id path_of_id(const struct objects *o, const struct rec_build_id *id)
{
	bool kernel = str_starts(id->path, "[kernel.kallsyms]");
	return strtab_find(&o->strings, kernel ? STR("[kernel.kallsyms]") : id->path);
}

/* Recordings of several containers have several files, and ids, of one path. They come in the same
 * order. A lone id is for all: then the inodes differ because the file was moved or copied. */
void objects_take_build_ids(struct objects *o, const struct rec_build_id *ids, size_t n)
{
	struct nameless left = {0};
	struct u64map lone = {0}; /* path -> number + 1 of its only id; 0: it has several */
	nameless_find(&left, o);
	for (size_t i = 0; i < n; i++) {
		string_id path = path_of_id(o, &ids[i]);
		const uint32_t *known = u64map_get(&lone, path.v);
		if (!path.v ||
		    (known && *known && build_id_eq(&ids[*known - 1].build_id, &ids[i].build_id)))
			continue;
		u64map_put(&lone, path.v, known ? 0 : (uint32_t)i + 1);
		uint32_t *first = u64map_get(&left.first, path.v);
		if (first && *first) {
			o->list.v[*first].build_id = ids[i].build_id;
			*first = left.next[*first];
		}
	}
	for (size_t i = 1; i < o->list.n; i++) {
		struct session_object *have = &o->list.v[i];
		const uint32_t *id = u64map_get(&lone, have->path.v);
		if (!have->build_id.size && id && *id)
			have->build_id = ids[*id - 1].build_id;
	}
	free(left.next);
	u64map_free(&left.first);
	u64map_free(&lone);
}
