#include "cli/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "base/file.h"

#define MAX_BYTES (64u << 20)

void module_files_read(struct module_files *m)
{
	struct utsname kernel;
	char path[sizeof m->dir + 16];
	*m = (struct module_files){0};
	if (uname(&kernel) != 0)
		return;
	snprintf(m->dir, sizeof m->dir, "/lib/modules/%s", kernel.release);
	snprintf(path, sizeof path, "%s/modules.dep", m->dir);
	if (!file_read(path, MAX_BYTES, &m->list, NULL))
		m->list = (struct str){0};
}

void module_files_free(struct module_files *m)
{
	free((void *)m->list.p);
}

/* File names may have '-' where modules have '_'. */
static bool is_file_of(struct str file, struct str name)
{
	if (file.n <= name.n || file.p[name.n] != '.')
		return false;
	for (size_t i = 0; i < name.n; i++)
		if ((file.p[i] == '-' ? '_' : file.p[i]) != name.p[i])
			return false;
	return true;
}

void module_path(const struct module_files *m, struct str name, char *buf, size_t size)
{
	struct str rest = m->list, line;
	while (rest.n && str_line(&rest, &line)) {
		struct str uses, path = str_split(line, ':', &uses);
		if (is_file_of(str_basename(path), name)) {
			snprintf(buf, size, "%s/%.*s", m->dir, (int)path.n, path.p);
			return;
		}
	}
	snprintf(buf, size, "[%.*s]", (int)name.n, name.p);
}
