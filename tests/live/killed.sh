#!/bin/bash
# kill -9 in the middle of a recording: what was written is readable, without being told so.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload

event=cpu-clock
[ "$(id -u)" = 0 ] || event=cpu-clock:u
"$KILN" record -q -g -e $event -F 4000 -m 16 -o k.data -- ./work 30 > log 2>&1 &
recorder=$!
for _ in $(seq 100); do
	[ "$(stat -c %s k.data 2> /dev/null || echo 0)" -gt 40000 ] && break
	sleep 0.1
done
workload=$(pgrep -P $recorder)
kill -9 $recorder
wait $recorder 2> /dev/null
kill "$workload" 2> /dev/null
[ "$(stat -c %s k.data)" -gt 40000 ] || fail "nothing was written in 10 seconds: $(cat log)"

for command in "report --stdio -g none" script fold; do
	# shellcheck disable=SC2086 # words
	"$KILN" $command -i k.data > out 2> err
	status=$?
	[ $status = 0 ] || [ $status = 2 ] || fail "$command: exit status $status: $(cat err)"
	grep -q simulate_oven out || fail "$command does not show simulate_oven: $(head -n 5 out err)"
	grep -q 'never finished\|killed' err || fail "$command does not say that the recording was cut: $(cat err)"
done
"$KILN" evlist -i k.data 2> /dev/null | grep -q cpu-clock || fail "the event's name is lost"
