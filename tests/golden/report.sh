#!/bin/bash
# kiln report gives the entries and percentages that perf gave for the recorded files.
set -u
data=$KILN_SRC/tests/data
entries() { grep -vE '^(#|$)' "$1" | sed 's/ *$//'; }
set -- "$data"/*.report
echo "1..$#"
for expected; do
	name=$(basename "$expected" .report)
	entries "$expected" > want
	if "$KILN" report --stdio --no-children -g none --symfs "$data/symfs" -i "$data/$name.data" > out 2> err &&
		entries out > got && cmp -s got want; then
		echo "ok - report $name"
	else
		echo "not ok - report $name"
		{ head -n 5 err; diff want got | head -n 10; } | sed 's/^/# /'
	fi
done
