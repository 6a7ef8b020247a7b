#!/bin/bash
# How a recording is made: by orders from outside, with what runs already, near its buffers.
# covers record: -r --synth --tail-synthesize --num-thread-synthesize --sample-identifier --running-time --latency --switch-output-event --aio
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload

record() { "$KILN" record -e cpu-clock:u "$@" > log 2>&1 || fail "record $*: $(cat log)"; }
attr() { "$KILN" evlist -v -i "$1"; }

# --- orders -------------------------------------------------------------------------------------

mkfifo ctl ack
exec 7<> ctl 8<> ack
"$KILN" record -e '{cpu-clock:u,cs:u}' -e task-clock:u --control fd:7,8 -o c.data -- ./work 60 > answers 2> told &
recorder=$!
order() { # WORDS: acknowledged
	echo "$*" >&7
	read -r -t 60 answer <&8 || fail "no answer to $*: $(cat told)"
	[ "$answer" = ack ] || fail "$*: answer $answer"
}
order ping
order evlist
grep -qx 'cpu-clock:u' answers || fail "evlist: $(cat answers)"
grep -qx 'task-clock:u' answers || fail "evlist: $(cat answers)"
order evlist -g
grep -qx '{cpu-clock:u,cs:u}' answers || fail "evlist -g: $(cat answers)"
order evlist -F
grep -qx 'task-clock:u: sample_freq=4000' answers || fail "evlist -F: $(cat answers)"
order evlist -v
grep -q '^cs:u: type: 1, size: 1.*config: 0x3' answers || fail "evlist -v: $(cat answers)"
order evlist -x
grep -q 'evlist knows -v, -g and -F' told || fail "evlist -x: $(cat told)"
order disable task-clock # by its name without the modifier
order disable nosuch
grep -q 'there is no event "nosuch"' told || fail "disable nosuch: $(cat told)"
sleep 0.3
order enable task-clock:u
sleep 0.2
order stop
wait $recorder || fail "--control: exit status $?: $(cat told)"
# While it was off, only the other one sampled.
"$KILN" script -F event,time -i c.data 2> /dev/null | awk '
	$2 ~ /task-clock/ { if (last && $1 - last > gap) gap = $1 - last; last = $1 + 0 }
	END { exit !(gap > 0.2) }' || fail "disable task-clock: $("$KILN" script -F event,time -i c.data | head)"

# --- what runs already --------------------------------------------------------------------------

# Samples with the name of the function, and with that of the program.
maps() { "$KILN" script -F ip,sym -i "$1" 2> /dev/null | grep -c simulate; }
names() { "$KILN" script -F comm -i "$1" 2> /dev/null | grep -c work; }
./work 60 > /dev/null &
old=$!
record -p $old -o all.data -- sleep 0.1
record -p $old --synth task -o task.data -- sleep 0.1
record -p $old --synth no -o no.data -- sleep 0.1
record -p $old --tail-synthesize -o tail.data -- sleep 0.1
for file in all.data tail.data; do
	[ "$(maps $file)" -gt 0 ] && [ "$(names $file)" -gt 0 ] || fail "$file: $(maps $file) functions, $(names $file) names"
done
[ "$(maps task.data)" = 0 ] && [ "$(names task.data)" -gt 0 ] || fail "--synth task: $(maps task.data) functions, $(names task.data) names"
[ "$(maps no.data)" = 0 ] && [ "$(names no.data)" = 0 ] || fail "--synth no: $(maps no.data) functions, $(names no.data) names"
record -p $old --proc-map-timeout 1000 --num-thread-synthesize 3 -o x.data -- sleep 0.05
kill $old

# --- fields -------------------------------------------------------------------------------------

record --sample-identifier -o x.data -- ./work 0.05
attr x.data | grep -q 'sample_type: .*IDENTIFIER' || fail "--sample-identifier: $(attr x.data)"
"$KILN" record -e '{cpu-clock:u,cs:u}:S' --running-time -o x.data -- ./work 0.1 > log 2>&1 || fail "--running-time: $(cat log)"
attr x.data | grep -q 'read_format: TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING|ID|GROUP' || fail "--running-time: $(attr x.data)"
"$KILN" script -i x.data 2> err.txt | grep -q simulate || fail "--running-time: $(cat err.txt)"
record --latency -o x.data -- ./work 0.1
attr x.data | grep -q 'context_switch: 1' || fail "--latency: $(attr x.data)"
max=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
record -F $((max + 1)) -o x.data -- ./work 0.02
grep -q 'more than the kernel allows' log || fail "-F beyond the limit is lowered without a word: $(cat log)"
attr x.data | grep -q "sample_freq }: $max" || fail "-F beyond the limit: $(attr x.data)"

# --- where and when the buffers are read --------------------------------------------------------

for option in '--affinity node' '--affinity cpu' '--mmap-flush 1K' '--mmap-flush 1G'; do
	# shellcheck disable=SC2086 # two words
	record $option -o x.data -- ./work 0.2
	[ "$("$KILN" script -F ip,sym -i x.data | grep -c .)" -gt 50 ] || fail "$option: $(cat log)"
done
if [ "$(id -u)" = 0 ]; then
	"$KILN" record -q -e cpu-clock:u -r 1 -o x.data -- sh -c 'ps -o cls= -p $PPID; ps -o cls= -p $$; exec true' > classes 2> log ||
		grep -q 'no real-time priority' log || fail "-r 1: $(cat log)"
	if [ -s classes ] && command -v ps > /dev/null; then
		[ "$(tr -d ' \n' < classes)" = FFTS ] || fail "-r 1: recorder and command run as $(cat classes)"
	fi
fi

# --- written behind -----------------------------------------------------------------------------

for option in '--aio' '--aio=4' '--aio=2 -z'; do
	# shellcheck disable=SC2086 # may be two words
	record $option -g -F 4000 -o a.data -- ./work 0.3
	"$KILN" script -F comm,time,ip,sym -i a.data > k.txt 2> err.txt || fail "$option: $(cat err.txt)"
	[ ! -s err.txt ] && grep -q simulate k.txt || fail "$option: $(cat err.txt)"
	command -v perf > /dev/null || continue
	perf script --no-inline -F comm,time,ip,sym -i a.data > p.txt 2> err.txt || fail "$option: perf: $(cat err.txt)"
	cmp k.txt p.txt || fail "$option: perf and kiln differ"
done

# Somebody else than the recorder's own thread writes.
"$KILN" record -q --aio -e cpu-clock:u -o a.data -- ./work 60 > log 2>&1 &
recorder=$!
threads=0
for _ in $(seq 300); do
	threads=$(ls /proc/$recorder/task 2> /dev/null | wc -l)
	[ "$threads" -lt 2 ] || break
	sleep 0.1
done
kill -INT $recorder
wait $recorder
[ "$threads" -gt 1 ] || fail "--aio writes in the recorder's own thread"

# Killed, at its best moment and its worst: what was written can be read.
for option in '-z' '--aio=2' '--aio=2 -z'; do
	rm -f killed.data
	# shellcheck disable=SC2086 # may be two words
	"$KILN" record -q $option -e cpu-clock:u -F 4000 -o killed.data -- sh -c 'echo $$ > pid; exec ./work 60' > log 2>&1 &
	recorder=$!
	for _ in $(seq 300); do
		[ "$(stat -c %s killed.data 2> /dev/null || echo 0)" -gt 6000 ] && break
		sleep 0.1
	done
	kill -KILL $recorder
	wait $recorder 2> /dev/null
	kill "$(cat pid)"
	"$KILN" script -F ip,sym -i killed.data > k.txt 2> err.txt || fail "killed $option: $(cat err.txt)"
	grep -q 'never finished' err.txt || fail "killed $option: not said: $(cat err.txt)"
	[ "$(grep -c simulate k.txt)" -gt 20 ] || fail "killed $option: $(wc -l < k.txt) lines"
done

# --- several files ------------------------------------------------------------------------------

# Each file knows the processes, also those that were started by others, before the switch.
cat > tree.sh <<'SH'
sleep 0.4
(./work 3 & echo $! > work.pid; wait) &
wait
SH
sh tree.sh > /dev/null &
tree=$!
"$KILN" record -q -e cpu-clock:u -p $tree --switch-output -o p.data > log 2>&1 &
recorder=$!
for _ in $(seq 100); do
	[ ! -s work.pid ] || break
	sleep 0.1
done
sleep 0.4
kill -USR2 $recorder
sleep 0.5
kill -USR2 $recorder
sleep 0.4
kill -INT $recorder
wait $recorder
kill $tree "$(cat work.pid)" 2> /dev/null
"$KILN" record -q -e cpu-clock:u --switch-output -o g.data -- sh tree.sh > log 2>&1 &
recorder=$!
sleep 0.7
kill -USR2 $recorder
sleep 0.7
kill -USR2 $recorder
wait $recorder || fail "--switch-output: $(cat log)"
for file in p.data.* g.data.*; do
	"$KILN" script -F comm,ip,sym,dso -i "$file" > k.txt 2> err.txt || fail "$file: $(cat err.txt)"
	grep -q 'simulate.*/work)' k.txt || fail "$file does not know the program: $(head -n 5 k.txt)"
done
[ "$(ls g.data.* p.data.* | wc -l)" = 6 ] || fail "two signals, two recordings: $(ls)"

# By an event: page faults of the program make new files.
"$KILN" record -q -e cpu-clock:u --switch-output-event faults:u --switch-max-files 3 -o e.data -- ./work 0.3 > log 2>&1 ||
	fail "--switch-output-event: $(cat log)"
n=$(ls e.data.* | wc -l)
[ "$n" -gt 1 ] && [ "$n" -le 3 ] || fail "--switch-output-event: $n files: $(ls)"
for file in e.data.*; do
	"$KILN" evlist -i "$file" | grep -q faults && fail "--switch-output-event: it was recorded"
done
exit 0
