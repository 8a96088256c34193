#!/usr/bin/python3
"""Clocks a second on traces of `full`, in the table of RTLMeter, the benchmark of Verilator, whose design NVDLA is NVIDIA's full with traces of
its own: a row for each case Design:Configuration:Test, with means over the samples and their confidence intervals of 95 %.

usage: rtlmeter.py BUILD [ROUNDS] [CHECKOUT]
       rtlmeter.py --find CHECKOUT     only looks for its tests
  CHECKOUT   a checkout of RTLMeter: the tests that designs/NVDLA/descriptor.yaml lists are played besides the traces of this repository, each as
             often as there (+iterations=) and with the latencies of tests/slave_mem.cfg; or any other folder: every input.txn and input.txn.raw
             below it is a test, which has the name of its folder

Plays on the RTL in rtl/, and on NVIDIA's if `nvcosim build --config full --vmod ... --name nvidia` has built it.
"""
import glob
import json
import math
import os
import statistics
import sys
import tempfile
import time
from typing import NamedTuple

import yaml

# Designs and configurations, as RTLMeter names them: the RTL of a run, and its simulator.
DESIGNS = {"nvcosim:full": ("rtl", "nvcosim-full"), "NVDLA:default": ("rtl:nvidia", "nvcosim-full-nvidia")}
COLUMNS = ("Case", "#", "Sim speed [kHz]", "Elapsed time [s]", "CPU Total [s]", "Peak memory [MB]", "Sim clock cycles [count]")
NORMAL_95 = 1.96  # half the width of an interval of 95 %, in standard errors
READ_LATENCY, WRITE_LATENCY = 3, 4  # lines of slave_mem.cfg, from 0, each a hexadecimal number


class Test(NamedTuple):
    words: list[str]  # after `nvcosim run`
    repeat: int = 1  # of the trace, in one command


# What of this repository is played, by name.
OWN = {
    **{name: Test([f"traces/loadables/{name}/net.nvdla", f"--input=traces/loadables/{name}/input.ppm"]) for name in ("own_mix_full_fp16", "own_wino_w")},
    **{name: Test([f"traces/conformance/full/{name}.nvt.gz"]) for name in ("rand_comp_001", "rand_multi_004", "rand_fused_011")},
}


def listed(design):
    """The tests of RTLMeter's own list."""
    with open(f"{design}/descriptor.yaml", encoding="utf-8") as file:
        tests = yaml.safe_load(file)["execute"]["tests"]
    with open(f"{design}/tests/slave_mem.cfg", encoding="utf-8") as file:
        memory = [int(line.split()[0], 16) for line in file if line.strip()]
    words = [f"--latency={memory[READ_LATENCY]}", f"--write-latency={memory[WRITE_LATENCY]}"]
    found = {}
    for name, test in tests.items():
        traces = [f"{design}/{file}" for file in test["files"] if file.endswith((".txn", ".txn.raw"))]
        again = [int(word.partition("=")[2]) for word in test.get("args", []) if word.startswith("+iterations=")]
        if len(traces) != 1:
            raise ValueError(f"test {name} has {len(traces)} traces, expected one input.txn.raw in its files")
        found[name] = Test([*words, *traces], again[0] if again else 1)
    return found


def tests_of(checkout):
    """The tests of a checkout by name."""
    design = os.path.join(checkout, "designs", "NVDLA")
    if os.path.exists(f"{design}/descriptor.yaml"):
        try:
            return listed(design)
        except (OSError, ValueError, LookupError, TypeError, AttributeError, yaml.YAMLError) as error:
            sys.exit(f"rtlmeter.py: {design}/descriptor.yaml: {type(error).__name__}: {error}; expected RTLMeter's list of tests, execute: tests: NAME: files: [...]")
    below = design if os.path.isdir(design) else checkout
    found = sorted(path for name in ("input.txn", "input.txn.raw") for path in glob.glob(f"{glob.escape(below)}/**/{name}", recursive=True))
    if not found:
        sys.exit(f"rtlmeter.py: found no input.txn or input.txn.raw below {below}, expected a checkout of RTLMeter, or a folder with traces")
    names = [os.path.basename(os.path.dirname(path)) for path in found]
    if len(set(names)) < len(names):  # the same name in several folders
        names = [os.path.relpath(path, below) for path in found]
    return {name: Test([path]) for name, path in zip(names, found)}


def sample(nvcosim, dut, test, folder):
    """Plays a test once: kHz, seconds, seconds of the processor, megabytes, clocks."""
    results, log = f"{folder}/results.jsonl", f"{folder}/log"
    options = [word for word in test.words if word.startswith("--")]
    traces = [word for word in test.words if not word.startswith("--")] * test.repeat
    command = [nvcosim, "run", "-q", "--config=full", f"--dut={dut}", f"--out={folder}", f"--results={results}", *options, *traces]
    start = time.monotonic()
    redirect = [(os.POSIX_SPAWN_OPEN, 1, log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), (os.POSIX_SPAWN_DUP2, 1, 2)]
    _, status, used = os.wait4(os.posix_spawn(nvcosim, command, os.environ, file_actions=redirect), 0)
    elapsed = time.monotonic() - start
    if status:
        with open(log, encoding="utf-8", errors="replace") as file:
            sys.exit(f"rtlmeter.py: the run fails: {' '.join(command)}\n{file.read()}")
    with open(results, encoding="utf-8") as file:
        played = [json.loads(line) for line in file]
    clocks = sum(result["cycles"] for result in played)
    memory = max(result["memory_peak"] for result in played) / 2**20
    return clocks / elapsed / 1000, elapsed, used.ru_utime + used.ru_stime, memory, clocks


def cell(values):
    """A mean of two decimals, with its confidence interval in per cent if there are several samples."""
    mean = statistics.mean(values)
    if len(values) < 2:
        return f"{mean:.2f}"
    return f"{mean:.2f} (±{100 * NORMAL_95 * statistics.stdev(values) / math.sqrt(len(values)) / mean:5.2f}%)"


def print_table(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    for at, row in enumerate(rows):
        if at < 2:
            left, line, right = "╞╒"[at == 0], "╪╤"[at == 0], "╡╕"[at == 0]
            print(left + line.join("═" * (width + 2) for width in widths) + right)
        print("│" + "│".join(f" {text:{'<' if i == 0 else '>'}{width}} " for i, (text, width) in enumerate(zip(row, widths))) + "│")
    print("╘" + "╧".join("═" * (width + 2) for width in widths) + "╛")


def main(build, rounds="7", checkout=None):
    if build == "--find":
        tests_of(rounds)
        return 0
    tests = {**OWN, **(tests_of(checkout) if checkout else {})}
    designs = {name: dut for name, (dut, simulator) in DESIGNS.items() if os.path.exists(f"{build}/{simulator}")}
    rows = [COLUMNS]
    with tempfile.TemporaryDirectory() as folder:
        for dut in designs.values():  # a simulator whose RTL has changed is built before anything is measured
            sample(f"{build}/nvcosim", dut, OWN["rand_comp_001"], folder)
        for name, test in tests.items():
            print(f"rtlmeter.py: {name}, {rounds} sample{'' if rounds == '1' else 's'} on {' and '.join(designs)}", file=sys.stderr)
            samples = {design: [] for design in designs}
            for _ in range(int(rounds)):  # the designs alternate
                for design, dut in designs.items():
                    samples[design].append(sample(f"{build}/nvcosim", dut, test, folder))
            rows += [(f"{design}:{name}", str(len(taken)), *map(cell, zip(*taken))) for design, taken in samples.items()]
    print_table(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
