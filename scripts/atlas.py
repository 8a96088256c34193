#!/usr/bin/python3
"""Plays faults of a bus with networks, and keeps what their outputs look like in python/nvcosim/doctor/atlas.csv.

usage: scripts/atlas.py BUILD            plays, and writes the atlas
       scripts/atlas.py BUILD --judge    how often `nvcosim doctor --output` ranks the fault of a run first, and among
                                         the first three: with runs of the network, and by the atlas without the
                                         rows of the network; fails below 80 and 96 of 100 for the usual parameters
BUILD      the folder of nvcosim, and of nvcosim-small
--count N  judge only the first N networks
variables: NVDLA_CONFORMANCE  folder with loadables/lenet_small (default ../shared/conformance)
           NVDLA_NETWORKS     folder with the networks of MLPerf Tiny (default ../shared/networks)

Networks that are missing are named, and have no rows. A fault that leaves the output right has no row either.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ATLAS = ROOT / "python/nvcosim/doctor/atlas.csv"
CONFORMANCE = pathlib.Path(os.environ.get("NVDLA_CONFORMANCE", ROOT / "../shared/conformance"))
QUANTISED = pathlib.Path(os.environ.get("NVDLA_NETWORKS", ROOT / "../shared/networks"))

# Of each fault: parameters that make rows, the default first; parameters of --judge: the usual one, and one that
# no row and none of the doctor's first runs has.
FAULTS = {
    "same-id": ((4, 2), (4, 9)),
    "early-response": ((2000, 300), (2000, 1300)),
    "lost-beat": ((64, 16), (64, 37)),
    "repeated-beat": ((64, 16), (64, 23)),
    "strobes": ((None,), (None,)),
    "address": ((12, 10), (12, 11)),
    "wrap": ((256, 4096), (256, 64)),
    "stale": ((2000, 300), (2000, 700)),
    "narrow": ((None,), (None,)),
    "swapped": ((None,), (None,)),
}
SCALE = 0.2  # _SCALE of likeness.py


def networks():
    """(name, file, input) of each network that is there; says which are missing."""
    wanted = [(n, ROOT / "traces/loadables" / n / "net.nvdla", None)
              for n in ("own_res_small_int8", "own_concat_small_int8", "own_tasks_small_int8", "own_res_img")]
    wanted.append(("lenet_small", CONFORMANCE / "loadables/lenet_small/net.nvdla", None))
    wanted += [(n, QUANTISED / f"{n}.tflite", "random:5")
               for n in ("kws_ref_model", "ad01_int8", "pretrainedResnet_quant", "vww_96_int8")]
    found = []
    for name, path, data in wanted:
        if path.exists():
            found.append((name, path, data or next(path.parent.glob("input.p?m"))))
        else:
            print(f"atlas: {name}: {path} is missing, it gets no rows", file=sys.stderr)
    return found


def nvcosim(build, *words):
    return subprocess.run([build / "nvcosim", *map(str, words)], capture_output=True, text=True, check=False)


def play(build, folder, network, fault, parameter):
    """The output that a run with the fault leaves; None without one (a hang)."""
    name, path, data = network
    kind = fault if parameter is None else f"{fault}:{parameter}"
    out = pathlib.Path(folder) / f"{name}.{kind.replace(':', '-')}"
    ran = nvcosim(build, "run", path, "--input", data, "--dut", "rtl", "--bus-fault", kind, "--outputs", out, "--out", out)
    files = list(out.glob("*.bin"))
    if ran.returncode == 2 or (ran.returncode not in (0, 1, 3)):
        sys.exit(f"atlas: {name} with {kind}: {ran.stderr.strip()}")
    return files[0] if files else None


def doctor(build, network, output, *options):
    """What nvcosim doctor says of an output."""
    _, path, data = network
    ran = nvcosim(build, "doctor", "--output", output, "--loadable", path, "--input", data, "--json", *options)
    if ran.returncode > 1:
        sys.exit(f"atlas: doctor: {ran.stderr.strip()}")
    return json.loads(ran.stdout)


def write_atlas(build, folder):
    rows = []
    for network in networks():
        for fault, (parameters, _) in FAULTS.items():
            for parameter in parameters:
                output = play(build, folder, network, fault, parameter)
                said = doctor(build, network, output, "--run-clocks", 0) if output else {"wrong": 0}
                if said["wrong"]:
                    rows.append([network[0], fault, parameter, *(f"{v:.3g}" for v in said["features"])])
    with open(ATLAS, "w", newline="", encoding="ascii") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    print(f"{ATLAS.relative_to(ROOT)}: {len(rows)} rows")


def read_atlas():
    with open(ATLAS, newline="", encoding="ascii") as file:
        return [(network, fault, list(map(float, values))) for network, fault, _, *values in csv.reader(file)]


def rank_without(rows, name, features):
    """Ranking by the atlas without the rows of one network."""
    best = {}
    for network, fault, row in rows:
        if network != name:
            distance = sum(abs(a - b) for a, b in zip(features, row)) / len(row)
            best[fault] = max(best.get(fault, 0), math.exp(-distance / SCALE))
    return sorted(best, key=lambda fault: -best[fault])


def judge_one(build, folder, rows, network, fault, parameter):
    """Places of the fault by runs and by the atlas, from 1, and whether the output is wrong; None: the run left nothing."""
    output = play(build, folder, network, fault, parameter)
    if not output:
        return None
    said = doctor(build, network, output)
    rankings = ([f["fault"] for f in said["faults"] if said["wrong"] or f["likeness"] == 1], rank_without(rows, network[0], said["features"]))
    return *(ranking.index(fault) + 1 if fault in ranking else 99 for ranking in rankings), said["wrong"]


def judge(build, folder, count):
    rows, chosen, good = read_atlas(), networks()[:count], True
    for index, which in enumerate(("usual", "other")):
        mine = []
        for network in chosen:
            for fault, (_, parameters) in FAULTS.items():
                placed = judge_one(build, folder, rows, network, fault, parameters[index]) if index < len(parameters) else None
                mine += [placed] if placed else []
                if placed and placed[0] > 1:
                    right = "" if placed[2] else ", the output is right"
                    print(f"  {network[0]} {fault}:{parameters[index]}: place {placed[0]}{right}", flush=True)
        wrong = [p for p in mine if p[2]]
        first, three = (sum(p[0] <= most for p in mine) for most in (1, 3))
        print(f"{which} parameters, {len(mine)} runs: first {first}, among three {three}; by the atlas of the other networks alone, "
              f"{len(wrong)} wrong outputs: first {sum(p[1] == 1 for p in wrong)}, among three {sum(p[1] <= 3 for p in wrong)}", flush=True)
        if which == "usual":
            good = first >= 0.8 * len(mine) and three >= 0.96 * len(mine)
    print(f"{int(good)} passed, {int(not good)} failed")
    return good


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--count", type=int)
    options = parser.parse_args()
    build = options.build.resolve()
    with tempfile.TemporaryDirectory() as folder:
        if options.judge:
            return not judge(build, folder, options.count)
        write_atlas(build, folder)
        return 0


sys.exit(main())
