/* What kind of input is this? By content, never by name. */
#include "ingest/import.h"
#include "ingest/scan.h"

static bool is_perfdata(struct str s)
{
	/* "PERFILE2" and the older "PERFFILE", as written and byte-swapped. */
	return str_starts(s, "PERFILE2") || str_starts(s, "2ELIFREP") ||
	       str_starts(s, "PERFFILE") || str_starts(s, "ELIFFREP");
}

/* "1234.567890:" */
static bool is_time_word(struct str w)
{
	size_t dot = skip_digits(w, 0);
	return dot && dot + 2 < w.n && w.p[dot] == '.' && w.p[w.n - 1] == ':' &&
	       skip_digits(w, dot + 1) == w.n - 1;
}

static bool looks_like_head(struct str line)
{
	for (size_t i = skip_blanks(line, 0); i < line.n;) {
		size_t end = skip_word(line, i);
		if (i && is_time_word(str_make(line.p + i, end - i)))
			return true;
		i = skip_blanks(line, end);
	}
	return false;
}

/* Blanks, an address, a name; the dso in brackets, or a tab in front, tells it from other text. */
static bool looks_like_frame(struct str line)
{
	size_t start = skip_blanks(line, 0), end = start;
	while (end < line.n && is_hex_char(line.p[end]))
		end++;
	return start && end > start && end < line.n && line.p[end] == ' ' &&
	       (line.p[0] == '\t' || line.p[line.n - 1] == ')');
}

static bool looks_folded(struct str line)
{
	ptrdiff_t blank = find_last(line, line.n, ' ');
	if (blank < 0)
		blank = find_last(line, line.n, '\t');
	struct str fraction;
	struct str number = str_split(str_skip(line, (size_t)(blank + 1)), '.', &fraction);
	return blank >= 0 && all_digits(number) && (!fraction.n || all_digits(fraction));
}

enum input_kind input_sniff(const void *p, size_t n)
{
	struct str text = str_make(p, n), line;
	if (is_perfdata(text))
		return INPUT_PERFDATA;
	if (!n || memchr(p, '\0', n))
		return INPUT_UNKNOWN;
	bool folded = false, comments = false;
	while (str_line(&text, &line)) {
		/* The last line may be cut in the middle. */
		if (!text.p && (folded || comments))
			break;
		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		if (!line.n)
			continue;
		if (line.p[0] == '#') {
			comments |= str_starts(line, "# ====") || str_starts(line, "# cmdline");
			continue;
		}
		if (looks_like_head(line) || looks_like_frame(line))
			return INPUT_PERF_SCRIPT;
		folded |= looks_folded(line);
	}
	if (comments)
		return INPUT_PERF_SCRIPT;
	return folded ? INPUT_FOLDED : INPUT_UNKNOWN;
}
