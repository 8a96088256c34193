#!/bin/bash
# Element streams of RTL and model, recorded and compared element by element: equal on layers of every engine, also as histograms. For another
# RTL, of which only the memory traffic is observed, they are recorded too. Differences are reported.
#
# A convolution is compared from CDMA to SDP, places included: direct and image layers, reuse and chains; for full with INT8, INT16 and FP16,
# Winograd, batches and compressed weights.
#
# usage: taps.sh BUILD [TRACE...]   without traces some of small, with NIGHTLY=1 of full too. All traces of the convolution path: taps.sh build traces/conformance/small/*{dc,img,edge,mixed}*.nvt.gz
. "$(dirname "$0")/frame.sh"
fresh "$1" taps
shift

# What the ports of the memory interface move is what the engines get and give. usage: both_sides REPORT
both_sides() {
    local same=0 clients=0 axi
    for axi in "$1"/taps/rtl/*.AXI_*.tap; do
        clients=$((clients + 1))
        "$NVCOSIM" diff "$axi" "${axi/AXI_/MIF_}" | grep -q 'elements equal$' && same=$((same + 1))
    done
    [ $clients -gt 0 ] && [ $same -eq $clients ]
    check "${1##*/}: $same of $clients clients get and give at their side what the ports move" $?
}

# Streams that small has not: the table of SDP, compressed weights.
more=small,ew=1,lut=1,compression=1
that "a simulator of $more with taps" make -s simulator "B=$build" CONFIG=$more VARIANT=taps OPT=-O0
"$NVCOSIM" gen -q --config $more --engine conv,sdp --seed 10 --out "$dir/drawn"
for trace in traces/conformance/small/rand_{dc_000,dc_pdp_009,sdp_000,sdp_pdp_001,pdp_001,cdp_003,edge_group_004,edge_align_002,mixed_000}.nvt.gz "$dir"/drawn/*; do
    out=$("$NVCOSIM" run --histogram --tap all --out "$dir" "$trace" 2>&1)
    status=$?
    taps=$(grep -c 'tap .*: [0-9]* elements equal$' <<<"$out")
    [ $status -eq 0 ] && [ "$taps" -gt 0 ] && ! grep -q 'tap .*elements equal, then\|has nothing of\|memory interface' <<<"$out"
    check "$trace: $taps taps equal (status $status)" $? || echo "$out"
    read -r equal all < <(sed -n "s/.*histograms of the RTL's streams: \([0-9]*\) of \([0-9]*\) equal.*/\1 \2/p" <<<"$out")
    [ "${all:-0}" -gt 0 ] && [ "$equal" = "$all" ]
    check "$trace: $equal of $all histograms of the RTL's streams are the model's" $? || echo "$out"
    both_sides "$dir/$(basename "$trace" .nvt.gz)"
done

# Every stream of the table is among those that were compared.
missing=
while read -r tap; do
    ls "$dir"/*/taps/rtl/*."$tap".tap "$dir"/*/taps/model/*."$tap".tap >"$dir/list" 2>&1 || missing+=" $tap"
done < <(sed 1d tb/streams.csv | cut -d, -f3 | sort -u | grep -v '^$')
that "all streams of tb/streams.csv are recorded on both sides" test -z "$missing" || echo "missing:$missing"

"$NVCOSIM" run --tap PDP,CDP --out "$dir/some" traces/conformance/small/rand_mixed_000.nvt.gz >"$dir/some.txt" 2>&1
check "streams of some units" $?
! find "$dir/some/rand_mixed_000/taps" -type f -printf '%f\n' | grep -v 'PDP\|CDP' && [ -s "$dir/some/rand_mixed_000/taps/model/CDP.LUT_OUT.tap" ]
check "only those are recorded" $?

# The same folders by nvcosim diff; another trace's differ.
out=$("$NVCOSIM" diff "$dir"/rand_mixed_000/taps/{rtl,model})
[ $? -eq 0 ] && [ "$(grep -c 'elements equal$' <<<"$out")" -gt 10 ] && grep -q '^only in .*rtl: .*SDP.AXI_WRITE.1' <<<"$out"
check "nvcosim diff compares folders" $? || echo "$out"
out=$("$NVCOSIM" diff "$dir"/{rand_sdp_000/taps/rtl,rand_mixed_000/taps/model}/SDP.SDP_OUT.tap)
[ $? -eq 1 ] && grep -q '^elements: [0-9]* elements equal, then launch [0-9]*, channel [0-9]*, y [0-9]*, x [0-9]*, cycle [0-9]*: A -\?[0-9]*, B -\?[0-9]*$' <<<"$out"
check "nvcosim diff names the first element that differs" $? || echo "$out"
ends "folders without streams are reported" 2 'found no element stream' "$NVCOSIM" diff "$dir" "$dir"

out=$("$NVCOSIM" run --dut rtl --histogram --tap SDP --out "$dir/rtl" traces/conformance/small/rand_sdp_000.nvt.gz 2>&1)
[ $? -eq 0 ] && grep -q '^SDP #0 SDP_OUT' "$dir/rtl/rand_sdp_000/report.txt"
check "histograms of an RTL alone" $? || echo "$out"
ends "a unit that does not exist is reported" 2 "--tap: found 'SPD', expected units such as" \
    "$NVCOSIM" run --tap SPD traces/conformance/small/rand_sdp_000.nvt.gz
mkdir -p "$dir/full/rand_sdp_000" && touch "$dir/full/rand_sdp_000/taps"
ends "a folder that cannot be made is reported" 2 'taps: .*/taps.*cannot create the directory' \
    "$NVCOSIM" run --tap SDP --out "$dir/full" traces/conformance/small/rand_sdp_000.nvt.gz

if [ $# -eq 0 ]; then
    set -- traces/conformance/small/rand_{dc_007,img_003,img_011,edge_reuse_000,edge_post_001,mixed_002}.nvt.gz
    [ -z "${NIGHTLY:-}" ] || set -- "$@" \
        traces/conformance/full/rand_{dc_000,dc_004,dcfp_001,img_003,pix_010,batch_002,batch_008,wino_000,wino_003,wino_005,comp_001,sdp_003,bdma_001,rubik_002}.nvt.gz
fi
conv='CDMA.CBUF_DAT CDMA.CBUF_WT CSC.CSC_DAT CSC.CSC_WT CMAC_A.CMAC_SUM CMAC_B.CMAC_SUM CACC.CACC_SAT'
for trace; do
    out=$("$NVCOSIM" run --tap all --out "$dir/conv" "$trace" 2>&1)
    status=$?
    missing=
    for tap in $conv; do
        grep -q "tap $tap: [0-9]* elements equal$" <<<"$out" || missing+=" $tap"
    done
    grep -q 'tap CACC' <<<"$out" || missing= # no convolution
    [ $status -eq 0 ] && [ -z "$missing" ] && ! grep -q 'tap .*elements equal, then\|memory interface' <<<"$out"
    check "${trace##*/}: what passes inside is equal (status $status)$missing" $? || echo "$out"
    both_sides "$dir/conv/$(basename "$trace" .nvt.gz)"
    grep -q 'CBUF: [1-9][0-9]* entries read, each as it was written' <<<"$out" || ! grep -q 'tap CACC' <<<"$out"
    check "${trace##*/}: CBUF gives back what was written" $? || echo "$out"
    rm -rf "$dir/conv"
done
finish
