#!/bin/sh
# A reader that goes away ends kiln quietly; a full disk is an error that is said.
set -eu

fail() { echo "$*"; exit 1; }

{ "$KILN" help 2> err.txt; echo $? > status; } | true
[ "$(cat status)" = 0 ] || fail "closed pipe: exit status $(cat status)"
[ ! -s err.txt ] || fail "closed pipe: $(cat err.txt)"

[ -c /dev/full ] || exit 0
status=0
"$KILN" help > /dev/full 2> err.txt || status=$?
[ $status = 1 ] || fail "full disk: exit status $status"
grep -q 'No space left on device' err.txt || fail "full disk: $(cat err.txt)"
