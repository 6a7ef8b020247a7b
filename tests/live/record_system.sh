#!/bin/bash
# The whole system: what runs already has its names and mappings, new programs and BPF are seen.
# covers record: -a -C
set -u
. "$KILN_SRC/tests/support/live.sh"
need_root
need_sampling
make_workload

./work 60 > /dev/null &
busy=$!
trap 'kill $busy 2> /dev/null' EXIT

"$KILN" record -q -a -g -F 499 -o k.data -- sh -c './work 0.3' || fail "record -a: exit status $?"
"$KILN" script -i k.data > script 2> err || fail "kiln script: $(cat err)"
grep -qE "^work +$busy " script || fail "the program that ran already is missing"
grep -E '^work ' script | grep -vqE "^work +$busy " || fail "the new program is missing"
[ "$("$KILN" evlist -i k.data | tail -n 1)" = dummy:HG ] || fail "no event of its own for side-band"

# Frames of the program that ran already have names.
awk -v pid=$busy '/^[^\t]/ { mine = $2 == pid } mine && /simulate_oven/ { found = 1 } END { exit !found }' script ||
	fail "the program that ran already has no symbols"

"$KILN" record -q -C 0 -o c.data -- ./work 0.2 || fail "record -C 0: exit status $?"
[ "$("$KILN" script -i c.data -F cpu 2> /dev/null | tr -d '[] ' | sort -u | grep .)" = 000 ] || fail "-C 0 recorded other CPUs"

if command -v perf > /dev/null; then
	perf script --show-task-events --show-mmap-events --show-namespace-events -i k.data 2> /dev/null > side
	for record in 'COMM: work' "FORK($busy:$busy)" "MMAP2 $busy/$busy" 'COMM exec: work' 'EXIT(' "NAMESPACES $busy/$busy" '\[kernel.kallsyms\]_text'; do
		grep -q "PERF_RECORD_.*$record\|PERF_RECORD_$record" side || fail "no record $record"
	done
fi
exit 0
