#!/bin/bash
# A binary deleted while it runs, or replaced by another one, keeps its names in the recording.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload

names() { "$KILN" script "$@" 2> /dev/null | grep -c simulate_oven; }

# Deleted while it is recorded.
cp work doomed
"$KILN" record -q -e cpu-clock:u -o gone.data -- sh -c './doomed 1 > /dev/null & sleep 0.5; rm doomed; wait' ||
	fail "record: exit status $?"
[ ! -e doomed ] || fail "the binary was to be deleted"
[ "$(names -i gone.data)" -gt 0 ] || fail "a deleted binary has lost its names"
"$KILN" report -i gone.data > report 2> log || fail "kiln report: exit status $?"
! grep -q 'no symbols for.*doomed' log || fail "complains though the names are there: $(cat log)"

# Without embedding there is nowhere to take them from: else this test could not fail.
cp work doomed
"$KILN" record -q --no-embed -e cpu-clock:u -o bare.data -- sh -c './doomed 1 > /dev/null & sleep 0.5; rm doomed; wait' ||
	fail "record --no-embed: exit status $?"
[ "$(names -i bare.data)" = 0 ] || fail "--no-embed embeds"

# Another program takes its place.
cp work doomed
"$KILN" record -q -e cpu-clock:u -o replaced.data -- sh -c './doomed 1 > /dev/null & sleep 0.5; cp /bin/true new; mv new doomed; wait' ||
	fail "record: exit status $?"
[ "$(names -i replaced.data)" -gt 0 ] || fail "a replaced binary has lost its names"

# Deleted before the recording begins. Where the kernel does not let us open mapped files there is
# still /proc/PID/exe.
cp work doomed
./doomed 60 > /dev/null &
pid=$!
trap 'kill $pid 2> /dev/null' EXIT
until [ "$(basename "$(readlink /proc/$pid/exe)")" = doomed ]; do sleep 0.05; done
rm doomed
"$KILN" record -q -e cpu-clock:u -p $pid -o before.data -- sleep 0.3 || fail "record -p: exit status $?"
[ "$(names -i before.data)" -gt 0 ] || fail "a binary deleted before the recording has no names"

# Through a pipe, too.
cp work doomed
"$KILN" record -q -e cpu-clock:u -o - -- sh -c './doomed 1 > /dev/null & sleep 0.5; rm doomed; wait' > pipe.data ||
	fail "record -o -: exit status $?"
[ "$(names -i - < pipe.data)" -gt 0 ] || fail "a deleted binary has lost its names in a pipe"

command -v perf > /dev/null || exit 0
for command in report script evlist "report --header-only" buildid-list; do
	# shellcheck disable=SC2086 # words on purpose
	perf $command -i gone.data > out 2> log || fail "perf $command: exit status $?: $(cat log)"
	[ ! -s log ] || fail "perf $command complains: $(cat log)"
done
perf script -i - < pipe.data > out 2> log || fail "perf script of a pipe: exit status $?"
[ -s out ] && [ ! -s log ] || fail "perf script of a pipe complains: $(cat log)"
exit 0
