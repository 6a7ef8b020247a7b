#!/bin/bash
# once
# timeout: 300
# Languages with a runtime of their own: functions are named in the middle of whole stacks, after the
# process and its files are gone. Each is left out where it is not installed.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
src=$KILN_SRC/tests/live/runtimes
tried=0

# number NAME: of the quality of the last recording
number() { grep -o "\"$1\":[0-9]*" quality | head -n 1 | cut -d: -f2; }
# try WHAT CALL-GRAPH WHOLE CHAIN COMMAND...: records the command; at least WHOLE percent of the stacks
# must be whole, and half of the samples in a stack that matches CHAIN.
try() {
	what="$1, $2" graph=$2 whole=$3 chain=$4
	shift 4
	"$KILN" record -q --call-graph "$graph" -e cpu-clock:u -F 499 -o run.data -- "$@" > out 2> log ||
		fail "$what: record: exit status $?: $(cat log)"
	rm -f jit-*.dump
	for pid in $("$KILN" script -i run.data -F pid 2> /dev/null | sort -u); do
		rm -f "/tmp/perf-$pid.map" "/tmp/jit-$pid.dump"
	done
	"$KILN" fold -i run.data > folded 2> log || fail "$what: fold: exit status $?"
	"$KILN" report --quality=json -i run.data > quality 2> log || fail "$what: report --quality: exit status $?"
	[ "$(number whole)" -ge $(($(number stacks) * whole / 100)) ] || fail "$what: too few stacks are whole: $(cat quality)"
	awk -v chain="$chain" '{ all += $NF; if ($0 ~ chain) hit += $NF } END { exit !(hit * 2 >= all) }' folded ||
		fail "$what: no $chain: $(awk '{ print $NF, $0 }' folded | sort -rn | cut -c 1-300 | head -n 3)"
	tried=$((tried + 1))
}

# works COMMAND...: whether it knows these flags; what it wrote is removed
works() {
	"$@" > /dev/null 2>&1 &
	probe=$!
	wait $probe
	status=$?
	rm -f "/tmp/perf-$probe.map" "/tmp/jit-$probe.dump" jit-*.dump
	return $status
}

if command -v node > /dev/null; then
	for flag in --perf-basic-prof --perf-prof; do
		works node $flag -e 0 || continue
		try "node $flag" fp 85 'outer .*middle .*inner |outer .*inner ' node $flag --no-turbo-inlining --interpreted-frames-native-stack "$src/app.js"
		try "node $flag" dwarf,65528 85 'outer .*middle .*inner |outer .*inner ' node $flag --no-turbo-inlining --interpreted-frames-native-stack "$src/app.js"
	done
else
	echo "node is not installed"
fi

if command -v javac > /dev/null && javac -d . "$src/App.java" 2> log; then
	flags="-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit"
	# shellcheck disable=SC2086 # words on purpose
	if works java $flags -version; then
		# shellcheck disable=SC2086 # words on purpose
		for graph in fp dwarf,32768; do
			try "java with a perf map" $graph 80 'App.*inner' java -XX:+PreserveFramePointer $flags -cp . App
		done
	fi
else
	echo "no Java compiler"
fi

if command -v mcs > /dev/null && command -v mono > /dev/null; then
	mcs -out:app.exe "$src/app.cs" || fail "cannot compile"
	export MONO_DEBUG=disable_omit_fp
	try "mono --jitmap" dwarf,32768 90 'App:Outer.*App:Inner' mono --jitmap app.exe
	try "mono --jitmap" fp 0 'App:Outer.*App:Inner' mono --jitmap app.exe
else
	echo "mono is not installed"
fi

if command -v ocamlopt > /dev/null; then
	cp "$src/app.ml" . && ocamlopt -g -o app app.ml || fail "cannot compile"
	try ocaml dwarf,32768 90 'outer.*middle.*inner' ./app
else
	echo "ocamlopt is not installed"
fi

# Python: any of these versions, wherever it is.
for python in python3.12 python3.13 python3.14 "$HOME"/.pyenv/versions/3.1[2-9].*/bin/python3 /root/.pyenv/versions/3.1[2-9].*/bin/python3; do
	command -v "$python" > /dev/null || continue
	for mode in perf perf_jit; do
		works "$python" -X $mode -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' || continue
		try "$python -X $mode" dwarf,65528 85 'outer.*middle.*inner' "$python" -X $mode "$src/app.py"
	done
done

[ "$tried" -gt 0 ] || skip "no runtime is installed"
exit 0
