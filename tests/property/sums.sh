#!/bin/bash
# Whatever the view, it shows all of the samples: counts and weights add up to the same totals.
set -u
data=$KILN_SRC/tests/data
fail() { echo "$*"; exit 1; }

for name in fp flat zstd pipe system; do
	file=$data/$name.data
	read -r samples weight < <("$KILN" script --symfs "$data/symfs" -F period -i "$file" 2> /dev/null |
		awk 'NF { n++; w += $1 } END { printf "%d %d\n", n, w }')
	[ "$samples" -gt 0 ] || fail "$name: no samples"

	folded=$("$KILN" fold --symfs "$data/symfs" -i "$file" 2> /dev/null | awk '{ w += $NF } END { printf "%d\n", w }')
	[ "$folded" = "$weight" ] || fail "$name: fold adds up to $folded, script to $weight"

	for how in "" "--sort comm" "--sort dso" "--sort pid,tid" "--sort cpu,symbol"; do
		# shellcheck disable=SC2086 # words
		"$KILN" report --stdio --no-children -g none -n -t , $how --symfs "$data/symfs" -i "$file" 2> /dev/null > out ||
			fail "$name: report $how: exit status $?"
		read -r percent counted < <(grep -vE '^(#|$)' out | awk -F , '{ sub(/%/, "", $1); p += $1; n += $2 } END { printf "%.2f %d\n", p, n }')
		[ "$counted" = "$samples" ] || fail "$name: report $how shows $counted of $samples samples"
		awk -v p="$percent" -v rows="$(wc -l < out)" 'BEGIN { d = p - 100; exit !(d * d <= (0.005 * rows + 0.011) ^ 2) }' ||
			fail "$name: report $how adds up to $percent %"
	done
done
