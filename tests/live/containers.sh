#!/bin/bash
# Containers made of namespaces: programs with files of their own under paths that lead elsewhere on
# the host. A name is right or missing; another program's is a failure.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_root
need_sampling
command -v unshare > /dev/null || skip "unshare is not installed"
unshare --mount --pid --fork true 2> /dev/null || skip "namespaces are not allowed here"
cc=${CC:-cc}
"$cc" -O1 -g -fno-omit-frame-pointer -o jit "$KILN_SRC/tests/support/jit.c" || skip "no machine code for this CPU"
make_workload

# Two programs that differ in their functions' names alone; each has its own build id.
"$cc" -O1 -g -fno-omit-frame-pointer -fno-inline -Dsimulate_oven=imposter -o other "$KILN_SRC/examples/demo.c" || fail "cannot compile"

# with_root DIR PROGRAM: a new root there, with the program as $APP/baker and all it needs
cat > with_root <<'SCRIPT'
mount -t tmpfs none "$1" || exit 9
mkdir -p "$1$APP" "$1/tmp" "$1/proc"
cp "$2" "$1$APP/baker"
for lib in $(ldd "$2" | grep -o '/[^ ]*'); do
	mkdir -p "$1/$(dirname "$lib")"
	cp -L "$lib" "$1/$lib"
done
mount -t proc none "$1/proc"
dir=$1
shift 2
exec chroot "$dir" "$APP/baker" "$@"
SCRIPT
export APP=/kiln-test.$$
mkdir one two "$APP" || fail "cannot make directories"
trap 'rm -rf "$APP"' EXIT
cp other "$APP/baker" # what the path leads to on the host

# The container ends long before the recording does, whether that watches the command or all.
for scope in "" -a; do
	# shellcheck disable=SC2086 # words on purpose
	"$KILN" record -q $scope -g -e cpu-clock:u -F 999 -o dynamic.data -- sh -c 'unshare --mount --pid --fork sh with_root one work 1 > /dev/null; sleep 0.3' ||
		fail "record $scope: exit status $?"
	"$KILN" script -i dynamic.data --comms baker > script 2> log || fail "kiln script: exit status $?"
	grep -q "simulate_oven.*($APP/baker)" script || fail "$scope: no names for a program in its own root: $(head -n 5 script)"
	grep -q 'libc.so.6)' script || fail "$scope: no names of its libraries"
	! grep -q imposter script || fail "$scope: names of another program"
done

# The same path in two roots, at once, holds two programs.
"$KILN" record -q -e cpu-clock:u -F 999 -o both.data -- sh -c '
	unshare --mount --pid --fork sh with_root one work 1 > /dev/null &
	unshare --mount --pid --fork sh with_root two other 1 > /dev/null; wait' || fail "record: exit status $?"
"$KILN" script -i both.data --comms baker -F pid,ip,sym > script 2> log || fail "kiln script: exit status $?"
awk '/simulate_oven/ { a[$1] = 1 } /imposter/ { b[$1] = 1 } END { for (p in a) { n++; if (p in b) bad = 1 } for (p in b) n++; exit bad || n != 2 }' script ||
	fail "two programs of one path are mixed up: $(sort script | uniq -c)"

# Without build ids the inode decides.
"$KILN" record -q -B -e cpu-clock:u -F 999 -o bare.data -- unshare --mount --pid --fork sh with_root one work 1 > /dev/null ||
	fail "record -B: exit status $?"
"$KILN" script -i bare.data --comms baker > script 2> log || fail "kiln script: exit status $?"
! grep -q imposter script || fail "-B: names of another program"
grep -q simulate_oven script || fail "-B: no names for a program in its own root"

# A perf map lies in the container's own /tmp, under the number that the process has there.
"$KILN" record -q -g -e cpu-clock:u -F 999 -o map.data -- sh -c 'unshare --mount --pid --fork sh with_root one jit 300 map; sleep 0.2' ||
	fail "record: exit status $?"
"$KILN" report --no-children -g none -s sym -i map.data --comms baker > report 2> log || fail "kiln report: exit status $?"
for name in first second wanderer; do
	grep -qw $name report || fail "no $name from a map inside a container: $(head -n 9 report; cat log)"
done

# An overlay: the file's inode is one thing inside, another below.
cat > with_overlay <<'SCRIPT'
mount -t tmpfs none one || exit 9
mkdir -p "one/low$APP" one/up one/work one/all
cp "$1" "one/low$APP/baker"
mount -t overlay none -o lowerdir=one/low,upperdir=one/up,workdir=one/work one/all || exit 8
exec chroot one/all "$APP/baker" 1
SCRIPT
"$cc" -O1 -g -static -fno-omit-frame-pointer -fno-inline -o static "$KILN_SRC/examples/demo.c" || exit 0
"$cc" -O1 -g -static -Wl,--build-id=none -fno-omit-frame-pointer -fno-inline -o nameless "$KILN_SRC/examples/demo.c" || exit 0
for program in static nameless; do
	"$KILN" record -q -e cpu-clock:u -F 999 -o overlay.data -- unshare --mount sh with_overlay $program > /dev/null 2>&1
	status=$?
	[ $status != 8 ] || continue # no overlays here
	[ $status = 0 ] || fail "record: exit status $status"
	"$KILN" script -i overlay.data --comms baker > script 2> log || fail "kiln script: exit status $?"
	grep -q simulate_oven script || fail "no names for a $program program on an overlay: $(head -n 5 script; cat log)"
	! grep -q imposter script || fail "names of another program"
done
exit 0
