#!/usr/bin/python3
"""Prints a line for each result of a night, without what depends on the machine that it ran on.

usage: same_everywhere.py NIGHTS NIGHT     folder of nights.db, number of the night
"""
import json
import re
import sqlite3
import sys

COLUMNS = "key, verdict, reason, signature, mismatch, cycles, op_cycles, macs, hex(coverage), report, page, command, debug_command, result"
database = sqlite3.connect(f"file:{sys.argv[1]}/nights.db?mode=ro", uri=True)
for *row, result in database.execute(f"SELECT {COLUMNS} FROM result WHERE night = ? ORDER BY number", (sys.argv[2],)):
    result = json.loads(result) if result else {}
    for device in result.get("devices", []):
        device.pop("cpu_seconds")
    for name in "seconds", "cpu_seconds", "memory_peak":
        result.pop(name, None)
    print(re.sub(r"night-\d+", "night-N", json.dumps([row, result])))
