/* Addresses of machines: %pI (IP), %pM (MAC), %pU (UUID). Only fields have them. */
#include <sys/socket.h>

#include "event/trace_format.h"

static void print_ip4(struct out *o, char how, bool reverse, const uint8_t *p)
{
	for (int i = 0; i < 4; i++)
		out_fmt(o, how == 'i' ? "%s%03d" : "%s%d", i ? "." : "", p[reverse ? 3 - i : i]);
}

static void print_ip6(struct out *o, char how, const uint8_t *p)
{
	for (int i = 0; i < 16; i += 2)
		out_fmt(o, "%s%02x%02x", i && how == 'I' ? ":" : "", p[i], p[i + 1]);
}

/* With the longest run of at least two zero words as "::". */
static void print_ip6_short(struct out *o, const uint8_t *p)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	bool isatap = (p[8] & ~2u) == 0 && p[9] == 0 && p[10] == 0x5e && p[11] == 0xfe;
	bool ip4 = memcmp(p, mapped, sizeof mapped) == 0 || isatap;
	int words = ip4 ? 6 : 8, best = -1, best_length = 1;
	for (int i = 0; i < words; i++) {
		int n = 0;
		while (i + n < words && !p[2 * (i + n)] && !p[2 * (i + n) + 1])
			n++;
		if (n > best_length) {
			best = i;
			best_length = n;
		}
	}
	bool colon = false;
	for (int i = 0; i < words; i++) {
		if (i == best) {
			out_cstr(o, colon || i == 0 ? "::" : ":");
			i += best_length - 1;
			colon = false;
			continue;
		}
		out_fmt(o, "%s%x", colon ? ":" : "", p[2 * i] << 8 | p[2 * i + 1]);
		colon = true;
	}
	if (ip4) {
		if (colon)
			out_char(o, ':');
		print_ip4(o, 'I', false, p + 12);
	}
}

static bool ip4_reversed(char order, const struct trace_record *r)
{
	bool big = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != r->ctx->swap;
	return order == 'l' || (order == 'h' && !big);
}

/* A sockaddr: the family decides. `what`: behind the S. */
static void print_sockaddr(struct out *o, char how, const char *what, struct str s,
			   const struct trace_record *r)
{
	const uint8_t *p = (const uint8_t *)s.p;
	bool port = how == 'I' && *what == 'p', compact;
	what += port;
	compact = how == 'I' && *what == 'c';
	what += compact;
	uint16_t family = s.n >= 4 ? load16(p) : 0;
	int number = s.n >= 4 ? p[2] << 8 | p[3] : 0;
	if (family == AF_INET && s.n < 16) {
		out_cstr(o, "INVALIDIPv4");
	} else if (family == AF_INET) {
		print_ip4(o, how, ip4_reversed(*what, r), p + 4);
		if (port)
			out_fmt(o, ":%d", number);
	} else if (family == AF_INET6 && s.n < 28) {
		out_cstr(o, "INVALIDIPv6");
	} else if (family == AF_INET6) {
		out_cstr(o, port ? "[" : "");
		if (compact)
			print_ip6_short(o, p + 8);
		else
			print_ip6(o, how, p + 8);
		if (port)
			out_fmt(o, "]:%d", number);
	}
}

static void print_mac(struct out *o, const char *what, const uint8_t *p)
{
	bool reverse = what[1] == 'R';
	const char *between = what[0] == 'm' ? "" : what[1] == 'F' ? "-" : ":";
	for (int i = 0; i < 6; i++)
		out_fmt(o, "%s%02x", i ? between : "", p[reverse ? 5 - i : i]);
}

static void print_uuid(struct out *o, char how, const uint8_t *p)
{
	static const uint8_t plain[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	static const uint8_t guid[] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	const uint8_t *order = (how | 0x20) == 'l' ? guid : plain;
	for (int i = 0; i < 16; i++) {
		out_fmt(o, how == 'L' || how == 'B' ? "%02X" : "%02x", p[order[i]]);
		if (i == 3 || i == 5 || i == 7 || i == 9)
			out_char(o, '-');
	}
}

void trace_print_address(struct out *o, const char *what, const struct trace_node *arg,
			 const struct trace_record *r)
{
	if (arg->kind != TRACE_FIELD || !arg->field)
		return;
	uint32_t size = arg->field->size;
	struct str s = trace_record_bytes(r, arg->field->offset, size);
	const uint8_t *p = (const uint8_t *)s.p;
	if (s.n < size)
		return;
	switch (what[0] == 'I' || what[0] == 'i' ? what[1] : what[0]) {
	case '4':
		if (size == 4)
			print_ip4(o, what[0], ip4_reversed(what[2], r), p);
		else
			out_cstr(o, "INVALIDIPv4");
		break;
	case '6':
		if (size != 16)
			out_cstr(o, "INVALIDIPv6");
		else if (what[0] == 'I' && what[2] == 'c')
			print_ip6_short(o, p);
		else
			print_ip6(o, what[0], p);
		break;
	case 'S':
		print_sockaddr(o, what[0], what + 2, s, r);
		break;
	case 'M':
	case 'm':
		if (size == 6)
			print_mac(o, what, p);
		else
			out_cstr(o, "INVALIDMAC");
		break;
	case 'U':
		if (size == 16)
			print_uuid(o, what[1], p);
		else
			out_cstr(o, "INVALIDUUID");
		break;
	}
}
