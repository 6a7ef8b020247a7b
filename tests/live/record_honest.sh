#!/bin/bash
# What is told about losses is true: how many, where, when, and what helps. TAP.
# covers record: --strict -m
# timeout: 240
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
need_root
need_tracefs
[ -e /sys/kernel/tracing/events/raw_syscalls/sys_enter ] || skip "no raw_syscalls tracepoints"
command -v perf > /dev/null || skip "perf is not installed"
cat > burst.c <<-'C'
	#include <stdlib.h>
	#include <sys/syscall.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		long n = argc > 1 ? atol(argv[1]) : 0;
		alarm(60);
		for (long i = 0; n == 0 || i < n; i++)
			syscall(SYS_getppid);
		return 0;
	}
C
"${CC:-cc}" -O1 -o burst burst.c || fail "cannot compile"
n=0
verdict() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log stats 2> /dev/null | head -n 30; fi
}
stats() { perf report --stats -i k.data > stats 2> /dev/null; }
# told LINE-PATTERN: the first number in the line
told() { sed -n "s/.*$1.*/\1/p" log | head -n 1; }
# of EVENT KIND: the count of the file for one event
of() { awk -v event="$1" -v kind="$2" '/ stats:$/ { mine = index($0, event " stats:") == 1 || index($0, event) == 1 } mine && $1 == kind { print $3; exit }' stats; }

# --- how many: what was recorded and what was lost make up what happened -----------------------

calls=300000
events=raw_syscalls:sys_enter,raw_syscalls:sys_exit
"$KILN" record -m 1 -e $events -o k.data -- ./burst $calls > log 2>&1
verdict $? "a burst of system calls into a tiny buffer"
stats
for event in sys_enter sys_exit; do
	lost=$(told "lost \([0-9]*\) samples of raw_syscalls:$event")
	kept=$(of raw_syscalls:$event SAMPLE)
	all=$((${lost:-0} + ${kept:-0}))
	[ "${lost:-0}" -gt 0 ] && [ $all -ge $calls ] && [ $all -le $((calls + 500)) ]
	verdict $? "$event: $kept recorded and $lost lost are $all of a little more than $calls"
	[ "$(of raw_syscalls:$event LOST_SAMPLES)" = "$lost" ]
	verdict $? "$event: the file says the same"
	sum=$(grep "samples of raw_syscalls:$event" log | grep -oE '[0-9]+ on CPU' | awk '{ n += $1 } END { print n + 0 }')
	[ "$sum" = "$lost" ]
	verdict $? "$event: the CPUs add up to $sum"
done
grep -qE 'a ring buffer was full (once|[0-9]+ times), from [0-9.]+ s to [0-9.]+ s after the first sample, for [0-9.]+ ms at most' log
verdict $? "it is told when"
[ "$(told 'full: \([0-9]*\) records lost')" -ge "$(told ', \([0-9]*\) of them samples')" ]
verdict $? "samples are among the records"

# --- what helps --------------------------------------------------------------------------------

first=$(told 'full: \([0-9]*\) records lost')
size=
for _ in 1 2 3 4; do # a busy machine may hold the recorder up for longer than the time before
	size=$(told 'larger buffers with -m \([0-9]*[KM]\)')
	grep -q 'fewer events with --filter' log || size=
	[ -n "$size" ] || break
	"$KILN" record -m "$size" -e $events -o k.data -- ./burst $calls > log 2>&1 || break
	grep -q 'records lost' log || break
done
rest=$(told 'full: \([0-9]*\) records lost')
[ -n "$size" ] && [ $((${rest:-0} * 10)) -lt "$first" ]
verdict $? "-m $size helps: $first before, ${rest:-none} with it"

# --- when: a recorder that is stopped ---------------------------------------------------------

rm -f k.data
./burst > /dev/null &
burst=$!
"$KILN" record -m 16 -p $burst -e raw_syscalls:sys_enter -o k.data > log 2>&1 &
recorder=$!
for _ in $(seq 200); do [ "$(stat -c %s k.data 2> /dev/null || echo 0)" -gt 200000 ] && break; sleep 0.05; done
kill -STOP $recorder
sleep 0.7
kill -CONT $recorder
sleep 0.3
kill -INT $recorder
wait $recorder
kill $burst
gap=$(told 'for \([0-9]*\)[.0-9]* ms at most')
# Less than it was stopped, as the burst may have waited for a CPU; but of that kind.
[ "${gap:-0}" -ge 400 ]
verdict $? "stopped for 700 ms: the buffer was full for $gap ms"
awk -v log_gap="${gap:-0}" '/a ring buffer was full/ {
	for (i = 1; i < NF; i++) { if ($i == "from") from = $(i + 1); if ($i == "to") to = $(i + 1) }
} END { exit !(to - from >= log_gap / 1000 - 0.01) }' log
verdict $? "and from when to when is as long"
size=$(told 'larger buffers with -m \([0-9]*[KM]\)')
case $size in *K) kb=${size%K} ;; *M) kb=$((${size%M} * 1024)) ;; *) kb=0 ;; esac
[ "$kb" -gt 128 ]
verdict $? "so much more room is told: $size"

# --- throttling -------------------------------------------------------------------------------

"$KILN" record -a -e cpu-clock -F max -o k.data -- ./burst 300000 > log 2>&1
stats
times=$(told 'held sampling back \([0-9]*\) times')
grep -q 'held sampling back once' log && times=1
[ "${times:-0}" = "$(awk '$1 == "THROTTLE" { n = $3; exit } END { print n + 0 }' stats)" ]
verdict $? "throttled ${times:-0} times, as the file says"

# --- an error when asked for, and for whom ----------------------------------------------------

for quiet in "" -q; do
	"$KILN" record $quiet --strict -m 1 -e $events -o k.data -- ./burst $calls > log 2>&1
	[ $? = 3 ]
	verdict $? "--strict $quiet"
done
"$KILN" record --strict -m 1 -e $events -o k.data -- sh -c "./burst $calls; exit 5" > log 2>&1
[ $? = 3 ]
verdict $? "--strict before the command's own status"
"$KILN" record --strict -e cpu-clock -F 99 -o k.data -- sh -c "exit 5" > log 2>&1
[ $? = 5 ]
verdict $? "the command's own status without loss"
if command -v setpriv > /dev/null; then
	chmod 777 .
	if $plain_user test -x "$KILN" && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
		$plain_user "$KILN" record -e cpu-clock:u -F 4000 -m 512K --call-graph dwarf,65528 -o user.data -- "$KILN" test -w noploop 1 > log 2>&1
		if grep -q 'records lost' log; then
			grep -qE 'hint: larger buffers with -m [0-9]+M \(first: sudo sysctl -w kernel.perf_event_mlock_kb=[0-9]+\)' log
			verdict $? "a user is told of the limit of locked memory"
		fi
	fi
fi
echo "1..$n"
