#!/bin/bash
# What the kernel forbids is said with the setting in the way and the command that changes it.
set -u
. "$KILN_SRC/tests/support/live.sh"
level=$(cat /proc/sys/kernel/perf_event_paranoid 2> /dev/null) || skip "no perf_event_paranoid"
[ "$level" -ge 1 ] || skip "perf_event_paranoid is $level: everything is allowed"

as_user=()
if [ "$(id -u)" = 0 ]; then
	command -v setpriv > /dev/null || skip "no setpriv to become an ordinary user"
	as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all)
	chmod 777 .
	"${as_user[@]}" "$KILN" version > /dev/null 2>&1 || skip "an ordinary user cannot run $KILN here"
fi
"${as_user[@]}" "$KILN" record -a -o k.data -- true > log 2>&1
[ $? = 1 ] || fail "record -a: exit status is not 1: $(cat log)"
grep -q perf_event_paranoid log || fail "the sysctl is not named: $(cat log)"
grep -q 'sysctl' log || fail "the command that changes it is not shown: $(cat log)"
[ ! -s k.data ] || fail "a file is left behind"
