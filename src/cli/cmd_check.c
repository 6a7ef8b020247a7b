/* kiln check: whether this kiln can do a thing. */
#include <strings.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/feature_list.h"

static struct {
	bool quiet;
} opts;

static const struct option options[] = {
	{OPT_BOOL, 'q', "quiet", NULL, "only the exit status", .value = &opts.quiet},
	{0},
};

static bool same_name(struct str word, const char *name)
{
	return word.n == strlen(name) && strncasecmp(word.p, name, word.n) == 0;
}

static const struct feature *find(struct str word)
{
	for (const struct feature *f = features; f->name; f++)
		if (same_name(word, f->name) || same_name(word, f->macro))
			return f;
	return NULL;
}

/* Up to the first that is off or not known, as perf does it. */
static bool check_all(struct out *o, const char *list, struct err *err)
{
	struct str rest = str_of(list);
	while (rest.p) {
		struct str word = str_split(rest, ',', &rest);
		const struct feature *f = find(word);
		if (!f) {
			err_set(err, ERR_USAGE, "Unknown feature '%.*s'", (int)word.n, word.p);
			return err_hint(err, "`%s version --build-options` lists them", cli_name());
		}
		if (!opts.quiet)
			feature_print(o, f);
		if (!f->on)
			return false;
	}
	return true;
}

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err = {0};
	if (args->count != 2 || strcmp(args->args[0], "feature") != 0) {
		err_set(&err, ERR_USAGE, "check wants the word feature and a list of features");
		err_hint(&err, "%s check feature zstd,lzma", cli_name());
		return cli_fail(cmd, &err);
	}
	struct out o;
	out_fd(&o, STDOUT_FILENO);
	bool ok = check_all(&o, args->args[1], &err);
	if (err.code && !opts.quiet)
		cli_fail(cmd, &err);
	return cli_finish_stdout(cmd, &o, ok ? EXIT_OK : EXIT_FAILED);
}

const struct command cmd_check = {
	.name = "check",
	.summary = "Tell whether a feature is there",
	.usage = "kiln check [-q] feature NAME[,NAME…]",
	.describe =
		"For scripts: the exit status is 0 when all of these are there, 1 when one is not or is not\n"
		"known. The names are those of `kiln version --build-options`.",
	.examples =
		(const struct example[]){
			{"kiln check -q feature libpfm4 && echo yes", "ask for one"},
			{"kiln check feature zstd,HAVE_LZMA_SUPPORT", "by either name"},
			{0},
		},
	.options = options,
	.run = run,
};
