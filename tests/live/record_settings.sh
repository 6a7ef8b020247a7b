#!/bin/bash
# The user's settings are defaults of record, and options win over them.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
export PERF_CONFIG=$PWD/config
expect() { # PATTERN OPTIONS...
	local pattern=$1
	shift
	"$KILN" record -q -e cpu-clock:u -o a.data "$@" -- true > log 2>&1 || fail "record $*: $(cat log)"
	"$KILN" evlist -v -i a.data > attr 2> /dev/null
	grep -qE "$pattern" attr || fail "record $* with $(tr '\n' ' ' < config): no $pattern in $(cat attr)"
}

printf '[call-graph]\nrecord-mode = dwarf\ndump-size = 4096\n' > config
expect 'sample_stack_user: 4096' -g
expect 'CALLCHAIN' --call-graph fp
"$KILN" evlist -v -i a.data | grep -q sample_stack_user && fail "--call-graph fp copies stacks"
expect 'sample_stack_user: 8192' --call-graph dwarf,8192
expect 'sample_type: [^C]*$' # settings alone record no stacks
printf '[record]\nbuild-id = nonsense\n' > config
expect 'IP'
grep -q 'record.build-id' log || fail "a wrong value is not said: $(cat log)"
exit 0
