#!/bin/bash
# kiln kallsyms against perf kallsyms.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf
need_root
grep -q '^00* ' /proc/kallsyms && skip "the kernel does not tell its addresses"
end=$(awk '$3 == "_etext" { print $1 }' /proc/kallsyms)
# Behind the text perf finds nothing. Of several names of one address perf knows one.
mapfile -t names < <(awk -v end="$end" '$2 ~ /^[tT]$/ && $1 < end && NR % 997 == 1 { print $3 }' /proc/kallsyms)
perf kallsyms schedule "${names[@]}" no_such_function > want 2> /dev/null || fail "perf fails"
"$KILN" kallsyms schedule "${names[@]}" no_such_function > got || fail "kiln fails"
[ "$(wc -l < want)" -gt 20 ] || fail "only $(wc -l < want) symbols"
diff want got | head -n 10
cmp want got
