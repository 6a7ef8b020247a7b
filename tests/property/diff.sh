#!/bin/bash
# What holds for every kiln diff: a file does not differ from itself; deltas add up to nothing; simulated
# runs of one program are not called different, and a function made slower is.
set -u
data=$KILN_SRC/tests/data
fail() { echo "$*"; exit 1; }
rows() { "$KILN" diff -q -t '|' "$@" > rows.out 2> err || fail "kiln diff $*: $(cat err)"; sed 's, *|,|,g' rows.out; }

for name in fp flat zstd pipe system; do
	for by in function dso stack; do
		rows --symfs "$data/symfs" --by "$by" "$data/$name.data" "$data/$name.data" > out
		[ -s out ] || fail "$name: no rows by $by"
		awk -F '|' '$2 != "+0.00%" || $4 ~ /\*/ { exit 1 }' out || fail "$name differs from itself by $by: $(head -n 3 out)"
	done
done
rows --symfs "$data/symfs" "$data/fp.data" "$data/flat.data" |
	awk -F '|' '{ gsub(/%/, "", $2); gain += $2; base += $1; if ($2 == "") lost += $1 }
		END { d = gain - lost; exit !(d * d < 0.01 && base > 99.5 && base < 100.5) }' ||
	fail "shares or differences do not add up"

# runs SEED SAMPLES SLOWER-PERCENT: the folded stacks of a simulated run, thirty functions with shares as
# programs have them; the second one is slower.
run() {
	awk -v seed="$1" -v samples="$2" -v slower="$3" 'BEGIN {
		srand(seed)
		for (i = 1; i <= 30; i++)
			sum[i] = total += 1 / (i + 1) * (i == 2 ? 1 + slower / 100 : 1)
		for (s = 0; s < samples; s++) {
			at = rand() * total
			for (i = 1; i < 30 && sum[i] < at; i++)
				;
			n[i]++
		}
		for (i = 1; i <= 30; i++)
			if (n[i])
				printf "prog;main;f%d %d\n", i, n[i]
	}'
}

wrong=0
for i in $(seq 1 20); do
	run "$i" 4000 0 > a.folded
	run "$((i + 100))" 4000 0 > b.folded
	[ -z "$(rows --significant a.folded b.folded)" ] || wrong=$((wrong + 1))
done
# One of twenty is to be expected; five would be a chance of one in four hundred.
[ "$wrong" -lt 5 ] || fail "$wrong of 20 pairs of equal programs are called different"

run 1 400000 0 > a.folded
run 2 400000 5 > b.folded
run 3 400000 0 > c.folded
rows --significant a.folded b.folded | head -n 1 | grep -q 'f2$' || fail "the slower function is not named: $(cat err)"
rows --significant -o 2 a.folded c.folded b.folded | grep -q 'f2$' || fail "not named as third file"
rows --significant --by stack a.folded b.folded | grep -q 'prog;main;f2$' || fail "the slower stack is not named"
# Sums of periods stand for as many samples as before.
awk '{ printf "%s %.0f\n", $1, $2 * 250000 }' a.folded > periods.folded
rows a.folded b.folded | cut -d '|' -f 2- > counts
rows periods.folded b.folded | cut -d '|' -f 2- | cmp - counts || fail "periods are taken for samples"
