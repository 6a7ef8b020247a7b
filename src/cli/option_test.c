#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "cli/option.h"

static struct {
	bool all, graph, children, inline_, children_set;
	int verbose;
	const char *output, *called;
	bool called_negated;
	uint64_t freq;
	double limit;
	struct opt_strings events;
} got;

static bool on_call(void *value, const char *text, bool negated, struct err *err)
{
	(void)value;
	if (text && !strcmp(text, "bad"))
		return err_set(err, ERR_USAGE, "bad is bad");
	got.called = text ? text : "(none)";
	got.called_negated = negated;
	return true;
}

static const struct option table[] = {
	{OPT_GROUP, .help = "things"},
	{OPT_BOOL, 'a', "all", NULL, "", .value = &got.all},
	{OPT_BOOL, 'g', NULL, NULL, "", .value = &got.graph},
	{OPT_BOOL, 0, "children", NULL, "", .value = &got.children, .was_set = &got.children_set},
	{OPT_BOOL, 0, "no-inline", NULL, "", .value = &got.inline_},
	{OPT_COUNT, 'v', "verbose", NULL, "", .value = &got.verbose},
	{OPT_STRING, 'o', "output", "FILE", "", .value = &got.output},
	{OPT_STRINGS, 'e', "event", "EVENT", "", .value = &got.events},
	{OPT_U64, 'F', "freq", "HZ", "", .value = &got.freq},
	{OPT_DOUBLE, 0, "percent-limit", "PERCENT", "", .value = &got.limit},
	{OPT_CALL, 'G', "call-graph", "HOW", "", .optional_arg = true, .call = on_call},
	{OPT_BOOL, 0, "call-path", NULL, "", .value = &got.graph},
	{0},
};

static struct parsed parsed;
static struct err err;

static bool parse_words(bool stop_at_word, const char *words)
{
	static char text[256];
	static char *argv[32];
	int argc = 0;
	strcpy(text, words);
	for (char *save, *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	vec_free(&got.events.list);
	memset(&got, 0, sizeof got);
	free(parsed.args);
	err = (struct err){0};
	return options_parse(table, argc, argv, stop_at_word, &parsed, &err);
}

static bool parse(const char *words)
{
	return parse_words(false, words);
}

static int forget(void **state)
{
	(void)state;
	free(parsed.args);
	parsed.args = NULL;
	vec_free(&got.events.list);
	return 0;
}

static void letters(void **state)
{
	(void)state;
	assert_true(parse("x -a -g"));
	assert_true(got.all && got.graph);
	assert_true(parse("x -agF99 -o out"));
	assert_true(got.all && got.graph);
	assert_int_equal(got.freq, 99);
	assert_string_equal(got.output, "out");
	assert_true(parse("x -F 99 -ofile"));
	assert_int_equal(got.freq, 99);
	assert_string_equal(got.output, "file");
	assert_true(parse("x -vvv"));
	assert_int_equal(got.verbose, 3);
}

static void long_names(void **state)
{
	(void)state;
	assert_true(parse("x --all --freq=0x10 --output out --percent-limit 0.5"));
	assert_true(got.all);
	assert_int_equal(got.freq, 16);
	assert_string_equal(got.output, "out");
	assert_true(got.limit > 0.49 && got.limit < 0.51);
	assert_true(parse("x --output="));
	assert_string_equal(got.output, "");
}

static void every_use_is_collected(void **state)
{
	(void)state;
	assert_true(parse("x -e one --event two -ethree"));
	assert_int_equal(got.events.list.n, 3);
	assert_string_equal(got.events.list.v[2], "three");
}

static void abbreviations(void **state)
{
	(void)state;
	assert_true(parse("x --al --perc 3"));
	assert_true(got.all);
	assert_false(parse("x --call-"));
	assert_string_equal(err.text, "option --call- is ambiguous");
	assert_true(parse("x --call-p"));
	assert_true(got.graph);
}

static void negations(void **state)
{
	(void)state;
	assert_true(parse("x --children"));
	assert_true(got.children && got.children_set);
	assert_true(parse("x --children --no-children"));
	assert_false(got.children);
	assert_true(got.children_set);
	assert_true(parse("x --no-inline"));
	assert_true(got.inline_);
	assert_true(parse("x --no-inline --inline"));
	assert_false(got.inline_);
	assert_true(parse("x -vv --no-verbose"));
	assert_int_equal(got.verbose, 0);
	assert_false(parse("x --no-freq"));
	assert_false(parse("x --no-children=1"));
}

static void optional_values(void **state)
{
	(void)state;
	assert_true(parse("x --call-graph fp"));
	assert_string_equal(got.called, "(none)");
	assert_int_equal(parsed.count, 1);
	assert_true(parse("x --call-graph=fp"));
	assert_string_equal(got.called, "fp");
	assert_true(parse("x -Gfp"));
	assert_string_equal(got.called, "fp");
	assert_true(parse("x --no-call-graph"));
	assert_true(got.called_negated);
	assert_false(parse("x -Gbad"));
	assert_string_equal(err.text, "bad is bad");
}

static void mistakes_are_named(void **state)
{
	(void)state;
	assert_false(parse("x --nothing"));
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.text, "there is no option --nothing");
	assert_false(parse("x -az"));
	assert_string_equal(err.text, "there is no option -z");
	assert_false(parse("x -F"));
	assert_string_equal(err.text, "option -F wants a value: HZ");
	assert_false(parse("x --freq"));
	assert_string_equal(err.text, "option --freq wants a value: HZ");
	assert_false(parse("x --freq=12x"));
	assert_string_equal(err.text, "--freq wants a number, not \"12x\"");
	assert_false(parse("x --percent-limit many"));
	assert_string_equal(err.text, "--percent-limit wants a number, not \"many\"");
	assert_false(parse("x --all=1"));
	assert_string_equal(err.text, "option --all takes no value");
}

static void words_mix_with_options(void **state)
{
	(void)state;
	assert_true(parse("x one -a two - -- -g"));
	assert_true(got.all);
	assert_false(got.graph);
	assert_int_equal(parsed.count, 4);
	assert_string_equal(parsed.args[2], "-");
	assert_string_equal(parsed.args[3], "-g");
	assert_null(parsed.args[4]);
}

static void a_command_keeps_its_own_options(void **state)
{
	(void)state;
	assert_true(parse_words(true, "x -a ls -g --all"));
	assert_true(got.all);
	assert_false(got.graph);
	assert_int_equal(parsed.count, 3);
	assert_string_equal(parsed.args[0], "ls");
	assert_true(parse_words(true, "x -- -g"));
	assert_int_equal(parsed.count, 1);
	assert_string_equal(parsed.args[0], "-g");
}

static void help_is_asked_for(void **state)
{
	(void)state;
	assert_true(parse("x -a --help --nothing"));
	assert_true(parsed.help);
	assert_true(parse("x -h"));
	assert_true(parsed.help);
	assert_true(parse_words(true, "x ls -h"));
	assert_false(parsed.help);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters),
		cmocka_unit_test(long_names),
		cmocka_unit_test(every_use_is_collected),
		cmocka_unit_test(abbreviations),
		cmocka_unit_test(negations),
		cmocka_unit_test(optional_values),
		cmocka_unit_test(mistakes_are_named),
		cmocka_unit_test(words_mix_with_options),
		cmocka_unit_test(a_command_keeps_its_own_options),
		cmocka_unit_test(help_is_asked_for),
	};
	return cmocka_run_group_tests(tests, NULL, forget);
}
