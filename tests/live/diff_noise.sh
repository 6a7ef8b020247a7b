#!/bin/bash
# Two runs of one program are not called different; a function that takes a quarter longer is named.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling

cat > work.c << 'END_C'
volatile unsigned long sink;
/* Never the same twice: work in step with the samples would be seen at one place only. */
static unsigned seed = 1;
static int about(int n) { return n / 2 + (int)((seed = seed * 1103515245 + 12345) >> 8) % n; }
#define FN(name, work) __attribute__((noinline)) static void name(void) \
	{ for (int n = about(work), i = 0; i < n; i++) sink += i; }
FN(first, 2000)
FN(second, 1500 * PERCENT / 100)
FN(third, 1000)
FN(fourth, 500)
int main(void)
{
	for (int i = 0; i < 300000; i++) {
		first();
		second();
		third();
		fourth();
	}
	return 0;
}
END_C
mkdir same slow
"${CC:-cc}" -O1 -DPERCENT=100 -o same/work work.c && "${CC:-cc}" -O1 -DPERCENT=125 -o slow/work work.c ||
	fail "cannot compile the workload"
record() { # FILE PROGRAM
	"$KILN" record -q -F 9999 -e cpu-clock:u -o "$1" -- "$2" > record.log 2>&1 || fail "$(cat record.log)"
}
significant() { "$KILN" diff -q -d work --significant "$@" 2> err || fail "$(cat err)"; }

record base.data same/work
equal=
for _ in 1 2 3; do
	record again.data same/work
	# One table in twenty is wrong by chance.
	significant base.data again.data > out
	[ -s out ] || { equal=1; break; }
done
[ "$equal" ] || fail "three times, runs of one program were called different: $(cat out)"
record slow.data slow/work
significant base.data slow.data > out
grep -q ' second$' out || fail "the slower function is not named: $("$KILN" diff base.data slow.data)"
significant -c ratio base.data slow.data > out
sed -n 1p out | grep -q ' second$' || fail "the slower function is not first by ratio: $(cat out)"
