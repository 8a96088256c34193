#!/usr/bin/python3
"""Plants the faults of planted.tsv, for full of planted_full.tsv, in a copy of the RTL. A check inside the RTL has to report each of them before it becomes a wrong byte.

All faults are in one simulator, so that one build serves them all. Each depends on an input that the design does not use:
`--pin nvdla_pwrbus_ram_c_pd=N` switches fault N on. Without a fault the copy must play all traces without a finding.
A row with a fifth column is of a fault that changes nothing before the end of a run: that check (NVDLA_FINAL) has to report it, and no other one
but those whose names follow it.

usage: planted.py BUILD [--config=full] [FAULT...]      prints a line for each fault and "N passed, N failed"; without NIGHTLY=1 and FAULT every
sixth fault is played, and one memory without a fault
"""
import csv
import glob
import json
import os
import re
import shutil
import subprocess
import sys

NVCOSIM = os.environ.get("NVCOSIM", "build/nvcosim")
CONFIG = "full" if "--config=full" in sys.argv else "small"
TABLE = "planted.tsv" if CONFIG == "small" else f"planted_{CONFIG}.tsv"
NAME = f"planted_checks_{CONFIG}"

HERE = os.path.dirname(os.path.abspath(__file__))

# Memories that let queues run full and streams wait.
MEMORIES = [["--stall=700", "--bandwidth=400", "--seed=3"], [], ["--stall-aw=960", "--stall-w=960", "--seed=2"],
            ["--latency=150", "--stall=300", "--reorder", "--seed=1"]]
# Layers that reach the places of a folder of rtl/.
KINDS = {"common": ["mix", "conv", "edge"], "mcif": ["mix", "sdp"], "engine": ["mix", "pdp"], "csc": ["conv", "img"], "cacc": ["conv"], "cmac": ["conv"],
         "cdma": ["conv", "img"], "sdp": ["sdp"], "pdp": ["pdp"], "cdp": ["cdp"], "csb": ["conv"], "glb": ["conv"], "bdma": ["bdma"], "rubik": ["rubik"],
         "NV_nvdla.sv": ["conv"]}
if CONFIG == "full":
    KINDS |= {"cdma": ["conv", "img", "winograd"], "csc": ["conv", "img", "winograd"]}
LAYERS = 3 if CONFIG == "small" else 8  # of each kind
LIMIT = 24000  # cycles: a fault that hangs the design has been seen by then


def engine(path):
    """The folder of a file of rtl/; a form for simulators, sim/nvdla_ENGINE_*.sv, counts as its engine's."""
    folder, _, name = path.partition("/")
    return name.split("_")[1] if folder == "sim" else folder


def load():
    """The rows of the table: name, file, original text, changed text, the check at the end of the run or ""."""
    with open(os.path.join(HERE, TABLE), newline="", encoding="utf-8") as f:
        return [(*row, "")[:5] for row in csv.reader(f, delimiter="\t", quoting=csv.QUOTE_NONE) if not row[0].startswith("#")]


def write_copy(faults, folder, build):
    """Writes a copy of rtl/ with all faults, and its file list."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    shutil.copytree("rtl", folder + "/rtl")
    for number, (name, path, good, bad, _) in enumerate(faults, 1):
        with open(f"{folder}/rtl/{path}", encoding="utf-8") as f:
            text = f.read()
        if text.count(good) != 1:
            sys.exit(f"{TABLE}: fault {name}: rtl/{path} has {good!r} {text.count(good)} times, expected once")
        bad = re.sub(r"\bON\b", f"(tb_top.dut.nvdla_pwrbus_ram_c_pd == 32'd{number})", bad)
        with open(f"{folder}/rtl/{path}", "w", encoding="utf-8") as f:
            f.write(text.replace(good, bad))
    with open(folder + "/planted.f", "w", encoding="utf-8") as f:
        f.write(os.path.abspath(f"{build}/gen/{CONFIG}/nvdla_pkg.sv") + "\n")
        f.write(f"-F {os.path.abspath(folder)}/rtl/nvdla.f\n")


def play(number, traces, memory, out):
    """Plays with fault `number`; returns the reports of the traces that did not pass."""
    shutil.rmtree(out, ignore_errors=True)
    limit = [f"--max-cycles={LIMIT}"] if number else []
    subprocess.run([NVCOSIM, "run", "-q", "-j2", f"--config={CONFIG}", f"--dut=rtl:{NAME}", "--checks", f"--out={out}", *limit,
                    f"--pin=nvdla_pwrbus_ram_c_pd={number}", *memory, *traces],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    reports = []
    for path in sorted(glob.glob(out + "/*/report.json")):
        with open(path, encoding="utf-8") as f:
            report = json.load(f)
        if report["status"] != "PASS":
            reports.append(report)
    return reports


def judge(report, final):
    """(the finding of the first check or None, cycle of the first wrong byte or None) of a trace. final: the check that has to report and those
    that may, "": any."""
    findings = [f for d in report["devices"] for f in d["findings"] if f["rule"].startswith("check-")]
    first = min(findings, key=lambda f: f["cycle"], default=None)
    names = [f["text"].split(":")[0] + f["rule"].replace("check-", ".") for f in findings]
    wanted = final.split()
    if wanted and not (any(name.endswith(wanted[0]) for name in names) and all(name.endswith(tuple(wanted)) for name in names)):
        first = None
    wrong = [m["got_origin"]["cycle"] for m in report["mismatches"] if "cycle" in (m.get("got_origin") or {})]
    return first, min(wrong, default=None)


def main():
    build, names = sys.argv[1], [word for word in sys.argv[2:] if not word.startswith("--")]
    folder = f"{build}/tests/{NAME}"
    faults = load()
    write_copy(faults, folder, build)
    subprocess.run(["make", "-s", "--no-print-directory", "simulator", f"CONFIG={CONFIG}", f"NAME={NAME}", "VARIANT=checks", "TOP=NV_nvdla", "OPT=-O1",
                    f"FILELIST={os.path.abspath(folder)}/planted.f"], check=True, stdout=subprocess.DEVNULL)
    traces = {}
    folders = {engine(path) for _, path, *_ in faults}
    for kind in sorted({k for f in folders for k in KINDS[f]} - {"edge", "winograd"}):
        subprocess.run([NVCOSIM, "gen", "-q", f"--config={CONFIG}", f"--engine={kind}", "--seed=1", f"--count={LAYERS}",
                        f"--out={folder}/traces"], check=True)
        traces[kind] = sorted(glob.glob(f"{folder}/traces/{CONFIG}_{kind}_*"))
    traces["edge"] = sorted(glob.glob(f"traces/conformance/{CONFIG}/rand_edge_group_00*"))[:LAYERS]
    traces["winograd"] = sorted(glob.glob(f"traces/conformance/{CONFIG}/rand_wino_00*"))[:LAYERS]
    passed = failed = 0

    def verdict(good, text):
        nonlocal passed, failed
        passed, failed = passed + good, failed + (not good)
        print(("ok    " if good else "FAIL  ") + text, flush=True)

    everything = [t for kind in traces.values() for t in kind]
    for memory in MEMORIES if os.environ.get("NIGHTLY") else MEMORIES[:1]:
        bad = play(0, everything, memory, folder + "/out")
        verdict(not bad, f"no fault, memory {' '.join(memory) or 'default'}: no finding" + "".join("; " + r["reason"] for r in bad[:3]))
    for number, (name, path, _, _, final) in enumerate(faults, 1):
        if name not in names if names else number % 6 and not os.environ.get("NIGHTLY"):
            continue
        chosen = [t for kind in KINDS[engine(path)] for t in traces[kind]]
        seen = caught = None
        for memory in MEMORIES:
            reports = play(number, chosen, memory, folder + "/out")
            for report in reports:
                first, wrong = judge(report, final)
                if report["status"] == "HANG" and not first and len(reports) > 1:
                    continue  # a long layer, or one that shows the fault by hanging alone
                if not first or (wrong is not None and wrong < first["cycle"]):
                    seen = f'{report["trace"]}: {report["reason"]}, first check {first}, first wrong byte {wrong}'
                    caught = None
                    break
                caught = caught or f'{first["rule"]} at {first["text"]}, cycle {first["cycle"]}, first wrong byte {wrong}'
            if reports:
                break
        verdict(caught is not None, f"{name}: {caught or seen or 'has no effect on these traces'}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
