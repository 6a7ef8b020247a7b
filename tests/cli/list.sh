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
grep '^  ' fault.txt | grep -qv fault && fail "glob: $(cat fault.txt)"
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
		END
	fi
done
"$KILN" list no-such-event 2>&1 | grep -q 'no event matches no-such-event' || fail "nothing is said when nothing matches"
"$KILN" list metric 2>&1 | grep -q 'no metrics' || fail "list metric"
"$KILN" list -o out.txt sw > stdout.txt || fail "-o: exit status $?"
cmp out.txt sw.txt || fail "-o writes something else"
[ ! -s stdout.txt ] || fail "-o writes to standard output, too"
"$KILN" list -o /nonexistent/x sw 2> err.txt && fail "-o to nowhere succeeds"
"$KILN" list --raw-dump sw | grep -qE '^([a-z_-]+ )*$' || fail "--raw-dump: $("$KILN" list --raw-dump sw)"
"$KILN" list --raw-dump -j 2> /dev/null && fail "--raw-dump -j"

# Whatever is listed can be written behind -e: the parser knows it (if the kernel may not).
for event in $("$KILN" list --no-desc hw sw cache pmu | awk '{ print $1 }'); do
	"$KILN" record -o x.data -e "$event,nonsense" -- true > log 2>&1 && fail "nonsense was recorded"
	grep -q 'no event "nonsense"' log || fail "$event is listed but not known: $(cat log)"
done

if [ -r /sys/kernel/tracing/events/sched/sched_switch/format ]; then
	"$KILN" list 'sched:sched_switch' --details > tp.txt
	grep -q '^       char prev_comm\[16\]$' tp.txt || fail "fields of tracepoints: $(cat tp.txt)"
	"$KILN" list 'sched:sched_sw*' | grep -q '^  sched:sched_switch .*\[Tracepoint event\]' || fail "glob of tracepoints"
	"$KILN" list tracepoint | grep -q '^  sched:sched_switch' || fail "list tracepoint"
fi
exit 0
