#!/bin/bash
# --filter of events that are no tracepoints: checked in the kernel, sample by sample.
# covers record: --filter
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload

says() { # PATTERN ARGUMENT...: recording fails with that message
	local pattern=$1
	shift
	"$KILN" record -o x.data "$@" -- true > log 2>&1 && fail "record $* did not fail"
	grep -qE "$pattern" log || fail "record $*: $(cat log)"
	[ ! -e x.data ] || fail "record $*: a failure left a file"
}
# The place is marked, the nearest names are told.
says 'nearest names:.*period' -e cpu-clock --filter 'perod > 1'
"$KILN" record -o x.data -e cpu-clock --filter 'cpu == 1, pidd > 1' -- true 2>&1 | grep -qE '^ +\^~~~$' || fail "no mark under the word"
says 'joined with' -e cpu-clock --filter 'cpu == 1 && pid == 2'
says 'before it' --filter 'cpu == 1'
says 'exclude-perf is for tracepoints' -e cpu-clock --exclude-perf
if [ "$(id -u)" != 0 ]; then
	says 'BPF program, which this user may not load' -e cpu-clock:u --filter 'cpu == 0'
	exit 0
fi
if command -v setpriv > /dev/null; then
	chmod 755 .
	setpriv --bounding-set -all --inh-caps -all --reuid 54321 --clear-groups \
		"$KILN" record -o /dev/null -e cpu-clock:u --filter 'cpu == 0' -- true > log 2>&1 && fail "a filter without rights"
	grep -qE 'may not load|paranoid|denied' log || fail "a filter without rights: $(cat log)"
fi

"$KILN" record -q -e cpu-clock --filter 'cpu >= 0' -o x.data -- true > log 2>&1 || {
	grep -qE 'may not load|no BPF|not permitted' log && skip "no BPF here: $(head -n 1 log)"
	fail "$(cat log)"
}

# record FILTER ARGUMENT...: leaves k.data, log; $kept and $dropped
record() {
	local filter=$1
	shift
	"$KILN" record -o k.data -e cpu-clock -F 4000 --filter "$filter" "$@" > log 2>&1 || fail "$filter: $(cat log)"
	kept=$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' log)
	dropped=$(sed -n 's/.* \([0-9]*\) samples filtered .*/\1/p' log)
}
# all FIELD CONDITION: of all samples; $1 in CONDITION is the field
all() {
	"$KILN" script -i k.data -F "$1" 2> /dev/null | tr -d ' []' > values
	[ "$(wc -l < values)" = "$kept" ] || fail "$kept samples, but $(wc -l < values) lines of $1"
	awk "!($2)" values > wrong
	[ ! -s wrong ] || fail "not all are $2: $(sort wrong | uniq -c | head)"
}
some() { [ "${kept:-0}" -gt 0 ] || fail "nothing is left: $(cat log)"; }
less() { [ "${dropped:-0}" -gt 0 ] || fail "nothing was filtered: $(cat log)"; }

./work 600 > /dev/null & one=$!
./work 600 > /dev/null & two=$!
trap 'kill $one $two 2> /dev/null' EXIT

record "pid != $one, pid != 0" -a -- sleep 0.3; some; less; all pid "\$1 != $one && \$1 != 0"
record "tid == $one || tid == $two" -a -- sleep 0.3; some; less; all tid "\$1 == $one || \$1 == $two"
cpu=$(awk '/^processor/ { print $3 }' /proc/cpuinfo | tail -n 1)
record "cpu == $cpu" -a -- sleep 0.2; some; all cpu "\$1 == $cpu"
record 'ip < 0x8000000000000000' -p $one -- sleep 0.2; some; all ip 'length($1) < 16'
record 'ip >= 0x8000000000000000' -- dd if=/dev/zero of=/dev/null bs=1M count=500; some; all ip 'length($1) == 16 && substr($1, 1, 1) ~ /[89a-f]/'
record 'time > 0, uid == 0, gid == 0' -p $one -- sleep 0.1; some; [ -z "$dropped" ] || fail "time > 0 dropped $dropped"
record 'time == 0 || uid != 0 || gid != 0' -p $one -- sleep 0.1; less; [ "$kept" = 0 ] || fail "time == 0 kept $kept"
# What is not in samples by itself is put there.
record 'weight2 == 0, phys_addr == 0, txn == 0, code_pgsz >= 0, data_pgsz >= 0, mem_op & na, id > 0' -p $one -- sleep 0.1; some
# Several filters have to hold all.
"$KILN" record -o k.data -e cpu-clock --filter "pid == $one" --filter 'cpu >= 99999' -a -- sleep 0.2 > log 2>&1 || fail "$(cat log)"
grep -q '(0 samples)' log || fail "two filters: $(cat log)"

if command -v setpriv > /dev/null; then
	chmod 755 . work
	setpriv --reuid 54321 --regid 54322 --clear-groups ./work 600 > /dev/null & theirs=$!
	trap 'kill $one $two $theirs 2> /dev/null' EXIT
	record 'uid == 54321, gid == 54322' -a -- sleep 0.3; some; less; all pid "\$1 == $theirs"
fi
for root in /sys/fs/cgroup/perf_event /sys/fs/cgroup/unified /sys/fs/cgroup; do
	case $(stat -f -c %T $root 2> /dev/null) in cgroup*fs) break ;; esac
	root=
done
group=$root/kiln-filter-$$
if [ -n "$root" ] && mkdir "$group" 2> /dev/null; then
	echo $two > "$group/cgroup.procs"
	record "cgroup == $(stat -c %i "$group")" -a -- sleep 0.3
	echo $two > "$root/cgroup.procs"
	rmdir "$group"
	some; less; all pid "\$1 == $two"
fi

# Periods: each fault counts one, or the kernel looks for a period itself.
"$KILN" record -o k.data -e page-faults -c 1 --filter 'period == 1' -- ls > log 2>&1 || fail "$(cat log)"
grep -q 'samples filtered' log && fail "period == 1: $(cat log)"
"$KILN" record -o k.data -e page-faults -F 1000 --filter 'period > 1' -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do ls; done' > log 2>&1 || fail "$(cat log)"
kept=$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' log) dropped=$(sed -n 's/.* \([0-9]*\) samples filtered .*/\1/p' log)
some; less; all period '$1 > 1'
# Addresses of faults.
"$KILN" record -o k.data -e page-faults -c 1 --filter 'addr >= 0x7f0000000000' -- ls > log 2>&1 || fail "$(cat log)"
kept=$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' log) dropped=$(sed -n 's/.* \([0-9]*\) samples filtered .*/\1/p' log)
some; less; all addr 'substr($1, 1, 2) ~ /^(7f|ff)/'

# A filter is for the -e before it, and for all events there, groups too; others have all of theirs.
"$KILN" record -o k.data -e page-faults/period=1/ -e '{cpu-clock,task-clock}' --filter 'cpu >= 99999' -e cs -- ./work 0.2 > log 2>&1 || fail "$(cat log)"
"$KILN" script -i k.data -F event 2> /dev/null | tr -d ' ' | sort -u > events
grep -q page-faults events || fail "a filter took the samples of another event: $(cat events log)"
grep -qE 'clock' events && fail "a group's filter is not for all of it: $(cat events)"

# Children are filtered as their parents are.
record "pid == 1" -- sh -c './work 0.1; ./work 0.1'; less; [ "$kept" = 0 ] || fail "children: $kept"

# Dropped is not lost, for us and in the file.
record 'cpu >= 99999' --strict -p $one -- sleep 0.1; less
"$KILN" report -i k.data 2>&1 | grep -iE 'lost samples: *[1-9]' && fail "what was filtered is said to be lost"
# Each file of several has its own part.
"$KILN" record -q --switch-output=signal -e cpu-clock --filter 'cpu >= 99999' -o s.data -p $one -- sleep 0.1 > log 2>&1 || fail "--switch-output: $(cat log)"
"$KILN" record -q -e cpu-clock --filter 'cpu >= 0' -o - -p $one -- sleep 0.1 2> log | "$KILN" script -i - -F cpu > values 2> /dev/null
[ -s values ] || fail "nothing through a pipe: $(cat log)"
exit 0
