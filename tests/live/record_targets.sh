#!/bin/bash
# -p and -t record what was asked for and nothing else, and end when it ends.
# covers record: -p -t
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload

tids() { "$KILN" script -i "$1" -F tid 2> /dev/null | tr -d ' ' | sort -u | grep .; }

./work 60 > /dev/null &
one=$!
./work 60 > /dev/null &
two=$!
trap 'kill $one $two 2> /dev/null' EXIT

"$KILN" record -q -e cpu-clock:u -p $one -o p.data -- sleep 0.5 || fail "record -p: exit status $?"
[ "$(tids p.data)" = "$one" ] || fail "-p $one recorded threads $(tids p.data | tr '\n' ' ')"
"$KILN" script -i p.data > script || fail "kiln script: exit status $?"
grep -q simulate_oven script || fail "mappings that were there before are missing: no symbols"

"$KILN" record -q -e cpu-clock:u -p "$one,$two" -o pp.data -- sleep 0.5 || fail "record -p a,b: exit status $?"
[ "$(tids pp.data | wc -l)" = 2 ] || fail "-p with two processes recorded $(tids pp.data | tr '\n' ' ')"

"$KILN" record -q -e cpu-clock:u -t $two -o t.data -- sleep 0.5 || fail "record -t: exit status $?"
[ "$(tids t.data)" = "$two" ] || fail "-t $two recorded threads $(tids t.data | tr '\n' ' ')"

# Without a command: until the process ends.
sleep 0.5 &
"$KILN" record -q -e cpu-clock:u -p $! -o e.data || fail "the end of the process is a failure: exit status $?"

"$KILN" record -p 4194305 -o x.data 2> log && fail "a process that does not exist was recorded"
grep -q 'no process 4194305' log || fail "no clear message: $(cat log)"
"$KILN" record -C 99999999 -o x.data -- true 2> log && fail "a CPU that does not exist was recorded"
[ ! -e x.data ] || fail "a recording that could not start left a file"
exit 0
