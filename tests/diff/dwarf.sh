#!/bin/bash
# The DWARF reader against addr2line and llvm-symbolizer: names, files, lines, columns and inline
# chains of random addresses. At every address kiln must agree with one of the two; the output says
# with how many each agrees. Known reasons why they differ, from binutils 2.40 and LLVM 14:
#   - addr2line loses the inline chains of clang's DWARF 5 (DW_FORM_rnglistx), of split units and of
#     files made by dwz, and knows no 64-bit DWARF 5: kiln agrees with llvm-symbolizer;
#   - addr2line names the innermost function of a chain by the symbol table when it has no linkage
#     name, though it is the outermost that the symbol is of: kiln agrees with llvm-symbolizer;
#   - functions folded into one by the linker: any of them is right.
# Where debug information has no linkage name for the concrete function, both take the symbol's; that
# is left to the caller of the reader. So is code without debug information.
# timeout: 600
set -u
at=$KILN_BUILD/tests/dwarf_at
src=$KILN_SRC/tests/diff/dwarf
for tool in addr2line llvm-symbolizer readelf; do
	command -v $tool > /dev/null || { echo "$tool is not installed"; exit 77; }
done
export LLVM_SYMBOLIZER_OPTS= ASAN_OPTIONS=detect_leaks=0

addresses() { # FILE COUNT: random ones of .text
	readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\]//' | awk -v count="$2" '
		function hex(s,   i, v) {
			for (i = 1; i <= length(s); i++)
				v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
			return v
		}
		$1 == ".text" {
			srand(1)
			for (i = 0; i < count; i++)
				printf "0x%x\n", hex($3) + int(rand() * hex($5))
			exit
		}'
}

# One line per address: address, then per frame name, file, line, column, each behind a tab.
frames() { # columns? 1: FILE:LINE:COLUMN, 0: FILE:LINE
	awk -v columns="$1" '
		function flush() { if (addr != "") print line; line = "" }
		/^0x[0-9a-f]+$/ { flush(); addr = $0; sub(/^0x0*/, "", addr); line = addr; name = ""; next }
		$0 == "" { next }
		name == "" { name = $0; next }
		{
			sub(/ \(discriminator [0-9]+\)$/, "")
			column = "-"
			if (columns) { column = $0; sub(/.*:/, "", column); sub(/:[0-9]*$/, "") }
			at = $0; sub(/.*:/, "", at); sub(/:[0-9?]*$/, "")
			line = line "\t" name "\t" $0 "\t" (at == "?" ? 0 : at) "\t" column
			name = ""
		}
		END { flush() }'
}

# kiln's, addr2line's and llvm-symbolizer's frames; prints what kiln shares with neither.
judge() {
	awk -F '\t' '
		# The symbol may name the concrete function: with an ending that tells a clone, with the
		# kind of a constructor, or altogether where debug information has only the plain name.
		function same_name(ours, theirs, last) {
			if (ours == theirs) return 1
			if (!last) return 0
			if (ours !~ /^_[ZR]/)
				return ours !~ /^[A-Za-z0-9_]+$/ || index(theirs, ours) || theirs == "MAIN__"
			sub(/\..*/, "", theirs); sub(/\..*/, "", ours)
			gsub(/D[0-2]E/, "D4E", theirs); gsub(/C[1-3]E/, "C4E", theirs)
			gsub(/D[0-2]E/, "D4E", ours); gsub(/C[1-3]E/, "C4E", ours)
			return ours == theirs
		}
		# ./ and ../ are left as they are by some and not by others.
		function path(p) {
			gsub(/\/\.\//, "/", p)
			while (sub(/\/[^\/.][^\/]*\/\.\.\//, "/", p));
			return p
		}
		function same(ours, theirs,   a, b, n, m, i) {
			n = split(ours, a, FS); m = split(theirs, b, FS)
			if (n == 5 && a[2] == "??" && a[3] == "??")
				return m == 5 && b[4] == 0 && b[3] !~ /^\//
			if (n != m) return 0
			for (i = 2; i <= n; i += 4) {
				if (!same_name(a[i], b[i], i + 3 == n)) return 0
				if (path(a[i + 1]) != path(b[i + 1]) || a[i + 2] != b[i + 2]) return 0
				if (b[i + 3] != "-" && a[i + 3] != b[i + 3]) return 0
			}
			return 1
		}
		FILENAME == "addr2line.frames" { gnu[FNR] = $0; next }
		FILENAME == "llvm.frames" { llvm[FNR] = $0; next }
		{
			total++
			a = same($0, gnu[FNR]); l = same($0, llvm[FNR])
			as_gnu += a; as_llvm += l
			if (NF > 5) inlined++
			if ($3 != "??") known++
			if (!a && !l && wrong++ < 3)
				printf "# kiln %s\n# addr2line %s\n# llvm %s\n", $0, gnu[FNR], llvm[FNR]
		}
		END {
			printf "# %d addresses, %d with lines, %d with inlined calls; as addr2line %d, as llvm-symbolizer %d, as neither %d\n",
				total, known, inlined, as_gnu, as_llvm, wrong
			exit wrong || !known
		}' addr2line.frames llvm.frames kiln.frames
}

n=0
verdict() { # STATUS NAME
	n=$((n + 1))
	[ "$1" = 0 ] && echo "ok $n - $2" || echo "not ok $n - $2"
}
skip_case() { # NAME REASON
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

compare() { # NAME FILE COUNT
	local status=0
	addresses "$2" "$3" > addrs
	addr2line -a -i -f -e "$2" < addrs | frames 0 > addr2line.frames
	llvm-symbolizer --no-demangle -a -i -f=linkage -e "$2" < addrs | frames 1 > llvm.frames
	"$at" "$2" < addrs > one || status=1
	"$at" -t 2 "$2" < addrs > many || status=1
	frames 1 < one > kiln.frames
	cmp one many || status=1
	judge || status=1
	verdict $status "$1"
}

compare "kiln itself" "$KILN" 10000

build() { # NAME COMPILER OPTION...
	local out=$1
	shift
	command -v "$1" > /dev/null || { skip_case "$out" "$1 is not installed"; return 1; }
	"$@" -o "$out" > log 2>&1 && return
	skip_case "$out" "does not build: $(head -n 1 log)"
	return 1
}

if build gcc5 g++ -std=c++17 -O3 -g -gdwarf-5 "$src/templates.cc"; then
	compare "C++, gcc, DWARF 5" ./gcc5 10000
fi
if build clang5 clang++ -std=c++17 -O3 -g -gdwarf-5 "$src/templates.cc"; then
	compare "C++, clang, DWARF 5" ./clang5 10000
fi
if build clang4 clang++ -std=c++17 -O2 -g -gdwarf-4 "$src/templates.cc"; then
	compare "C++, clang, DWARF 4" ./clang4 10000
fi
if build gcc4 g++ -std=c++17 -O2 -g -gdwarf-4 -fdebug-types-section "$src/templates.cc"; then
	compare "C++, gcc, DWARF 4 with type units" ./gcc4 3000
	if command -v dwz > /dev/null; then
		# Nobody else follows names into the shared file: what was known before must still be.
		cp gcc4 shared1
		cp gcc4 shared2
		if dwz -m "$PWD/shared.debug" shared1 shared2 2> log && [ -e shared.debug ]; then
			addresses gcc4 3000 > addrs
			"$at" gcc4 < addrs > before
			"$at" shared1 < addrs > after
			cmp before after
			verdict $? "a file that shares its debug information (dwz)"
		else
			skip_case "dwz" "dwz: $(head -n 1 log)"
		fi
	else
		skip_case "dwz" "dwz is not installed"
	fi
fi
# The tests have a home of their own; rustup keeps its compilers in the real one.
case $(command -v rustc) in
*/.cargo/bin/rustc) export RUSTUP_HOME=${RUSTUP_HOME:-$(dirname "$(command -v rustc)")/../../.rustup} ;;
esac
if build rust rustc -O -g "$src/iterators.rs"; then
	compare "Rust" ./rust 10000
fi
if build fortran gfortran -O1 -g "$src/nested.f90"; then
	compare "Fortran" ./fortran 1000
fi
cp "$src/lists.ml" . # its other products land beside the source
if build ocaml ocamlopt -g lists.ml; then
	compare "OCaml" ./ocaml 1000
fi
cp "$src/words.go" .
export GOFLAGS=-mod=mod GOCACHE=$PWD/go-cache GOTOOLCHAIN=local
if ! command -v go > /dev/null; then
	skip_case go "go is not installed"
elif go build -ldflags=-compressdwarf=false -o go-words words.go > log 2>&1; then
	compare "Go" ./go-words 3000
else
	skip_case go "does not build: $(head -n 1 log)"
fi
for version in 4 5; do
	if build "split$version" clang++ -std=c++17 -O2 -g -gdwarf-$version -gsplit-dwarf \
		"$src/templates.cc"; then
		compare "split units, DWARF $version" "./split$version" 3000
		if command -v llvm-dwp > /dev/null &&
			llvm-dwp -e "split$version" -o "split$version.dwp" 2> log; then
			rm -f ./*.dwo
			compare "a package of split units, DWARF $version" "./split$version" 3000
		else
			skip_case "package, DWARF $version" "llvm-dwp is not installed or fails"
		fi
	fi
done
echo "1..$n"
