#!/bin/bash
# kiln script prints what perf printed for the recorded files, byte for byte.
set -u
data=$KILN_SRC/tests/data
set -- "$data"/*.script
echo "1..$#"
for expected; do
	name=$(basename "$expected" .script)
	if "$KILN" script --no-inline --symfs "$data/symfs" -i "$data/$name.data" > out 2> err &&
		cmp -s out "$expected"; then
		echo "ok - script $name"
	else
		echo "not ok - script $name"
		{ head -n 5 err; diff "$expected" out | head -n 10; } | sed 's/^/# /'
	fi
done
