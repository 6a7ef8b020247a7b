#!/bin/bash
# kiln record, in its ways to choose what is recorded and to end.
# timeout: 300
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload

user=:u
[ "$(id -u)" != 0 ] || user=
event=cpu-clock$user
count=0
ok() { count=$((count + 1)); echo "ok - $1"; }
not_ok() {
	count=$((count + 1))
	echo "not ok - $1"
	sed 's/^/# /' log
}
skip_case() { count=$((count + 1)); echo "ok - $1 # SKIP $2"; }
check() { # NAME COMMAND...: ok when the command succeeds
	local name=$1
	shift
	if "$@"; then ok "$name"; else not_ok "$name"; fi
}
record() { "$KILN" record -q -o k.data -e "$event" -F 999 "$@" > log 2>&1; }
fields() { "$KILN" script -i "${2:-k.data}" -F "$1" 2>> log; }
samples() { fields comm | grep -c .; }
whole() { "$KILN" report --stdio -i k.data > report.txt 2> log; } # exit status 0: nothing is missing

record -g -- ./work 0.5
check "a command: exit status 0" test $? = 0
check "a command: more than 100 samples" test "$(samples)" -gt 100
check "a command: all of it is work" test "$(fields comm | sort -u | tr -d ' \n')" = work
check "a command: the file is whole" whole
check "a command: stacks reach main" grep -q bake_round <("$KILN" fold -i k.data)

record -- sh -c 'exit 7'
check "the command's exit status is ours" test $? = 7
record -- ./no-such-program
check "a command that does not exist" test $? != 0
check "a command that does not exist is named" grep -q no-such-program log

record -- sh -c './work 0.2 & ./work 0.2; wait'
check "children are recorded" test "$(fields comm,pid | grep work | sort -u | wc -l)" = 2

./work 10 & pid=$!
record -p $pid -- sleep 0.3
check "-p until a command ends" test "$(fields pid | sort -u | tr -d ' \n')" = $pid
record -t $pid -- sleep 0.3
check "-t until a command ends" test "$(fields tid | sort -u | tr -d ' \n')" = $pid
kill $pid
record -p 999999999
check "-p of no process fails" test $? != 0

"$KILN" record -q -o k.data -e "$event" -c 10000000 -- ./work 0.3 > log 2>&1
check "-c: every sample weighs the same" test "$(fields period | sort -u | tr -d ' \n')" = 10000000
"$KILN" record -q -o k.data -e "cpu-clock$user,page-faults$user" -- ./work 0.2 > log 2>&1
check "two events" test "$("$KILN" evlist -i k.data | wc -l)" -ge 2
check "two events: both have samples" test "$(fields event | sort -u | grep -c .)" = 2

"$KILN" record -q -g -e "$event" -o - -- ./work 0.3 2> log | "$KILN" script -i - > piped.txt 2>> log
check "through a pipe" test "$(grep -c '^work' piped.txt)" -gt 50

for signal in INT TERM; do
	# A shell makes its background jobs deaf to SIGINT; env gives the ear back.
	env --default-signal=INT "$KILN" record -q -g -e "$event" -F 999 -o k.data -- ./work 30 > log 2>&1 &
	recorder=$!
	for _ in $(seq 50); do
		[ "$(stat -c %s k.data 2> /dev/null || echo 0)" -gt 0 ] && pgrep -P $recorder work > /dev/null && break
		sleep 0.1
	done
	sleep 0.5
	kill -s $signal $recorder
	wait $recorder
	check "SIG$signal: the file is whole" whole
	check "SIG$signal: there are samples" test "$(samples)" -gt 50
	pkill -P $recorder 2> /dev/null
done

if [ "$(id -u)" = 0 ]; then
	record -a -g -- ./work 0.3
	check "-a: kernel and user, several processes" test "$(fields comm | sort -u | grep -c .)" -gt 1
	record -C 0 -- taskset -c 0 ./work 0.3
	check "-C 0: that CPU only" test "$(fields cpu | sort -u | tr -d ' \n[]')" = 000
	if [ -r /sys/kernel/tracing/events/sched/sched_process_exec/id ]; then
		"$KILN" record -q -a -e 'sched:sched_process_exec' -o k.data -- ./work 0.1 > log 2>&1
		check "a tracepoint" grep -q 'filename=./work' <("$KILN" script -i k.data)
	else
		skip_case "a tracepoint" "tracefs is not readable"
	fi
else
	for name in "-a" "-C" "a tracepoint"; do
		skip_case "$name" "needs root"
	done
fi
echo "1..$count"
