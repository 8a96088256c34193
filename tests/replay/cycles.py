#!/usr/bin/env python3
"""Compares the cycles of the RTL with those of the public RTL (cycles.csv beside the traces, same memory latency).

usage: cycles.py NVCOSIM FOLDER

Judged: the geometric mean over traces of one layer whose streams neither wait nor read after the first D_OP_ENABLE. The
others are printed as information, since their cycles depend on when the register writes come.
"""
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile


def one_layer(text):
    """True if every unit is enabled once and nothing waits or reads behind the first enable."""
    commands = [line for line in text.splitlines() if line and not line.startswith("//")]
    enables = [i for i, c in enumerate(commands) if re.match(r"reg_write\([^,]*D_OP_ENABLE_0 *, *(0x)?1 *\)", c)]
    units = [re.match(r"reg_write\(([^.]*)\.", commands[i]).group(1) for i in enables]
    tail = commands[enables[0]:] if enables else []
    return len(set(units)) == len(units) and not any(re.match(r"sync_wait|poll|reg_read", c) for c in tail)


def main(nvcosim, folder):
    if not os.path.isdir(folder):
        print(f"SKIPPED: no conformance traces: {folder} does not exist (set NVDLA_CONFORMANCE)")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    with open(os.path.join(folder, "cycles.csv"), encoding="utf-8") as f:
        reference = {r["trace"]: int(r["op_cycles"]) for r in csv.DictReader(f)}
    traces, judged = [], set()
    for name in sorted(reference):
        path = os.path.join(folder, name, name + ".cfg")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                text = f.read()
            traces.append(path)
            if one_layer(text):
                judged.add(name)
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as results:
        subprocess.run([nvcosim, "run", "-q", "--dut", "rtl", "-j", "2", "--results", results.name] + traces, capture_output=True, check=False)
        lines = [json.loads(line) for line in results]
    cycles = {r["trace"]: r["op_cycles"] for r in lines if r["verdict"] == "PASS"}
    missing = [t for t in traces if os.path.splitext(os.path.basename(t))[0] not in cycles]
    logs, slower = [], 0
    print(f"{'trace':44} {'ours':>7} {'public':>7} ratio")
    for name in sorted(cycles):
        ratio = cycles[name] / reference[name]
        print(f"{name:44} {cycles[name]:7} {reference[name]:7} {ratio:5.2f}{'' if name in judged else '  (information)'}")
        if name in judged:
            logs.append(math.log(ratio))
            slower += ratio > 1
    mean = math.exp(sum(logs) / len(logs)) if logs else float("inf")
    print(f"geometric mean over {len(logs)} traces of one layer: {mean:.3f} (at most 1.0); slower than the public RTL: {slower}")
    for path in missing:
        print(f"no cycles for {path}")
    good = mean <= 1.0 and not missing
    print("1 passed, 0 failed" if good else "0 passed, 1 failed")
    return 0 if good else 1


sys.exit(main(*sys.argv[1:]))
