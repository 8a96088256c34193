#!/usr/bin/python3
"""Prints how much a run simulated and how long that took, from its result.

usage: demo_speed.py RESULTS.jsonl
"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    result = json.loads(f.readline())
rtl = result["devices"][0]
print(f"{result['macs']:,} multiplications in {rtl['op_cycles']:,} clocks of NVDLA, simulated in {result['seconds']:.1f} seconds")
