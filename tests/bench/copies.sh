#!/bin/bash
# What copies of the simulator cost (csrc/replay/copies.h): a trace of a million cycles with and without them by turns, and the ratio of
# the CPU times of the whole processes, the copies' own included.
#
# usage: copies.sh BUILD [RUNS]
set -u
build=$1
runs=${2:-7}
mkdir -p "$build/bench"
trace=$build/bench/long.nvt
python3 tests/replay/long_trace.py traces/conformance/small/rand_dc_019.nvt.gz 160 "$trace" || exit 1
: >"$build/bench/plain.jsonl"
: >"$build/bench/copies.jsonl"
for ((i = 0; i < runs; i++)); do
    for kind in plain copies; do
        options=(--dut rtl)
        [ $kind = plain ] || options+=(--copies)
        "$build/nvcosim" run -q "${options[@]}" "$trace" --out "$build/bench" --results "$build/bench/one.jsonl" >"$build/bench/run.log" 2>&1 ||
            { echo "copies.sh: the run fails:" >&2; cat "$build/bench/run.log" >&2; exit 1; }
        cat "$build/bench/one.jsonl" >>"$build/bench/$kind.jsonl"
    done
done
echo "copies of the simulator, $runs runs of each"
python3 - "$build/bench/plain.jsonl" "$build/bench/copies.jsonl" <<'PY'
import json, re, sys
plain, copies = ([json.loads(line) for line in open(name, encoding="utf-8")] for name in sys.argv[1:])
for title, results in (("CPU seconds without", plain), ("CPU seconds with", copies)):
    values = sorted(r["cpu_seconds"] for r in results)
    print(f"  {title:50} min {values[0]:.3f}  median {values[len(values) // 2]:.3f}  max {values[-1]:.3f}")
ratios = sorted(b["cpu_seconds"] / a["cpu_seconds"] for a, b in zip(plain, copies))
made = sorted(int(re.search(r"copies: (\d+) made", note)[1]) for r in copies for note in r["notes"] if note.startswith("copies:"))
print(f"  {'ratio, run by run':50} min {ratios[0]:.3f}  median {ratios[len(ratios) // 2]:.3f}  max {ratios[-1]:.3f}")
print(f"  {'ratio of the fastest runs':50} {min(r['cpu_seconds'] for r in copies) / min(r['cpu_seconds'] for r in plain):.3f}")
print(f"  {'copies made':50} {made[0]} .. {made[-1]} in {copies[0]['cycles']} cycles")
PY
