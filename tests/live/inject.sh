#!/bin/bash
# inject: what it makes is read by perf, which cannot read jitdumps otherwise.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload
"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -o jit "$KILN_SRC/tests/support/jit.c" || skip "no machine code for this CPU"

"$KILN" record -q -g -e cpu-clock:u -F 999 -o dump.data -- ./jit 300 dump || fail "record: exit status $?"
"$KILN" inject --jit -v -i dump.data -o jitted.data > out 2> log || fail "inject --jit: exit status $?: $(cat log)"
[ "$(ls jitted-*.so | wc -l)" = 3 ] || fail "not one file per function: $(ls)"
grep -q 'jitted-.*so: wanderer' log || fail "-v does not tell of the files: $(cat log)"
if command -v readelf > /dev/null; then
	for file in jitted-*.so; do
		readelf -aW "$file" > out 2> log || fail "readelf of $file"
		[ ! -s log ] || fail "readelf complains: $(cat log)"
	done
fi

# all_named TOOL...: each function has its share
all_named() {
	"$@" > report 2> log || fail "$*: exit status $?: $(cat log)"
	for name in first second wanderer; do
		awk -v name=$name '$NF == name && $1 + 0 >= 20 { found = 1 } END { exit !found }' report ||
			fail "$*: no $name: $(grep -v '^#' report | head -n 8)"
	done
}
all_named "$KILN" report --no-children -g none -s sym -i jitted.data
# Without the dump the names are in the files alone.
"$KILN" record -q --no-embed -k mono -g -e cpu-clock:u -F 999 -o bare.data -- ./jit 300 dump || fail "record: exit status $?"
"$KILN" inject -j -i bare.data -o bare-jitted.data || fail "inject -j: exit status $?"
rm -f jit-*.dump
all_named "$KILN" report --no-children -g none -s sym -i bare-jitted.data

# A copy with nothing added is the same recording, in a file and in a pipe.
"$KILN" inject -i dump.data -o copy.data || fail "inject: exit status $?"
"$KILN" inject -i dump.data > pipe.data || fail "inject to a pipe: exit status $?"
"$KILN" script -i dump.data > want 2> /dev/null
"$KILN" script -i copy.data > have 2> /dev/null
cmp want have || fail "a copy differs"
"$KILN" script -i - < pipe.data > have 2> /dev/null
cmp want have || fail "a copy through a pipe differs"

# Build ids: of files that were hit, where the recording has none.
"$KILN" record -q -B -e cpu-clock:u -F 999 -o ids.data -- ./work 1 > /dev/null || fail "record -B: exit status $?"
"$KILN" inject -b -i ids.data -o with-ids.data || fail "inject -b: exit status $?"
"$KILN" inject -s -i dump.data -o x.data 2> log && fail "-s without such events is accepted"
grep -q 'sched_stat' log || fail "no clear message: $(cat log)"
"$KILN" inject --jit -i ids.data -o x.data 2> log || fail "inject --jit without a dump: exit status $?"
grep -q 'no process.*jitdump' log || fail "does not say that there was nothing: $(cat log)"

if [ "$(id -u)" = 0 ] && [ -r /sys/kernel/tracing/events/sched/sched_stat_runtime/id ]; then
	"$KILN" record -q -g -e sched:sched_switch -e sched:sched_stat_runtime -o sched.data -- sh -c 'sleep 0.05; sleep 0.05' ||
		fail "record: exit status $?"
	"$KILN" inject -s -i sched.data -o merged.data 2> log || fail "inject -s: exit status $?: $(cat log)"
	"$KILN" script -i merged.data -F event,period > merged 2> /dev/null
	grep -q sched_switch merged || fail "no switch is left"
	! grep -q sched_stat merged || fail "a sched_stat is left"
	"$KILN" script -i sched.data -F event,period 2> /dev/null | awk '/sched_stat/ { print $1 }' | sort > periods
	awk '/sched_switch/ { print $1 }' merged | sort > merged-periods
	[ -z "$(comm -13 periods merged-periods)" ] || fail "periods out of nowhere"
fi

need_perf
all_named perf report --no-children -g none -s sym --stdio -i jitted.data
perf report --no-children -g caller,0.5,callee --stdio -i jitted.data 2> /dev/null | grep -q outer || fail "perf shows no callers"
perf buildid-list -i with-ids.data | grep -q '/work$' || fail "no build id of what was hit"
perf script -i copy.data > have 2> log || fail "perf script of a copy: exit status $?"
[ ! -s log ] || fail "perf complains: $(cat log)"
exit 0
