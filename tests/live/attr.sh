#!/bin/bash
# What the kernel is asked for, as perf's attribute tests see it: kiln under the name perf.
# timeout: 240
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling

mkdir attrs
PERF_TEST_ATTR=$PWD/attrs "$KILN" record -q -e cpu-clock:u -c 123456 -o f.data -- true || fail "record"
file=$(ls attrs/event-1-0-* | head -n 1)
for line in group_fd=-1 type=1 size=128 config=0 sample_period=123456 freq=0 disabled=1 enable_on_exec=1 mmap=1 exclude_kernel=1; do
	grep -qx "$line" "$file" || fail "no $line in $(cat "$file")"
done
head -n 1 "$file" | grep -qx "\[$(basename "$file")\]" || fail "head line: $(head -n 1 "$file")"

tests=/usr/lib/perf-core/tests
[ -r $tests/attr.py ] && [ -d $tests/attr ] || skip "perf's attribute tests are not installed"
python3 -c 'import configparser, sys; sys.exit(not hasattr(configparser, "SafeConfigParser"))' 2> /dev/null ||
	skip "this Python is too new for perf's attribute tests"
need_root
ln -s "$KILN" perf
bad=0 passed=0
for test in $tests/attr/test-record-*; do
	case $test in
	*-aarch64 | *-spe-*) continue ;;
	*-group*) continue ;; # wants two hardware counters, and groups
	esac
	if python3 -W ignore $tests/attr.py -d $tests/attr -p "$PWD/perf" -t "$(basename "$test")" -v > log 2>&1; then
		grep -q '^unsupp' log || passed=$((passed + 1))
	else
		echo "$(basename "$test"): $(cat log)"
		bad=1
	fi
done
[ $passed -ge 12 ] || fail "only $passed tests said anything"
exit $bad
