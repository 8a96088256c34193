#!/usr/bin/python3
"""Prints the rows of a query on a database of nights (docs/database.md).

usage: sql.py DATABASE QUERY [SEPARATOR]     between columns; default: |
"""
import sqlite3
import sys

if not 3 <= len(sys.argv) <= 4:
    sys.exit(__doc__)
separator = sys.argv[3] if len(sys.argv) == 4 else "|"
for row in sqlite3.connect(f"file:{sys.argv[1]}?mode=rw", timeout=60, uri=True).execute(sys.argv[2]):
    print(*row, sep=separator)
