#!/bin/bash
# kiln report against perf report, byte for byte, on fresh recordings: sort keys, columns, filters,
# children, every kind of call graph. The program recorded has all its symbols: where there are none,
# call graphs differ on purpose (docs/perf-differences.md).
# timeout: 300
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf

cat > branchy.c << 'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
volatile unsigned long sink;
#define FN __attribute__((noinline)) static void
FN leaf(int n) { for (int i = 0; i < n * 2000; i++) sink += i; }
FN deep(int n) { leaf(n); if (n > 0) deep(n - 1); leaf(1); }
FN left(int n) { leaf(n); deep(n); sink++; }
FN right(int n) { left(n / 2); leaf(2 * n); free(malloc(1 << 20)); sink++; }
FN even(int n) { left(n); right(n); sink++; }
FN odd(int n) { right(n); deep(2 * n); sink++; }
int main(void)
{
	for (int child = 0; child < 3; child++)
		if (!fork()) {
			for (int i = 0; i < 400; i++)
				(i + child) % 2 ? odd(3 + child) : even(4);
			return 0;
		}
	while (wait(0) > 0)
		;
	return 0;
}
END
"${CC:-cc}" -O1 -g -static -fno-omit-frame-pointer -fno-optimize-sibling-calls -o branchy branchy.c ||
	skip "cannot link a static program here"

cases=()
count=0
# perf 6.1 stops with an assertion when another recorder on the machine makes the kernel add build ids
# to mappings; -B avoids most of that, several tries the rest.
record() { # NAME OPTIONS...
	local name=$1
	shift
	for _ in 1 2 3 4 5; do
		case $name in
		pipe) perf record -q -B -o - "$@" -- ./branchy > pipe.data 2> pipe.log ;;
		*) perf record -q -B -o "$name.data" "$@" -- ./branchy > "$name.log" 2>&1 ;;
		esac || continue
		if [ -n "$(perf report --stdio -i "$name.data" 2> /dev/null < /dev/null)" ]; then
			cases+=("$name")
			return
		fi
	done
	count=$((count + 1))
	echo "ok - $name # SKIP perf could not record it, or not read it again: $(tail -n 1 "$name.log")"
}

record user -F 1999 -g -e cpu-clock:u
record flat -F 999 -e cpu-clock:u
record events -F 999 -g -e cpu-clock:u -e page-faults:u
record group -F 499 -g -e '{cpu-clock:u,page-faults:u}'
record zstd -z -F 999 -g -e cpu-clock:u
record pipe -F 999 -g -e cpu-clock:u
[ ${#cases[@]} -gt 0 ] || skip "perf cannot record here: $(tail -n 1 user.log)"
if [ "$(id -u)" = 0 ]; then
	record kernel -F 1999 -g
	record tracepoint -e sched:sched_process_exit -e sched:sched_process_fork
fi

# Without perf's changing tip at the end; and what is behind the rest of a fractal graph is chance.
theirs() {
	perf report --stdio "$@" 2> /dev/null < /dev/null | sed 's/\[\.\.\.\] (inlined)$/[...]/' | awk '
		{ line[NR] = $0 }
		END { n = line[NR - 1] ~ /^# \(/ ? NR - 3 : NR; for (i = 1; i <= n; i++) print line[i] }'
}

compare() { # NAME OPTIONS...
	local name=$1
	shift
	count=$((count + 1))
	theirs -i "$name.data" "$@" > want
	"$KILN" report --stdio -i "$name.data" "$@" > got 2> err < /dev/null
	if [ -s want ] && cmp -s want got; then
		echo "ok - $name: $*"
	else
		echo "not ok - $name: $*"
		{ head -n 5 err; diff want got | head -n 12; } | sed 's/^/# /'
	fi
}

tables=("" "-n --show-total-period" "-s comm" "-s dso,sym" "-s pid" "-s cpu,sym" "-s +cpu"
	"-s sym,overhead" "-F overhead_us,overhead,sample,sym" "-F +period" "-F comm,dso" "-t ,"
	"--percent-limit 3" "-c branchy" "-c nobody" "-S leaf,deep" "-S leaf --percentage relative"
	"-d branchy" "-q" "--show-cpu-utilization" "--header" "--no-demangle")
graphs=("" "-g" "-G" "-g callee,0.01" "-g fractal" "-g fractal,caller,3" "-g graph,1,2,count"
	"-g flat,0.1,period" "-g folded,0.1" "-s sym" "-s sym -g" "-s comm" "--max-stack 3"
	"--percent-limit 2" "-c branchy --percentage relative")
children=("-g none" "-g none -s sym" "" "-g callee" "-g fractal" "-g folded,0.1,caller" "-s sym"
	"-s dso" "-s comm,sym -g fractal,callee,2" "--percent-limit 5")

for name in "${cases[@]}"; do
	for options in "${tables[@]}"; do
		read -ra words <<< "$options"
		compare "$name" --no-children -g none "${words[@]}"
	done
	case $name in flat | tracepoint) continue ;; esac
	# perf filters the first event only.
	case $name in user | zstd) compare "$name" --no-children --symbol-filter ea ;; esac
	for options in "${graphs[@]}"; do
		read -ra words <<< "$options"
		compare "$name" --no-children "${words[@]}"
	done
	# perf never counts children of a pipe. In the kernel's part of stacks it gives frames that lie
	# nowhere the letter of the frame before.
	case $name in pipe | kernel) continue ;; esac
	for options in "${children[@]}"; do
		read -ra words <<< "$options"
		compare "$name" --children "${words[@]}"
	done
done
echo "1..$count"
