#!/bin/bash
# When is recorded: after a delay, in ranges, by order.
# covers record: -D --control
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload

event="-e cpu-clock:u -F 1000"
samples() { "$KILN" script -i "$1" 2> /dev/null | wc -l; }
# shellcheck disable=SC2086 # two options
record() { "$KILN" record -q $event "$@" > log 2>&1 || fail "record $*: $(cat log)"; }

record -o all.data -- ./work 0.6
record -D 400 -o late.data -- ./work 0.6
record -D 100-150,300-350 -o ranges.data -- ./work 0.6
all=$(samples all.data) late=$(samples late.data) ranges=$(samples ranges.data)
[ "$late" -gt 0 ] && [ $((late * 10)) -lt $((all * 7)) ] || fail "-D 400: $late of $all samples"
[ "$ranges" -gt 0 ] && [ $((ranges * 10)) -lt $((all * 5)) ] || fail "-D ranges: $ranges of $all samples"

# What was mapped before the delay is over still has a name.
"$KILN" script -i late.data 2> /dev/null | grep -q '(.*/work)' || fail "no mapping of the program: $("$KILN" script -i late.data | head -n 3)"

says() {
	local pattern=$1
	shift
	"$KILN" record -o x.data "$@" -- true > log 2>&1 && fail "record $* did not fail"
	grep -qE "$pattern" log || fail "record $*: $(cat log)"
}
says 'wants milliseconds' -D soon
says 'wants milliseconds' -D 30-40,10-20
says 'which is missing' -D -1
says 'fd:N' --control pipe:3
says 'no such file descriptor' --control fd:77
says 'mkfifo' --control fifo:nowhere

# Orders through fifos, each with its answer.
mkfifo ctl ack
exec 8<> ctl 9<> ack
# shellcheck disable=SC2086
"$KILN" record -q $event -D -1 --control fifo:ctl,ack -o orders.data -- ./work 30 > log 2>&1 &
recorder=$!
order() {
	echo "$1" >&8
	read -r -t 20 answer <&9 || { kill $recorder; fail "$1 was not answered: $(cat log)"; }
	[ "$answer" = ack ] || fail "$1 was answered with $answer"
}
order ping
order enable
sleep 0.2
order disable
order stop
wait $recorder || fail "stopped by order: status $? $(cat log)"
[ "$(samples orders.data)" -gt 0 ] || fail "nothing recorded between enable and disable"

# Never enabled: nothing but a readable file. Orders through a descriptor.
{ sleep 0.2; echo stop; } | {
	# shellcheck disable=SC2086
	"$KILN" record -q $event -D -1 --control fd:3 -o none.data -- ./work 30 3<&0 > log 2>&1 < /dev/null ||
		fail "--control fd: $(cat log)"
} || exit 1
[ "$(samples none.data)" = 0 ] || fail "recorded without being enabled"
exit 0
