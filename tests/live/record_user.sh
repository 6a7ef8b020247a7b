#!/bin/bash
# What an ordinary user may not do is said with the very command that changes it.
set -u
. "$KILN_SRC/tests/support/live.sh"
if [ "$(id -u)" = 0 ]; then
	command -v setpriv > /dev/null || skip "setpriv is not installed"
	chmod 777 .
	# shellcheck disable=SC2086 # words
	as_user() { $plain_user "$@"; }
	as_user test -x "$KILN" || skip "an ordinary user cannot reach $KILN"
	as_user test -w . || skip "an ordinary user cannot write to the test's directory"
else
	as_user() { "$@"; }
fi
level=$(cat /proc/sys/kernel/perf_event_paranoid 2> /dev/null)
[ "$level" = 2 ] || skip "perf_event_paranoid is ${level:-unknown}, not 2"

as_user "$KILN" record -o u.data -- true > log 2>&1 || fail "a user's own command: $(cat log)"
[ "$(grep -c 'user space only' log)" = 1 ] || fail "not said once that the kernel is left out: $(cat log)"
"$KILN" evlist -i u.data | grep -q ':.*u' || fail "the event's name does not tell: $("$KILN" evlist -i u.data)"
"$KILN" evlist -v -i u.data | grep -q 'exclude_kernel: 1' || fail "the kernel is not excluded"

as_user "$KILN" record -a -o a.data -- true > log 2>&1 && fail "-a is allowed"
grep -q 'sysctl -w kernel.perf_event_paranoid=0' log || fail "-a: $(cat log)"
as_user "$KILN" record -e cpu-clock:k -o a.data -- true > log 2>&1 && fail "the kernel is allowed"
grep -q 'sysctl -w kernel.perf_event_paranoid=1' log || fail "cpu-clock:k: $(cat log)"
# Our own shell is another user's for them; by uid, not by namespace, whatever container this is.
if [ "$(id -u)" = 0 ]; then
	as_user "$KILN" record -p $$ -o a.data -- true > log 2>&1 && fail "another user's process is allowed"
	grep -q 'belongs to another user' log || fail "-p $$: $(cat log)"
fi
if ! as_user test -r /sys/kernel/tracing/events; then
	as_user "$KILN" record -e sched:sched_switch -o a.data -- true > log 2>&1 && fail "tracepoints are allowed"
	grep -qE 'mount -o remount,mode=755|mount -t tracefs' log || fail "tracepoint: $(cat log)"
fi
[ ! -e a.data ] || fail "a failure left a file"
exit 0
