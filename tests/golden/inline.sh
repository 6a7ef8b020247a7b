#!/bin/bash
# Inlined functions and source lines of the recorded files.
#
# Each file in tests/golden/inline has a command in its first line: "# WHO COMMAND FILE OPTIONS". WHO is
# perf where the text is perf's own, to the last byte; kiln where perf shows no inlined functions or
# takes the line behind a call for that of the call. Made again by: tests/golden/inline.sh --make
# (perf 6.1; what kiln prints must then be looked at).
set -u
data=${KILN_SRC:=$(cd "$(dirname "$0")/../.." && pwd)}/tests/data
golden=$KILN_SRC/tests/golden/inline
export PERF_CONFIG=/dev/null

# perf ends a report with a tip that changes from run to run.
show() { # PROGRAM COMMAND FILE OPTIONS...
	local program=$1 command=$2 file=$3
	shift 3
	[ "$command" != report ] || set -- --stdio "$@"
	"$program" "$command" --symfs "$data/symfs" -i "$data/$file" "$@" 2> err | sed -e '/^# (/d' |
		if [ "$program" = perf ] && [ "$command" = report ]; then head -n -2; else cat; fi
}

if [ "${1-}" = --make ]; then
	for file in "$golden"/*.txt; do
		read -r _ who options < "$file"
		read -ra words <<< "$options"
		program=perf
		[ "$who" = perf ] || program=${KILN:-$KILN_SRC/build/kiln}
		{ echo "# $who $options"; show "$program" "${words[@]}"; } > "$file.new"
		mv "$file.new" "$file"
	done
	exit
fi

set -- "$golden"/*.txt
echo "1..$#"
for file; do
	read -r _ who options < "$file"
	read -ra words <<< "$options"
	tail -n +2 "$file" > want
	show "$KILN" "${words[@]}" > got
	if [ -s want ] && cmp -s want got; then
		echo "ok - $options"
	else
		echo "not ok - $options"
		{ head -n 5 err; diff want got | head -n 10; } | sed 's/^/# /'
	fi
done
