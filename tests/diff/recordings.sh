#!/bin/bash
# Fresh recordings by perf, read by both: script byte for byte, report by entries and percentages,
# fold --classic as a set of stacks (where stackcollapse-perf.pl is found).
# timeout: 300
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf
make_workload

cases=()
record() { # NAME OPTIONS...
	local name=$1
	shift
	if perf record -q -N -o "$name.data" "$@" > "$name.log" 2>&1; then
		cases+=("$name")
	fi
}

record fp -F 999 -g -- ./work 0.5
record flat -F 999 -- ./work 0.5
record events -F 499 -g -e cpu-clock -e page-faults -- sh -c './work 0.3; ls -R /usr/share/doc > /dev/null'
record zstd -z -F 999 -g -- ./work 0.5
perf record -q -N -F 999 -g -o - -- ./work 0.5 > pipe.data 2> /dev/null && cases+=(pipe)
if [ "$(id -u)" = 0 ]; then
	record system -F 999 -a -g -- ./work 0.5
	record tracepoints -a -e sched:sched_switch -e sched:sched_process_fork -- sh -c 'ls > /dev/null; ./work 0.1'
	record stacks -a -g -e sched:sched_switch -- ./work 0.1
fi
[ ${#cases[@]} -gt 0 ] || skip "perf cannot record here: $(tail -n 1 fp.log)"

# Lines of a report without comments, in the order of (percentage, text): perf orders equal ones
# by address.
entries() { grep -vE '^(#|$)' "$1" | sed 's/ *$//' | sort; }

verdict() { # NAME EXPECTED GOT
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		{ head -n 5 err; diff "$2" "$3" | head -n 12; } | sed 's/^/# /'
	fi
}

collapse=$(command -v stackcollapse-perf.pl || ls "${FLAMEGRAPH_DIR:-/nonexistent}/stackcollapse-perf.pl" 2> /dev/null)
echo "1..$((3 * ${#cases[@]}))"
for name in "${cases[@]}"; do
	perf script --no-inline -i "$name.data" > want 2> /dev/null
	"$KILN" script --no-inline -i "$name.data" > got 2> err
	verdict "script $name" want got

	if [ -n "$collapse" ] && grep -q '^$' want; then
		"$collapse" < want 2> /dev/null | sort > want.folded
		"$KILN" fold --classic -i "$name.data" 2> err | sort > got.folded
		verdict "fold --classic $name" want.folded got.folded
	else
		echo "ok - fold --classic $name # SKIP no stackcollapse-perf.pl, or no stacks"
	fi

	perf report --stdio --no-children -g none -i "$name.data" > want.report 2> /dev/null
	"$KILN" report --stdio --no-children -g none -i "$name.data" > got.report 2> err
	entries want.report > want.entries
	entries got.report > got.entries
	verdict "report $name" want.entries got.entries
done
