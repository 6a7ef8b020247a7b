/* Event lists as they come from -e; what parses must parse again from its own print. */
#include <stdlib.h>

#include "event/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same(const struct event *a, const struct event *b)
{
	return a->attr.type == b->attr.type && a->attr.config == b->attr.config &&
	       a->attr.config1 == b->attr.config1 && a->attr.flags == b->attr.flags &&
	       a->terms.set == b->terms.set && a->group == b->group;
}

static void check_print(const struct event_list *list)
{
	struct event_list again = {.devices = list->devices, .no_vendor = true};
	struct err err = {0};
	struct out o;
	out_memory(&o);
	event_list_print(list, &o);
	out_char(&o, '\0');
	if (!event_parse(&again, out_text(&o).p, NULL, &err) || again.events.n != list->events.n ||
	    again.groups.n != list->groups.n)
		abort();
	for (size_t i = 0; i < list->events.n; i++)
		if (!same(&list->events.v[i], &again.events.v[i]))
			abort();
	event_list_free(&again);
	(void)out_finish(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* No PMUs and no libpfm4: what a text means must not depend on the machine that fuzzes. */
	struct event_list list = {.devices = "/nonexistent", .no_vendor = true};
	struct err err = {0};
	char *text = mem_alloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	if (event_parse(&list, text, NULL, &err))
		check_print(&list);
	else if (!err.text[0])
		abort();
	event_list_free(&list);
	free(text);
	return 0;
}
