#!/bin/bash
# kiln diff under the name perf prints what perf 6.1 printed for the recorded files.
# Each line: NAME OPTIONS... FILES..., with what perf said in golden/diff/NAME.txt.
set -u
data=$KILN_SRC/tests/data
golden=$KILN_SRC/tests/golden/diff
ln -s "$KILN" perf
kiln=$PWD/perf work=$PWD
cases="two fp.data flat.data
three -p -F events.data fp.data flat.data
events events.data events.data
ratio -c ratio -s dso fp.data flat.data zstd.data
wdiff -c wdiff:2,3 -t , -p fp.data flat.data
delta -c delta -b -o 0 fp.data zstd.data
tracepoint -s comm tracepoint.data tracepoint.data
system -s comm,dso system.data system.data
system_symbols --kallsyms /dev/null system.data fp.data"
echo "1..$(wc -l <<< "$cases")"
cd "$data" || exit 1
while read -r name options; do
	# shellcheck disable=SC2086 # words
	if "$kiln" diff --symfs symfs $options > "$work/out" 2> "$work/err" < /dev/null &&
		cmp -s "$work/out" "$golden/$name.txt"; then
		echo "ok - $name: $options"
	else
		echo "not ok - $name: $options"
		{ head -n 5 "$work/err"; diff "$golden/$name.txt" "$work/out" | head -n 10; } | sed 's/^/# /'
	fi
done <<< "$cases"
