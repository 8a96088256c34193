#!/usr/bin/python3
"""A histogram.json has the three streams of good.cfg, and each of their 64 values once.

usage: histogram.py HISTOGRAM.json
"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    streams = json.load(f)
assert [s["tap"] for s in streams] == ["SDP_IN", "SDP_CVT_IN", "SDP_OUT"]
assert all(sum(s["sp"]) + sum(s["sn"]) + s["zero"] + s["minus1"] == s["m"] == 64 for s in streams)
