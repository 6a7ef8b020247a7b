#include "cli/load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "ingest/classic_perfdata.h"

static bool is_std(const char *path)
{
	return !path || !strcmp(path, "-");
}

/* Standard input has been looked at. A file can be read again; the first bytes of a pipe are gone,
 * so all of it is put into a file without name, which becomes standard input. */
static bool rewind_stdin(struct lines *in, struct err *err)
{
	struct stat st;
	if (fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode))
		return true;
	CLEANUP(close_fd) int fd = file_temp(cli_temp_dir(), err);
	if (fd < 0 || !lines_copy(in, fd, err))
		return false;
	return dup2(fd, STDIN_FILENO) >= 0 || err_sys(err, errno, "cannot replace standard input");
}

static bool load_perfdata(struct loaded *l, struct lines *in, const char *path,
			  const struct load_options *opt, struct diags *d, struct err *err)
{
	struct ingest_options io;
	input_options_fill(opt->input, &io);
	if (is_std(path) && !rewind_stdin(in, err))
		return false;
	if (opt->classic) {
		l->owned = profile_new();
		l->profile = l->owned;
		return classic_perfdata(l->owned, path, io, opt->classic, d, err);
	}
	io.by_comm = opt->detail == IMPORT_BY_COMM;
	io.by_thread = opt->detail == IMPORT_BY_THREAD;
	io.no_callchains = opt->no_callchains;
	io.by_cpu = opt->by_cpu;
	if (opt->lines)
		io.lines = LINES_REPORT;
	io.merge_threads = opt->merge_threads;
	l->ingest = ingest_open(path, &io, d, err);
	if (!l->ingest || (opt->by_trace && !ingest_by_trace(l->ingest, err)) ||
	    !ingest_aggregate(l->ingest, err))
		return false;
	l->profile = ingest_profile(l->ingest);
	return true;
}

static bool load_text(struct loaded *l, struct lines *in, const struct load_options *opt,
		      struct diags *d, struct err *err)
{
	if (opt->input->reroot)
		return err_set(
			err, ERR_USAGE,
			"%s is text, which does not say which stacks were too deep: --reroot "
			"wants a recording",
			l->name);
	l->owned = profile_new();
	l->profile = l->owned;
	if (l->kind == INPUT_FOLDED)
		return import_folded(l->owned, in, d, err);
	if (opt->classic)
		return import_classic(l->owned, in, opt->classic, d, err);
	return import_perf_script(l->owned, in, opt->detail, d, err);
}

static bool load_kind(struct loaded *l, struct lines *in, const char *path,
		      const struct load_options *opt, struct diags *d, struct err *err)
{
	switch (l->kind) {
	case INPUT_PERFDATA:
		return load_perfdata(l, in, path, opt, d, err);
	case INPUT_FOLDED:
	case INPUT_PERF_SCRIPT:
		return load_text(l, in, opt, d, err);
	case INPUT_UNKNOWN:
		break;
	}
	if (!lines_peek(in).n)
		return err_set(err, ERR_INPUT, "%s is empty", l->name);
	err_set(err, ERR_INPUT,
		"%s is neither perf.data nor the text of perf script nor folded stacks", l->name);
	return err_hint(err, "record with `kiln record -g`, or write the text with "
			     "`perf script > FILE`");
}

bool load_input(struct loaded *l, const struct load_options *opt, struct diags *d, struct err *err)
{
	const char *path = input_path(opt->input);
	*l = (struct loaded){.name = is_std(path) ? "standard input" : path};
	CLEANUP(close_fd)
	int fd = is_std(path) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
			      : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		int error = errno;
		err_sys(err, error, "cannot open %s", l->name);
		return error == ENOENT && !opt->input->input &&
		       err_hint(err, "run `kiln record` first, or name a file with -i");
	}
	struct stat st;
	struct lines in;
	lines_open_fd(&in, fd, l->name);
	bool directory = fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
	struct str start = directory ? STR("") : lines_peek(&in);
	l->kind = directory ? INPUT_PERFDATA : input_sniff(start.p, start.n);
	if (opt->classic && l->kind != INPUT_PERFDATA)
		l->kind = INPUT_PERF_SCRIPT;
	bool ok = lines_ok(&in, err) && load_kind(l, &in, path, opt, d, err);
	lines_close(&in);
	if (!ok)
		load_close(l);
	return ok;
}

void load_close(struct loaded *l)
{
	profile_free(l->owned);
	ingest_close(l->ingest);
	*l = (struct loaded){0};
}

/* --- events --------------------------------------------------------------------------------- */

/* "cycles" for "cycles:u"; tracepoints, "sched:sched_switch", have two parts of their own. */
static bool event_matches(struct str event, bool tracepoint, struct str name)
{
	if (str_eq(event, name))
		return true;
	return !tracepoint && event.n > name.n && memcmp(event.p, name.p, name.n) == 0 &&
	       event.p[name.n] == ':';
}

static bool no_such_event(const struct profile *p, const char *path, const char *name,
			  struct err *err)
{
	char list[400] = "";
	size_t n = 0;
	for (size_t i = 1; i < p->events.n && n < sizeof list; i++) {
		struct str s = profile_str(p, p->events.v[i].name);
		int w = snprintf(list + n, sizeof list - n, "%s%.*s", n ? ", " : "", (int)s.n, s.p);
		n += w > 0 ? (size_t)w : 0;
	}
	err_set(err, ERR_INPUT, "%s has no event \"%s\"", path, name);
	return err_hint(err, "it has %s", *list ? list : "none");
}

bool load_event(const struct loaded *l, const char *name, event_id *out, struct diags *d,
		struct err *err)
{
	const struct profile *p = l->profile;
	const char *path = l->name;
	event_id chosen = {0}, other = {0};
	for (uint32_t i = 1; i < p->events.n; i++) {
		const struct profile_event *e = &p->events.v[i];
		if (name && !event_matches(profile_str(p, e->name), e->tracepoint, str_of(name)))
			continue;
		if (!chosen.v && (name || e->samples))
			chosen.v = i;
		else if (!other.v && e->samples)
			other.v = i;
	}
	if (name && !chosen.v)
		return no_such_event(p, path, name, err);
	if (!chosen.v)
		return err_set(err, ERR_INPUT, "%s has no samples", path);
	if (!name && other.v) {
		struct str a = profile_str(p, p->events.v[chosen.v].name);
		struct str b = profile_str(p, p->events.v[other.v].name);
		diag_add(d, DIAG_NOTE, 1, "%s: only %.*s is shown; there is also %.*s", path,
			 (int)a.n, a.p, (int)b.n, b.p);
		diag_hint(d, DIAG_NOTE, "-e NAME chooses another event");
	}
	*out = chosen;
	return true;
}

/* --- output --------------------------------------------------------------------------------- */

bool output_open(struct out *o, const char *path, struct err *err)
{
	int fd = STDOUT_FILENO;
	if (!is_std(path))
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_sys(err, errno, "cannot write %s", path);
	out_fd(o, fd);
	return true;
}

bool output_close(struct out *o, const char *path, struct err *err)
{
	bool ok = out_finish(o);
	int error = o->error;
	if (!is_std(path) && close(o->fd) != 0 && ok) {
		ok = false;
		error = errno;
	}
	if (ok || (is_std(path) && error == EPIPE))
		return true;
	return err_sys(err, error, "cannot write %s", is_std(path) ? "standard output" : path);
}

int load_run(const struct command *cmd, const struct parsed *args, struct input_options *in,
	     bool (*work)(struct diags *d, struct err *err))
{
	struct err err = {0};
	struct diags diags = {0};
	if (args->count == 1)
		in->input = args->args[0];
	if (args->count > 1)
		err_set(&err, ERR_USAGE, "%s takes one input, not %zu", cmd->name, args->count);
	bool ok = !err.code && work(&diags, &err);
	int code = cli_diags(cmd, &diags, in->quiet);
	return ok ? code : cli_fail(cmd, &err);
}
