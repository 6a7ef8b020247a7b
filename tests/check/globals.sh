#!/bin/bash
# Below cli nothing is writable for the life of the process, and nobody prints, ends the process or
# reads the environment: looks into the archives of every room.
#
# usage: tests/check/globals.sh [ARCHIVE...]     without one: $KILN_BUILD's, and a self-test
set -u

banned=$(echo "exit _exit _Exit quick_exit abort __assert_fail atexit
	printf vprintf fprintf vfprintf dprintf puts fputs putchar fputc putc fwrite perror
	__printf_chk __vprintf_chk __fprintf_chk __vfprintf_chk __dprintf_chk
	stdin stdout stderr err errx warn warnx syslog
	getenv secure_getenv setenv putenv environ __environ
	system popen" | tr -s "\n\t" " ")

# A child between fork and exec has no other way to end.
allowed() { # ROOM SYMBOL
	[ "$1/$2" = capture/_exit ]
}

# Writable sections with something in them. .data.rel.ro is written only by the loader.
writable_sections() { # ARCHIVE -> "member section"
	objdump -h "$1" | awk '
		/file format/ { member = $1; sub(/:$/, "", member) }
		$1 ~ /^[0-9]+$/ && $3 !~ /^0+$/ &&
		$2 ~ /^\.(data|bss|tdata|tbss|ldata|lbss)($|\.)/ && $2 !~ /^\.data\.rel\.ro/ { print member, $2 }'
}

names_in_section() { # ARCHIVE MEMBER SECTION
	objdump -t "$1" | awk -v member="$2" -v section="$3" '
		/file format/ { inside = $1 == member ":" }
		inside && $0 ~ " O " && index($0, " O " section "\t") { printf " %s", $NF }'
}

check_archive() { # ARCHIVE
	local bad=0 room member section symbol
	room=$(basename "$1" .a)
	room=${room#libkiln-}
	while read -r member section; do
		echo "$room: $member has writable data in $section:$(names_in_section "$1" "$member" "$section")"
		bad=1
	done < <(writable_sections "$1")
	while read -r symbol; do
		echo "$room: common symbol $symbol"
		bad=1
	done < <(nm "$1" 2>/dev/null | awk '$2 == "C" { print $3 }')
	for symbol in $(nm -u "$1" 2>/dev/null | awk '$1 == "U" { sub(/@.*/, "", $2); print $2 }' | sort -u); do
		case " $banned " in
		*" $symbol "*)
			allowed "$room" "$symbol" && continue
			echo "$room: $symbol is used by" \
				"$(nm -A -u "$1" 2>/dev/null | awk -v s="$symbol" '$NF == s { split($1, p, ":"); printf "%s ", p[2] }')"
			bad=1
			;;
		esac
	done
	return $bad
}

check_all() {
	local bad=0 archive
	for archive in "$@"; do
		check_archive "$archive" || bad=1
	done
	return $bad
}

# make_archive DIR NAME, source on stdin
make_archive() {
	cat > "$1/$2.c"
	"${CC:-gcc}" -O2 -fPIC -c -o "$1/$2.o" "$1/$2.c" && ar rcs "$1/libkiln-$2.a" "$1/$2.o"
}

self_test() {
	local dir bad=0 n=0 source
	dir=$(mktemp -d)
	make_archive "$dir" good <<-'C' || return 1
		#include <stdio.h>
		extern void use(const char *const *);
		static const char *const names[] = {"a", "b"};
		const int table[] = {1, 2, 3};
		void good(char *buf) { use(names); snprintf(buf, 3, "%d", table[buf[0]]); }
	C
	check_archive "$dir/libkiln-good.a" || { echo "self-test: a good archive is refused"; bad=1; }
	while read -r source; do
		n=$((n + 1))
		printf '#include <stdio.h>\n#include <stdlib.h>\n%s\n' "$source" | make_archive "$dir" "bad$n" || return 1
		if check_archive "$dir/libkiln-bad$n.a" > /dev/null; then
			echo "self-test: passes: $source"
			bad=1
		fi
	done <<-'CASES'
		int counter; int next(void) { return counter++; }
		static int counter = 7; int next(void) { return counter++; }
		int next(void) { static int n; return n++; }
		_Thread_local int counter; int next(void) { return counter++; }
		const char *name = "x"; void set(const char *s) { name = s; }
		void stop(void) { exit(1); }
		void stop(void) { abort(); }
		void say(int n) { printf("%d\n", n); }
		void say(void) { puts("x"); }
		void say(int n) { fprintf(stderr, "%d\n", n); }
		const char *home(void) { return getenv("HOME"); }
	CASES
	rm -rf "$dir"
	return $bad
}

if [ $# -gt 0 ]; then
	check_all "$@"
	exit
fi
archives=$(ls "$KILN_BUILD"/src/libkiln-*.a)
[ -n "$archives" ] || { echo "no archives in $KILN_BUILD/src"; exit 1; }
# shellcheck disable=SC2086 # a list of files
self_test && check_all $archives
