#!/usr/bin/python3
"""Evaluates an expression on the JSON values of a file, one or many; fails if it is not true. The last line of a .jsonl must be whole.

usage: json_holds.py FILE EXPRESSION     j: the first value; all: all of them; r: results by the name of their
                                         trace (docs/results.md); split(command): its words, as a shell takes them
"""
import json
import shlex
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    text = f.read()
assert text == "" or text.endswith("\n") or not sys.argv[1].endswith(".jsonl"), "the last line is cut"
values = []
while text := text.lstrip():
    value, end = json.JSONDecoder().raw_decode(text)
    values.append(value)
    text = text[end:]
names = {"all": values, "j": values[0] if values else None, "r": {v["trace"]: v for v in values if "trace" in v}, "split": shlex.split}
assert eval(sys.argv[2], names), (sys.argv[2], values)
