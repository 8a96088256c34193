#!/usr/bin/python3
"""Judges results and reports for second_dut.sh; the exit status is 1 if one is not as expected.

usage: second_dut.py mismatch RESULTS             the result names SDP, and the command that records the wrong beat
       second_dut.py first RESULTS REPORT OUTPUT  the run stopped at the first wrong beat, in SDP #47, and a copy from shortly before played it again
       second_dut.py piece REPORT NUMBER          only this piece did not pass
"""
import json
import re
import sys


def read(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def mismatch(results):
    result = read(results)
    wrong = result["mismatch"]
    first, last = (int(re.search(f"--wave-{end}=(\\d+)", result["wave_command"]).group(1)) for end in ("from", "to"))
    return result["verdict"] == "FAIL" and result["dut"] == "rtl:buggy+model" and wrong["unit"] == "SDP" and first < wrong["cycle"] < last


def first(results, report, output):
    result, report = read(results), read(report)
    wrong = report["first_wrong"]
    made, failure, again = map(int, re.search(r"copy of cycle (\d+) continued to the failure at cycle (\d+): (\d+) cycles", output).groups())
    return wrong["kind"] == "value" and wrong["cycle"] == result["mismatch"]["cycle"] and \
        wrong["layer"]["ordinal"] == result["mismatch"]["launch"] == 47 and \
        result["cycles"] - 200 <= wrong["cycle"] <= result["cycles"] and not report["mismatches"] and \
        failure - made == again <= failure / 10


def piece(report, number):
    return [p["piece"] for p in read(report)["pieces"] if p["verdict"] != "PASS"] == [int(number)]


sys.exit(not {"mismatch": mismatch, "first": first, "piece": piece}[sys.argv[1]](*sys.argv[2:]))
