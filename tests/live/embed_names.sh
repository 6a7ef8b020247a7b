#!/bin/bash
# once
# Programs and libraries that are deleted, replaced by others, or in a root of their own that is
# unmounted: the report shows their own names, wherever the recording is read and by whom. TAP.
# timeout: 600
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
cat > busy.c <<-'C'
	/* Works in a function whose name the compiler is told, until its directory has a file "stop". */
	#include <unistd.h>
	__attribute__((noinline)) long NAME(long n)
	{
		volatile long sum = 0;
		for (long i = 0; i < n; i++)
			sum += i;
		return sum;
	}
	int ENTRY(void)
	{
		long sum = 0;
		alarm(60);
		while (access("stop", F_OK) != 0)
			sum += NAME(3000000);
		return sum == 42;
	}
C
cat > caller.c <<-'C'
	int entry(void);
	int main(void) { return entry(); }
C
build() { "${CC:-cc}" -O1 -g -fno-omit-frame-pointer "$@" || fail "cannot compile"; }
for name in right wrong; do
	build -DNAME=${name}_name -DENTRY=main -o $name busy.c
	build -DNAME=${name}_name -DENTRY=main -Wl,--build-id=none -o $name.noid busy.c
	build -DNAME=${name}_name -DENTRY=entry -fPIC -shared -o lib$name.so busy.c
done
cp libright.so libbusy.so
build -o caller caller.c -L. -lbusy -Wl,-rpath,"$PWD"
reader=
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null && $plain_user test -x "$KILN"; then
	reader="env TMPDIR=/tmp $plain_user"
fi
chmod 755 . && mkdir away && chmod 755 away
n=0
# named NAME COMMAND...: the recording k.data, moved away and read by another user, has the right name
named() {
	local name=$1
	shift
	n=$((n + 1))
	rm -f stop k.data away/*
	"$@" > log 2>&1
	local status=$?
	mv k.data away/moved.data && chmod 644 away/moved.data
	if [ $status = 0 ] && $reader "$KILN" report --stdio -g none -i away/moved.data > report 2>> log &&
		grep -q 'right_name' report && ! grep -q 'wrong_name' report && ! grep -q 'no symbols for.*\(doomed\|libbusy\)' log; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name (exit status $status)"
		{ cat log; grep -v '^#' report | head -n 8; } | sed 's/^/# /'
	fi
}
# Who sees the mapping of a new program late, on a busy machine, still sees it.
during() { echo "./doomed & sleep 1; $1; sleep 0.3; : > stop; wait"; }
record="$KILN record -q -e cpu-clock:u -F 499"
cp right doomed
named "deleted, with copied stacks" $record --call-graph dwarf,2048 -o k.data -- sh -c "$(during 'rm doomed')"
for id in "" .noid; do
	cp right$id doomed
	named "deleted$id" $record -g -o k.data -- sh -c "$(during 'rm doomed')"
	cp right$id doomed
	named "replaced$id" $record -g -o k.data -- sh -c "$(during "cp wrong$id new; mv new doomed")"
	cp right$id doomed
	named "deleted at once$id" $record -o k.data -- sh -c './doomed & rm doomed; sleep 1; : > stop; wait'
	cp right$id doomed
	rm -f stop
	./doomed &
	pid=$!
	until ! kill -0 $pid || [ "$(basename "$(readlink /proc/$pid/exe)")" = doomed ]; do sleep 0.05; done
	cp wrong$id new && mv new doomed
	named "replaced before$id" $record -p $pid -o k.data -- sleep 0.5
	: > stop
	wait $pid
done
cp right doomed
named "deleted, compressed" $record -z -o k.data -- sh -c "$(during 'rm doomed')"
cp right doomed
named "deleted, by a pipe" sh -c "$record -o - -- sh -c '$(during 'rm doomed')' > k.data"
for what in "deleted rm libbusy.so" "replaced cp libwrong.so new; mv new libbusy.so"; do
	cp libright.so libbusy.so
	named "a library ${what%% *}" $record -g -o k.data -- sh -c "./caller & sleep 1; ${what#* }; sleep 0.3; : > stop; wait"
done

# In a root of its own, where the same paths lead to other files than here. The mount is gone in the
# end: umount has to work while we record.
cp libwrong.so libbusy.so
cat > inside <<-'SCRIPT'
	mount -t tmpfs none root || exit 9
	mkdir -p "root/$PWD"
	cp caller "root/$PWD/" && cp libright.so "root/$PWD/libbusy.so" || exit 8
	for file in $(ldd ./caller | grep -o '/[^ ]*' | grep -v libbusy); do
		mkdir -p "root/${file%/*}" && cp -L "$file" "root/$file" || exit 8
	done
	(sleep "${LASTS:-1.5}"; : > root/stop) & # chroot starts it in its root
	chroot root "$PWD/caller"
	wait
	# Not at once: whoever records at this moment may be copying what it needs.
	for _ in 1 2 3 4 5 6 7 8; do
		umount root 2> /dev/null && exit 0
		sleep 0.5
	done
	exit 7
SCRIPT
mkdir root
if [ "$(id -u)" = 0 ] && unshare --mount true 2> /dev/null; then
	for how in -g "--call-graph dwarf,2048"; do
		named "a root of its own $how" $record $how -o k.data -- unshare --mount sh inside
	done
	named "a root of its own, by a pipe" sh -c "$record -o - -- unshare --mount sh inside > k.data"
	named "with pids of its own" $record -a -o k.data -- unshare --mount --pid --fork sh inside
	# From the outside, while it runs; and it ends before the recording does.
	LASTS=8 unshare --mount sh inside &
	found=
	for _ in $(seq 200); do
		for pid in $(ls /proc | grep '^[0-9]'); do
			comm=
			read -r comm 2> /dev/null < /proc/$pid/comm
			[ "$comm" = caller ] && [ "$(readlink /proc/$pid/root)" != / ] && found=$pid && break 2
		done
		sleep 0.05
	done
	[ "$found" ] || fail "the program in a root of its own did not start"
	named "from the outside" $record -p $pid -o k.data
	wait
fi
echo "1..$n"
