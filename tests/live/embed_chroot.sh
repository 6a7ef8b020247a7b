#!/bin/bash
# A program in a mount namespace and root directory of its own, which are gone when it has ended.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_root
need_sampling
command -v unshare > /dev/null || skip "unshare is not installed"
unshare --mount true 2> /dev/null || skip "mount namespaces are not allowed here"

"${CC:-cc}" -O1 -g -static -fno-omit-frame-pointer -fno-inline -o work "$KILN_SRC/examples/demo.c" ||
	skip "no static C library"
mkdir root
cat > inside <<'SCRIPT'
mount -t tmpfs none root || exit 9
mkdir root/app
cp work root/app/baker
chroot root /app/baker 1
SCRIPT

"$KILN" record -q -a -e cpu-clock -F 999 -o chroot.data -- unshare --mount sh inside > /dev/null ||
	fail "record: exit status $?"
[ ! -e root/app ] || fail "the mount was to be gone"
"$KILN" script -i chroot.data --comms baker > script 2> log || fail "kiln script: exit status $?"
grep -q 'simulate_oven.*(/app/baker)' script || fail "no names for the program in its own root: $(head -n 5 script)"
! grep -q 'no symbols for.*baker' log || fail "complains though the names are there: $(cat log)"

# What is in the recording are symbols, not paths that happen to lead somewhere.
"$KILN" record -q --no-embed -a -e cpu-clock -F 999 -o bare.data -- unshare --mount sh inside > /dev/null ||
	fail "record --no-embed: exit status $?"
"$KILN" script -i bare.data --comms baker 2> /dev/null | grep -q simulate_oven && fail "--no-embed embeds"
exit 0
