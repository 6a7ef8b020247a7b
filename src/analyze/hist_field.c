#include "analyze/hist_field.h"

#include <strings.h>

#include "base/out.h"

static const struct {
	const char *name;
	const char *header;
	unsigned width;
} infos[FIELD_COUNT] = {
	[FIELD_PID] = {"pid", "    Pid:Command", 0},
	[FIELD_TID] = {"tid", "    Tid:Command", 0},
	[FIELD_COMM] = {"comm", "Command", 0},
	[FIELD_DSO] = {"dso", "Shared Object", 0},
	[FIELD_SYMBOL] = {"symbol", "Symbol", 0},
	[FIELD_CPU] = {"cpu", "CPU", 0},
	[FIELD_SRCLINE] = {"srcline", "Source:Line", 0},
	[FIELD_SRCFILE] = {"srcfile", "Source File", 0},
	[FIELD_TRACE] = {"trace", "Trace output", 0},
	[FIELD_IPC] = {"ipc_null", "IPC   [IPC Coverage]", 0},
	[FIELD_OVERHEAD] = {"overhead", "Overhead", 8},
	[FIELD_OVERHEAD_SYS] = {"overhead_sys", "sys", 8},
	[FIELD_OVERHEAD_US] = {"overhead_us", "usr", 8},
	[FIELD_OVERHEAD_GUEST_SYS] = {"overhead_guest_sys", "guest sys", 9},
	[FIELD_OVERHEAD_GUEST_US] = {"overhead_guest_us", "guest usr", 9},
	[FIELD_CHILDREN] = {"overhead_children", "Children", 8},
	[FIELD_SAMPLES] = {"sample", "Samples", 12},
	[FIELD_PERIOD] = {"period", "Period", 12},
};

const char *hist_field_name(enum hist_field f)
{
	return infos[f].name;
}

const char *hist_field_header(enum hist_field f)
{
	return infos[f].header;
}

unsigned hist_field_width(enum hist_field f)
{
	return infos[f].width;
}

static bool listed(const enum hist_field *list, size_t n, enum hist_field f)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == f)
			return true;
	return false;
}

static void add(enum hist_field *list, size_t *n, enum hist_field f)
{
	if (!listed(list, *n, f))
		list[(*n)++] = f;
}

bool hist_fields_sort_by(const struct hist_fields *f, enum hist_field field)
{
	return listed(f->sort, f->sort_count, field);
}

bool hist_fields_lines(const struct hist_fields *f)
{
	return hist_fields_sort_by(f, FIELD_SRCLINE) || hist_fields_sort_by(f, FIELD_SRCFILE);
}

/* perf takes any beginning of a name, in either case; the first name in the table wins. */
static bool find(struct str word, enum hist_field *out)
{
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		if (strncasecmp(word.p, infos[i].name, word.n) == 0 &&
		    word.n <= strlen(infos[i].name)) {
			*out = (enum hist_field)i;
			return true;
		}
	}
	return false;
}

static bool unknown_key(struct str word, const char *option, struct err *err)
{
	err_set(err, ERR_USAGE, "there is no %s key \"%.*s\"", option, (int)word.n, word.p);
	char names[256];
	size_t at = 0;
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		size_t n = strlen(infos[i].name);
		if (i == FIELD_IPC || at + n + 2 > sizeof names)
			continue;
		if (at)
			names[at++] = ' ';
		memcpy(names + at, infos[i].name, n);
		at += n;
	}
	return err_hint(err, "the keys are: %.*s", (int)at, names);
}

/* "a,b c{d}": perf separates by commas, blanks and braces alike. */
static bool parse(const char *text, const char *option, enum hist_field *list, size_t *n,
		  struct err *err)
{
	while (*text) {
		struct str word = str_make(text, strcspn(text, ",{} "));
		text += word.n;
		if (*text)
			text++;
		if (!word.n)
			continue;
		enum hist_field f;
		if (!find(word, &f))
			return unknown_key(word, option, err);
		add(list, n, f);
	}
	return true;
}

static bool adds(const char *text)
{
	return text && text[0] == '+';
}

static bool set_sort(struct hist_fields *f, const struct hist_request *r, struct err *err)
{
	bool own_columns = r->fields && !adds(r->fields);
	if (!r->sort && own_columns)
		return true;
	const char *keys = r->sort && !adds(r->sort) ? r->sort : "";
	/* Numbers come first unless the list itself places them. */
	if (!own_columns) {
		if (r->children && !strstr(keys, hist_field_name(FIELD_CHILDREN)))
			add(f->sort, &f->sort_count, FIELD_CHILDREN);
		if (!strstr(keys, hist_field_name(FIELD_OVERHEAD)))
			add(f->sort, &f->sort_count, FIELD_OVERHEAD);
	}
	if (!*keys)
		keys = r->tracepoints ? "trace" : "comm,dso,symbol";
	if (!parse(keys, "--sort", f->sort, &f->sort_count, err))
		return false;
	if (adds(r->sort)) {
		if (!r->sort[1])
			return err_set(err, ERR_USAGE, "--sort + names no key to add");
		if (!parse(r->sort + 1, "--sort", f->sort, &f->sort_count, err))
			return false;
	}
	if (r->ipc && r->sort && strstr(r->sort, hist_field_name(FIELD_SYMBOL)))
		add(f->sort, &f->sort_count, FIELD_IPC);
	return true;
}

static bool set_show(struct hist_fields *f, const struct hist_request *r, struct err *err)
{
	if (!r->fields || adds(r->fields)) {
		f->self = r->children;
		if (r->children)
			add(f->show, &f->show_count, FIELD_CHILDREN);
		add(f->show, &f->show_count, FIELD_OVERHEAD);
		if (r->utilization) {
			add(f->show, &f->show_count, FIELD_OVERHEAD_SYS);
			add(f->show, &f->show_count, FIELD_OVERHEAD_US);
		}
		if (r->samples)
			add(f->show, &f->show_count, FIELD_SAMPLES);
		if (r->period)
			add(f->show, &f->show_count, FIELD_PERIOD);
	}
	if (!r->fields)
		return true;
	const char *list = r->fields + adds(r->fields);
	if (!*list)
		return err_set(err, ERR_USAGE, "--fields names no column");
	return parse(list, "--fields", f->show, &f->show_count, err);
}

bool hist_fields_set(struct hist_fields *f, const struct hist_request *r, struct err *err)
{
	*f = (struct hist_fields){0};
	if (!set_sort(f, r, err) || !set_show(f, r, err))
		return false;
	/* What orders the entries is shown, and what is shown orders them. */
	for (size_t i = 0; i < f->sort_count; i++)
		add(f->show, &f->show_count, f->sort[i]);
	for (size_t i = 0; i < f->show_count; i++)
		add(f->sort, &f->sort_count, f->show[i]);
	return true;
}

void hist_fields_no_children(struct hist_fields *f, const struct hist_request *r)
{
	if (r->fields && !adds(r->fields))
		return;
	f->self = false;
	size_t n = 0;
	for (size_t i = 0; i < f->show_count; i++)
		if (f->show[i] != FIELD_CHILDREN)
			f->show[n++] = f->show[i];
	f->show_count = n;
}

void hist_fields_hide(struct hist_fields *f, uint32_t mask)
{
	for (size_t i = 0; i < f->show_count; i++) {
		if (hist_field_is_key(f->show[i]) && !(mask >> f->show[i] & 1)) {
			f->hidden = mask;
			return;
		}
	}
}
