#!/bin/bash
# A full disk: a clear message, and what was written is readable.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
need_root
make_workload

mkdir small
cat > inner.sh <<'INNER'
mount -t tmpfs -o size=256k tmpfs small || exit 77
timeout 60 "$KILN" record -q -g -e cpu-clock -F 20000 -m 16 -o small/k.data -- ./work 20 > log 2>&1
echo $? > status
cp small/k.data k.data
INNER
unshare -m sh inner.sh > unshare.log 2>&1
[ -e status ] || skip "cannot mount a tmpfs: $(cat unshare.log)"
status=$(cat status)
[ "$status" != 0 ] || fail "a full disk is a success"
[ "$status" != 124 ] || fail "a full disk does not stop the recording"
grep -qi 'no space' log || fail "a full disk is not said: $(cat log)"
grep -q 'k.data' log || fail "the file is not named: $(cat log)"
"$KILN" report --stdio -g none -i k.data > out 2> err
[ $? -le 2 ] || fail "report: $(cat err)"
grep -q simulate_oven out || fail "report does not show simulate_oven: $(head -n 5 out err)"
