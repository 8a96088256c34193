#!/bin/bash
# libnvcosim, as someone uses it who has only the installed header, libraries and pkg-config: shared and static, C and C++, model and RTL.
#
# usage: library.sh BUILD
set -u
build=$(realpath "$1") root=$(realpath "$(dirname "$0")/../..")
cd "$(dirname "$0")/../.." || exit 2
make -s library B="${1%/}" >/dev/null || { echo "FAIL  make library"; exit 1; }
export PKG_CONFIG_PATH=$build/library LD_LIBRARY_PATH=$build/library
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/replay/frame.sh
log=$work/said
flags() { pkg-config --cflags --libs nvcosim; }
says() { # TEXT COMMAND...
    local text=$1
    shift
    "$@" 2>&1 | grep -qF -e "$text" || { "$@"; return 1; }
}
result="S_INTR_STATUS = 0x150001, result: 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40 42 44 46 48 50 52 54 56 58 60 62"
cp docs/live_example.c tests/live/library.c "$work"
cd "$work" || exit 2
# shellcheck disable=SC2046 # the flags are words
that "the example compiles" gcc -std=c17 -Wall -Wextra -Werror live_example.c -o example $(flags)
# shellcheck disable=SC2046
that "against the static library" gcc -std=c17 live_example.c -o static $(pkg-config --cflags nvcosim) "$build/library/libnvcosim.a" -ldl
# shellcheck disable=SC2046
that "the header is C++, too" g++ -Wall -Wextra -Werror -fsyntax-only -x c++ $(pkg-config --cflags nvcosim) - <<<'#include <nvcosim.h>'
# shellcheck disable=SC2046
that "the test compiles" gcc -std=c17 -D_GNU_SOURCE -Wall -Wextra -Werror library.c -o library $(flags)
that "example, model" says "$result" ./example
that "example, RTL" says "$result" ./example rtl
that "example, no such RTL" says "nvcosim" ./example rtl:nosuch
that "static, nvcosim in PATH" says "$result" env PATH="$build:$PATH" ./static
that "static, no nvcosim" says "nvcosim cannot be started: No such file or directory; expected it beside the library or in PATH" env PATH="$work" ./static
that "SONAME" says libnvcosim.so.0 readelf -d "$build/library/libnvcosim.so"
that "symbols have a version" says "nvcosim_open@@NVCOSIM_0" readelf -W --dyn-syms "$build/library/libnvcosim.so"
that "and no others are visible" test "$(nm -D --defined-only "$build/library/libnvcosim.so" | grep -vc ' A NVCOSIM_0\| nvcosim_\|T nvcosim')" = 0
that "no exit, no output" bash -c "! nm -D --undefined-only '$build/library/libnvcosim.so' | grep -wE 'exit|_exit|abort|printf|puts|fputs|fprintf'"
that "functions, model" ./library model
that "functions, RTL" ./library rtl
# kill -9 of the program in the middle of a layer: its device's process ends.
runs() { grep -q '^State:[[:space:]]*[^Z]' "/proc/$1/status" 2>/dev/null; } # PID; one that has ended may wait for init
killed() { # DUT
    local program device i
    for ((i = 0; i < 10; i++)); do
        ./library "$1" killed >device &
        program=$!
        while [ ! -s device ]; do sleep 0.02; done
        device=$(cat device)
        runs "$device" || return 1
        kill -KILL $program
        wait $program 2>/dev/null
        for ((try = 0; try < 1500; try++)); do
            runs "$device" || break
            sleep 0.02
        done
        ! runs "$device" || return 1
        : >device
    done
}
for dut in model rtl; do
    that "a killed program leaves no process, $dut" killed $dut
done
# Programs made from traces: one of each engine, a chain; and one whose CRC is wrong.
exported() { # TRACE
    # shellcheck disable=SC2046 # the flags are words
    "$build/nvcosim" export "$1" --to c -o t.c && gcc -std=c17 -D_POSIX_C_SOURCE=200809L -I"$root" -include "$root/tests/export/shim.h" t.c "$root/tests/live/exported.c" -o exported $(flags)
}
for name in rand_dc_001 rand_img_000 rand_sdp_000 rand_pdp_000 rand_cdp_000 rand_multi_000; do
    that "$name as a C program links against it" exported "$root/traces/conformance/small/$name.nvt.gz"
    for dut in model rtl; do
        that "$name as a C program, $dut" says "PASS checks=" ./exported $dut
    done
done
zcat "$root/traces/conformance/small/rand_sdp_003.nvt.gz" | sed 's/^\(mem_crc .*\) 0x[0-9a-f]* after/\1 0x12345678 after/' >wrong.nvt
that "a program with a wrong CRC links" exported wrong.nvt
that "and fails" says "CRC of primary memory" bash -c '! ./exported model'
finish
