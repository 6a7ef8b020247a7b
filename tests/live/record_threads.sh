#!/bin/bash
# Reader threads: a directory with a file for each ring, the same samples in kiln and perf, and
# readable however it ends.
# covers record: --threads
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload

record() { "$KILN" record -e cpu-clock:u -g "$@" > log 2>&1 || fail "record $*: $(cat log)"; }
# samples RECORDING: one line for each, by kiln; told.txt is what it says beside them
samples() { "$KILN" script -F comm,tid,time,ip,sym -i "$1" 2> told.txt; }
same_in_perf() { # RECORDING
	samples "$1" > k.txt || fail "kiln cannot read $1: $(cat told.txt)"
	[ ! -s told.txt ] || fail "kiln about $1: $(cat told.txt)"
	[ "$(grep -c work k.txt)" != 0 ] || fail "no work in $1: $(head -n 5 k.txt)"
	command -v perf > /dev/null || return 0
	perf script --no-inline -F comm,tid,time,ip,sym -i "$1" > p.txt 2> p.err || fail "perf cannot read $1: $(cat p.err)"
	cmp k.txt p.txt || fail "$1: perf and kiln differ: $(diff k.txt p.txt | head -n 10)"
	perf evlist -i "$1" | grep -q cpu-clock || fail "perf evlist -i $1: $(perf evlist -i "$1" 2>&1)"
	perf report --stdio -i "$1" 2> /dev/null | grep -q work || fail "perf report -i $1"
}
cpus=$(nproc --all)

for spec in '' =cpu =core =package =numa; do
	rm -rf k.data
	record --threads$spec -F 2000 -o k.data -- ./work 0.2
	[ -d k.data ] && [ -e k.data/data.0 ] || fail "--threads$spec: $(ls -lR k.data)"
	[ ! -e k.data/data.$cpus ] || fail "--threads$spec: more files than CPUs: $(ls k.data)"
	same_in_perf k.data
done
rm -rf k.data
record --threads -z -F 4000 -o k.data -- ./work 0.3
same_in_perf k.data
# The older one is kept, and what is in the way and no recording is not touched.
record --threads -o k.data -- ./work 0.05
[ -e k.data.old/data ] || fail "the older recording is gone: $(ls)"
record -o k.data -- ./work 0.05
[ -f k.data ] && [ -d k.data.old ] || fail "a file after a directory: $(ls -l)"
mkdir mine && echo hello > mine/data.txt
"$KILN" record --threads -e cpu-clock:u -o mine -- true > log 2>&1 && fail "a directory of others was taken"
[ -s mine/data.txt ] || fail "a directory of others was emptied"
"$KILN" record --threads -e cpu-clock:u -o gone -- ./no-such-program > log 2>&1 && fail "no such program"
[ ! -e gone ] || fail "a directory of nothing is left"

# Masks of one's own.
online=$(cat /sys/devices/system/cpu/online)
rm -rf k.data
record --threads="$online/$online" -F 2000 -o k.data -- ./work 0.2
same_in_perf k.data
for wrong in 0 bogus 0/0:0/0 9999/0; do
	"$KILN" record --threads=$wrong -e cpu-clock:u -o x -- true > log 2>&1 && fail "--threads=$wrong was taken"
	grep -q -- "--threads" log || fail "--threads=$wrong: $(cat log)"
done
"$KILN" record --threads -e cpu-clock:u -o - -- true > x 2> log && fail "--threads through a pipe"

# A file for each ring is more than this: the limit is raised.
(
	ulimit -S -n 12
	"$KILN" record --threads -e cpu-clock:u -o few -- ./work 0.05 > log 2>&1 || fail "12 files: $(cat log)"
) || exit 1

# What is recorded ends by itself, and so does the recording.
./work 0.7 > /dev/null &
timeout 60 "$KILN" record -q --threads -e cpu-clock:u -o ended -p $! > log 2>&1
status=$?
[ $status = 0 ] || [ $status = 1 ] || fail "-p of a program that ends: status $status, $(cat log)"

# No room for one of the files: said, and the rest is read.
(
	ulimit -f 200
	"$KILN" record --threads -e cpu-clock:u -F max -m 64K -o full -- ./work 60 > log 2>&1
)
status=$?
[ $status = 1 ] || fail "no room: exit status $status: $(cat log)"
grep -q 'cannot write full/data' log || fail "no room: $(cat log)"
samples full > k.txt || fail "no room: $(cat told.txt)"
[ "$(grep -c work k.txt)" -gt 50 ] || fail "no room: $(wc -l < k.txt) lines, $(cat told.txt)"

# Several files, one after the other.
record --threads --switch-output=32K --switch-max-files 2 -F 10000 -o s.data -- ./work 0.6
[ "$(ls -d s.data.* | wc -l)" = 2 ] || fail "--switch-output: $(ls -d s.data*)"
for file in s.data.*; do
	"$KILN" script -i "$file" > k.txt 2> told.txt || fail "$file: $(cat told.txt)"
	[ ! -s told.txt ] || fail "$file: $(cat told.txt)"
done

# Killed: what was written can be read.
for z in '' -z; do
	rm -rf killed
	"$KILN" record -q $z --threads -e cpu-clock:u -F 2000 -o killed -- sh -c 'echo $$ > pid; exec ./work 60' > log 2>&1 &
	recorder=$!
	for _ in $(seq 300); do
		[ "$(cat killed/data.* 2> /dev/null | wc -c)" -gt 2000 ] && break
		sleep 0.1
	done
	kill -KILL $recorder
	wait $recorder 2> /dev/null
	kill "$(cat pid)"
	samples killed > k.txt || fail "killed $z: $(cat told.txt)"
	grep -q 'never finished' told.txt || fail "killed $z: not said: $(cat told.txt)"
	[ "$(grep -c work k.txt)" -gt 20 ] || fail "killed $z: $(wc -l < k.txt) lines"
done

# Cut short, and one of the files missing.
rm -rf k.data
record --threads -F 4000 -o k.data -- ./work 0.3
largest=$(ls -S k.data/data.* | head -n 1)
size=$(stat -c %s "$largest")
samples k.data > all.txt
truncate -s $((size / 2 + 3)) "$largest"
samples k.data > k.txt
status=$?
[ $status = 2 ] || fail "a file cut short: exit status $status"
grep -q "${largest##*/} ends inside" told.txt || fail "a file cut short: $(cat told.txt)"
[ "$(wc -l < k.txt)" -gt 10 ] && [ "$(wc -l < k.txt)" -lt "$(wc -l < all.txt)" ] || fail "a file cut short: $(wc -l k.txt all.txt)"
if [ -e k.data/data.1 ]; then
	rm k.data/data.0
	samples k.data > k.txt && fail "a missing file is no trouble"
	grep -q 'no data.0' told.txt || fail "a missing file: $(cat told.txt)"
fi

# What perf makes is read, too. perf itself falls over its own recordings while others record build ids.
command -v perf > /dev/null || exit 0
for z in '' -z; do
	rm -rf p.data
	perf record $z --threads -e cpu-clock:u -g -F 2000 -o p.data -- ./work 0.2 > log 2>&1 || continue
	perf script -i p.data > /dev/null 2>&1 || continue
	same_in_perf p.data
done
exit 0
