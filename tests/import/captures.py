#!/usr/bin/env python3
"""Imports every capture of the conformance folder that its expected.csv lists, compares outcome and access list, and replays what came of it.

usage: captures.py NVCOSIM OUT [--rtl] [NAME...]       NAME: of a folder; in the environment NVDLA_CONFORMANCE (default ../shared/conformance)
  --rtl    captures of small are replayed on the RTL too
"""
import csv
import hashlib
import os
import re
import subprocess
import sys

STATUS = {"ok": 0, "partial": 1, "refuse": 2}
nvcosim, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
arguments = sys.argv[3:]
rtl = "--rtl" in arguments
wanted = [a for a in arguments if a != "--rtl"]
captures = os.path.join(os.environ.get("NVDLA_CONFORMANCE", "../shared/conformance"), "captures")
passed = failed = 0
os.makedirs(out, exist_ok=True)


def judge(name, good, text=""):
    global passed, failed
    passed += good
    failed += not good
    if not good:
        print(f"FAIL {name}: {text}")


def command(*words):
    return subprocess.run([nvcosim, *words], capture_output=True, text=True)


def config_of(folder):
    return "small" if "small" in folder else "full"


def options_of(text):
    """"base=0x43c80000 columns=time:1,type:2 separator=;" as long options."""
    return [f"--{word}" for word in text.split()]


def images_of(folder):
    """Initial images as --mem, which files without memory lines need."""
    words = []
    path = os.path.join(captures, folder, "regions.csv")
    if os.path.exists(path):
        for row in csv.DictReader(open(path)):
            if row["kind"] == "initial":
                space = {"pri": "primary", "sec": "secondary"}[row["space"]] if "space" in row else "primary"
                words.append(f"--mem={space}:{row['address']}={os.path.join(captures, folder, row['file'])}")
    return words


def replay(name, config, trace, devices, *more):
    for dut in devices:
        ran = command("run", "-q", "--config", config, "--dut", dut, "--out", os.path.join(out, "reports"), *more, trace)
        judge(f"{name} on {dut}", ran.returncode == 0, ran.stdout + ran.stderr)


def add_goldens(folder, trace):
    """The outputs that the folder records, as checks at the end."""
    checks = []
    for row in csv.DictReader(open(os.path.join(captures, folder, "regions.csv"))):
        if row["kind"] == "golden":
            space = {"pri": "primary", "sec": "secondary"}[row["space"]]
            checks.append(f"mem_crc {space} {row['address']} {row['size']} {row['crc32']} end\n")
    with open(trace, "a", encoding="utf-8") as f:
        f.writelines(checks)


def check_row(folder, row):
    config = config_of(folder)
    name = f"{folder}/{row['file']} {row['options']}".strip()
    trace, accesses = os.path.join(out, "t.nvt"), os.path.join(out, "accesses.txt")
    for path in (trace, accesses):
        if os.path.exists(path):
            os.unlink(path)
    complete = row["outcome"] == "ok"
    memory = images_of(folder) if complete and row["format"] != "vp" else []
    ran = command("import", "--config", config, "-q", "-o", trace, "--accesses", accesses, *options_of(row["options"]), *memory,
                  os.path.join(captures, folder, row["file"]))
    judge(name, ran.returncode == STATUS[row["outcome"]], f"exit status {ran.returncode}, expected {row['outcome']}\n{ran.stderr}")
    if row["outcome"] == "refuse":
        judge(f"{name} writes nothing", not os.path.exists(trace) and not os.path.exists(accesses))
        place = re.search(r"line (\d+)", row["note"])
        judge(f"{name} names the line", not place or f":{place.group(1)}:" in ran.stderr, f"expected {row['note']}; got {ran.stderr}")
        return
    if not os.path.exists(accesses):
        judge(f"{name} access list", False, "is not there")
        return
    text = open(accesses, "rb").read()
    judge(f"{name} access list", hashlib.sha256(text).hexdigest() == row["access_list_sha256"],
          f"{text.count(b'W ')} writes and {text.count(b'R ')} reads, expected {row['writes']} and {row['reads']}")
    again = command("import", "--config", config, "-q", "--from", row["format"], "-o", trace + ".again", *options_of(row["options"]), *memory,
                    os.path.join(captures, folder, row["file"]))
    judge(f"{name} with --from", again.returncode == STATUS[row["outcome"]], again.stderr)
    if row["outcome"] == "partial":
        place = re.search(r"line (\d+)", row["note"])
        judge(f"{name} names the line", not place or f":{place.group(1)}:" in ran.stderr or "number" in row["note"] or "forced" in row["note"],
              f"expected {row['note']}; got {ran.stderr}")
        return
    devices = ["model"] + (["rtl"] if rtl and config == "small" else [])
    replay(name, config, trace, devices)
    if memory or row["format"] == "vp" and "no memory lines" not in row["note"]:
        if row["format"] != "vp":
            add_goldens(folder, trace)
        replay(f"{name} with the recorded outputs", config, trace, devices)
    linted = command("lint", "-q", "--config", config, trace)
    judge(f"{name} lint", linted.returncode == 0, linted.stdout)


if not os.path.isdir(captures):
    print(f"SKIPPED: there is no folder {captures} (set NVDLA_CONFORMANCE)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)
for folder in sorted(os.listdir(captures)):
    path = os.path.join(captures, folder, "expected.csv")
    if os.path.exists(path) and (not wanted or folder in wanted):
        for row in csv.DictReader(open(path)):
            check_row(folder, row)
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
