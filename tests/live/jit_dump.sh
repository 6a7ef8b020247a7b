#!/bin/bash
# jitdumps: read without an inject step, from the recording or from where they are, by their times.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -o jit "$KILN_SRC/tests/support/jit.c" || skip "no machine code for this CPU"

share() { awk -v name="$1" '$NF == name { sub(/\..*/, "", $1); print $1; found = 1 } END { if (!found) print 0 }' report; }
all_named() {
	what=$1
	shift
	"$KILN" report --no-children -g none -s sym "$@" > report 2> log || fail "$what: kiln report: exit status $?: $(cat log)"
	for name in first second wanderer; do
		[ "$(share $name)" -ge 20 ] || fail "$what: $name has $(share $name) % instead of a third: $(head -n 9 report)"
	done
}

# The kernel's own clock is not the dump's; the recorder brings them together.
for words in "dump remove" "dump swap remove" "dump map remove" "dump memfd remove"; do
	# shellcheck disable=SC2086 # words on purpose
	"$KILN" record -q -g -e cpu-clock:u -F 999 -o dump.data -- ./jit 300 $words || fail "record: exit status $?"
	all_named "$words" -i dump.data
	[ ! -s log ] || fail "$words: complains though all is there: $(cat log)"
done
"$KILN" fold -i dump.data 2> /dev/null | grep -q 'main;outer;first ' || fail "no stack through made code"
"$KILN" report --no-children -g none -s srcline -i dump.data 2> /dev/null | grep -q "test.lang:11" || fail "no source lines from the dump"
for clock in mono boottime; do
	"$KILN" record -q -k $clock -e cpu-clock:u -F 999 -o clock.data -- ./jit 200 dump remove || fail "record -k $clock: exit status $?"
	all_named "clock $clock" -i clock.data
done

# Not kept, but still there.
"$KILN" record -q --no-embed -k mono -e cpu-clock:u -F 999 -o bare.data -- ./jit 300 dump || fail "record --no-embed: exit status $?"
all_named "the dump itself" -i bare.data
"$KILN" record -q --no-embed -e cpu-clock:u -F 999 -o other.data -- ./jit 300 dump || fail "record --no-embed: exit status $?"
"$KILN" report -g none -s sym -i other.data > report 2> log
[ "$(share second)" -ge 40 ] || fail "without a common clock the last function is to have both: $(cat report)"
grep -q 'another clock' log || fail "nothing is said of the clocks: $(cat log)"
rm -f jit-*.dump
"$KILN" report -g none -s sym -i bare.data > report 2> log
[ "$(share first)" = 0 ] || fail "names out of nowhere"
grep -q 'jit-.*dump' log || fail "a missing dump is not told: $(cat log)"

# Stacks from copies: by what the runtime says of its code, or else by frame pointers.
for words in "dump" "dump frames" "map"; do
	case $words in *frames*) [ "$(uname -m)" = x86_64 ] || continue ;; esac
	# shellcheck disable=SC2086
	"$KILN" record -q --call-graph dwarf -e cpu-clock:u -F 499 -o copy.data -- ./jit 200 $words remove || fail "record: exit status $?"
	"$KILN" fold -i copy.data > folded 2> log || fail "kiln fold: exit status $?"
	for name in first second wanderer; do
		grep -q "_start;.*main;outer;$name " folded || fail "$words: no whole stack through $name: $(cut -c 1-200 folded | head -n 5)"
	done
done

command -v perf > /dev/null || exit 0
for command in report script evlist "report --header-only"; do
	# shellcheck disable=SC2086 # words on purpose
	perf $command -i dump.data > out 2> log || fail "perf $command: exit status $?: $(cat log)"
	[ ! -s log ] || fail "perf $command complains: $(cat log)"
done
exit 0
