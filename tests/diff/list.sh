#!/bin/bash
# kiln list shows what perf list does, in its words; beyond that what cannot be opened, marked.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf
need_sampling

ours() { "$KILN" list --no-desc "$@" 2> /dev/null | grep -v 'not available here' | sed 's/ \[user space only: .*\]$//'; }
pmu=
[ "$(id -u)" != 0 ] || pmu=pmu # perf does not try them, and others may not have all
for group in sw software hw cache $pmu 'sched:*' 'irq:*entry' 'nothing:*' fault; do
	perf list --no-desc "$group" 2> /dev/null | grep '^  ' | grep -v 'SDT event' > want
	ours "$group" | grep -v 'PFM event' > got
	cmp -s want got || { echo "list $group:"; diff want got | head; exit 1; }
done
perf list --raw-dump sw $pmu > want 2> /dev/null
"$KILN" list --raw-dump sw $pmu > got 2> /dev/null
# shellcheck disable=SC2046 # words
[ "$(printf '%s\n' $(cat want))" = "$(printf '%s\n' $(cat got))" ] || { diff want got; exit 1; }
exit 0
