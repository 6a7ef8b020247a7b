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
	ulimit -n 24
	"$KILN" record -e cpu-clock:u -o l.data -- ./work 0.05 > log 2>&1 && exit 0
	grep -q 'ulimit -n' log || fail "24 files: $(cat log)"
) || exit 1

"$KILN" record -C 0,4095 -o x.data -- true > log 2>&1 && fail "a CPU that is not there"
grep -qE 'not online|no list of CPUs' log || fail "absent CPU: $(cat log)"

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
[ $status != 0 ] || "$KILN" script -i storm.data > /dev/null 2> log || fail "10000 threads: $(cat log)"

# Lost samples: by event and CPU, when, and the option that helps.
"$KILN" record -e cpu-clock:u -F max -m 1 -g -o lost.data -- ./work 0.5 > log 2>&1 || fail "-m 1: $(cat log)"
if grep -q 'ring buffers were full' log; then
	grep -qE 'lost [0-9]+ samples of cpu-clock:u: [0-9]+ on CPU [0-9]+' log || fail "not by event and CPU: $(cat log)"
	grep -qE 'full [0-9]+ times, from [0-9.]+ s to [0-9.]+ s' log || fail "not when: $(cat log)"
	size=$(sed -n 's/.*larger buffers with -m \([0-9]*[KM]\),.*/\1/p' log)
	[ -n "$size" ] || fail "no size: $(cat log)"
	if [ "$(id -u)" = 0 ]; then
		"$KILN" record -e cpu-clock:u -F max -m "$size" -g -o lost.data -- ./work 0.5 > log 2>&1 || fail "-m $size: $(cat log)"
		grep -q 'ring buffers were full' log && fail "the advice -m $size does not help: $(cat log)"
	fi
fi

# The line on a terminal, and none elsewhere.
"$KILN" record -e cpu-clock:u -o t.data -- ./work 0.6 > log 2>&1 || fail "record: $(cat log)"
grep -q 'recording' log && fail "a live line without a terminal: $(cat log)"
if command -v script > /dev/null; then
	script -qec "$KILN record -e cpu-clock:u -o t.data -- ./work 0.8" /dev/null > log 2>&1 < /dev/null
	grep -qE 'recording [0-9]+ s, [0-9]+ samples .*MB, 0 lost' log || fail "no live line: $(cat -v log)"
fi
exit 0
