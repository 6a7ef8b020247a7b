/* As perf does, and only under its name: the files of a recording are kept by their build ids. */
#include <limits.h>

#include "cli/cli.h"
#include "cli/record_options.h"
#include "cli/recorded.h"
#include "object/id_cache.h"
#include "object/object.h"

/* The file may have been replaced meanwhile: then it is not the one that ran. */
static void keep(const char *dir, const struct recorded_object *object)
{
	struct build_id now;
	bool added;
	if (object->path.p[0] != '/' || !object_build_id(object->path.p, &now, NULL) ||
	    (object->id.size && !build_id_eq(&now, &object->id)))
		return;
	(void)!id_cache_add(dir, &now, object->path.p, object->path.p, &added, NULL);
}

void record_fill_cache(const char *output, bool all)
{
	char dir[PATH_MAX];
	struct recorded r;
	struct diags ignored = {0};
	if (!cli_build_id_dir(dir, sizeof dir) ||
	    !recorded_read(&r, output, all ? RECORDED_MAPPED : RECORDED_HITS, &ignored, NULL))
		return;
	for (size_t i = 0; i < r.objects.n; i++)
		keep(dir, &r.objects.v[i]);
	recorded_free(&r);
}
