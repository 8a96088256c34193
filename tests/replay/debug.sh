#!/bin/bash
# nvcosim debug names the engine to blame. Faults are planted in a copy of the RTL (scripts/plant.py); of those that a list of traces notices, at
# least nine in ten must be named by their folder. The files that debug writes must exist and agree with its verdict.
#
# usage: debug.sh BUILD
set -u
. "$(dirname "$0")/frame.sh"
build=$1
dir=$build/tests/debug
rm -rf "$dir" && mkdir -p "$dir"
traces=()
for name in rand_mixed_000 rand_edge_cdp_000 rand_dc_pdp_000 rand_corner_000 rand_img_001 rand_pdp_001 rand_cdp_000 rand_corner_001; do
    traces+=("traces/conformance/small/$name.nvt.gz")
done

"$NVCOSIM" debug --out "$dir/out" "${traces[0]}" >"$dir/log" 2>&1
[ $? -eq 0 ] && grep -q '^PASS' "$dir/log" && [ ! -e "$dir/out/rand_mixed_000/wave.fst" ] && [ ! -e "$dir/out/rand_mixed_000/taps" ]
check "a trace that passes leaves neither waves nor streams" $?
"$NVCOSIM" debug "${traces[@]:0:2}" >"$dir/log" 2>&1
[ $? -eq 2 ] && grep -q 'traces, expected one' "$dir/log"
check "two traces are refused" $?
"$NVCOSIM" debug --dut model "${traces[0]}" >"$dir/log" 2>&1
[ $? -eq 2 ] && grep -q 'RTL and model are compared' "$dir/log"
check "the model alone is refused" $?

# Engines of full that have no streams.
"$NVCOSIM" run -q -j2 --stop-at-first --out "$dir/out" traces/conformance/full/rand_{bdma,rubik,rubikp}_00[0-4].nvt.gz >"$dir/log" 2>&1
check "BDMA and RUBIK: a run that stops at the first wrong beat finds none" $?

tests/replay/planted_rtl.sh "$build" >"$dir/build.log" 2>&1
check "faults are planted, and the copy is built" $?
tests/replay/debug_faults.py "$NVCOSIM" "$build/tests/planted/faults.json" "$dir" "${traces[@]}"
check "at least nine of ten faults are named by the folder they are in" $?
finish
