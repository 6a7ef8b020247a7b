#include "capture/control.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

bool control_read(struct control *c)
{
	ssize_t n = read(c->fd, c->ready, sizeof c->ready);
	c->ready_at = 0;
	c->ready_n = n > 0 ? (size_t)n : 0;
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* What may stand behind the word of an order. */
static enum order order_of(struct str line, struct str *rest)
{
	static const struct {
		const char *word;
		enum order order;
		bool more;
	} orders[] = {
		{"enable", ORDER_ENABLE, true}, {"disable", ORDER_DISABLE, true},
		{"evlist", ORDER_EVLIST, true}, {"snapshot", ORDER_SNAPSHOT, false},
		{"ping", ORDER_PING, false},    {"stop", ORDER_STOP, false},
	};
	struct str word = str_split(line, ' ', rest);
	*rest = rest->p ? str_trim(*rest) : STR("");
	for (size_t i = 0; i < ARRAY_LEN(orders); i++)
		if (str_is(word, orders[i].word) && (orders[i].more || !rest->n))
			return orders[i].order;
	return ORDER_NONE;
}

/* True when the byte completes a line. NUL ends one too, as some senders have it. */
static bool take_byte(struct control *c, char byte)
{
	if (byte == '\n' || byte == '\0')
		return true;
	if (c->n == sizeof c->line)
		c->overlong = true;
	else
		c->line[c->n++] = byte;
	return false;
}

enum order control_next(struct control *c, bool *unknown)
{
	*unknown = false;
	while (c->ready_at < c->ready_n) {
		if (!take_byte(c, c->ready[c->ready_at++]))
			continue;
		struct str line = str_trim((struct str){c->line, c->n}), rest = {0};
		bool empty = !line.n;
		enum order order = c->overlong ? ORDER_NONE : order_of(line, &rest);
		memcpy(c->word, rest.p ? rest.p : "", rest.n);
		c->word[rest.n] = '\0';
		c->n = 0;
		c->overlong = false;
		if (empty)
			continue;
		*unknown = order == ORDER_NONE;
		return order;
	}
	return ORDER_NONE;
}

void control_ack(const struct control *c)
{
	static const char ack[] = "ack\n";
	/* Who does not listen does not need it. */
	if (c->ack_fd >= 0)
		(void)!write(c->ack_fd, ack, sizeof ack - 1);
}
