#!/bin/bash
# Inlined functions add frames and change nothing else: without them the stacks are those of
# --no-inline, with the same weights. And they do not depend on the number of threads.
set -u
data=$KILN_SRC/tests/data
status=0
kiln() { "$KILN" "$@" --symfs "$data/symfs" 2> err; }
for file in "$data"/{inlined,dwarf,fp,system,zstd}.data; do
	name=$(basename "$file" .data)
	kiln fold --inline -i "$file" > with
	kiln fold --no-inline -i "$file" > without
	[ -s without ] || { echo "$name: no stacks: $(cat err)"; status=1; }
	awk '{
		weight = $NF
		sub(/ [0-9]+$/, "")
		n = split($0, frame, ";")
		stack = frame[1]
		for (i = 2; i <= n; i++)
			if (frame[i] !~ /_\[i\]$/)
				stack = stack ";" frame[i]
		sum[stack] += weight
	}
	END { for (stack in sum) print stack, sum[stack] }' with | LC_ALL=C sort > stripped
	LC_ALL=C sort without | cmp -s - stripped || {
		echo "$name: more than inlined functions has changed"
		LC_ALL=C sort without | diff - stripped | head -n 5
		status=1
	}
	for command in "fold --inline" "script -F +srcline --inline" "report --children --inline -g caller,srcline"; do
		read -ra words <<< "$command"
		kiln "${words[@]}" --threads 1 -i "$file" > one
		kiln "${words[@]}" --threads 7 -i "$file" > seven
		cmp -s one seven || { echo "$name: $command depends on the number of threads"; status=1; }
	done
done
grep -q '_\[i\]' <(kiln fold --inline -i "$data/dwarf.data") || { echo "nothing is inlined"; status=1; }
exit $status
