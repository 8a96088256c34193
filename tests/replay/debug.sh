#!/bin/bash
# nvcosim debug names the engine to blame. Faults are planted in a copy of the RTL (scripts/plant.py); of those that a list of traces notices, at
# least nine in ten must be named by their folder. The files that debug writes must exist and agree with its verdict.
#
# usage: debug.sh BUILD [full]     full: only the faults, those of tests/replay/planted_rtl.sh BUILD full
. "$(dirname "$0")/frame.sh"
build=$1 config=${2:-small}
dir=$build/tests/debug
[ "$config" = small ] || dir+=_$config
rm -rf "$dir" && mkdir -p "$dir"

# Of the planted faults that the traces notice: usage: faults TABLE TRACE...
faults() {
    tests/replay/planted_rtl.sh "$build" "$config" >"$dir/build.log" 2>&1
    check "faults are planted, and the copy is built" $?
    that "at least nine of ten faults are named by the folder they are in" tests/replay/debug_faults.py "$NVCOSIM" "$1" "$dir" "${@:2}"
}
if [ "$config" = full ]; then
    traces=()
    for name in multi_003 dcfp_001 wino_003 winop_001 batch_002 comp_001 img_003 pix_010 fused_002 sdp_003 sdpe_004 lut_002 pdp_001 pdpe_006 cdp_005 cdpe_003 \
        bdma_001 rubik_002 rubik_005 rubikp_002; do
        traces+=("traces/conformance/full/rand_$name.nvt.gz")
    done
    faults "$build/tests/planted_full/faults.json" "${traces[@]}"
    finish
    exit
fi
traces=()
for name in rand_mixed_000 rand_edge_cdp_000 rand_dc_pdp_000 rand_corner_000 rand_img_001 rand_pdp_001 rand_cdp_000 rand_corner_001; do
    traces+=("traces/conformance/small/$name.nvt.gz")
done

"$NVCOSIM" debug --out "$dir/out" "${traces[0]}" >"$dir/log" 2>&1
[ $? -eq 0 ] && grep -q '^PASS' "$dir/log" && [ ! -e "$dir/out/rand_mixed_000/wave.fst" ] && [ ! -e "$dir/out/rand_mixed_000/taps" ]
check "a trace that passes leaves neither waves nor streams" $?
ends "two traces are refused" 2 'traces, expected one' "$NVCOSIM" debug "${traces[@]:0:2}"
ends "the model alone is refused" 2 'RTL and model are compared' "$NVCOSIM" debug --dut model "${traces[0]}"

# Engines of full that have no streams.
"$NVCOSIM" run -q -j2 --stop-at-first --out "$dir/out" traces/conformance/full/rand_{bdma,rubik,rubikp}_00[0-4].nvt.gz >"$dir/log" 2>&1
check "BDMA and RUBIK: a run that stops at the first wrong beat finds none" $?

faults "$build/tests/planted/faults.json" "${traces[@]}"
finish
