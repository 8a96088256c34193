#!/bin/bash
# Plays traces of every engine under Icarus with the same C objects: four-state, so an X that reaches an AXI or CSB output while valid
# fails. The convolutions (features, pixels, a chain into PDP) go through CBUF, CMAC and CACC, CDP through both of its tables. Of full: BDMA,
# RUBIK, convolutions in FP16, with batches, compressed weights and pixels, SDP with EW and table, PDP in 16 bits, CDP in FP16.
# The memory has changes, for which the library starts Python.
#
# usage: icarus_smoke.sh BUILD [CONFIG]
set -u
build=$1 config=${2:-small}
. "$(dirname "$0")/frame.sh"
names=(sdp_000 pdp_001 cdp_003 dc_004 img_006 dc_pdp_009)
[ "$config" != full ] || names=(bdma_007 rubik_010 rubikp_002 dcfp_001 batch_000 comp_000 pix_001 lut_000 sdpe_004 pdpe_006 cdp_005)
for name in "${names[@]}"; do
    trace=traces/conformance/$config/rand_$name.nvt.gz
    NVCOSIM_ARGS="$trace --memory ddr4-2400,queue=16 --out $build/icarus-reports" vvp -n -M "$build" -m nvcosim_icarus "$build/icarus-$config.vvp" "+config=$config"
    check "$trace under Icarus" $?
done
finish
