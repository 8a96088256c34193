#!/usr/bin/python3
"""Compares a network in pieces with the same network in one run: the layers of a ResNet-18 for pictures of 32 x 32, on RTL and model of small.

usage: pieces.py BUILD [ROUNDS] [PIECES]

Other work on a machine makes wall time useless, so a schedule is computed from processor times: the pieces run on two cores, the longest
first; one core is free when the runner has cut all pieces, the other when it has cut the first. Runs and pieces alternate.
"""
import json
import os
import statistics
import subprocess
import sys
import time

from turns import cost, spread

CORES = 2
FIRST_PIECE = 0.7  # of the runner's time: it reads, plays the model for the order of the layers, cuts


def timed(command):
    """Seconds of processor time, and by the clock."""
    begin = time.perf_counter()
    processor = cost(command)
    return processor, time.perf_counter() - begin


def main(build, rounds="7", pieces="8"):
    folder = f"{build}/bench/pieces"
    os.makedirs(folder, exist_ok=True)
    net, trace, results = f"{folder}/residual.nvdla", f"{folder}/residual.nvt.gz", f"{folder}/results.jsonl"
    subprocess.run([sys.executable, "tests/loadable/residual.py", net], check=True)
    subprocess.run([f"{build}/nvcosim", "compile", net, "--input", "random:1", "-o", trace], check=True)
    run = [f"{build}/nvcosim", "run", f"-j{CORES}", "-q", "--out", folder, "--results", results]

    def read():
        with open(results, encoding="utf-8") as file:
            return json.loads(file.read())

    serial, all_pieces, wall, runner, cycles, clock = [], [], [], [], set(), []
    for _ in range(int(rounds)):
        alone, alone_clock = timed([*run, trace])
        serial.append(alone)
        whole = read()
        both, both_clock = timed([*run, f"--pieces={pieces}", trace])
        clock.append((alone_clock, both_clock))
        together = read()
        with open(f"{folder}/residual.pieces/report.json", encoding="utf-8") as file:
            parts = sorted((p["cpu_seconds"] for p in json.load(file)["pieces"]), reverse=True)
        runner.append(both - sum(parts))
        cores = [runner[-1]] + [FIRST_PIECE * runner[-1]] * (CORES - 1)
        for part in parts:
            cores[cores.index(min(cores))] += part
        all_pieces.append(both)
        wall.append(max(cores))
        cycles.add((whole["op_cycles"], together["op_cycles"], whole["verdict"], together["verdict"]))
    op, op_pieces, verdict, verdict_pieces = cycles.pop()
    print(f"a network in {pieces} pieces, {rounds} rounds: {verdict} and {verdict_pieces}, op_cycles {op} and in pieces {op_pieces}")
    print(f"  processor time in one run            {spread(serial, '.3f')} s")
    print(f"  in pieces                            {spread(all_pieces, '.3f')} s, {statistics.median(runner):.3f} s of it to cut")
    print(f"  on {CORES} cores as fast as one run      {spread([s / w for s, w in zip(serial, wall)], '.2f')} times")
    print(f"  by the clock, the fastest of each    {min(a for a, _ in clock) / min(b for _, b in clock):.2f} times")
    return 0 if verdict == verdict_pieces == "PASS" and not cycles else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
