#!/bin/bash
# kiln check and version --build-options speak of the same features.
set -u
fail() { echo "$*"; exit 1; }
"$KILN" version --build-options > all || fail "exit status $?"
[ "$(sed 1d all | grep -cE '^ *[a-z0-9_-]+: \[ (on |OFF) \]  # HAVE_[A-Z0-9_]+$')" = $(($(wc -l < all) - 1)) ] || fail "not perf's text: $(cat all)"
sed 1d all > lines
while read -r name _ state _; do
	name=${name%:}
	"$KILN" check feature "$name" > out
	status=$?
	case $state in on) expected=0 ;; *) expected=1 ;; esac
	[ "$status" = "$expected" ] || fail "check feature $name: exit status $status"
	grep -q "^ *$name: " out || fail "check feature $name says $(cat out)"
done < lines
grep -q '  zstd: \[ on  \]' lines || fail "zstd is not there"
"$KILN" check -q feature ZSTD,HAVE_ZLIB_SUPPORT > out || fail "either name, either case"
[ ! -s out ] || fail "-q prints $(cat out)"
"$KILN" check feature zstd,nothing > out 2> err && fail "unknown, and yet there"
grep -q "Unknown feature 'nothing'" err || fail "does not say what is unknown: $(cat err)"
"$KILN" check > out 2> err
[ $? = 129 ] || fail "check without words"
"$KILN" check other zstd > out 2> err
[ $? = 129 ] || fail "another word"
