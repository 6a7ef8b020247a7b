#!/bin/bash
# Stacks of --call-graph dwarf, unwound by perf and by kiln. Where perf's stack reaches the thread's
# first function, kiln's is the same, frame by frame (or goes on, where perf mistook clone3 for it);
# and kiln's reach it in all samples but a few.
# timeout: 300
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf
need_sampling
export HOME=$PWD

# One line per sample: its stack, innermost first, without what lies in no mapping, and without the
# code that signal handlers return to: perf looks for its name one byte before it. Names of OCaml lose
# their number, as kiln shows them.
stacks() {
	awk '
	function flush() { if (has) print line; has = 0; line = "" }
	/^[^ \t]/ { flush(); has = 1; next }
	/\[unknown\] \(\[unknown\]\)|__restore_rt|\[unknown\] .*libc\.so/ { next }
	NF { sub(/_[0-9]+\+0x/, "+0x"); $1 = $1; line = line ";" $0 }
	END { flush() }' "$1"
}

whole='(_start|_dl_start_user|clone|__clone|clone3|__clone3)\+0x[0-9a-f]+ \([^)]*\)$'

n=0
check() { # NAME ALLOWED [guesses]: incomplete stacks allowed, per thousand
	local name=$1 allowed=$2
	n=$((n + 1))
	perf script --no-inline --max-stack 4096 -F comm,tid,time,event,ip,sym,symoff,dso \
		-i "$name.data" > want.txt 2> /dev/null
	"$KILN" script --no-inline -F comm,tid,time,event,ip,sym,symoff,dso \
		-i "$name.data" > got.txt 2> err
	stacks want.txt > want
	stacks got.txt > got
	if [ "$(wc -l < want)" != "$(wc -l < got)" ] || [ "$(wc -l < got)" -lt 10 ]; then
		echo "not ok $n - $name"
		echo "# perf has $(wc -l < want) samples, kiln $(wc -l < got)"
		head -n 5 err | sed 's/^/# /'
		return
	fi
	paste -d '\n' want got | awk -v whole="$whole" -v allowed="$allowed" -v guesses="${3:-}" '
	NR % 2 { want = $0; next }
	{
		total++
		reached = $0 ~ whole
		perf_reached += want ~ whole
		if (!reached) incomplete++
		# In clone3 itself perf stops, as if this were the new thread.
		# Where there is no CFI it guesses, and leaves out callers.
		if (!guesses && want ~ whole && index($0, want) != 1) {
			differ++
			if (differ <= 2) print "# perf: " want "\n# kiln: " $0
		}
		if (!reached && incomplete <= 2) print "# incomplete: " $0
	}
	END {
		printf "# %d stacks, %d whole (perf: %d), %d differ\n", total, total - incomplete,
			perf_reached, differ
		# A single one may be a page that was not there when the kernel copied.
		exit differ > 0 || (incomplete > 1 && incomplete * 1000 > total * allowed)
	}' > why && echo "ok $n - $name: $(tail -n 1 why)" || {
		echo "not ok $n - $name"
		cat why
	}
}

record() { # NAME COMMAND...
	local name=$1
	shift
	"$KILN" record -q -F 1999 --call-graph dwarf,32768 -o "$name.data" -- "$@" > log 2>&1 && return
	n=$((n + 1))
	echo "not ok $n - $name: cannot record: $(tail -n 1 log)"
	return 1
}

if ! g++ -O2 -fomit-frame-pointer -o cxx "$KILN_SRC/tests/diff/unwind.cc" -lpthread 2> log; then
	skip "there is no C++ compiler"
fi
for kind in recursion deep allocas realign callbacks jumps signals library threads; do
	record $kind ./cxx $kind 0.3 && check $kind 1
done
n=$((n + 1))
perf script --no-inline --max-stack 5 -i recursion.data > want 2> /dev/null
"$KILN" script --no-inline --max-stack 5 -i recursion.data > got 2> /dev/null
if cmp want got > why; then
	echo "ok $n - --max-stack, for each part of a stack"
else
	echo "not ok $n - --max-stack, for each part of a stack: $(cat why)"
fi
# While libgcc installs the context of a landing pad, its stack is neither the old nor the new one.
record exceptions ./cxx exceptions 0.3 && check exceptions 25
if clang++ -O3 -fomit-frame-pointer -o cxx-clang "$KILN_SRC/tests/diff/unwind.cc" -lpthread 2> log; then
	for kind in recursion callbacks signals; do
		record clang-$kind ./cxx-clang $kind 0.3 && check clang-$kind 1
	done
fi
if g++ -O2 -g -fomit-frame-pointer -fno-exceptions -fno-asynchronous-unwind-tables -x c++ \
	-o cxx-debug - 2> log << 'END'; then
#include <stdlib.h>
volatile unsigned long sink;
__attribute__((noinline)) int burn(int n) { for (int i = 0; i < 20000; i++) sink = sink * 31 + i; return n; }
__attribute__((noinline)) int down(int n) { int r = n ? down(n - 1) : burn(n); sink = sink + r; return r; }
int main() { for (int i = 0; i < 3000; i++) down(20); }
END
	record debug_frame ./cxx-debug && check debug_frame 1
	# In a file of its own, which is found by the link.
	objcopy --only-keep-debug cxx-debug cxx-apart.debug && cp cxx-debug cxx-apart && strip cxx-apart &&
		objcopy --add-gnu-debuglink=cxx-apart.debug cxx-apart &&
		record debug_file ./cxx-apart && check debug_file 1 guesses
fi
# Code that comes and goes: two libraries, one after the other at the same addresses.
for lib in one two; do
	cc -O2 -fPIC -shared -fomit-frame-pointer -D "FUNC=$lib" -D "SIZE=$([ $lib = one ] && echo 40 || echo 400)" \
		-o lib$lib.so -x c - 2> log << 'END' || break
static volatile unsigned long sink;
__attribute__((noinline)) static int burn(void) { for (int i = 0; i < 20000; i++) sink = sink * 31 + i; return 1; }
int FUNC(int n) { volatile char v[SIZE]; v[n % 40] = 1; int r = n ? FUNC(n - 1) : burn(); sink += v[3]; return r; }
END
done
if cc -O2 -fomit-frame-pointer -o plugins -x c - -ldl 2> log << 'END'; then
#include <dlfcn.h>
int main(void)
{
	for (int i = 0; i < 40; i++) {
		void *lib = dlopen(i % 2 ? "./libone.so" : "./libtwo.so", RTLD_NOW);
		int (*f)(int) = lib ? (int (*)(int))dlsym(lib, i % 2 ? "one" : "two") : 0;
		for (int k = 0; f && k < 500; k++)
			f(10);
		if (!f || dlclose(lib))
			return 1;
	}
	return 0;
}
END
	record dlopen ./plugins && check dlopen 1
fi
home=$(getent passwd "$(id -u)" | cut -d: -f6)
if RUSTUP_HOME=${RUSTUP_HOME:-$home/.rustup} PATH=$PATH:$home/.cargo/bin rustc -O -o rust "$KILN_SRC/tests/diff/unwind.rs" 2> log; then
	record rust ./rust 0.4 && check rust 10
fi
# caml_c_call moves its return address to where no copy has it, for one instruction.
cp "$KILN_SRC/tests/diff/unwind.ml" ml.ml
if ocamlopt -o ml ml.ml > log 2>&1; then
	record ocaml ./ml 0.4 && check ocaml 10
fi
if command -v node > /dev/null; then
	record node node --perf-basic-prof "$KILN_SRC/tests/diff/unwind.js" 0.5 && check node 20 guesses
	rm -f $("$KILN" script -F pid -i node.data 2> /dev/null | sort -u | sed 's/ //g; s/.*/\/tmp\/perf-&.map/')
fi
echo "1..$n"
