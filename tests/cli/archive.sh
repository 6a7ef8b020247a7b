#!/bin/bash
# kiln archive: what it packs is found by build id elsewhere; what an archive says cannot write outside.
set -u
data=$KILN_SRC/tests/data
count=0
ok() { # STATUS WHAT
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; cat err out 2> /dev/null | head -n 8 | sed 's/^/# /'; fi
}

# A recording of a program that is here: its build id and path are those of the recorded file.
id=$("$KILN" buildid-list -H -i "$data/fp.data" | sed -n 's/^\([0-9a-f]\{40\}\) .*tiny$/\1/p')
path=$("$KILN" buildid-list -H -i "$data/fp.data" | sed -n 's/^[0-9a-f]\{40\} \(.*tiny\)$/\1/p')
[ -n "$id" ] || { echo "fp.data lists no build id"; exit 1; }
mkdir -p "cache$path/$id" "cache/.build-id/${id:0:2}"
cp "$data/symfs$path" "cache$path/$id/elf"
ln -s "../..$path/$id" "cache/.build-id/${id:0:2}/${id:2}"
cp "$data/fp.data" perf.data

"$KILN" --buildid-dir "$PWD/cache" archive > out 2> err
ok $? "archive"
grep -q '^\$ tar xvf perf.data.tar.gz -C ~/.debug$' out
ok $? "says what to do with it"
tar tzf perf.data.tar.gz > list 2> err && grep -qx "${path#/}/$id/elf" list && grep -qx ".build-id/${id:0:2}/${id:2}" list
ok $? "tar reads it"
mkdir by-tar && tar xzf perf.data.tar.gz -C by-tar 2> err && cmp -s "by-tar/.build-id/${id:0:2}/${id:2}/elf" "$data/symfs$path"
ok $? "tar unpacks it"
"$KILN" --buildid-dir by-tar report --stdio -g none > out 2> err && grep -q ' heavy$' out
ok $? "a report finds the symbols there"

"$KILN" --buildid-dir "$PWD/cache" archive --all -o all.tar.gz > out 2> err
ok $? "archive --all"
mkdir elsewhere
(cd elsewhere && "$KILN" --buildid-dir cache archive --unpack ../all.tar.gz > ../out 2> ../err)
ok $? "unpack"
cmp -s perf.data elsewhere/perf.data && diff -r cache elsewhere/cache > out
ok $? "all of it is there"
(cd elsewhere && ! "$KILN" --buildid-dir cache archive --unpack ../all.tar.gz > ../out 2> ../err)
ok $? "an existing recording is not overwritten"

long=$(printf 'd%.0s' $(seq 120))/$(printf 'e%.0s' $(seq 120))
mkdir -p "deep/$long/$id" && echo x > "deep/$long/$id/elf" && tar czf deep.tar.gz -C deep "$long/$id/elf"
"$KILN" --buildid-dir c2 archive --unpack deep.tar.gz > out 2> err && [ "$(cat "c2/$long/$id/elf")" = x ]
ok $? "long names"

hostile() { # WHAT ARCHIVE
	rm -rf victim outside
	mkdir victim outside
	(cd victim && "$KILN" --buildid-dir "$PWD/cache" archive --unpack "../$2" > ../out 2> ../err)
	[ $? = 1 ] && [ -z "$(find outside -type f)" ] && [ ! -e evil ] && [ ! -e victim/evil ]
	ok $? "$1"
}
echo evil > evil.txt
mkdir -p h/.build-id/ab
ln -s ../../../../outside "h/.build-id/ab/cdef0123"
ln -s /etc h/link
tar czPf up.tar.gz --transform 's,evil.txt,../../evil,' evil.txt
tar czPf absolute.tar.gz --transform "s,evil.txt,$PWD/evil," evil.txt
tar czf links.tar.gz -C h .build-id/ab/cdef0123
tar czf link.tar.gz -C h link
tar czPf inside.tar.gz --transform 's,evil.txt,.build-id/ab/cdef0123/elf,' evil.txt
mkfifo fifo && tar czf fifo.tar.gz fifo
head -c 300 all.tar.gz > cut.tar.gz
head -c 5000 /dev/urandom > noise.tar.gz
hostile "a name that leads up" up.tar.gz
hostile "an absolute name" absolute.tar.gz
hostile "a link that leads out" links.tar.gz
hostile "a link elsewhere" link.tar.gz
hostile "a file behind a link" inside.tar.gz
hostile "a pipe" fifo.tar.gz
hostile "an archive cut short" cut.tar.gz
hostile "no archive at all" noise.tar.gz
: > empty.tar.gz
hostile "an empty file" empty.tar.gz
! "$KILN" archive -i nothing.data > out 2> err && grep -q nothing.data err
ok $? "no such recording"
echo "1..$count"
