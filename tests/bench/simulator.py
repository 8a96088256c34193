#!/usr/bin/python3
"""Compares simulators of the same RTL built by g++, by clang++, and with a profile, on the same traces.

usage: simulator.py BUILD [ROUNDS] [TRACE...]     exit status 1 if the profile makes one of the traces slower; needs at least three rounds

Measures processor time of whole commands, the reset of 8 thousand clocks included; the simulators alternate. The RTL is built as another RTL
named bench, so the user's simulators stay as they are. If the traces to be judged are missing (NVDLA_CONFORMANCE), short ones of this
repository are used instead.
"""
import os
import shutil
import statistics
import subprocess
import sys

from turns import by_turns, path_of, spread

# In the order in which they are built: a profile that is there is used.
BUILDS = {"g++": ["CXX=g++", "PROFILE=0"], "clang++": ["CXX=clang++", "PROFILE=0"], "profile": ["CXX=auto", "PROFILE=1"]}
TRACES = {
    "dc_8x16x128_3x3x128x32_int8": "rand_dc_pdp_009",
    "sdp_4x1x8192_pass_through_int8_0": "rand_sdp_014",
    "pdp_28x28x8_2x2_max_int8_0": "rand_pdp_001",
    "cdp_8x8x64_lrn9_int8": "rand_cdp_009",
}


def main(build, rounds="7", *traces):
    folder = os.path.abspath(f"{build}/bench")
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/bench.f", "w", encoding="utf-8") as file:
        print(os.path.abspath(f"{build}/gen/small/nvdla_pkg.sv"), f"-F {os.path.abspath('rtl/nvdla.f')}", sep="\n", file=file)
    for name, settings in BUILDS.items():
        make = ["make", "--no-print-directory", f"B={build}", "simulator", "CONFIG=small", "NAME=bench", f"FILELIST={folder}/bench.f", *settings]
        done = subprocess.run(make, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{sys.argv[0]}: {' '.join(make)}\n{done.stdout}")
        shutil.copy2(f"{build}/nvcosim-small-bench", f"{folder}/simulator-{name}")
    worst = 0.0
    print(f"the same RTL by {', '.join(BUILDS)}, {rounds} rounds")
    for trace in traces or [path_of(*names) for names in TRACES.items()]:
        times = by_turns([[f"{folder}/simulator-{name}", "--dut=rtl", "-q", f"--out={folder}/out", trace] for name in BUILDS], int(rounds))
        first = times[0]
        ratios = [statistics.median(a / b for a, b in zip(first, values)) for values in times]
        worst = max(worst, statistics.median(b / a for a, b in zip(times[1], times[2])))
        print(f"  {os.path.basename(trace):42} {spread(first, '.3f')} s; clang++ {ratios[1]:.2f} times as fast, with a profile {ratios[2]:.2f} times")
    return 1 if worst > 1 and int(rounds) >= 3 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
