# For live and differential tests: what the machine allows, and a program to record.
# shellcheck shell=sh

skip() { echo "$*"; exit 77; }
fail() { echo "$*"; exit 1; }

# perf's texts change from version to version (widths, addresses, which warnings); the ones kiln is
# held to are those of 6.1, the perf of Debian 12.
need_perf() {
	command -v perf > /dev/null || skip "perf is not installed"
	version=$(perf --version | sed 's/^perf version //')
	case $version in
	6.1 | 6.1.*) ;;
	*) skip "perf is $version: its texts differ from those of 6.1" ;;
	esac
}
# Programs with another root than ours have other files under the same names. perf takes one for the
# other, so its names cannot be the measure while such programs run.
others_have_other_files() {
	ours=$(readlink /proc/self/ns/mnt)
	for process in /proc/[0-9]*; do
		readlink "$process/exe" > /dev/null 2>&1 || continue # a thread of the kernel
		root=$(readlink "$process/root" 2> /dev/null) || continue
		space=$(readlink "$process/ns/mnt" 2> /dev/null) || continue
		[ "$root" = / ] && [ "$space" = "$ours" ] || return 0
	done
	return 1
}
need_root() { [ "$(id -u)" = 0 ] || skip "needs root"; }

need_tracefs() {
	[ -r /sys/kernel/tracing/events/sched/sched_switch/id ] || skip "tracefs is not readable"
}

# Can this user sample its own programs at all?
need_sampling() {
	if [ "$(id -u)" != 0 ]; then
		level=$(cat /proc/sys/kernel/perf_event_paranoid 2> /dev/null || echo 99)
		[ "$level" -le 2 ] || skip "perf_event_paranoid is $level: an ordinary user may not record"
	fi
	"$KILN" record -q -e cpu-clock:u -o probe.data -- true > probe.out 2>&1 && return
	grep -qiE 'perf_event_open|not permitted|not allowed|permission|paranoid|ENOSYS|not implemented' probe.out &&
		skip "recording is not possible here: $(head -n 1 probe.out)"
	fail "kiln record fails: $(cat probe.out)"
}

# An ordinary user whom nobody else is: locked memory is counted by user, so that tests which run at
# the same time under one name would take it away from each other.
# shellcheck disable=SC2034 # for the tests
plain_user="setpriv --reuid $((70000 + $$ % 50000)) --regid 65534 --clear-groups"

# workload SECONDS-OF-WORK: makes ./work, a small program with a known call tree.
make_workload() {
	"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -fno-inline -o work "$KILN_SRC/examples/demo.c" ||
		fail "cannot compile the workload"
}
