#!/bin/bash
# Every way to walk stacks with every kind of event into every kind of output: perf and kiln read
# the same samples.
# timeout: 300
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
need_perf
make_workload

events="-e cpu-clock:u;-e cpu-clock:u,page-faults:u"
count=20
if [ "$(id -u)" = 0 ] && [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
	events="$events;-e cpu-clock -e sched:sched_process_exit,sched:sched_process_exec"
	count=30
fi
echo "1..$count"

# From a pipe perf prints stacks even where -F leaves them out, and names without padding.
heads() { grep -E '^ *[^[:space:]]' "$1" | sed 's/^ *//; s/ *$//'; }

judge() { # NAME FILE...: all samples of the files, as both see them
	local name=$1 file samples=0
	shift
	for file; do
		perf script -F comm,tid,time,event -i "$file" > p.all 2> p.err
		"$KILN" script -F comm,tid,time,event -i "$file" > k.all 2> k.err
		heads p.all > p.txt
		heads k.all > k.txt
		samples=$((samples + $(wc -l < k.txt)))
		if ! cmp -s p.txt k.txt || grep -qiE 'warning|error|order' p.err; then
			echo "not ok - $name"
			{ cat log p.err k.err; diff p.txt k.txt | head -n 5; } | sed 's/^/# /'
			return
		fi
		if ! perf report --stdio -i "$file" > /dev/null 2> p.err || grep -qiE 'order|corrupt|processed' p.err; then
			echo "not ok - $name (perf report)"
			sed 's/^/# /' p.err
			return
		fi
	done
	# The last file of several may be empty, all of them not.
	[ "$samples" -gt 0 ] || echo -n "not "
	echo "ok - $name"
}

IFS=';'
for event in $events; do
	for stacks in "-g" "--call-graph dwarf,2048"; do
		for output in "" "-o -" "-z" "--switch-output=200K" "--overwrite"; do
			rm -f m.data*
			IFS=' '
			case $output in
			"-o -") # shellcheck disable=SC2086 # words
				"$KILN" record -q $event $stacks -o - -- ./work 0.2 > m.data 2> log ;;
			*) # shellcheck disable=SC2086
				"$KILN" record -q $event $stacks $output -o m.data -- ./work 0.2 > log 2>&1 ;;
			esac
			judge "$event $stacks $output" m.data*
			IFS=';'
		done
	done
done
