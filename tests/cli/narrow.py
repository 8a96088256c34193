#!/usr/bin/python3
"""No line of the file stdout is wider than a terminal; colours are not counted.

usage: narrow.py COLUMNS
"""
import re
import sys

with open("stdout", encoding="utf-8") as f:
    for line in f:
        assert len(re.sub("\x1b\\[[0-9;]*m", "", line.rstrip("\r\n"))) <= int(sys.argv[1]), line
