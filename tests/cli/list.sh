#!/bin/bash
# kiln list: perf's groups, globs, JSON, files, and what -e then really takes.
set -u
fail() { echo "$*"; exit 1; }

"$KILN" list sw > sw.txt || fail "list sw: exit status $?"
grep -qE '^  context-switches OR cs {29}\[Software event\]' sw.txt || fail "layout: $(cat sw.txt)"
# A description for each software and hardware event.
for group in sw hw cache; do
	"$KILN" list "$group" > with.txt
	"$KILN" list --no-desc "$group" > without.txt
	[ "$(wc -l < with.txt)" = $((2 * $(wc -l < without.txt))) ] || fail "$group: not each event has a description"
done
"$KILN" list hw --no-desc | grep -qE '^  cpu-cycles OR cycles +\[Hardware event\]' || fail "no cycles in hw"
"$KILN" list cache --no-desc | grep -q '^  L1-dcache-load-misses ' || fail "no L1-dcache-load-misses in cache"
"$KILN" list fault --no-desc > fault.txt
grep -q '^  page-faults' fault.txt || fail "glob: $(cat fault.txt)"
grep '^  ' fault.txt | grep -qvi fault && fail "glob: $(cat fault.txt)"
"$KILN" list hw -v | grep -q 'not available' && { "$KILN" list hw -v | grep -q 'perf_event_open: ' || fail "-v does not say what the kernel said"; }
"$KILN" list --details sw | grep -q 'type=1,config=0x2' || fail "--details: no encoding"

for words in "" sw "hw cache" no-such-event; do
	# shellcheck disable=SC2086 # several words
	"$KILN" list -j --details $words > list.json 2> /dev/null || fail "list -j $words: exit status $?"
	if command -v python3 > /dev/null; then
		python3 - list.json <<- 'END' || fail "list -j $words is no valid JSON"
			import json, sys
			events = json.load(open(sys.argv[1]))
			assert isinstance(events, list)
			for e in events:
			    assert e["EventName"] and e["EventType"] and e["Encoding"]
			    assert isinstance(e["Available"], bool)
			    assert e["Available"] or e["Reason"]
			    # perf's keys and ours, perf's first and in its order
			    known = ["Unit", "Topic", "EventName", "EventAlias", "ScaleUnit", "EventType",
			             "BriefDescription", "Encoding", "Cpus", "Available", "Reason", "Limit", "Fields"]
			    assert list(e) == [k for k in known if k in e], list(e)
		END
	fi
done
"$KILN" list --unit no-such-pmu pmu | grep -q . && fail "--unit lets other PMUs through"
if [ -d /sys/bus/event_source/devices/msr ]; then
	"$KILN" list --unit 'M?R' -j pmu | grep -q '"Unit": "msr"' || fail "--unit: no msr"
fi
"$KILN" list FAULT --no-desc | cmp - fault.txt || fail "the case of a glob matters"
"$KILN" list no-such-event 2>&1 | grep -q 'no event matches no-such-event' || fail "nothing is said when nothing matches"
"$KILN" list metric 2>&1 | grep -q 'no metrics' || fail "list metric"
"$KILN" list -o out.txt sw > stdout.txt || fail "-o: exit status $?"
cmp out.txt sw.txt || fail "-o writes something else"
[ ! -s stdout.txt ] || fail "-o writes to standard output, too"
"$KILN" list -o sw.txt/x sw 2> err.txt && fail "-o to nowhere succeeds"
"$KILN" list --raw-dump sw | grep -qE '^([a-z_-]+ )*$' || fail "--raw-dump: $("$KILN" list --raw-dump sw)"
"$KILN" list --raw-dump -j 2> /dev/null && fail "--raw-dump -j"

# Whatever is listed can be written behind -e: the parser knows it (if the kernel may not).
for event in $("$KILN" list --no-desc hw sw cache pmu | awk '{ print $1 }'); do
	"$KILN" record -o x.data -e "$event,nonsense" -- true > log 2>&1 && fail "nonsense was recorded"
	grep -q 'no event "nonsense"' log || fail "$event is listed but not known: $(cat log)"
done

# Vendors' names, where there is libpfm4; which of them depends on the CPU.
"$KILN" list --no-desc pfm > pfm.txt 2> pfm.err
if ldconfig -p 2> /dev/null | grep -q 'libpfm\.so\.4' && ! grep -q 'is not there' pfm.err; then
	grep -E '^  ' pfm.txt | grep -vqE '^  [a-z0-9_]+::[^ ]+ +\[PFM event\]' && fail "list pfm: $(head pfm.txt)"
	grep -q '^  perf::' pfm.txt && fail "list pfm: the kernel's own names"
	"$KILN" list --no-desc 'perf::PERF_COUNT_SW_CPU_CL*' | grep -qE '^  perf::PERF_COUNT_SW_CPU_CLOCK +\[PFM event\]' ||
		fail "a PMU that is asked for: $("$KILN" list 'perf::*CLOCK*')"
	event=$(grep -v 'unit mask\|others\]' pfm.txt | awk 'NR == 1 { print $1 }')
	if [ -n "$event" ]; then
		"$KILN" record -o x.data -e "$event,nonsense" -- true > log 2>&1
		grep -q 'no event "nonsense"' log || fail "$event is listed but not known: $(cat log)"
		"$KILN" record -o x.data --pfm-events "$event" -e nonsense -- true > log 2>&1
		grep -q 'no event "nonsense"' log || fail "$event is listed but not known: $(cat log)"
	fi
	"$KILN" record -o x.data --pfm-events cs -- true > log 2>&1
	"$KILN" record -o x.data --pfm-events no-such-event -- true > log 2>&1 && fail "--pfm-events takes all names"
	grep -q 'in libpfm4' log || fail "--pfm-events: $(cat log)"
fi
# It is loaded only when a name is found nowhere else.
LD_DEBUG=libs "$KILN" record --dry-run -e cpu-clock:u -- true 2>&1 | grep libpfm && fail "libpfm4 is loaded for nothing"

if [ -r /sys/kernel/tracing/events/sched/sched_switch/format ]; then
	"$KILN" list 'sched:sched_switch' --details > tp.txt
	grep -q '^       char prev_comm\[16\]$' tp.txt || fail "fields of tracepoints: $(cat tp.txt)"
	"$KILN" list 'sched:sched_sw*' | grep -q '^  sched:sched_switch .*\[Tracepoint event\]' || fail "glob of tracepoints"
	"$KILN" list tracepoint | grep -q '^  sched:sched_switch' || fail "list tracepoint"
fi
exit 0
