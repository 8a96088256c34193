#!/bin/bash
# Speed of the whole harness on the longest SDP trace at hand, all figures from the same runs: simulated cycles per CPU second, the share
# of that time spent outside the Verilated design's own evaluation, VPI accesses per clock, and the model's time beside it.
# Runs several times and prints minimum, median and maximum: machines are noisy.
#
# usage: bench.sh BUILD [TRACE]
set -u
build=$1
trace=${2:-${NVDLA_CONFORMANCE:-../shared/conformance}/small/sdp_4x1x8192_pass_through_int8_0}
runs=7
# stand_in TRACE OTHER: prints TRACE; OTHER, and a warning, if it is not there
stand_in() {
    if [ -e "$1" ]; then echo "$1"; return; fi
    echo "WARNING: $1 is not there (set NVDLA_CONFORMANCE): measuring $2 instead. Its figures are NOT those of the trace that is judged." >&2
    echo "$2"
}
trace=$(stand_in "$trace" traces/conformance/small/rand_sdp_014.nvt.gz)
conv=${NVDLA_CONFORMANCE:-../shared/conformance}/small/dc_8x16x128_3x3x128x32_int8
conv=$(stand_in "$conv" traces/conformance/small/rand_dc_pdp_009.nvt.gz)
mkdir -p "$build/bench"

# spread UNIT: minimum, median and maximum of the numbers on standard input, and of how many runs they are if not of all.
spread() {
    sort -g | awk -v unit="$1" -v runs="$runs" '{ v[NR] = $1 }
        END {
            if (NR == 0) print "not measured: the runs are too short, or other programs disturbed them"
            else printf "min %s  median %s  max %s %s%s\n", v[1], v[int((NR + 1) / 2)], v[NR], unit, (NR < runs ? " (" NR " of " runs " runs)" : "")
        }'
}
# figure TITLE SED-EXPRESSION UNIT: from the output of all runs
figure() { printf '  %-50s %s\n' "$1" "$(sed -nE "$2" <<<"$out" | spread "$3")"; }

for t in "$trace" "$conv"; do
    echo "trace $t, $runs runs"
    out=
    for ((i = 0; i < runs; i++)); do
        out+=$("$build/nvcosim" run "$t" --stats --out "$build/bench" 2>/dev/null)$'\n' || exit 1
    done
    figure "simulated cycles per CPU second" 's:.* ([0-9]+) cycles/s.*:\1:p' ""
    figure "outside the design's evaluation" 's:.* ([0-9.]+) % outside.*:\1:p' "%"
    figure "outside the design's evaluation, per clock" 's:.*\(([0-9]+) ns a cycle.*:\1:p' "ns"
    figure "the model's layers" 's:.*model\: ([0-9.]+) ms CPU.*:\1:p' "ms"
    sed -n '/VPI:/{p;q}' <<<"$out"
done
