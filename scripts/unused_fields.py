#!/usr/bin/env python3
"""Compares the register fields that no module of an engine uses with the list of them, rtl/unused_fields.csv.

Modules take a layer's registers as one struct and use some of its fields, so lint cannot tell that a field was forgotten. A field that is
neither used nor listed is an error, and so is one that is listed and used, or that does not exist.

usage: unused_fields.py BUILD/gen/CONFIG/nvdla_pkg.sv
"""
import csv
import glob
import re
import sys

# Struct of nvdla_pkg, and the folder whose modules use it.
UNITS = {"cdma_d_t": "cdma", "csc_d_t": "csc", "cmac_a_d_t": "cmac", "cacc_d_t": "cacc", "sdp_d_t": "sdp", "sdp_rdma_d_t": "sdp",
         "pdp_d_t": "pdp", "pdp_rdma_d_t": "pdp", "cdp_d_t": "cdp", "cdp_s_t": "cdp", "cdp_rdma_d_t": "cdp"}
LIST = "rtl/unused_fields.csv"


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        package = f.read()
    fields = {}
    for body, name in re.findall(r"typedef struct packed \{(.*?)\} (\w+);", package, re.S):
        if name in UNITS:
            fields[name] = {m for m in re.findall(r"(\w+);", body) if not re.fullmatch(r"unused_\d+", m)}
    used = {}
    for name in fields:
        used[name] = set()
        for path in glob.glob(f"rtl/{UNITS[name]}/*.sv"):
            with open(path, encoding="utf-8") as f:
                code = re.sub(r"//.*", "", f.read())
            # Members of every variable and port of that type.
            for declaration in re.findall(rf"\b{name}\s+([\w, ]+)", code):
                for variable in re.findall(r"\w+", declaration):
                    used[name] |= set(re.findall(rf"\b{variable}\.(\w+)", code))
    listed = {}
    wrong = []
    with open(LIST, newline="", encoding="utf-8") as f:
        for number, row in enumerate(csv.DictReader(f), 2):
            listed.setdefault(row["struct"], set()).add(row["field"])
            if row["struct"] in fields and row["field"] not in fields[row["struct"]]:
                wrong.append(f"{LIST}:{number}: {row['struct']} has no field {row['field']}")
            elif row["struct"] in fields and row["field"] in used[row["struct"]]:
                wrong.append(f"{LIST}:{number}: {row['struct']}.{row['field']} is used in rtl/{UNITS[row['struct']]}: take it off the list")
    for name in sorted(fields):
        for field in sorted(fields[name] - used[name] - listed.get(name, set())):
            wrong.append(f"rtl/{UNITS[name]}: no module uses {name}.{field}; if that is right, add it to {LIST} with the reason")
    for line in wrong:
        print(line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
