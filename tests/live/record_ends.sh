#!/bin/bash
# However a recording ends, its file can be read.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload

samples() { "$KILN" script -i "$1" 2> script.err | grep -c 'cpu-clock:u:'; }

# The file grows by the time we look: then there is something to lose.
wait_for_data() { # FILE
	for _ in $(seq 200); do
		[ "$(stat -c %s "$1" 2> /dev/null || echo 0)" -gt 20000 ] && return
		sleep 0.1
	done
	fail "no data within 20 seconds"
}

for signal in INT TERM HUP; do
	# In the background of a script SIGINT starts out ignored; recording ends by it all the same.
	rm -f k.data
	"$KILN" record -e cpu-clock:u -F 999 -o k.data -- ./work 60 > log 2>&1 &
	recorder=$!
	wait_for_data k.data
	kill -$signal $recorder
	wait $recorder
	status=$?
	[ $status = $((128 + $(kill -l $signal))) ] || fail "SIG$signal: exit status $status: $(cat log)"
	grep -q 'Captured and wrote' log || fail "SIG$signal: no summary: $(cat log)"
	"$KILN" report --header-only -i k.data 2> report.err | grep -q 'time of last sample' || fail "SIG$signal: no features"
	[ ! -s report.err ] || fail "SIG$signal: $(cat report.err)"
	[ "$(samples k.data)" -gt 50 ] || fail "SIG$signal: $(samples k.data) samples"
done

rm -f k.data
"$KILN" record -q -e cpu-clock:u -F 999 -o k.data -- sh -c 'echo $$ > pid; exec ./work 60' > log 2>&1 &
recorder=$!
wait_for_data k.data
kill -KILL $recorder
wait $recorder 2> /dev/null
kill "$(cat pid)"
[ "$(samples k.data)" -gt 50 ] || fail "SIGKILL: $(samples k.data) samples"
grep -q 'never finished' script.err || fail "SIGKILL: not said that the file is not whole: $(cat script.err)"

# No room: as a size limit, which needs no root. In kB.
(
	ulimit -f 200
	"$KILN" record -e cpu-clock:u -F max -m 64K -o full.data -- ./work 60 > full.log 2>&1
)
status=$?
[ $status = 1 ] || fail "no room: exit status $status: $(cat full.log)"
grep -q 'cannot write full.data' full.log || fail "no room: $(cat full.log)"
[ "$(samples full.data)" -gt 50 ] || fail "no room: $(samples full.data) samples, $(cat script.err)"
[ ! -s script.err ] || fail "no room: the file is not whole: $(cat script.err)"
exit 0
