#!/usr/bin/python3
"""Measures what marks and save file cost: recording everything, against what Verilator records on its own.

usage: waves.py BUILD [ROUNDS]      exit status 1 if recording is more than 10 % slower than Verilator's own; needs at least three rounds

Measures processor time of whole runs, which alternate; the least of ROUNDS (7) counts, all traces together. The save file costs a few
hundredths of a second, which matters more on a short trace.
"""
import os
import subprocess
import sys
import tempfile

from turns import by_turns

LIMIT = 1.10
TRACES = ["traces/conformance/small/rand_dc_pdp_009.nvt.gz", "traces/conformance/small/rand_large_000.nvt.gz"]


def main(build, rounds="7"):
    os.makedirs(f"{build}/bench", exist_ok=True)
    subprocess.run([f"{build}/nvcosim", "run", "-q", "--wave", f"{build}/bench/first.fst", "--wave-to", "1", TRACES[0]], check=True)
    sums = [0, 0]
    with tempfile.TemporaryDirectory() as folder:
        for trace in TRACES:
            command = [f"{build}/nvcosim", "run", "-q", "--dut", "rtl", "--out", folder, "--wave", f"{folder}/t.fst", trace]
            plain, full = by_turns([[*command, "--wave-plain"], command], int(rounds))
            print(f"waves of {os.path.basename(trace)}: {min(full):.2f} s with marks and save file, {min(plain):.2f} s as Verilator records")
            sums = [sums[0] + min(full), sums[1] + min(plain)]
    ratio = sums[0] / sums[1]
    print(f"waves: ratio {ratio:.3f} (at most {LIMIT:.2f})")
    return 1 if ratio > LIMIT and int(rounds) >= 3 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
