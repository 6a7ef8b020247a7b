#!/bin/bash
# Every command has a page whose option list is the program's own; links between the documents and
# file names in them lead somewhere.
set -u
cd "$KILN_SRC" || exit 1
status=0
# shellcheck disable=SC2016 # backticks of markdown
quoted_path='`(src|tests|docs|scripts|fuzz|bench|examples)/[A-Za-z0-9_./-]+`'
scripts/docs --check "$KILN" || status=1

for page in *.md docs/*.md; do
	# [text](target), targets inside the tree only
	while read -r target; do
		[ -e "$(dirname "$page")/${target%%#*}" ] || { echo "$page: no such file: $target"; status=1; }
	done < <(grep -oE '\]\([^)]+\)' "$page" | sed 's/^](//; s/)$//' | grep -vE '^(https?:|#)')
	# `path/with/slashes` of the tree; a word in capitals stands for any name
	while read -r path; do
		[ -e "$path" ] || { echo "$page: no such file: $path"; status=1; }
	done < <(grep -oE "$quoted_path" "$page" | tr -d '`' | grep -vE '[A-Z]{4}')
done
exit $status
