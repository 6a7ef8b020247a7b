/* Options that all commands reading a recording have in common. */
#ifndef KILN_COMMON_H
#define KILN_COMMON_H

#include "cli/cli.h"
#include "ingest/ingest.h"

struct input_options {
	const char *input;
	const char *symfs, *kallsyms, *vmlinux;
	bool debuginfod;
	const char *comms, *pids, *tids, *cpus, *times;
	uint64_t max_stack;
	uint64_t threads;
	enum inline_mode inlines; /* what the command does unless asked */
	bool reroot;
	bool no_demangle, demangle_kernel, raw, merge_clones;
	bool full_path, force, quiet;
	int verbose;
	char build_id_dir[4096];
	char cache_dir[4096];
};

/* All but --inline. */
#define INPUT_FILE_OPTIONS(o)                                                                        \
	{                                                                                            \
		OPT_STRING,                                                                          \
		'i',                                                                                 \
		"input",                                                                             \
		"FILE",                                                                              \
		"the recording (default perf.data; - is stdin)",                                     \
		.value = &(o).input},                                                                \
		{OPT_STRING, 0, "symfs", "DIR", "look for binaries below DIR", .value = &(o).symfs}, \
		{OPT_STRING,                                                                         \
		 0,                                                                                  \
		 "kallsyms",                                                                         \
		 "FILE",                                                                             \
		 "kernel symbols from FILE",                                                         \
		 .value = &(o).kallsyms},                                                            \
		{OPT_STRING,                                                                         \
		 'k',                                                                                \
		 "vmlinux",                                                                          \
		 "FILE",                                                                             \
		 "the kernel's symbols and lines from its image",                                    \
		 .value = &(o).vmlinux},                                                             \
		{OPT_CALL,                                                                           \
		 0,                                                                                  \
		 "debuginfod",                                                                       \
		 "URLS",                                                                             \
		 "download debug files of hot objects (from DEBUGINFOD_URLS)",                       \
		 .value = &(o).debuginfod,                                                           \
		 .optional_arg = true,                                                               \
		 .call = take_debuginfod},                                                           \
		{OPT_BOOL,                                                                           \
		 0,                                                                                  \
		 "no-demangle",                                                                      \
		 NULL,                                                                               \
		 "show symbols as they are in the file",                                             \
		 .value = &(o).no_demangle},                                                         \
		{OPT_BOOL,                                                                           \
		 0,                                                                                  \
		 "demangle-kernel",                                                                  \
		 NULL,                                                                               \
		 "demangle the kernel's symbols, too",                                               \
		 .value = &(o).demangle_kernel},                                                     \
		{OPT_BOOL,         0, "raw", NULL, "show every name as it is, in perf maps, too",    \
		 .value = &(o).raw},                                                                 \
		{OPT_BOOL,                                                                           \
		 0,                                                                                  \
		 "merge-clones",                                                                     \
		 NULL,                                                                               \
		 "foo.cold, foo.part.0, foo.constprop.0 … are foo",                                  \
		 .value = &(o).merge_clones},                                                        \
		{OPT_U64,                                                                            \
		 0,                                                                                  \
		 "max-stack",                                                                        \
		 "N",                                                                                \
		 "at most N frames of each stack, from the leaf",                                    \
		 .value = &(o).max_stack},                                                           \
		{OPT_U64,                                                                            \
		 0,                                                                                  \
		 "threads",                                                                          \
		 "N",                                                                                \
		 "worker threads (default: one per CPU)",                                            \
		 .value = &(o).threads},                                                             \
		{OPT_BOOL,                                                                           \
		 'f',                                                                                \
		 "force",                                                                            \
		 NULL,                                                                               \
		 "perf maps and jitdumps are used whoever they belong to",                           \
		 .value = &(o).force},                                                               \
		{OPT_BOOL, 'q', "quiet", NULL, "only results and errors", .value = &(o).quiet},      \
	{                                                                                            \
		OPT_COUNT, 'v', "verbose", NULL, "say more", .value = &(o).verbose                   \
	}

#define INPUT_OPTIONS(o)                                                         \
	INPUT_FILE_OPTIONS(o),                                                   \
	{                                                                        \
		OPT_CALL, 0, "inline", NULL, INLINE_HELP, .value = &(o).inlines, \
							  .call = take_inline    \
	}

#define INLINE_HELP                                                                                  \
	"show inlined functions in all stacks (default: in those unwound from --call-graph dwarf); " \
	"--no-inline: in none"
bool take_debuginfod(void *value, const char *text, bool negated, struct err *err);
bool take_inline(void *value, const char *text, bool negated, struct err *err);

#define SOURCE_OPTIONS(o)                                                                       \
	{                                                                                       \
		OPT_BOOL, 0, "full-source-path", NULL,                                          \
			"source lines with the whole path of the file", .value = &(o).full_path \
	}

/* Where stacks are added up. */
#define STACK_OPTIONS(o)                                                                         \
	{                                                                                        \
		OPT_BOOL, 0, "reroot", NULL,                                                     \
			"stacks that were too deep get the root of longer ones of their thread", \
			.value = &(o).reroot                                                     \
	}

#define FILTER_OPTIONS(o)                                                                     \
	{OPT_STRING, 'c', "comms", "LIST", "only these commands", .value = &(o).comms},       \
		{OPT_STRING, 0, "pid", "LIST", "only these processes", .value = &(o).pids},   \
		{OPT_STRING, 0, "tid", "LIST", "only these threads", .value = &(o).tids},     \
	{                                                                                     \
		OPT_STRING, 'C', "cpu", "LIST", "only these CPUs (0,2-3)", .value = &(o).cpus \
	}

#define TIME_OPTION(o)                                                                   \
	{                                                                                \
		OPT_STRING, 0, "time", "RANGES",                                         \
			"only these times: START,END in seconds, 10%/2, 0%-10%,30%-40%", \
			.value = &(o).times                                              \
	}

const char *input_path(const struct input_options *o);
void input_options_fill(struct input_options *o, struct ingest_options *out);

/* False with a usage error when words are left behind the options. */
MUST_USE bool no_more_words(const struct parsed *args, struct err *err);

#endif
