#!/bin/sh
# A load that looks like a parallel build: many short compilers, assemblers, shells and linkers.
#
# usage: bench/load.sh DIR FILES [JOBS]
#
# Writes FILES generated C files under DIR and compiles each with gcc, JOBS at a time, then links
# groups of them. 1000 files make about 4000 processes.
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
		}
	}'
	: > "$dir/done.$files"
fi

cd "$dir"
# shellcheck disable=SC2016 # for the inner shell
seq 0 $((files - 1)) | xargs -P "$jobs" -n 1 sh -c '
	gcc -O2 -g -c -o "unit$1.o" "unit$1.c"
	case $1 in
	*0) sed "s/unit/other/" "unit$1.c" | grep -c other > "unit$1.count" ;;
	*5) gcc -shared -o "unit$1.so" -x c /dev/null -x none "unit$1.o" -lm ;;
	esac' load
