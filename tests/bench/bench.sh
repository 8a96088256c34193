#!/bin/bash
# Measures the speed of the whole harness on the longest SDP trace, all figures from the same runs: simulated cycles per CPU second, the
# share of that time outside the evaluation of the Verilated design, VPI accesses per clock, and the time of the model. Plays each trace
# several times and prints minimum, median and maximum, because machines are noisy.
#
# usage: bench.sh BUILD [RUNS] [TRACE...]      default: 7 runs of that trace and of a convolution
set -u
build=$1
runs=${2:-7}
shift $(($# < 2 ? $# : 2))
# stand_in NAME OTHER: prints the path of the conformance trace of small; OTHER, and a warning, if it does not exist
stand_in() {
    tests/conformance_traces.sh small "$1" | grep . && return
    echo "WARNING: trace $1 is missing (set NVDLA_CONFORMANCE): measuring $2 instead. Its figures are NOT those of the trace that is judged." >&2
    echo "$2"
}
traces=("$@")
[ $# -gt 0 ] || traces=("$(stand_in sdp_4x1x8192_pass_through_int8_0 traces/conformance/small/rand_sdp_014.nvt.gz)"
    "$(stand_in dc_8x16x128_3x3x128x32_int8 traces/conformance/small/rand_dc_pdp_009.nvt.gz)")
mkdir -p "$build/bench"

for t in "${traces[@]}"; do
    echo "trace $t, $runs runs"
    results=$build/bench/results.jsonl
    : >"$results"
    for ((i = 0; i < runs; i++)); do
        "$build/nvcosim" run -q "$t" --stats --out "$build/bench" --results "$build/bench/one.jsonl" >"$build/bench/run.log" 2>&1 ||
            { echo "bench.sh: the run fails:" >&2; cat "$build/bench/run.log" >&2; exit 1; }
        cat "$build/bench/one.jsonl" >>"$results"
    done
    /usr/bin/python3 tests/bench/figures.py "$results"
done
