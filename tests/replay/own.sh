#!/bin/bash
# Plays a few traces of every kind on RTL and model, twice: with the default memory and with a hostile one. Done in seconds;
# conformance.sh plays all.
set -u
own=(cdp_009 corner_007 dc_pdp_009 edge_group_004 edge_sdp_003 img_006 mixed_000 pdp_001 pdp_017 sdp_000 sdp_014 sdp_019 sdp_pdp_001)
own=("${own[@]/#/traces/conformance/small/rand_}")
own=("${own[@]/%/.nvt.gz}")
NVCOSIM=${NVCOSIM:-build/nvcosim}
passed=0 failed=0
for setting in "" "--stall 400 --reorder --latency 77 --seed 5"; do
    # shellcheck disable=SC2086 # the options are words
    out=$("$NVCOSIM" run -j "$(nproc)" --out build/own-reports $setting "${own[@]}" 2>&1)
    status=$?
    echo "$out"
    p=$(grep -c '^PASS' <<<"$out")
    f=$((${#own[@]} - p))
    [ $status -eq 0 ] || [ $f -gt 0 ] || f=1
    passed=$((passed + p)) failed=$((failed + f))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
