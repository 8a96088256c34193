#!/bin/bash
# Element streams of RTL and model, recorded and compared element by element: equal on convolutions, SDP and PDP layers; and that
# another RTL's, whose memory traffic alone is heard, are recorded too.
#
# usage: taps.sh BUILD
set -u
. "$(dirname "$0")/frame.sh"
build=$1
dir=$build/tests/taps
rm -rf "$dir" && mkdir -p "$dir"
for trace in rand_dc_000 rand_dc_pdp_009 rand_sdp_000 rand_edge_group_004; do
    out=$("$NVCOSIM" run --taps "$dir" "traces/conformance/small/$trace.nvt.gz" 2>&1)
    status=$?
    taps=$(grep -c 'elements, RTL and model equal' <<<"$out")
    [ $status -eq 0 ] && [ "$taps" -gt 0 ] && ! grep -q 'tap .*elements equal, then' <<<"$out"
    check "$trace: $taps taps equal (status $status)" $? || echo "$out"
    [ -s "$dir/$trace/rtl/SDP.SDP_OUT.tap.gz" ] && [ -s "$dir/$trace/model/SDP.SDP_OUT.tap.gz" ]
    check "$trace: both have recorded SDP_OUT" $?
    [ -s "$dir/$trace/rtl/SDP.AXI_WRITE.1.tap.gz" ] || [ -s "$dir/$trace/rtl/PDP.AXI_WRITE.2.tap.gz" ]
    check "$trace: what reaches the memory is recorded" $?
done
grep -q 'CACC.CACC_SAT' <<<"$("$NVCOSIM" run --taps "$dir" traces/conformance/small/rand_dc_000.nvt.gz 2>&1)"
check "a convolution's results are among them" $?
out=$("$NVCOSIM" run --taps /dev/null traces/conformance/small/rand_sdp_000.nvt.gz 2>&1)
[ $? -eq 2 ] && grep -q -- '--taps: /dev/null.*cannot create the directory' <<<"$out"
check "a folder that cannot be made is told" $?
finish
