# The one door for people. Meson does the building; see meson.build.
#
#   make            build/kiln
#   make demo       profile a small program, print a report, write a flame graph
#   make test       every test, with both compilers and with ASan+UBSan
#   make bench      kiln against perf and the FlameGraph scripts on a large profile
#   make asan       build-asan/kiln
#   make fuzz       every fuzzer for FUZZ_SECONDS (60) seconds
#   make robust     200 truncations and 10 000 byte flips of a perf.data
#   make format     clang-format over all sources
#   make install    into $(DESTDIR)$(PREFIX), with man pages and completion
#
# CC chooses the compiler (gcc, else clang). On Debian and Ubuntu, demo, test and bench install what
# is missing when run as root, and say so.

ifeq ($(origin CC),default)
CC := $(shell command -v gcc >/dev/null && echo gcc || { command -v clang >/dev/null && echo clang || echo gcc; })
endif
OTHER_CC := $(if $(findstring clang,$(notdir $(CC))),gcc,clang)

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
export FUZZ_SECONDS

all:
	@scripts/setup --check build
	@scripts/build build $(CC)

# Setting up comes first and may install the very compiler, so what follows is a make of its own.
demo:
	@scripts/setup build
	@$(MAKE) --no-print-directory all
	@examples/demo

test:
	@scripts/setup test
	@$(MAKE) --no-print-directory test-builds
	@tests/run $(TESTS)

test-builds:
	@scripts/build build $(CC)
	@scripts/build build-asan $(CC) -Db_sanitize=address,undefined -Db_lundef=false
	@if command -v $(OTHER_CC) >/dev/null; then \
		scripts/build build-other $(OTHER_CC); fi

asan:
	@scripts/setup --check build
	@scripts/build build-asan $(CC) -Db_sanitize=address,undefined -Db_lundef=false

bench:
	@scripts/setup bench
	@$(MAKE) --no-print-directory all
	@bench/run

fuzz:
	@scripts/setup test
	@scripts/build build-fuzz clang -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false
	@fuzz/run build-fuzz

robust: asan
	@tests/robust/run build-asan 200 10000

format:
	@git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format -i

install: all
	@scripts/install build/kiln "$(DESTDIR)$(PREFIX)"

clean:
	rm -rf build build-asan build-other build-fuzz

.PHONY: all demo test test-builds asan bench fuzz robust format install clean
