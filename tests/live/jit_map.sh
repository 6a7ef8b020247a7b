#!/bin/bash
# Perf maps: kept in the recording as they grow, so that names are right when the process, its file
# and its number are gone, and an address means what it meant at the time.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -o jit "$KILN_SRC/tests/support/jit.c" || skip "no machine code for this CPU"

# share NAME: percent of samples in a function, rounded down
share() { awk -v name="$1" '$NF == name { sub(/\..*/, "", $1); print $1; found = 1 } END { if (!found) print 0 }' report; }
# all_named WHAT [OPTION...]: a third of the time in each of the three functions
all_named() {
	what=$1
	shift
	"$KILN" report --no-children -g none -s sym "$@" > report 2> log || fail "$what: kiln report: exit status $?: $(cat log)"
	for name in first second wanderer; do
		[ "$(share $name)" -ge 20 ] || fail "$what: $name has $(share $name) % instead of a third: $(head -n 9 report)"
	done
}

"$KILN" record -q -g -e cpu-clock:u -F 999 -o map.data -- ./jit 400 map remove || fail "record: exit status $?"
all_named "removed map" -i map.data
[ ! -s log ] || fail "complains though all is there: $(cat log)"
# The whole stack: code that was made at run time is called by code that was not.
"$KILN" fold -i map.data > folded 2> log || fail "kiln fold: exit status $?"
grep -q 'main;outer;first ' folded || fail "no stack through made code: $(head -n 5 folded)"
"$KILN" fold --jit -i map.data | grep -q 'outer;second_\[j\] ' || fail "fold --jit does not mark made code"
"$KILN" script -i map.data 2> /dev/null | grep -q 'wanderer+0x[0-9a-f]* (/tmp/perf-[0-9]*\.map)' || fail "script does not name made code"

# A memfd is memory like any other; pipes hold what files hold.
"$KILN" record -q -e cpu-clock:u -F 999 -o memfd.data -- ./jit 300 map remove memfd || fail "record: exit status $?"
all_named "memfd" -i memfd.data
"$KILN" record -q -e cpu-clock:u -F 999 -o - -- ./jit 300 map remove > pipe.data || fail "record to a pipe: exit status $?"
all_named "pipe" -i - < pipe.data

# What is not in the recording must not be made up: else this test could not fail.
"$KILN" record -q --no-embed -e cpu-clock:u -F 999 -o bare.data -- ./jit 200 map remove || fail "record --no-embed: exit status $?"
"$KILN" report -q -g none -s sym -i bare.data 2> /dev/null | grep -q first && fail "--no-embed embeds"

# A file that another process of that number left behind is not this one's: first and second share an
# address, which this file gives to a third.
pid=$("$KILN" script -i map.data -F pid 2> /dev/null | awk 'NR == 1 { print $1 }')
trap 'rm -f "/tmp/perf-$pid.map"' EXIT
echo "0 7fffffffffff liar" > "/tmp/perf-$pid.map"
all_named "another process's map" -i map.data
"$KILN" report -q -g none -s sym -i map.data 2> /dev/null | grep -q liar && fail "takes names from another process's map"

command -v perf > /dev/null || exit 0
for data in map.data memfd.data; do
	for command in report script evlist "report --header-only"; do
		# shellcheck disable=SC2086 # words on purpose
		perf $command -i $data > out 2> log || fail "perf $command: exit status $?: $(cat log)"
		[ ! -s log ] || fail "perf $command complains: $(cat log)"
	done
done
exit 0
