/* Event lists as they come from -e; what parses must parse again from its own name. */
#include <stdlib.h>

#include "event/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_list list = {0};
	struct err err = {0};
	char *text = mem_alloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	if (event_parse(&list, text, NULL, &err)) {
		for (size_t i = 0; i < list.events.n; i++) {
			const struct event *e = &list.events.v[i];
			struct event_list again = {0};
			if (!event_parse(&again, e->name, NULL, &err) || again.events.n != 1 ||
			    again.events.v[0].attr.config != e->attr.config ||
			    again.events.v[0].attr.flags != e->attr.flags)
				abort();
			event_list_free(&again);
		}
	} else if (!err.text[0]) {
		abort();
	}
	event_list_free(&list);
	free(text);
	return 0;
}
