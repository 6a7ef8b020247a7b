/* The quality of stacks, as text and as JSON. */
#include "base/json.h"
#include "render/render.h"

#define OBJECTS_SHOWN 10
#define MIN_PERCENT 0.1

static struct str name_of(const struct profile *p, string_id name)
{
	return name.v ? profile_str(p, name) : STR("[unknown]");
}

static void text_line(struct out *o, const char *what, uint64_t n, uint64_t of, const char *more)
{
	out_fmt(o, "  %6.2f %%  %-9s %s\n", quality_percent(n, of), what, more);
}

static void text_objects(struct out *o, const struct profile *p, const char *title,
			 const struct quality_object *v, size_t n, uint64_t of, const char *verb)
{
	size_t shown = 0;
	for (; shown < n && shown < OBJECTS_SHOWN; shown++) {
		double percent = quality_percent(v[shown].count, of);
		struct str name = name_of(p, v[shown].name);
		if (percent < MIN_PERCENT)
			break;
		if (!shown)
			out_fmt(o, "#\n# %s\n#\n", title);
		out_fmt(o, "  %6.2f %%  %.*s: %s; %s\n", percent, (int)name.n, name.p, verb,
			quality_cure(v[shown].fault));
	}
	if (shown && shown < n)
		out_fmt(o, "             and %zu more\n", n - shown);
}

void quality_text(struct out *o, const struct profile *p, event_id event, const struct quality *q)
{
	struct str name = profile_str(p, p->events.v[event.v].name);
	out_fmt(o, "# Stacks of event '%.*s': %" PRIu64 "\n#\n", (int)name.n, name.p, q->stacks);
	if (!q->stacks)
		return;
	text_line(o, "whole", q->whole, q->stacks, "reach the start of their thread");
	text_line(o, "cut", q->cut, q->stacks,
		  q->cut ? quality_cut_cure(q) : "deeper than what was recorded");
	text_line(o, "broken", q->broken, q->stacks, "end in the middle");
	text_line(o, "nameless", q->nameless, q->frames, "of all frames");
	text_objects(o, p, "Where broken stacks end", q->ends.v, q->ends.n, q->stacks,
		     "stacks end here");
	text_objects(o, p, "Where frames have no names", q->names.v, q->names.n, q->frames,
		     "frames without a name");
	out_char(o, '\n');
}

static void json_number(struct out *o, const char *name, uint64_t v)
{
	out_fmt(o, "\"%s\":%" PRIu64 ",", name, v);
}

static void json_objects(struct out *o, const struct profile *p, const char *title,
			 const struct quality_object *v, size_t n)
{
	out_fmt(o, "\"%s\":[", title);
	for (size_t i = 0; i < n; i++) {
		out_cstr(o, i ? ",{\"object\":" : "{\"object\":");
		json_string(o, name_of(p, v[i].name));
		out_fmt(o, ",\"count\":%" PRIu64 ",\"cure\":", v[i].count);
		json_string(o, str_of(quality_cure(v[i].fault)));
		out_char(o, '}');
	}
	out_char(o, ']');
}

void quality_json(struct out *o, const struct profile *p, event_id event, const struct quality *q)
{
	out_cstr(o, "{\"event\":");
	json_string(o, profile_str(p, p->events.v[event.v].name));
	out_char(o, ',');
	json_number(o, "stacks", q->stacks);
	json_number(o, "whole", q->whole);
	json_number(o, "cut", q->cut);
	json_number(o, "broken", q->broken);
	json_number(o, "frames", q->frames);
	json_number(o, "nameless", q->nameless);
	json_objects(o, p, "ends", q->ends.v, q->ends.n);
	out_char(o, ',');
	json_objects(o, p, "names", q->names.v, q->names.n);
	out_char(o, '}');
}
