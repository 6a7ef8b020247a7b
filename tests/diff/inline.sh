#!/bin/bash
# Inlined functions and source lines against perf, on fresh recordings of small programs with and
# without stacks; C++ against llvm-symbolizer, because the addr2line that perf asks gets much of it
# wrong (docs/perf-differences.md).
# timeout: 300
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf
command -v addr2line > /dev/null || skip "addr2line is not installed: perf finds no lines without it"
export HOME=$PWD

cat > program.c << 'END'
volatile unsigned long sink;
#define INLINED static inline __attribute__((always_inline))
#define CALLED __attribute__((noinline, noclone, noipa))
INLINED unsigned long mix(unsigned long x)
{
	for (int i = 0; i < 30; i++)
		x = x * 31 + (x >> 7);
	return x;
}
INLINED unsigned long twice(unsigned long x)
{
	return mix(x ^ 0x55) + mix(x + 1);
}
CALLED unsigned long leaf(unsigned long x)
{
	sink++; /* not to be optimized away */
	return twice(x + sink) ^ mix(x + 3);
}
INLINED unsigned long through(unsigned long x)
{
	unsigned long y = leaf(x);
	return y +
	       leaf(x + 1);
}
CALLED unsigned long rounds(unsigned long n)
{
	unsigned long sum = 0;
	for (unsigned long i = 0; i < n; i++)
		sum += through(i);
	return sum;
}
int main(void)
{
	for (int i = 0; i < 300; i++)
		sink += rounds(10000 + i);
	return 0;
}
END

count=0
verdict() { # NAME EXPECTED GOT
	count=$((count + 1))
	if [ ! -s "$2" ]; then
		echo "ok - $1 # SKIP there is nothing to compare with"
	elif cmp -s "$2" "$3"; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		{ head -n 5 err; diff "$2" "$3" | head -n 12; } | sed 's/^/# /'
	fi
}

record() { # FILE OPTIONS... -- PROGRAM
	local file=$1
	shift
	# Not the dynamic linker, hence -D. perf 6.1 dies now and then when somebody else records with build ids at that time.
	for _ in 1 2 3 4 5; do
		perf record -q -B -D 30 -F 1999 -e cpu-clock:u -o "$file" "$@" > log 2>&1 &&
			perf script -F ip -i "$file" 2> /dev/null | grep -q "[0-9a-f]" && return
	done
	count=$((count + 1))
	echo "ok - $file # SKIP perf could not record it: $(tail -n 1 log)"
	return 1
}

# Without the frames of libc and before main: perf calls aliases inlined there.
ours_only() { grep -vE 'libc|_start|^  \?\?:0$'; }
# Columns are as wide as the names, those of libc included.
without_tip() { sed -e '/^# (/d' -e '/^#.*Symbol/d' -e '/^# [. ]*$/d' -e 's/ *$//' | grep -vE '^#?$'; }

report_cases=("-g caller --no-children" "-g callee --no-children" "--children -g none" "-g none --no-children -s srcline"
	"-g none --no-children -s srcfile,sym" "-g none --no-children -s sym,srcline -n")
for cc in gcc clang; do
	command -v $cc > /dev/null || continue
	# addr2line misses inlined functions in clang's DWARF 5.
	version=
	[ $cc = gcc ] || version=-gdwarf-4
	$cc -O2 -g $version -fno-omit-frame-pointer -Wno-attributes -Wno-unknown-attributes -o "c-$cc" program.c || fail "cannot compile"
	if record "lines-$cc.data" -- "./c-$cc"; then
		for case in "script -F +srcline" "script -F ip,sym,srcline --full-source-path" \
			"report --stdio -s srcline" "report --stdio -s srcfile,sym" "report --stdio -s srcline,sym -n" \
			"report --stdio -F srcline,overhead,sample"; do
			read -ra words <<< "$case"
			perf "${words[@]}" -i "lines-$cc.data" --dsos "c-$cc" 2> /dev/null | without_tip > want
			"$KILN" "${words[@]}" -i "lines-$cc.data" --dsos "c-$cc" 2> err | without_tip > got
			verdict "lines, $cc: $case" want got
		done
	fi
	if record "dwarf-$cc.data" --call-graph dwarf,4096 -- "./c-$cc"; then
		perf script -i "dwarf-$cc.data" 2> /dev/null | ours_only > want
		"$KILN" script -i "dwarf-$cc.data" 2> err | ours_only > got
		verdict "dwarf, $cc: script" want got
		perf script -F ip,sym,symoff,srcline -i "dwarf-$cc.data" 2> /dev/null | ours_only > want
		"$KILN" script -F ip,sym,symoff,srcline -i "dwarf-$cc.data" 2> err | ours_only > got
		verdict "dwarf, $cc: script with lines" want got
		for case in "${report_cases[@]}"; do
			read -ra words <<< "$case"
			perf report --stdio "${words[@]}" -i "dwarf-$cc.data" 2> /dev/null | without_tip | ours_only > want
			"$KILN" report --stdio "${words[@]}" -i "dwarf-$cc.data" 2> err | without_tip | ours_only > got
			verdict "dwarf, $cc: report $case" want got
		done
	fi
done

# --- C++ --------------------------------------------------------------------------------------------
cat > program.cc << 'END'
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>
#define CALLED __attribute__((noinline))
namespace shapes {
struct point { double x, y; double norm() const { return x * x + y * y; } };
template <typename T> struct box {
	std::vector<T> items;
	CALLED void fill(int n)
	{
		for (int i = 0; i < n; i++)
			items.push_back(T{double(i * 7919 % 1000), double(i)});
	}
	CALLED double total() const
	{
		return std::accumulate(items.begin(), items.end(), 0.0,
				       [](double s, const T &p) { return s + p.norm(); });
	}
	CALLED void order()
	{
		std::sort(items.begin(), items.end(),
			  [](const T &a, const T &b) { return a.norm() < b.norm(); });
	}
};
}
struct base { virtual ~base() {} virtual double run(int n) = 0; };
struct derived : base {
	shapes::box<shapes::point> b;
	double run(int n) override { b.items.clear(); b.fill(n); b.order(); return b.total(); }
};
static CALLED double words(int n)
{
	std::map<std::string, int> m;
	for (int i = 0; i < n; i++)
		m[std::to_string(i * 31 % 97)] += i;
	double s = 0;
	for (auto &kv : m)
		s += kv.second;
	return s;
}
volatile double sink;
int main()
{
	derived d;
	base *b = &d;
	std::function<double(int)> f = [&](int n) { return b->run(n) + words(n); };
	for (int i = 0; i < 200; i++)
		sink = f(3000);
}
END

# "ADDRESS NAME FILE:LINE" for each function at each address of the program, innermost first.
chains() { # PROGRAM: script's text with lines
	awk -v object="($PWD/$1)" '
	/^\t/ {
		whole = name = $0
		address = $1
		sub(/^\t *[0-9a-f]+ /, "", name)
		if (index(name, object))
			name = substr(name, 1, index(name, object) - 2)
		next
	}
	/^  / {
		line = $1
		list = list address " " name " " line "\n"
		if ($2 == "(inlined)")
			next
		if (index(whole, object) && !(address in seen) && name !~ /@plt$|^_start$/) {
			seen[address] = 1
			printf "%s", list
		}
		list = ""
	}
	/^$/ { list = "" }' | sort -s -k1,1
}
symbolized() { # PROGRAM < addresses
	while read -r address; do
		llvm-symbolizer --obj="$1" --inlines --no-demangle --basenames "0x$address" |
			awk -v address="$address" 'NF { if (NR % 2) name = $0; else { sub(/:[0-9]+$/, ""); print address, name, $0 } }'
	done
}
for cc in g++ clang++; do
	if ! command -v $cc > /dev/null || ! command -v llvm-symbolizer > /dev/null; then
		count=$((count + 1))
		echo "ok - C++, $cc # SKIP $cc or llvm-symbolizer is not installed"
		continue
	fi
	$cc -O2 -g -o "cxx-$cc" program.cc || fail "cannot compile"
	record "cxx-$cc.data" --call-graph dwarf,8192 -- "./cxx-$cc" || continue
	"$KILN" script --no-demangle -F ip,sym,dso,srcline -i "cxx-$cc.data" 2> err | chains "cxx-$cc" > got
	cut -d' ' -f1 got | uniq | symbolized "cxx-$cc" > want
	verdict "C++, $cc: $(cut -d' ' -f1 got | uniq | wc -l) addresses" want got
done
echo "1..$count"
