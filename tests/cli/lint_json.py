#!/usr/bin/python3
"""The file stdout has what `nvcosim lint --json good/good.cfg stuck/stuck.cfg` prints.

usage: lint_json.py
"""
import json

with open("stdout", encoding="utf-8") as f:
    good, stuck = (json.loads(line) for line in f)
assert good["findings"] == [] and good["config"] == "small"
first = stuck["findings"][0]
assert (first["severity"], first["effect"], first["unit"], first["launch"], first["line"]) == ("error", "hangs", "SDP", 0, 34), first
assert first["section"] == "50-sdp section 2.3" and first["file"].endswith("stuck.cfg")
registers = first["registers"]
assert registers[0]["name"] == "SDP.D_DATA_CUBE_WIDTH" and registers[0]["value"] == 7 and len(registers) > 1, registers
assert stuck["errors"] == sum(finding["severity"] == "error" for finding in stuck["findings"])
