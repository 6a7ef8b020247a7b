#!/bin/sh
# Help, man pages and completion come from the command tables: each command must have all of them.
set -eu

fail() { echo "$*"; exit 1; }

commands=$("$KILN" help | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
[ -n "$commands" ] || fail "kiln help lists no commands"

for command in $commands; do
	"$KILN" "$command" --help > help.txt || fail "$command --help: exit status $?"
	grep -q "^usage: kiln $command" help.txt || fail "$command --help has no usage line"
	"$KILN" help "$command" | cmp - help.txt || fail "help $command differs from $command --help"
	"$KILN" help --man "$command" > page.1
	grep -q '^\.TH "KILN' page.1 || fail "$command has no man page"
	! grep -nE '.{101,}' help.txt || fail "$command --help has a line of more than 100 columns"
	status=0
	"$KILN" "$command" --no-such-option 2> err.txt || status=$?
	[ $status = 129 ] || fail "$command --no-such-option: exit status $status, not 129"
	grep -q 'no-such-option' err.txt || fail "$command does not name the option it does not know"
done

"$KILN" help --completion bash > kiln.bash
for command in $commands; do
	grep -q "$command) words=" kiln.bash || fail "completion does not know $command"
done
bash -n kiln.bash
"$KILN" help --completion zsh > /dev/null
"$KILN" help --completion fish > /dev/null
! "$KILN" help --completion csh 2> err.txt || fail "completion for csh"

status=0
"$KILN" no-such-command 2> err.txt || status=$?
[ $status = 129 ] || fail "no-such-command: exit status $status, not 129"
grep -q 'no-such-command' err.txt || fail "the unknown command is not named"
"$KILN" --version | grep -q '^kiln version [0-9]' || fail "--version"
