#!/bin/bash
# kiln data convert --to-json against perf's, byte for byte, on recorded and on fresh files.
# timeout: 120
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf
make_workload
files=("$KILN_SRC"/tests/data/{fp,flat,events,zstd,tracepoint,system}.data)
record() { # NAME OPTIONS...
	local name=$1
	shift
	for _ in 1 2 3 4 5; do
		perf record -q -B -o "$name.data" "$@" > "$name.log" 2>&1 || continue
		[ -z "$(perf script -i "$name.data" 2> /dev/null | head -n 1)" ] || { files+=("$name.data"); return; }
	done
}
record fresh -F 999 -g -e cpu-clock:u -- ./work 0.2
record two -F 499 -e cpu-clock:u -e page-faults:u --sample-cpu -- ./work 0.2
record clock -k CLOCK_MONOTONIC -F 499 -e cpu-clock:u -- ./work 0.2
record group -F 499 -g -e '{cpu-clock:u,page-faults:u}:S' -- ./work 0.2
echo "1..$((${#files[@]} + 3))"
for file in "${files[@]}"; do
	rm -f want got
	perf data convert --to-json want -i "$file" > log 2>&1
	"$KILN" data convert --to-json got -i "$file" > got.log 2>&1
	if [ -s want ] && cmp -s want got && python3 -m json.tool < got > /dev/null; then
		echo "ok - $(basename "$file")"
	else
		echo "not ok - $(basename "$file")"
		{ cat got.log; diff want got | head -n 10; } | sed 's/^/# /'
	fi
done
! "$KILN" data convert --to-json got -i "${files[0]}" 2> err && grep -q 'got' err && echo "ok - a file is not overwritten" || echo "not ok - overwritten"
"$KILN" data convert -f --to-json got -i "${files[0]}" 2> err && echo "ok - unless asked to" || echo "not ok - -f"
! "$KILN" data convert --to-ctf dir 2> err && grep -q CTF err && echo "ok - CTF is refused" || echo "not ok - CTF"
