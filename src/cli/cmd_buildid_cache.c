/* kiln buildid-cache: the cache of objects by build id, which perf and kiln share. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/recorded.h"
#include "object/id_cache.h"
#include "object/object.h"

static bool refuse_kcore(void *value, const char *text, bool negated, struct err *err);
static bool refuse_debuginfod(void *value, const char *text, bool negated, struct err *err);
static bool take_limit(void *value, const char *text, bool negated, struct err *err);

static struct {
	const char *add, *remove, *purge, *update, *missing;
	bool purge_all, list, force;
	uint64_t target;
	uint64_t limit; /* bytes; 0: none */
	int verbose;
	char dir[PATH_MAX];
} opts;

static const struct option options[] = {
	{OPT_STRING, 'a', "add", "FILES", "copy these into the cache", .value = &opts.add},
	{OPT_STRING, 'u', "update", "FILES", "the same, also when they are there",
	 .value = &opts.update},
	{OPT_STRING, 'r', "remove", "FILES", "remove these, as they are now",
	 .value = &opts.remove},
	{OPT_STRING, 'p', "purge", "FILES", "remove these, also as they were once",
	 .value = &opts.purge},
	{OPT_BOOL, 'P', "purge-all", NULL, "remove everything", .value = &opts.purge_all},
	{OPT_CALL, 0, "limit", "SIZE", "remove what was not used for longest, down to SIZE (500M)",
	 .call = take_limit},
	{OPT_BOOL, 'l', "list", NULL, "list what there is", .value = &opts.list},
	{OPT_STRING, 'M', "missing", "FILE", "list what a recording needs and the cache lacks",
	 .value = &opts.missing},
	{OPT_U64, 0, "target-ns", "PID", "files as this process sees them", .value = &opts.target},
	{OPT_BOOL, 'f', "force", NULL, "no complaint about who owns the file (none is made)",
	 .value = &opts.force},
	{OPT_COUNT, 'v', "verbose", NULL, "say what is done", .value = &opts.verbose},
	{OPT_CALL, 'k', "kcore", "FILE", "not done: the memory of the kernel", .call = refuse_kcore,
	 .hidden = true},
	{OPT_CALL, 0, "debuginfod", "URLS", "not done here: asking servers", .optional_arg = true,
	 .call = refuse_debuginfod, .hidden = true},
	{0},
};

static bool refuse_kcore(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	(void)text;
	(void)negated;
	err_set(err, ERR_UNSUPPORTED, "copies of kcore cannot be made");
	return err_hint(err, "kernel symbols travel with recordings of kiln; for others keep "
			     "/proc/kallsyms and read it with --kallsyms");
}

static bool refuse_debuginfod(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	(void)text;
	(void)negated;
	err_set(err, ERR_UNSUPPORTED, "buildid-cache does not ask debuginfod servers");
	return err_hint(err, "fetch with `debuginfod-find executable ID` and add the file");
}

static bool take_limit(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	static const char units[] = "KMGT";
	struct str number = str_of(text ? text : "");
	unsigned shift = 0;
	const char *unit = number.n ? strchr(units, number.p[number.n - 1]) : NULL;
	if (unit && *unit) {
		number.n--;
		shift = 10 * (unsigned)(unit - units + 1);
	}
	if (negated || !str_to_u64(number, 10, &opts.limit) || !opts.limit ||
	    opts.limit > UINT64_MAX >> shift)
		return err_set(err, ERR_USAGE, "--limit wants a size, as in 500M, not \"%s\"",
			       text ? text : "");
	opts.limit <<= shift;
	return true;
}

static void say(const char *what, struct str id, const char *file)
{
	if (opts.verbose)
		fprintf(stderr, "%s %.*s %s: Ok\n", what, (int)id.n, id.p, file);
}

/* --- files of the command line ---------------------------------------------------------------- */

/* Where to read a file, and the path it is known by. */
static bool find_file(struct str word, char *file, char *name, struct err *err)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%.*s", (int)word.n, word.p);
	if (opts.target) {
		snprintf(name, PATH_MAX, "%s", path);
		int n = snprintf(file, PATH_MAX, "/proc/%" PRIu64 "/root/%s", opts.target, path);
		return (n > 0 && n < PATH_MAX) || err_set(err, ERR_INPUT, "%s: too long", path);
	}
	/* What was removed from disk is known by its path all the same. */
	if (!realpath(path, name))
		snprintf(name, PATH_MAX, "%s", path);
	snprintf(file, PATH_MAX, "%s", name);
	return true;
}

static bool add_file(struct str word, bool update, struct err *err)
{
	char file[PATH_MAX], name[PATH_MAX], hex[2 * BUILD_ID_MAX + 1];
	struct build_id id;
	bool added;
	if (!find_file(word, file, name, err) || !object_build_id(file, &id, err))
		return false;
	build_id_hex(&id, hex);
	if (update && id_cache_has(opts.dir, &id) && !id_cache_remove(opts.dir, str_of(hex), err))
		return false;
	if (!id_cache_add(opts.dir, &id, name, file, &added, err))
		return false;
	if (added)
		say(update ? "Updating" : "Adding", str_of(hex), name);
	else if (opts.verbose)
		fprintf(stderr, "%s already in the cache\n", name);
	return true;
}

static bool remove_file(struct str word, struct err *err)
{
	char file[PATH_MAX], name[PATH_MAX], hex[2 * BUILD_ID_MAX + 1];
	struct build_id id;
	if (!find_file(word, file, name, err) || !object_build_id(file, &id, err))
		return false;
	build_id_hex(&id, hex);
	if (!id_cache_remove(opts.dir, str_of(hex), err))
		return false;
	say("Removing", str_of(hex), name);
	return true;
}

/* Every version of a file; all of them when there is no file. */
static bool purge(struct str word, struct err *err)
{
	char file[PATH_MAX], name[PATH_MAX] = "";
	if (word.p && !find_file(word, file, name, err))
		return false;
	struct id_cache_list l;
	id_cache_list(&l, opts.dir);
	bool ok = true;
	for (size_t i = 0; i < l.entries.n && ok; i++) {
		const struct id_cache_entry *e = &l.entries.v[i];
		if (word.p && !str_is(e->path, name))
			continue;
		ok = id_cache_remove(opts.dir, e->id, err);
		if (ok)
			say("Removing", e->id, e->path.p);
	}
	id_cache_list_free(&l);
	return ok;
}

/* --- the whole cache -------------------------------------------------------------------------- */

static int compare_use(const void *x, const void *y)
{
	const struct id_cache_entry *a = x, *b = y;
	if (a->used != b->used)
		return a->used < b->used ? -1 : 1;
	return str_cmp(a->id, b->id);
}

static bool keep_to_limit(struct err *err)
{
	struct id_cache_list l;
	id_cache_list(&l, opts.dir);
	uint64_t bytes = 0;
	for (size_t i = 0; i < l.entries.n; i++)
		bytes += l.entries.v[i].bytes;
	if (l.entries.n)
		qsort(l.entries.v, l.entries.n, sizeof *l.entries.v, compare_use);
	bool ok = true;
	for (size_t i = 0; i < l.entries.n && ok && bytes > opts.limit; i++) {
		ok = id_cache_remove(opts.dir, l.entries.v[i].id, err);
		bytes -= l.entries.v[i].bytes;
		if (ok)
			say("Removing", l.entries.v[i].id, l.entries.v[i].path.p);
	}
	id_cache_list_free(&l);
	return ok;
}

static void list_all(struct out *o)
{
	struct id_cache_list l;
	id_cache_list(&l, opts.dir);
	for (size_t i = 0; i < l.entries.n; i++)
		out_fmt(o, "%s %s\n", l.entries.v[i].id.p, l.entries.v[i].path.p);
	id_cache_list_free(&l);
}

static bool list_missing(struct out *o, struct diags *d, struct err *err)
{
	struct recorded r;
	if (!recorded_read(&r, opts.missing, RECORDED_LISTED, d, err))
		return false;
	for (size_t i = 0; i < r.objects.n; i++) {
		char hex[2 * BUILD_ID_MAX + 1] = "";
		build_id_hex(&r.objects.v[i].id, hex);
		if (!id_cache_has(opts.dir, &r.objects.v[i].id))
			out_fmt(o, "%-40s %s\n", hex, r.objects.v[i].path.p);
	}
	recorded_free(&r);
	return true;
}

/* --- all of it -------------------------------------------------------------------------------- */

enum action { ADD, REMOVE, PURGE, UPDATE };

/* One file that fails does not keep the others. */
static int each(const struct command *cmd, const char *list, enum action action)
{
	int code = EXIT_OK;
	struct str rest = str_of(list);
	while (rest.p) {
		struct err err = {0};
		struct str word = str_split(rest, ',', &rest);
		bool ok = !word.n            ? true
			  : action == REMOVE ? remove_file(word, &err)
			  : action == PURGE  ? purge(word, &err)
					     : add_file(word, action == UPDATE, &err);
		if (!ok)
			code = cli_fail(cmd, &err);
	}
	return code;
}

static bool print_all(struct out *o, struct diags *d, struct err *err)
{
	if (opts.purge_all && !purge((struct str){0}, err))
		return false;
	if (opts.limit && !keep_to_limit(err))
		return false;
	if (opts.list)
		list_all(o);
	return !opts.missing || list_missing(o, d, err);
}

static bool check(const struct parsed *args, struct err *err)
{
	bool any = opts.add || opts.remove || opts.purge || opts.update || opts.missing ||
		   opts.purge_all || opts.list || opts.limit;
	if (args->count || !any)
		return err_set(err, ERR_USAGE, "say what to do with the cache: -a, -r, -l …");
	if (opts.list && (opts.add || opts.remove || opts.purge || opts.update || opts.missing ||
			  opts.purge_all))
		return err_set(err, ERR_USAGE, "-l is exclusive. It should be used only once.");
	return cli_build_id_dir(opts.dir, sizeof opts.dir) ||
	       err_set(err, ERR_USAGE, "neither HOME nor PERF_BUILDID_DIR says where the cache is");
}

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err = {0};
	struct diags diags = {0};
	if (!check(args, &err))
		return cli_fail(cmd, &err);
	const char *const lists[] = {opts.add, opts.remove, opts.purge, opts.update};
	int code = EXIT_OK;
	for (enum action a = ADD; a <= UPDATE; a++)
		if (each(cmd, lists[a], a) != EXIT_OK)
			code = EXIT_FAILED;
	struct out o;
	out_fd(&o, STDOUT_FILENO);
	if (!print_all(&o, &diags, &err))
		code = cli_fail(cmd, &err);
	int trouble = cli_diags(cmd, &diags, false);
	return cli_finish_stdout(cmd, &o, code ? code : trouble);
}

const struct command cmd_buildid_cache = {
	.name = "buildid-cache",
	.summary = "Keep copies of binaries by build id, for later reports",
	.usage = "kiln buildid-cache OPTIONS",
	.describe =
		"The cache (~/.debug, PERF_BUILDID_DIR or kiln --buildid-dir DIR buildid-cache) is the one that\n"
		"perf uses. What is in it is found by its build id when the file itself was replaced or removed.",
	.examples =
		(const struct example[]){
			{"kiln buildid-cache -a ./server", "before it is compiled again"},
			{"kiln buildid-cache -M perf.data", "what will be missing elsewhere"},
			{"kiln buildid-cache --limit 1G", "not more than that"},
			{0},
		},
	.options = options,
	.run = run,
};
