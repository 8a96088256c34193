#!/usr/bin/python3
"""Imports every capture that an expected.csv lists, compares outcome and access list, and replays the trace.

usage: captures.py NVCOSIM OUT [--rtl] [NAME...]       NAME: of a folder
Captures are those of traces/captures, and those of $NVDLA_CONFORMANCE/captures (default ../shared/conformance) whose names ours do not have.
  --rtl    captures of small are replayed on the RTL too
"""
import csv
import hashlib
import os
import re
import subprocess
import sys

from counts import check, finish, run, skip
from tracetext import TraceText

STATUS = {"ok": 0, "partial": 1, "refuse": 2}
nvcosim, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
arguments = sys.argv[3:]
rtl = "--rtl" in arguments
wanted = [a for a in arguments if a != "--rtl"]
OWN = "traces/captures"
ADDED = os.path.join(os.environ.get("NVDLA_CONFORMANCE", "../shared/conformance"), "captures")
os.makedirs(out, exist_ok=True)


def place(folder, file):
    """Path of a file of a capture's folder."""
    return os.path.join(OWN if os.path.isdir(os.path.join(OWN, folder)) else ADDED, folder, file)


def command(*words):
    return run(nvcosim, *words)


def config_of(folder):
    return "small" if "small" in folder else "full"


def options_of(text):
    """"base=0x43c80000 columns=time:1,type:2 separator=;" as long options."""
    return [f"--{word}" for word in text.split()]


def images_of(folder):
    """Initial images as --mem, which files without memory lines need."""
    words = []
    path = place(folder, "regions.csv")
    if os.path.exists(path):
        for row in csv.DictReader(open(path)):
            if row["kind"] == "initial":
                space = {"pri": "primary", "sec": "secondary"}[row["space"]] if "space" in row else "primary"
                words.append(f"--mem={space}:{row['address']}={place(folder, row['file'])}")
    return words


def replay(name, config, trace, devices, *more):
    for dut in devices:
        ran = command("run", "-q", "--config", config, "--dut", dut, "--out", os.path.join(out, "reports"), *more, trace)
        check(f"{name} on {dut}", ran.returncode == 0, ran.stdout + ran.stderr)


def add_goldens(folder, trace):
    """The outputs that the folder records, as checks at the end."""
    checks = []
    for row in csv.DictReader(open(place(folder, "regions.csv"))):
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
                  place(folder, row["file"]))
    check(name, ran.returncode == STATUS[row["outcome"]], f"exit status {ran.returncode}, expected {row['outcome']}\n{ran.stderr}")
    if row["outcome"] == "refuse":
        check(f"{name} writes nothing", not os.path.exists(trace) and not os.path.exists(accesses))
        where = re.search(r"line (\d+)", row["note"])
        check(f"{name} names the line", not where or f":{where.group(1)}:" in ran.stderr, f"expected {row['note']}; got {ran.stderr}")
        return
    if not os.path.exists(accesses):
        check(f"{name} access list", False, "does not exist")
        return
    text = open(accesses, "rb").read()
    check(f"{name} access list", hashlib.sha256(text).hexdigest() == row["access_list_sha256"],
          f"{text.count(b'W ')} writes and {text.count(b'R ')} reads, expected {row['writes']} and {row['reads']}")
    again = command("import", "--config", config, "-q", "--from", row["format"], "-o", trace + ".again", *options_of(row["options"]), *memory,
                    place(folder, row["file"]))
    check(f"{name} with --from", again.returncode == STATUS[row["outcome"]], again.stderr)
    if row["outcome"] == "partial":
        where = re.search(r"line (\d+)", row["note"])
        check(f"{name} names the line", not where or f":{where.group(1)}:" in ran.stderr or "number" in row["note"] or "forced" in row["note"],
              f"expected {row['note']}; got {ran.stderr}")
        return
    devices = ["model"] + (["rtl"] if rtl and config == "small" else [])
    replay(name, config, trace, devices)
    if memory or row["format"] == "vp" and "no memory lines" not in row["note"]:
        if row["format"] != "vp":
            add_goldens(folder, trace)
        replay(f"{name} with the recorded outputs", config, trace, devices)
    linted = command("lint", "-q", "--config", config, trace)
    check(f"{name} lint", linted.returncode == 0, linted.stdout)


def check_goldens(folder, trace):
    """The checks behind each layer are the bytes that the publisher recorded."""
    checks = TraceText(trace).checks
    goldens = [row for row in csv.DictReader(open(place(folder, "regions.csv"))) if row["kind"] == "golden"]
    check(f"{folder}: a check for each recorded output", len(checks) == len(goldens), f"{len(checks)} of {len(goldens)}")
    for (address, chunks), row in zip(checks, goldens):
        expected = open(place(folder, row["file"]), "rb").read()
        found = bytearray(len(expected))
        covered = 0
        for offset, content in chunks:
            found[offset:offset + len(content)] = content
            covered += len(content)
        check(f"{folder}: {row['file']}", address == int(row["address"], 0) and bytes(found) == expected and covered == len(expected))


def check_real(folder, file, config, status, *options):
    path = place(folder, file)
    if not os.path.exists(path):
        return None
    name, trace, accesses = f"{folder}/{file}", os.path.join(out, "real.nvt"), os.path.join(out, "accesses.txt")
    ran = command("import", "--config", config, "-o", trace, "--accesses", accesses, *options, path)
    check(name, ran.returncode == status, f"exit status {ran.returncode}\n{ran.stderr}")
    if status == 0:
        listed = subprocess.run(["zcat", "-f", place(folder, "accesses.txt.gz")], capture_output=True).stdout
        check(f"{name} access list", open(accesses, "rb").read() == listed)
    check(f"{name} lint", command("lint", "-q", "--config", config, trace).returncode == 0)
    replay(name, config, trace, ["model"] + (["rtl"] if rtl and config == "small" else []))
    return ran.stdout + ran.stderr


def check_all_real():
    text = check_real("lenet_small", "sc_rebuilt.log.gz", "small", 0)
    if text is not None:
        check_goldens("lenet_small", os.path.join(out, "real.nvt"))
        check("lenet_small: nothing is guessed of its memory", "guessed: 0x" not in text and "filled" not in text.replace(" 0 filled at random", ""), text)
        check("lenet_small: polls", "4 polls (of 4 reads)" in text and "12 interrupt waits" in text, text)
    check_real("lenet_small", "csb_lines.log", "small", 0)
    check_real("lenet_small", "output.txn", "small", 0)
    if check_real("lenet_small", "csb_lines.log", "small", 0, "--map", "0xc0000000:0x80000000:0x10000000") is not None:
        moved = open(os.path.join(out, "real.nvt"), encoding="utf-8").read()
        check("lenet_small moved", " 0xc0" not in moved.split("reg_write", 1)[0] and " 0xffffff80" not in moved)
    check_real("lenet", "input.txn", "full", 0)
    text = check_real("lenet", "qemu_log.gz", "full", 1)
    check("lenet/qemu_log.gz says that it is incomplete", text is None or "10 layers were done, the accesses arm" in text, text)
    text = check_real("alexnet_full", "csb_lines.log.gz", "full", 0)
    check("alexnet_full: two tables", text is None or ", 2 tables" in text, text)


if not os.path.isdir(ADDED):
    skip(f"there is no folder {ADDED} (set NVDLA_CONFORMANCE): captures of real drivers are not imported")
folders = {name for root in (OWN, ADDED) if os.path.isdir(root) for name in os.listdir(root)}
for folder in sorted(folders):
    path = place(folder, "expected.csv")
    if os.path.exists(path) and (not wanted or folder in wanted):
        for row in csv.DictReader(open(path)):
            check_row(folder, row)
if not wanted and os.path.isdir(ADDED):
    check_all_real()
finish()
