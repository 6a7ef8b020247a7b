#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "event/parse.h"

static bool parse_address(struct str s, uint64_t *out)
{
	if (str_starts(s, "0x"))
		return str_to_u64(str_skip(s, 2), 16, out);
	return str_to_u64(s, 10, out);
}

size_t breakpoint_length(struct str s)
{
	size_t i = 0;
	while (i < s.n && !memchr(",{}", s.p[i], 3)) {
		struct str rest = str_skip(s, i + 1);
		bool digit = rest.n && rest.p[0] >= '0' && rest.p[0] <= '9';
		bool first = !memchr(s.p, '/', i);
		if (s.p[i] == '/' && !(digit && first))
			break;
		i++;
	}
	return i;
}

/* Takes the access letters off the front: r, w and x, each once. 0 when there are none. */
static uint32_t take_access(struct str *s)
{
	uint32_t type = 0;
	while (s->n) {
		uint32_t bit = s->p[0] == 'r'   ? HW_BREAKPOINT_R
			       : s->p[0] == 'w' ? HW_BREAKPOINT_W
			       : s->p[0] == 'x' ? HW_BREAKPOINT_X
						: 0;
		if (!bit || type & bit)
			break;
		type |= bit;
		*s = str_skip(*s, 1);
	}
	return type;
}

/* mem:ADDR[/LEN][:ACCESS][:MODIFIERS]; the second colon may be left out, as in perf. With terms
 * (mem:0x10:rw/name=x/u) modifiers are behind them. */
bool parse_breakpoint(struct parser *p, struct word *w)
{
	struct str rest, length, address;
	struct str place = str_split(str_skip(w->head, strlen(BREAKPOINT_PREFIX)), ':', &rest);
	struct event e = {
		.class = EVENT_BREAKPOINT,
		.attr = {.type = PERF_TYPE_BREAKPOINT,
			 .bp_type = HW_BREAKPOINT_R | HW_BREAKPOINT_W},
	};
	address = str_split(place, '/', &length);
	if (!parse_address(address, &e.attr.config1))
		return parser_fail(p, address.n ? address : w->head,
				   "a breakpoint is written mem:ADDRESS[/LENGTH][:rwx]");
	if (rest.p) {
		uint32_t type = take_access(&rest);
		if (type)
			e.attr.bp_type = type;
		if (type && rest.n && rest.p[0] == ':')
			rest = str_skip(rest, 1);
		else if (type && !rest.n)
			rest = (struct str){0};
	}
	/* An instruction is watched by its first byte, which the kernel wants as a long. */
	e.attr.config2 = e.attr.bp_type & HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	if (length.p &&
	    (!str_to_u64(length, 10, &e.attr.config2) || !e.attr.config2 || e.attr.config2 > 8))
		return parser_fail(p, length.n ? length : place,
				   "a breakpoint's length is 1 to 8 bytes");
	if (w->terms.p && rest.p)
		return parser_fail(p, rest.n ? rest : w->head,
				   "a breakpoint's modifiers stand behind its terms");
	if (!w->terms.p)
		w->modifiers = rest;
	if (rest.p) {
		w->head.n = (size_t)(rest.p - w->head.p);
		while (w->head.p[w->head.n - 1] == ':')
			w->head.n--;
	}
	return parser_plain_terms(p, w, &e, true) && parser_push(p, w, e);
}
