#!/bin/bash
# kiln fold --classic against stackcollapse-perf.pl: on the golden inputs, on random text made of
# what confuses parsers, and on recordings of the kinds that recordings.sh leaves out.
# timeout: 300
set -u
script=$(PATH=${FLAMEGRAPH_DIR:+$FLAMEGRAPH_DIR:}$PATH command -v stackcollapse-perf.pl)
if [ -z "$script" ] || ! command -v perl > /dev/null; then
	echo "stackcollapse-perf.pl is neither in PATH nor in FLAMEGRAPH_DIR"
	exit 77
fi
n=0
compare() { # NAME INPUT TEXT OPTION...
	local name=$1 input=$2 text=$3
	shift 3
	n=$((n + 1))
	perl "$script" "$@" "$text" > expected 2> /dev/null
	"$KILN" fold -q --classic "$@" -i "$input" > out 2> err
	if cmp -s expected out; then
		echo "ok $n - $name $*"
	else
		echo "not ok $n - $name $*"
		diff expected out | head -n 20
		cat err
	fi
}

for input in "$KILN_SRC"/tests/golden/fold/*.txt; do
	for options in "" "--pid" "--tid --all --addrs" "--kernel --event-filter=page-faults" "--srcline"; do
		# shellcheck disable=SC2086 # several options
		compare "$(basename "$input")" "$input" "$input" $options
	done
done

random_text() { # SEED
	awk -v seed="$1" '
	function pick(list,   parts) { return parts[1 + int(rand() * split(list, parts, "|"))] }
	function head() {
		return pick("a|java|java x|V8 Worker|[foo]|foo 12 bar|:-1|kworker/0:1|a;b|x:y| pad|3|9 9|(sh)") \
			pick(" |  ") pick("12345|   12|1/2|0/0|12/0|  0|1//2|12/|x|7/8/9") pick("| [000]") \
			pick(" 123.456:|  1.2:|| 5:|123:") pick("| 250000|      1| 0| 7") pick(" |   |\t") \
			pick("cycles|cpu-clock:u|sched:sched_switch|x") \
			pick(": |:|:  |: pid=1 x=2|: comm:| 12: foo:|: ffff main+0x1 (/bin/x)|")
	}
	function frame() {
		return pick("\t|    | ||\t     ") pick("ffffffff81000000|7f00|11c|zz||G|0x12") pick(" | |  |") \
			pick("main|foo(int)|[unknown]|a->b|->|a->|->a|a->->b|a->b->|Lorg/x/Y;.call(Lz;)V|" \
			     "net/http.(*C).Do|(anonymous namespace)::f(int)|x(anonymous namespace)(y|\"q\"|" \
			     "operator()|+0x1|b+0x1 c|f_[i]->g_[i]|j_[j]||Lx|L/|[unknown]->[unknown]|.(|).|.().") \
			pick("|+0x1f|+0x|+0xG|+0x0") pick(" (| (|(|  (") \
			pick("/usr/bin/x|[kernel.kallsyms]|[unknown]|/tmp/perf-12.map|/tmp/perf-.map|/boot/vmlinux|" \
			     "/a/b (deleted)|inlined||a)b|x (y) z|[ext4]|/tmp/perf-1xmap|vmlinux.x|(|)|a;b") \
			pick(")|)|)|| ) x")
	}
	BEGIN {
		srand(seed)
		for (i = 0; i < 20000; i++) {
			kind = rand()
			print kind < 0.3 ? head() : kind < 0.8 ? frame() : kind < 0.97 ? "" : "# cmdline : x"
		}
	}'
}
for seed in 1 2 3; do
	random_text $seed > random.txt
	for options in "" "--tid --all --addrs" "--event-filter=x" "--srcline"; do
		# shellcheck disable=SC2086 # several options
		compare "random text $seed" random.txt random.txt $options
	done
done

record() { # NAME OPTION...
	local name=$1
	shift
	if ! command -v perf > /dev/null || ! perf record -q -o "$name.data" "$@" -- \
		sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; ls -l / > /dev/null' > /dev/null 2>&1 ||
		! perf script --no-inline -i "$name.data" > "$name.txt" 2> /dev/null; then
		n=$((n + 1))
		echo "ok $n - $name # SKIP perf cannot record this here"
		return
	fi
	compare "$name" "$name.data" "$name.txt"
	compare "$name" "$name.data" "$name.txt" --tid --all --addrs
}
# What makes kiln go by the text: which of several events comes first, samples without stacks
# between others, tracepoints between others, and a head line without end of the command's name.
record two-events -e cpu-clock:u,page-faults -c 1000 -g
record mixed -e cpu-clock/call-graph=no/,page-faults/call-graph=fp/
record tracepoint -e sched:sched_switch,cpu-clock -a -g
cp /bin/sh x && perf record -q -F 999 -g -o letter.data ./x -c 'i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done' > /dev/null 2>&1 &&
	perf script --no-inline -i letter.data > letter.txt 2> /dev/null &&
	compare "command of one letter" letter.data letter.txt
echo "1..$n"
