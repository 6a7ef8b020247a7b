/* What --control orders. */
#include <stdio.h>

#include "base/out.h"
#include "capture/run.h"
#include "perfdata/describe.h"

static void note(const struct capture *c, const char *what, const char *word)
{
	char text[320];
	snprintf(text, sizeof text, "--control: %s \"%s\"", what, word);
	if (c->plan->note)
		c->plan->note(text);
}

/* By its full name, or by that without the modifiers. */
static bool is_named(const struct counter *k, struct str word)
{
	struct str name = str_of(k->name);
	if (str_eq(name, word))
		return true;
	size_t modifiers = k->event && k->event->modifiers ? strlen(k->event->modifiers) : 0;
	if (!modifiers || name.n <= modifiers + 1 || name.p[name.n - modifiers - 1] != ':')
		return false;
	name.n -= modifiers + 1;
	return str_eq(name, word);
}

static struct counter *find(struct capture *c, const char *word)
{
	for (size_t i = 0; i < c->counters.v.n; i++)
		if (is_named(&c->counters.v.v[i], str_of(word)))
			return &c->counters.v.v[i];
	note(c, "there is no event", word);
	return NULL;
}

static void turn(struct capture *c, bool on)
{
	if (!c->control.word[0]) {
		if (on)
			counters_enable(&c->counters);
		else
			counters_pause(&c->counters);
		return;
	}
	struct counter *k = find(c, c->control.word);
	if (k)
		counter_turn(k, on);
}

/* --- evlist -------------------------------------------------------------------------------- */

static void put_group(struct out *o, const struct counters *cs, size_t leader)
{
	const struct counter *k = &cs->v.v[leader];
	bool braces = k->members > 1;
	if (braces)
		out_fmt(o, "%s{", k->group_name ? k->group_name : "");
	for (size_t i = 0; i < k->members; i++)
		out_fmt(o, "%s%s", i ? "," : "", cs->v.v[leader + i].name);
	out_cstr(o, braces ? "}" : "");
}

static void put_event(struct out *o, const struct counters *cs, size_t i, enum describe_event what)
{
	const struct counter *k = &cs->v.v[i];
	if (what == DESCRIBE_GROUP) {
		put_group(o, cs, i);
		return;
	}
	out_cstr(o, k->name);
	if (what == DESCRIBE_ATTR) {
		/* The first separator is a colon. */
		struct out attr;
		out_memory(&attr);
		attr_describe(&attr, &k->attr, ", ", ": ");
		out_char(o, ':');
		out_str(o, str_skip(out_text(&attr), 1));
		(void)out_finish(&attr);
	} else if (what == DESCRIBE_FREQ) {
		out_fmt(o, ": sample_%s=%" PRIu64, k->attr.flags & ATTR_FREQ ? "freq" : "period",
			k->attr.sample_period);
	}
}

static void list_events(const struct capture *c)
{
	const char *word = c->control.word;
	enum describe_event what = DESCRIBE_NAME;
	if (!strcmp(word, "-v"))
		what = DESCRIBE_ATTR;
	else if (!strcmp(word, "-g"))
		what = DESCRIBE_GROUP;
	else if (!strcmp(word, "-F"))
		what = DESCRIBE_FREQ;
	else if (*word) {
		note(c, "evlist knows -v, -g and -F, not", word);
		return;
	}
	struct out o;
	out_memory(&o);
	for (size_t i = 0; i < c->counters.v.n; i++) {
		if (what == DESCRIBE_GROUP && c->counters.v.v[i].leader != i)
			continue;
		put_event(&o, &c->counters, i, what);
		out_char(&o, '\n');
	}
	out_char(&o, '\0');
	if (c->plan->answer)
		c->plan->answer(o.buf);
	(void)out_finish(&o);
}

/* --- obeying ------------------------------------------------------------------------------- */

bool orders_obey(struct capture *c, bool *over, struct err *err)
{
	enum order order;
	bool unknown, ok = true;
	while (ok && ((order = control_next(&c->control, &unknown)) != ORDER_NONE || unknown)) {
		if (unknown) {
			if (c->plan->note)
				c->plan->note("--control: an order that is none of enable, "
					      "disable, evlist, snapshot, ping, stop");
			continue;
		}
		if (order == ORDER_ENABLE || order == ORDER_DISABLE)
			turn(c, order == ORDER_ENABLE);
		else if (order == ORDER_EVLIST)
			list_events(c);
		else if (order == ORDER_SNAPSHOT)
			ok = loop_dump(c, err);
		else if (order == ORDER_STOP)
			*over = c->result->cut_short = true;
		control_ack(&c->control);
	}
	return ok;
}
