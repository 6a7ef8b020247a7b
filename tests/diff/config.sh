#!/bin/bash
# kiln config against perf config: what is read, printed and written.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_perf
unset PERF_CONFIG
count=0
ok() { # STATUS WHAT
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; { cat difference; } | head -n 8 | sed 's/^/# /'; fi
}
same() { # WHAT OPTIONS...: text and the file that is left
	local what=$1 status
	shift
	cp .perfconfig before 2> /dev/null || rm -f before
	perf config "$@" > want 2> want.err
	status=$?
	cp .perfconfig want.file 2> /dev/null || : > want.file
	cp before .perfconfig 2> /dev/null || rm -f .perfconfig
	"$KILN" config "$@" > got 2> got.err
	[ $((status != 0)) = $(($? != 0)) ]
	local both=$?
	cp .perfconfig got.file 2> /dev/null || : > got.file
	{ diff want got && diff want.file got.file; } > difference && [ $both = 0 ]
	ok $? "$what"
}

same "nothing is set" -l
same "set one" report.children=false
same "show one" report.children
same "set several" call-graph.record-mode=lbr buildid.dir=/x report.percent-limit=3
same "list" -l
same "list without an option"
same "list the user's" --user -l
same "set and show" diff.order=2 diff.order
same "what is not set" foo.bar
same "no section" foo
same "no value" report.children=
same "no name of a section" .x=1
same "two files" --user --system -l
cat > .perfconfig << 'END_CONFIG'
# c
[report]
	children = false
	sort_order = dso,symbol   ; tail
	a = " quoted  # x " tail   two
	b = x\ty\\z\"q
	c = one \
   two
[Sec.Two "Sub"]
K-ey_1=v
[report]
	children = true
[empty]
[x]	y=1
END_CONFIG
same "comments, quotes, escapes" -l
for text in 'garbage' '[a]\nb\n' '[a]\nb = 1\n9x = 1\n' '[a b]\n' 'k = 1\n' '[a]\nb = "x\n' '[a]\nb = \\q\n' \
	'[a]\nb =\nc = \n d=#\n' '[a]\r\nb = c\r\n' '\xef\xbb\xbf[a]\nb = c'; do
	# shellcheck disable=SC2059 # it is a format
	printf "$text" > .perfconfig
	same "$text" -l
	grep -ho 'line [0-9]*' want.err | sort -u > want
	grep -ho 'line [0-9]*' got.err | sort -u > got
	diff want got > difference
	ok $? "which line is bad in $text"
done

# Settings mean what they mean to perf.
data=$KILN_SRC/tests/data
mkdir bin
ln -s "$KILN" bin/perf
setting() { # COMMAND-AND-OPTIONS SETTINGS...
	local command=$1
	shift
	printf '%s\n' "$@" > .perfconfig
	# shellcheck disable=SC2086 # words
	perf $command 2> /dev/null < /dev/null | grep -v '^# (' | sed '/^#*$/d' > want
	# shellcheck disable=SC2086 # words
	bin/perf $command 2> /dev/null < /dev/null | sed '/^#*$/d' > got
	diff want got > difference && [ -s want ]
	ok $? "$command with $*"
}
report="report --stdio --no-inline --symfs $data/symfs -i $data/fp.data"
setting "$report" "[report]" "children = false"
setting "$report -g none" "[report]" "children = true"
setting "$report" "[report]" "percent-limit = 35"
setting "$report -g none" "[report]" "sort_order = dso"
setting "$report -g none -s comm" "[report]" "sort_order = dso"
setting "$report --no-children -g" "[call-graph]" "threshold = 20"
setting "diff --symfs $data/symfs $data/fp.data $data/flat.data" "[diff]" "compute = ratio" "order = 0"
setting "diff -c delta --symfs $data/symfs $data/fp.data $data/flat.data" "[diff]" "compute = ratio"

printf '[buildid]\n\tdir = %s/other\n' "$PWD" > .perfconfig
echo 'int main(void) { return 0; }' > zero.c
"${CC:-cc}" -Wl,--build-id -o zero zero.c && perf buildid-cache -a ./zero
perf buildid-cache -l > want
"$KILN" buildid-cache -l > got
diff want got > difference && [ -s want ]
ok $? "buildid.dir"
echo "1..$count"
