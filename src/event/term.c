#include "event/term.h"

#include <linux/perf_event.h>

#include "event/branch.h"

#define MAX_STACK_SIZE 65528 /* a sample is at most 64 kB; a multiple of 8 */

static bool parse_number(struct str s, uint64_t *out)
{
	if (str_starts(s, "0x") || str_starts(s, "0X"))
		return str_to_u64(str_skip(s, 2), 16, out);
	return str_to_u64(s, 10, out);
}

/* The end of the term: a comma outside of quotes. */
static size_t term_length(struct str s)
{
	bool quoted = false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\'')
			quoted = !quoted;
		else if (s.p[i] == ',' && !quoted)
			return i;
	}
	return s.n;
}

bool term_next(struct str *rest, struct term *t, struct str *bad)
{
	*bad = (struct str){0};
	if (!rest->p)
		return false;
	size_t n = term_length(*rest);
	struct str text = str_trim(str_make(rest->p, n));
	*rest = n < rest->n ? str_skip(*rest, n + 1) : (struct str){0};
	*t = (struct term){.text = text, .number = 1};
	t->key = text.n && text.p[0] == '@' ? text : str_trim(str_split(text, '=', &t->value));
	t->value = t->value.p ? str_trim(t->value) : t->value;
	size_t v = t->value.n;
	if (!t->key.n || (t->value.p && !v)) {
		*bad = text;
		return false;
	}
	if (t->value.p) {
		t->is_number = parse_number(t->value, &t->number);
		if (v >= 2 && t->value.p[0] == '\'' && t->value.p[v - 1] == '\'')
			t->value = str_make(t->value.p + 1, v - 2);
	}
	return true;
}

/* --- values -------------------------------------------------------------------------------- */

enum term_kind { KIND_NUMBER, KIND_SWITCH, KIND_TEXT };

struct known {
	const char *name;
	enum event_term bit; /* 0: config and name */
	enum term_kind kind;
	uint64_t max;
};

static const struct known known[] = {
	{"config", 0, KIND_NUMBER, UINT64_MAX},
	{"config1", 0, KIND_NUMBER, UINT64_MAX},
	{"config2", 0, KIND_NUMBER, UINT64_MAX},
	{"config3", 0, KIND_NUMBER, UINT64_MAX},
	{"name", 0, KIND_TEXT, 0},
	{"period", TERM_PERIOD, KIND_NUMBER, UINT64_MAX},
	{"freq", TERM_FREQ, KIND_NUMBER, UINT64_MAX},
	{"branch_type", TERM_BRANCH_TYPE, KIND_TEXT, 0},
	{"time", TERM_TIME, KIND_SWITCH, 1},
	{"call-graph", TERM_CALL_GRAPH, KIND_TEXT, 0},
	{"stack-size", TERM_STACK_SIZE, KIND_NUMBER, MAX_STACK_SIZE},
	{"no-inherit", TERM_INHERIT, KIND_SWITCH, 1},
	{"inherit", TERM_INHERIT, KIND_SWITCH, 1},
	{"max-stack", TERM_MAX_STACK, KIND_NUMBER, UINT16_MAX},
	{"nr", TERM_MAX_EVENTS, KIND_NUMBER, UINT64_MAX},
	{"no-overwrite", TERM_OVERWRITE, KIND_SWITCH, 1},
	{"overwrite", TERM_OVERWRITE, KIND_SWITCH, 1},
	{"driver-config", TERM_DRIVER_CONFIG, KIND_TEXT, 0},
	{"percore", TERM_PERCORE, KIND_SWITCH, 1},
	{"aux-output", TERM_AUX_OUTPUT, KIND_SWITCH, 1},
	{"aux-action", TERM_AUX_ACTION, KIND_TEXT, 0},
	{"aux-sample-size", TERM_AUX_SAMPLE_SIZE, KIND_NUMBER, UINT32_MAX},
};

void term_each(void (*fn)(void *ctx, struct str name), void *ctx)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		fn(ctx, str_of(known[i].name));
}

static bool set_call_graph(struct event *e, struct str value, struct err *err)
{
	static const char *const modes[] = {
		[STACKS_NO] = "no",
		[STACKS_FP] = "fp",
		[STACKS_DWARF] = "dwarf",
		[STACKS_LBR] = "lbr",
	};
	for (size_t i = 0; i < ARRAY_LEN(modes); i++)
		if (str_is(value, modes[i])) {
			e->terms.stacks = (enum event_stacks)i;
			return true;
		}
	return err_set(err, ERR_USAGE, "call-graph= is fp, dwarf, lbr or no, not \"%.*s\"",
		       (int)MIN(value.n, 50), value.p);
}

static bool set_aux_action(struct event *e, struct str value, struct err *err)
{
	static const char *const actions[] = {"start-paused", "pause", "resume"};
	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		if (str_is(value, actions[i])) {
			e->attr.aux_action = 1U << i;
			return true;
		}
	return err_set(err, ERR_USAGE, "aux-action= is pause, resume or start-paused, not \"%.*s\"",
		       (int)MIN(value.n, 50), value.p);
}

static bool set_text(struct event *e, const struct known *k, const struct term *t,
		     struct arena *arena, struct err *err)
{
	switch (k->bit) {
	case TERM_CALL_GRAPH:
		return set_call_graph(e, t->value, err);
	case TERM_BRANCH_TYPE:
		return branch_parse(t->value, &e->terms.branch_type, err);
	case TERM_AUX_ACTION:
		return set_aux_action(e, t->value, err);
	case TERM_DRIVER_CONFIG:
		e->terms.driver_config = arena_str(arena, t->value).p;
		return true;
	default:
		e->name = arena_str(arena, t->value).p;
		return true;
	}
}

static void set_number(struct event *e, const struct known *k, uint64_t n)
{
	struct event_terms *s = &e->terms;
	bool on = n != 0, no = !strncmp(k->name, "no-", 3);
	switch (k->bit) {
	case TERM_PERIOD:
		s->period = n;
		s->set &= ~(unsigned)TERM_FREQ;
		break;
	case TERM_FREQ:
		s->frequency = n;
		s->set &= ~(unsigned)TERM_PERIOD;
		break;
	case TERM_TIME:
		s->time = on;
		break;
	case TERM_STACK_SIZE:
		s->stack_size = (uint32_t)round_up(n, 8);
		break;
	case TERM_MAX_STACK:
		s->max_stack = (uint16_t)n;
		break;
	case TERM_INHERIT:
		s->inherit = no ? !on : on;
		break;
	case TERM_OVERWRITE:
		s->overwrite = no ? !on : on;
		break;
	case TERM_MAX_EVENTS:
		s->max_events = n;
		break;
	case TERM_PERCORE:
		s->percore = on;
		break;
	case TERM_AUX_OUTPUT:
		s->aux_output = on;
		break;
	case TERM_AUX_SAMPLE_SIZE:
		s->aux_sample_size = (uint32_t)n;
		break;
	default:
		*(k->name[6] == '1'   ? &e->attr.config1
		  : k->name[6] == '2' ? &e->attr.config2
		  : k->name[6] == '3' ? &e->attr.config3
				      : &e->attr.config) = n;
	}
}

static const struct known *find(struct str key)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_is(key, known[i].name))
			return &known[i];
	return NULL;
}

enum term_result term_apply(struct event *e, const struct term *t, bool config, struct arena *arena,
			    struct str *bad, struct err *err)
{
	if (t->key.p[0] == '@') {
		e->terms.driver_config = arena_str(arena, str_skip(t->key, 1)).p;
		e->terms.set |= TERM_DRIVER_CONFIG;
		return TERM_DONE;
	}
	const struct known *k = find(t->key);
	if (!k || (!config && str_starts(t->key, "config")))
		return TERM_UNKNOWN;
	*bad = t->value.p ? t->value : t->key;
	if (k->kind == KIND_TEXT) {
		if (!t->value.n) {
			err_set(err, ERR_USAGE, "%s= wants a text", k->name);
			return TERM_WRONG;
		}
		if (!set_text(e, k, t, arena, err))
			return TERM_WRONG;
	} else {
		if (t->value.p && !t->is_number) {
			err_set(err, ERR_USAGE, "%s= wants a number, not \"%.*s\"", k->name,
				(int)MIN(t->value.n, 50), t->value.p);
			return TERM_WRONG;
		}
		if (t->number > k->max) {
			err_set(err, ERR_USAGE, "%s= is %" PRIu64 " at most", k->name, k->max);
			return TERM_WRONG;
		}
		set_number(e, k, t->number);
	}
	e->terms.set |= k->bit;
	return TERM_DONE;
}
