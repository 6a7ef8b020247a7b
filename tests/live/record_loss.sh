#!/bin/bash
# Every system call of two busy loops: kiln loses at most a tenth of what perf loses by default.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_root
need_tracefs
need_perf
[ -e /sys/kernel/tracing/events/raw_syscalls/sys_enter ] || skip "no raw_syscalls tracepoints"
case $(cat "$KILN_BUILD/.configured-as" 2> /dev/null) in *sanitize*) skip "a build with sanitizers is not measured" ;; esac

cat > loop.c <<-'C'
	#include <fcntl.h>
	#include <unistd.h>
	int main(void)
	{
		int in = open("/dev/zero", O_RDONLY), out = open("/dev/null", O_WRONLY);
		char byte;
		while (read(in, &byte, 1) == 1 && write(out, &byte, 1) == 1)
			;
		return 0;
	}
C
"${CC:-cc}" -O1 -o loop loop.c || fail "cannot compile"
loops=
for _ in $(seq "$(nproc)"); do
	./loop &
	loops="$loops $!"
done
events=raw_syscalls:sys_enter,raw_syscalls:sys_exit
perf record -q -a -e $events -o p.data -- sleep 1.5 > log.perf 2>&1
"$KILN" record -a -e $events -o k.data -- sleep 1.5 > log 2>&1
status=$?
# shellcheck disable=SC2086 # numbers
kill $loops
[ $status = 0 ] || fail "record: $(cat log)"
lost() { perf report --stats -i "$1" 2> /dev/null | awk '/^Aggregated/ { all = 1 } / event.*stats/ { all = 0 } !all && /LOST_SAMPLES events:/ { n += $3 } END { print n + 0 }'; }
kiln=$(lost k.data) perf=$(lost p.data)
rm -f k.data p.data
echo "lost: kiln $kiln, perf $perf"
[ $((kiln * 10)) -le "$perf" ] || [ "$kiln" = 0 ] || fail "kiln lost $kiln, perf $perf: $(cat log)"
exit 0
