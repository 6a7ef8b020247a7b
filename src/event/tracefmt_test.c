/* Tracepoint formats and records against the text perf prints for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "event/tracefmt.h"

/* --- payloads -----------------------------------------------------------------------------------
 */

#define COMMON                                                                 \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

struct payload {
	struct out o;
	bool big;
};

static void put(struct payload *p, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		out_char(&p->o, (char)(v >> 8 * (p->big ? bytes - 1 - i : i)));
}

/* One system "sys" with these format files. */
static void payload_make(struct payload *p, bool big, const char *const *formats, size_t n,
			 const char *strings)
{
	p->big = big;
	out_memory(&p->o);
	out_bytes(&p->o, "\x17\x08\x44tracing0.6", 14);
	out_char(&p->o, big);
	out_char(&p->o, 8);
	put(p, 4096, 4);
	out_bytes(&p->o, "header_page", 12);
	put(p, 0, 8);
	out_bytes(&p->o, "header_event", 13);
	put(p, 0, 8);
	put(p, 0, 4);
	put(p, 1, 4);
	out_bytes(&p->o, "sys", 4);
	put(p, n, 4);
	for (size_t i = 0; i < n; i++) {
		put(p, strlen(formats[i]), 8);
		out_cstr(&p->o, formats[i]);
	}
	put(p, 0, 4);
	put(p, strlen(strings), 4);
	out_cstr(&p->o, strings);
	put(p, 0, 8);
}

static struct tracefmt *open_one(const char *format, struct diags *d)
{
	struct payload p;
	struct err err = {0};
	payload_make(&p, false, &format, 1, "0xffffffff80001000 : \"kernel text\\n\"\n");
	struct tracefmt *t = tracefmt_new(out_text(&p.o), d, &err);
	if (!t)
		fail_msg("%s", err.text);
	(void)out_finish(&p.o);
	return t;
}

static void assert_text(const struct tracefmt *t, const void *raw, size_t n, const char *expected)
{
	struct out o;
	out_memory(&o);
	assert_true(tracefmt_print(t, &o, raw, n));
	out_char(&o, '\0');
	assert_string_equal(o.buf, expected);
	(void)out_finish(&o);
}

/* --- numbers and operators
 * ------------------------------------------------------------------------ */

/* All fields a test of expressions needs; ID 7. */
#define FIELDS                                                                                   \
	"name: event\nID: 7\nformat:\n" COMMON "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n" \
	"\tfield:u8 b;\toffset:12;\tsize:1;\tsigned:0;\n"                                        \
	"\tfield:unsigned long args[3];\toffset:16;\tsize:24;\tsigned:0;\n"                      \
	"\tfield:char comm[8];\toffset:40;\tsize:8;\tsigned:0;\n"                                \
	"\tfield:__data_loc char[] name;\toffset:48;\tsize:4;\tsigned:0;\n"                      \
	"\tfield:__rel_loc u32[] list;\toffset:52;\tsize:4;\tsigned:0;\n"                        \
	"\tfield:const char * text;\toffset:56;\tsize:8;\tsigned:0;\n"

struct record {
	uint16_t type;
	uint8_t flags, pad;
	int32_t pid;
	int32_t a;
	uint8_t b, pad2[3];
	uint64_t args[3];
	char comm[8];
	uint32_t name, list;
	uint64_t text;
	char dynamic[8];
	uint32_t numbers[2];
};

static const struct record record = {
	.type = 7,
	.a = -2,
	.b = 200,
	.args = {1, 0x1234, UINT64_MAX},
	.comm = "ksoftirq",
	.name = offsetof(struct record, dynamic) | 5 << 16,
	.list = (offsetof(struct record, numbers) - offsetof(struct record, text)) | 8 << 16,
	.text = 0xffffffff80001000,
	.dynamic = "eth0",
	.numbers = {10, 20},
};

static void assert_call(const char *call, const char *expected)
{
	char format[4096];
	struct diags d = {0};
	snprintf(format, sizeof format, FIELDS "\nprint fmt: %s\n", call);
	struct tracefmt *t = open_one(format, &d);
	assert_text(t, &record, sizeof record, expected);
	assert_int_equal(d.of[DIAG_NOTE].count, strstr(expected, "FAILED") != NULL);
	tracefmt_free(t);
}

static void numbers(void **state)
{
	(void)state;
	assert_call("\"plain\"", "plain");
	assert_call("\"%d %u %x %#x %5d|%-5d|%05d\", REC->a, REC->a, REC->a, REC->b, REC->b, "
		    "REC->b, REC->b",
		    "-2 4294967294 fffffffe 0xc8   200|200  |00200");
	assert_call("\"%ld %lx %llu %hhd %hx\", REC->args[2], REC->args[1], REC->args[2], REC->b, "
		    "REC->args[1]",
		    "-1 1234 18446744073709551615 -56 1234");
	assert_call("\"%.3d|%6.3x|%o|%X|%#X\", REC->b, REC->b, REC->b, REC->b, REC->b",
		    "200|   0c8|310|C8|0XC8");
	assert_call("\"%*d|%-*d|\", 6, REC->b, 6, REC->b", "   200|200   |");
	assert_call("\"%zu %%\", REC->args[2]", "4294967295 %");
	/* What libtraceevent does not know, and shows like this. */
	assert_call("\"%c|\", REC->b", ">c<|");
	assert_call("\"tab\\tquote\\\"\"", "tab\tquote\"");
	assert_call("\"a\" \"b\" \"%d\", 1", "ab1");
}

static void operators(void **state)
{
	(void)state;
	assert_call("\"%d %d %d\", 1 + 2 * 3, (1 + 2) * 3, 7 & 3 << 1", "7 9 6");
	assert_call("\"%d %d %d %d\", 5 > 3, 5 == 3, !5, 1 && 0 || 1", "1 0 0 1");
	assert_call("\"%d %x\", -REC->b, ~REC->b", "-200 ffffff37");
	assert_call("\"%d %d\", REC->b / 0, REC->b % 0", "0 0");
	assert_call("\"%lu %lu %lu\", (u8)REC->a, (unsigned short)REC->a, (long)REC->a",
		    "254 65534 4294967294");
	assert_call("\"%lx\", (unsigned long)REC->args[1] + 1", "1235");
	/* libtraceevent's own order, which perf's text shows. */
	assert_call("\"%d\", 10 - 3 + 2", "5");
	assert_call("\"%x\", REC->b & (0x1 | 0x2 | 0x10)", "12");
	assert_call("\"%s\", 1 ? \"a\" : 0 ? \"b\" : \"c\"", "c");
}

static void texts(void **state)
{
	(void)state;
	assert_call("\"[%s] [%10s] [%-6s] [%.2s] [%.*s]\", REC->comm, __get_str(name), "
		    "__get_str(name), __get_str(name), 3, __get_str(name)",
		    "[ksoftirq] [      eth0] [eth0  ] [et] [eth]");
	assert_call("\"%s %s\", REC->a ? \"yes\" : \"no\", REC->text", "yes kernel text");
	assert_call("\"%s\", REC->args", "\1");
	assert_call("\"%s\", (char *)REC->comm", "");
	assert_call("\"%s|%s\", __print_symbolic(REC->b, { 1, \"one\" }, { 200, \"many\" }), "
		    "__print_symbolic(REC->b, { 1, \"one\" })",
		    "many|0xc8");
	assert_call("\"%s %s %s\", __print_flags(REC->b, \"|\", { 0x80, \"A\" }, { (1 << 6), "
		    "\"B\" }, { 0x8, \"C\" }), __print_flags(REC->b, \"\", { 8, \"C\" }), "
		    "__print_flags(0, \"|\", { 1, \"X\" })",
		    "A|B|C C0xc0 ");
	assert_call("\"%s|%s\", __print_hex(__get_dynamic_array(name), 3), "
		    "__print_hex_str(REC->comm, 4)",
		    "65 74 68|6b736f66");
	assert_call("\"%s\", __print_array(REC->args, 2, 8)", "1 4660");
	assert_call("\"%d %d\", __get_dynamic_array_len(name), __get_rel_dynamic_array_len(list)",
		    "5 8");
}

static bool resolve(void *ctx, uint64_t addr, struct str *name, uint64_t *start)
{
	*start = *(const uint64_t *)ctx;
	*name = STR("a_function");
	return addr >= *start && addr < *start + 0x100;
}

static void pointers(void **state)
{
	(void)state;
	static const char format[] = FIELDS "\nprint fmt: \"%p %p %pS %ps %pS\", REC->args[0], 0, "
					    "REC->args[1], REC->args[1], REC->args[2]\n";
	uint64_t start = 0x1200;
	struct tracefmt *t = open_one(format, NULL);
	assert_text(t, &record, sizeof record, "0x1 (nil) 0x1234 0x1234 0xffffffffffffffff");
	tracefmt_set_resolver(t, resolve, &start);
	assert_text(t, &record, sizeof record,
		    "0x1 (nil) a_function+0x34 a_function 0xffffffffffffffff");
	tracefmt_free(t);
}

#define ADDRESSES                                                                                 \
	"name: net\nID: 9\nformat:\n" COMMON                                                      \
	"\tfield:__u8 v4[4];\toffset:8;\tsize:4;\tsigned:0;\n"                                    \
	"\tfield:__u8 v6[16];\toffset:12;\tsize:16;\tsigned:0;\n"                                 \
	"\tfield:__u8 mac[6];\toffset:28;\tsize:6;\tsigned:0;\n"                                  \
	"\tfield:__u8 sa[28];\toffset:36;\tsize:28;\tsigned:0;\n\n"                               \
	"print fmt: \"%pI4 %pi4 %pI4h %pI6 %pI6c %pM %pMF %pU %pISpc %pISc\", REC->v4, REC->v4, " \
	"REC->v4, REC->v6, REC->v6, REC->mac, REC->mac, REC->v6, REC->sa, REC->sa\n"

static void addresses(void **state)
{
	(void)state;
	struct tracefmt *t = open_one(ADDRESSES, NULL);
	uint8_t raw[64] = {[0] = 9,     [8] = 10,   [10] = 1,    [11] = 2,    [12] = 0x20,
			   [13] = 1,    [14] = 0xd, [15] = 0xb8, [27] = 1,    [28] = 0xaa,
			   [33] = 0xff, [36] = 10,  [38] = 0x1f, [39] = 0x90, [59] = 1};
	assert_text(t, raw, sizeof raw,
		    "10.0.1.2 010.000.001.002 2.1.0.10 2001:0db8:0000:0000:0000:0000:0000:0001 "
		    "2001:db8::1 aa:00:00:00:00:ff aa-00-00-00-00-ff "
		    "20010db8-0000-0000-0000-000000000001 [::1]:8080 ::1");
	/* IPv4 in a sockaddr. */
	raw[36] = 2;
	raw[40] = 127;
	raw[43] = 1;
	struct out o;
	out_memory(&o);
	assert_true(tracefmt_print(t, &o, raw, sizeof raw));
	out_char(&o, '\0');
	assert_non_null(strstr(o.buf, " 127.0.0.1:8080 127.0.0.1"));
	(void)out_finish(&o);
	tracefmt_free(t);
}

/* --- what cannot be understood
 * --------------------------------------------------------------------- */

static void failed_formats(void **state)
{
	(void)state;
	static const char fields[] =
		"[FAILED TO PARSE] a=-2 b=200 args=ARRAY[01, 00, 00, 00, 00, 00, 00, 00, 34, 12, "
		"00, 00, 00, 00, 00, 00, ff, ff, ff, ff, ff, ff, ff, ff] comm=ksoftirq name=eth0 "
		"list=ARRAY[0a, 00, 00, 00, 14, 00, 00, 00] text=0xffffffff80001000";
	static const char *const calls[] = {
		"\"%d\"", /* an argument is missing */
		"\"%d\", what(1)",
		"\"%d\", REC->a +",
		"\"%d\", (REC->a",
		"\"%s\", __print_symbolic(REC->a, { 1 })",
		"REC->a",
		"\"unfinished",
		"\"%d\", __get_dynamic_array_len(nothing)",
	};
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		assert_call(calls[i], fields);
	assert_call("\"%d|%s|\", REC->nothing, REC->nothing", "0||");
}

/* A record may end anywhere; what is not there is zero or empty. */
static void short_records(void **state)
{
	(void)state;
	struct tracefmt *t = open_one(
		FIELDS "\nprint fmt: \"%d %s %s %s %s %d %s\", REC->a, REC->comm, "
		       "__get_str(name), REC->text, __print_hex(__get_dynamic_array(name), "
		       "REC->args[2]), REC->args[REC->b], __print_array(REC->args, "
		       "REC->args[2], 8)\n",
		NULL);
	for (size_t n = 0; n <= sizeof record; n++) {
		uint8_t *copy = malloc(n ? n : 1);
		struct out o;
		memcpy(copy, &record, n);
		out_memory(&o);
		assert_int_equal(tracefmt_print(t, &o, copy, n), n >= 2);
		(void)out_finish(&o);
		free(copy);
	}
	tracefmt_free(t);
}

/* Nesting is bounded, and so is the time. */
static void hostile_calls(void **state)
{
	(void)state;
	static const char *const pieces[] = {"(", "1+", "!", "a ", "1?1:", "REC->a[", "(u8)", "{"};
	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		struct out o;
		out_memory(&o);
		out_cstr(&o, FIELDS "\nprint fmt: \"%d\", ");
		while (o.n < 100000)
			out_cstr(&o, pieces[i]);
		out_cstr(&o, "1\n");
		out_char(&o, '\0');
		struct tracefmt *t = open_one(o.buf, NULL);
		struct out text;
		out_memory(&text);
		assert_true(tracefmt_print(t, &text, &record, sizeof record));
		assert_true(str_starts(out_text(&text), "[FAILED TO PARSE]"));
		(void)out_finish(&text);
		tracefmt_free(t);
		(void)out_finish(&o);
	}
}

/* --- the payload
 * ------------------------------------------------------------------------------------- */

static void other_byte_order(void **state)
{
	(void)state;
	const char *format = FIELDS "\nprint fmt: \"%d %s\", REC->a, __get_str(name)\n";
	struct payload p;
	bool big = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	payload_make(&p, big, &format, 1, "");
	struct tracefmt *t = tracefmt_new(out_text(&p.o), NULL, NULL);
	assert_non_null(t);
	struct record r = record;
	r.type = swap16(r.type);
	r.a = (int32_t)swap32((uint32_t)r.a);
	r.name = swap32(r.name);
	assert_text(t, &r, sizeof r, "-2 eth0");
	int64_t number;
	assert_true(tracefmt_number(t, &r, sizeof r, "a", &number));
	assert_int_equal(number, -2);
	assert_false(tracefmt_number(t, &r, sizeof r, "name", &number)); /* no number */
	assert_false(tracefmt_number(t, &r, sizeof r, "nobody", &number));
	assert_false(tracefmt_number(t, &r, 2, "a", &number)); /* not all there */
	assert_false(tracefmt_number(t, &r, 0, "a", &number));
	assert_true(str_is(tracefmt_name(t, 7), "sys:event"));
	assert_int_equal(tracefmt_name(t, 8).n, 0);
	assert_int_equal(tracefmt_name(t, UINT64_MAX).n, 0);
	tracefmt_free(t);
	(void)out_finish(&p.o);
}

static void cut_payloads(void **state)
{
	(void)state;
	static const char *const formats[] = {FIELDS "\nprint fmt: \"%d\", REC->a\n", "nonsense"};
	struct payload p;
	payload_make(&p, false, formats, 2, "0x1 : \"a\"\n");
	for (size_t n = 0; n < p.o.n; n++) {
		struct diags d = {0};
		struct err err = {0};
		char *copy = malloc(n ? n : 1);
		memcpy(copy, p.o.buf, n);
		struct tracefmt *t = tracefmt_new(str_make(copy, n), &d, &err);
		assert_true(t ? d.of[DIAG_BAD_FEATURE].count > 0 : err.text[0] != '\0');
		tracefmt_free(t);
		free(copy);
	}
	(void)out_finish(&p.o);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(operators),
		cmocka_unit_test(texts),
		cmocka_unit_test(pointers),
		cmocka_unit_test(addresses),
		cmocka_unit_test(failed_formats),
		cmocka_unit_test(short_records),
		cmocka_unit_test(hostile_calls),
		cmocka_unit_test(other_byte_order),
		cmocka_unit_test(cut_payloads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
