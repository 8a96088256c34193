#!/usr/bin/python3
"""docs/database.md describes every column of a database of nights, and no others.

usage: columns.py DATABASE.md DATABASE
"""
import re
import sqlite3
import sys

documented, table = set(), None
with open(sys.argv[1], encoding="utf-8") as page:
    for line in page:
        if line.startswith("## "):
            table = line[3:].strip()
        elif match := re.match(r"\| `(\w+)` \|", line):
            documented.add((table, match.group(1)))
columns = set(sqlite3.connect(sys.argv[2]).execute(
    "SELECT s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite%'"))
assert documented == columns, documented ^ columns
