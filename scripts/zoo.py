#!/usr/bin/python3
"""Plays a zoo of quantised networks and prints the table of docs/networks.md: multiplications, clocks, what limits them, frames, accuracy.

Our own networks (traces/networks/zoo) and those of a folder, *.tflite with *.npz beside them: `input` (int8, several) and `label` (what they
show) or `cpu_tN` (outputs of TFLite's rule `cpu`, the last one that of the network). Input 0 is played on the RTL, all inputs on the model.

usage: zoo.py BUILD [--networks DIR] [--checks N] [--config NAME]... [--rtl NAME]... [--page FILE]
  --networks   folder of more networks (default NVDLA_NETWORKS of the environment; without one only our own)
  --checks     inputs for which each node is compared with TFLite's integers; behind those of the .npz, random ones (default 1)
  --config     configurations of the model on which that is done (default small)
  --rtl        configurations whose RTL plays an input (default small): clocks; run builds missing simulators
  --page       compares the rows with those in a page, of other configurations than small where it has some
  --write      puts them there instead, in place of the rows with the same names
Ends with "N passed, N failed".
"""
import argparse
import collections
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "quantised"))
from arrays import ATOMS, clocks_of, cube, unpack  # noqa: E402

HEAD = """| network | multiplications | clocks | MACs used | port | estimated limit | frames/s | right |
|---|---|---|---|---|---|---|---|"""
OTHERS_HEAD = """| configuration | network | multiplications | clocks | MACs used | port | estimated limit | frames/s |
|---|---|---|---|---|---|---|---|"""
MHZ = 100
with open(ROOT / "csrc/nvdla/configurations.csv", encoding="ascii") as table:
    ARRAYS = {row["name"]: int(row["atomic_c"]) * int(row["atomic_k"]) for row in csv.DictReader(table)}  # multipliers of 8 bits


def percent(part, whole):
    return f"{100 * part / whole:.0f} %"


def signed(data):
    return memoryview(data).cast("b").tolist()


class Failed(Exception):
    """A network that fails, and why."""


class Network:
    def __init__(self, program, path, scratch):
        self.program, self.path, self.scratch = program, path, scratch
        arrays = path.with_suffix(".npz")
        if not arrays.is_file():
            raise Failed(f"{arrays}: no such file; expected inputs beside {path.name}")
        self.arrays = unpack(arrays)
        if "input" not in self.arrays:
            raise Failed(f"{arrays}: no array 'input'; found {', '.join(self.arrays)}")
        shape, self.data = self.arrays["input"]
        self.count, self.shape = shape[0], shape[1:]

    def call(self, command, *options):
        done = subprocess.run([self.program, command, *options, str(self.path)], capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"nvcosim {command} {' '.join(options)} {self.path}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def source(self, i, config):
        """The input's option: of the .npz, or a random one."""
        if i >= self.count:
            return f"--input=random:{i}"
        size = len(self.data) // self.count
        raw = self.scratch / "input.bin"
        raw.write_bytes(cube(self.shape, self.data[i * size:(i + 1) * size], ATOMS.get(config, 8)))
        return f"--input=raw:{raw}"

    def check(self, config, i):
        if "pass node" not in self.call("compile", "--check", "--threads=1", f"--config={config}", self.source(i, config)):
            raise Failed(f"{self.path.name}, {config}, input {i}: compile --check compared no node")

    def play(self, config, i, dut, *more):
        """The result of a run as an object, and the output's bytes."""
        outputs, results = self.scratch / "outputs", self.scratch / "results.json"
        for old in (results, *outputs.glob("*")):
            old.unlink(missing_ok=True)
        self.call("run", "-q", f"--dut={dut}", f"--config={config}", f"--out={self.scratch}", f"--outputs={outputs}", f"--results={results}",
                  self.source(i, config), *more)
        found = sorted(outputs.glob("*.bin"))
        if len(found) != 1:
            raise Failed(f"{self.path.name}: found {len(found)} outputs; expected 1")
        return json.loads(results.read_text()), found[0].read_bytes()

    def clocks(self, config):
        """The result of a run on the RTL, with `clocks`."""
        result, _ = self.play(config, 0, "both", "--html")
        clocks = clocks_of(self.scratch / self.path.stem / "report.json")
        if clocks is None:
            raise Failed(f"{self.path.name}, {config}: report.json does not have the clocks of all layers")
        return {**result, "clocks": clocks}

    def right(self):
        """How many of the inputs, or of the elements of an output without classes, are as they should be."""
        outputs = [signed(self.play("small", i, "model")[1]) for i in range(self.count)]
        if "label" in self.arrays:
            wanted = list(self.arrays["label"][1])
        else:
            names = [name for name in self.arrays if re.fullmatch(r"cpu_t\d+", name)]
            if not names:
                raise Failed(f"{self.path.name}: the .npz has neither 'label' nor 'cpu_tN'")
            expected = self.arrays[max(names, key=lambda name: int(name[5:]))][1]
            size = len(expected) // self.count
            parts = [signed(expected[i * size:(i + 1) * size]) for i in range(self.count)]
            if self.shape[-1] == size:  # an autoencoder
                return f"{sum(a == b for found, part in zip(outputs, parts) for a, b in zip(found, part)):,} of {size * self.count:,}"
            outputs, wanted = [found[:size] for found in outputs], [part.index(max(part)) for part in parts]
        return f"{sum(found.index(max(found)) == right for found, right in zip(outputs, wanted))} of {self.count}"

    def limits(self, config):
        """What takes most of the estimated clocks, with its part."""
        clocks = collections.Counter()
        for layer in csv.DictReader(self.call("estimate", "--csv", f"--config={config}").splitlines()):
            clocks[layer["limit"]] += int(layer["clocks"])
        return ", ".join(f"{limit} {percent(n, clocks.total())}" for limit, n in clocks.most_common(2))

    def speed(self, config, result):
        """Multiplications, clocks, and what is made of them. result: of a run on the RTL."""
        clocks, macs = result["clocks"], result["macs"]
        beats = sum(result["devices"][0]["read_beats"].values())
        if macs > clocks * ARRAYS[config] or beats > clocks:
            raise Failed(f"{self.path.name}, {config}: {macs} multiplications and {beats} beats read in {clocks} clocks; "
                         f"expected at most {ARRAYS[config]} and 1 a clock")
        return (f"{macs:,} | {clocks:,} | {percent(macs, clocks * ARRAYS[config])} | {percent(beats, clocks)} | {self.limits(config)} | "
                f"{MHZ * 1e6 / clocks:,.0f}")


def measure(options, path, scratch):
    """Checks a network on the model, plays it on the RTLs. Returns its row, and lines of other configurations."""
    net = Network(str(options.build / "nvcosim"), path, scratch)
    for config in options.config:
        for i in range(options.checks):
            net.check(config, i)
    clocks = {config: net.clocks(config) for config in options.rtl}
    speeds = {config: net.speed(config, result) for config, result in clocks.items()}
    lines = [f"| {config} | {path.stem} | {speed} |" for config, speed in speeds.items() if config != "small"]
    return (f"| {path.stem} | {speeds['small']} | {net.right()} |" if "small" in speeds else None), lines


def compare(page, row, others, options):
    """The page's lines; with --write, with these rows. The row of small has to be there."""
    page = list(page)
    for new in ([row] if row else []) + others:
        name = "|".join(new.split("|")[:2 if new == row else 3]) + "|"
        places = [i for i, line in enumerate(page) if line.startswith(name)]
        if not places and new != row:
            continue
        if len(places) != 1:
            raise Failed(f"{options.page}: found {len(places)} rows that begin with '{name}'; expected 1")
        if not options.write and page[places[0]] != new:
            raise Failed(f"{options.page}:{places[0] + 1}: found\n{page[places[0]]}\nexpected, as measured (zoo.py --write puts it there)\n{new}")
        page[places[0]] = new
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--networks", type=pathlib.Path, default=os.environ.get("NVDLA_NETWORKS") or None)
    parser.add_argument("--checks", type=int, default=1)
    parser.add_argument("--config", action="append")
    parser.add_argument("--rtl", action="append")
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.config, options.rtl = options.config or ["small"], options.rtl or ["small"]
    if not (options.build / "nvcosim").is_file():
        parser.error(f"BUILD: found no {options.build}/nvcosim; expected a folder that `make build` has filled")
    if options.networks and not options.networks.is_dir():
        parser.error(f"--networks: {options.networks}: no such folder")
    if options.page and not options.page.is_file() or options.write and not options.page:
        parser.error(f"--page: {options.page or 'not given'}; expected a page")
    page = options.page.read_text().splitlines() if options.page else None
    nets = sorted((ROOT / "traces/networks/zoo").glob("*.tflite")) + sorted(options.networks.glob("*.tflite") if options.networks else [])
    rows, others, failures = [], [], []
    for path in nets:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                row, lines = measure(options, path, pathlib.Path(scratch))
                if page is not None:
                    page = compare(page, row, lines, options)
                rows += [row] if row else []
                others += lines
            except Failed as failure:
                failures.append(f"FAIL {path.stem}: {failure}")
    if options.write and not failures:
        options.page.write_text("\n".join(page) + "\n")
    print("\n".join([HEAD, *rows, *(["", OTHERS_HEAD, *others] if others else []), *failures]))
    print(f"{len(nets) - len(failures)} passed, {len(failures)} failed")
    return bool(failures) or not nets


if __name__ == "__main__":
    sys.exit(main())
