#!/bin/bash
# A command is recorded from its first instruction on, with its children; its exit status is ours.
# covers record: -i -o
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload

"$KILN" record -F 999 -g -o k.data -- sh -c './work 0.2; ./work 0.2; exit 7' > out 2> log
[ $? = 7 ] || fail "the command's exit status is lost: $(cat log)"
grep -qE '^\[ kiln record: Woken up [0-9]+ times to write data \]$' log || fail "no woken-up line: $(cat log)"
grep -qE '^\[ kiln record: Captured and wrote [0-9.]+ MB k.data \([0-9]+ samples\) \]$' log || fail "no summary: $(cat log)"
"$KILN" script -i k.data > script || fail "kiln script: exit status $?"
grep -q '^work ' script || fail "the children are missing"
said=$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' log)
[ "$(grep -c ' cpu-clock\| cycles' script)" = "$said" ] || fail "said $said samples, wrote another number"

# A second recording keeps the first one.
"$KILN" record -q -o k.data -- true > out 2>&1 || fail "second recording: $(cat out)"
[ ! -s out ] || fail "-q is not quiet: $(cat out)"
[ -s k.data.old ] || fail "the old file was not kept"

"$KILN" record -q -o s.data -- sh -c 'kill -TERM $$' 2> /dev/null
[ $? = 143 ] || fail "a command killed by a signal gives no 128+n"

# Without children.
"$KILN" record -q -i -o i.data -- sh -c './work 0.2; exit 0' || fail "record -i"
"$KILN" script -i i.data 2> /dev/null | grep -q '^ *work ' && fail "-i recorded a child"

# Nothing is touched when the command does not exist.
rm -f n.data
"$KILN" record -o n.data -- no-such-command-here 2> log
[ $? = 127 ] || fail "a missing command does not exit with 127"
[ ! -e n.data ] || fail "a missing command left a file"
printf '#!/nonexistent/interpreter\n' > broken
chmod +x broken
"$KILN" record -o n.data -- ./broken 2> log
[ $? = 126 ] || fail "a command that cannot run does not exit with 126: $(cat log)"
[ ! -e n.data ] || fail "a command that cannot run left a file"
echo precious > n.data
"$KILN" record -o n.data -- ./broken 2> log
[ "$(cat n.data)" = precious ] || fail "a command that cannot run cost us the old file"
exit 0
