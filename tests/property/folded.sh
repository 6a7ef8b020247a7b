#!/bin/sh
# Folded stacks -> profile -> folded stacks changes nothing.
set -eu
data=$KILN_SRC/tests/data
for name in fp events system; do
	"$KILN" fold --symfs "$data/symfs" -i "$data/$name.data" > one 2> /dev/null
	[ -s one ]
	"$KILN" fold -i one > two
	cmp one two
	"$KILN" fold -i - < one > three
	cmp one three
	# the order of the lines and how counts are split do not matter
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); print $0, 1; if (n > 1) print $0, n - 1 }' one | sort -r > shuffled
	"$KILN" fold -i shuffled > four
	cmp one four
done
