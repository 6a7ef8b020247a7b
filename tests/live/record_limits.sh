#!/bin/bash
# Where the machine is tight: few files, no locked memory, threads that come and go, lost samples.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload

(
	ulimit -l 0
	"$KILN" record -e cpu-clock:u -o l.data -- ./work 0.05 > log 2>&1 || fail "no locked memory: $(cat log)"
	ulimit -S -n 16
	"$KILN" record -e cpu-clock:u,page-faults:u,cs:u,migrations:u,minor-faults:u,major-faults:u -o l.data -- ./work 0.05 > log 2>&1 ||
		fail "the limit of files is not raised: $(cat log)"
	ulimit -n 64
	"$KILN" record -e cpu-clock:u,page-faults:u,cs:u -g -o l.data -- ./work 0.05 > log 2>&1 || fail "64 files: $(cat log)"
	"$KILN" report -i l.data > report 2>&1 && grep -q work report || fail "64 files: $(cat report)"
	if [ "$(id -u)" = 0 ] && [ -r /sys/kernel/tracing/events/syscalls/enable ]; then
		rm -f l.data
		"$KILN" record -e 'syscalls:*' -a -o l.data -- true > log 2>&1 && fail "64 files for all system calls"
		[ "$(wc -l < log)" = 2 ] && grep -q 'Too many open files' log && grep -q 'hint: .*ulimit -n' log && [ ! -e l.data ] ||
			fail "64 files for all system calls: $(cat log)"
	fi
	ulimit -n 24
	"$KILN" record -e cpu-clock:u -o l.data -- ./work 0.05 > log 2>&1 && exit 0
	grep -q 'ulimit -n' log || fail "24 files: $(cat log)"
) || exit 1

# Lists of CPUs, with one that is offline or not there at all.
last=$(($(nproc --all) - 1))
absent=$(sed 's/[-,].*//' /sys/devices/system/cpu/offline 2> /dev/null)
for cpus in "0,${absent:-4095}" "${absent:-4095}" "0-4095"; do
	"$KILN" record -C $cpus -o x.data -- true > log 2>&1 && fail "-C $cpus"
	[ "$(wc -l < log)" = 2 ] && grep -qE "^kiln record: CPU [0-9]+ is not online" log &&
		grep -qE "hint: these are: $(cat /sys/devices/system/cpu/online)" log || fail "-C $cpus: $(cat log)"
done
if [ "$(id -u)" = 0 ]; then
	for cpus in 0 "0-$last" "0,0,0-$last"; do
		"$KILN" record -q -e cpu-clock -C $cpus -o x.data -- ./work 0.1 > log 2>&1 || fail "-C $cpus: $(cat log)"
	done
fi
rm -f x.data

# A target that is dead already, or of which only the number is left.
sleep 0 &
gone=$!
wait $gone
sh -c 'sleep 0 & echo $! > zombie; exec sleep 30' &
parent=$!
until [ -s zombie ] && grep -q '^State:.Z' "/proc/$(cat zombie)/status" 2> /dev/null; do sleep 0.05; done
for target in "-p $gone" "-t $gone" "-p $(cat zombie)" "-t $(cat zombie)" "-p $$,$gone"; do
	timeout 20 "$KILN" record -e cpu-clock:u $target -o x.data > log 2>&1
	[ $? = 1 ] && [ "$(wc -l < log)" = 2 ] && grep -qE '^kiln record: .*(has ended|no (process|thread))' log && [ ! -e x.data ] ||
		fail "a dead target $target: $(cat log)"
done
kill $parent

# A program that maps nothing but itself.
echo 'void _start(void) { for (;;) __asm__ volatile(""); }' > alone.c
if "${CC:-cc}" -O1 -nostdlib -static -o alone alone.c 2> log; then
	timeout 30 "$KILN" record -q -g -e cpu-clock:u -o x.data -- timeout 0.4 ./alone > log 2>&1
	[ $? = 124 ] || fail "a program alone: $(cat log)"
	"$KILN" report -i x.data 2> log | grep -q 'alone .*_start' || fail "a program alone: $(cat log)"
fi

# A process that dies while we attach: told, or an empty recording; never a hang.
for _ in 1 2 3 4 5; do
	./work 0.01 > /dev/null &
	pid=$!
	timeout 20 "$KILN" record -q -e cpu-clock:u -o d.data -p $pid > log 2>&1
	status=$?
	[ $status -lt 2 ] || fail "a dying process: status $status, $(cat log)"
	[ $status = 0 ] || grep -qE 'ended|no process' log || fail "a dying process: $(cat log)"
done

cat > storm.c <<-'C'
	#include <pthread.h>
	#include <unistd.h>
	static void *thread(void *arg)
	{
		usleep(1000);
		return arg;
	}
	int main(void)
	{
		pthread_attr_t attr;
		pthread_t t;
		pthread_attr_init(&attr);
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
		pthread_attr_setstacksize(&attr, 65536);
		for (int i = 0; i < 10000; i++)
			while (pthread_create(&t, &attr, thread, 0))
				usleep(1000);
		return 0;
	}
C
"${CC:-cc}" -O1 -o storm storm.c -pthread || fail "cannot compile"
./storm &
pid=$!
timeout 60 "$KILN" record -q -e cpu-clock:u -o storm.data -p $pid > log 2>&1
status=$?
wait $pid
[ $status -lt 2 ] || fail "10000 threads: status $status, $(cat log)"
[ $status = 0 ] || grep -qE 'ended|no process' log || fail "10000 threads: $(cat log)"
if [ $status = 0 ]; then
	"$KILN" script -F tid -i storm.data > tids 2> log || fail "10000 threads: $(cat log)"
	[ ! -s log ] || fail "10000 threads: $(cat log)"
fi
# The same from the first thread on: all that were born are in it, and none is waited for.
timeout 100 "$KILN" record -q -e cpu-clock:u -c 20000 -o storm.data -- ./storm > log 2>&1 || fail "10000 threads: $(cat log)"
"$KILN" script -F tid -i storm.data 2> log | sort -u | wc -l > tids
[ "$(cat tids)" -gt 10 ] || fail "only $(cat tids) of 10000 threads: $(cat log)"
command -v perf > /dev/null && {
	perf report --stats -i storm.data 2> /dev/null | awk '$1 == "FORK" { n = $3; exit } END { exit n < 10000 }' ||
		fail "not all 10000 threads are known: $(perf report --stats -i storm.data 2>&1 | head)"
}

# Lost samples: by event and CPU, when, and the option that helps.
"$KILN" record -e cpu-clock:u -F max -m 1 -g -o lost.data -- ./work 0.5 > log 2>&1 || fail "-m 1: $(cat log)"
if grep -q 'ring buffers were full' log; then
	grep -qE 'lost [0-9]+ samples of cpu-clock:u: [0-9]+ on CPU [0-9]+' log || fail "not by event and CPU: $(cat log)"
	grep -qE 'full (once|[0-9]+ times), from [0-9.]+ s to [0-9.]+ s' log || fail "not when: $(cat log)"
	grep -qE 'larger buffers with -m [0-9]+[KM]' log || fail "no size: $(cat log)"
fi

# The line on a terminal, and none elsewhere.
"$KILN" record -e cpu-clock:u -o t.data -- ./work 0.6 > log 2>&1 || fail "record: $(cat log)"
grep -q 'recording' log && fail "a live line without a terminal: $(cat log)"
if command -v script > /dev/null; then
	script -qec "$KILN record -e cpu-clock:u -o t.data -- ./work 0.8" /dev/null > log 2>&1 < /dev/null
	grep -qE 'recording [0-9]+ s, [0-9]+ samples .*MB, 0 lost' log || fail "no live line: $(cat -v log)"
fi
exit 0
