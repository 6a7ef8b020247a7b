#!/bin/bash
# What kiln records, perf reads without a warning, and both see the same.
# timeout: 300
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf
need_sampling
make_workload

event=cpu-clock:u
[ "$(id -u)" != 0 ] || event=cpu-clock
"$KILN" record -q -F 999 -g -e $event -o k.data -- ./work 0.5 > log 2>&1 || fail "kiln record: $(cat log)"
perf script --no-inline -i k.data > perf.script 2> perf.err || fail "perf script: $(cat perf.err)"
[ ! -s perf.err ] || fail "perf script complains: $(cat perf.err)"
for command in "evlist -v" "report --stdio --header-only" "report --stdio --no-children -g none" "report --stdio"; do
	# shellcheck disable=SC2086 # words
	perf $command -i k.data > out 2> perf.err || fail "perf $command: $(cat perf.err)"
	! grep -viE '^$|no process symbols|kptr_restrict|vmlinux|kernel address|^As no suitable|^Samples in kernel|^Check /proc|^Kernel samples|^Cannot load|^Couldn' perf.err > complaints ||
		fail "perf $command complains: $(cat complaints)"
done
[ "$(grep -c '^work' perf.script)" -gt 100 ] || fail "perf sees $(grep -c '^work' perf.script) samples"

"$KILN" script --no-inline -i k.data > kiln.script || fail "kiln script: exit status $?"
cmp perf.script kiln.script || { diff perf.script kiln.script | head; exit 1; }

entries() { grep -vE '^(#|$)' "$1" | sed 's/ *$//' | sort; }
perf report --stdio --no-children -g none -i k.data 2> /dev/null > out
entries out > want
"$KILN" report --stdio --no-children -g none -i k.data > out || fail "kiln report: exit status $?"
entries out > got
cmp want got || { diff want got; exit 1; }

# The shape of the workload is known: simulate_oven is the hottest function.
head -n 40 out | grep -vE '^(#|$)' | head -n 1 | grep -q simulate_oven || fail "the hottest function is not simulate_oven"

# The same through a pipe.
"$KILN" record -q -F 999 -g -e $event -o - -- ./work 0.3 > p.data 2> log || fail "kiln record -o -: $(cat log)"
perf script --no-inline -i p.data > perf.script 2> perf.err || fail "perf script of a pipe: $(cat perf.err)"
"$KILN" script --no-inline -i p.data > kiln.script || fail "kiln script of a pipe: exit status $?"
cmp perf.script kiln.script || { diff perf.script kiln.script | head; exit 1; }
