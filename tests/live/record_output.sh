#!/bin/bash
# Where the data goes: compressed, in several files, in a file of limited size, from memory.
# covers record: -z --switch-output --switch-max-files --timestamp-filename --max-size --overwrite
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
make_workload

count() { "$KILN" script -F ip "$@" 2> /dev/null | grep -c .; }
readable() { # FILE: by kiln and, when there is one, by perf, with the same samples
	"$KILN" script -i "$1" > k.txt 2> k.err || fail "kiln cannot read $1: $(cat k.err)"
	command -v perf > /dev/null || return 0
	perf script --no-inline -i "$1" > p.txt 2> p.err || fail "perf cannot read $1: $(cat p.err)"
	! grep -qiE 'out of order|corrupt|failed|unknown' p.err || fail "perf about $1: $(cat p.err)"
	[ "$(wc -l < p.txt)" = "$(wc -l < k.txt)" ] || fail "$1: perf has $(wc -l < p.txt) lines, kiln $(wc -l < k.txt)"
}
record() { "$KILN" record -e cpu-clock:u -g "$@" > log 2>&1 || fail "record $*: $(cat log)"; }

record -F 4000 -o plain.data -- ./work 0.5
record -F 4000 -z -o z.data -- ./work 0.5
readable z.data
[ "$(stat -c %s z.data)" -lt $(($(stat -c %s plain.data) / 2)) ] ||
	fail "-z: $(stat -c %s z.data) bytes of $(stat -c %s plain.data)"
"$KILN" report -i z.data --header-only 2> /dev/null | grep -q 'compressed : Zstd, level = 1' || fail "the header does not tell: $("$KILN" report -i z.data --header-only | grep compr)"
record -z19 -o z19.data -- ./work 0.1
readable z19.data
"$KILN" record -z -o - -- true > x 2> log && fail "-z through a pipe"
grep -q 'through zstd' log || fail "-z through a pipe: $(cat log)"
"$KILN" record -z23 -o x.data -- true > log 2>&1 && fail "-z23"

# Files by size, the last two kept.
record -F 10000 --switch-output=64K --switch-max-files 2 -o s.data -- ./work 0.8
[ "$(ls s.data.* | wc -l)" = 2 ] || fail "--switch-max-files 2: $(ls s.data*)"
[ ! -e s.data ] || fail "a file without a time is left: $(ls s.data*)"
for file in s.data.*; do
	readable "$file"
	[ "$(stat -c %s "$file")" -lt 400000 ] || fail "--switch-output=64K: $(ls -l s.data.*)"
done
grep -q 'Dump s.data.20' log || fail "no word about the files: $(cat log)"

# By signal: the program runs through all files, with its name.
"$KILN" record -q -e cpu-clock:u -g --switch-output -o u.data -- ./work 1.5 > log 2>&1 &
recorder=$!
sleep 0.4
kill -USR2 $recorder
sleep 0.4
kill -USR2 $recorder
wait $recorder || fail "--switch-output by signal: $? $(cat log)"
[ "$(ls u.data.* | wc -l)" = 3 ] || fail "three files by two signals: $(ls u.data*)"
for file in u.data.*; do
	readable "$file"
	grep -q '/work)' k.txt || fail "$file does not know the program: $(head -n 5 k.txt)"
done
record --switch-output=1s -o t.data -- ./work 1.5
[ "$(ls t.data.* | wc -l)" = 2 ] || fail "--switch-output=1s: $(ls t.data*)"

record --timestamp-filename -o stamp.data -- ./work 0.05
ls stamp.data.20* > log 2>&1 || fail "--timestamp-filename: $(ls)"

record -F 10000 --max-size 100K -o max.data -- ./work 20
readable max.data
[ "$(stat -c %s max.data)" -lt 300000 ] || fail "--max-size 100K: $(stat -c %s max.data) bytes"
grep -q 'max-size' log || fail "no word about the end: $(cat log)"

# Only the latest samples, at the end and on demand.
record -F 10000 --overwrite -m 8K -o ring.data -- ./work 0.8
readable ring.data
n=$(count -i ring.data)
[ "$n" -gt 10 ] && [ "$n" -lt 4000 ] || fail "--overwrite -m 8K kept $n lines"
"$KILN" record -q -e cpu-clock:u --overwrite --switch-output -o snap.data -- ./work 1 > log 2>&1 &
recorder=$!
sleep 0.4
kill -USR2 $recorder
wait $recorder || fail "snapshot: $? $(cat log)"
[ "$(ls snap.data.* | wc -l)" = 2 ] || fail "snapshots: $(ls snap.data*)"
for file in snap.data.*; do
	readable "$file"
	grep -q work k.txt || fail "$file: $(head -n 3 k.txt)"
done
exit 0
