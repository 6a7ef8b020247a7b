#!/bin/bash
# kiln test: the workloads exist, have their names and functions, and end when they are told to.
set -u
fail() { echo "$*"; exit 1; }

"$KILN" test --list-workloads > list || fail "--list-workloads: exit status $?"
for name in noploop thloop leafloop sqrtloop brstack datasym landlock inlineloop; do
	grep -qx $name list || fail "no workload $name"
done
for name in noploop thloop sqrtloop inlineloop; do
	"$KILN" test -w $name 0 || fail "$name for no time: exit status $?"
done
"$KILN" test -w brstack 10 || fail "brstack: exit status $?"
"$KILN" test -w landlock || fail "landlock: exit status $?"

# Those without an end run until they are stopped, under the name that scripts look for.
for name in leafloop datasym; do
	"$KILN" test -w $name &
	for _ in $(seq 100); do
		[ "$(cat /proc/$!/comm)" = perf-$name ] && break
		sleep 0.02
	done
	comm=$(cat /proc/$!/comm)
	kill $!
	wait $! 2> /dev/null
	[ "$comm" = perf-$name ] || fail "the thread of $name is called $comm"
done

if command -v nm > /dev/null; then
	nm "$KILN" > symbols
	for symbol in noploop test_loop thfunc leaf parent brstack_bench brstack_foo brstack_bar buf1; do
		grep -qE " [tTdD] $symbol\$" symbols || fail "no symbol $symbol"
	done
fi

"$KILN" test -w nosuch 2> log
[ $? = 129 ] || fail "an unknown workload is no usage error"
grep -q list-workloads log || fail "no hint: $(cat log)"

# The self test: nothing may fail, whatever this machine allows.
"$KILN" test > out || fail "kiln test: exit status $?: $(cat out)"
[ "$(grep -cE ': (Ok|Skip)' out)" = "$(wc -l < out)" ] || fail "unexpected lines: $(cat out)"
exit 0
