#!/bin/bash
# kiln diff: its files, its errors, what it does not do.
set -u
data=$KILN_SRC/tests/data
echo "1..14"
n=0
check() { # WHAT STATUS
	n=$((n + 1))
	if [ "$2" = 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/# /' err out | head -n 8; fi
}
refused() { # WHAT PATTERN OPTIONS...
	local what=$1 pattern=$2
	shift 2
	"$KILN" diff "$@" > out 2> err < /dev/null
	local status=$?
	[ "$status" != 0 ] && [ ! -s out ] && grep -q -- "$pattern" err
	check "$what" $?
}

refused "no such file" "perf.data.old"
refused "cycles need branch stacks" "branch stacks" -c cycles a b
refused "so do streams" "branch stacks" --stream a b
refused "an unknown way to compute" "delta-abs" -c sum a b
refused "wdiff without weights" "two weights" -c wdiff a b
refused "wdiff with a zero" "two weights" -c wdiff:0,1 a b
refused "an order beyond the files" "names no file" -o 2 a b
refused "an unknown key" "no --fields key" -s nothing a b
refused "a number as key" "is a number" -s overhead a b
refused "--by and --sort" "both say" --by dso -s comm a b

cp "$data/fp.data" perf.data.old
cp "$data/flat.data" perf.data
"$KILN" diff --symfs "$data/symfs" > out 2> err && grep -q ' spin$' out && grep -q Noise out
check "perf.data.old and perf.data are the default" $?
"$KILN" diff --symfs "$data/symfs" --no-noise perf.data.old > one 2> err &&
	"$KILN" diff --symfs "$data/symfs" --no-noise perf.data.old perf.data.old > out 2>> err && cmp -s one out && ! grep -q Noise out
check "one word is the new file" $?
"$KILN" script --symfs "$data/symfs" -i perf.data.old > text 2> err &&
	"$KILN" diff -q -t , --symfs "$data/symfs" --by stack text perf.data.old > out 2>> err &&
	[ "$(cut -d , -f 2 out | tr -d " " | sort -u)" = "+0.00%" ]
check "a recording equals its own text" $?
"$KILN" diff -v --symfs "$data/symfs" -c ratio > out 2> err && grep -q '\[1\] perf.data' out
check "-v names the files" $?
