#!/usr/bin/python3
"""The progress line on a terminal: layer n of m, cycles a second, time left, by the clocks that the layers take; and --stats, which shows where
the time went.

usage: progress.py BUILD
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from counts import check, finish

ROOT = pathlib.Path(__file__).resolve().parents[2]
build = pathlib.Path(sys.argv[1]).resolve()
terminal = [sys.executable, str(ROOT / "tests/cli/on_terminal.py"), "160"]


def seconds(text):
    minutes, rest = text.split(":")
    return 60 * int(minutes) + int(rest)


def shown(*words):
    """What the terminal showed, each state of the line."""
    output = subprocess.run([*terminal, str(build / "nvcosim"), "run", *words], capture_output=True, text=True).stdout
    return [line for line in re.split(r"[\r\n]", output) if line.replace("\33[K", "")]


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    trace = ROOT / "traces/conformance/small/rand_dc_019.nvt.gz"

    def long_trace(count):
        command = [sys.executable, str(ROOT / "tests/replay/long_trace.py"), str(trace), str(count), "long.nvt"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    # The line comes after two seconds: as many layers as take four here, more where it is not seen to change.
    count, found = 500, []
    while len(found) < 8 and count < 64000:
        long_trace(count)
        start = time.monotonic()
        lines = shown("--dut", "rtl", "long.nvt")
        found = [re.search(r"long on rtl: layer (\d+) of (\d+), ([\d.]+[kM]?) cycles, ([\d.]+[kM]) cycles/s, (\d+:\d+) left", line) for line in lines]
        found = [match for match in found if match]
        took = time.monotonic() - start
        played, count = count, int(count * max(2, 4.5 / took))
    count = played
    layers, left = [int(match[1]) for match in found], [seconds(match[5]) for match in found]
    check("the line tells layer, cycles, speed and time left", len(found) >= 8, lines[-5:])
    check("the layers are those of the trace", {match[2] for match in found} == {str(count)}, found[:1])
    check("they go up, and come near the end", layers == sorted(layers) and layers[0] < layers[-1] and layers[-1] > 0.7 * count, layers)
    # The last line came when `left` of it all was left, the first after two seconds.
    share = layers[0] / layers[-1]
    check("the time left is what the layers still take", found and abs(left[0] - left[-1] - (len(left) - 1) * 0.2) <= 0.5 * max(4, left[0]), left)
    check("and the part that is done was right", 0.01 < share < 0.95 and left[-1] <= 0.3 * max(4, left[0]), (share, left))
    check("the line is gone at the end", lines[-1].startswith(("\33[32mPASS", "\33[K\33[32mPASS")), lines[-1:])
    short = sorted(str(path) for path in (ROOT / "traces/conformance/small").glob("rand_sdp_00*.nvt.gz"))[:4]
    long_trace(2 * count)
    lines = shown("--dut", "rtl", "-j2", "long.nvt", *short)
    counted = [re.search(rf"(\d) of 5 traces done.*, (\d+:\d+) left; long on rtl: layer \d+ of {2 * count}", line) for line in lines]
    counted = [match for match in counted if match]
    # By traces four of five would be done: 0:01 left.
    check("of several traces each counts with the clocks of its layers", counted and seconds(counted[0][2]) > 1, lines[-8:])
    stats = subprocess.run([str(build / "nvcosim"), "run", "--stats", short[0]], capture_output=True, text=True).stdout
    # On a machine that is busy with other programs the samples may say nothing about the design's own share: then that is reported.
    split = ["design and bench"] if "evaluation not measured" in stats else ["design", "bench"]
    names = ["load", *split, "model", "compare"]
    line = re.search(r"  time: ([\d.]+) CPU seconds: " + ", ".join(rf"{name} ([\d.]+) \(([\d.]+) %\)" for name in names) + "\n", stats)
    parts, shares = ([float(part) for part in line.groups()[first::2]] for first in (1, 2)) if line else ([], [])
    check("--stats says where the time went", line and abs(sum(parts) - float(line[1])) < 0.004 and abs(sum(shares) - 100) < 0.4, stats)
    alone = subprocess.run([str(build / "nvcosim"), "run", "--dut", "model", "--stats", short[0]], capture_output=True, text=True).stdout
    check("of the model alone too", re.search(r"time: [\d.]+ CPU seconds: load [^,]*, model [^,]*, compare ", alone), alone)
finish()
