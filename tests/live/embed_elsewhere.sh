#!/bin/bash
# A recording with --embed names everything where no file of the machine is to be found; kernel
# names are always in it, for users who may not see the kernel's addresses.
# covers record: --embed
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload

for how in hot all; do
	"$KILN" record -q -g -e cpu-clock:u --embed=$how -o $how.data -- ./work 1 > /dev/null || fail "--embed=$how: exit status $?"
	"$KILN" script -i $how.data > here 2> /dev/null || fail "kiln script: exit status $?"
	"$KILN" script -i $how.data --symfs /nonexistent > there 2> log || fail "kiln script: exit status $?"
	grep -q simulate_oven here || fail "no samples where they were expected"
	cmp here there || fail "--embed=$how names less elsewhere: $(diff here there | head -n 5)"
	! grep -q 'no symbols' log || fail "--embed=$how complains elsewhere: $(cat log)"
done
[ "$(stat -c %s all.data)" -gt "$(stat -c %s hot.data)" ] || fail "all is not more than hot"
"$KILN" record --embed=none -o x.data -- true 2> log && fail "--embed=none is accepted"
grep -q 'hot and all' log || fail "no clear message: $(cat log)"

[ "$(id -u)" = 0 ] || exit 0
"$KILN" record -q -a -e cpu-clock:k -F 999 -o kernel.data -- sh -c 'find /proc -maxdepth 2 > /dev/null 2>&1; true' ||
	fail "record -a: exit status $?"
# As a file of kallsyms that hides all addresses: what an ordinary user gets.
echo "0000000000000000 T _text" > hidden
"$KILN" script -i kernel.data -F sym > root.txt 2> /dev/null || fail "kiln script: exit status $?"
"$KILN" script -i kernel.data -F sym --kallsyms hidden > user.txt 2> log || fail "kiln script: exit status $?"
[ -s root.txt ] || fail "no samples of the kernel"
cmp root.txt user.txt || fail "kernel names depend on the reader's rights: $(diff root.txt user.txt | head -n 5)"
exit 0
