/* kiln kallsyms: where a function of the running kernel is. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/modules.h"
#include "object/object.h"

#define MAX_TEXT (256u << 20)

static struct {
	const char *file;
	int verbose;
} opts;

static const struct option options[] = {
	{OPT_STRING, 0, "kallsyms", "FILE", "kernel symbols from FILE (default /proc/kallsyms)",
	 .value = &opts.file},
	{OPT_COUNT, 'v', "verbose", NULL, "say more", .value = &opts.verbose},
	{0},
};

static void print_symbol(struct out *o, const struct kallsyms *k, size_t i,
			 const struct module_files *files)
{
	const struct symbol *s = &k->table.syms.v[i];
	struct str name = symbol_name(s), module = k->modules.v[k->module_of.v[i]];
	char path[4096] = "[kernel.kallsyms]", dso[256] = "[kernel]";
	if (module.n) {
		snprintf(dso, sizeof dso, "[%.*s]", (int)module.n, module.p);
		module_path(files, module, path, sizeof path);
	}
	out_fmt(o, "%.*s: %s %s %#" PRIx64 "-%#" PRIx64 " (%#" PRIx64 "-%#" PRIx64 ")\n",
		(int)name.n, name.p, dso, path, s->start, s->end, s->start, s->end);
}

static void look_up(struct out *o, const struct kallsyms *k, const char *word,
		    const struct module_files *files)
{
	for (size_t i = 0; i < k->table.syms.n; i++)
		if (str_is(symbol_name(&k->table.syms.v[i]), word)) {
			print_symbol(o, k, i, files);
			return;
		}
	out_fmt(o, "%s: not found\n", word);
}

static bool load(struct kallsyms *k, struct err *err)
{
	const char *path = opts.file ? opts.file : "/proc/kallsyms";
	struct str text;
	if (!file_read(path, MAX_TEXT, &text, err))
		return false;
	bool ok = kallsyms_parse(k, text, err);
	free((void *)text.p);
	if (ok && k->hidden) {
		kallsyms_free(k);
		err_set(err, ERR_PERMISSION, "the kernel does not tell its addresses in %s", path);
		return err_hint(err, "run as root, or `sysctl kernel.kptr_restrict=0`");
	}
	return ok;
}

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err = {0};
	struct kallsyms k;
	if (!args->count)
		err_set(&err, ERR_USAGE, "kallsyms wants the name of a symbol");
	if (err.code || !load(&k, &err))
		return cli_fail(cmd, &err);
	struct module_files files;
	module_files_read(&files);
	struct out o;
	out_fd(&o, STDOUT_FILENO);
	for (size_t i = 0; i < args->count; i++)
		look_up(&o, &k, args->args[i], &files);
	module_files_free(&files);
	kallsyms_free(&k);
	return cli_finish_stdout(cmd, &o, EXIT_OK);
}

const struct command cmd_kallsyms = {
	.name = "kallsyms",
	.summary = "Look up symbols of the running kernel",
	.usage = "kiln kallsyms SYMBOL…",
	.describe = "Prints the module, its file and the addresses of each symbol.",
	.examples =
		(const struct example[]){
			{"kiln kallsyms schedule do_sys_openat2", "where these two are"},
			{0},
		},
	.options = options,
	.run = run,
};
