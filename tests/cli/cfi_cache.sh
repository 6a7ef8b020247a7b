#!/bin/bash
# Unwind tables on disk: made when needed, used again, not trusted, never in the way.
set -u
fail() { echo "$*"; exit 1; }
data=$KILN_SRC/tests/data
run() { "$KILN" script --no-inline --symfs "$data/symfs" -i "$data/dwarf.data" > "$1" 2> err; }
same() { run out || fail "$1: exit status $?: $(cat err)"; cmp -s out "$data/dwarf.script" || fail "$1: other stacks"; }

export XDG_CACHE_HOME=$PWD/cache
same "no cache"
set -- cache/kiln/*.cfi
[ $# = 1 ] && [ -s "$1" ] || fail "not one table in the cache: $*"
table=$1
case $(stat -c %a cache/kiln "$table" | tr '\n' ' ') in
"700 600 ") ;;
*) fail "readable for others: $(stat -c '%a %n' cache/kiln "$table")" ;;
esac
cp "$table" first

# Used again, and left alone.
touch -d '2001-01-01' "$table"
same "cached"
cmp -s "$table" first && [ "$(stat -c %Y "$table")" -lt 1000000000 ] || fail "the table was written again"

# Damaged in any way, it is made again.
size=$(stat -c %s first)
for at in 0 9 20 40 70 90 120 $((size - 1)); do
	cp first "$table"
	printf '\377\376' | dd of="$table" bs=1 seek="$at" conv=notrunc 2> /dev/null
	same "damaged at $at"
	cmp -s "$table" first || fail "damaged at $at: not made again"
done
: > "$table"
same "empty"
head -c 50 first > "$table"
same "cut short"
cmp -s "$table" first || fail "cut short: not made again"
rm "$table"
mkfifo "$table"
same "a pipe"
rm -rf "$table"
ln -s /dev/zero "$table"
same "a link"

# A cache that cannot be written is no error.
XDG_CACHE_HOME=/proc/self/nowhere same "unwritable"
[ ! -s err ] || fail "complains: $(cat err)"
: > file
XDG_CACHE_HOME=$PWD/file same "a file in its place"
# Without XDG_CACHE_HOME it is in the home directory; relative paths are not used.
mkdir home
(unset XDG_CACHE_HOME; HOME=$PWD/home same "at home") || exit 1
[ -e home/.cache/kiln ] || fail "not in ~/.cache"
XDG_CACHE_HOME=relative HOME=$PWD/homeless same "nowhere"
[ ! -e homeless ] || fail "a home directory that was not there is made"
[ ! -e relative ] || fail "a relative XDG_CACHE_HOME is used"
exit 0
