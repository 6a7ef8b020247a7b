#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/counters.h"
#include "capture/denied.h"
#include "perfdata/attr.h"

static const struct counter user_event = {.class = EVENT_SOFTWARE,
					  .attr = {.flags = ATTR_EXCLUDE_KERNEL}};
static const struct counter kernel_event = {.class = EVENT_SOFTWARE, .wants_kernel = true};
static const struct counter tracepoint = {.class = EVENT_TRACEPOINT};

static void check(const struct denied_facts *f, const struct counter *c, int32_t tid,
		  const char *text, const char *hint)
{
	struct err err = {0};
	denied_explain(f, c, "thing", tid, &err);
	assert_int_equal(err.code, ERR_PERMISSION);
	if (!strstr(err.text, text) || !strstr(err.hint, hint))
		fail_msg("\"%s\" / \"%s\" in: %s / %s", text, hint, err.text, err.hint);
	assert_null(strchr(err.text, '\n'));
	assert_null(strchr(err.hint, '\n'));
}

static void levels(void **state)
{
	(void)state;
	static const char *const is[] = {"paranoid is 2", "paranoid is 3", "paranoid is 4"};
	for (int level = 2; level <= 4; level++) {
		const char *text = is[level - 2];
		struct denied_facts f = {.level_known = true, .level = level};
		check(&f, &user_event, -1, text, "paranoid=0, or run with sudo");
		check(&f, &kernel_event, 7, text, "paranoid=1, or run with sudo");
		check(&f, &tracepoint, 7, text, "paranoid=-1, or run with sudo");
		/* Debian and Ubuntu refuse a user's own programs, too. */
		if (level > 2)
			check(&f, &user_event, 7, text, "paranoid=2, or run with sudo");
	}
}

static void containers(void **state)
{
	(void)state;
	struct denied_facts f = {.level_known = true, .level = 2, .root = true};
	check(&f, &kernel_event, 7, "to a root without CAP_PERFMON", "--cap-add PERFMON");
	f.capable = f.user_namespace = true;
	check(&f, &kernel_event, 7, "inside a user namespace", "outside of it: sudo sysctl");
	f.outside = true;
	check(&f, &user_event, 1, "process 1 is outside of this user namespace", "from there");
	f.filtered = f.all_refused = true;
	check(&f, &user_event, 7, "seccomp", "seccomp=unconfined");
	/* A filter that lets perf_event_open through is not to blame. */
	f = (struct denied_facts){.level_known = true, .level = 2, .filtered = true};
	check(&f, &user_event, -1, "paranoid is 2", "paranoid=0");
}

static void others(void **state)
{
	(void)state;
	struct denied_facts f = {.level_known = true, .level = 2, .foreign = true};
	check(&f, &user_event, 7, "process 7 belongs to another user", "sudo");
	f = (struct denied_facts){.level_known = true, .level = -1};
	check(&f, &user_event, 7, "though kernel.perf_event_paranoid is -1", "policy");
	struct counter physical = {.class = EVENT_SOFTWARE,
				   .attr = {.flags = ATTR_EXCLUDE_KERNEL, .sample_type = 1U << 19}};
	check(&f, &physical, 7, "--phys-data needs the capability CAP_PERFMON", "leave it out");
	f = (struct denied_facts){0};
	check(&f, &user_event, 7, "not allowed to this user", "/proc");
	f = (struct denied_facts){.root = true, .capable = true, .level_known = true, .level = 2};
	check(&f, &user_event, 7, "in spite of CAP_PERFMON", "dmesg");
}

static void missing(void **state)
{
	(void)state;
	struct err err = {0};
	denied_explain_missing(&(struct denied_facts){.filtered = true}, "thing", &err);
	assert_non_null(strstr(err.text, "seccomp"));
	denied_explain_missing(&(struct denied_facts){0}, "thing", &err);
	assert_non_null(strstr(err.text, "without perf events"));
	assert_non_null(strstr(err.hint, "CONFIG_PERF_EVENTS"));
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels),
		cmocka_unit_test(containers),
		cmocka_unit_test(others),
		cmocka_unit_test(missing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
