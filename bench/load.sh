#!/bin/sh
# A load that looks like a parallel build: many short compilers, assemblers, shells and linkers.
#
# usage: bench/load.sh DIR FILES [JOBS]
#
# Writes FILES generated C and C++ files under DIR, compiles them JOBS at a time, links some and runs
# small tools over others. Every sixth file is C++, for clang (whose stacks are deep) and g++ in turn,
# as far as they are installed. 1000 files make about 4000 processes.
set -eu

dir=$1 files=$2 jobs=${3:-$(nproc)}
mkdir -p "$dir"

if [ ! -e "$dir/done.$files" ]; then
	awk -v dir="$dir" -v files="$files" 'BEGIN {
		for (f = 0; f < files; f++) {
			out = dir "/unit" f ".c"
			printf "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n" > out
			printf "#include <math.h>\n#include <pthread.h>\n#include <signal.h>\n" > out
			functions = 4 + f % 9
			for (i = 0; i < functions; i++) {
				printf "static double step%d(double x, int n)\n{\n", i > out
				printf "\tdouble t[%d];\n", 8 + i > out
				printf "\tfor (int k = 0; k < %d; k++)\n", 8 + i > out
				printf "\t\tt[k] = x * k + %d;\n", f > out
				printf "\twhile (n-- > 0)\n\t\tswitch (n %% %d) {\n", 5 + i > out
				for (k = 0; k < 5 + i; k++)
					printf "\t\tcase %d: x += sin(t[%d]) * %d; break;\n", k, k, f + k > out
				printf "\t\t}\n\treturn x%s;\n}\n", i ? " + step" (i - 1) "(x / 2, 3)" : "" > out
			}
			printf "double unit%d(int n)\n{\n\treturn step%d(n, n);\n}\n", f, functions - 1 > out
			close(out)

			out = dir "/unit" f ".cc"
			printf "#include <algorithm>\n#include <map>\n#include <string>\n#include <vector>\n" > out
			printf "template <int N> struct tower : tower<N - 1> { std::map<int, std::string> m; };\n" > out
			printf "template <> struct tower<0> { std::vector<int> v; };\n" > out
			printf "int unit%d(int n)\n{\n\ttower<%d> t;\n", f, 3 + f % 7 > out
			printf "\tfor (int i = 0; i < n; i++)\n\t\tt.v.push_back(i), t.m[i] = std::to_string(i);\n" > out
			printf "\tstd::sort(t.v.begin(), t.v.end(), [](int a, int b) { return a > b; });\n" > out
			printf "\treturn t.v[0] + %d;\n}\n", f > out
			close(out)
		}
	}'
	: > "$dir/done.$files"
fi

# For file N: the N'th of twelve.
compilers="gcc gcc gcc clang++ gcc gcc gcc gcc gcc g++ gcc gcc"
for compiler in clang++ g++; do
	command -v $compiler > /dev/null || compilers=$(echo "$compilers" | sed "s/\\b$compiler/gcc/")
done
export compilers
cd "$dir"
# shellcheck disable=SC2016 # for the inner shell
seq 0 $((files - 1)) | xargs -P "$jobs" -n 1 sh -c '
	unit=unit$1
	set -- $1 $compilers
	shift $((1 + $1 % 12))
	case $1 in
	*++) $1 -O2 -g -c -o "$unit.o" "$unit.cc" ;;
	*) $1 -O2 -g -c -o "$unit.o" "$unit.c" ;;
	esac
	case $unit in
	*0) sed "s/unit/other/" "$unit.c" | grep -c other > "$unit.count" ;;
	*5) gcc -shared -o "$unit.so" -x c /dev/null -x none "$unit.o" -lm ;;
	esac' load
