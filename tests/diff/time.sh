#!/bin/bash
# --time of script, report and diff against perf's, byte for byte.
# timeout: 200
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf
make_workload

record() { # NAME
	for _ in 1 2 3 4 5; do
		perf record -q -N --timestamp-boundary -F 999 -g -e cpu-clock:u -o "$1" -- ./work 0.3 > "$1.log" 2>&1 || continue
		perf report --header-only -i "$1" 2> /dev/null | grep -q 'time of first sample : 0.0' && continue
		[ "$(perf script -i "$1" 2> /dev/null | wc -l)" -lt 100 ] || return 0
	done
	return 1
}
if ! record one.data || ! record two.data; then
	skip "perf cannot record here: $(tail -n 1 one.data.log)"
fi

mkdir bin
ln -s "$KILN" bin/perf
times=$(perf script -F time --ns -G -i one.data 2> /dev/null | tr -d ' :')
at() { sed -n "$1p" <<< "$times"; }
count=0
compare() { # COMMAND OPTIONS...
	local command=$1
	shift
	count=$((count + 1))
	# perf report ends with a tip that changes.
	perf "$command" "$@" 2> /dev/null < /dev/null | awk '/^# \(/ { exit } { print }' > want
	bin/perf "$command" "$@" 2> err < /dev/null | awk '{ print }' > got
	[ "$command" != report ] || for file in want got; do
		grep -v '^#*$' "$file" > lines
		mv lines "$file"
	done
	if cmp -s want got; then
		echo "ok - $command $*"
	else
		echo "not ok - $command $*"
		{ head -n 5 err; diff want got | head -n 12; } | sed 's/^/# /'
	fi
}

for range in "10%/1" "10%/10" "10%/2,10%/3" "0%-30%" "0%-10%,30%-40%" "50%" "33.3%/2" "10%-20%,15%-30%" "100%" \
	"$(at 20),$(at 60)" ",$(at 30)" "$(at 30)," "$(at 20),$(at 30) $(at 50),$(at 70)" "$(at 10),$(at 10)" ","; do
	compare script --no-inline --time "$range" -i one.data
	compare report --stdio --no-children -g none --time "$range" -i one.data
	compare diff --time "$range" one.data two.data
done
compare diff --time "$(at 10),$(at 30):$(at 40)," one.data one.data
compare script --no-inline --reltime --time 0.05,0.1 -i one.data
echo "1..$count"
