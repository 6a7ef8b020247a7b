#include "resolve/vdso.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

/* Where our own vdso lies, as /proc/self/maps says. */
bool vdso_image(struct str *image)
{
	struct str maps, line;
	if (!file_read("/proc/self/maps", 16 << 20, &maps, NULL))
		return false;
	bool found = false;
	for (struct str rest = maps; !found && str_line(&rest, &line);) {
		if (!str_ends(line, "[vdso]"))
			continue;
		struct str tail, end_tail;
		struct str start_text = str_split(line, '-', &tail);
		struct str end_text = str_split(tail, ' ', &end_tail);
		uint64_t start, end;
		found = str_to_u64(start_text, 16, &start) && str_to_u64(end_text, 16, &end) &&
			start < end;
		if (found)
			*image = str_make((const char *)(uintptr_t)start, end - start);
	}
	free((void *)maps.p);
	return found;
}

bool vdso_load(struct symtab *t, const struct build_id *recorded)
{
	struct str image;
	if (!vdso_image(&image) || !symtab_load_image(t, image.p, image.n, NULL))
		return false;
	return !recorded->size || !t->build_id.size || build_id_eq(recorded, &t->build_id);
}
