#!/usr/bin/env python3
"""Fits the laws of `nvcosim estimate` to layers that were played on an RTL, and writes them with their residuals.

Random layers of each engine are made with printed seeds and played with several memories; the clocks of each layer come from
report.json, without those in which SDP still worked for the layer before. The coefficients are those that `nvcosim estimate
--laws` brings closest: the mean absolute logarithm of estimate / measurement, of layers of at least CLOCKS clocks, is lowered
one coefficient at a time. Another half of the layers, with other seeds, shows what the laws are worth.

usage: fit.py BUILD [--config NAME] [--dut DUT] [--count N] [--seed N] [--work DIR] [--laws FILE] [--residuals FILE] [--check]
              [--most PERCENT]
  --config     configuration (default small)
  --dut        the RTL, as for nvcosim run (default rtl)
  --count      traces of each engine (default 60)
  --seed       seed of the first one (default 1)
  --work       folder for the traces and reports (default BUILD/fit); reports of an earlier call are used
  --laws       file to begin with and to write (default csrc/estimate/laws.csv)
  --residuals  file for the residuals (default csrc/estimate/residuals.csv)
  --check      fit nothing: print the errors of the laws
  --most       exit status 1 if the mean error of all layers but fused ones is above PERCENT
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys

ENGINES = {"conv": "conv,img", "sdp": "sdp", "pdp": "pdp", "cdp": "cdp"}
MEMORIES = {"default": ["--latency=32"], "far": ["--latency=150"], "ddr4": ["--memory=ddr4-2400"]}
FIXED = {"conv": {4, 9}, "pdp": {4}, "fused": {4, 9}}  # columns that follow from the architecture: array and pipes take what they take
ROOT = pathlib.Path(__file__).resolve().parent.parent
CLOCKS = 300  # shorter layers are start and latency only, and would outvote the others
STEPS = (2.0, 1.3, 1.1, 1.03)


def play(options, first):
    """Makes and plays the layers. Returns {(memory, trace, unit, launch): clocks}."""
    program, measured = f"{options.build}/nvcosim", {}
    traces = options.work / f"traces_{first}"
    for engines in ENGINES.values():
        subprocess.run([program, "gen", "-q", "--config", options.config, "--engine", engines, "--seed", str(first), "--count",
                        str(options.count), "--out", str(traces)], check=True)
    files = sorted(str(f) for f in traces.glob("*.nvt.gz"))
    for memory, arguments in MEMORIES.items():
        out = options.work / f"{memory}_{first}"
        if not out.exists():
            subprocess.run([program, "run", "-q", "-j2", "--dut", options.dut, "--html", "--out", str(out), *arguments, *files], check=True)
        for file in files:
            name = pathlib.Path(file).name.removesuffix(".nvt.gz")
            free = 0  # when the layers before have left SDP: one that was armed earlier only waits
            for layer in json.loads((out / name / "report.json").read_text())["layers"]:
                if not layer.get("clocks"):
                    continue
                shares = layer["unit"] == "SDP" or "SDP" in layer["kind"]
                clocks = layer["end"] - max(layer["start"], free if shares else 0)
                free = max(free, layer["end"]) if shares else free
                if clocks > 0:
                    measured[memory, file, layer["unit"], layer["launch"]] = clocks
    return files, measured


def estimate(options, files, laws):
    """{(memory, trace, unit, launch): (engine, clocks)} by those laws."""
    path, estimated = options.work / "laws.csv", {}
    path.write_text("\n".join([laws[""], *(",".join([name, *(f"{v:.5g}" for v in values)]) for name, values in laws.items() if name)]) + "\n")
    for memory, arguments in MEMORIES.items():
        text = subprocess.run([f"{options.build}/nvcosim", "estimate", "--csv", "--laws", str(path), *arguments, *files], check=True,
                              capture_output=True, text=True).stdout
        for row in csv.DictReader(text.splitlines()):
            estimated[memory, row["trace"], row["unit"], int(row["launch"])] = row["engine"], float(row["clocks"])
    return estimated


def errors(measured, estimated, engine):
    return [math.log(estimated[key][1] / clocks) for key, clocks in measured.items()
            if key in estimated and estimated[key][0] == engine and clocks >= CLOCKS]


def mean(logs):
    return sum(abs(e) for e in logs) / len(logs) if logs else 0.0


def fit(options, files, measured, laws):
    """Lowers the mean error of each engine, one coefficient at a time; all engines are tried with one call."""
    names = [name for name in laws if name]
    best = {name: mean(errors(measured, estimate(options, files, laws), name)) for name in names}
    for step in STEPS:
        for column in list(range(len(laws[names[0]]))) * 2:
            for factor in (step, 1 / step):
                tried = {"": laws[""], **{n: [v if i != column or i in FIXED.get(n, ()) else max(1.0, v * factor) if i == 3 else v * factor
                                              for i, v in enumerate(laws[n])] for n in names}}
                estimated = estimate(options, files, tried)
                for name in names:
                    error = mean(errors(measured, estimated, name))
                    if error < best[name] - 1e-6:
                        best[name], laws[name] = error, tried[name]
        print(f"steps of {step}: " + ", ".join(f"{n} {100 * best[n]:.1f} %" for n in names), flush=True)
    return laws


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--config", default="small")
    parser.add_argument("--dut", default="rtl")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--laws", type=pathlib.Path, default=ROOT / "csrc/estimate/laws.csv")
    parser.add_argument("--residuals", type=pathlib.Path, default=ROOT / "csrc/estimate/residuals.csv")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--most", type=float)
    options = parser.parse_args()
    options.work = options.work or pathlib.Path(options.build) / "fit"
    options.work.mkdir(parents=True, exist_ok=True)
    lines = options.laws.read_text().splitlines()
    laws = {"": lines[0], **{line.split(",")[0]: [float(v) for v in line.split(",")[1:]] for line in lines[1:]}}
    if not options.check:
        laws = fit(options, *play(options, options.seed), laws)
        text = [laws[""], *(",".join([n, *(f"{v:.5g}" for v in values)]) for n, values in laws.items() if n)]
        options.laws.write_text("\n".join(text) + "\n")
    files, measured = play(options, options.seed + 100000)
    estimated = estimate(options, files, laws)
    rows = [["engine", "memory", "layers", "mean error %", "worst error %", "worst above 1000 clocks %"]]
    for engine in [name for name in laws if name and name != "move"]:
        for memory in MEMORIES:
            part = {k: v for k, v in measured.items() if k[0] == memory}
            logs, long = errors(part, estimated, engine), errors({k: v for k, v in part.items() if v > 1000}, estimated, engine)
            rows.append([engine, memory, len(logs), *(f"{100 * math.expm1(e):.1f}" for e in
                         (mean(logs), max(map(abs, logs), default=0), max(map(abs, long), default=0)))])
    if not options.check:
        options.residuals.write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    for row in rows:
        print("  ".join(f"{value!s:>12}" for value in row))
    overall = 100 * math.expm1(mean([e for name in ENGINES for e in errors(measured, estimated, name)]))
    print(f"mean error of all layers but fused ones: {overall:.1f} %")
    return 1 if options.most is not None and not overall <= options.most else 0


if __name__ == "__main__":
    sys.exit(main())
