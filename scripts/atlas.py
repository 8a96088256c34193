#!/usr/bin/env python3
"""Plays faults of a bus with networks, and keeps what their outputs look like in csrc/doctor/atlas.inc.

usage: scripts/atlas.py BUILD            plays, and writes the atlas; build again afterwards
       scripts/atlas.py BUILD --judge    how often `nvcosim doctor --output` ranks the fault of a run first, and among
                                         the first three: with runs of the network, and by the atlas without the
                                         rows of the network; fails below 80 and 96 of 100 for the usual parameters
BUILD      the folder of nvcosim, and of nvcosim-small
--count N  judge only the first N networks
variables: NVDLA_CONFORMANCE  folder with loadables/lenet_small (default ../shared/conformance)
           NVDLA_NETWORKS     folder with the networks of MLPerf Tiny (default ../shared/networks)

Networks that are missing are named, and have no rows. A fault that leaves the output right has no row either.
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ATLAS = ROOT / "csrc/doctor/atlas.inc"
CONFORMANCE = pathlib.Path(os.environ.get("NVDLA_CONFORMANCE", ROOT / "../shared/conformance"))
QUANTISED = pathlib.Path(os.environ.get("NVDLA_NETWORKS", ROOT / "../shared/networks"))

# Names of enum bus_fault_kind, with the parameters that make rows. The first one is the default.
KINDS = {
    "same-id": ("BUS_FAULT_SAME_ID", (4, 2)),
    "early-response": ("BUS_FAULT_EARLY", (2000, 300)),
    "lost-beat": ("BUS_FAULT_LOST_BEAT", (64, 16)),
    "repeated-beat": ("BUS_FAULT_REPEATED_BEAT", (64, 16)),
    "strobes": ("BUS_FAULT_STROBES", (None,)),
    "address": ("BUS_FAULT_ADDRESS", (12, 10)),
    "wrap": ("BUS_FAULT_WRAP", (256, 4096)),
    "stale": ("BUS_FAULT_STALE", (2000, 300)),
    "narrow": ("BUS_FAULT_NARROW", (None,)),
    "swapped": ("BUS_FAULT_SWAPPED", (None,)),
}
# Parameters of --judge: the usual one, and one that no row and none of the doctor's first runs has.
JUDGED = {"same-id": (4, 9), "early-response": (2000, 1300), "lost-beat": (64, 37), "repeated-beat": (64, 23),
          "strobes": (None,), "address": (12, 11), "wrap": (256, 64), "stale": (2000, 700), "narrow": (None,),
          "swapped": (None,)}
SCALE, COLUMNS = 0.2, 110  # FEATURE_SCALE of bus_likeness.c; of a line


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
        for fault, (kind, parameters) in KINDS.items():
            for parameter in parameters:
                output = play(build, folder, network, fault, parameter)
                said = doctor(build, network, output, "--run-clocks", 0) if output else {"wrong": 0}
                if said["wrong"]:
                    values = ", ".join(f"{v:.3g}" for v in said["features"])
                    rows.append(f"/* {network[0]} */ {{{{{kind}, {parameter or 0}}}, {{{values}}}}},")
    ATLAS.write_text("/* Made by scripts/atlas.py: features of outputs that runs with faults of the bus left. */\n"
                     "/* clang-format off */\n" + "\n".join(rows) + "\n/* clang-format on */\n", encoding="ascii")
    print(f"{ATLAS.relative_to(ROOT)}: {len(rows)} rows")


def read_atlas():
    names = {kind: fault for fault, (kind, _) in KINDS.items()}
    for line in ATLAS.read_text(encoding="ascii").splitlines():
        match = re.match(r"/\* (\S+) \*/ \{\{(\w+), \d+\}, \{(.*)\}\},", line)
        if match:
            yield match[1], names[match[2]], [float(v) for v in match[3].split(",")]


def rank_without(rows, name, features):
    """Ranking by the atlas without the rows of one network."""
    best = {}
    for network, fault, row in rows:
        if network != name:
            distance = sum(abs(a - b) for a, b in zip(features, row)) / len(row)
            best[fault] = max(best.get(fault, 0), math.exp(-distance / SCALE))
    return sorted(best, key=lambda fault: -best[fault])


def judge_one(build, folder, rows, network, fault, parameter):
    """Places of the fault by runs and by the atlas, from 1; 0: the run left nothing."""
    output = play(build, folder, network, fault, parameter)
    if not output:
        return 0, 0, 0
    said = doctor(build, network, output)
    ranked = [f["fault"] for f in said["faults"] if said["wrong"] or f["likeness"] == 1]
    alone = rank_without(rows, network[0], said["features"])
    place = ranked.index(fault) + 1 if fault in ranked else 99
    return place, alone.index(fault) + 1 if fault in alone else 99, said["wrong"]


def judge(build, folder, count):
    rows = list(read_atlas())
    chosen = networks()[:count]
    for usual in (True, False):
        mine = []
        for network in chosen:
            for fault, parameters in JUDGED.items():
                for parameter in parameters[:1] if usual else parameters[1:]:
                    placed = judge_one(build, folder, rows, network, fault, parameter)
                    mine += [placed] if placed[0] else []
                    if placed[0] > 1:
                        print(f"  {network[0]} {fault}:{parameter}: place {placed[0]}"
                              f"{'' if placed[2] else ', the output is right'}", flush=True)
        wrong = [p for p in mine if p[2]]
        print(f"{'usual' if usual else 'other'} parameters, {len(mine)} runs: first {sum(p[0] == 1 for p in mine)}, "
              f"among three {sum(p[0] <= 3 for p in mine)}; by the atlas of the other networks alone, {len(wrong)} wrong "
              f"outputs: first {sum(p[1] == 1 for p in wrong)}, among three {sum(p[1] <= 3 for p in wrong)}", flush=True)
        if usual:
            good = sum(p[0] == 1 for p in mine) >= 0.8 * len(mine) and sum(p[0] <= 3 for p in mine) >= 0.96 * len(mine)
    print(f"{int(good)} passed, {int(not good)} failed")
    return good


def main():
    words = [w for w in sys.argv[1:] if w != "--judge"]
    count = 99
    if "--count" in words:
        count = int(words[words.index("--count") + 1])
        words = words[:words.index("--count")]
    if len(words) != 1:
        sys.exit(__doc__)
    build = pathlib.Path(words[0]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        if "--judge" in sys.argv:
            sys.exit(not judge(build, folder, count))
        else:
            write_atlas(build, folder)


main()
