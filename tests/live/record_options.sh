#!/bin/bash
# Options whose effect other tests do not show, and all the ways to write one. TAP.
# covers record: -T --timestamp -P --period --sample-cpu --per-thread --strict-freq
# covers record: --phys-data --data-page-size --code-page-size --all-cgroups --namespaces --all-kernel
# covers record: --stat --switch-events --buildid-all --buildid-mmap -N --no-buildid-cache -v --verbose
# covers record: -m --mmap-pages --call-graph -q --quiet --strict --output --freq --count --event
# covers record: --pid --tid --all-cpus --cpu --no-inherit --delay --no-samples --data --weight --raw-samples
# covers record: -I --intr-regs --clockid --no-buildid --compression-level --branch-any --branch-filter --uid --cgroup
# covers record: --mmap-flush --affinity --proc-map-timeout --timestamp-boundary --realtime
# timeout: 240
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload
n=0
ok() { # NAME COMMAND...: one case, by the command's status
	local name=$1
	shift
	n=$((n + 1))
	if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; sed 's/^/# /' log evlist 2> /dev/null | head -n 20; fi
}
record() { "$KILN" record -q -e cpu-clock:u -o k.data "$@" > log 2>&1 || { echo "# record $*: status $?"; return 1; }; }
evlist() { "$KILN" evlist -v -i k.data > evlist 2>&1; }
has() { # PATTERN ARGUMENT...: the event as recorded with these
	local pattern=$1
	shift
	record "$@" -- ./work 0.05 && evlist && grep -qE "$pattern" evlist
}
has_not() { local pattern=$1; shift; record "$@" -- ./work 0.05 && evlist && ! grep -qE "$pattern" evlist; }
same() { # one and the same however written: ARGUMENTS | ARGUMENTS
	local first=() second=() into=first word
	for word; do
		if [ "$word" = '|' ]; then into=second; elif [ $into = first ]; then first+=("$word"); else second+=("$word"); fi
	done
	"$KILN" record -v --dry-run -o k.data "${first[@]}" -- true > one 2>&1 || { cat one > log; return 1; }
	"$KILN" record -v --dry-run -o k.data "${second[@]}" -- true > two 2>&1 || { cat two > log; return 1; }
	[ -s one ] && cmp -s one two || { diff one two > log; return 1; }
}
root=false
[ "$(id -u)" != 0 ] || root=true

# What a sample holds.
ok "times are always there" has 'TIME' -T
ok "--timestamp" has 'TIME' --timestamp --per-thread
ok "no period by itself with -c" has_not 'PERIOD' -c 1000000
ok "-P" has 'PERIOD' -c 1000000 -P
ok "--period" has 'PERIOD' --count=1000000 --period
ok "no CPU by itself" has_not 'CPU' -F 99
ok "--sample-cpu" has 'CPU' --sample-cpu
ok "--data-page-size" has 'DATA_PAGE_SIZE' --data-page-size
ok "--code-page-size" has 'CODE_PAGE_SIZE' --code-page-size
ok "--all-cgroups" has 'CGROUP.*cgroup: 1' --all-cgroups
ok "--data" has 'ADDR.*mmap_data: 1' --data
ok "--weight" has 'WEIGHT' --weight
ok "--raw-samples" has 'RAW' --raw-samples
ok "--intr-regs of all" has 'REGS_INTR.*sample_regs_intr: 0x[0-9a-f]{3,}' --intr-regs
ok "-I stuck together" has 'sample_regs_intr: 0x1\b' -Iax
ok "--call-graph fp,N" has 'CALLCHAIN.*sample_max_stack: 3\b' --call-graph fp,3
chains_of() { # MOST: no chain is longer, and some has more than one frame
	"$KILN" script -F ip -i k.data 2> /dev/null | awk -v most="$1" '
		/^[[:space:]]+[0-9a-f]/ { if (++frames > longest) longest = frames }
		/^[[:space:]]*$/ { frames = 0 }
		END { exit !(longest > 1 && longest <= most) }'
}
ok "chains are as short as asked" chains_of 3
ok "-g has no such limit" has_not 'sample_max_stack' -g
if $root; then
	ok "--phys-data" has 'PHYS_ADDR' --phys-data
	ok "--namespaces" has 'namespaces: 1' --namespaces
else
	ok "--phys-data is refused" eval '! has PHYS_ADDR --phys-data && grep -q "needs the capability" log'
	ok "--namespaces is refused" eval '! has namespaces --namespaces && grep -q "needs the capability" log'
fi
ok "--clockid" has 'use_clockid: 1, clockid: 1\b|clockid: 1.*use_clockid: 1|use_clockid: 1' --clockid=monotonic

# Whose events.
cat > threads.c <<-'C'
	#include <pthread.h>
	#include <unistd.h>
	static void *spin(void *arg)
	{
		for (volatile long i = 0; i < 400000000; i++)
			;
		return arg;
	}
	int main(void)
	{
		pthread_t t;
		alarm(60);
		/* Born while it is watched: the file tells when. */
		while (access("go", F_OK) != 0)
			usleep(1000);
		pthread_create(&t, 0, spin, 0);
		pthread_join(t, 0);
		return 0;
	}
C
"${CC:-cc}" -O1 -o threads threads.c -pthread || fail "cannot compile"
watch() { # ARGUMENT...: how many threads of ./threads are in a recording that sees one born
	rm -f go
	./threads &
	local target=$!
	"$KILN" record -q -e cpu-clock:u -F 999 -o k.data "${@//@PID/$target}" > log 2>&1 &
	local recorder=$! i
	# Not before the events are enabled: the first flush may take half a second.
	for i in $(seq 100); do [ -s k.data ] && break; sleep 0.05; done
	sleep 0.1
	: > go
	wait $target
	kill -INT $recorder 2> /dev/null
	wait $recorder 2> /dev/null
	"$KILN" script -F tid -i k.data 2> /dev/null | tr -d ' ' | grep -c -v "^$target$\|^$"
}
children() { [ "$(watch "$@")" -gt 0 ]; }
no_children() { [ "$(watch "$@")" = 0 ]; }
ok "--pid with new threads" children --pid=@PID
ok "--pid --no-inherit without" no_children --pid @PID --no-inherit
ok "-t without new threads" no_children -t @PID
ok "--tid --inherit with" children --tid=@PID --inherit
ok "--per-thread without" no_children --per-thread -p @PID
rings() { "$KILN" record -v --dry-run -e cpu-clock:u -o k.data "$@" -- true > log 2>&1 && sed -n 's/.*: \([0-9]*\) ring buffers.*/\1/p' log; }
ok "--per-thread has one buffer" [ "$(rings --per-thread)" = 1 ]
ok "else one for each CPU" [ "$(rings)" = "$(nproc --all)" ]
ok "-m 4 in --verbose" eval '"$KILN" record --dry-run --verbose -m 4 -o k.data -- true > log 2>&1 && grep -q "buffers of 16 kB" log || [ "$(getconf PAGESIZE)" != 4096 ]'
ok "--mmap-pages=64K" eval '"$KILN" record --dry-run -v --mmap-pages=64K -o k.data -- true > log 2>&1 && grep -q "buffers of 64 kB" log'
ok "-m 3 is rounded up" eval '"$KILN" record --dry-run -v -m 3 -o k.data -- true > log 2>&1 && grep -q "buffers of 16 kB" log || [ "$(getconf PAGESIZE)" != 4096 ]'

# How often.
too_high=$(($(cat /proc/sys/kernel/perf_event_max_sample_rate) + 1))
ok "a frequency too high is lowered" eval '"$KILN" record -e cpu-clock:u -F '$too_high' -o k.data -- true > log 2>&1 && grep -q "more than the kernel allows: " log && evlist && grep -q "sample_freq }: '$((too_high - 1))'," evlist'
ok "--strict-freq" eval '! "$KILN" record -e cpu-clock:u -F '$too_high' --strict-freq -o k.data -- true > log 2>&1 && grep -q "sysctl -w kernel.perf_event_max_sample_rate='$too_high'" log'
ok "--strict-freq lets what is possible" record --strict-freq -F 99 -- true

# Beside the samples.
count_records() { perf report --stats -i k.data 2> /dev/null | awk -v name="$1" '$1 == name { n = $3 } END { print n + 0 }'; }
if command -v perf > /dev/null; then
	ok "--stat counts each thread" eval 'record --stat -- sh -c "./work 0.05; true" && [ "$(count_records READ)" -gt 0 ]'
	ok "no such counts without -s" eval 'record -F 99 -- sh -c "./work 0.05; true" && [ "$(count_records READ)" = 0 ]'
	ok "--switch-events" eval 'record --switch-events -- sh -c "sleep 0.1; ./work 0.05" && [ "$(count_records SWITCH)" -gt 0 ]'
	ok "no switches without" eval 'record -F 99 -- sh -c "sleep 0.1; ./work 0.05" && [ "$(count_records SWITCH)" = 0 ]'
	! $root || ok "--all-cgroups names groups" eval 'record --all-cgroups -- true && [ "$(count_records CGROUP)" -gt 0 ]'
	# cat is mapped and ends at once: no sample hits its libraries for sure, but all have an id.
	ok "--buildid-all" eval 'record -c 1000000000 --buildid-all -- cat /dev/null && perf buildid-list -i k.data > log 2>&1 && grep -q "/libc" log && grep -q "/cat" log'
	ok "--buildid-mmap" eval 'has "build_id: 1" --buildid-mmap || ! grep -q . /sys/kernel/notes'
	ok "--no-buildid" eval 'has_not "build_id: 1" --no-buildid && perf report --header-only -i k.data 2> /dev/null | grep -q "missing features.* BUILD_ID"'
fi
ok "no copies in ~/.debug" eval 'record -N -- ./work 0.05 && record --no-buildid-cache -- ./work 0.05 && record -- ./work 0.05 && [ ! -e "$HOME/.debug" ]'
ok "copies in ~/.debug when asked for" eval 'record --buildid-cache -- ./work 0.05 && [ -e "$HOME/.debug/.build-id" ] && rm -r "$HOME/.debug"'
ok "--no-samples" eval 'record --no-samples -- ./work 0.05 && [ -z "$("$KILN" script -i k.data 2> /dev/null)" ]'
ok "--quiet says nothing" eval 'record --quiet -- true && [ ! -s log ]'
ok "-q lets errors through" eval '! "$KILN" record -q -e cpu-clock:u -o nowhere/k.data -- true > log 2>&1 && grep -q "mkdir -p nowhere" log'

# How the recorder works.
ok "--timestamp-boundary" eval 'record --timestamp-boundary -- ./work 0.05 && "$KILN" report --header-only -i k.data > log 2>&1 && grep -q "time of first sample" log && grep -q "time of last sample" log'
if command -v perf > /dev/null; then
	rounds() { record -F 999 "$@" -- ./work 0.5 && count_records FINISHED_ROUND; }
	ok "--mmap-flush waits for more" eval '[ "$(rounds -m 1M --mmap-flush 1G)" -lt "$(rounds -m 1M)" ]'
	cat > many.c <<-'C'
		#include <stdio.h>
		#include <sys/mman.h>
		#include <unistd.h>
		int main(void)
		{
			int made = 0;
			alarm(60);
			for (int i = 0; i < 30000; i++)
				made += mmap(0, 4096, i % 2 ? PROT_EXEC : PROT_EXEC | PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
			printf("%d\n", made);
			fflush(stdout);
			pause();
		}
	C
	"${CC:-cc}" -O1 -o many many.c || fail "cannot compile"
	./many > made &
	many=$!
	for _ in $(seq 200); do [ -s made ] && break; sleep 0.05; done
	maps() { record -p $many "$@" -- true && count_records MMAP2; }
	ok "--proc-map-timeout gives up" eval '[ "$(maps --proc-map-timeout 1)" -lt "$(maps --proc-map-timeout=30000)" ]'
	kill $many
fi
if $root && [ "$(nproc)" -gt 1 ]; then
	confined() { # the recorder has gone to one CPU
		"$KILN" record -q -e cpu-clock -a --affinity=cpu -o k.data -- ./work 20 > log 2>&1 &
		local recorder=$! found=1
		for _ in $(seq 100); do
			grep -q '^Cpus_allowed_list:[[:space:]]*[0-9]*$' /proc/$recorder/status && found=0 && break
			sleep 0.1
		done
		kill -INT $recorder
		wait $recorder
		return $found
	}
	ok "--affinity=cpu" confined
fi
if $root && chrt -f 1 true 2> /dev/null; then
	ok "--realtime" eval 'record --realtime=1 -- sh -c "chrt -p \$PPID; chrt -p \$\$" && grep -q SCHED_FIFO log && grep -q SCHED_OTHER log'
fi

# Long, short, stuck together, with an equals sign, abbreviated, negated, repeated.
ok "-F99, -F 99, --freq=99, --freq 99" eval 'same -F99 "|" -F 99 && same -F99 "|" --freq=99 && same -F99 "|" --freq 99 && same -F99 "|" --fr 99'
ok "-c" eval 'same -c1000000 "|" --count 1000000 && same -c 1000000 "|" --count=0xf4240'
ok "-e" eval 'same -e cpu-clock:u -e cs:u "|" --event=cpu-clock:u,cs:u && same -ecpu-clock:u "|" --event cpu-clock:u'
ok "the last one counts" eval 'same -F 5 -F 99 "|" -F 99 && same -m 1 -m 16K "|" -m 4'
ok "--no-" eval 'same --per-thread --no-per-thread "|" -F 4000 && same -i --inherit "|" -F 4000 && same --all-user --no-all-user "|" -F 4000'
ok "letters together" eval 'same -gi "|" -g -i && same -giF99 "|" -g --no-inherit --freq=99'
ok "--call-graph overrides -g, -g keeps it" eval 'has "sample_stack_user: 8192" -g --call-graph dwarf && has "sample_stack_user: 1024" --call-graph dwarf,1024 -g && has_not CALLCHAIN -g --no-call-graph'
ok "-z, -z3, --compression-level=3" eval 'record -z3 -- true && "$KILN" report --header-only -i k.data > log 2>&1 && grep -q "level = 3" log && record --compression-level=3 -- true && "$KILN" report --header-only -i k.data > log 2>&1 && grep -q "level = 3" log'
ok "--output=FILE" eval '"$KILN" record -q -e cpu-clock:u --output=other.data -- true > log 2>&1 && [ -s other.data ]'
ok "perf.data by itself" eval 'rm -f perf.data && "$KILN" record -q -e cpu-clock:u -- true > log 2>&1 && [ -s perf.data ]'
ok "--delay" eval 'record --delay=100000 -- ./work 0.05 && [ -z "$("$KILN" script -i k.data 2> /dev/null)" ]'
ok "-- ends the options" eval '"$KILN" record -q -e cpu-clock:u -o k.data -- sh -c "exit \$1" sh 7 > log 2>&1; [ $? = 7 ]'
ok "a word ends them, too" eval '"$KILN" record -q -e cpu-clock:u -o k.data sh -c "exit \$#" sh -o x --nonsense > log 2>&1; [ $? = 3 ]'
if ! ls -d /sys/bus/event_source/devices/cpu* > /dev/null 2>&1; then
	ok "--branch-any wants hardware" eval '! record --branch-any -- true && grep -q "branch stacks" log'
	ok "--branch-filter wants hardware" eval '! record --branch-filter=any_call,u -- true && grep -q "branch stacks" log'
fi

if $root; then
	ok "--all-cpus" eval '"$KILN" record -q --all-cpus -e cpu-clock -o k.data -- ./work 0.2 > log 2>&1 && evlist && grep -q "^dummy:HG" evlist'
	ok "--cpu=0 is CPU 0 alone" eval '"$KILN" record -q --cpu=0 -e cpu-clock -o k.data -- ./work 0.2 > log 2>&1 && [ "$("$KILN" script -F cpu -i k.data 2> /dev/null | tr -d "[] " | sort -u | grep .)" = 000 ]'
	ok "--per-thread does not go with -a" eval '"$KILN" record --per-thread -a -e cpu-clock -o k.data -- true > log 2>&1 && grep -q "per-thread is for" log && evlist && grep -q "inherit: 1" evlist'
	ok "--all-kernel" eval '"$KILN" record -q --all-kernel -e cpu-clock -o k.data -- dd if=/dev/zero of=/dev/null bs=1 count=200000 > log 2>&1 && evlist && grep -q "exclude_user: 1" evlist && [ -n "$("$KILN" script -F ip,dso -i k.data 2> /dev/null)" ] && ! "$KILN" script -F ip,dso -i k.data 2> /dev/null | grep -v kernel | grep -q .'
	ok "--uid" eval '! "$KILN" record -q -e cpu-clock --uid=54322 -o k.data -- true > log 2>&1 && grep -q "runs nothing" log'
	ok "--cgroup" eval '! "$KILN" record -q -e cpu-clock --cgroup=no-such-group -a -o k.data -- true > log 2>&1 && grep -q "control group" log'
fi

# Lost samples are an error when asked for: one page for a stack of 32 kB in each sample.
lossy() { "$KILN" record -e cpu-clock:u -F 999 -m 1 --call-graph dwarf,32768 -o k.data "$@" -- ./work 0.2 > log 2>&1; }
ok "losses are told" eval 'lossy && grep -q "lost [1-9]" log'
ok "--strict" eval 'lossy --strict; [ $? = 3 ]'
ok "--strict without loss" record --strict -F 99 -- true
echo "1..$n"
