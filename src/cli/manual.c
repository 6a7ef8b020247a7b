#include "cli/manual.h"

#include "version.h"

const struct command *command_find(const char *name)
{
	const struct command *partial = NULL;
	size_t partials = 0, n = strlen(name);
	for (size_t i = 0; commands[i]; i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
		if (n && !strncmp(commands[i]->name, name, n)) {
			partial = commands[i];
			partials++;
		}
	}
	return partials == 1 ? partial : NULL;
}

void manual_overview(struct out *o)
{
	out_cstr(o, "kiln: a Linux profiler. Record a program, see where its time goes.\n\n"
		    "usage: kiln COMMAND [OPTIONS]\n\ncommands:\n");
	for (size_t i = 0; commands[i]; i++)
		out_fmt(o, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	out_cstr(o, "\nfirst steps:\n"
		    "  kiln record -g -- ./program     sample a program and its children\n"
		    "  kiln report                     where the time went, as a table\n"
		    "  kiln flame -o flame.svg         the same as a flame graph\n"
		    "\n`kiln COMMAND --help` tells more about one command.\n");
}

/* roff needs its backslashes and leading dots quoted, and hyphens kept as they are. */
static void roff(struct out *o, const char *text)
{
	bool line_start = true;
	for (const char *c = text; *c; c++) {
		if (line_start && (*c == '.' || *c == '\''))
			out_cstr(o, "\\&");
		if (*c == '\\')
			out_cstr(o, "\\e");
		else if (*c == '-')
			out_cstr(o, "\\-");
		else
			out_char(o, *c);
		line_start = *c == '\n';
	}
}

static void roff_option(struct out *o, const struct option *p)
{
	out_cstr(o, ".TP\n\\fB");
	if (p->letter) {
		out_fmt(o, "\\-%c", p->letter);
		if (p->name)
			out_cstr(o, "\\fR, \\fB");
	}
	if (p->name) {
		out_cstr(o, "\\-\\-");
		roff(o, p->name);
	}
	out_cstr(o, "\\fR");
	if (p->arg) {
		out_cstr(o, p->optional_arg ? "[=\\fI" : " \\fI");
		roff(o, p->arg);
		out_cstr(o, p->optional_arg ? "\\fR]" : "\\fR");
	}
	out_char(o, '\n');
	roff(o, p->help);
	out_char(o, '\n');
}

void manual_page(struct out *o, const struct command *cmd)
{
	out_fmt(o, ".TH \"KILN\\-%s\" 1 \"\" \"kiln %s\" \"kiln manual\"\n", cmd->name,
		KILN_VERSION);
	out_fmt(o, ".SH NAME\nkiln\\-%s \\- ", cmd->name);
	roff(o, cmd->summary);
	out_cstr(o, "\n.SH SYNOPSIS\n");
	roff(o, cmd->usage);
	if (cmd->describe) {
		out_cstr(o, "\n.SH DESCRIPTION\n");
		roff(o, cmd->describe);
	}
	out_cstr(o, "\n.SH OPTIONS\n");
	for (const struct option *p = cmd->options; p->kind != OPT_END; p++) {
		if (p->hidden)
			continue;
		if (p->kind == OPT_GROUP) {
			out_cstr(o, ".SS ");
			roff(o, p->help);
			out_char(o, '\n');
		} else {
			roff_option(o, p);
		}
	}
	if (cmd->examples && cmd->examples[0].command) {
		out_cstr(o, ".SH EXAMPLES\n");
		for (const struct example *e = cmd->examples; e->command; e++) {
			out_cstr(o, ".TP\n.B ");
			roff(o, e->command);
			out_char(o, '\n');
			roff(o, e->what);
			out_char(o, '\n');
		}
	}
}

static void long_names(struct out *o, const struct command *cmd, const char *before,
		       const char *after)
{
	for (const struct option *p = cmd->options; p->kind != OPT_END; p++)
		if (p->name && !p->hidden)
			out_fmt(o, "%s--%s%s", before, p->name, after);
}

static void completion_bash(struct out *o)
{
	out_cstr(o, "_kiln() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} cmd=${COMP_WORDS[1]} words\n"
		    "\tif [ \"$COMP_CWORD\" = 1 ]; then\n\t\twords='");
	for (size_t i = 0; commands[i]; i++)
		out_fmt(o, "%s%s", i ? " " : "", commands[i]->name);
	out_cstr(o, "'\n\telse\n\t\tcase $cmd in\n");
	for (size_t i = 0; commands[i]; i++) {
		out_fmt(o, "\t\t%s) words='", commands[i]->name);
		long_names(o, commands[i], "", " ");
		out_cstr(o, "--help' ;;\n");
	}
	out_cstr(o, "\t\tesac\n\t\tcase $cur in -*) ;; *) words= ;; esac\n\tfi\n"
		    "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
		    "\t[ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$cur\"))\n"
		    "}\ncomplete -o filenames -F _kiln kiln\n");
}

static void completion_zsh(struct out *o)
{
	out_cstr(o, "#compdef kiln\nif (( CURRENT == 2 )); then\n\tcompadd");
	for (size_t i = 0; commands[i]; i++)
		out_fmt(o, " %s", commands[i]->name);
	out_cstr(o, "\nelse\n\tcase $words[2] in\n");
	for (size_t i = 0; commands[i]; i++) {
		out_fmt(o, "\t%s) compadd -- ", commands[i]->name);
		long_names(o, commands[i], "", " ");
		out_cstr(o, "--help ;;\n");
	}
	out_cstr(o, "\tesac\n\t_files\nfi\n");
}

static void completion_fish(struct out *o)
{
	for (size_t i = 0; commands[i]; i++) {
		const struct command *c = commands[i];
		out_fmt(o, "complete -c kiln -n __fish_use_subcommand -a %s -d '%s'\n", c->name,
			c->summary);
		for (const struct option *p = c->options; p->kind != OPT_END; p++)
			if (p->name && !p->hidden)
				out_fmt(o,
					"complete -c kiln -n '__fish_seen_subcommand_from %s' -l %s%s\n",
					c->name, p->name, p->arg ? " -r" : "");
	}
}

bool manual_completion(struct out *o, const char *shell, struct err *err)
{
	if (!strcmp(shell, "bash"))
		completion_bash(o);
	else if (!strcmp(shell, "zsh"))
		completion_zsh(o);
	else if (!strcmp(shell, "fish"))
		completion_fish(o);
	else
		return err_set(err, ERR_USAGE, "no completion for \"%s\": bash, zsh or fish",
			       shell);
	return true;
}
