#!/bin/bash
# nvcosim estimate and sweep: laws that agree with the RTL on random layers, wrong laws that do not, clocks of a network beside those of
# the RTL, published figures, configurations without an RTL, files that are written, and what is refused.
# usage: tests/replay/estimate.sh BUILD
set -u
B=$(realpath "${1:?usage: estimate.sh BUILD}")
ROOT=$(realpath "$(dirname "$0")/../..")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$ROOT" || exit 2
. tests/replay/frame.sh
log=$WORK/output
skipped=0
dc=${NVDLA_CONFORMANCE:-../shared/conformance}/small/dc_13x15x64_5x3x64x16_int8_0/dc_13x15x64_5x3x64x16_int8_0.cfg
trace=traces/conformance/small/rand_dc_000.nvt.gz
digits=traces/networks/digits/digits.nvdla

# near NAME PERCENT [CLOCKS]: the clocks of the only point of the sweep lie that close to those given, or measured.
near() {
    awk -F, -v most="$2" -v given="${3:-}" 'NR == 1 { for (i = 1; i <= NF; i++) behind[$i] = NF - i } # names have commas
        NR == 2 {
        clocks = $(NF - behind["clocks"])
        want = given ? given : $(NF - behind["measured_clocks"])
        error = want ? 100 * (clocks / want - 1) : 1e9
        printf "estimated %s, expected %s within %s %%: %.2f %%\n", clocks, want, most, error
        exit !(error <= most && error >= -most) }' "$WORK/sweep.csv" >"$WORK/output" 2>&1
    check "$1" $?
}

sweep() { "$B/nvcosim" sweep --csv "$WORK/sweep.csv" "$@" >"$WORK/output" 2>&1; }

# ---- laws ----
laws=$ROOT/csrc/estimate/laws.csv
fits() { ends "$1" "$2" "geometric mean" scripts/fit.py "$B" --check --count 4 --work "$WORK/fit" --mean 2 --worst 25 "${@:3}"; }
fits "the laws agree with the rtl" 0
sed 's/^\(csc_fill\|sdp_begin\|pdp_begin\|cdp_begin\),[0-9.]*/\1,300/' "$laws" >"$WORK/wrong.csv"
fits "wrong laws do not" 1 --laws "$WORK/wrong.csv"
grep -v '^cdp_begin' "$laws" >"$WORK/less.csv"
ends "a missing law" 2 "the law 'cdp_begin' is missing" "$B/nvcosim" estimate --laws "$WORK/less.csv" "$trace"
sed 's/^read,.*/read,many/' "$laws" >"$WORK/text.csv"
ends "a law without a number" 2 "text.csv:2: found 'read,many', expected" "$B/nvcosim" estimate --laws "$WORK/text.csv" "$trace"

# ---- layers that fill their rings: kept, compressed, of Winograd with strides ----
for layer in "mix 1005" "mix 1269" "conv 107010"; do
    "$B/nvcosim" gen -q --config full --engine "${layer% *}" --seed "${layer#* }" --count 1 --out "$WORK/rings"
done
ends "layers that fill their rings end" 0 "full_conv_107010" "$B/nvcosim" estimate --csv "$WORK/rings"/*.nvt.gz

# ---- networks beside the rtl, whose clocks are measured ----
for memory in latency=32 latency=200 ddr4-2400 ddr4-2400,in_flight=1 ddr4-2400,in_flight=8; do
    sweep --measure 1 --memory "$memory" "$digits"
    near "digits with $memory within 3 % of the rtl" 3
done
sweep --measure all traces/networks/zoo/digits_residual.tflite
near "digits_residual within 5 % of the rtl" 5

# ---- published figures: docs/estimate.md ----
/usr/bin/python3 tests/quantised/resnet.py 50 "$WORK/resnet50.tflite"
while read -r macs cbuf gbs frames; do
    sweep --plan --config "small,macs=$macs,cbuf=$cbuf" --memory "gbs=$gbs" "$WORK/resnet50.tflite"
    near "ResNet-50 of $macs multipliers within 15 % of the published frames" 15 \
        "$(awk -v f="$frames" 'BEGIN { print 1e9 / f }')"
done <<'POINTS'
2048 512K 20 269
1024 256K 15 153
512 256K 10 93
256 256K 5 46
128 256K 2 20
64 128K 1 7.3
32 128K 0.5 3.6
POINTS
sweep --memory zcu102 "$WORK/resnet50.tflite"
near "ResNet-50 of small on a ZCU102 within 7 %" 7 76150000
/usr/bin/python3 tests/loadable/cost.py "$B/nvcosim" estimate "$WORK/resnet50.tflite" >"$WORK/output"
tail -1 "$WORK/output" | awk '{ exit !($1 <= 4) }'
check "ResNet-50 is estimated in at most 4 seconds of processor time, 1.5 on a quiet machine" $?

while read -r latency clocks; do
    if [ ! -e "$dc" ]; then
        skipped=$((skipped + 1))
        continue
    fi
    sweep --memory "latency=$latency,reads=4" "$dc"
    near "dc_13x15x64 with a latency of $latency within 20 % of the published clocks" 20 "$clocks"
done <<'POINTS'
26 66400
66 96600
116 137300
POINTS

# ---- configurations and memories ----
ends "a trace with a latency" 0 "latency=32" "$B/nvcosim" estimate "$trace"
ends "several memories" 0 "lpddr4-3200" "$B/nvcosim" estimate --memory ddr4-2400 --memory lpddr4-3200 --csv "$trace"
ends "the clock is that of the memory" 0 "at 100 MHz" "$B/nvcosim" estimate --memory zcu102 "$trace"
ends "another configuration" 0 "small,macs=256,cbuf=256K" "$B/nvcosim" estimate --config small,macs=256,cbuf=256K \
    traces/networks/zoo/digits_conv.tflite
slower() { # NAME FEWER MORE: the second memory takes more clocks
    local clocks
    clocks=$("$B/nvcosim" estimate --memory "$2" --memory "$3" --csv "$trace" | awk -F, '$1 ~ /rand_dc/ { print $(NF - 6) }')
    echo "$clocks" >"$WORK/output"
    sort -n -u -c <<<"$clocks" 2>/dev/null && [ "$(wc -l <<<"$clocks")" = 2 ]
    check "$1" $?
}
slower "a longer latency takes longer" latency=32 latency=300
slower "less bandwidth takes longer" latency=32 latency=32,bandwidth=100
slower "fewer reads on their way take longer" latency=100 latency=100,reads=2
ends "other masters take bandwidth" 0 "rand_dc_000" "$B/nvcosim" estimate --memory ddr4-2400 --traffic rate=15000,outstanding=64 "$trace"

# ---- files ----
ends "a roofline" 0 "layers" "$B/nvcosim" estimate --roofline "$WORK/r.svg" "$digits"
/usr/bin/python3 -c "import sys, xml.dom.minidom as m; d = m.parse(sys.argv[1]); n = len(d.getElementsByTagName('circle')); sys.exit(n < 5)" "$WORK/r.svg"
check "its circles" $?
ends "a sweep" 0 "frames/s" "$B/nvcosim" sweep --memory latency=32 --memory gbs=1 --html "$WORK/s.html" "$digits" "$trace"
[ "$(grep -c '^<tr><td class="n">' "$WORK/s.html")" = 4 ]
check "its page has a row for each point" $?

# ---- what is refused ----
ends "no trace" 2 "no trace is given" "$B/nvcosim" estimate
ends "no such trace" 2 "missing.nvt" "$B/nvcosim" estimate missing.nvt
ends "no such memory" 2 "did you mean ddr4-2400" "$B/nvcosim" estimate --memory ddr4-2401 "$trace"
ends "no such plain memory" 2 "expected latency=N" "$B/nvcosim" estimate --memory latency=x "$trace"
ends "no such key" 2 "found 'mac', expected macs, cbuf" "$B/nvcosim" estimate --config small,mac=64 "$trace"
ends "no such number of multipliers" 2 "macs=63: expected 32, 64" "$B/nvcosim" estimate --config small,macs=63 "$digits"
ends "a compiled network keeps its atoms" 2 "was compiled for one configuration" "$B/nvcosim" estimate --config small,macs=256 "$digits"
ends "a plan of a trace" 2 "expected a quantised network" "$B/nvcosim" estimate --plan "$trace"
ends "no such point" 2 "expected a point from 1 to 1" "$B/nvcosim" sweep --measure 2 "$digits"
ends "a trace keeps its atoms" 2 "was compiled for one configuration" "$B/nvcosim" estimate --config small,atom=16,bus=128 "$trace"
ends "an array beyond all sizes" 2 "expected at most 1024" "$B/nvcosim" estimate --config small,c=65536,k=65536 "$digits"
ends "a measurement without an rtl" 2 "has no RTL" "$B/nvcosim" sweep --config small,banks=20 --measure 1 traces/networks/zoo/digits_conv.tflite
sed 's/^reg_write CACC.D_OP_ENABLE.*//' <(zcat "$trace") >"$WORK/never.nvt"
ends "a layer that does not end" 2 "SDP #0 does not end" "$B/nvcosim" estimate "$WORK/never.nvt"

echo "$passed passed, $failed failed$([ $skipped -eq 0 ] || echo ", $skipped skipped")"
[ $failed = 0 ]
