#!/usr/bin/python3
"""Minimum, median and maximum of the figures of a trace that was played several times.

usage: figures.py RESULTS     lines of nvcosim run --results, all of the same trace
"""
import json
import sys


def spread(title, values, runs, form, unit=""):
    values = sorted(values)
    if not values:
        text = "not measured: the runs are too short, or other programs disturbed them"
    else:
        low, middle, high = (format(v, form) for v in (values[0], values[len(values) // 2], values[-1]))
        text = f"min {low}  median {middle}  max {high} {unit}"
        if len(values) < runs:
            text += f" ({len(values)} of {runs} runs)"
    print(f"  {title:50} {text.rstrip()}")


def main(path):
    with open(path, encoding="utf-8") as file:
        runs = [{d["name"]: d for d in json.loads(line)["devices"]} for line in file]
    rtl, model = ([r[name] for r in runs if name in r] for name in ("rtl", "model"))
    timed = [d for d in rtl if d["eval_share"] > 0]  # 0: not measured
    spread("simulated cycles per CPU second", [d["cycles"] / d["cpu_seconds"] for d in rtl if d["cpu_seconds"] > 0], len(runs), ".0f")
    spread("outside the design's evaluation", [100 * (1 - d["eval_share"]) for d in timed], len(runs), ".1f", "%")
    spread("outside the design's evaluation, per clock",
           [1e9 * (1 - d["eval_share"]) * d["cpu_seconds"] / d["cycles"] for d in timed], len(runs), ".0f", "ns")
    spread("the model's layers", [1e3 * d["cpu_seconds"] for d in model], len(runs), ".3f", "ms")
    for d in rtl[:1]:
        print(f"  testbench: {d['vpi_calls'] / d['cycles']:.3f} accesses a cycle, at most {d['most_vpi_per_cycle']}, {d['quiet_cycles']} quiet cycles")
    return 0


sys.exit(main(*sys.argv[1:]))
