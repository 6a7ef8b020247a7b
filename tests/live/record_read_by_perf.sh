#!/bin/bash
# once
# Whatever kiln records, perf reads without a word of complaint. TAP.
# timeout: 300
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf
need_sampling
make_workload

ways=(
	"command|"
	"callgraph|-g -F 999"
	"several|-e cpu-clock:u -e page-faults:u,cs:u"
	"period|-e cpu-clock:u -c 1000000"
	"per-thread|--per-thread -e cpu-clock:u,task-clock:u"
	"addresses|-d -e page-faults:u"
	"small-ring|-m 1 -e cpu-clock:u -F 99"
	"pid|-g -p @PID"
	"tid|-t @PID"
)
[ "$(id -u)" != 0 ] || ways+=(
	"system|-a -g -F 499"
	"one-cpu|-C 0 -g"
	"system-several|-a -g -e cpu-clock,page-faults,cs"
	"all-kernel|--all-kernel -g"
)
[ ! -r /sys/kernel/tracing/events/sched/sched_switch/id ] || ways+=(
	"tracepoint|-e sched:sched_switch"
	"glob|-e sched:sched_process_*,cpu-clock -g"
	"system-tracepoint|-a -g -e sched:sched_switch,cpu-clock"
)

complaints() { # FILE: what is left when notices about this machine's kernel are taken away
	grep -vE '^$|kptr_restrict|Kernel (samples|address)|vmlinux|^As no suitable|^Samples in kernel|^Check /proc|^Cannot load|^Couldn|^# Tip' "$1"
}

./work 60 > /dev/null &
busy=$!
trap 'kill $busy 2> /dev/null' EXIT

echo "1..$((${#ways[@]} * 5 + 1))"
n=0
for way in "${ways[@]}"; do
	name=${way%%|*}
	options=${way#*|}
	# shellcheck disable=SC2086 # words
	if ! "$KILN" record -q -o "$name.data" ${options//@PID/$busy} -- ./work 0.1 > log 2>&1; then
		sed 's/^/# /' log
		echo "Bail out! kiln record $options failed"
		exit 1
	fi
	for command in "report --stdio" "script" "evlist -v" "report --header-only -I" "script --show-mmap-events --show-task-events --show-namespace-events"; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # words
		if perf $command -i "$name.data" > perf.out 2> perf.err && ! complaints perf.err > left && [ -s perf.out ]; then
			echo "ok $n - $name: perf $command"
		else
			echo "not ok $n - $name: perf $command"
			sed 's/^/# /' perf.err
		fi
	done
done

n=$((n + 1))
"$KILN" record -q -g -o - -- ./work 0.1 2> log | perf script -i - > perf.out 2> perf.err
if ! complaints perf.err > left && grep -q work perf.out; then
	echo "ok $n - pipe: perf script"
else
	echo "not ok $n - pipe: perf script"
	sed 's/^/# /' perf.err log
fi
