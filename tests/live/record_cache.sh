#!/bin/bash
# perf's own test of the build id cache, with kiln under the name perf; and kiln's own name fills none.
# timeout: 60
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
echo 'int main(void) { return 0; }' > zero.c
"${CC:-cc}" -Wl,--build-id=sha1 -o zero zero.c || fail "cannot compile"
mkdir bin
ln -s "$KILN" bin/perf

"$KILN" record -q -o a.data --buildid-all -- ./zero > log 2>&1 || fail "$(cat log)"
[ ! -e .debug ] || fail "kiln record fills the cache"
bin/perf record -q -N -o a.data --buildid-all -- ./zero > log 2>&1 || fail "$(cat log)"
[ ! -e .debug ] || fail "-N fills the cache"
bin/perf record -q -o a.data --buildid-all -- ./zero > log 2>&1 || fail "$(cat log)"
"$KILN" buildid-cache -l > list || fail "no list"
grep -q "^$("$KILN" buildid-list -i ./zero) $PWD/zero\$" list || fail "not in the cache: $(cat list)"
cmp zero ".debug$PWD/zero"/*/elf || fail "not a copy"

theirs=/usr/lib/perf-core/tests/shell/buildid.sh
[ -e "$theirs" ] || exit 0
PATH=$PWD/bin:$PATH bash "$theirs" > log 2>&1 || fail "perf's own test: $(tail -n 5 log)"
