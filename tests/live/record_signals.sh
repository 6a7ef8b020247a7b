#!/bin/bash
# once
# How commands and recordings end, as their callers see it (and as perf has it). TAP.
# timeout: 240
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload
"${CC:-cc}" -O1 -o ended "$KILN_SRC/tests/support/ended.c" || fail "cannot compile"
n=0
verdict() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log how 2> /dev/null; fi
}
samples() { "$KILN" script -F ip -i "$1" 2> /dev/null | grep -c .; }
whole() { "$KILN" report --header-only -i "$1" > /dev/null 2> whole.err && [ ! -s whole.err ]; }

# --- the command's end is ours -----------------------------------------------------------------

by() { # COMMAND...: how a recording of the command ends
	./ended "$KILN" record -q -e cpu-clock:u -o k.data "$@" 2> log
}
ends() { # WANT COMMAND...
	local want=$1
	shift
	by "$@" > how
	local same=0
	[ "$(tail -n 1 how)" = "$want" ] && whole k.data || same=1
	verdict $same "$want: $*"
}
ends "exit 0" -- true
ends "exit 1" -- false
ends "exit 77" -- sh -c 'exit 77'
ends "exit 255" sh -c 'exit 255'
ends "signal 15" -- sh -c 'kill -TERM $$'
ends "signal 2" -- sh -c 'kill -INT $$'
ends "signal 9" -- sh -c 'kill -KILL $$'
(ulimit -c unlimited 2> /dev/null; by -- sh -c 'ulimit -c 0; kill -SEGV $$' > how)
[ "$(cat how)" = "signal 11" ] && ! ls core* > /dev/null 2>&1
verdict $? "signal 11, and no core file of the recorder"

for status in "127 no-such-command" "127 ./no-such-file" "126 ./not-executable" "126 ./a-directory" "126 ./no-interpreter"; do
	touch not-executable
	mkdir -p a-directory
	printf '#!/no/such/interpreter\n' > no-interpreter
	chmod +x no-interpreter
	rm -f k.data
	by -- ${status#* } > how
	[ "$(cat how)" = "exit ${status%% *}" ] && [ ! -e k.data ] && [ "$(grep -c '^kiln record: ' log)" = 1 ]
	verdict $? "exit ${status%% *}: ${status#* }"
done

ln -s "$KILN" perf
for command in no-such-command ./not-executable; do
	./ended ./perf record -q -e cpu-clock:u -o k.data -- $command > how 2> log
	[ "$(cat how)" = "exit 255" ]
	verdict $? "exit 255 under the name perf: $command"
done

# --- signals to the recorder -------------------------------------------------------------------

wait_for_data() { # FILE
	for _ in $(seq 200); do
		[ "$(stat -c %s "$1" 2> /dev/null || echo 0)" -gt 6000 ] && return
		sleep 0.05
	done
	echo "# no data within ten seconds"
}
# signalled NAME WANT SIGNAL TARGET COMMAND...: the signal goes to the recorder, or to the group
signalled() {
	local name=$1 want=$2 signal=$3 target=$4
	shift 4
	rm -f k.data pid
	setsid ./ended sh -c 'echo $$ > pid; exec "$@"' sh "$KILN" record -e cpu-clock:u -F 999 -o k.data "$@" > how 2> log &
	local session=$!
	wait_for_data k.data
	if [ "$target" = group ]; then
		# The group of a terminal's foreground job; `ended` has to live to tell.
		kill -$signal "$(cat pid)" $(ps -o pid= --ppid "$(cat pid)")
	else
		kill -$signal "$(cat pid)"
	fi
	wait $session
	[ "$(tail -n 1 how)" = "$want" ] && whole k.data && [ "$(samples k.data)" -gt 10 ] && grep -q 'Captured and wrote' log
	verdict $? "$name"
}
signalled "SIGINT" "signal 2" INT recorder -- ./work 60
signalled "SIGTERM" "signal 15" TERM recorder -- ./work 60
signalled "SIGHUP" "signal 1" HUP recorder -- ./work 60
command -v ps > /dev/null && signalled "Ctrl-C reaches the command, too" "signal 2" INT group -- ./work 60
signalled "a command that has its own way to end" "signal 15" TERM recorder -- sh -c 'trap "exit 5" TERM; ./work 60 & wait; exit 6'
signalled "SIGUSR1 is none of its business" "exit 0" USR1 recorder -- ./work 3
signalled "SIGUSR2 without --switch-output, too" "exit 0" USR2 recorder -- ./work 3
[ "$(ls k.data* | grep -vc '\.old$')" = 1 ]
verdict $? "and it writes no other file"

# The command gets its signals as they were, not as the recorder has them.
"$KILN" record -q -e cpu-clock:u -o k.data -- sh -c 'grep -E "^Sig(Blk|Ign)" /proc/self/status' > got 2> log
sh -c 'grep -E "^Sig(Blk|Ign)" /proc/self/status' > want
cmp want got > how
verdict $? "signals of the command"
"$KILN" record -q -e cpu-clock:u -o k.data -- sh -c 'ulimit -n; ulimit -l; ls /proc/self/fd | wc -l' > got 2> log
sh -c 'ulimit -n; ulimit -l; ls /proc/self/fd | wc -l' > want
cmp want got > how
verdict $? "limits and files of the command"
nohup "$KILN" record -q -e cpu-clock:u -F 999 -o k.data -- ./work 3 > /dev/null 2> log < /dev/null &
recorder=$!
wait_for_data k.data
kill -HUP $recorder
wait $recorder
verdict $? "nohup"

# A second Ctrl-C does not wait for a command that does not listen.
rm -f k.data ready
"$KILN" record -q -e cpu-clock:u -o k.data -- sh -c 'trap "" TERM INT; : > ready; sleep 30; sleep 30' > log 2>&1 &
recorder=$!
for _ in $(seq 200); do [ -e ready ] && break; sleep 0.05; done
kill -INT $recorder
sleep 0.5
kill -0 $recorder 2> log
verdict $? "it waits for the command"
started=$SECONDS
kill -INT $recorder
wait $recorder
[ $((SECONDS - started)) -lt 20 ] && whole k.data
verdict $? "a second Ctrl-C ends it"

# --- a recorder that is held up ---------------------------------------------------------------

"$KILN" record -e cpu-clock:u -F 999 -o k.data -- ./work 3 > out 2> log &
recorder=$!
wait_for_data k.data
kill -STOP $recorder
sleep 0.3
kill -CONT $recorder
wait $recorder && whole k.data && ! grep -q lost log
verdict $? "stopped and continued"

# --- pipes -------------------------------------------------------------------------------------

"$KILN" record -e cpu-clock:u -F 9999 -o - -- ./work 3 2> log | head -c 2000 > /dev/null
[ "${PIPESTATUS[0]}" = 1 ] && grep -q '^kiln record: cannot write standard output: Broken pipe' log
verdict $? "the reader of a pipe goes away"
"$KILN" record -q -e cpu-clock:u -o - -- ./work 0.2 2> log > pipe.data && [ "$(samples pipe.data)" -gt 5 ]
verdict $? "what the command prints does not get into the pipe"
"$KILN" record -q -e cpu-clock:u -o - -- true >&- 2> log
[ $? = 1 ] && grep -q 'cannot write standard output' log
verdict $? "standard output is closed"
"$KILN" record -q -e cpu-clock:u -o k.data -- ./work 0.1 <&- >&- 2>&- && whole k.data && [ "$(samples k.data)" -gt 5 ]
verdict $? "everything is closed"

# --- commands that fork away ------------------------------------------------------------------

"$KILN" record -e cpu-clock:u -o k.data -- sh -c './work 3 > /dev/null 2>&1 & echo $! > pid' > out 2> log
status=$?
kill "$(cat pid)" 2> /dev/null
[ $status = 0 ] && grep -q 'what it left running is not recorded any more' log
verdict $? "a daemon is told of"
"$KILN" record -e cpu-clock:u -o k.data -- sh -c './work 0.1 | cat > /dev/null; (./work 0.1 > /dev/null)' > out 2> log &&
	! grep -q 'left running' log
verdict $? "children that have ended are not"

# --- two at once -------------------------------------------------------------------------------

scope=-F
[ "$(id -u)" != 0 ] || scope=-aF
./work 60 > /dev/null &
busy=$!
"$KILN" record -q -e cpu-clock:u $scope 499 -o one.data -- sleep 1 > log 2>&1 &
first=$!
"$KILN" record -q -e cpu-clock:u $scope 499 -p $busy -o two.data -- sleep 1 > log.two 2>&1
second=$?
wait $first && [ $second = 0 ] && whole one.data && whole two.data && [ "$(samples two.data)" -gt 20 ]
verdict $? "two recorders"
kill $busy
echo "1..$n"
