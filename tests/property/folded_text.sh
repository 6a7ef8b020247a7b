#!/bin/bash
# Folded text that is sorted and has no line twice folds to itself, byte for byte: also names with
# characters that sort before and behind ';', empty names, blanks, bytes that are no characters.
set -u
export LC_ALL=C
n=0
for seed in 1 2 3 4 5 6 7 8; do
	awk -v seed=$seed 'BEGIN {
		srand(seed)
		count = split("a b z A 0 . < : ! / + ( ) [ ] \" _ \\ ~ \377 \200 \001", chars, " ")
		for (i = 0; i < 4000; i++) {
			line = ""
			for (k = int(rand() * 14); k >= 0; k--) {
				kind = rand()
				line = line (kind < 0.25 ? ";" : kind < 0.35 ? " " : chars[1 + int(rand() * count)])
			}
			print line
		}
	}' | sort -u | awk -v seed=$seed 'BEGIN { srand(seed) } { print $0 " " 1 + int(rand() * 1000000) }' > in.folded
	n=$((n + 1))
	if "$KILN" fold -i in.folded > out.folded && cmp in.folded out.folded; then
		echo "ok $n - seed $seed ($(wc -l < in.folded) stacks)"
	else
		echo "not ok $n - seed $seed"
		diff in.folded out.folded | head -n 10
	fi

	# A flame graph of it says that all is 100 %, whichever way round.
	n=$((n + 1))
	total=$(awk '{ sum += $NF } END { printf "%d", sum }' in.folded)
	status=0
	for way in "" --reverse; do
		# shellcheck disable=SC2086 # none or one
		"$KILN" flame -q $way --minwidth 0 -i in.folded -o - | grep '<title>all ' | tr -d , |
			grep -qF "<title>all ($total samples 100.00%)</title>" || status=1
	done
	if [ $status = 0 ]; then echo "ok $n - total $seed"; else echo "not ok $n - total $seed"; fi
done
echo "1..$n"
