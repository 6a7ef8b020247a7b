#!/bin/bash
# buildid-list and buildid-cache against perf's: the same text, and one cache for both.
# timeout: 120
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf
count=0
ok() { # STATUS WHAT
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; head -n 6 difference err 2> /dev/null | sed 's/^/# /'; fi
}
same() { # WHAT OPTIONS...: both print the same
	local what=$1
	shift
	perf "$@" > want 2> /dev/null < /dev/null
	"$KILN" "$@" > got 2> err < /dev/null
	diff want got > difference
	ok $? "$what"
}

echo 'int main(void) { return 0; }' > zero.c
echo 'int main(void) { return 1; }' > one.c
"${CC:-cc}" -Wl,--build-id=sha1 -o zero zero.c || fail "cannot compile"
"${CC:-cc}" -Wl,--build-id=md5 -o one one.c || fail "cannot compile"
"${CC:-cc}" -Wl,--build-id=none -o none one.c || fail "cannot compile"

for file in "$KILN_SRC"/tests/data/{fp,events,zstd,system,tracepoint}.data; do
	same "list $(basename "$file")" buildid-list -i "$file"
	same "hits of $(basename "$file")" buildid-list -H -i "$file"
done
same "of a file" buildid-list -i ./zero
same "of the kernel" buildid-list -k
[ "$(id -u)" != 0 ] || same "of the kernel and its modules" buildid-list -m

cache=$HOME/.debug
"$KILN" buildid-cache -a ./zero,./one 2> err
ok $? "kiln adds"
same "both list what kiln added" buildid-cache -l
[ "$(wc -l < got)" = 2 ]
ok $? "two of them"
for i in $(sed 's/ .*//' got); do
	[ -x "$cache/.build-id/${i:0:2}/${i:2}/elf" ] || fail "$i: no link"
done
perf buildid-cache -r ./zero 2> err
same "both list what perf left" buildid-cache -l
[ "$(wc -l < got)" = 1 ]
ok $? "one is left"
perf buildid-cache -a ./zero 2> err
same "both list what perf added" buildid-cache -l
"$KILN" buildid-cache -u ./zero -r ./one 2> err && cmp -s zero "$cache$PWD"/zero/*/elf
ok $? "kiln updates and removes"
same "both list what kiln left" buildid-cache -l
cp one zero
"$KILN" buildid-cache -a ./zero 2> err
[ "$("$KILN" buildid-cache -l | grep -c '/zero$')" = 2 ]
ok $? "two versions of one path"
"$KILN" buildid-cache -p ./zero 2> err && [ -z "$("$KILN" buildid-cache -l)" ]
ok $? "kiln purges all versions"
! "$KILN" buildid-cache -a ./none 2> err && grep -q 'build id' err
ok $? "a file without build id is refused"
! "$KILN" buildid-cache -r ./one 2> err && grep -q 'not in the cache' err
ok $? "what is not there cannot be removed"
for file in "$KILN_SRC"/tests/data/{fp,system}.data; do
	same "missing for $(basename "$file")" buildid-cache -M "$file"
done
perf --buildid-dir elsewhere buildid-cache -a ./one 2> err
[ "$("$KILN" --buildid-dir elsewhere buildid-cache -l)" = "$(perf --buildid-dir elsewhere buildid-cache -l)" ]
ok $? "--buildid-dir"
"$KILN" buildid-cache -a ./one,./none 2> err
touch -a -d yesterday "$cache$PWD"/one/*/elf
touch -m -d yesterday "$cache$PWD"/one/*/elf
"$KILN" buildid-cache -a "$(command -v sh)" 2> err
"$KILN" buildid-cache --limit "$(stat -Lc %s "$(command -v sh)")" 2> err
"$KILN" buildid-cache -l > got
[ "$(wc -l < got)" = 1 ] && ! grep -q /one got
ok $? "what was used least goes first"
"$KILN" buildid-cache -P 2> err && [ -z "$("$KILN" buildid-cache -l)" ]
ok $? "kiln purges everything"
echo "1..$count"
