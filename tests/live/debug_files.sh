#!/bin/bash
# once
# Debug information in all the places and forms it is kept in: each time the inlined functions and the
# lines of one program must be found.
# timeout: 200
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
command -v objcopy > /dev/null || skip "objcopy is not installed"

cat > program.c << 'END'
#include <stdlib.h>
volatile unsigned long sink;
static inline __attribute__((always_inline)) unsigned long inner(unsigned long x)
{
	for (int i = 0; i < 50; i++)
		x = x * 31 + (x >> 7);
	return x;
}
static inline __attribute__((always_inline)) unsigned long outer(unsigned long x)
{
	return inner(x) ^ 1;
}
__attribute__((noinline)) unsigned long leaf(unsigned long x)
{
	return outer(x) + x;
}
int main(void)
{
	for (unsigned long i = 0; i < 2000000; i++)
		sink += leaf(i);
	return 0;
}
END
cc=${CC:-cc}
home=$PWD/bin
mkdir -p bin full roots
count=0

record() { # DATA: of bin/program
	"$KILN" record -q -F 999 -g -e cpu-clock:u -o "$1" -- "$home/program" > log 2>&1 ||
		skip "cannot record: $(tail -n 1 log)"
}

# All but what a damaged or missing file would give: the chain, and the hot line.
expect() { # LABEL DATA ROOT
	count=$((count + 1))
	"$KILN" fold --inline --symfs "$3" -i "$2" > folded 2> err
	"$KILN" report -g none -s srcline --symfs "$3" -i "$2" > lines 2>> err
	if grep -q ';leaf;outer_\[i\];inner_\[i\] ' folded && grep -q '% *program.c:6' lines; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		{ head -n 5 err; head -n 5 folded; grep -v '^#' lines | head -n 5; } | sed 's/^/# /'
	fi
}
skip_one() { count=$((count + 1)); echo "ok - $1 # SKIP $2"; }

root() { # NAME: an empty tree for --symfs
	root=$PWD/roots/$1
	mkdir -p "$root$home"
}

# --- one program, its debug information moved about ---------------------------------------------
"$cc" -O2 -g -Wl,--build-id=sha1 -o bin/program program.c || fail "cannot compile"
record program.data
cp bin/program full/program
objcopy --only-keep-debug full/program full/program.debug
objcopy --strip-debug full/program full/stripped
objcopy --strip-all full/program full/bare
id=$(readelf -n full/program | sed -n 's/.*Build ID: //p')

root plain
cp full/program "$root$home/program"
expect "in the program" program.data "$root"

root build-id
mkdir -p "$root/usr/lib/debug/.build-id/${id:0:2}"
cp full/program.debug "$root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
cp full/bare "$root$home/program"
expect "by build id" program.data "$root"

for place in "$home" "$home/.debug" "/usr/lib/debug$home"; do
	root "link${place//\//-}"
	mkdir -p "$root$place"
	cp full/program.debug "$root$place/linked.debug"
	(cd "$root$place" && objcopy --add-gnu-debuglink=linked.debug "$OLDPWD/full/stripped" "$root$home/program")
	expect "by debug link in $place" program.data "$root"
done

for kind in zlib zlib-gnu zstd; do
	root "$kind"
	if objcopy --compress-debug-sections=$kind full/program "$root$home/program" 2> /dev/null; then
		expect "compressed with $kind" program.data "$root"
	else
		skip_one "compressed with $kind" "objcopy cannot do it"
	fi
done

if command -v dwz > /dev/null; then
	root dwz
	mkdir -p "$root$home/.dwz"
	cp full/program "$root$home/program"
	cp full/program "$root$home/other"
	(cd "$root$home" && dwz -m .dwz/common -M .dwz/common program other) > dwz.log 2>&1
	if readelf -SW "$root$home/program" | grep -q gnu_debugaltlink; then
		expect "shared by dwz" program.data "$root"
	else
		skip_one "shared by dwz" "dwz found nothing to share"
	fi
else
	skip_one "shared by dwz" "dwz is not installed"
fi

# The debug file of another build must not be used.
root other-build
"$cc" -O2 -g -DOTHER -Wl,--build-id=0x1234567890 -o "$root$home/program" program.c
count=$((count + 1))
"$KILN" fold --inline --symfs "$root" -i program.data > folded 2> err
if grep -q inner folded || ! grep -q 'is not the file that was recorded' err; then
	echo "not ok - another build"
	head -n 5 folded err | sed 's/^/# /'
else
	echo "ok - another build"
fi

# --- other compilers' forms -----------------------------------------------------------------------
for options in "-gdwarf-3 -gstrict-dwarf" -gdwarf-4 -gdwarf-5 "-gdwarf-5 -gdwarf64" "-g -fdebug-types-section" \
	"-g -ffunction-sections" -g1; do
	# shellcheck disable=SC2086 # several words
	if "$cc" -O2 $options -o bin/program program.c 2> /dev/null; then
		record form.data
		expect "compiled with $options" form.data ""
	else
		skip_one "compiled with $options" "not known to $cc"
	fi
done

mkdir -p split
for version in 4 5; do
	if ! (cd split && "$cc" -O2 -gdwarf-$version -gsplit-dwarf -c ../program.c) 2> /dev/null ||
		! "$cc" -o bin/program split/program.o || [ ! -e split/program.dwo ]; then
		skip_one "split, version $version" "not known to $cc"
		continue
	fi
	record split.data
	expect "split, version $version" split.data ""
	mv split/program.dwo bin/
	expect "split, version $version, moved beside the program" split.data ""
	mv bin/program.dwo split/
	for tool in dwp llvm-dwp; do
		rm -f bin/program.dwp
		# Old ones crash on version 5, or never end.
		if (cd split && timeout 5 "$tool" -e ../bin/program -o ../bin/program.dwp) 2> /dev/null &&
			[ -e bin/program.dwp ]; then
			mv split/program.dwo split/hidden
			expect "packed by $tool, version $version" split.data ""
			mv split/hidden split/program.dwo
		else
			skip_one "packed by $tool, version $version" "it cannot, or is not installed"
		fi
	done
	rm -f bin/program.dwp
done
echo "1..$count"
