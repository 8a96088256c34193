#!/usr/bin/python3
"""Compares the cycles of the RTL with those of the public RTL (cycles.csv beside the traces, same memory latency).

usage: cycles.py NVCOSIM [CONFIG]     CONFIG: small by default; traces: those of tests/conformance_traces.sh

Judged: the geometric mean over traces of one layer whose streams neither wait nor read after the first D_OP_ENABLE. The
others are printed as information, since their cycles depend on when the register writes come.
"""
import csv
import gzip
import json
import math
import os
import re
import subprocess
import sys
import tempfile

OWN = "traces/conformance"
ADDED = os.environ.get("NVDLA_CONFORMANCE") or "../shared/conformance"


def one_layer(text):
    """True if every unit is enabled once and nothing waits or reads after the first enable (.cfg or .nvt; an .nvt's commands
    at "end" come after everything else)."""
    commands = [line for line in text.splitlines() if not re.match(r"//|#| |$", line) and not line.endswith(" end")]
    enables = [(i, m.group(1)) for i, c in enumerate(commands)
               if (m := re.match(r"reg_write(?:\(NVDLA_| )(\w+)\.D_OP_ENABLE(?:_0)?[ ,]+(?:0x)?1\b", c))]
    units = [unit for _, unit in enables]
    tail = commands[enables[0][0]:] if enables else []
    return len(set(units)) == len(units) and not any(re.match(r"sync_wait|wait|poll|reg_read|read_check", c) for c in tail)


def read_reference(folder):
    path = os.path.join(folder, "cycles.csv")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        return {r["trace"]: int(r["op_cycles"]) for r in csv.DictReader(f)}


def main(nvcosim, config="small"):
    reference = read_reference(os.path.join(ADDED, config)) | read_reference(os.path.join(OWN, config))
    listed = subprocess.run(["tests/conformance_traces.sh", config], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    traces, judged = [], set()
    for path in listed:
        name = os.path.basename(path).split(".")[0]
        if name in reference:
            with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as f:
                text = f.read()
            traces.append(path)
            if one_layer(text):
                judged.add(name)
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as results:
        subprocess.run([nvcosim, "run", "-q", "--dut", "rtl", "-j", str(os.cpu_count()),
                        "--results", results.name] + traces, capture_output=True, check=False)
        lines = [json.loads(line) for line in results]
    cycles = {r["trace"]: r["op_cycles"] for r in lines if r["verdict"] == "PASS"}
    missing = [t for t in traces if os.path.basename(t).split(".")[0] not in cycles]
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
