#!/bin/sh
# Every option of perf record (6.1) is there, or refused in a sentence with a hint.
set -u
fail() { echo "$*"; exit 1; }

"$KILN" record --help > help.txt || fail "no help"
for option in a/all-cpus b/branch-any B/no-buildid c/count C/cpu d/data D/delay e/event F/freq g G/cgroup \
	I/intr-regs i/no-inherit j/branch-filter k/clockid m/mmap-pages N/no-buildid-cache n/no-samples \
	o/output P/period p/pid q/quiet R/raw-samples r/realtime s/stat t/tid T/timestamp u/uid v/verbose \
	W/weight z/compression-level /affinity /aio /all-cgroups /all-kernel /all-user /buildid-all \
	/buildid-mmap /call-graph /code-page-size /control /data-page-size /dry-run /exclude-perf /filter \
	/group /kernel-callchains /max-size /mmap-flush /namespaces /no-bpf-event /no-buffering \
	/num-thread-synthesize /overwrite /per-thread /phys-data /proc-map-timeout /running-time /sample-cpu \
	/sample-identifier /strict-freq /switch-events /switch-max-files /switch-output /switch-output-event \
	/synth /tail-synthesize /threads /timestamp-boundary /timestamp-filename /transaction \
	/user-callchains /user-regs; do
	letter=${option%%/*} name=${option#"$letter"}
	[ -z "$letter" ] || grep -q "^  -$letter" help.txt || fail "there is no -$letter"
	[ -z "$name" ] || grep -q -- " --${name#/}" help.txt || fail "there is no --${name#/}"
done

refused() { # WORD OPTION...: refused in a sentence with that word, and a hint; nothing is written
	word=$1
	shift
	"$KILN" record "$@" -o x.data -- true > log 2>&1 && fail "$* was taken"
	grep -q "^kiln record: .*$word" log || fail "$*: $(cat log)"
	grep -q '^  hint: ' log || fail "$*: no hint: $(cat log)"
	[ ! -e x.data ] || fail "$*: left a file"
}
refused 'hardware traces' -S
refused 'hardware traces' --snapshot=e
refused 'hardware traces' --aux-sample
refused 'hardware traces' --aux-sample=4096
refused 'hardware traces' -m 16,16
refused 'copy of the kernel' --kcore
refused 'downloads none' --debuginfod
refused 'downloads none' --debuginfod=http://localhost
refused 'does not compile' --clang-path /usr/bin/clang
refused 'does not compile' --clang-opt -O2
refused 'does not compile' --vmlinux /boot/vmlinux
refused 'waiting times' --off-cpu

wrong() { # WORD OPTION...: a value that is none
	word=$1
	shift
	"$KILN" record "$@" -o x.data -- true > log 2>&1 && fail "$* was taken"
	grep -q -- "$word" log || fail "$*: $(cat log)"
}
wrong 'node and cpu' --affinity core
wrong 'task, mmap' --synth task,maps
wrong '1 to 99' -r 100
wrong '--mmap-flush wants' --mmap-flush 4x
wrong 'about one program' --latency -a
wrong '1 to 4' --aio=x
wrong 'one file' --aio --threads
wrong 'has no say' --threads --affinity cpu
wrong '--switch-output-event' --switch-output-event cpu-clok
exit 0
