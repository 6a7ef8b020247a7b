#!/bin/bash
# How good stacks are, told by report --quality and after record; deep stacks, and their roots.
# covers record: --max-stack
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
cc=${CC:-cc}
flags="-O1 -fno-optimize-sibling-calls"
# shellcheck disable=SC2086 # words on purpose
"$cc" $flags -fno-omit-frame-pointer -o tower "$KILN_SRC/tests/support/tower.c" || fail "cannot compile"
# shellcheck disable=SC2086
"$cc" $flags -fomit-frame-pointer -o blind "$KILN_SRC/tests/support/tower.c" || fail "cannot compile"

# number NAME FILE: of the JSON
number() { grep -o "\"$1\":[0-9]*" "$2" | head -n 1 | cut -d: -f2; }
limit=$(cat /proc/sys/kernel/perf_event_max_stack)
[ "$limit" = 127 ] || skip "kernel.perf_event_max_stack is $limit"

# Not deep: all is well, and nothing is said.
"$KILN" record -g -e cpu-clock:u -F 999 -o good.data -- ./tower 20 300 2> log || fail "record: exit status $?"
! grep -q 'stacks are whole' log || fail "complains of good stacks: $(cat log)"
"$KILN" report --quality=json -i good.data > json || fail "report --quality: exit status $?"
[ "$(number cut json)" = 0 ] || fail "cut: $(cat json)"
[ "$(number whole json)" -ge $(($(number stacks json) * 9 / 10)) ] || fail "not whole: $(cat json)"

# Deeper than the kernel's limit: about three of four lose their root.
"$KILN" record -g -e cpu-clock:u -F 999 -o deep.data -- ./tower 500 600 2> log || fail "record: exit status $?"
grep -q 'stacks are whole.*--max-stack' log || fail "record does not say that stacks are cut: $(cat log)"
"$KILN" report --quality=json -i deep.data > json || fail "report --quality: exit status $?"
[ "$(number cut json)" -ge $(($(number stacks json) / 2)) ] || fail "nothing cut: $(cat json)"
"$KILN" report --quality -i deep.data | grep -q ' cut .*--reroot' || fail "no cure for stacks that are cut"
"$KILN" fold -i deep.data > plain 2> log || fail "fold: exit status $?"
grep -q '^tower;climb;climb' plain || fail "no stack begins in the middle"
for command in fold "flame -o -" "report -g caller --children"; do
	# shellcheck disable=SC2086
	"$KILN" $command --reroot -i deep.data > rooted 2> log || fail "$command --reroot: exit status $?"
	grep -q 'given the root' log || fail "$command: does not say how many: $(cat log)"
done
"$KILN" fold --reroot -i deep.data > rooted 2> log
! grep -q '^tower;climb;climb' rooted || fail "a stack still begins in the middle: $(grep '^tower;climb;climb' rooted | cut -c 1-80 | head -n 3)"
[ "$(awk '{ n += $NF } END { print n }' plain)" = "$(awk '{ n += $NF } END { print n }' rooted)" ] || fail "time got lost"
echo 'a;b 1' > text
"$KILN" fold --reroot -i text > out 2> log && fail "--reroot of text is accepted"
grep -q 'wants a recording' log || fail "no clear message: $(cat log)"

# Built without frame pointers.
"$KILN" record -g -e cpu-clock:u -F 999 -o blind.data -- ./blind 20 300 2> log || fail "record: exit status $?"
"$KILN" report --quality -i blind.data > out || fail "report --quality: exit status $?"
grep -q 'blind: stacks end here; built without frame pointers: record with --call-graph dwarf' out || fail "no cure: $(cat out)"
grep -q 'stacks are whole.*--call-graph dwarf' log || fail "record does not say that stacks are broken: $(cat log)"

"$KILN" record -e cpu-clock:u -q -o flat.data -- ./tower 20 50 || fail "record: exit status $?"
"$KILN" report --quality -i flat.data > out 2> log && fail "judges stacks that are not there"
grep -q 'no call chains' log || fail "no clear message: $(cat log)"

# Deeper recordings, and the limit is as it was afterwards.
[ "$(id -u)" = 0 ] || exit 0
"$KILN" record --max-stack 600 -e cpu-clock:u -F 999 -o whole.data -- ./tower 500 300 2> log ||
	skip "the kernel's limit cannot be raised now: $(tail -n 1 log)"
grep -q 'perf_event_max_stack is raised' log || fail "nothing is said of the limit"
[ "$(cat /proc/sys/kernel/perf_event_max_stack)" = 127 ] || fail "the limit stays raised"
"$KILN" report --quality=json -i whole.data > json || fail "report --quality: exit status $?"
[ "$(number cut json)" = 0 ] || fail "still cut: $(cat json)"
exit 0
