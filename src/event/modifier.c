#include "event/modifier.h"

#include "perfdata/attr.h"

#define LETTERS "ukhGHIpPSDWebR"

bool modifiers_like(struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!memchr(LETTERS, text.p[i], sizeof LETTERS - 1))
			return false;
	return text.n > 0;
}

/* Each letter once, p up to three times. */
static bool check(struct str text, struct str *bad, struct err *err)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		size_t before = 0;
		*bad = str_make(text.p + i, 1);
		if (!memchr(LETTERS, c, sizeof LETTERS - 1)) {
			err_set(err, ERR_USAGE, "\"%c\" is no event modifier", c);
			return err_hint(err, "modifiers are the letters %s", LETTERS);
		}
		for (size_t k = 0; k < i; k++)
			before += text.p[k] == c;
		if (c == 'p' ? before > 2 : before > 0)
			return err_set(err, ERR_USAGE, "modifier %c may be given %s", c,
				       c == 'p' ? "three times at most" : "only once");
	}
	return true;
}

static void name_level(struct modifiers *m, uint64_t level)
{
	const uint64_t levels = ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
	if (!(m->flags & levels))
		m->flags |= levels;
	m->flags &= ~level;
	if (level != ATTR_EXCLUDE_USER)
		m->wants_kernel = true;
	else if (!m->side_named)
		m->flags |= ATTR_EXCLUDE_GUEST;
}

static void name_side(struct modifiers *m, uint64_t side)
{
	if (!m->side_named)
		m->flags |= ATTR_EXCLUDE_GUEST | ATTR_EXCLUDE_HOST;
	m->side_named = true;
	m->flags &= ~side;
}

/*
 * perf's rules. Naming one of u k h excludes the other two levels; G and H do the same among
 * themselves. Guests are left out of an event without modifiers and of user space, and precise
 * sampling never works in guests; any other modifier lets them in.
 */
static void add(struct modifiers *m, char c)
{
	switch (c) {
	case 'u':
		name_level(m, ATTR_EXCLUDE_USER);
		break;
	case 'k':
		name_level(m, ATTR_EXCLUDE_KERNEL);
		break;
	case 'h':
		name_level(m, ATTR_EXCLUDE_HV);
		break;
	case 'G':
		name_side(m, ATTR_EXCLUDE_GUEST);
		break;
	case 'H':
		name_side(m, ATTR_EXCLUDE_HOST);
		break;
	case 'I':
		m->flags |= ATTR_EXCLUDE_IDLE;
		break;
	case 'D':
		m->flags |= ATTR_PINNED;
		break;
	case 'e':
		m->flags |= ATTR_EXCLUSIVE;
		break;
	case 'p':
		m->precise++;
		if (!m->side_named)
			m->flags |= ATTR_EXCLUDE_GUEST;
		break;
	case 'P':
		m->max_precise = true;
		break;
	case 'S':
		m->sample_read = true;
		break;
	case 'W':
		m->weak = true;
		break;
	case 'b':
		m->bpf = true;
		break;
	case 'R':
		m->retire = true;
		break;
	}
}

bool modifiers_add(struct modifiers *m, struct str text, struct str *bad, struct err *err)
{
	if (!check(text, bad, err))
		return false;
	for (size_t i = 0; i < text.n; i++)
		add(m, text.p[i]);
	if (m->precise > 3) {
		*bad = text;
		return err_set(
			err, ERR_USAGE,
			"the event's and its group's modifiers give p more than three times");
	}
	return true;
}
