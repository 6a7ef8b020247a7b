/* Numbers out of a record. Nothing is read outside of it: what is not there is zero. */
#include "event/trace_format.h"

struct str trace_record_bytes(const struct trace_record *r, uint64_t offset, uint64_t size)
{
	if (offset > r->n)
		offset = r->n;
	return str_make((const char *)r->p + offset, (size_t)MIN(size, r->n - offset));
}

uint64_t trace_record_number(const struct trace_record *r, uint64_t offset, uint32_t size)
{
	if (offset > r->n || size > r->n - offset)
		return 0;
	const uint8_t *p = r->p + offset;
	bool swap = r->ctx->swap;
	switch (size) {
	case 1:
		return *p;
	case 2:
		return swap ? swap16(load16(p)) : load16(p);
	case 4:
		return swap ? swap32(load32(p)) : load32(p);
	case 8:
		return swap ? swap64(load64(p)) : load64(p);
	default:
		return 0;
	}
}

struct str trace_record_dynamic(const struct trace_record *r, const struct trace_field *f)
{
	uint64_t place = trace_record_number(r, f->offset, f->size);
	uint64_t offset = place & 0xffff;
	if (f->relative)
		offset += f->offset + f->size;
	return trace_record_bytes(r, offset, place >> 16 & 0xffff);
}

static uint64_t eval_index(const struct trace_node *n, const struct trace_record *r)
{
	const struct trace_node *array = n->a;
	uint64_t mask = UINT64_MAX, index = trace_eval(n->b, r);
	if (array->kind == TRACE_CAST)
		mask = array->pointee;
	while (array->kind == TRACE_CAST)
		array = array->a;
	const struct trace_field *f = array->field;
	if (!f || index > UINT16_MAX)
		return 0;
	if (array->kind == TRACE_FIELD)
		return trace_record_number(r, f->offset + index * f->element, f->element) & mask;
	if (array->kind != TRACE_DYNAMIC)
		return 0;
	/* In bytes, whatever the elements' size: so does libtraceevent. */
	uint64_t offset = (trace_record_number(r, f->offset, f->size) & 0xffff) + index;
	return trace_record_number(r, offset, f->element ? f->element : r->ctx->long_size) & mask;
}

static uint64_t eval_op(const struct trace_node *n, const struct trace_record *r)
{
	if (n->op == OP_INDEX)
		return eval_index(n, r);
	uint64_t a = trace_eval(n->a, r);
	if (n->op == OP_COND && n->b->op == OP_BRANCHES)
		return trace_eval(a ? n->b->a : n->b->b, r);
	uint64_t b = trace_eval(n->b, r);
	switch (n->op) {
	case OP_ADD:
		return a + b;
	case OP_SUB:
		return a - b;
	case OP_MUL:
		return a * b;
	case OP_DIV:
		return b ? a / b : 0;
	case OP_MOD:
		return b ? a % b : 0;
	case OP_AND:
		return a & b;
	case OP_OR:
		return a | b;
	case OP_XOR:
		return a ^ b;
	case OP_SHL:
		return a << (b & 63);
	case OP_SHR:
		return a >> (b & 63);
	case OP_LAND:
		return a && b;
	case OP_LOR:
		return a || b;
	case OP_EQ:
		return a == b;
	case OP_NE:
		return a != b;
	case OP_LT:
		return a < b;
	case OP_GT:
		return a > b;
	case OP_LE:
		return a <= b;
	case OP_GE:
		return a >= b;
	case OP_NOT:
		return !b;
	case OP_COMPLEMENT:
		return ~b;
	default:
		return 0;
	}
}

uint64_t trace_eval(const struct trace_node *n, const struct trace_record *r)
{
	switch (n->kind) {
	case TRACE_ATOM:
		return n->value;
	case TRACE_FIELD:
		return n->field ? trace_record_number(r, n->field->offset, n->field->size) : 0;
	case TRACE_CAST:
		return trace_eval(n->a, r) & n->value;
	case TRACE_OP:
		return eval_op(n, r);
	case TRACE_DYNAMIC:
		return trace_record_number(r, n->field->offset, n->field->size) & 0xffff;
	case TRACE_DYNAMIC_LEN:
		return trace_record_number(r, n->field->offset, n->field->size) >> 16;
	default:
		return 0;
	}
}
