#!/bin/bash
# once
# perf reads kiln's groups as its own, and kiln asks the kernel for the same as perf does.
# timeout: 240
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf
need_sampling
make_workload

"$KILN" record -q -g -o k.data -e '{cpu-clock:u,faults:u},cs:u' -- ./work 0.1 > log 2>&1 || fail "$(cat log)"
perf evlist -g -i k.data 2> /dev/null | grep -qxF '{cpu-clock:u,faults:u}' ||
	fail "perf evlist -g: $(perf evlist -g -i k.data 2>&1)"
perf report --group --stdio -i k.data 2> /dev/null | grep -q 'anon group { cpu-clock:u, faults:u }' ||
	fail "perf report --group: $(perf report --group --stdio -i k.data 2>&1 | head -n 20)"
# Inlined functions are named by the caller only.
perf script --no-inline -i k.data > perf.txt 2> /dev/null
"$KILN" script --no-inline -i k.data > kiln.txt || fail "kiln script: exit status $?"
cmp perf.txt kiln.txt || fail "scripts differ: $(diff perf.txt kiln.txt | head -n 10)"

"$KILN" record -q -o k.data -e '{cpu-clock:u,faults:u}:S' -- ./work 0.1 > log 2>&1 || fail "$(cat log)"
perf script -i k.data 2> /dev/null | grep -q ' faults:u' || fail "perf finds no counts of the member"

# The same attributes, but for what docs/perf-differences.md says.
same_attr() {
	sed -E 's/size: [0-9]+, //; s/, (build_id|namespaces): 1//g; s/\|(ID|IDENTIFIER|CPU)\b//g' | grep -vE '^(#|dummy:HG)'
}
compare() {
	perf record -BN -o p.data "$@" -- true > perf.log 2>&1 || return 0 # this perf or kernel cannot
	perf evlist -v -i p.data 2> /dev/null | same_attr > perf.attr
	"$KILN" record -q -o k.data "$@" -- true > log 2>&1 || fail "record $*: $(cat log)"
	"$KILN" evlist -v -i k.data | same_attr > kiln.attr
	cmp -s perf.attr kiln.attr || fail "record $*: $(diff perf.attr kiln.attr)"
	compared=$((compared + 1))
}
compared=0
for event in cpu-clock/period=1000000/u cpu-clock/freq=99,name=foo/u cpu-clock/call-graph=fp,max-stack=5/u \
	cpu-clock/time=0/u cpu-clock/no-inherit/u cpu-clock/percore/u mem:0x1000:u mem:0x1000:rw:u mem:0x1000:rwu \
	software/config=0/u cpu-clock/config=4/u faults/call-graph=no/u cpu-clock:uI cpu-clock:uD cpu-clock:uP \
	cpu-clock:upp cpu-clock:uGH cpu-clock:uW '{cpu-clock:u,faults:u}' '{cpu-clock,faults}:u' '{cpu-clock,faults}:Su' \
	'g1{cpu-clock:u,faults:u}:u' 'cpu-clock:u,{faults,cs}:u,dummy:u'; do
	compare -e "$event"
done
compare --group -e cpu-clock:u,faults:u,cs:u
compare -c 99999 -e mem:0x1000:u,cpu-clock/freq=3/u
compare -g -e cpu-clock/call-graph=no/u,faults:u
if [ "$(id -u)" = 0 ]; then
	compare -a -e '{cpu-clock,faults}:S'
	compare -e '{cpu-clock:u,faults:k}:u'
	[ ! -r /sys/kernel/tracing/events/sched/sched_switch/id ] || compare -e sched:sched_switch/max-stack=3/u
fi
[ $compared -ge 15 ] || fail "only $compared events could be compared: $(cat perf.log)"
exit 0
