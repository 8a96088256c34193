#!/bin/bash
# Exports traces as C programs, compiles them with gcc and clang, runs them against the model and compares the outcome with that of
# `nvcosim run`: traces of every engine of small and full, one with a wrong golden too. Cross-compiles for riscv64 and arm.
#
# usage: NVCOSIM=build/nvcosim tests/export/programs.sh BUILD
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath "$1")
NVCOSIM=$(realpath "${NVCOSIM:-$build/nvcosim}")
make --no-print-directory "$1/tests/export_device" || { echo "0 passed, 1 failed"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/replay/frame.sh
judge() { # NAME STATUS EXPECTED [LOG [TEXT]]
    log=${4:-}
    [ "$2" = "$3" ] && { [ -z "${5:-}" ] || grep -qF -e "$5" "$4"; }
    check "$1: exit status $2, expected $3${5:+, with \"$5\"}" $?
}
warnings=(-std=c99 -Wall -Wextra -Werror -pedantic)
shim=(-fPIC -shared -D_POSIX_C_SOURCE=200809L -include tests/export/shim.h)

# One trace of each kind, the compilers in turn.
compilers=(gcc clang) number=0
for trace in traces/conformance/{small,full}/*_003.nvt.gz; do
    config=$(basename "$(dirname "$trace")") name=$(basename "$trace" .nvt.gz)
    compiler=${compilers[number++ % 2]}
    to=c; [ $((number % 3)) = 0 ] && to=uio
    arguments=(); [ $to = uio ] && arguments=(--uio "$work/window" --poll)
    truncate -s 256K "$work/window"
    "$NVCOSIM" export "$trace" --to $to -o "$work/t.c" >"$work/log" 2>&1 &&
        "$compiler" "${warnings[@]}" "${shim[@]}" "$work/t.c" -o "$work/t.so" >"$work/log" 2>&1 &&
        "$build/tests/export_device" "$work/t.so" "$trace" "$config" "${arguments[@]}" >"$work/log" 2>&1
    judge "$config/$name as $to by $compiler" $? 0 "$work/log" "program PASS, player PASS, memory equal"
done

# A wrong golden, and a wrong CRC: the program names the place in the trace.
trace=traces/conformance/small/rand_sdp_003.nvt.gz
zcat $trace | awk '/^mem_crc/ { sub("0x[0-9a-f]+ after", "0x12345678 after") } { print }' >"$work/crc.nvt"
line=$(grep -n '^mem_crc' "$work/crc.nvt" | head -n 1 | cut -d: -f1)
"$NVCOSIM" export "$work/crc.nvt" --to c -o "$work/t.c" && gcc "${warnings[@]}" "${shim[@]}" "$work/t.c" -o "$work/t.so"
"$build/tests/export_device" "$work/t.so" "$work/crc.nvt" small >"$work/log" 2>&1
judge "wrong CRC" $? 1 "$work/log" "crc.nvt:$line: CRC of primary memory"
zcat $trace | awk '/^blob .*golden/ { golden = 1 } golden && /^  [0-9a-f][0-9a-f][0-9a-f]/ { sub("^  ..", "  " (substr($1, 1, 2) == "5a" ? "5b" : "5a")); golden = 0 } { print }' >"$work/golden.nvt"
line=$(grep -n '^mem_check' "$work/golden.nvt" | head -n 1 | cut -d: -f1)
"$NVCOSIM" export "$work/golden.nvt" --to c -o "$work/t.c" && gcc "${warnings[@]}" "${shim[@]}" "$work/t.c" -o "$work/t.so"
"$build/tests/export_device" "$work/t.so" "$work/golden.nvt" small >"$work/log" 2>&1
judge "wrong golden" $? 1 "$work/log" "golden.nvt:$line: primary memory"

# Nothing moves: a wait is given up, and the place is named.
printf 'nvt 1\nconfig small\nmode sequential\npoll SDP.S_POINTER == 0x1\n' >"$work/hang.nvt"
"$NVCOSIM" export "$work/hang.nvt" --to c -o "$work/t.c" && gcc "${warnings[@]}" "${shim[@]}" "$work/t.c" -o "$work/t.so"
"$build/tests/export_device" "$work/t.so" "$work/hang.nvt" small >"$work/log" 2>&1
judge "given up" $? 1 "$work/log" "hang.nvt:4: gave up waiting for register"

# For other machines: without a library; the program's own entry is the only symbol that stays undefined. With one, for Linux.
trace=traces/conformance/full/rand_sdp_003.nvt.gz
"$NVCOSIM" export "$trace" --to c -o "$work/bare.c"
"$NVCOSIM" export "$trace" --to uio -o "$work/linux.c"
for machine in riscv64-linux-gnu arm-linux-gnueabihf; do
    if ! command -v $machine-gcc >/dev/null; then
        failed=$((failed + 1))
        echo "FAIL $machine-gcc is not installed; \`make setup\` installs what is missing"
        continue
    fi
    $machine-gcc "${warnings[@]}" -O2 -ffreestanding -fno-pic -c "$work/bare.c" -o "$work/bare.o" >"$work/log" 2>&1
    judge "bare metal, $machine" $? 0 "$work/log"
    $machine-nm -u "$work/bare.o" >"$work/log" 2>&1
    test ! -s "$work/log"
    judge "bare metal, $machine, needs no library" $? 0 "$work/log"
    $machine-gcc "${warnings[@]}" -O2 "$work/linux.c" -o "$work/linux" >"$work/log" 2>&1
    judge "Linux, $machine" $? 0 "$work/log"
done

# The Linux program for real, with files in place of devices.
trace=traces/conformance/small/rand_sdp_003.nvt.gz
"$NVCOSIM" export "$trace" --to uio -o "$work/linux.c"
gcc "${warnings[@]}" -O1 "$work/linux.c" -o "$work/linux" || exit 1
linux() { # NAME STATUS TEXT ARGUMENT...
    local name=$1 status=$2 text=$3
    shift 3
    "$work/linux" "$@" >"$work/log" 2>&1
    judge "Linux program, $name" $? "$status" "$work/log" "$text"
}
registers=$work/registers memory=$work/memory
linux help 0 "--mem PHYS:SIZE" --help
linux "no device" 2 "expected either --uio or --dev-mem"
linux "two devices" 2 "expected either --uio or --dev-mem" --uio "$registers" --dev-mem 0
linux "unknown option" 2 "found '--what'" --what
linux "missing device" 2 "$registers: cannot be opened: No such file" --uio "$registers"
linux "missing memory device" 2 "cannot be opened: No such file" --dev-mem 0x1000 --mem-device "$memory"
linux "bad base" 2 "--dev-mem: found 'x', expected a physical address" --dev-mem x
linux "bad memory" 2 "--mem: found '0x80000000', expected PHYS:SIZE" --uio "$registers" --mem 0x80000000
linux "bad time-out" 2 "--timeout: found '0'" --timeout 0
truncate -s 4K "$registers"
linux "small window" 2 "holds 0x1000 bytes, expected 0x40000" --uio "$registers"
linux "unaligned base" 2 "expected a multiple of the page size" --dev-mem 0x10 --mem-device "$registers"
linux "a device that cannot be mapped" 2 "cannot be mapped" --uio /dev/null --poll
truncate -s 256K "$registers"
linux "no memory" 2 "give --mem PHYS:SIZE[:ADDRESS]" --uio "$registers"
truncate -s 4K "$memory"
linux "memory too small" 2 "lies outside --mem, 0x1000 bytes at 0x1000" --uio "$registers" --mem 0:0x1000:0x1000 --mem-device "$memory"
# Registers that do not answer: writes arrive where they belong, memory is filled, then the first wait is given up.
truncate -s 2G "$memory"
linux "a dead device" 1 "gave up waiting" --uio "$registers" --poll --timeout 1 --mem 0:0x80000000:0x80000000 --mem-device "$memory"
read -r offset value < <(sed -nE 's:.*NVDLA_W\([0-9]+, [0-9]+, (0x[0-9a-f]+), (0x[0-9a-f]+)\) /. SDP_RDMA.D_SRC_BASE_ADDR_LOW.*:\1 \2:p' "$work/linux.c" | tail -n 1)
test "$(od -A n -t x4 -j $((offset)) -N 4 "$registers" | tr -d ' ')" = "$(printf '%08x' "$value")"
judge "Linux program, writes arrive" $? 0
truncate -s 256M "$registers" # each wait reads and writes a word of it
linux "interrupts that mean nothing" 1 "gave up waiting" --uio "$registers" --timeout 1 --mem 0:0x80000000:0x80000000 --mem-device "$memory"
finish
