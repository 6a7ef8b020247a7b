#!/bin/bash
# A file that another program cuts short while kiln reads it raises SIGBUS: a sentence, not a crash.
# The recordings here are read too quickly to be cut at the right moment, so the signal is sent.
set -u
fail() { echo "$*"; exit 1; }

mkfifo text
"$KILN" fold -i - < text > out.txt 2> err.txt &
pid=$!
exec 3> text
# Once it catches the signal (bit 7) it is kiln, which waits for more.
until mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/$pid/status) && [ $((0x$mask & 1 << 6)) != 0 ]; do
	sleep 0.01
done
kill -BUS $pid
status=0
wait $pid || status=$?
exec 3>&-
[ $status = 1 ] || fail "exit status $status: $(cat err.txt)"
grep -q 'cut short by another program' err.txt || fail "said: $(cat err.txt)"
