#!/usr/bin/python3
"""Fits the laws of `nvcosim estimate` to layers that were played on an RTL, and writes them with their residuals.

Random layers of each engine are made with printed seeds and played with several memories. A layer's clocks are those of
report.json. The laws are those that `nvcosim estimate --laws` brings closest: the mean absolute logarithm of estimate /
measurement is lowered one law at a time. Other layers, with other seeds, show what the laws are worth.

usage: fit.py BUILD [--config NAME] [--dut DUT] [--engines LIST] [--count N] [--seed N] [--only LIST] [--work DIR]
              [--laws FILE] [--residuals FILE] [--check] [--list N] [--mean PERCENT] [--worst PERCENT]
  --config     configuration (default small)
  --dut        the RTL, as for nvcosim run (default rtl)
  --engines    engines of nvcosim gen, separated by commas (default conv,img,sdp,pdp,cdp)
  --count      traces of each engine (default 24)
  --seed       seed of the first one (default 1)
  --work       folder for the traces and reports (default BUILD/fit); reports of an earlier call are used
  --laws       file to begin with and to write (default csrc/estimate/laws.csv)
  --residuals  file for the residuals (default csrc/estimate/residuals.csv; with --check none)
  --only       laws that may change, separated by commas (default all)
  --check      fit nothing: print the errors of the laws
  --list       also print the N layers of more than 1000 clocks with the worst errors
  --mean       exit status 1 if the geometric mean of the errors is above PERCENT
  --worst      exit status 1 if the error of a layer of more than 1000 clocks is above PERCENT
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys

MEMORIES = {"latency 32": ["--latency=32"], "latency 200": ["--latency=200"], "quarter": ["--bandwidth=250"],
            "ddr4-2400": ["--memory=ddr4-2400"]}
ROOT = pathlib.Path(__file__).resolve().parent.parent
SHORT, LONG = 100, 1000  # clocks: layers that are not counted in the fit, layers whose worst error is shown
STEPS = (8.0, 3.0, 1.0)


def play(options, first):
    """Makes and plays the layers. Returns their files and {(memory, trace, unit, launch): clocks}."""
    program, measured = f"{options.build}/nvcosim", {}
    traces = options.work / f"{options.config}_{first}"
    for engine in options.engines.split(","):
        subprocess.run([program, "gen", "-q", "--config", options.config, "--engine", engine, "--seed", str(first), "--count",
                        str(options.count), "--out", str(traces)], check=True)
    files = sorted(str(f) for f in traces.glob("*.nvt.gz"))
    for memory, arguments in MEMORIES.items():
        out = options.work / f"{options.config}_{first}_{memory.replace(' ', '_')}"
        if not out.exists():
            subprocess.run([program, "run", "-q", "-j2", "--dut", options.dut, "--html", "--out", str(out), *arguments, *files],
                           check=True)
        for file in files:
            name = pathlib.Path(file).name.removesuffix(".nvt.gz")
            for layer in json.loads((out / name / "report.json").read_text())["layers"]:
                if layer.get("clocks"):
                    measured[memory, file, layer["unit"], layer["launch"]] = layer["clocks"]
    return files, measured


def estimate(options, files, laws):
    """{(memory, trace, unit, launch): (engine, clocks)} by those laws."""
    path, estimated = options.work / "laws.csv", {}
    path.write_text(laws_text(laws))
    for memory, arguments in MEMORIES.items():
        text = subprocess.run([f"{options.build}/nvcosim", "estimate", "--csv", "--laws", str(path), *arguments, *files], check=True,
                              capture_output=True, text=True).stdout
        for row in csv.DictReader(text.splitlines()):
            estimated[memory, row["trace"], row["unit"], int(row["launch"])] = row["engine"], float(row["clocks"])
    return estimated


def logs(measured, estimated, engine=None, memory=None, least=0):
    """Logarithms of estimate / measurement."""
    return [math.log(max(estimated[key][1], 1) / clocks) for key, clocks in measured.items()
            if clocks > least and engine in (None, estimated[key][0]) and memory in (None, key[0])]


def mean(errors):
    return sum(abs(e) for e in errors) / len(errors) if errors else 0.0


def worst(errors):
    return max(map(abs, errors), default=0.0)


def percent(error):
    return 100 * math.expm1(error)


def print_worst(measured, estimated, count):
    """The layers whose errors are worst."""
    long = sorted((math.log(max(estimated[key][1], 1) / clocks), *key, clocks) for key, clocks in measured.items() if clocks > LONG)
    for error, *key, clocks in sorted(long, key=lambda row: -abs(row[0]))[:count]:
        memory, trace, unit, launch = key
        print(f"{percent(error):+7.1f} %  {clocks:8} clocks, {estimated[tuple(key)][1]:10.0f} estimated  {memory:12} {trace} {unit} #{launch}")


def laws_text(laws):
    return "".join(["law,clocks,meaning\n", *(f"{name},{clocks:g},{meaning}\n" for name, (clocks, meaning) in laws.items())])


def fit(options, files, measured, laws):
    """Lowers the mean error, one law at a time."""
    best = mean(logs(measured, estimate(options, files, laws), least=SHORT))
    for step in STEPS:
        for name in options.only.split(",") if options.only else laws:
            for change in (step, -step):
                clocks, meaning = laws[name]
                tried = {**laws, name: (max(0.0, clocks + change), meaning)}
                error = mean(logs(measured, estimate(options, files, tried), least=SHORT))
                if error < best - 1e-6:
                    best, laws = error, tried
        print(f"steps of {step:g}: {percent(best):.2f} %", flush=True)
    return laws


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--config", default="small")
    parser.add_argument("--dut", default="rtl")
    parser.add_argument("--engines", default="conv,img,sdp,pdp,cdp")
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--laws", type=pathlib.Path, default=ROOT / "csrc/estimate/laws.csv")
    parser.add_argument("--residuals", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", type=int, default=0)
    parser.add_argument("--mean", type=float)
    parser.add_argument("--worst", type=float)
    options = parser.parse_args()
    options.work = options.work or pathlib.Path(options.build) / "fit"
    options.work.mkdir(parents=True, exist_ok=True)
    rows = csv.DictReader(options.laws.read_text().splitlines())
    laws = {row["law"]: (float(row["clocks"]), row["meaning"]) for row in rows}
    if not options.check:
        laws = fit(options, *play(options, options.seed), laws)
        options.laws.write_text(laws_text(laws))
    files, measured = play(options, options.seed + 100000)
    estimated = estimate(options, files, laws)
    table = [["engine", "memory", "layers", "mean error %", "longer than 1000", "mean error %", "worst error %"]]
    for engine in sorted({engine for engine, _ in estimated.values()}):
        for memory in MEMORIES:
            every, long = (logs(measured, estimated, engine, memory, least) for least in (0, LONG))
            table.append([engine, memory, len(every), f"{percent(mean(every)):.1f}", len(long), f"{percent(mean(long)):.1f}",
                          f"{percent(worst(long)):.1f}"])
    residuals = options.residuals or (None if options.check else ROOT / "csrc/estimate/residuals.csv")
    if residuals:
        residuals.write_text("\n".join(",".join(map(str, row)) for row in table) + "\n")
    for row in table:
        print("  ".join(f"{value!s:>16}" for value in row))
    print_worst(measured, estimated, options.list)
    all_mean, all_worst = percent(mean(logs(measured, estimated))), percent(worst(logs(measured, estimated, least=LONG)))
    print(f"geometric mean of all errors: {all_mean:.2f} %; worst above {LONG} clocks: {all_worst:.1f} %")
    return int(any(bound is not None and not value <= bound for value, bound in ((all_mean, options.mean), (all_worst, options.worst))))


if __name__ == "__main__":
    sys.exit(main())
