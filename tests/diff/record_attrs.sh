#!/bin/bash
# Option by option, kiln asks the kernel for what perf asks. TAP. What differs on purpose is left
# out: namespaces are always recorded, events are told apart by another id, times are in every
# sample, a weight is one number.
# timeout: 300
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf
need_sampling
need_root

# attributes COMMAND...: one line for each event opened, without those that only track
attributes() {
	rm -rf attrs
	mkdir attrs
	PERF_TEST_ATTR=$PWD/attrs "$@" > log 2>&1 < /dev/null || return 1
	local file
	for file in attrs/event-*; do
		grep -qx config=9 "$file" && continue
		awk -F = '
			function without(n, bit) { return int(n / bit) % 2 ? n - bit : n }
			$1 == "sample_type" {
				n = $2 + 0
				n = without(without(without(n, 4), 64), 65536)
				if (int(n / 16777216) % 2) n = n - 16777216 + 16384
				print "sample_type=" n
				next
			}
			# The group is told by whether there is a leader.
			$1 == "group_fd" { print "group=" ($2 != -1); next }
			# perf -s wants times beside the counts.
			$1 == "read_format" { print "read_format=" ($2 == 23 ? 20 : $2); next }
			/^\[/ || /^(fd|size|pid|namespaces|exclude_hv)=/ { next }
			{ print }' "$file" | sort | tr '\n' ' '
		echo
	done | sort -u
}

sleep 300 &
other=$!
trap 'kill $other' EXIT
n=0
while read -r options; do
	n=$((n + 1))
	# shellcheck disable=SC2086 # words
	set -- ${options//@PID/$other}
	# perf may abort while another recorder runs.
	for _ in 1 2 3; do attributes perf record --no-bpf-event -BN -o p.data "$@" -- true > perf.attrs && break; done
	[ -s perf.attrs ] || { echo "ok $n - $options # SKIP perf cannot: $(head -n 1 log)"; continue; }
	attributes "$KILN" record -q --no-bpf-event -B -o k.data "$@" -- true > kiln.attrs
	if cmp -s perf.attrs kiln.attrs; then
		echo "ok $n - $options"
	else
		echo "not ok $n - $options"
		diff <(tr ' ' '\n' < perf.attrs) <(tr ' ' '\n' < kiln.attrs) | head -n 20 | sed 's/^/# /'
		sed 's/^/# /' log
	fi
done <<-'OPTIONS'
	-e cpu-clock
	-e cpu-clock -a
	-e cpu-clock -C 0
	-e cpu-clock -i
	-e cpu-clock --per-thread
	-e cpu-clock --per-thread -g -F 99
	-e cpu-clock -D 10
	-e cpu-clock -D 10-20,30-40
	-e cpu-clock -F 99
	-e cpu-clock -F max
	-e cpu-clock -c 100000
	-e cpu-clock -c 100000 -P
	-e cpu-clock -n
	-e cpu-clock --all-user
	-e cpu-clock --all-kernel
	-e cpu-clock -g
	-e cpu-clock --call-graph fp
	-e cpu-clock --call-graph fp,5
	-e cpu-clock --call-graph dwarf
	-e cpu-clock --call-graph dwarf,1024
	-e cpu-clock -g --user-callchains
	-e cpu-clock -g --kernel-callchains
	-e cpu-clock -d
	-e cpu-clock --phys-data
	-e cpu-clock --data-page-size
	-e cpu-clock --code-page-size
	-e cpu-clock -P
	-e cpu-clock -W
	-e cpu-clock --transaction
	-e cpu-clock -R
	-e cpu-clock --sample-cpu
	-e cpu-clock --user-regs
	-e cpu-clock --user-regs=ax,ip,r15
	-e cpu-clock -I
	-e cpu-clock --intr-regs=sp
	-e cpu-clock -k monotonic
	-e cpu-clock -k CLOCK_REALTIME
	-e cpu-clock -s
	-e cpu-clock --switch-events
	-e cpu-clock --all-cgroups
	-e cpu-clock --no-buffering
	-e cpu-clock -p @PID
	-e cpu-clock -p @PID -i
	-e cpu-clock -p @PID --per-thread
	-e cpu-clock -t @PID
	-e cpu-clock -t @PID --inherit
	-e cpu-clock -a -s -g
	-e cpu-clock,page-faults
	-e cpu-clock -e page-faults -g
	--group -e cpu-clock,page-faults
	-e {cpu-clock,page-faults}
	-e {cpu-clock,page-faults}:S
	-e cpu-clock:u,page-faults:k
	-e sched:sched_switch
	-e sched:sched_switch -a
	-e sched:sched_switch -g -F 99
	-e sched:sched_switch -c 5 -a
OPTIONS
echo "1..$n"
