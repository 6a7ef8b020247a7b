#!/bin/bash
# What the kernel, a container or the machine's owner forbids: kiln records what is allowed, or says
# in one sentence what is not and what to do. TAP; all without changing the machine's settings.
# timeout: 180
set -u
. "$KILN_SRC/tests/support/live.sh"
need_root
need_sampling
make_workload
command -v setpriv > /dev/null && command -v unshare > /dev/null || skip "setpriv or unshare is not installed"
"${CC:-cc}" -O1 -o deny "$KILN_SRC/tests/support/deny.c" || fail "cannot compile"
chmod 777 .
chmod 755 work deny
user=$plain_user
$user test -x "$KILN" || skip "an ordinary user cannot reach $KILN"
level=$(cat /proc/sys/kernel/perf_event_paranoid)
n=0
verdict() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi
}
# refused NAME SENTENCE HINT COMMAND...: fails with one sentence and one hint, and leaves no file
refused() {
	local name=$1 sentence=$2 hint=$3 status=0
	shift 3
	rm -f k.data
	timeout 30 "$@" > log 2>&1 || status=$?
	[ $status = 1 ] && [ "$(grep -c '^kiln record: ' log)" = 1 ] && [ "$(wc -l < log)" = 2 ] && [ ! -e k.data ] &&
		grep -qE "^kiln record: .*$sentence" log && grep -qE "^  hint: .*$hint" log
	verdict $? "$name (exit status $status)"
}
# works NAME PATTERN COMMAND...: records samples of ./work and says the pattern
works() {
	local name=$1 pattern=$2
	shift 2
	rm -f k.data
	timeout 30 "$@" > log 2>&1 && grep -qE "$pattern" log &&
		"$KILN" report -i k.data 2> /dev/null | grep -q '[1-9].*work'
	verdict $? "$name"
}
record="$KILN record -o k.data"

# A seccomp filter, as of a container.
for error in 1 13 38; do
	# shellcheck disable=SC2086 # words
	{
		refused "seccomp says $error" 'seccomp filter.*so cycles cannot' 'seccomp=unconfined' ./deny seccomp $error $record -- ./work 0.1
		refused "seccomp says $error to a user" 'seccomp filter.*so cpu-clock cannot' 'seccomp=unconfined' ./deny seccomp $error $user $record -e cpu-clock -- ./work 0.1
	}
done
refused "seccomp and -a" 'seccomp filter' 'seccomp=unconfined' ./deny seccomp 1 $record -a -- ./work 0.1
if [ "$(uname -m)" = x86_64 ]; then
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 refused "a kernel without perf events" 'without perf events' 'CONFIG_PERF_EVENTS' \
		./deny ptrace 38 $record -- ./work 0.1
fi

# Root that is none.
powerless="setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all"
if [ "$level" -ge 2 ]; then
	works "root without capabilities" 'user space only' $powerless $record -- ./work 0.2
	refused "root without capabilities, -a" 'to a root without CAP_PERFMON: kernel.perf_event_paranoid is' 'cap-add PERFMON' $powerless $record -a -- ./work 0.1
	works "an ordinary user" 'user space only' $user $record -- ./work 0.2
	refused "an ordinary user, -a" "not allowed: kernel.perf_event_paranoid is $level" 'paranoid=0' $user $record -a -- ./work 0.1
	refused "an ordinary user, -C" "not allowed: kernel.perf_event_paranoid is $level" 'paranoid=0' $user $record -C 0 -- ./work 0.1
	refused "an ordinary user, the kernel" "not allowed: kernel.perf_event_paranoid is $level" 'paranoid=1' $user $record -e cpu-clock:k -- ./work 0.1
	refused "an ordinary user, --all-kernel" "not allowed: kernel.perf_event_paranoid is $level" 'paranoid=1' $user $record --all-kernel -- ./work 0.1
fi
refused "another user's process" 'process 1 belongs to another user' 'sudo' $user $record -p 1
refused "another user's thread" '1 belongs to another user' 'sudo' $user $record -t 1
refused "another user" 'belongs to another user' 'sudo' $user $record -u root
if unshare -r true 2> /dev/null && [ "$level" -ge 2 ]; then
	works "in a user namespace" 'user space only' unshare -r $record -- ./work 0.2
	refused "in a user namespace, -a" 'inside a user namespace' 'outside of it' unshare -r $record -a -- ./work 0.1
	refused "in a user namespace, a process outside" 'outside of this user namespace' 'from there' unshare -r $record -p 1
fi

# Levels of kernel.perf_event_paranoid, by a file in its place: the kernel goes on by the true one.
private="unshare -m"
if $private true 2> /dev/null && [ "$level" -ge 2 ]; then
	for fake in 2 3 4; do
		echo $fake > paranoid
		place="mount --bind paranoid /proc/sys/kernel/perf_event_paranoid"
		works "level $fake, as Linux has it" "user space only: kernel.perf_event_paranoid is $fake .*paranoid=1" \
			$private sh -c "$place && exec $user $record -- ./work 0.2"
		refused "level $fake, -a" "paranoid is $fake" 'paranoid=0, or run with sudo' $private sh -c "$place && exec $user $record -a -- ./work 0.1"
		[ "$(uname -m)" = x86_64 ] && [ $fake -gt 2 ] || continue
		# Debian and Ubuntu refuse everything.
		ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 refused "level $fake, as Debian has it" \
			"recording cycles of this process is not allowed: kernel.perf_event_paranoid is $fake" \
			'paranoid=2, or run with sudo' $private sh -c "$place && exec $user ./deny ptrace 13 $record -- ./work 0.1"
	done
fi

# Without the file systems that tell about the system.
if $private true 2> /dev/null; then
	hidden="mount -t proc -o hidepid=2 proc /proc"
	$private sh -c "$hidden" 2> /dev/null &&
		refused "processes are hidden" '1 belongs to another user' 'sudo' $private sh -c "$hidden && exec $user $record -p 1"
	case $(cat "$KILN_BUILD/.configured-as" 2> /dev/null) in
	*sanitize*)
		n=$((n + 1))
		echo "ok $n - no /proc # SKIP the sanitizers want it"
		;;
	*)
		works "no /proc" '/proc is not mounted' $private sh -c "umount -l /proc && exec $record -e cpu-clock -- ./work 0.2"
		works "no /proc, -a" '/proc is not mounted' $private sh -c "umount -l /proc && exec $record -e cpu-clock -a -- ./work 0.2"
		refused "no /proc, -p" 'process 1 cannot be found: /proc is not mounted' 'mount -t proc' $private sh -c "umount -l /proc && exec $record -p 1"
		refused "no /proc, -u" '/proc is not mounted' 'mount -t proc' $private sh -c "umount -l /proc && exec $record -u root"
		;;
	esac
	works "no /sys" '' $private sh -c "umount -l /sys && exec $record -e cpu-clock -- ./work 0.2"
	works "no /sys, -a" '' $private sh -c "umount -l /sys && exec $record -e cpu-clock -a -- ./work 0.2"
	if [ -d /sys/kernel/tracing/events/sched ]; then
		refused "no tracefs" 'tracefs is not mounted' 'mount -t tracefs' $private sh -c "umount -l /sys && exec $record -e sched:sched_switch -a -- ./work 0.1"
		refused "no tracefs for a user" 'tracefs is not mounted' 'mount -t tracefs' \
			$private sh -c "umount -l /sys/kernel/tracing; umount -l /sys/kernel/debug 2> /dev/null; exec $user $record -e sched:sched_switch -- ./work 0.1"
		$private sh -c "umount -l /sys/kernel/tracing; umount -l /sys/kernel/debug; exec $record -q -e sched:sched_process_exit -- ./work 0.1" > log 2>&1 &&
			"$KILN" script -i k.data 2> /dev/null | grep -q sched_process_exit
		verdict $? "root mounts tracefs where it is missing"
	fi
fi

# Places that cannot be written.
refused_file() { # SENTENCE HINT FILE [PREFIX]
	refused "-o $3" "cannot create $3: $1" "$2" ${4:-} "$KILN" record -e cpu-clock:u -o "$3" -- ./work 0.1
}
mkdir closed
chmod 555 closed
refused_file 'No such file or directory' 'mkdir -p nowhere/' nowhere/k.data
refused_file 'Permission denied' 'name another file' closed/k.data "$user"
refused_file 'Is a directory' 'name another file' closed
refused_file 'Not a directory' 'name another file' work/k.data

# What sudo makes belongs to who called it.
owner() { stat -c %u:%g "$1"; }
SUDO_UID=54321 SUDO_GID=54322 $record -q -e cpu-clock -- ./work 0.05 > log 2>&1 && [ "$(owner k.data)" = 54321:54322 ]
verdict $? "the file belongs to the user of sudo"
SUDO_UID=54321 SUDO_GID=54322 "$KILN" record -q -e cpu-clock:u --call-graph dwarf --switch-output=64K -o s.data -- ./work 0.4 > log 2>&1 &&
	[ "$(ls s.data.* | wc -l)" -gt 1 ] && ! stat -c %u:%g s.data.* | grep -v '^54321:54322$'
verdict $? "so do all files of --switch-output"
: > theirs && chown 54329 theirs && SUDO_UID=54321 SUDO_GID=54322 "$KILN" record -q -e cpu-clock -o theirs -- ./work 0.05 > log 2>&1 &&
	[ "$(stat -c %u theirs)" = 54329 ]
verdict $? "a file that was somebody else's stays so"
SUDO_UID=x SUDO_GID=54322 $record -q -e cpu-clock -- ./work 0.05 > log 2>&1 && [ "$(owner k.data)" = 0:0 ]
verdict $? "nonsense in SUDO_UID changes nothing"
ln -s target link && SUDO_UID=54321 SUDO_GID=54322 "$KILN" record -q -e cpu-clock -o link -- ./work 0.05 > log 2>&1 &&
	[ "$(stat -c %u target)" = 0 ]
verdict $? "nothing is given away through a link"
[ "$(stat -c %a k.data)" = 600 ]
verdict $? "a recording is for its owner only"
echo "1..$n"
