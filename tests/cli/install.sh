#!/bin/sh
# make install puts the program, a man page per command and the completions where they belong.
set -eu

"$KILN_SRC/scripts/install" "$KILN" "$PWD/usr" > /dev/null
usr/bin/kiln version > /dev/null
count=$("$KILN" help | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' | wc -l)
set -- usr/share/man/man1/kiln-*.1
[ $# = "$count" ]
[ -s usr/share/bash-completion/completions/kiln ]
[ -s usr/share/zsh/site-functions/_kiln ]
[ -s usr/share/fish/vendor_completions.d/kiln.fish ]
