#!/bin/bash
# Plays two traces under Icarus with the same C objects: four-state, so an X that reaches an AXI or CSB output while valid fails.
#
# usage: icarus_smoke.sh BUILD
set -u
build=$1
passed=0 failed=0
for trace in traces/conformance/small/rand_sdp_000.nvt.gz traces/conformance/small/rand_pdp_001.nvt.gz; do
    if NVCOSIM_ARGS="$trace --out $build/icarus-reports" vvp -n -M "$build" -m nvcosim_icarus "$build/icarus-small.vvp"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
