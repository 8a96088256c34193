#!/bin/bash
# Plays a few traces of every kind on RTL and model, with the default and with a hostile memory. Takes seconds; conformance.sh plays all.
#
# usage: own.sh
. "$(dirname "$0")/play.sh"
own=(cdp_009 corner_007 dc_pdp_009 edge_group_004 edge_sdp_003 img_006 mixed_000 pdp_001 pdp_017 sdp_000 sdp_014 sdp_019 sdp_pdp_001)
own=("${own[@]/#/traces/conformance/small/rand_}")
own=("${own[@]/%/.nvt.gz}")
for setting in "" "--stall 400 --reorder --latency 77 --seed 5"; do
    # shellcheck disable=SC2086 # the options are words
    play "memory ${setting:-default}" --out build/own-reports $setting -- "${own[@]}"
done
finish
