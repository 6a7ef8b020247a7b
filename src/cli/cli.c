#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

/* The name we were started under, for messages and for perf's defaults. */
static struct {
	const char *name;
	bool perf;
} self = {"kiln", false};

void cli_set_name(const char *argv0)
{
	struct str base = str_basename(str_of(argv0));
	if (str_is(base, "perf") || str_starts(base, "perf-")) {
		self.name = "perf";
		self.perf = true;
	}
}

const char *cli_name(void)
{
	return self.name;
}

bool cli_as_perf(void)
{
	return self.perf;
}

_Noreturn void mem_exhausted(size_t bytes)
{
	fprintf(stderr,
		"%s: out of memory (wanted %zu bytes more)\n"
		"  hint: look at `ulimit -v` and at free memory; a time range or a filter makes the work "
		"smaller\n",
		self.name, bytes);
	_exit(EXIT_FAILED);
}

static const char *paint(int fd, const char *code)
{
	return cli_color(fd) ? code : "";
}

static void print_prefix(const struct command *cmd)
{
	fprintf(stderr, "%s%s%s%s:%s ", paint(2, "\033[1m"), self.name, cmd ? " " : "",
		cmd ? cmd->name : "", paint(2, "\033[0m"));
}

static void print_hint(const char *hint)
{
	if (hint[0])
		fprintf(stderr, "  %shint:%s %s\n", paint(2, "\033[36m"), paint(2, "\033[0m"),
			hint);
}

int cli_fail(const struct command *cmd, const struct err *err)
{
	print_prefix(cmd);
	fprintf(stderr, "%s\n", err->text);
	if (err->code == ERR_USAGE && !err->hint[0] && cmd)
		fprintf(stderr, "  %shint:%s see `%s %s --help`\n", paint(2, "\033[36m"),
			paint(2, "\033[0m"), self.name, cmd->name);
	print_hint(err->hint);
	return err->code == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

int cli_diags(const struct command *cmd, const struct diags *d, bool quiet)
{
	for (size_t i = 0; i < DIAG_KIND_COUNT; i++) {
		const struct diag *g = &d->of[i];
		if (!g->count || (quiet && !g->partial))
			continue;
		print_prefix(cmd);
		fprintf(stderr, "%s", g->first);
		if (g->count > 1)
			fprintf(stderr, " (and %" PRIu64 " more)", g->count - 1);
		fputc('\n', stderr);
		print_hint(g->hint);
	}
	return diags_partial(d) ? EXIT_PARTIAL : EXIT_OK;
}

int cli_finish_stdout(const struct command *cmd, struct out *o, int code)
{
	if (out_finish(o) || o->error == EPIPE)
		return code;
	struct err err;
	err_sys(&err, o->error, "cannot write to standard output");
	return cli_fail(cmd, &err);
}

const char *cli_temp_dir(void)
{
	return getenv("TMPDIR");
}

static const char *build_id_dir, *default_build_id_dir;

void cli_set_build_id_dir(const char *dir)
{
	build_id_dir = dir;
}

void cli_default_build_id_dir(const char *dir)
{
	default_build_id_dir = dir;
}

const char *cli_build_id_dir(char *buf, size_t size)
{
	const char *dir = build_id_dir ? build_id_dir : getenv("PERF_BUILDID_DIR");
	const char *home = getenv("HOME");
	if (!dir || !*dir)
		dir = default_build_id_dir;
	if (dir && !strncmp(dir, "~/", 2) && home)
		snprintf(buf, size, "%s%s", home, dir + 1);
	else if (dir && *dir)
		snprintf(buf, size, "%s", dir);
	else if (home && *home)
		snprintf(buf, size, "%s/.debug", home);
	else
		return NULL;
	return buf;
}

const char *cli_cache_dir(char *buf, size_t size)
{
	const char *dir = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	int n = -1;
	if (dir && dir[0] == '/') /* others are not to be used, says its specification */
		n = snprintf(buf, size, "%s/kiln", dir);
	else if (home && home[0] == '/' && access(home, W_OK) == 0) /* never made here */
		n = snprintf(buf, size, "%s/.cache/kiln", home);
	return n > 0 && (size_t)n < size ? buf : NULL;
}

bool cli_color(int fd)
{
	const char *no = getenv("NO_COLOR");
	const char *term = getenv("TERM");
	return isatty(fd) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

void cli_progress(const char *text)
{
	if (!isatty(2))
		return;
	if (text)
		fprintf(stderr, "\r\033[K%s", text);
	else
		fputs("\r\033[K", stderr);
	fflush(stderr);
}

/* "-F, --freq <HZ|max>" */
static size_t option_head(const struct option *o, char *buf, size_t size)
{
	char letter[8] = "   ";
	if (o->letter)
		snprintf(letter, sizeof letter, "-%c%s", o->letter, o->name ? "," : " ");
	const char *open = "", *close = "";
	if (o->arg) {
		open = o->optional_arg ? (o->name ? "[=<" : "[<") : " <";
		close = o->optional_arg ? ">]" : ">";
	}
	int n = snprintf(buf, size, "%s %s%s%s%s%s", letter, o->name ? "--" : "",
			 o->name ? o->name : "", open, o->arg ? o->arg : "", close);
	return n < 0 ? 0 : MIN((size_t)n, size - 1);
}

/* Words of `text` in lines of at most HELP_WIDTH columns, each but the first indented; the cursor
 * is at column `indent` already. Line ends in the text are kept. */
#define HELP_WIDTH 96
static void print_wrapped(struct out *o, const char *text, size_t indent)
{
	size_t column = indent;
	while (*text) {
		size_t n = strcspn(text, " \n");
		if (column > indent && column + 1 + n > HELP_WIDTH) {
			out_char(o, '\n');
			out_spaces(o, indent);
			column = indent;
		} else if (column > indent) {
			out_char(o, ' ');
			column++;
		}
		out_bytes(o, text, n);
		column += n;
		text += n;
		if (*text == '\n') {
			out_char(o, '\n');
			column = indent;
		}
		text += *text != '\0';
	}
	out_char(o, '\n');
}

void cli_help(struct out *o, const struct command *cmd)
{
	out_fmt(o, "%s\n\nusage: %s\n", cmd->summary, cmd->usage);
	if (cmd->describe) {
		out_char(o, '\n');
		print_wrapped(o, cmd->describe, 0);
	}
	if (cmd->options[0].kind != OPT_GROUP && cmd->options[0].kind != OPT_END)
		out_cstr(o, "\noptions:\n");
	for (const struct option *p = cmd->options; p->kind != OPT_END; p++) {
		if (p->hidden)
			continue;
		if (p->kind == OPT_GROUP) {
			out_fmt(o, "\n%s:\n", p->help);
			continue;
		}
		char head[128];
		size_t n = option_head(p, head, sizeof head);
		out_fmt(o, "  %s", head);
		if (n > 28) {
			out_char(o, '\n');
			n = 0;
			out_spaces(o, 2);
		}
		out_spaces(o, 30 - n);
		print_wrapped(o, p->help, 32);
	}
	if (cmd->examples && cmd->examples[0].command) {
		out_cstr(o, "\nexamples:\n");
		for (const struct example *e = cmd->examples; e->command; e++)
			out_fmt(o, "  %s\n      %s\n", e->command, e->what);
	}
}
