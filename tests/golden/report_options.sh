#!/bin/bash
# What perf printed for the recorded files, option by option, is what kiln prints, to the last byte.
#
# Each file in tests/golden/report has the command's options in its first line: "# FILE OPTIONS". Made
# again by: tests/golden/report_options.sh --make   (perf 6.1)
set -u
data=${KILN_SRC:=$(cd "$(dirname "$0")/../.." && pwd)}/tests/data
golden=$KILN_SRC/tests/golden/report

# perf ends with a tip that changes from run to run, and marks rests of fractal graphs by accident.
perf_report() {
	PERF_CONFIG=/dev/null perf report --stdio --symfs "$data/symfs" "$@" 2> /dev/null |
		sed -e 's/\[\.\.\.\] (inlined)$/[...]/' | awk '
		{ line[NR] = $0 }
		END { n = line[NR - 1] ~ /^# \(/ ? NR - 3 : NR; for (i = 1; i <= n; i++) print line[i] }'
}

if [ "${1-}" = --make ]; then
	for file in "$golden"/*.txt; do
		read -r _ input options < "$file"
		read -ra words <<< "$options"
		{ echo "# $input $options"; perf_report -i "$data/$input" "${words[@]}"; } > "$file.new"
		mv "$file.new" "$file"
	done
	exit
fi

set -- "$golden"/*.txt
echo "1..$#"
for file; do
	read -r _ input options < "$file"
	read -ra words <<< "$options"
	tail -n +2 "$file" > want
	"$KILN" report --stdio --symfs "$data/symfs" -i "$data/$input" "${words[@]}" > got 2> err
	if cmp -s want got; then
		echo "ok - report $input $options"
	else
		echo "not ok - report $input $options"
		{ head -n 5 err; diff want got | head -n 10; } | sed 's/^/# /'
	fi
done
