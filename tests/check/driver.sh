#!/bin/bash
# The test driver itself: it must see a failure in every form, count cases, name skips.
set -u
mkdir -p tree/tests/cli tree/tests/golden tree/src/room tree/build/src tree/fuzz
cp "$KILN_SRC/tests/run" tree/tests/run

script() { # NAME, body on stdin
	{ echo '#!/bin/bash'; cat; } > "tree/tests/$1.sh"
	chmod +x "tree/tests/$1.sh"
}
program() { # NAME, body on stdin: a unit test of that name
	: > "tree/src/room/$1.c"
	{ echo '#!/bin/bash'; cat; } > "tree/build/src/$1"
	chmod +x "tree/build/src/$1"
}
expect() { # LAST-LINE STATUS
	tree/tests/run tree/build > out 2>&1
	local status=$?
	[ "$(tail -n 1 out)" = "$1" ] && [ $status = "$2" ] && return
	echo "expected \"$1\" and status $2, got status $status and:"
	cat out
	exit 1
}

expect "0 passed, 0 failed, 0 skipped" 1 # no test at all is no success
script golden/pass <<< 'exit 0'
script golden/skip <<< 'echo because; exit 77'
program tap_test <<< 'echo 1..3; echo ok 1 - a; echo ok 2 - b; echo "not ok 3 # SKIP c"'
expect "3 passed, 0 failed, 2 skipped" 0
grep -q '^skipped: .*golden/skip (because)' out || { echo "the skip is not named"; exit 1; }

fails() { # the tree has one failure more than the last one that passed
	expect "$1 passed, 1 failed, 2 skipped" 1
	grep -q '^FAILED: ' out || { echo "the failure is not named"; exit 1; }
}
script cli/bad <<< 'echo here is why; exit 1'
fails 3
grep -q 'here is why' out || { echo "the output of a failure is not shown"; exit 1; }
script cli/bad <<< 'kill -SEGV $$'
fails 3
script cli/bad <<< '# timeout: 1
sleep 30'
fails 3
# shellcheck disable=SC2016 # for the inner shell
script cli/bad <<< 'f=${ASAN_OPTIONS#log_path=}; echo leak > "${f%%:*}.1"; exit 0'
fails 3
script cli/bad <<< 'echo 1..2; echo ok 1; echo not ok 2'
fails 4
script cli/bad <<< 'echo 1..2; echo ok 1' # ends early
fails 4
script cli/bad <<< 'echo 1..1; echo ok 1; exit 3'
fails 4
rm tree/tests/cli/bad.sh
: > tree/src/room/unbuilt_test.c # a test that was never listed in a meson.build
fails 3
