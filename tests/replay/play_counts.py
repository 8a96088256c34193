#!/usr/bin/python3
"""Counts what a run wrote with --results, for play.sh: prints how many traces pass, and whether any has another status than 0. The others
go to standard error, a line each.

usage: play_counts.py RESULTS
"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    results = [json.loads(line) for line in f]
failed = [result for result in results if result["verdict"] != "PASS"]
for result in failed:
    print(f'{result["verdict"]} {result["trace"]}: {result["reason"]}', file=sys.stderr)
print(len(results) - len(failed), any(result["status"] != 0 for result in results))
