#!/usr/bin/python3
"""Plants the faults of hang_faults.tsv, for full of hang_faults_full.tsv, in a copy of rtl/, all in one simulator, plays a trace with each,
and checks whether the hang's report names the folder of the fault.

usage: hang_faults.py BUILD [full]     one test, which fails if less than nine in ten are named

tb_top's `fault` (TB_FAULTS) is the low half of a power pin that has no function: it selects the fault of a run.
"""
import csv
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
CONFIG = "full" if "full" in sys.argv[2:] else "small"
TABLE = "hang_faults.tsv" if CONFIG == "small" else "hang_faults_full.tsv"
PIN = "nvdla_pwrbus_ram_a_pd"


def load():
    with open(os.path.join(HERE, TABLE), newline="", encoding="utf-8") as f:
        return [row for row in csv.reader(f, delimiter="\t", quoting=csv.QUOTE_NONE) if not row[0].startswith("#")]


def plant(faults, directory):
    """Writes the copy and its file list; returns the list's name."""
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(os.path.join(ROOT, "rtl"), directory)
    for number, (_, _, file, original, changed) in enumerate(faults, 1):
        path = os.path.join(directory, file.removeprefix("rtl/"))
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if text.count(original) != 1:
            sys.exit(f"{TABLE}: {file} has {text.count(original)} places {original!r}, expected 1")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace(original, changed.replace("FAULT", f"(tb_top.fault == 16'd{number})")))
    return os.path.join(directory, "nvdla.f")


def play(build, number, fault, out):
    """The triage of the run's hang; None if it did not hang."""
    folder, trace = fault[:2]
    directory = os.path.join(out, str(number))
    status = subprocess.run([os.path.join(build, "nvcosim"), "run", "-q", "--dut", "rtl:hangs", "--still", "3000", "--max-cycles", "400000", "--pin",
                             f"{PIN}={number}", "--out", directory, f"traces/conformance/{CONFIG}/{trace}.nvt.gz"],
                            cwd=ROOT, capture_output=True, check=False).returncode
    if status != 3:
        return None
    with open(os.path.join(directory, trace, "report.json"), encoding="utf-8") as f:
        devices = json.load(f)["devices"]
    return next(d["hang"]["triage"] for d in devices if "hang" in d)


def main(argv):
    if argv[2:] not in ([], ["full"]) or len(argv) < 2:
        sys.exit(__doc__)
    build = os.path.abspath(argv[1])
    faults = load()
    out = os.path.join(build, "tests", os.path.splitext(TABLE)[0])
    files = plant(faults, os.path.join(out, "rtl"))
    subprocess.run(["make", "-s", "simulator", f"B={build}", f"CONFIG={CONFIG}", "NAME=hangs", f"FILELIST={files}", "TOP=NV_nvdla", "OPT=-O0",
                    f"VERILATOR_OPTIONS=+define+TB_LINKS +define+TB_WAITS +define+TB_FAULTS +incdir+{build}/gen"], cwd=ROOT, check=True)
    named = 0
    for number, fault in enumerate(faults, 1):
        triage = play(build, number, fault, out)
        good = triage is not None and triage["engine"] == fault[0]
        named += good
        print(f"{'ok   ' if good else 'NO   '} {fault[0]:5} {os.path.basename(fault[2]):28} {triage['text'] if triage else 'no hang'}")
    print(f"{named} of {len(faults)} named")
    few = named * 10 < len(faults) * 9
    print("0 passed, 1 failed" if few else "1 passed, 0 failed")
    return few


sys.exit(main(sys.argv))
