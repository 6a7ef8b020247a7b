#!/bin/sh
# The same bytes come out whatever the number of threads.
set -eu
data=$KILN_SRC/tests/data
for name in fp events zstd system; do
	for command in script "report --stdio" "report --stdio --children" fold "fold --classic"; do
		for threads in 1 2 7; do
			# shellcheck disable=SC2086 # words
			"$KILN" $command --threads $threads --symfs "$data/symfs" -i "$data/$name.data" \
				> "out.$threads" 2> err || { echo "$command $name: exit status $?"; cat err; exit 1; }
			cmp out.1 "out.$threads" || { echo "$command $name differs with $threads threads"; exit 1; }
		done
	done
done
