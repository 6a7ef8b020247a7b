#!/bin/bash
# A wrong command line of `kiln record`: one sentence that names what is wrong, a hint, status 129,
# and nothing touched. None of these asks the kernel for anything.
set -u
fail() { echo "$*"; exit 1; }

refuses() { # PATTERN ARGUMENT...
	local pattern=$1 status=0
	shift
	"$KILN" record -o x.data "$@" -- true > out 2> log || status=$?
	[ $status = 129 ] || fail "record $*: exit status $status, not 129: $(cat log)"
	[ ! -s out ] || fail "record $*: something on standard output: $(cat out)"
	[ ! -e x.data ] || fail "record $*: left a file"
	head -n 1 log | grep -qE "^kiln record: .*$pattern" || fail "record $*: no \"$pattern\": $(cat log)"
	[ "$(grep -c '^kiln record: ' log)" = 1 ] || fail "record $*: more than one sentence: $(cat log)"
	sed -n 2p log | grep -q '^  hint: ' || fail "record $*: no hint: $(cat log)"
	[ "$(grep -c '' log)" -le 4 ] || fail "record $*: too many words: $(cat log)"
}

# Values that are none.
for bad in x -1 '' 1,x 0 1,,2 99999999999 1-2; do
	refuses '-p wants numbers' -p "$bad"
	refuses '-t wants numbers' --tid="$bad"
done
refuses 'no user "nobody-at-all"' -u nobody-at-all
refuses 'no user "-1"' --uid=-1
for bad in x '' 1- -1 3-1 0, 0-99999999 '0 1'; do refuses 'is no list of CPUs' -C "$bad"; done
for bad in x '' 1x -5 10-5 10-10 5,6 10-20,15-30 10-20,30; do refuses '-D wants milliseconds' -D "$bad"; done
for bad in pipe:3 fd: fifo: fd 3 ''; do refuses '--control wants fd:N' --control "$bad"; done
refuses 'no such file descriptor' --control fd:77
refuses 'no such file descriptor' --control fd:0,77
for bad in 0 x '' -1 1.5 10k; do refuses '-F wants samples per second' -F "$bad"; done
for bad in x '' -1 1.5 10k 99999999999999999999; do refuses '--count wants a number' -c "$bad"; done
refuses '-c 0' -c 0
for bad in x 0 '' -4 3X 1T 1.5M K; do refuses '-m ' -m "$bad"; done
for bad in x 0 '' -4 3X M; do refuses '--max-size wants a size' --max-size "$bad"; done
for bad in x 0 5 5y s 0s -1s; do refuses '--switch-output wants' --switch-output="$bad"; done
for bad in x -1 ''; do refuses '--switch-max-files wants a number' --switch-output --switch-max-files "$bad"; done
for bad in x 23 -1 1.5; do refuses '-z wants a level' -z"$bad"; done
refuses '--call-graph knows fp, dwarf and lbr' --call-graph sideways
refuses '--call-graph knows fp, dwarf and lbr' --call-graph ''
for bad in 0 x '' 65536 -8; do refuses 'wants a stack size' --call-graph dwarf,"$bad"; done
for bad in 0 x '' 65536 -8; do refuses 'number of frames' --call-graph fp,"$bad"; done
refuses 'takes no size' --call-graph lbr,8
refuses 'no register "nope"' --user-regs=nope
refuses 'no register ""' --intr-regs=ax,
refuses '-k knows monotonic' -k sundial
refuses '-k knows monotonic' -k 99
refuses 'no kind of branch' -j sideways
refuses '--embed knows hot and all' --embed=none
refuses 'no event "cpu-clok"' -e cpu-clok
refuses 'event' -e ''
refuses 'modifier' -e cpu-clock:y

# Options that do not go together.
refuses 'exclude each other' -F 99 -c 99
refuses 'exclude each other' --all-user --all-kernel
refuses 'exclude each other' -g --user-callchains --kernel-callchains
refuses 'wants the -e it belongs to before it' --filter 'a == 1' -e sched:sched_switch
refuses 'wants the -e it belongs to before it' --exclude-perf
refuses 'wants --switch-output' --switch-max-files 3
refuses '-G watches CPUs' -e cpu-clock -G group
refuses '-G names 3 control groups, and there are 2 events' -a -e cpu-clock,cs -G a,b,c
refuses '-G names 2 control groups, and there are 1 events' -a -e cpu-clock -G a,b -e cs
refuses '-D -1 waits for --control' -D -1
refuses 'wants a file, not standard output' -o - --switch-output
refuses 'wants a file, not standard output' -o - --timestamp-filename
refuses '-z compresses files' -o - -z
refuses 'takes no value' --all-cpus=yes
refuses 'takes no value' --no-embed=all
refuses 'no option --nonsense' --nonsense
refuses 'no option -Y' -Y
refuses 'ambiguous' --no-bu
refuses 'ambiguous' --switch

# A value that is missing at the end of the line.
for option in -p -t -u -C -G -D -e -F -c -j -k -o -m --pid --control --filter --call-graph --max-size --switch-max-files; do
	status=0
	"$KILN" record $option > out 2> log || status=$?
	[ $status = 129 ] && grep -q "option $option wants a value" log || fail "record $option: $status, $(cat log)"
done

# A recording is not printed on a terminal.
if command -v script > /dev/null; then
	script -qec "$KILN record -o - -- true" /dev/null > log 2>&1 < /dev/null
	grep -q 'not fit for the terminal' log || fail "-o - on a terminal: $(head -c 500 log | cat -v)"
fi

# What will not come.
status=0
"$KILN" record --off-cpu -o x.data -- true > out 2> log || status=$?
[ $status = 1 ] && grep -q 'not there yet' log || fail "--off-cpu: $status, $(cat log)"

# As perf: its own failures are 255, so that scripts can tell them from the command's.
ln -s "$KILN" perf
status=0
./perf record -F x -- true > out 2> log || status=$?
[ $status = 255 ] || [ $status = 129 ] || fail "as perf: exit status $status"
grep -q '^perf record: ' log || fail "as perf: $(cat log)"
exit 0
