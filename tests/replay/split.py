#!/usr/bin/python3
"""Judges pieces, results and reports for split.sh; the exit status is 1 if one is not as expected.

usage: split.py last NVCOSIM FOLDER            the last piece of digits leaves the outputs of the whole, and pieces name their launches
       split.py one RESULTS REPORT OP_CYCLES   three pieces are one result, with about the cycles of the whole
       split.py estimate OUTPUT OP_CYCLES      a sample estimates the cycles of the whole
"""
import glob
import gzip
import json
import os
import re
import subprocess
import sys


def read(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def outputs(nvcosim, trace, folder):
    subprocess.run([nvcosim, "run", "-q", "--dut", "model", "--outputs", folder, trace], check=True)
    with open(os.path.join(folder, os.listdir(folder)[0]), "rb") as f:
        return f.read()


def last(nvcosim, folder):
    pieces = sorted(glob.glob(f"{folder}/digits/*.gz"))
    whole = outputs(nvcosim, f"{folder}/digits.nvt.gz", f"{folder}/outputs-whole")
    with gzip.open(pieces[2], "rt") as f:
        third = f.read()
    return len(whole) > 0 and whole == outputs(nvcosim, pieces[-1], f"{folder}/outputs-last") and \
        "SDP #0 is SDP #1 (digits.nvt.gz:" in third and "layer 0.4 of the network" in third


def one(results, report, cycles):
    result, report, cycles = read(results), read(report), int(cycles)
    return result["verdict"] == report["verdict"] == "PASS" and len(report["pieces"]) == 3 and result["trace"] == "digits" and \
        abs(result["op_cycles"] - cycles) < 0.05 * cycles and result["op_cycles"] == sum(piece["op_cycles"] for piece in report["pieces"])


def estimate(output, cycles):
    mean, error = map(float, re.search(r"(\d+) op_cycles, standard error (\d+)", output).groups())
    return abs(mean - float(cycles)) < 0.2 * float(cycles) and error > 0


sys.exit(not {"last": last, "one": one, "estimate": estimate}[sys.argv[1]](*sys.argv[2:]))
