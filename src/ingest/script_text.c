#include "ingest/script_text.h"

#include "ingest/scan.h"

struct word {
	size_t start, end;
};

static struct str word_text(struct str line, struct word w)
{
	return str_make(line.p + w.start, w.end - w.start);
}

static struct word next_word(struct str line, size_t from)
{
	size_t start = skip_blanks(line, from);
	return (struct word){start, skip_word(line, start)};
}

/* "1234.567890:" */
static bool is_time(struct str w)
{
	size_t dot = skip_digits(w, 0);
	return dot && dot + 2 < w.n && w.p[dot] == '.' && w.p[w.n - 1] == ':' &&
	       skip_digits(w, dot + 1) == w.n - 1;
}

/* "[003]" */
static bool is_cpu(struct str w)
{
	return w.n > 2 && w.p[0] == '[' && w.p[w.n - 1] == ']' && skip_digits(w, 1) == w.n - 1;
}

/* The letters of `-F misc`: K, U, H, G, E, S … */
static bool is_misc(struct str w)
{
	for (size_t i = 0; i < w.n; i++)
		if (w.p[i] < 'A' || w.p[i] > 'Z')
			return false;
	return w.n > 0 && w.n <= 4;
}

static bool parse_id(struct str s, int32_t *out)
{
	uint64_t v;
	bool negative = s.n && s.p[0] == '-';
	if (!str_to_u64(negative ? str_skip(s, 1) : s, 10, &v) || v > INT32_MAX)
		return false;
	*out = negative ? -(int32_t)v : (int32_t)v;
	return all_digits(negative ? str_skip(s, 1) : s);
}

/* "TID" or "PID/TID" */
static bool is_ids(struct str w, struct script_head *h)
{
	struct str tid;
	struct str first = str_split(w, '/', &tid);
	h->pid = -1;
	if (!tid.p)
		return parse_id(first, &h->tid);
	return parse_id(first, &h->pid) && parse_id(tid, &h->tid);
}

/* Names and ids in front of the time, which is the word behind `before`; words counted back. */
static bool ids_before(struct str line, const struct word *before, size_t n, struct script_head *h)
{
	size_t i = n;
	if (i && is_misc(word_text(line, before[i - 1])) && i > 1)
		i--;
	if (i && is_cpu(word_text(line, before[i - 1])))
		i--;
	if (!i || !is_ids(word_text(line, before[i - 1]), h))
		return false;
	h->comm = str_trim(str_make(line.p, before[i - 1].start));
	return h->comm.n > 0;
}

/* PERIOD EVENT: REST, the period or all of it missing. */
static void parse_event(struct str s, struct script_head *h)
{
	h->period = 1;
	h->event = h->rest = STR("");
	struct word w = next_word(s, 0);
	if (str_starts(word_text(s, w), "PERF_RECORD_")) {
		h->side_band = true;
		return;
	}
	if (all_digits(word_text(s, w)) && str_to_u64(word_text(s, w), 10, &h->period)) {
		h->has_period = true;
		w = next_word(s, w.end);
	}
	for (size_t i = w.start; i < s.n; i++) {
		if (s.p[i] != ':' || (i + 1 < s.n && !is_blank_char(s.p[i + 1])))
			continue;
		h->event = str_make(s.p + w.start, i - w.start);
		h->rest = str_trim(str_skip(s, i + 1));
		return;
	}
	h->rest = str_trim(str_skip(s, w.start));
}

/* Text without times: the first number is the thread; an event or nothing must follow. */
static bool timeless_head(struct str line, struct script_head *h)
{
	struct word w = next_word(line, 0);
	for (w = next_word(line, w.end); w.start < line.n; w = next_word(line, w.end)) {
		if (!is_ids(word_text(line, w), h))
			continue;
		h->comm = str_trim(str_make(line.p, w.start));
		struct word cpu = next_word(line, w.end);
		parse_event(str_skip(line, is_cpu(word_text(line, cpu)) ? cpu.end : w.end), h);
		return h->event.n || (!h->rest.n && !h->has_period);
	}
	return false;
}

bool script_head(struct str line, bool timeless, struct script_head *h)
{
	*h = (struct script_head){0};
	struct word before[3] = {{0}};
	size_t n = 0;
	for (struct word w = next_word(line, 0); w.start < line.n; w = next_word(line, w.end)) {
		if (n > 0 && is_time(word_text(line, w)) && ids_before(line, before, n, h)) {
			parse_event(str_skip(line, w.end), h);
			return true;
		}
		if (n == 3) {
			before[0] = before[1];
			before[1] = before[2];
			n--;
		}
		before[n++] = w;
	}
	return timeless && timeless_head(line, h);
}

/* Where " (" of the dso begins in text that ends in ')'; text.n when there is none. Symbols and
 * paths may hold blanks and brackets: the offset tells best, balanced brackets next best. */
static size_t dso_start(struct str s)
{
	for (size_t end = s.n; end > 0;) {
		ptrdiff_t plus = find_last(s, end, '+');
		if (plus < 0)
			break;
		size_t i = (size_t)plus + 1, hex;
		if (i + 2 < s.n && s.p[i] == '0' && s.p[i + 1] == 'x') {
			for (hex = i + 2; hex < s.n && is_hex_char(s.p[hex]);)
				hex++;
			if (hex > i + 2 && hex + 1 < s.n && s.p[hex] == ' ' && s.p[hex + 1] == '(')
				return hex;
		}
		end = (size_t)plus;
	}
	size_t depth = 0, last = s.n;
	for (size_t i = s.n; i-- > 0;) {
		if (s.p[i] == ')')
			depth++;
		else if (s.p[i] == '(' && i && s.p[i - 1] == ' ' && last == s.n)
			last = i - 1;
		if (s.p[i] == '(' && depth && --depth == 0)
			return i && s.p[i - 1] == ' ' ? i - 1 : last;
	}
	return last;
}

bool script_frame(struct str text, struct script_frame *f)
{
	*f = (struct script_frame){0};
	text = str_trim(text);
	size_t hex = 0;
	while (hex < text.n && is_hex_char(text.p[hex]))
		hex++;
	if (!hex || (hex < text.n && text.p[hex] != ' ') ||
	    !str_to_u64(str_make(text.p, hex), 16, &f->addr))
		return false;
	struct str rest = str_trim(str_skip(text, hex));
	size_t at = rest.n && rest.p[rest.n - 1] == ')' ? dso_start(rest) : rest.n;
	f->name = strip_offset(str_make(rest.p, at));
	if (at < rest.n)
		f->dso = strip_offset(str_make(rest.p + at + 2, rest.n - at - 3));
	if (str_is(f->dso, "inlined")) {
		f->inlined = true;
		f->dso = STR("");
	}
	if (str_is(f->name, "[unknown]"))
		f->name = STR("");
	if (str_is(f->dso, "[unknown]"))
		f->dso = STR("");
	return true;
}
