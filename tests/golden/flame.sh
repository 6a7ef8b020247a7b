#!/bin/bash
# kiln flame: the boxes of a small graph, and hostile names, which have to stay text.
set -u
dir=$KILN_SRC/tests/golden/flame
n=0
result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

# What is between the opening and the closing tag of the frames.
boxes() {
	sed -n '/^<g id="frames"/,/^<\/g>$/p' "$1"
}
"$KILN" flame -i "$dir/small.folded" -o small.svg && boxes small.svg | diff "$dir/small.boxes" -
result $? "boxes"
"$KILN" flame --reverse --icicle --width 600 --colors java --hash --countname ms --nametype Code: \
	-i "$dir/small.folded" -o - > reverse.svg && boxes reverse.svg | diff "$dir/reverse.boxes" -
result $? "options"
"$KILN" flame -i "$dir/small.folded" -o again.svg && cmp small.svg again.svg
result $? "the same again"
"$KILN" flame -i "$KILN_SRC/tests/golden/fold/basic.txt" -o text.svg &&
	grep -q '<title>leaf (2,002,002 ns, 66.66%)</title>' text.svg
result $? "from perf script text"

data=$KILN_SRC/tests/data
"$KILN" flame --symfs "$data/symfs" -i "$data/inlined.data" -o inlined.svg &&
	grep '<title>mix (.*, inlined)</title>' inlined.svg | grep -q 'fill-opacity' &&
	grep '<title>leaf (' inlined.svg | grep -qv 'inlined)'
result $? "inlined functions are marked"
"$KILN" flame --no-inline --symfs "$data/symfs" -i "$data/inlined.data" -o inlined.svg && ! grep -q 'mix (' inlined.svg
result $? "inlined functions are left out"

"$KILN" flame --minwidth 500 -i "$dir/small.folded" -o pruned.svg 2> err &&
	grep -q '3 of 8 frames' err && grep -q '3 of 8 frames' pruned.svg
result $? "what is left out is told"

"$KILN" flame --title '<T>&' --subtitle ']]>' --fonttype '};x{' -i "$dir/hostile.folded" -o hostile.svg
result $? "hostile names"
[ "$(grep -c '<script' hostile.svg)" = 1 ] && ! grep -qE '<svg/|<T>|"onload' hostile.svg
result $? "no markup from names"

if command -v xmllint > /dev/null; then
	for file in small reverse text pruned hostile; do
		xmllint --noout --nonet "$file.svg"
		result $? "$file.svg is well-formed (xmllint)"
	done
elif command -v python3 > /dev/null; then
	for file in small reverse text pruned hostile; do
		python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$file.svg"
		result $? "$file.svg is well-formed (python3)"
	done
else
	n=$((n + 1))
	echo "ok $n - well-formed # SKIP neither xmllint nor python3"
fi

# The names as an XML parser reads them.
if command -v python3 > /dev/null; then
	python3 - hostile.svg << 'END'
import sys, xml.etree.ElementTree as tree
ns = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
names = [g.find(ns + "title").text.rsplit(" (", 1)[0] for g in root.find(f".//{ns}g[@id='frames']")]
for name in ["<script>alert(1)</script>", '"onload="alert(2)', "]]>", "&lt", "'><svg/onload=x>",
             "a\ufffdb\ufffd[31m", "\u00e4\u20ac", "\ufffdabc", ""]:
    assert name in names, (name, names)
tags = {e.tag.removeprefix(ns) for e in root.iter()}
assert tags == {"svg", "defs", "linearGradient", "stop", "style", "script", "rect", "text", "g", "title"}, tags
END
	result $? "names read back"
fi

! "$KILN" flame --colors nosuch -i "$dir/small.folded" -o x.svg 2> err && grep -q nosuch err && [ ! -e x.svg ]
result $? "unknown colours"
! "$KILN" flame --width nan -i "$dir/small.folded" -o x.svg 2> err && grep -q -- --width err
result $? "nonsense width"
! "$KILN" flame -i "$dir/small.folded" -o /dev/full 2> err && grep -q 'cannot write /dev/full' err
result $? "full disk"
echo "1..$n"
