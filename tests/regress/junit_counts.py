#!/usr/bin/python3
"""Counts the tests of a night from its junit.xml, and the optional items of its plan that found no trace from what it printed.

usage: junit_counts.py JUNIT LOG     prints "N passed, N failed, N skipped"
"""
import sys
import xml.etree.ElementTree as xml

root = xml.parse(sys.argv[1]).getroot()
total, failed = int(root.get("tests")), int(root.get("failures")) + int(root.get("errors"))
with open(sys.argv[2], encoding="utf-8") as log:
    missing = [line for line in log if "the item is optional, nothing of it runs" in line]
for line in missing:
    print("SKIPPED:", line.strip())
print(f"{total - failed} passed, {failed} failed, {len(missing)} skipped")
