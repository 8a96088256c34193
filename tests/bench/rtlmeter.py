#!/usr/bin/env python3
"""Clocks a second on traces of `full`, in the form of RTLMeter, the benchmark of Verilator, whose design NVDLA is NVIDIA's full with traces of
its own: a line for each case Design:Configuration:Test, with means over the samples.

usage: rtlmeter.py BUILD [ROUNDS] [CHECKOUT]
  CHECKOUT   a checkout of RTLMeter, or any other folder: every input.txn below designs/NVDLA, or else below the folder, is a test, which has
             the name of its folder; they are played besides the traces of this repository

Plays on the RTL in rtl/, and on NVIDIA's if `nvcosim build --config full --nvidia ... --name nvidia` has built it.
"""
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile

# What of this repository is played, by name: the words after `nvcosim run`.
NETWORKS = {name: [f"traces/loadables/{name}/net.nvdla", f"--input=traces/loadables/{name}/input.ppm"] for name in ("own_mix_full_fp16", "own_wino_w")}
TRACES = {name: [f"traces/conformance/full/{name}.nvt.gz"] for name in ("rand_comp_001", "rand_multi_004", "rand_fused_011")}
# Designs and configurations, as RTLMeter names them: the RTL of a run, and its simulator.
DESIGNS = {"nvcosim:full": ("rtl", "nvcosim-full"), "NVDLA:default": ("rtl:nvidia", "nvcosim-full-nvidia")}
COLUMNS = ("Case", "#", "Clocks", "Elapsed [s]", "CPU [s]", "Memory [MB]", "Speed [kHz]")
ROW = "{:36} {:>2} {:>8} {:>12} {:>8} {:>12} {:>12}"


def tests_of(checkout):
    """The tests of a checkout by name."""
    below = os.path.join(checkout, "designs", "NVDLA")
    below = below if os.path.isdir(below) else checkout
    found = sorted(glob.glob(f"{glob.escape(below)}/**/input.txn", recursive=True))
    if not found:
        sys.exit(f"rtlmeter.py: found no input.txn below {below}, expected designs/NVDLA/.../NAME/input.txn in a checkout of RTLMeter")
    names = [os.path.basename(os.path.dirname(path)) for path in found]
    if len(set(names)) < len(names):  # the same name in several folders
        names = [os.path.relpath(os.path.dirname(path), below) for path in found]
    return {name: [path] for name, path in zip(names, found)}


def sample(nvcosim, dut, trace, folder):
    """Plays a trace once: clocks, seconds, seconds of the processor, megabytes."""
    results = f"{folder}/results.jsonl"
    command = [nvcosim, "run", "-q", "--config=full", f"--dut={dut}", f"--out={folder}", f"--results={results}", *trace]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(f"rtlmeter.py: the run fails: {' '.join(command)}\n{done.stdout}")
    with open(results, encoding="utf-8") as file:
        result = json.loads(file.readlines()[-1])
    return result["cycles"], result["seconds"], result["cpu_seconds"], result["memory_peak"] / 2**20


def main(build, rounds="7", checkout=None):
    tests = {**NETWORKS, **TRACES, **(tests_of(checkout) if checkout else {})}
    designs = {name: dut for name, (dut, simulator) in DESIGNS.items() if os.path.exists(f"{build}/{simulator}")}
    print(ROW.format(*COLUMNS).rstrip())
    with tempfile.TemporaryDirectory() as folder:
        for test, trace in tests.items():
            samples = {design: [] for design in designs}
            for _ in range(int(rounds)):  # the designs alternate
                for design, dut in designs.items():
                    samples[design].append(sample(f"{build}/nvcosim", dut, trace, folder))
            for design, taken in samples.items():
                clocks, elapsed, cpu, memory = map(statistics.mean, zip(*taken))
                print(ROW.format(f"{design}:{test}", len(taken), f"{clocks:.0f}", f"{elapsed:.3f}", f"{cpu:.3f}", f"{memory:.1f}",
                                 f"{clocks / elapsed / 1000:.2f}"), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
