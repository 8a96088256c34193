#!/usr/bin/env python3
"""Evaluates an expression on results.jsonl, what --results wrote.

usage: results_hold.py EXPRESSION     all: the results, in their order; r: those of each trace, by its name
"""
import json
import sys

with open("results.jsonl", encoding="utf-8") as f:
    lines = f.read()
assert lines == "" or lines.endswith("\n")
results = [json.loads(line) for line in lines.splitlines()]
assert eval(sys.argv[1], {"all": results, "r": {result["trace"]: result for result in results}}), (sys.argv[1], results)
