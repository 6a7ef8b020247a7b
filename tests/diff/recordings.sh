#!/bin/bash
# Fresh recordings by perf, read by both: script byte for byte, report by entries and percentages,
# fold --classic as a set of stacks (where stackcollapse-perf.pl is found).
# timeout: 300
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf
make_workload
# Without its cache of files, perf does not name the functions of [vdso].
export HOME=$PWD

# The whole machine runs other people's programs too, which may be gone or replaced when they are
# looked up: what is compared of it is a program of a name that only this run has, and the idle task.
own=w$$
ln work "$own"
declare -A filter=([system]="--comms=$own,swapper" [tracepoints]="--comms=$own,swapper" [stacks]="--comms=$own,swapper")

crowded=
cases=()
# perf 6.1 overruns its stack now and then when somebody else records with build ids at that time.
record() { # NAME OPTIONS...
	local name=$1
	shift
	for _ in 1 2 3; do
		if perf record -q -o "$name.data" "$@" > "$name.log" 2>&1; then
			cases+=("$name")
			return
		fi
		grep -q terminated "$name.log" || return
	done
}

record fp -F 999 -g -- ./work 0.5
record flat -F 999 -- ./work 0.5
record events -F 499 -g -e cpu-clock -e page-faults -- sh -c './work 0.3; ls -R /usr/share/doc > /dev/null'
record zstd -z -F 999 -g -- ./work 0.5
perf record -q -N -F 999 -g -o - -- ./work 0.5 > pipe.data 2> /dev/null && cases+=(pipe)
if [ "$(id -u)" = 0 ]; then
	others_have_other_files && crowded=1
	record system -N -F 999 -a -g -- "./$own" 0.5
	record tracepoints -N -a -e sched:sched_switch -e sched:sched_process_fork -- sh -c "ls > /dev/null; ./$own 0.1"
	record stacks -N -a -g -e sched:sched_switch -- "./$own" 0.1
	others_have_other_files && crowded=1
fi
[ ${#cases[@]} -gt 0 ] || skip "perf cannot record here: $(tail -n 1 fp.log)"

# Lines of a report without comments, in the order of (percentage, text): perf orders equal ones
# by address.
entries() { grep -vE '^(#|$)' | sed 's/ *$//' | sort; }

count=0
verdict() { # NAME EXPECTED GOT
	count=$((count + 1))
	if [ ! -s "$2" ]; then
		echo "ok - $1 # SKIP perf itself shows nothing"
	elif cmp -s "$2" "$3"; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		{ head -n 5 err; diff "$2" "$3" | head -n 12; } | sed 's/^/# /'
	fi
}

compare() { # LABEL FILTER OURS... -- THEIRS...: FILTER < output of each
	local label=$1 filter=$2 ours=()
	shift 2
	while [ "$1" != -- ]; do
		ours+=("$1")
		shift
	done
	shift
	"$@" 2> /dev/null | $filter > want
	"${ours[@]}" 2> err | $filter > got
	verdict "$label" want got
}

collapse=$(command -v stackcollapse-perf.pl || ls "${FLAMEGRAPH_DIR:-/nonexistent}/stackcollapse-perf.pl" 2> /dev/null)
classic() { perf script --no-inline "$@" | "$collapse"; }

for name in "${cases[@]}"; do
	if [ -n "$crowded" ] && [ -n "${filter[$name]:-}" ]; then
		echo "ok - $name # SKIP programs with another root file system are running"
		count=$((count + 1))
		continue
	fi
	args=(-i "$name.data" ${filter[$name]:+"${filter[$name]}"})
	compare "script $name" cat "$KILN" script --no-inline "${args[@]}" -- perf script --no-inline "${args[@]}"
	if [ -n "$collapse" ] && [ -z "${filter[$name]:-}" ] && grep -q '^$' want; then # stacks end with an empty line
		compare "fold --classic $name" sort "$KILN" fold --classic "${args[@]}" -- classic "${args[@]}"
	fi
	compare "report $name" entries "$KILN" report --stdio --no-children -g none "${args[@]}" -- \
		perf report --stdio --no-children -g none "${args[@]}"
done
if [ -z "$collapse" ]; then
	echo "ok - fold --classic # SKIP stackcollapse-perf.pl is neither in PATH nor in FLAMEGRAPH_DIR"
	count=$((count + 1))
fi
echo "1..$count"
