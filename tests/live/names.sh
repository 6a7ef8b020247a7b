#!/bin/bash
# Names as they are shown: demangled, raw, and with a function's clones merged.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling

cat > program.c << 'END'
volatile unsigned long sink;
#define SPIN(name, symbol) \
	__attribute__((noinline, used)) void name(void) __asm__(symbol); \
	void name(void) { for (unsigned long i = 0; i < 12000000; i++) sink += i; }
SPIN(cxx, "_ZN2ns4workIlEET_S1_")
SPIN(rust, "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE")
SPIN(rust0, "_RNvC6_123foo3bar")
SPIN(dlang, "_D3foo3barFiZv")
SPIN(ocaml4, "camlStdlib__List__map_123")
SPIN(ocaml5, "camlProf.build_477")
SPIN(whole, "_Z4taskv")
SPIN(cold, "_Z4taskv.cold")
SPIN(part, "_Z4taskv.part.0")
SPIN(alone, "lonely.constprop.0")
int main(void)
{
	cxx(); rust(); rust0(); dlang(); ocaml4(); ocaml5(); whole(); cold(); part(); alone();
	return 0;
}
END
"${CC:-cc}" -O1 -g0 -o program program.c || fail "cannot compile"
"$KILN" record -q -F 999 -g -e cpu-clock:u -o names.data -- ./program > log 2>&1 || skip "cannot record: $(tail -n 1 log)"

count=0
names() { "$KILN" report -g none -s sym --dsos program -i names.data "$@" 2> err | sed -n 's/^ .*\[\.\] //p'; }
expect() { # LABEL OPTIONS -- NAMES...: these are shown, each once, and no others of the program
	local label=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	count=$((count + 1))
	printf '%s\n' "$@" | sort > want
	names "${options[@]}" | grep -vE '^(_?dl_|_start|main$|0x|do_lookup|check_match|strcmp|__)' | sed 's/ *$//' | sort > got
	if cmp -s want got; then
		echo "ok - $label"
	else
		echo "not ok - $label"
		diff want got | sed 's/^/# /'
	fi
}

expect "demangled" -- 'ns::work<long>' core::fmt::Write::write_fmt 123foo::bar foo.bar Stdlib.List.map Prof.build \
	task task task lonely.constprop.0
expect "as in the file" --no-demangle -- _ZN2ns4workIlEET_S1_ _ZN4core3fmt5Write9write_fmt17h0123456789abcdefE \
	_RNvC6_123foo3bar _D3foo3barFiZv camlStdlib__List__map_123 camlProf.build_477 _Z4taskv _Z4taskv.cold \
	_Z4taskv.part.0 lonely.constprop.0
expect "clones merged" --merge-clones -- 'ns::work<long>' core::fmt::Write::write_fmt 123foo::bar foo.bar \
	Stdlib.List.map Prof.build task lonely
expect "raw" --raw --merge-clones -- _ZN2ns4workIlEET_S1_ _ZN4core3fmt5Write9write_fmt17h0123456789abcdefE \
	_RNvC6_123foo3bar _D3foo3barFiZv camlStdlib__List__map_123 camlProf.build_477 _Z4taskv _Z4taskv.cold \
	_Z4taskv.part.0 lonely.constprop.0

# Merged functions are one in every view.
count=$((count + 1))
if "$KILN" fold --merge-clones -i names.data 2> err | grep -q ';task ' &&
	! "$KILN" fold --merge-clones -i names.data 2> err | grep -qE 'clone|constprop' &&
	"$KILN" script --merge-clones -i names.data 2> err | grep -qE '^	 *[0-9a-f]+ task \('; then
	echo "ok - clones merged in fold and script"
else
	echo "not ok - clones merged in fold and script"
fi
echo "1..$count"
