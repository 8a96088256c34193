#!/bin/bash
# nvcosim convert.
# usage: NVCOSIM=build/nvcosim tests/cli/convert.sh
. "$(dirname "$0")/frame.sh"

nv convert good/good.cfg good.nvt.gz; check convert_cfg 0
nv convert good/good.cfg good.nvt; check convert_plain 0
nv convert good.nvt again.nvt; check convert_again 0
that convert_is_stable cmp -s good.nvt again.nvt
that convert_gzip_is_the_same sh -c 'zcat good.nvt.gz | cmp -s - good.nvt'
that convert_keeps_comments grep -q 'a layer that copies' good.nvt
nv convert --no-golden good/good.cfg bare.nvt; check convert_no_golden 0
nv run --dut model bare.nvt; check convert_without_goldens_runs 0 "PASS bare " "checks=2"
nv convert plain.txn plain.nvt; check convert_txn 0
nv run --dut model plain.nvt; check convert_keeps_config 0 "(full, model)"
nv convert good/good.cfg good.bin; check convert_suffix 2 "found 'good.bin', expected the name of the output to end in .nvt or .nvt.gz"
nv convert good/good.cfg; check convert_one_argument 2 "expected two arguments"
nv convert a b c; check convert_three_arguments 2 "found 'c', expected IN and OUT only"
nv convert broken/broken.cfg broken.nvt; check convert_bad_trace 2 "broken.cfg:31:"
that convert_leaves_nothing test ! -e broken.nvt
nv convert good/good.cfg nodir/x.nvt; check convert_bad_target 2 "nodir/x.nvt"

# Traces in the repository are what convert writes: converting one again gives its bytes, and so does the trace test that it was made
# from, with its goldens and register read-back, where that lies beside the project. One trace in ten.
cd "$ROOT" || exit 2
conformance=${NVDLA_CONFORMANCE:-../shared/conformance}
again=0 same=0 sources=0 equal=0 number=0
for trace in traces/conformance/*/*.nvt.gz; do
    [ $((number++ % 10)) = 0 ] || continue
    config=$(basename "$(dirname "$trace")") name=$(basename "$trace" .nvt.gz)
    again=$((again + 1))
    "$NVCOSIM" convert "$trace" "$WORK/own.nvt" && zcat "$trace" | cmp -s - "$WORK/own.nvt" && same=$((same + 1))
    [ -e "$conformance/$config/$name/$name.cfg" ] || continue
    sources=$((sources + 1))
    "$NVCOSIM" convert --config "$config" "$conformance/$config/$name" "$WORK/own.nvt" && zcat "$trace" | cmp -s - "$WORK/own.nvt" && equal=$((equal + 1))
done
that convert_gives_the_bytes_of_own_traces test "$again $same" = "$again $again" -a $again -gt 0
that convert_gives_own_traces_from_their_sources test $sources = $equal
cd "$WORK" || exit 2
finish
