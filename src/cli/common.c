#include "cli/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "object/debuginfod.h"

const char *input_path(const struct input_options *o)
{
	if (o->input)
		return o->input;
	/* As perf: a pipe on stdin is meant when there is no file of the usual name. */
	return access("perf.data", F_OK) != 0 && !isatty(STDIN_FILENO) ? "-" : "perf.data";
}

/* --- downloads ------------------------------------------------------------------------------- */

#define DOWNLOAD_SECONDS 60

static void show_progress(void *ctx, const char *object, uint64_t done, uint64_t total)
{
	(void)ctx;
	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\rdebug information of %.60s: %.1f", object, (double)done / 1e6);
	if (total)
		fprintf(stderr, " of %.1f", (double)total / 1e6);
	fprintf(stderr, " MB\033[K");
}

static void end_progress(void *ctx)
{
	(void)ctx;
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
}

static const struct debuginfod_options downloads = {
	.seconds = DOWNLOAD_SECONDS, .progress = show_progress, .end = end_progress};

bool take_debuginfod(void *value, const char *text, bool negated, struct err *err)
{
	*(bool *)value = !negated;
	if (negated)
		return true;
	if (text)
		return setenv("DEBUGINFOD_URLS", text, 1) == 0;
	const char *urls = getenv("DEBUGINFOD_URLS");
	if (urls && *urls)
		return true;
	err_set(err, ERR_USAGE, "--debuginfod has no server to ask");
	return err_hint(err, "name one with --debuginfod=URL, or in DEBUGINFOD_URLS");
}

void input_options_fill(struct input_options *o, struct ingest_options *out)
{
	*out = (struct ingest_options){
		.input = {.temp_dir = cli_temp_dir()},
		.resolve = {.symfs = o->symfs,
			    .build_id_dir = cli_build_id_dir(o->build_id_dir,
							     sizeof o->build_id_dir),
			    .kallsyms = o->kallsyms,
			    .vmlinux = o->vmlinux,
			    .debuginfod = o->debuginfod ? &downloads : NULL,
			    .cfi_cache = cli_cache_dir(o->cache_dir, sizeof o->cache_dir),
			    .demangle = !o->no_demangle && !o->raw,
			    .demangle_kernel = o->demangle_kernel && !o->raw,
			    .demangle_maps = !o->no_demangle && !o->raw && !cli_as_perf(),
			    .merge_clones = o->merge_clones && !o->raw,
			    .force = o->force},
		.threads = (unsigned)MIN(o->threads, 256),
		.inlines = o->inlines,
		.full_path = o->full_path,
		.max_stack = (uint32_t)MIN(o->max_stack, UINT32_MAX),
		.reroot = o->reroot,
		.comms = o->comms,
		.pids = o->pids,
		.tids = o->tids,
		.cpus = o->cpus,
		.times = o->times,
	};
}

bool take_inline(void *value, const char *text, bool negated, struct err *err)
{
	(void)text;
	(void)err;
	*(enum inline_mode *)value = negated ? INLINE_NONE : INLINE_ALL;
	return true;
}

bool no_more_words(const struct parsed *args, struct err *err)
{
	if (!args->count)
		return true;
	return err_set(err, ERR_USAGE, "\"%s\" is not an option and this command takes no words",
		       args->args[0]);
}
