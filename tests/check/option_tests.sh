#!/bin/bash
# Every option of `kiln record` has a test that says so. A line
#
#   # covers COMMAND: -p --pid …
#
# in a test script claims that the script fails when one of these options is ignored; the option has
# to be used in that script. Options without a claim, and claims about options that are gone, fail.
set -u
cd "$KILN_SRC" || exit 1
status=0
bad() { echo "$*"; status=1; }

for command in record; do
	"$KILN" help "$command" | sed -nE 's/^  (-[A-Za-z]),? ( *--[a-z-]+)?.*/\1 \2/p; s/^      (--[a-z-]+).*/\1/p' |
		tr -s ' ' '\n' | grep . | sort -u > "$TMPDIR/options"
	[ "$(wc -l < "$TMPDIR/options")" -gt 20 ] || bad "the help of $command cannot be read"
	: > "$TMPDIR/claimed"
	for script in tests/cli/*.sh tests/live/*.sh tests/diff/*.sh tests/golden/*.sh; do
		for option in $(sed -n "s/^# covers $command://p" "$script"); do
			printf "%s\n" "$option" >> "$TMPDIR/claimed"
			grep -qx -- "$option" "$TMPDIR/options" || bad "$script: $command has no option $option"
			grep -v '^#' "$script" | grep -qE -- "(^|[^A-Za-z-])$option" ||
				bad "$script claims to test $option and does not use it"
		done
	done
	sort -u "$TMPDIR/claimed" | comm -23 "$TMPDIR/options" - > "$TMPDIR/missing"
	[ ! -s "$TMPDIR/missing" ] || bad "options of $command without a test: $(tr '\n' ' ' < "$TMPDIR/missing")"
done
exit $status
