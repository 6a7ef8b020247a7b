/* kiln config: shows and changes settings, those of perf. */
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/config.h"

static struct {
	bool list, user, system;
} opts;

static const struct option options[] = {
	{OPT_BOOL, 'l', "list", NULL, "show all settings", .value = &opts.list},
	{OPT_BOOL, 0, "user", NULL, "only those of ~/.perfconfig", .value = &opts.user},
	{OPT_BOOL, 0, "system", NULL, "only those of /etc/perfconfig", .value = &opts.system},
	{0},
};

static void show_all(struct out *o, const struct config_set *s)
{
	for (size_t i = 0; i < s->items.n; i++) {
		const struct config_item *item = &s->items.v[i];
		out_fmt(o, "%s.%s=%s\n", item->section.p, item->key.p, item->value.p);
	}
}

/* "section.key", or "section.key=value": then *value is set. */
static bool split(const char *word, struct str *section, struct str *key, struct str *value,
		  struct err *err)
{
	struct str name = str_split(str_of(word), '=', value);
	*section = str_split(name, '.', key);
	if (!section->n || !key->p)
		return err_set(err, ERR_USAGE,
			       "The config variable does not contain a section name: %s", word);
	if (!key->n)
		return err_set(err, ERR_USAGE,
			       "The config variable does not contain a variable name: %s", word);
	if (value->p && !value->n)
		return err_set(err, ERR_USAGE, "The config variable does not contain a value: %s",
			       word);
	return true;
}

static bool do_word(struct out *o, struct config_set *s, const char *word, bool *changed,
		    struct err *err)
{
	struct str section, key, value;
	if (!split(word, &section, &key, &value, err))
		return false;
	if (!value.p) {
		const struct config_item *item = config_find(s, str_of(word));
		if (item)
			out_fmt(o, "%s=%s\n", word, item->value.p);
		return true;
	}
	config_put(s, (struct config_item){arena_str(&s->arena, section), arena_str(&s->arena, key),
					   arena_str(&s->arena, value), opts.system});
	*changed = true;
	return true;
}

static bool check(const struct parsed *args, struct err *err)
{
	if (opts.user && opts.system)
		return err_set(err, ERR_USAGE, "only one config file at a time");
	if (opts.list && args->count)
		return err_set(err, ERR_USAGE, "--list takes no arguments");
	return true;
}

static int run(const struct command *cmd, const struct parsed *args)
{
	struct err err = {0};
	if (!check(args, &err))
		return cli_fail(cmd, &err);
	struct config_set s;
	config_load(&s, opts.user     ? CONFIG_ONLY_USER
			: opts.system ? CONFIG_ONLY_SYSTEM
				      : CONFIG_BOTH);
	struct out o;
	out_fd(&o, STDOUT_FILENO);
	if (!args->count)
		show_all(&o, &s);
	bool changed = false, ok = true;
	for (size_t i = 0; i < args->count && ok; i++)
		ok = do_word(&o, &s, args->args[i], &changed, &err);
	if (ok && changed)
		ok = config_save(&s, opts.system, &err);
	config_free(&s);
	return cli_finish_stdout(cmd, &o, ok ? EXIT_OK : cli_fail(cmd, &err));
}

const struct command cmd_config = {
	.name = "config",
	.summary = "Show and change settings",
	.usage = "kiln config [--user | --system] [-l] [SECTION.NAME[=VALUE] …]",
	.describe =
		"The settings are perf's: ~/.perfconfig, /etc/perfconfig, or the file that PERF_CONFIG names.\n"
		"They are defaults for the options of commands.",
	.examples =
		(const struct example[]){
			{"kiln config -l", "all settings"},
			{"kiln config report.percent-limit=1",
			 "leave out what is below one percent"},
			{"kiln config call-graph.record-mode=dwarf", "what record -g means"},
			{0},
		},
	.options = options,
	.run = run,
};
