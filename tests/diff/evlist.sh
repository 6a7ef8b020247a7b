#!/bin/bash
# kiln evlist prints what perf evlist does: of files by both recorders, of directories; of pipes more.
# timeout: 300
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf
need_sampling

compare() { # FILE
	local options
	for options in "" -v -F -g --trace-fields "-v --trace-fields" "-F --trace-fields" "-v -F"; do
		# shellcheck disable=SC2086 # words
		perf evlist -i "$1" $options > want 2> perf.err || fail "perf evlist $options of $1: $(cat perf.err)"
		# shellcheck disable=SC2086
		"$KILN" evlist -i "$1" $options > got || fail "kiln evlist $options of $1: exit status $?"
		sed -i "s/^# Tip: use '[a-z]*/# Tip: use 'X/" want got
		cmp -s want got || { echo "evlist $options of $1:"; diff want got | head; exit 1; }
	done
}

# record ARGUMENT...: by both
record() {
	rm -rf p.data k.data
	# perf may abort when somebody else records the whole system.
	{ perf record -q -o p.data "$@" > log 2>&1; } 2> /dev/null || { echo "perf record $*: $(head -n 1 log)"; return; }
	compare p.data
	"$KILN" record -q -o k.data "$@" > log 2>&1 || fail "kiln record $*: $(cat log)"
	compare k.data
	compared=1
}
compared=

record -e 'cpu-clock:u,cs:u,faults/period=3,name=foo/u' -- true
record -e '{cpu-clock:u,cs:u}:S,faults:u' -g -- true
record -e 'g1{cpu-clock:u,cs:u},{faults:u,task-clock:u}' -- true
record -e cpu-clock:u -c 1000000 -d -W -P --sample-cpu --call-graph dwarf -- true
record -e 'cpu-clock/freq=77,call-graph=dwarf,stack-size=4096/u,1:3:u' -i -s -T -- true
record -e mem:0x1000/4:rw:u -- true
record -e cpu-clock:u -k mono --user-regs=ip,sp -z -- true
if [ "$(id -u)" = 0 ]; then
	record -e cpu-clock --switch-events --namespaces --all-cgroups -a -- true
	if [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
		record -e sched:sched_switch,irq:*,cpu-clock -a -- true
		record -e '{sched:sched_switch,cpu-clock}' -a -R -- true
	fi
	record --threads -e cpu-clock,cs -a -- true # directories
fi
for file in "$KILN_SRC"/tests/data/{events,flat,fp,tracepoint,zstd}.data; do
	compare "$file"
done
[ -n "$compared" ] || skip "perf record does not work here"

# Of a pipe perf knows attributes only; kiln has the names and groups, as in a file.
for recorder in perf "$KILN"; do
	"$recorder" record -q -e '{cpu-clock:u,cs:u},faults:u' -o f.data -- true > log 2>&1 &&
		"$recorder" record -q -e '{cpu-clock:u,cs:u},faults:u' -o - -- true > pipe.data 2> log || {
		[ "$recorder" = perf ] && continue
		fail "record -o -: $(cat log)"
	}
	for options in "" -F -g; do
		# shellcheck disable=SC2086 # words
		"$KILN" evlist -i f.data $options > want
		# shellcheck disable=SC2086
		"$KILN" evlist -i - $options < pipe.data > got || fail "evlist $options of a pipe: exit status $?"
		cmp want got || { diff want got; exit 1; }
	done
done
exit 0
