#!/usr/bin/python3
"""Finds register fields that are used although rtl/unused_fields.csv lists them as unused, and waivers of whole structs.

Modules that get a layer's registers as one struct name the fields that they do not use in a wire unused_*, with the macro that
scripts/gen_tables.py makes from the list. Verilator then warns about a field that is neither used nor listed, and gen_tables.py checks that
listed fields exist. Neither notices a listed field that is used, or a wire that waives the whole struct.

usage: unused_fields.py
"""
import csv
import glob
import re
import sys

LIST = "rtl/unused_fields.csv"


def structs():
    """Structs of nvdla_pkg (of a unit's registers without and with groups), and the folder whose modules use them."""
    with open("csrc/nvdla/engines.csv", newline="", encoding="utf-8") as f:
        rows = [row for row in csv.DictReader(f) if row["unit"]]
    return {f"{row['unit'].lower()}_{kind}_t": row["folder"] for row in reversed(rows) for kind in "sd"}


def look_at(path, struct, used):
    """Adds the members of variables of type `struct` that a file uses to `used` (field: place); yields the waivers of whole variables."""
    with open(path, encoding="utf-8") as f:
        code = re.sub(r"//.*", "", f.read())
    # What is written to the status words (stat_*) has the struct's type too, but is no use of what software writes.
    variables = [v for names in re.findall(rf"\b{struct}\s+([\w, ]+)", code) for v in re.findall(r"\w+", names) if not v.startswith("stat_")]
    waivers = list(re.finditer(r"\bwire (unused\w*) = ([^;]*);", code))
    for variable in variables:
        for waiver in waivers:
            if re.search(rf"(?<![\w(.`]){variable}\b(?!\s*[.(])", waiver[2]):
                line = code.count("\n", 0, waiver.start()) + 1
                yield f"{path}:{line}: {waiver[1]} waives all of {variable} ({struct}): name the fields that this module leaves aside"
        for use in re.finditer(rf"\b{variable}\.(\w+)", code):
            if not any(waiver.start() <= use.start() < waiver.end() for waiver in waivers):
                used.setdefault(use[1], f"{path}:{code.count(chr(10), 0, use.start()) + 1}")


def main():
    folders = structs()
    used = {struct: {} for struct in folders}
    wrong = [line for struct, folder in folders.items() for path in sorted(glob.glob(f"rtl/{folder}/*.sv") + glob.glob(f"rtl/sim/nvdla_{folder}_*.sv"))
             for line in look_at(path, struct, used[struct])]
    with open(LIST, newline="", encoding="utf-8") as f:
        for number, row in enumerate(csv.DictReader(f), 2):
            if row["struct"] not in folders:
                wrong.append(f"{LIST}:{number}: found struct {row['struct']!r}, expected one of {', '.join(folders)}")
            elif row["field"] in used[row["struct"]]:
                wrong.append(f"{LIST}:{number}: {row['struct']}.{row['field']} is used ({used[row['struct']][row['field']]}): take it off the list")
            if not row["reason"]:
                wrong.append(f"{LIST}:{number}: {row['struct']}.{row['field']} has no reason: say why it is not used")
    for line in wrong:
        print(line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
