#!/bin/bash
# Events, rates and buffers are what was asked for, or the answer says what to do.
# covers record: -e -F -c --all-user --pfm-events
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload

says() { # PATTERN ARGUMENT...: recording fails with that message and touches no file
	local pattern=$1
	shift
	rm -f x.data
	"$KILN" record -o x.data "$@" -- true > log 2>&1 && fail "record $* did not fail"
	grep -qE "$pattern" log || fail "record $*: $(cat log)"
	[ ! -e x.data ] || fail "record $*: a failure left a file"
}
says 'nearest names:.*cpu-clock' -e cpu-clok
says 'no event modifier' -e cpu-clock:y
says 'knows fp, dwarf and lbr' --call-graph sideways
says 'stack size' --call-graph dwarf,100000
says 'not there yet' --off-cpu
says '512K' -m 3X
says 'numbers' -p 1,x

attr() { "$KILN" evlist -v -i k.data; }
record() { "$KILN" record -q -o k.data "$@" -- ./work 0.05 > log 2>&1 || fail "record $*: $(cat log)"; }

record -e cpu-clock:u
attr | grep -q 'sample_freq }: 4000' || fail "default frequency: $(attr)"
attr | grep -q 'inherit: 1' || fail "children are not recorded by default"
record -e cpu-clock:u -F max
attr | grep -q "sample_freq }: $(cat /proc/sys/kernel/perf_event_max_sample_rate)" || fail "-F max: $(attr)"
record -e cpu-clock:u -c 2000000
attr | grep -q 'sample_freq }: 2000000' || fail "-c: $(attr)"
attr | grep -q ' freq: 1' && fail "-c sets a frequency"
record --all-user
attr | grep -q 'exclude_kernel: 1' || fail "--all-user: $(attr)"
record -e faults:u,cs:u -e cpu-clock:u
[ "$("$KILN" evlist -i k.data | tr '\n' ' ')" = "faults:u cs:u cpu-clock:u " ] || fail "names: $("$KILN" evlist -i k.data)"

# Cycles where there are none.
if ! ls -d /sys/bus/event_source/devices/cpu* > /dev/null 2>&1; then
	"$KILN" record -o k.data -e cycles:u -- true > log 2>&1 || fail "cycles: $(cat log)"
	grep -q 'using cpu-clock:u' log || fail "cycles: $(cat log)"
	[ "$("$KILN" evlist -i k.data)" = cpu-clock:u ] || fail "cycles became $("$KILN" evlist -i k.data)"
fi

# Names of libpfm4; it knows the kernel's own events, too, which work everywhere.
if ldconfig -p 2> /dev/null | grep -q 'libpfm\.so\.4' &&
	! "$KILN" record --dry-run --pfm-events PERF_COUNT_SW_CPU_CLOCK -- true 2>&1 | grep -q 'is not there'; then
	record --pfm-events '{PERF_COUNT_SW_CPU_CLOCK:u,perf::PERF_COUNT_SW_PAGE_FAULTS:u}' -e cs:u
	[ "$("$KILN" evlist -i k.data | tr '\n' ' ')" = "PERF_COUNT_SW_CPU_CLOCK:u perf::PERF_COUNT_SW_PAGE_FAULTS:u cs:u " ] ||
		fail "--pfm-events: $("$KILN" evlist -i k.data)"
	[ "$("$KILN" script -i k.data -F event 2> /dev/null | grep -c CPU_CLOCK)" -gt 0 ] || fail "--pfm-events: no samples"
	says 'no event "cpu-clok"' --pfm-events cpu-clok
fi

# Loss is told, with what to do.
"$KILN" record -e cpu-clock:u -F max -m 1 -o l.data -- ./work 0.5 > log 2>&1 || fail "-m 1: $(cat log)"
if grep -q 'lost' log; then
	grep -q 'hint: larger buffers with -m' log || fail "no advice: $(cat log)"
	"$KILN" record -q --strict -e cpu-clock:u -F max -m 1 -o l.data -- ./work 0.5 > log 2>&1
	status=$?
	[ $status = 3 ] || [ $status = 0 ] || fail "--strict: exit status $status"
fi
exit 0
