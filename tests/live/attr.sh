#!/bin/bash
# What the kernel is asked for, as perf's attribute tests see it: kiln under the name perf. TAP.
# timeout: 240
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
n=0 ran= elsewhere=
verdict() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi
}

# The files themselves.
mkdir attrs
asks() { # FILE LINE...
	local file=$1 line
	shift
	for line; do
		grep -qx -- "$line" "$file" || { echo "no $line in $file: $(cat "$file")" > log; return 1; }
	done
}
PERF_TEST_ATTR=$PWD/attrs "$KILN" record -q -e cpu-clock:u -c 123456 -o f.data -- true > log 2>&1
file=$(ls attrs/event-1-0-* | head -n 1)
asks "$file" "\[$(basename "$file")\]" group_fd=-1 type=1 size=128 config=0 sample_period=123456 freq=0 disabled=1 \
	enable_on_exec=1 mmap=1 exclude_kernel=1
verdict $? "an event"
rm attrs/*
PERF_TEST_ATTR=$PWD/attrs "$KILN" record -q --per-thread -e '{cpu-clock:u,page-faults:u}' -o f.data -- true > log 2>&1
leader=$(sed -n 's/^fd=//p' attrs/event-1-0-*)
asks "$(ls attrs/event-1-2-*)" "group_fd=$leader" disabled=0 enable_on_exec=0
verdict $? "a group"

# perf's own. Where there is no hardware counter those about branches and groups of two counters
# cannot assert anything; these do everywhere:
always="C0 basic count data freq graph-default graph-dwarf graph-fp no-buffering no-inherit no-samples period raw"
tests=/usr/lib/perf-core/tests
why=
[ -r $tests/attr.py ] && [ -d $tests/attr ] || why="perf's attribute tests are not installed"
command -v python3 > /dev/null || why="python3 is not installed"
[ "$(id -u)" = 0 ] || why="needs root"
ln -s "$KILN" perf
# Python 3.12 has dropped two names that attr.py uses.
cat > run.py <<-'PYTHON'
	import configparser, runpy, sys
	if not hasattr(configparser, "SafeConfigParser"):
	    configparser.SafeConfigParser = configparser.ConfigParser
	if not hasattr(configparser.ConfigParser, "readfp"):
	    configparser.ConfigParser.readfp = configparser.ConfigParser.read_file
	sys.argv = sys.argv[1:]
	runpy.run_path(sys.argv[0], run_name="__main__")
PYTHON
if [ -n "$why" ]; then
	echo "ok 3 - perf's attribute tests # SKIP $why"
	echo "1..3"
	exit 0
fi
for test in $always $(cd $tests/attr && ls -d test-record-* | sed 's/^test-record-//'); do
	case " $ran " in *" $test "*) continue ;; esac
	ran="${ran:-} $test"
	status=0
	python3 -W ignore run.py $tests/attr.py -d $tests/attr -p "$PWD/perf" -t "test-record-$test" -v > log 2>&1 || status=$?
	if grep -qE '^(unsupp|skipped)' log; then
		case " $always " in
		*" $test "*) status=1 ;; # has to assert
		*)
			elsewhere="$elsewhere $test"
			continue
			;;
		esac
	fi
	verdict $status "$test"
done
if [ -n "$elsewhere" ]; then
	n=$((n + 1))
	echo "ok $n -$elsewhere # SKIP they want hardware counters or another CPU"
fi
echo "1..$n"
