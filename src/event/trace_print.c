/*
 * Records as text. What looks odd here is what libtraceevent, and so perf, prints.
 */
#include "event/trace_format.h"

#include <stdlib.h>

/* --- printf()'s part ------------------------------------------------------------------------- */

static void print_text(struct out *o, const struct trace_spec *spec, struct str s)
{
	if (spec->precision >= 0)
		s.n = MIN(s.n, (size_t)spec->precision);
	size_t pad = spec->width > 0 && (size_t)spec->width > s.n ? (size_t)spec->width - s.n : 0;
	if (!spec->left)
		out_spaces(o, pad);
	out_str(o, s);
	if (spec->left)
		out_spaces(o, pad);
}

/* A value as wide as its length modifier says. */
static uint64_t narrow(const struct trace_spec *spec, uint64_t v, bool *negative)
{
	bool is_signed = spec->conversion == 'd';
	*negative = false;
	switch (spec->length) {
	case -2:
		v = is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
		break;
	case -1:
		v = is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
		break;
	case 0:
		v = is_signed ? (uint64_t)(int32_t)v : (uint32_t)v;
		break;
	case LENGTH_SIZE:
		v = (uint32_t)v;
		break;
	default:
		break;
	}
	if (is_signed && (int64_t)v < 0) {
		*negative = true;
		v = -v;
	}
	return v;
}

static size_t format_digits(char *buf, char conversion, uint64_t v)
{
	size_t n = 0;
	switch (conversion) {
	case 'x':
		return format_hex(buf, v);
	case 'X':
		n = format_hex(buf, v);
		for (size_t i = 0; i < n; i++)
			if (buf[i] >= 'a')
				buf[i] = (char)(buf[i] - 'a' + 'A');
		return n;
	case 'o':
		for (int shift = 63; shift >= 0; shift -= 3)
			if (n || v >> shift || shift == 0)
				buf[n++] = (char)('0' + (v >> shift & 7));
		return n;
	default:
		return format_u64(buf, v);
	}
}

static void print_number(struct out *o, const struct trace_spec *spec, uint64_t value)
{
	char digits[24];
	bool negative;
	uint64_t v = narrow(spec, value, &negative);
	if (spec->width <= 0 && spec->precision < 0 && !spec->alternate) {
		char *to = out_room(o, 1 + sizeof digits);
		*to = '-';
		o->n += negative + format_digits(to + negative, spec->conversion, v);
		return;
	}
	size_t n = format_digits(digits, spec->conversion, v);
	const char *prefix = negative ? "-" : "";
	if (spec->alternate && v && (spec->conversion | 0x20) == 'x')
		prefix = spec->conversion == 'x' ? "0x" : "0X";
	if (spec->precision == 0 && v == 0)
		n = 0;
	size_t zeros = spec->precision > (int)n ? (size_t)spec->precision - n : 0;
	size_t used = strlen(prefix) + zeros + n;
	size_t pad = spec->width > 0 && (size_t)spec->width > used ? (size_t)spec->width - used : 0;
	if (spec->zero && !spec->left && spec->precision < 0) {
		zeros = pad;
		pad = 0;
	}
	if (!spec->left)
		out_spaces(o, pad);
	out_cstr(o, prefix);
	for (size_t i = 0; i < zeros; i++)
		out_char(o, '0');
	out_bytes(o, digits, n);
	if (spec->left)
		out_spaces(o, pad);
}

/* --- %s -------------------------------------------------------------------------------------- */

static struct str until_nul(struct str s)
{
	return str_make(s.p, strnlen(s.p, s.n));
}

static void print_hex_number(struct out *o, uint64_t v)
{
	out_cstr(o, "0x");
	out_hex(o, v);
}

/* The text the kernel keeps at an address, or the address. */
static void print_kernel_string(struct out *o, const struct trace_context *ctx, uint64_t addr)
{
	size_t lo = 0, hi = ctx->string_count;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if ((uint64_t)ctx->strings[mid].value < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < ctx->string_count && (uint64_t)ctx->strings[lo].value == addr)
		out_str(o, ctx->strings[lo].text);
	else
		out_hex(o, addr);
}

static void print_field_text(struct out *o, const struct trace_spec *spec,
			     const struct trace_field *f, const struct trace_record *r)
{
	if (!f)
		return;
	/* A pointer, then. */
	if (!f->array && f->size == r->ctx->long_size) {
		print_kernel_string(o, r->ctx, trace_record_number(r, f->offset, f->size));
		return;
	}
	print_text(o, spec, until_nul(trace_record_bytes(r, f->offset, f->size ? f->size : r->n)));
}

static void print_flags(struct out *o, const struct trace_spec *spec, const struct trace_node *n,
			const struct trace_record *r)
{
	uint64_t v = trace_eval(n->a, r);
	bool any = false;
	for (uint32_t i = 0; i < n->choice_count; i++) {
		int64_t flag = n->choices[i].value;
		if (!v && flag < 0) {
			print_text(o, spec, n->choices[i].text);
			break;
		}
		if (flag <= 0 || (v & (uint64_t)flag) != (uint64_t)flag)
			continue;
		if (any)
			out_str(o, n->text);
		print_text(o, spec, n->choices[i].text);
		any = true;
		v &= ~(uint64_t)flag;
	}
	if (v) {
		if (any)
			out_str(o, n->text);
		print_hex_number(o, v);
	}
}

static void print_symbolic(struct out *o, const struct trace_spec *spec, const struct trace_node *n,
			   const struct trace_record *r)
{
	uint64_t v = trace_eval(n->a, r);
	for (uint32_t i = 0; i < n->choice_count; i++) {
		if ((uint64_t)n->choices[i].value == v) {
			print_text(o, spec, n->choices[i].text);
			return;
		}
	}
	print_hex_number(o, v);
}

/* Where an array argument's bytes begin; they go on to the record's end at most. */
static struct str array_bytes(const struct trace_node *n, const struct trace_record *r)
{
	const struct trace_field *f = n->field;
	if (!f)
		return STR("");
	uint64_t offset = f->offset;
	if (n->kind == TRACE_DYNAMIC)
		offset = trace_record_number(r, f->offset, f->size) & 0xffff;
	return trace_record_bytes(r, offset, r->n);
}

static void print_hex_bytes(struct out *o, const struct trace_node *n, const struct trace_record *r)
{
	struct str bytes = array_bytes(n->a, r);
	uint64_t count = MIN(trace_eval(n->b, r), bytes.n);
	for (uint64_t i = 0; i < count; i++) {
		if (i && n->kind == TRACE_HEX)
			out_char(o, ' ');
		out_fmt(o, "%02x", (uint8_t)bytes.p[i]);
	}
}

static void print_int_array(struct out *o, const struct trace_node *n, const struct trace_record *r)
{
	struct str bytes = array_bytes(n->a, r);
	struct trace_record rest = {r->ctx, (const uint8_t *)bytes.p, bytes.n};
	uint64_t count = trace_eval(n->b, r), size = trace_eval(n->c, r), at = 0;
	for (uint64_t i = 0; i < count && at < bytes.n; i++, at += size) {
		if (i)
			out_char(o, ' ');
		if (size == 1 || size == 2 || size == 4 || size == 8) {
			out_u64(o, trace_record_number(&rest, at, (uint32_t)size));
		} else {
			out_fmt(o, "BAD SIZE:%d 0x%x", (int)size, (uint8_t)bytes.p[at]);
			size = 1;
		}
	}
}

/* Hex digits from the highest byte to the lowest, a comma between words of 32 bits. */
static void print_bitmask(struct out *o, const struct trace_spec *spec, const struct trace_node *n,
			  const struct trace_record *r)
{
	struct str bytes = n->field ? trace_record_dynamic(r, n->field) : STR("");
	struct out text;
	out_memory(&text);
	for (size_t i = bytes.n; i-- > 0;) {
		size_t at = r->ctx->swap ? bytes.n - 1 - i : i;
		out_fmt(&text, "%02x", (uint8_t)bytes.p[at]);
		if (i && i % 4 == 0)
			out_char(&text, ',');
	}
	print_text(o, spec, out_text(&text));
	(void)out_finish(&text);
}

static void print_string(struct out *o, const struct trace_spec *spec, const struct trace_node *n,
			 const struct trace_record *r)
{
	while (n->kind == TRACE_OP && n->op == OP_COND && n->b->op == OP_BRANCHES)
		n = trace_eval(n->a, r) ? n->b->a : n->b->b;
	switch (n->kind) {
	case TRACE_ATOM:
		print_text(o, spec, n->text);
		break;
	case TRACE_FIELD:
		print_field_text(o, spec, n->field, r);
		break;
	case TRACE_STRING:
		if (n->field) {
			struct str s = trace_record_dynamic(r, n->field);
			/* The length is not looked at: the text ends with its NUL. */
			print_text(o, spec,
				   until_nul(trace_record_bytes(
					   r, (uint64_t)((const uint8_t *)s.p - r->p), r->n)));
		}
		break;
	case TRACE_FLAGS:
		print_flags(o, spec, n, r);
		break;
	case TRACE_SYMBOLIC:
		print_symbolic(o, spec, n, r);
		break;
	case TRACE_HEX:
	case TRACE_HEX_STR:
		print_hex_bytes(o, n, r);
		break;
	case TRACE_INT_ARRAY:
		print_int_array(o, n, r);
		break;
	case TRACE_BITMASK:
		print_bitmask(o, spec, n, r);
		break;
	default:
		break;
	}
}

/* --- %p -------------------------------------------------------------------------------------- */

static void print_function(struct out *o, char how, uint64_t addr, const struct trace_context *ctx)
{
	struct str name;
	uint64_t start;
	if (!ctx->resolve || !ctx->resolve(ctx->resolve_ctx, addr, &name, &start)) {
		print_hex_number(o, addr);
		return;
	}
	out_str(o, name);
	if (how == 'F' || how == 'S') {
		out_char(o, '+');
		print_hex_number(o, addr - start);
	}
}

static void print_pointer(struct out *o, const struct trace_spec *spec, int count,
			  const struct trace_node *arg, const struct trace_record *r)
{
	switch (spec->pointer[0]) {
	case 'F':
	case 'f':
	case 'S':
	case 's':
		print_function(o, spec->pointer[0], trace_eval(arg, r), r->ctx);
		return;
	case '\0': {
		uint64_t v = trace_eval(arg, r);
		if (v)
			print_hex_number(o, v);
		else
			out_cstr(o, "(nil)");
		return;
	}
	case 'h':
		if (arg->kind != TRACE_DYNAMIC)
			return;
		struct str bytes = trace_record_dynamic(r, arg->field);
		char between = spec->pointer[1] == 'C' ? ':' : spec->pointer[1] == 'D' ? '-' : ' ';
		for (size_t i = 0; i < bytes.n && (int)i < count; i++) {
			if (i && spec->pointer[1] != 'N')
				out_char(o, between);
			out_fmt(o, "%02x", (uint8_t)bytes.p[i]);
		}
		return;
	default:
		trace_print_address(o, spec->pointer, arg, r);
	}
}

/* --- records --------------------------------------------------------------------------------- */

static void print_array_field(struct out *o, const struct trace_field *f,
			      const struct trace_record *r)
{
	struct str bytes = f->dynamic ? trace_record_dynamic(r, f)
				      : trace_record_bytes(r, f->offset, f->size);
	bool text = f->string;
	for (size_t i = 0; text && i < bytes.n && bytes.p[i]; i++)
		text = (bytes.p[i] >= ' ' && bytes.p[i] < 0x7f) ||
		       (bytes.p[i] >= '\t' && bytes.p[i] <= '\r');
	if (text) {
		out_str(o, until_nul(bytes));
		return;
	}
	out_cstr(o, "ARRAY[");
	for (size_t i = 0; i < bytes.n; i++)
		out_fmt(o, "%s%02x", i ? ", " : "", (uint8_t)bytes.p[i]);
	out_char(o, ']');
}

/* Field by field, when the print call is not understood. */
static void print_fields(struct out *o, const struct trace_format *f, const struct trace_record *r)
{
	out_cstr(o, "[FAILED TO PARSE]");
	for (uint32_t i = f->first_field; i < f->field_count; i++) {
		const struct trace_field *field = &f->fields[i];
		uint64_t v = trace_record_number(r, field->offset, field->size);
		out_fmt(o, " %.*s=", (int)field->name.n, field->name.p);
		if (field->array)
			print_array_field(o, field, r);
		else if (field->pointer || (field->is_long && !field->is_signed))
			print_hex_number(o, v);
		else if (!field->is_signed)
			out_u64(o, v);
		else if (field->size == 4 && field->is_long)
			print_hex_number(o, v);
		else if (field->size == 2)
			out_fmt(o, "%2d", (int16_t)v);
		else
			out_i64(o, field->size == 1   ? (int8_t)v
				   : field->size == 4 ? (int32_t)v
						      : (int64_t)v);
	}
}

/* count: how many bytes %ph may show. */
static void print_value(struct out *o, const struct trace_spec *spec, int count,
			const struct trace_node *arg, const struct trace_record *r)
{
	if (spec->conversion == 's')
		print_string(o, spec, arg, r);
	else if (spec->conversion == 'p')
		print_pointer(o, spec, count, arg, r);
	else
		print_number(o, spec, trace_eval(arg, r));
}

void trace_print_record(const struct trace_format *f, const struct trace_record *r, struct out *o)
{
	if (f->failed) {
		print_fields(o, f, r);
		return;
	}
	for (uint32_t i = 0; i < f->step_count; i++) {
		const struct trace_step *s = &f->steps[i];
		out_str(o, s->text);
		if (!s->arg)
			continue;
		if (!s->width) {
			print_value(o, &s->spec, 1, s->arg, r);
			continue;
		}
		struct trace_spec spec = s->spec;
		int count = (int)trace_eval(s->width, r);
		count = MAX(-1, MIN(count, 4096));
		if (spec.star_precision)
			spec.precision = count;
		else
			spec.width = count;
		print_value(o, &spec, count, s->arg, r);
	}
}
