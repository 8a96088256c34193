#!/bin/bash
# Element streams of RTL and model, recorded and compared element by element: equal on convolutions, SDP and PDP layers; and that
# another RTL's, whose memory traffic alone is heard, are recorded too.
#
# A convolution is followed from CDMA to SDP, places included, on direct and image layers, with reuse and chains.
#
# usage: taps.sh BUILD [TRACE...]   all traces of the convolution path: taps.sh build traces/conformance/small/*{dc,img,edge,mixed}*.nvt.gz
set -u
. "$(dirname "$0")/frame.sh"
build=$1
shift
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
[ $# -gt 0 ] || set -- traces/conformance/small/rand_{dc_007,img_003,img_011,edge_reuse_000,edge_post_001,mixed_002}.nvt.gz
conv='CDMA.CBUF_DAT CDMA.CBUF_WT CSC.CSC_DAT CSC.CSC_WT CMAC_A.CMAC_SUM CMAC_B.CMAC_SUM CACC.CACC_SAT'
for trace; do
    out=$("$NVCOSIM" run --taps "$dir" "$trace" 2>&1)
    status=$?
    missing=
    for tap in $conv; do
        grep -q "tap $tap: [0-9]* elements, RTL and model equal" <<<"$out" || missing+=" $tap"
    done
    grep -q 'tap CACC' <<<"$out" || missing= # no convolution
    [ $status -eq 0 ] && [ -z "$missing" ] && ! grep -q 'tap .*elements equal, then' <<<"$out"
    check "${trace##*/}: what passes from CDMA to SDP is equal (status $status)$missing" $? || echo "$out"
    grep -q 'CBUF: [1-9][0-9]* entries read, each as it was written' <<<"$out" || ! grep -q 'tap CACC' <<<"$out"
    check "${trace##*/}: CBUF gives back what was written" $? || echo "$out"
    rm -rf "${dir:?}/$(basename "${trace%.nvt.gz}")"
done
out=$("$NVCOSIM" run --taps /dev/null traces/conformance/small/rand_sdp_000.nvt.gz 2>&1)
[ $? -eq 2 ] && grep -q -- '--taps: /dev/null.*cannot create the directory' <<<"$out"
check "a folder that cannot be made is told" $?
finish
