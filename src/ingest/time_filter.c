#include "ingest/time_filter.h"

#include <math.h>
#include <stdlib.h>

#include "ingest/scan.h"

#define SECOND UINT64_C(1000000000)

struct parser {
	struct time_filter *f;
	uint64_t first, last;
	bool relative;
};

bool time_filter_wants_span(const char *text)
{
	return strchr(text, '%') != NULL;
}

/* --- times ----------------------------------------------------------------------------------- */

/* "SECONDS[.FRACTION]", at most nine digits behind the point. */
static bool parse_time(struct str s, uint64_t *out)
{
	struct str fraction, seconds = str_split(s, '.', &fraction);
	uint64_t sec, nsec = 0;
	if (!str_to_u64(seconds, 10, &sec) || sec > UINT64_MAX / SECOND - 1 || fraction.n > 9)
		return false;
	if (fraction.n && !str_to_u64(fraction, 10, &nsec))
		return false;
	for (size_t i = fraction.n; i < 9; i++)
		nsec *= 10;
	*out = sec * SECOND + nsec;
	return true;
}

/* "START,END" */
static bool parse_range(struct parser *p, struct str s)
{
	struct str end, start = str_split(s, ',', &end);
	struct time_range r = {0};
	if (!end.p || (start.n && !parse_time(start, &r.start)) ||
	    (end.n && !parse_time(end, &r.end)))
		return false;
	if (p->relative) {
		r.start += p->first;
		r.end += end.n ? p->first : 0;
	}
	if (r.end && r.end < r.start)
		return false;
	/* Ranges follow each other. */
	if (p->f->ranges.n) {
		const struct time_range *before = &vec_last(&p->f->ranges);
		if (!before->end || before->end >= r.start)
			return false;
	}
	vec_push(&p->f->ranges, r);
	return true;
}

static bool parse_ranges(struct parser *p, struct str s)
{
	size_t i = 0;
	do {
		size_t end = skip_word(s, i);
		if (!parse_range(p, str_make(s.p + i, end - i)))
			return false;
		i = skip_blanks(s, end);
		if (i == s.n && i > end)
			return false;
	} while (i < s.n);
	return true;
}

/* --- parts ----------------------------------------------------------------------------------- */

/* "12.5%" as 0.125. */
static bool parse_percent(struct str s, double *out)
{
	char text[32];
	if (!str_ends(s, "%") || s.n < 2 || s.n > sizeof text)
		return false;
	memcpy(text, s.p, s.n - 1);
	text[s.n - 1] = '\0';
	char *end;
	*out = strtod(text, &end) / 100;
	return *end == '\0' && *out >= 0 && *out <= 1;
}

static bool add_part(struct parser *p, double from, double to)
{
	double total = (double)(p->last - p->first);
	if (!(from >= 0 && to <= 1 && from <= to))
		return false;
	struct time_range r = {p->first + (uint64_t)round(from * total),
			       p->first + (uint64_t)round(to * total)};
	/* The next part begins here. */
	if (r.end > r.start && r.end != p->last)
		r.end--;
	vec_push(&p->f->ranges, r);
	return true;
}

/* "10%/2" */
static bool parse_slice(struct parser *p, struct str s)
{
	struct str number, size = str_split(s, '/', &number);
	double part;
	uint64_t n;
	if (!parse_percent(size, &part) || part <= 0 || !str_to_u64(number, 10, &n) || n < 1 ||
	    n > 1000000)
		return false;
	return add_part(p, part * (double)(n - 1), part * (double)n);
}

/* "0%-10%" */
static bool parse_part(struct parser *p, struct str s)
{
	struct str to_text, from_text = str_split(s, '-', &to_text);
	double from, to;
	return parse_percent(from_text, &from) && parse_percent(to_text, &to) &&
	       add_part(p, from, to);
}

/* All of a list are slices or all are parts. */
static bool parse_parts(struct parser *p, struct str s)
{
	bool slices = memchr(s.p, '/', s.n) != NULL;
	if (!slices && !memchr(s.p, '-', s.n)) {
		double part;
		return parse_percent(str_trim(s), &part) && add_part(p, 0, part);
	}
	while (s.p) {
		struct str item = str_trim(str_split(s, ',', &s));
		if (!(slices ? parse_slice(p, item) : parse_part(p, item)))
			return false;
	}
	return true;
}

/* --- all of it ------------------------------------------------------------------------------- */

bool time_filter_parse(struct time_filter *f, const char *text, uint64_t first, uint64_t last,
		       bool relative, struct err *err)
{
	*f = (struct time_filter){0};
	struct parser p = {.f = f, .first = first, .last = MAX(first, last), .relative = relative};
	bool parts = time_filter_wants_span(text);
	if (parts ? parse_parts(&p, str_of(text)) : parse_ranges(&p, str_of(text)))
		return true;
	time_filter_free(f);
	err_set(err, ERR_USAGE, "\"%s\" is no range of times for --time", text);
	return err_hint(err,
			"as in 1234.5,1236 (seconds; `kiln script -F time` shows them), 10%%/2 "
			"or 0%%-10%%,30%%-40%%");
}

void time_filter_free(struct time_filter *f)
{
	vec_free(&f->ranges);
}

bool time_filter_accepts(const struct time_filter *f, uint64_t time)
{
	if (!f->ranges.n || !time)
		return true;
	for (size_t i = 0; i < f->ranges.n; i++)
		if (time >= f->ranges.v[i].start &&
		    (time <= f->ranges.v[i].end || !f->ranges.v[i].end))
			return true;
	return false;
}
