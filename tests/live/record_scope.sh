#!/bin/bash
# Whose events: a user's, a control group's, those that a filter lets through.
# covers record: -u -G --filter --exclude-perf
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
need_root
make_workload

"$KILN" record -q -e cpu-clock -u 54321 -o x.data -- true > log 2>&1 && fail "-u of a user without processes"
grep -q 'runs nothing' log || fail "-u: $(cat log)"
"$KILN" record -q -u nobody-of-that-name -o x.data -- true > log 2>&1 && fail "-u of an unknown user"
grep -q 'no user' log || fail "-u: $(cat log)"
chmod 755 . work
setpriv --reuid 54321 --regid 54321 --clear-groups ./work 5 > /dev/null &
theirs=$!
./work 5 > /dev/null &
ours=$!
sleep 0.2
"$KILN" record -q -e cpu-clock -u 54321 -o u.data -- sleep 0.3 > log 2>&1 || fail "-u: $(cat log)"
kill $theirs $ours
"$KILN" script -F pid -i u.data 2> /dev/null | sort -u | tr -d ' ' > pids
[ "$(cat pids)" = "$theirs" ] || fail "-u 54321 ($theirs) recorded: $(cat pids)"

root=
for dir in /sys/fs/cgroup/perf_event /sys/fs/cgroup/unified /sys/fs/cgroup; do
	case $(stat -f -c %T $dir 2> /dev/null) in cgroup*fs) root=$dir; break ;; esac
done
if [ -n "$root" ] && mkdir "$root/kiln-test-$$" 2> /dev/null; then
	group=kiln-test-$$
	sh -c 'echo $$ > "$0" && exec ./work 5' "$root/$group/cgroup.procs" > /dev/null &
	inside=$!
	./work 5 > /dev/null &
	outside=$!
	sleep 0.2
	"$KILN" record -q -e cpu-clock -G $group -a -o g.data -- sleep 0.3 > log 2>&1
	status=$?
	kill $inside $outside
	wait $inside $outside 2> /dev/null
	rmdir "$root/$group"
	[ $status = 0 ] || fail "-G: $(cat log)"
	"$KILN" script -F pid -i g.data 2> /dev/null | sort -u | tr -d ' ' > pids
	[ "$(cat pids)" = "$inside" ] || fail "-G ($inside) recorded: $(cat pids)"
	"$KILN" record -q -e cpu-clock -G no-such-group -a -o x.data -- true > log 2>&1 && fail "-G of no group"
	grep -q 'no control group' log || fail "-G: $(cat log)"
	"$KILN" record -q -e cpu-clock -G $group -o x.data -- true > log 2>&1 && fail "-G without -a"
fi

need_tracefs
"$KILN" record -q -e sched:sched_switch --filter 'next_pid == 0' -a -o f.data -- sleep 0.3 > log 2>&1 || fail "--filter: $(cat log)"
"$KILN" script -i f.data 2> /dev/null | grep 'sched_switch' | grep -v 'next_pid=0 ' | grep -q . && fail "--filter lets others through"
"$KILN" record -q -e raw_syscalls:sys_enter --exclude-perf -a -o f.data -- ./work 0.2 > log 2>&1 &
recorder=$!
wait $recorder || fail "--exclude-perf: $(cat log)"
"$KILN" script -F pid -i f.data 2> /dev/null | tr -d ' ' | grep -qx $recorder && fail "--exclude-perf recorded the recorder"
says() {
	local pattern=$1
	shift
	"$KILN" record -o x.data "$@" -a -- true > log 2>&1 && fail "record $* did not fail"
	grep -qE "$pattern" log || fail "record $*: $(cat log)"
}
says 'does not understand the filter' -e sched:sched_switch --filter 'nonsense == 0'
says 'cannot look at "next_pid"' -e cpu-clock --filter 'next_pid == 0'
says 'before it' --filter 'next_pid == 0' -e sched:sched_switch
exit 0
