#!/bin/bash
# kiln fold against what it should print for tests/golden/fold/NAME.txt; see the README there.
set -u
dir=$KILN_SRC/tests/golden/fold
n=0
check() { # NAME SUFFIX OPTION...
	local name=$1 suffix=$2
	shift 2
	n=$((n + 1))
	"$KILN" fold -q "$@" -i "$dir/$name.txt" > out 2> err
	local status=$?
	if [ $status = 0 ] && cmp -s out "$dir/$name.$suffix"; then
		echo "ok $n - $name.$suffix"
	else
		echo "not ok $n - $name.$suffix (exit status $status)"
		diff "$dir/$name.$suffix" out
		cat err
	fi
}
for input in "$dir"/*.txt; do
	name=$(basename "$input" .txt)
	check "$name" folded
	check "$name" own-marks --tid --all --addrs
	check "$name" classic --classic
	check "$name" marks --classic --tid --all --addrs
done

# Text from a pipe gives the same as from a file, and folded text folds to itself.
n=$((n + 1))
if cat "$dir/basic.txt" | "$KILN" fold -i - | cmp - "$dir/basic.folded"; then
	echo "ok $n - from a pipe"
else
	echo "not ok $n - from a pipe"
fi
n=$((n + 1))
if "$KILN" fold -i "$dir/frames.folded" -o out && cmp out "$dir/frames.folded"; then
	echo "ok $n - folded text"
else
	echo "not ok $n - folded text"
fi

expect_failure() { # NAME PATTERN INPUT-OPTION...
	local name=$1 pattern=$2
	shift 2
	n=$((n + 1))
	if ! "$KILN" fold "$@" > out 2> err < /dev/null && grep -q "$pattern" err; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		cat err
	fi
}
head -c 1000 /bin/sh > binary
: > empty
expect_failure "no such event" 'no event "instructions"' -e instructions -i "$dir/events.txt"
expect_failure "it has these" 'cycles, page-faults' -e instructions -i "$dir/events.txt"
expect_failure "binary input" 'binary is neither' -i binary
expect_failure "empty input" 'empty is empty' -i empty
expect_failure "missing input" 'cannot open missing' -i missing
expect_failure "unwritable output" 'cannot write' -i "$dir/basic.txt" -o /nowhere/out
expect_failure "srcline without classic" 'srcline' --srcline -i "$dir/basic.txt"
echo "1..$n"
