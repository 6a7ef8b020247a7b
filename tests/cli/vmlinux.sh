#!/bin/sh
# -k: names and lines of the kernel from its image, which lay elsewhere when it was recorded.
set -eu
fail() { echo "$*"; exit 1; }
command -v as > /dev/null && command -v ld > /dev/null || { echo "no assembler"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "the image is one of x86-64"; exit 77; }
data=$KILN_SRC/tests/data/system.data

# The kernel's build id in there.
id=db6f8d381dd5f673a9a1cbbfb2295f617368d91b

# An image that is all one function.
cat > kernel.s << 'END'
	.text
	.globl _text, made_up
	.type made_up, @function
_text:
made_up:
	nop
	.skip 0x2000000
	.size made_up, . - made_up
END
as --gdwarf-4 -o kernel.o kernel.s
link() { ld -Ttext=0xffffffff91000000 -e _text --build-id="$1" -o "$2" kernel.o; }
link 0x$id vmlinux
link 0x12345678 other
link none anonymous

line=$(grep -n 'nop' kernel.s | cut -d: -f1)
"$KILN" report -i "$data" -k vmlinux -g none -s sym > out 2> err || fail "report -k: $(cat err)"
grep -q '\[k\] made_up' out || fail "no name from the image: $(cat out err)"
"$KILN" report -i "$data" -k vmlinux -g none -s srcline > out 2> err || fail "report -s srcline: $(cat err)"
grep -q "kernel.s:$line" out || fail "no line from the image: $(cat out)"
"$KILN" script -i "$data" -k vmlinux 2> err | grep -q ' made_up+0x[0-9a-f]* (\[kernel' || fail "script -k"

# Another build's image is not used, nor one that may be.
for image in other anonymous nonexistent; do
	"$KILN" report -i "$data" -k $image -g none -s sym > out 2> err || fail "-k $image must be no error"
	grep -q "$image" err || fail "nothing is said about -k $image"
	! grep -q made_up out || fail "-k $image: its names are used"
done
