#!/bin/bash
# Groups are counted together and perf sees them as such; terms of one event concern that event.
# covers record: --group
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload

record() { "$KILN" record -q -o k.data "$@" -- ./work 0.05 > log 2>&1 || fail "record $*: $(cat log)"; }
attr() { "$KILN" evlist -v -i k.data | grep "^$1: "; }
groups() { "$KILN" evlist -g -i k.data | tr '\n' ' '; }

record -e '{cpu-clock:u,faults:u},cs:u'
[ "$(groups)" = '{cpu-clock:u,faults:u} cs:u ' ] || fail "groups: $(groups)"
attr faults:u | grep -q 'disabled: 1\|enable_on_exec: 1' && fail "a member starts by itself: $(attr faults:u)"
attr cs:u | grep -q 'disabled: 1' || fail "an event outside of the group does not wait"
record -e 'ticks{cpu-clock:u,faults:u}'
[ "$(groups)" = 'ticks{cpu-clock:u,faults:u} ' ] || fail "named group: $(groups)"
record --group -e cpu-clock:u -e faults:u,cs:u
[ "$(groups)" = '{cpu-clock:u,faults:u,cs:u} ' ] || fail "--group: $(groups)"
record -e '{cpu-clock:u,faults:u}:W'
[ "$(groups)" = '{cpu-clock:u,faults:u} ' ] || fail "a weak group that fits: $(groups)"

# Only a leader can be pinned, so this group does not work.
"$KILN" record -q -o k.data -e '{cpu-clock:u,faults:uD}' -- ./work 0.05 > log 2>&1 && fail "a pinned member is taken"
grep -q 'only the first of a group' log || fail "pinned member: $(cat log)"
"$KILN" record -o k.data -e '{cpu-clock:u,faults:uD,cs:u}:WS' -- ./work 0.05 > log 2>&1 || fail "weak: $(cat log)"
grep -q 'group of cpu-clock:u does not fit' log || fail "nothing is said of the weak group: $(cat log)"
[ "$(groups)" = 'cpu-clock:u faults:uD cs:u ' ] || fail "weak: $(groups)"
[ "$("$KILN" evlist -v -i k.data | grep -c 'sample_freq }: 4000.*disabled: 1')" = 3 ] || fail "weak: $("$KILN" evlist -v -i k.data)"

# The leader samples for all, with everybody's counts in each sample.
record -e '{cpu-clock,faults}:Su'
attr cpu-clock | grep -q 'READ.*read_format: [^,]*GROUP' || fail "leader: $(attr cpu-clock)"
attr cpu-clock | grep -q 'exclude_kernel: 1' || fail "modifier of the group: $(attr cpu-clock)"
attr faults | grep -q 'sample_freq' && fail "a member samples: $(attr faults)"
record -e '{cpu-clock:u,faults/freq=7/u}:S'
attr faults/freq=7/u | grep -q 'sample_freq }: 7' || fail "a member's own rate: $(attr faults/freq=7/u)"

# Terms.
record -g -e 'cpu-clock/call-graph=no,name=plain/u,faults/period=3,no-inherit/u,cs/max-stack=4/u'
attr plain | grep -q CALLCHAIN && fail "call-graph=no: $(attr plain)"
attr faults/period=3,no-inherit/u | grep -q 'sample_freq }: 3,.*CALLCHAIN' || fail "period: $("$KILN" evlist -v -i k.data)"
attr faults/period=3,no-inherit/u | grep -q ' inherit: 1' && fail "no-inherit"
attr cs/max-stack=4/u | grep -q 'sample_max_stack: 4' || fail "max-stack: $(attr cs/max-stack=4/u)"
record -e cpu-clock/call-graph=dwarf,stack-size=1000/u
"$KILN" evlist -v -i k.data | grep -q 'REGS_USER|STACK_USER.*sample_stack_user: 1000' ||
	fail "call-graph=dwarf: $("$KILN" evlist -v -i k.data)"
record -e cpu-clock/time=0/u,faults:u
"$KILN" evlist -v -i k.data | grep '^cpu-clock' | grep -q TIME && fail "time=0"
"$KILN" report -i k.data > report.txt || fail "a recording with an event without time cannot be read"

says() { # PATTERN ARGUMENT...
	local pattern=$1
	shift
	"$KILN" record -o x.data "$@" -- true > log 2>&1 && fail "record $* did not fail"
	grep -qE "$pattern" log || fail "record $*: $(cat log)"
}
says 'overwritten' -e cpu-clock/overwrite/u
says 'driver' -e cpu-clock/@sink/u
says 'modifier R' -e cpu-clock:uR
says 'ends the group is missing' -e '{cpu-clock,faults'
says '^ +\^~~~~~~~$' -e faults,cpu-clok:u

if [ -e /sys/bus/event_source/devices/msr/events/tsc ] && [ "$(id -u)" = 0 ]; then
	says 'can be counted, but' -e msr/tsc/
	record -e '{cpu-clock,msr/tsc/}:S'
	[ "$(groups)" = '{cpu-clock,msr/tsc/} ' ] || fail "tsc: $(groups)"
fi
exit 0
