#!/bin/bash
# Recordings of unusual programs and with unusual options, read by both perf and kiln: script byte
# for byte, with several sets of fields.
# timeout: 300
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf
"${CC:-cc}" -O1 -fno-omit-frame-pointer -o kinds "$KILN_SRC/tests/diff/kinds.c" -lpthread ||
	fail "cannot compile the workload"
# Without its cache of files, perf does not name the functions of [vdso].
export HOME=$PWD
trap 'rm -f $(sed "s/.*/\/tmp\/perf-&.map/" maps 2> /dev/null)' EXIT

n=0
check() { # NAME OPTION... of script, for both
	local name=$1
	shift
	n=$((n + 1))
	perf script --no-inline -i "$name.data" "$@" > want 2> /dev/null
	"$KILN" script -i "$name.data" "$@" > got 2> err
	if [ -s want ] && cmp -s want got; then
		echo "ok $n - $name $*"
	else
		echo "not ok $n - $name $*"
		{ head -n 5 err; diff want got | head -n 12; } | sed 's/^/# /'
	fi
}

# perf 6.1 overruns its stack now and then when somebody else records with build ids at that time.
record() { # NAME OPTION... of perf record
	local name=$1
	shift
	for _ in 1 2 3; do
		perf record -q -o "$name.data" "$@" > log 2>&1 && return
		grep -q 'terminated' log || break
	done
	n=$((n + 1))
	echo "ok $n - $name # SKIP perf cannot record this here: $(tail -n 1 log)"
	return 1
}

fields() { # NAME: sets of fields that all recordings have
	check "$1"
	check "$1" -G
	check "$1" -F comm,pid,tid,time,event,ip,sym,dso --ns
	check "$1" -F +misc,-period --max-stack 3
}

for kind in names forks signals faults; do
	record $kind -F 2999 -g ./kinds $kind && fields $kind
done
if record jit -F 999 -g ./kinds jit; then
	perf script -F pid -i jit.data 2> /dev/null | tr -d ' ' | sort -u > maps
	fields jit
fi
record flat -F 2999 ./kinds names forks && check flat
record group -F 999 -g -e '{cpu-clock,page-faults}' ./kinds faults && check group
record leader -F 999 -g -e '{cpu-clock,page-faults}:S' ./kinds faults && fields leader
record thread --per-thread -F 999 -g ./kinds signals && check thread
record untimed -e cpu-clock/period=1000000/ -e page-faults/time=0/ ./kinds faults && check untimed
record periods -e cpu-clock/period=1000000,call-graph=fp/ -e page-faults/period=7,name=mine/ ./kinds faults &&
	check periods
if record data -d -e page-faults -c 1 ./kinds faults; then
	check data
	check data -F +addr
	check data -F comm,addr,ip,sym
fi
record cpu --sample-cpu -F 999 ./kinds forks && check cpu -F +misc
record extra -s -T -W --namespaces --switch-events -k CLOCK_MONOTONIC -F 999 -g ./kinds forks && fields extra
record registers --user-regs=ip,sp --intr-regs=ip -F 999 -g ./kinds signals && check registers
# Not unwound, but read.
record dwarf --call-graph dwarf,1024 -F 999 ./kinds signals && check dwarf -G
echo "1..$n"
