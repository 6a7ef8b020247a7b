/* kiln buildid-list: the build ids of a recording, of a file, of the running kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/modules.h"
#include "cli/recorded.h"
#include "object/object.h"

#define MAX_TEXT (64u << 20) /* of files in /proc */

static struct {
	const char *input;
	bool force, with_hits, kernel, kernel_maps;
	int verbose;
} opts;

static const struct option options[] = {
	{OPT_STRING, 'i', "input", "FILE", "a recording, or an ELF file (default perf.data)",
	 .value = &opts.input},
	{OPT_BOOL, 'H', "with-hits", NULL, "only objects that samples were taken in",
	 .value = &opts.with_hits},
	{OPT_BOOL, 'k', "kernel", NULL, "the running kernel's own", .value = &opts.kernel},
	{OPT_BOOL, 'm', "kernel-maps", NULL, "the running kernel and its modules, with addresses",
	 .value = &opts.kernel_maps},
	{OPT_BOOL, 'f', "force", NULL, "no complaint about who owns the file (none is made)",
	 .value = &opts.force},
	{OPT_COUNT, 'v', "verbose", NULL, "say more", .value = &opts.verbose},
	{0},
};

static void print_line(struct out *o, const struct build_id *id, struct str name)
{
	char hex[2 * BUILD_ID_MAX + 1] = "";
	build_id_hex(id, hex);
	out_fmt(o, "%-40s %.*s\n", hex, (int)name.n, name.p);
}

/* --- the running kernel ---------------------------------------------------------------------- */

static bool read_notes(const char *path, struct build_id *id, struct err *err)
{
	struct str notes;
	if (!file_read(path, MAX_TEXT, &notes, err))
		return false;
	bool found = build_id_from_notes(notes.p, notes.n, id);
	free((void *)notes.p);
	return found || err_set(err, ERR_INPUT, "%s holds no build id", path);
}

static bool kernel_build_id(struct build_id *id, struct err *err)
{
	return read_notes("/sys/kernel/notes", id, err);
}

static void print_map(struct out *o, const struct build_id *id, uint64_t start, uint64_t end,
		      const char *name)
{
	char hex[2 * BUILD_ID_MAX + 1] = "";
	build_id_hex(id, hex);
	out_fmt(o, "%s %16" PRIx64 " %16" PRIx64 " %s\n", hex, start, end, name);
}

/* From _text up to _edata, or _etext where that is not listed. */
static void kernel_range(uint64_t *start, uint64_t *end)
{
	struct str text, line, rest;
	uint64_t edata = 0, etext = 0;
	*start = 0;
	if (!file_read("/proc/kallsyms", MAX_TEXT, &text, NULL))
		return;
	for (rest = text; str_line(&rest, &line);) {
		uint64_t address;
		if (line.n < 20 || !str_to_u64(str_make(line.p, 16), 16, &address))
			continue;
		struct str name = str_skip(line, 19);
		if (str_is(name, "_text"))
			*start = address;
		else if (str_is(name, "_edata"))
			edata = address;
		else if (str_is(name, "_etext"))
			etext = address;
	}
	*end = edata ? edata : etext;
	free((void *)text.p);
}

/* "NAME SIZE USERS DEPENDENCIES STATE 0xADDRESS" */
static bool parse_module(struct str line, struct str *name, uint64_t *start, uint64_t *size)
{
	struct str fields[6] = {0}, rest = line;
	for (size_t i = 0; i < ARRAY_LEN(fields) && rest.p; i++)
		fields[i] = str_split(rest, ' ', &rest);
	*name = fields[0];
	return str_starts(fields[5], "0x") && str_to_u64(str_skip(fields[5], 2), 16, start) &&
	       str_to_u64(fields[1], 10, size);
}

static void print_modules(struct out *o)
{
	struct str text, line;
	struct module_files files;
	char path[4096];
	if (!file_read("/proc/modules", MAX_TEXT, &text, NULL))
		return;
	module_files_read(&files);
	for (struct str rest = text; str_line(&rest, &line);) {
		struct str module;
		uint64_t start, size;
		struct build_id id = {0};
		if (!parse_module(line, &module, &start, &size))
			continue;
		snprintf(path, sizeof path, "/sys/module/%.*s/notes/.note.gnu.build-id",
			 (int)module.n, module.p);
		if (!read_notes(path, &id, NULL))
			id = (struct build_id){0};
		module_path(&files, module, path, sizeof path);
		print_map(o, &id, start, start + size, path);
	}
	module_files_free(&files);
	free((void *)text.p);
}

static bool print_kernel(struct out *o, struct err *err)
{
	struct build_id id;
	if (!kernel_build_id(&id, err))
		return false;
	if (opts.kernel_maps) {
		uint64_t start = 0, end = 0;
		kernel_range(&start, &end);
		print_map(o, &id, start, end, "[kernel.kallsyms]");
		print_modules(o);
		return true;
	}
	char hex[2 * BUILD_ID_MAX + 1];
	build_id_hex(&id, hex);
	out_fmt(o, "%s\n", hex);
	return true;
}

/* --- a recording ----------------------------------------------------------------------------- */

static bool print_recording(struct out *o, const char *path, struct diags *d, struct err *err)
{
	struct recorded r;
	if (!recorded_read(&r, path, opts.with_hits ? RECORDED_HITS : RECORDED_LISTED, d, err))
		return false;
	for (size_t i = 0; i < r.objects.n; i++)
		print_line(o, &r.objects.v[i].id, r.objects.v[i].path);
	recorded_free(&r);
	return true;
}

static bool print_all(struct out *o, struct diags *d, struct err *err)
{
	struct input_options in = {.input = opts.input};
	const char *path = input_path(&in);
	struct build_id id;
	if (opts.kernel || opts.kernel_maps)
		return print_kernel(o, err);
	if (strcmp(path, "-") == 0 || !object_build_id(path, &id, NULL))
		return print_recording(o, path, d, err);
	char hex[2 * BUILD_ID_MAX + 1];
	build_id_hex(&id, hex);
	out_fmt(o, "%s\n", hex);
	return true;
}

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err = {0};
	struct diags diags = {0};
	if (!no_more_words(args, &err))
		return cli_fail(cmd, &err);
	struct out o;
	out_fd(&o, STDOUT_FILENO);
	int code = print_all(&o, &diags, &err) ? EXIT_OK : cli_fail(cmd, &err);
	int trouble = cli_diags(cmd, &diags, false);
	return cli_finish_stdout(cmd, &o, code ? code : trouble);
}

const struct command cmd_buildid_list = {
	.name = "buildid-list",
	.summary = "List the build ids in a recording",
	.usage = "kiln buildid-list [-i FILE] [-H] | -k | -m",
	.describe =
		"One line per object: its build id, which names the exact contents of a file, and its path.\n"
		"A recording without a list of its own is read for the objects that samples were taken in.",
	.examples =
		(const struct example[]){
			{"kiln buildid-list -H", "objects that samples were taken in"},
			{"kiln buildid-list -i /bin/ls", "of a file"},
			{"kiln buildid-list -k", "of the running kernel"},
			{0},
		},
	.options = options,
	.run = run,
};
