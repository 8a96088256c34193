#!/bin/bash
# Speed of the whole harness on the longest SDP trace at hand, all figures from the same runs: simulated cycles per CPU second, the share
# of that time spent outside the Verilated design's own evaluation, VPI accesses per clock, and the model's time beside it.
# Runs several times and prints minimum, median and maximum: machines are noisy.
#
# usage: bench.sh BUILD [TRACE]
set -u
build=$1
trace=${2:-${NVDLA_CONFORMANCE:-../shared/conformance}/small/sdp_4x1x8192_pass_through_int8_0}
[ -e "$trace" ] || trace=traces/rand_sdp_014.nvt.gz
runs=7
echo "trace $trace, $runs runs"
for ((i = 0; i < runs; i++)); do
    "$build/nvcosim" run "$trace" --stats --out "$build/bench" || exit 1
done | awk '
    BEGIN { n = 0 }
    /cycles\/s/ {
        for (i = 1; i <= NF; i++) {
            if ($(i + 1) == "cycles/s,") speed[n] = $i
            if ($(i + 1) == "%" && $(i + 2) == "outside") share[n] = $i
            if ($i ~ /^\(/) ns[n] = substr($i, 2)
        }
        n++
    }
    /VPI:/ { vpi = $0 }
    function show(name, v, unit,   i, j, t) {
        for (i = 1; i < n; i++) for (j = i; j > 0 && v[j] + 0 < v[j - 1] + 0; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
        printf "  %-52s min %s  median %s  max %s %s\n", name, v[0], v[int(n / 2)], v[n - 1], unit
    }
    END {
        show("simulated cycles per CPU second", speed, "")
        show("outside the design'"'"'s evaluation", share, "%")
        show("outside the design'"'"'s evaluation, per clock", ns, "ns")
        print vpi " (a clock in which nothing moves has one)"
    }'
