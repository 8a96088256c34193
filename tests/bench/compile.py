#!/usr/bin/python3
"""Measures what it costs to compile a network as large as ResNet-50 (43 convolutions, 25 MB of weights, 246 layers): processor time and
memory, with and without the checks of layers, and for writing only the trace or only the list of accesses.

usage: compile.py BUILD [ROUNDS]
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

KINDS = [("trace", ["-o", "net.nvt.gz"]), ("trace without checks of layers", ["--no-layer-checks", "-o", "net.nvt.gz"]),
         ("list of accesses", ["--writes", "writes.txt"])]


def cost(command, folder):
    """Seconds of processor time and megabytes resident of a command that succeeds."""
    process = subprocess.Popen(command, cwd=folder)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"compile.py: exit status {process.returncode}: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def main():
    nvcosim = str(pathlib.Path(sys.argv[1], "nvcosim").resolve())
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    top = pathlib.Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(top / "tests/loadable/large.py"), f"{folder}/net.nvdla"], check=True)
        found = {name: [] for name, _ in KINDS}
        for _ in range(rounds):  # one after the other in each round: machines are noisy
            for name, options in KINDS:
                found[name].append(cost([nvcosim, "compile", "net.nvdla", "--input=random:1", *options], folder))
        size = os.path.getsize(f"{folder}/net.nvt.gz") / 1e6
    print(f"compiling a network as large as ResNet-50: medians of {rounds} rounds; the trace has {size:.0f} MB; wanted 5 s, 500 MB")
    for name, costs in found.items():
        print(f"  {name:32} {statistics.median(c[0] for c in costs):6.2f} s of processor time {max(c[1] for c in costs):6.0f} MB")


main()
