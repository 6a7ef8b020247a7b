#!/bin/bash
# A binary without frame pointers that is deleted, or replaced by another one, while it is recorded
# with --call-graph dwarf: its stacks are whole all the same.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
case $(uname -m) in
x86_64 | aarch64) ;;
*) skip "no unwinding on $(uname -m)" ;;
esac
export XDG_CACHE_HOME=$PWD/cache
cat > work.c << 'END'
#include <stdlib.h>
#include <time.h>
static volatile unsigned long sink;
__attribute__((noinline)) int burn(int n) { for (int i = 0; i < 20000; i++) sink = sink * 31 + i; return n; }
__attribute__((noinline)) int knead(int n) { volatile char v[40]; v[n % 40] = 1; int r = burn(n) + v[3]; sink += r; return r; }
__attribute__((noinline)) int bake(int n) { int r = n ? bake(n - 1) : knead(n); sink += r; return r; }
int main(int argc, char **argv)
{
	struct timespec a, b;
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	clock_gettime(CLOCK_MONOTONIC, &a);
	do {
		bake(10);
		clock_gettime(CLOCK_MONOTONIC, &b);
	} while (b.tv_sec - a.tv_sec + (b.tv_nsec - a.tv_nsec) / 1e9 < seconds);
}
END
"${CC:-cc}" -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id -o work work.c ||
	fail "cannot compile the workload"

# Stacks from burn to main, out of all with burn.
share() { # FILE
	"$KILN" script --no-inline -F comm,ip,sym -i "$1" 2> log | awk '
	!NF { if (b) { all++; whole += m } b = m = 0 }
	$2 == "burn" { b = 1 }
	$2 == "main" { m = 1 }
	END { if (!all) print 0; else print int(whole * 100 / all) }'
}

cp work doomed
"$KILN" record -q -F 499 -e cpu-clock:u --call-graph dwarf,4096 -o gone.data -- \
	sh -c './doomed 1 & sleep 0.3; rm doomed; wait' || fail "record: exit status $?"
[ "$(share gone.data)" -ge 95 ] || fail "deleted: only $(share gone.data) % of stacks reach main: $(cat log)"

cp work doomed
"$KILN" record -q -F 499 -e cpu-clock:u --call-graph dwarf,4096 -o replaced.data -- \
	sh -c './doomed 1 & sleep 0.3; cp /bin/true new; mv new doomed; wait' || fail "record: exit status $?"
[ "$(share replaced.data)" -ge 95 ] || fail "replaced: only $(share replaced.data) % reach main: $(cat log)"

# Nothing was kept: else this test could not fail. The other program's rules are not used.
cp work doomed
"$KILN" record -q -F 499 --no-embed -e cpu-clock:u --call-graph dwarf,4096 -o bare.data -- \
	sh -c './doomed 1 & sleep 0.3; cp /bin/true new; mv new doomed; wait' || fail "record: exit status $?"
"$KILN" script -i bare.data > out 2> log
grep -q 'no unwind information for.*doomed' log || fail "nothing is said about the missing file: $(cat log)"

command -v perf > /dev/null || exit 0
perf script -i gone.data > out 2> log || fail "perf script: exit status $?"
[ -s out ] || fail "perf script prints nothing"
exit 0
