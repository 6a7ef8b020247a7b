#include "ingest/classic_text.h"

#include "ingest/scan.h"

/* The shortest text of at least two characters, the first not blank, that is followed by blanks and
 * a number, or two with '/' between, and more blanks. So a command name of one character takes
 * along what follows it, and one with a number inside is cut there. */
bool classic_head(struct str line, struct classic_head *h)
{
	if (!line.n || is_blank_char(line.p[0]))
		return false;
	for (size_t end = 2; end < line.n; end++) {
		if (!is_blank_char(line.p[end]))
			continue;
		size_t first = skip_blanks(line, end);
		size_t slash = skip_digits(line, first);
		size_t second = slash;
		while (second < line.n && line.p[second] == '/')
			second++;
		size_t after = skip_digits(line, second);
		if (slash > first && after < line.n && is_blank_char(line.p[after])) {
			h->comm = str_make(line.p, end);
			h->pid = str_make(line.p + first, slash - first);
			h->tid = str_make(line.p + second, slash == second ? 0 : after - second);
			/* A thread id of 0 counts as none. */
			if (!h->tid.n || str_is(h->tid, "0")) {
				h->tid = h->pid;
				h->pid = STR("?");
			}
			return true;
		}
		end = first - 1;
	}
	return false;
}

/* A line that ends in ": PERIOD EVENT:" or ": EVENT:". */
bool classic_event(struct str line, struct str *period, struct str *event)
{
	while (line.n && is_blank_char(line.p[line.n - 1]))
		line.n--;
	size_t start = line.n;
	while (start && !is_blank_char(line.p[start - 1]))
		start--;
	if (line.n - start < 2 || line.p[line.n - 1] != ':')
		return false;
	*event = str_make(line.p + start, line.n - 1 - start);
	size_t end = start;
	while (end && is_blank_char(line.p[end - 1]))
		end--;
	size_t digits = end;
	while (digits && is_digit_char(line.p[digits - 1]))
		digits--;
	*period = str_make(line.p + digits, end - digits);
	if (period->n)
		for (end = digits; end && is_blank_char(line.p[end - 1]);)
			end--;
	return start && end && line.p[end - 1] == ':';
}

/* Blanks, word characters (the address), blanks, at least one character (the name), " (", the dso,
 * ")": each takes as much as it can, from left to right, as long as the rest still fits. So the dso
 * begins at the last " (" that a ')' follows, and a name may lose characters to nothing but the
 * address. */
bool classic_frame(struct str line, struct classic_frame *f)
{
	ptrdiff_t close = find_last(line, line.n, ')');
	ptrdiff_t open = close;
	do
		open = open > 0 ? find_last(line, (size_t)open, '(') : -1;
	while (open > 0 && line.p[open - 1] != ' ');
	if (open < 1)
		return false;
	size_t gap = (size_t)open - 1;
	size_t pc = skip_blanks(line, 0), pc_end = pc;
	while (pc_end < line.n && is_word_char(line.p[pc_end]))
		pc_end++;
	size_t name = skip_blanks(line, pc_end);
	if (name >= gap)
		name = gap - (gap > 0);
	if (pc_end > name)
		pc_end = name;
	if (pc_end <= pc || name >= gap)
		return false;
	f->pc = str_make(line.p + pc, pc_end - pc);
	f->name = strip_offset(str_make(line.p + name, gap - name));
	f->dso = str_make(line.p + open + 1, (size_t)(close - open - 1));
	return true;
}

bool classic_part(struct str *rest, struct str *part)
{
	/* Empty parts at the end do not count. */
	while (str_ends(*rest, "->"))
		rest->n -= 2;
	if (!rest->p || !rest->n)
		return false;
	const char *arrow = memmem(rest->p, rest->n, "->", 2);
	*part = str_make(rest->p, arrow ? (size_t)(arrow - rest->p) : rest->n);
	*rest = arrow ? str_skip(*rest, part->n + 2) : (struct str){0};
	return true;
}

static bool holds(struct str s, const char *what)
{
	return s.n && memmem(s.p, s.n, what, strlen(what));
}

static void put_unknown(struct out *o, const struct classic_frame *f, bool addrs)
{
	out_char(o, '[');
	out_str(o, str_is(f->dso, "[unknown]") ? STR("unknown") : str_basename(f->dso));
	if (addrs) {
		out_cstr(o, " <");
		out_str(o, f->pc);
		out_char(o, '>');
	}
	out_char(o, ']');
}

/* "net/http.(*Client).Do": ".(" and somewhere behind it ")." */
static bool is_go_method(struct str s)
{
	const char *open = s.n ? memmem(s.p, s.n, ".(", 2) : NULL;
	return open && memmem(open + 2, s.n - (size_t)(open + 2 - s.p), ").", 2);
}

/* ';' becomes ':', arguments go, unless the name is a Go method's, and so do quotes and the 'L' in
 * front of a Java class. */
static void tidy(struct out *o, bool java)
{
	char *v = o->buf;
	size_t n = 0, end = o->n;
	for (size_t i = 0; i < end; i++)
		if (v[i] == ';')
			v[i] = ':';
	for (size_t i = 0; i < end && !is_go_method(str_make(v, o->n)); i++)
		if (v[i] == '(' && !str_starts(str_make(v + i, end - i), "(anonymous namespace)"))
			end = i;
	for (size_t i = 0; i < end; i++)
		if (v[i] != '"' && v[i] != '\'')
			v[n++] = v[i];
	if (java && n && v[0] == 'L' && memchr(v, '/', n))
		memmove(v, v + 1, --n);
	o->n = n;
}

static bool is_perf_map(struct str dso)
{
	for (struct str s = dso;;) {
		const char *hit = s.n ? memmem(s.p, s.n, "/tmp/perf-", 10) : NULL;
		if (!hit)
			return false;
		s = str_skip(s, (size_t)(hit - s.p) + 10);
		size_t digits = skip_digits(s, 0);
		if (digits && str_starts(str_skip(s, digits), ".map"))
			return true;
	}
}

void classic_name(struct out *o, const struct classic_frame *f, struct str part,
		  const struct classic_style *style)
{
	o->n = 0;
	if (str_is(part, "[unknown]"))
		put_unknown(o, f, style->addrs);
	else
		out_str(o, part);
	tidy(o, style->java);
	bool kernel = (str_starts(f->dso, "[") || str_ends(f->dso, "vmlinux")) &&
		      !holds(f->dso, "unknown");
	if (style->inlined)
		out_cstr(o, holds(out_text(o), "_[i]") ? "" : "_[i]");
	else if (style->kernel && kernel)
		out_cstr(o, "_[k]");
	else if (style->jit && is_perf_map(f->dso))
		out_cstr(o, holds(out_text(o), "_[j]") ? "" : "_[j]");
}
