#!/usr/bin/python3
"""Measures what element streams cost: run --tap all, with the comparison of both sides, against the same command without.

usage: taps.py BUILD [ROUNDS] [TRACE...]     exit status 1 if one of the traces takes more than twice as long; needs at least three rounds

Measures processor time of whole commands, which alternate. The traces are convolutions whose sums pack well and badly, and the longest of SDP
and PDP. If they are missing (NVDLA_CONFORMANCE), short ones of this repository are used instead.
"""
import os
import statistics
import subprocess
import sys
import tempfile

from turns import by_turns, path_of, spread

LIMIT = 2.0
TRACES = {
    "dc_8x16x128_3x3x128x32_int8": "rand_dc_pdp_009",
    "dc_32x26x76_6x3x76x16_int8_0": "rand_dc_000",
    "sdp_4x1x8192_pass_through_int8_0": "rand_sdp_014",
    "pdp_8x8x64_2x2_int8": "rand_pdp_001",
}


def main(build, rounds="7", *traces):
    worst = 0.0
    print(f"element streams (run --tap all), {rounds} rounds")
    with tempfile.TemporaryDirectory() as folder:
        for trace in traces or [path_of(*names) for names in TRACES.items()]:
            command = [f"{build}/nvcosim", "run", "-q", "--out", folder, trace]
            subprocess.run([*command, "--tap", "all"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)  # builds the simulator
            plain, taps = by_turns([command, [*command, "--tap", "all"]], int(rounds))
            ratio = statistics.median(taps) / statistics.median(plain)
            worst = max(worst, ratio)
            print(f"  {os.path.basename(trace):42} {spread(plain, '.3f')} s, with streams {spread(taps, '.3f')} s: {ratio:.2f} times (at most {LIMIT:.1f})")
    return 1 if worst > LIMIT and int(rounds) >= 3 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
