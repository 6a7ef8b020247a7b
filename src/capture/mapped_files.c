#include "capture/mapped_files.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "base/out.h"
#include "object/object.h"
#include "perfdata/writer.h"

void mapped_files_free(struct mapped_files *f)
{
	strtab_free(&f->paths);
	vec_free(&f->v);
	u64map_free(&f->by_path);
	u64map_free(&f->by_inode);
}

static uint32_t intern(struct mapped_files *f, struct str path)
{
	string_id id = strtab_intern(&f->paths, path);
	uint32_t *at = u64map_get(&f->by_path, id.v);
	if (at)
		return *at;
	uint32_t new = (uint32_t)f->v.n;
	vec_push(&f->v, (struct mapped_file){.path = id});
	u64map_put(&f->by_path, id.v, new);
	return new;
}

/* "//anon", "[vdso]", "/memfd:x", "/dev/zero": not files with a build id. */
static bool is_file(struct str path)
{
	return str_starts(path, "/") && !str_starts(path, "//") && !str_starts(path, "/dev/") &&
	       !str_starts(path, "/memfd:") && !str_starts(path, "/SYSV");
}

void mapped_files_note(struct mapped_files *f, struct str path, const struct build_id *id,
		       bool kernel)
{
	if (!kernel && !is_file(path))
		return;
	pthread_mutex_lock(&f->lock);
	uint32_t at = intern(f, path);
	struct mapped_file *m = &f->v.v[at];
	m->kernel = kernel;
	if (!m->build_id.size)
		m->build_id = *id;
	pthread_mutex_unlock(&f->lock);
}

struct build_id mapped_files_build_id(struct mapped_files *f, struct str path, uint64_t device,
				      uint64_t inode, const char *(*open_path)(void *ctx),
				      void *ctx)
{
	if (!is_file(path) || !inode)
		return (struct build_id){0};
	pthread_mutex_lock(&f->lock);
	uint64_t key = hash_mix(device, inode);
	uint32_t *known = u64map_get(&f->by_inode, key);
	uint32_t at = known ? *known : intern(f, path);
	if (!known)
		u64map_put(&f->by_inode, key, at);
	struct mapped_file *m = &f->v.v[at];
	if (!m->looked && !m->build_id.size)
		(void)!object_build_id(open_path(ctx), &m->build_id, NULL);
	m->looked = true;
	struct build_id id = m->build_id;
	pthread_mutex_unlock(&f->lock);
	return id;
}

void mapped_files_feature(struct mapped_files *f, struct out *o)
{
	VEC(struct rec_build_id) ids = {0};
	VEC(uint16_t) misc = {0};
	for (size_t i = 0; i < f->v.n; i++) {
		struct mapped_file *m = &f->v.v[i];
		struct str path = strtab_get(&f->paths, m->path);
		if (!m->build_id.size && !m->looked && !m->kernel)
			(void)!object_build_id(path.p, &m->build_id, NULL);
		if (!m->build_id.size)
			continue;
		vec_push(&ids,
			 (struct rec_build_id){.pid = -1, .build_id = m->build_id, .path = path});
		vec_push(&misc, m->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	}
	feature_build_ids(o, ids.v, misc.v, ids.n);
	vec_free(&ids);
	vec_free(&misc);
}
