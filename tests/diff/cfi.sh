#!/bin/bash
# CFI tables against what readelf prints for the same files: every row.
# timeout: 300
set -u
. "$KILN_SRC/tests/support/live.sh"
command -v readelf > /dev/null || skip "readelf is not installed"
check=$KILN_BUILD/tests/cfi_check
[ -x "$check" ] || skip "cfi_check was not built"
# Older ones look for debug files of their own accord, and print those too.
readelf --help 2>&1 | grep -q 'do-not-follow-links' && follow=N || follow=

n=0
compare() { # NAME FILE [DEBUG-FILE]
	n=$((n + 1))
	if readelf "-w${follow}F" "${3:-$2}" 2> /dev/null | "$check" "$2" ${3:+"$3"} > out; then
		echo "ok $n - $1: $(tail -n 1 out)"
	else
		echo "not ok $n - $1"
		sed 's/^/# /' out
	fi
}

compare kiln "$KILN"
for lib in libc.so.6 libstdc++.so.6 libcrypto.so.3 libgmp.so.10 libpython3.11.so.1.0; do
	path=$(ldconfig -p 2> /dev/null | awk -v lib=$lib '$1 == lib && /x86-64|AArch64/ {print $NF; exit}')
	[ -n "$path" ] && compare $lib "$path"
done

# All of it in .debug_frame, in the file and apart from it.
cc=${CC:-cc}
if $cc -g -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -o plain "$KILN_SRC/examples/demo.c" &&
	cp plain apart && objcopy --only-keep-debug apart apart.debug && strip apart; then
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr plain
	objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr apart
	compare debug_frame ./plain
	compare debug_file ./apart ./apart.debug
	objcopy --compress-debug-sections=zlib-gnu apart.debug zdebug.debug && compare zdebug ./apart ./zdebug.debug
	objcopy --compress-debug-sections=zlib-gabi apart.debug packed.debug && compare packed ./apart ./packed.debug
fi

# The other CPU.
for cc in aarch64-linux-gnu-gcc "clang --target=aarch64-linux-gnu"; do
	$cc -O2 -mbranch-protection=standard -shared -nostdlib -fPIC -ffreestanding -o arm.so \
		-x c - 2> /dev/null << 'END' || continue
long use(long *, int);
long leaf(long a) { return a * 3; }
long walk(int n) { long v[n]; return use(v, n) + leaf(v[0]); }
long deep(int n) { return n ? deep(n - 1) + walk(n) * deep(n - 2) : 1; }
END
	compare arm64 ./arm.so
	break
done
echo "1..$n"
