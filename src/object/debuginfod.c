#include "object/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

#define LIBRARY "libdebuginfod.so.1"

/* The few functions that are used; the library's header need not be there. */
struct debuginfod_client;
typedef int progress_fn(struct debuginfod_client *c, long done, long total);

struct debuginfod {
	struct debuginfod_options opt;
	void *library;
	struct debuginfod_client *client;
	struct timespec deadline;
	const char *object;
	bool shown;

	struct debuginfod_client *(*begin)(void);
	void (*end)(struct debuginfod_client *c);
	int (*find)(struct debuginfod_client *c, const unsigned char *id, int size, char **path);
	void (*set_progress)(struct debuginfod_client *c, progress_fn *fn);
	void (*set_user_data)(struct debuginfod_client *c, void *data);
};

static bool in_time(const struct debuginfod *d)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec < d->deadline.tv_sec;
}

/* Anything but 0 ends the transfer. */
static int on_progress(struct debuginfod_client *c, long done, long total)
{
	/* The callback gets nothing but the client, and the function that leads from there to us
	 * is in the library, which is open. */
	void *(*get)(struct debuginfod_client *) = NULL;
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD);
	if (!library)
		return 0;
	*(void **)&get = dlsym(library, "debuginfod_get_user_data");
	dlclose(library);
	struct debuginfod *d = get ? get(c) : NULL;
	if (!d)
		return 0;
	if (d->opt.progress) {
		d->shown = true;
		d->opt.progress(d->opt.ctx, d->object, done > 0 ? (uint64_t)done : 0,
				total > 0 ? (uint64_t)total : 0);
	}
	return !in_time(d);
}

static bool find_functions(struct debuginfod *d)
{
	const struct {
		const char *name;
		void **to;
	} functions[] = {{"debuginfod_begin", (void **)&d->begin},
			 {"debuginfod_end", (void **)&d->end},
			 {"debuginfod_find_debuginfo", (void **)&d->find},
			 {"debuginfod_set_progressfn", (void **)&d->set_progress},
			 {"debuginfod_set_user_data", (void **)&d->set_user_data}};
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		*functions[i].to = dlsym(d->library, functions[i].name);
		if (!*functions[i].to)
			return false;
	}
	return true;
}

struct debuginfod *debuginfod_open(const struct debuginfod_options *opt, struct err *err)
{
	struct debuginfod *d = mem_zalloc(sizeof *d);
	d->opt = *opt;
	/* It leaves threads' keys and tables of its own behind: never unload it. */
	d->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (d->library && find_functions(d))
		d->client = d->begin();
	if (!d->client) {
		err_set(err, ERR_UNSUPPORTED,
			"nothing can be downloaded: " LIBRARY " is not there or too old");
		err_hint(err, "install libdebuginfod1 (or elfutils-debuginfod-client)");
		debuginfod_close(d);
		return NULL;
	}
	clock_gettime(CLOCK_MONOTONIC, &d->deadline);
	d->deadline.tv_sec += opt->seconds;
	d->set_user_data(d->client, d);
	d->set_progress(d->client, on_progress);
	return d;
}

void debuginfod_close(struct debuginfod *d)
{
	if (!d)
		return;
	if (d->client)
		d->end(d->client);
	if (d->library)
		dlclose(d->library);
	free(d);
}

bool debuginfod_fetch(struct debuginfod *d, const struct build_id *id, const char *object,
		      char *path, size_t size, struct err *err)
{
	char *found = NULL;
	if (!in_time(d))
		return err_set(err, ERR_SYSTEM, "%s: no time left to download it", object);
	d->object = object;
	d->shown = false;
	int fd = d->find(d->client, id->bytes, id->size, &found);
	if (d->shown && d->opt.end)
		d->opt.end(d->opt.ctx);
	if (fd < 0)
		return in_time(d) ? err_sys(err, -fd, "%s: no server has its debug information",
					    object)
				  : err_set(err, ERR_SYSTEM, "%s: it did not come in time", object);
	close(fd);
	bool ok = found && snprintf(path, size, "%s", found) < (int)size;
	free(found);
	return ok || err_set(err, ERR_SYSTEM, "%s: the path in the cache is too long", object);
}
