#!/bin/bash
# once
# Every way to walk stacks with every kind of event into every kind of output: perf and kiln read
# the same samples, and add them up to the same totals. TAP.
# timeout: 600
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
need_perf
make_workload

names=(one group)
one="-e cpu-clock:u"
group="-e {cpu-clock:u,page-faults:u}"
if [ "$(id -u)" = 0 ] && [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
	names+=(tracepoints)
	tracepoints="-e sched:sched_switch,sched:sched_process_exec,raw_syscalls:sys_enter -e cpu-clock"
fi
outputs=(file pipe compressed switched snapshot)
echo "1..$((${#names[@]} * 2 * ${#outputs[@]}))"

# From a pipe perf prints stacks even where -F leaves them out, and names without padding.
heads() { grep -E '^ *[^[:space:]]' "$1" | sed 's/^ *//; s/ *$//; s/  */ /g'; }
# What happens while a snapshot is taken is lost, in perf's own too; and it is told.
complaints() {
	grep -iE 'error|out of order|corrupt|processed|truncated' "$1" |
		grep -vE "kptr_restrict${lossy:+|^Processed [0-9]+ events and lost [0-9]+ chunks}"
}
# Samples and periods of each event, as a report counts them.
totals() { sed -nE "s/^# Samples: +([0-9]+[KMG]?) +of event '([^']*)'.*/\2 \1/p; s/^# Event count \(approx\.\): ([0-9]+).*/\1/p" "$1"; }
problem() { echo "$1" > why; return 1; }

# agree FILE: both read the same of it; leaves the number of samples in count
agree() {
	local file=$1 fields=comm,pid,tid,time,period,event
	case $2 in tracepoints) fields=comm,pid,tid,cpu,time,event,trace ;; esac
	perf script -F $fields -i "$file" > p.all 2> p.err || problem "perf script: $(cat p.err)" || return
	"$KILN" script -F $fields -i "$file" > k.all 2> k.err || problem "kiln script: $(cat k.err)" || return
	! complaints p.err > p.left || problem "perf script says: $(cat p.left)" || return
	[ ! -s k.err ] || ! complaints k.err > k.left || problem "kiln script says: $(cat k.left)" || return
	heads p.all > p.txt
	heads k.all > k.txt
	cmp -s p.txt k.txt || problem "different samples: $(diff p.txt k.txt | head -n 6)" || return
	count=$((count + $(wc -l < k.txt)))
	perf report --stdio --no-children -g none -i "$file" > p.rep 2> p.err || problem "perf report: $(cat p.err)" || return
	! complaints p.err > p.left || problem "perf report says: $(cat p.left)" || return
	"$KILN" report --stdio --no-children -g none -i "$file" > k.rep 2> k.err
	totals p.rep > p.tot
	totals k.rep > k.tot
	[ ! -s k.txt ] || [ -s p.tot ] || problem "perf report counts nothing: $(head -n 20 p.rep)" || return
	cmp -s p.tot k.tot || problem "different totals: $(diff p.tot k.tot)"
}

# Waits until the recorder has something to show for a while, then asks it for a file or snapshot.
by_signal() { # OPTION...
	"$KILN" record -q "$@" -o m.data -- ./work 3 > log 2>&1 &
	local recorder=$!
	sleep 0.7
	kill -USR2 $recorder
	sleep 0.7
	kill -USR2 $recorder 2> /dev/null
	wait $recorder
}

n=0
for name in "${names[@]}"; do
	for stacks in "-g" "--call-graph dwarf,2048"; do
		for output in "${outputs[@]}"; do
			n=$((n + 1))
			rm -rf m.data* why
			status=0
			# shellcheck disable=SC2086 # words
			case $output in
			file) "$KILN" record -q ${!name} $stacks -o m.data -- ./work 0.3 > log 2>&1 || status=$? ;;
			pipe) "$KILN" record -q ${!name} $stacks -o - -- ./work 0.3 > m.data 2> log || status=$? ;;
			compressed) "$KILN" record -q ${!name} $stacks -z -o m.data -- ./work 0.3 > log 2>&1 || status=$? ;;
			switched) by_signal ${!name} $stacks --switch-output || status=$? ;;
			snapshot) by_signal ${!name} $stacks --overwrite --switch-output || status=$? ;;
			esac
			count=0 files=0 lossy=
			[ $output != snapshot ] || lossy=1
			[ $status = 0 ] || problem "exit status $status: $(cat log)"
			for file in m.data*; do
				[ $status = 0 ] || break
				files=$((files + 1))
				agree "$file" "$name" || status=1
			done
			# Two signals make three files; on a busy machine both may come in one wait.
			case $output in switched | snapshot) [ $files -ge 2 ] || status=1 ;; esac
			if [ $status = 0 ] && [ $count -gt 0 ]; then
				echo "ok $n - $name $stacks $output ($count samples, $files files)"
			else
				echo "not ok $n - $name $stacks $output ($count samples, $files files)"
				sed 's/^/# /' why log 2> /dev/null
			fi
		done
	done
done
