#include "ingest/event_text.h"

static const struct {
	const char *name;
	uint32_t bit;
} names[] = {
	{"comm", TEXT_COMM},
	{"tid", TEXT_TID},
	{"pid", TEXT_PID},
	{"time", TEXT_TIME},
	{"cpu", TEXT_CPU},
	{"event", TEXT_EVENT},
	{"trace", TEXT_TRACE},
	{"ip", TEXT_IP},
	{"sym", TEXT_SYM},
	{"dso", TEXT_DSO},
	{"addr", TEXT_ADDR},
	{"symoff", TEXT_SYMOFF},
	{"period", TEXT_PERIOD},
	{"srcline", TEXT_SRCLINE},
	{"weight", TEXT_WEIGHT},
	{"misc", TEXT_MISC},
	{"phys_addr", TEXT_PHYS_ADDR},
	{"data_page_size", TEXT_DATA_PAGE_SIZE},
	{"code_page_size", TEXT_CODE_PAGE_SIZE},
};

static const struct {
	const char *name;
	uint32_t type;
} types[] = {
	{"hw", PERF_TYPE_HARDWARE},      {"sw", PERF_TYPE_SOFTWARE},
	{"trace", PERF_TYPE_TRACEPOINT}, {"raw", PERF_TYPE_RAW},
	{"break", PERF_TYPE_BREAKPOINT},
};

#define TEXT_SAMPLES                                                                     \
	(TEXT_COMM | TEXT_TID | TEXT_CPU | TEXT_TIME | TEXT_EVENT | TEXT_IP | TEXT_SYM | \
	 TEXT_SYMOFF | TEXT_DSO | TEXT_PERIOD)

void text_fields_init(struct text_fields *f)
{
	*f = (struct text_fields){0};
	for (size_t t = 0; t < TEXT_TYPES; t++)
		f->of[t] = TEXT_SAMPLES;
	f->of[PERF_TYPE_TRACEPOINT] = TEXT_COMM | TEXT_TID | TEXT_CPU | TEXT_TIME | TEXT_EVENT |
				      TEXT_TRACE;
	f->of[PERF_TYPE_RAW] |= TEXT_ADDR | TEXT_WEIGHT | TEXT_PHYS_ADDR | TEXT_DATA_PAGE_SIZE |
				TEXT_CODE_PAGE_SIZE;
}

bool text_fields_any(const struct text_fields *f, enum text_field field)
{
	for (size_t t = 0; t < TEXT_TYPES; t++)
		if (f->of[t] & field)
			return true;
	return false;
}

void text_fields_names(struct out *o)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		out_fmt(o, "%s%s", i ? "," : "", names[i].name);
}

static uint32_t field_bit(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_is(name, names[i].name))
			return names[i].bit;
	return 0;
}

/* One word for one type of event. Only tracepoints have a payload to print. */
static void apply(struct text_fields *f, size_t type, uint32_t bit, char sign)
{
	if (bit == TEXT_TRACE && type != PERF_TYPE_TRACEPOINT)
		return;
	if (sign == '-') {
		f->of[type] &= ~bit;
		return;
	}
	f->of[type] |= bit;
	f->asked[type] |= bit;
}

static bool unknown_field(struct str name, struct err *err)
{
	struct out o;
	err_set(err, ERR_USAGE, "-F: there is no field \"%.*s\"", (int)name.n, name.p);
	out_memory(&o);
	text_fields_names(&o);
	err_hint(err, "fields are %.*s", (int)o.n, o.buf);
	(void)out_finish(&o);
	return false;
}

bool text_fields_parse(struct text_fields *f, const char *text, struct err *err)
{
	struct str rest = str_of(text), tail;
	size_t first = 0, last = TEXT_TYPES - 1;
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		size_t n = strlen(types[i].name);
		if (str_starts(rest, types[i].name) && rest.n > n && rest.p[n] == ':') {
			first = last = types[i].type;
			rest = str_skip(rest, n + 1);
		}
	}
	/* A list without signs replaces the defaults; one with signs changes them. */
	bool relative = rest.n && (rest.p[0] == '+' || rest.p[0] == '-');
	for (size_t t = first; t <= last && !relative; t++) {
		f->of[t] = 0;
		f->user_set[t] = true;
	}
	while (rest.p) {
		struct str word = str_split(rest, ',', &tail);
		rest = tail;
		if (!word.n)
			continue;
		char sign = 0;
		if (word.n && (word.p[0] == '+' || word.p[0] == '-')) {
			sign = word.p[0];
			word = str_skip(word, 1);
		}
		if (relative && !sign)
			sign = '+';
		uint32_t bit = field_bit(word);
		if (!bit)
			return unknown_field(word, err);
		for (size_t t = first; t <= last; t++)
			apply(f, t, bit, sign);
	}
	return true;
}
