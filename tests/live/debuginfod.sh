#!/bin/bash
# Debug files from a server: a small one on this machine. Only when asked for, and once.
set -u
. "$KILN_SRC/tests/support/live.sh"
need_sampling
command -v python3 > /dev/null || skip "python3 is not installed"
ldconfig -p 2> /dev/null | grep -q libdebuginfod.so.1 || skip "libdebuginfod is not installed"
command -v objcopy > /dev/null || skip "objcopy is not installed"

cat > program.c << 'END'
volatile unsigned long sink;
static inline __attribute__((always_inline)) unsigned long inner(unsigned long x)
{
	for (int i = 0; i < 50; i++)
		x = x * 31 + (x >> 7);
	return x;
}
static __attribute__((noinline)) unsigned long hidden(unsigned long x)
{
	return inner(x) + x;
}
int main(void)
{
	for (unsigned long i = 0; i < 2000000; i++)
		sink += hidden(i);
	return 0;
}
END
"${CC:-cc}" -O2 -g -Wl,--build-id=sha1 -o full program.c || fail "cannot compile"
id=$(readelf -n full | sed -n 's/.*Build ID: //p')
mkdir -p "www/buildid/$id"
objcopy --only-keep-debug full "www/buildid/$id/debuginfo"
objcopy --strip-all full program
"$KILN" record -q -F 999 -g -e cpu-clock:u -o program.data -- ./program > log 2>&1 || skip "cannot record"

# A port of its own, which it tells.
cat > server.py << 'END'
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="www")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_address[1], flush=True)
server.serve_forever()
END
python3 server.py > port 2> requests &
server=$!
trap 'kill $server 2> /dev/null' EXIT
for _ in $(seq 50); do
	[ -s port ] && break
	sleep 0.1
done
[ -s port ] || skip "no server can be run here"
url=http://127.0.0.1:$(cat port)
export HOME=$PWD DEBUGINFOD_CACHE_PATH=$PWD/cache
unset DEBUGINFOD_URLS http_proxy https_proxy all_proxy

# Not unless asked for, whatever the environment says.
DEBUGINFOD_URLS=$url "$KILN" report -g none -s sym -i program.data > out 2> err || fail "report: $(cat err)"
! grep -q hidden out || fail "a stripped program has names"
[ ! -s requests ] || fail "a server was asked: $(cat requests)"

"$KILN" report -g none -s sym --debuginfod -i program.data > out 2> err && fail "--debuginfod without a server is no error"
grep -q 'no server to ask' err || fail "no word about the missing server: $(cat err)"

"$KILN" report -g none -s sym --debuginfod="$url" -i program.data > out 2> err || fail "report: $(cat err)"
grep -q '\[\.\] hidden' out || fail "no names from the server: $(cat out err requests)"
! grep -q 'no symbols for .*program' err || fail "the program is said to have no symbols: $(cat err)"
grep -q "GET /buildid/$id/debuginfo" requests || fail "how did the names get here?"
DEBUGINFOD_URLS=$url "$KILN" fold --debuginfod --inline -i program.data > out 2> err || fail "fold: $(cat err)"
grep -q ';hidden;inner_\[i\] ' out || fail "no inlined functions from the server: $(cat out err)"
[ "$(grep -c "GET /buildid/$id/debuginfo" requests)" = 1 ] || fail "it was downloaded again"

# What no server has is said once, and what can be shown is.
rm -rf www/buildid cache
"$KILN" script --debuginfod="$url" -i program.data > out 2> err || fail "script: $(cat err)"
[ -s out ] || fail "nothing is shown"
grep -q 'no server has its debug information' err || fail "nothing is said: $(cat err)"
