#!/usr/bin/python3
"""Makes a long trace from a short one: the layer of an .nvt trace (one layer, mode streams) many times, in the two register groups alternately.

usage: long_trace.py TRACE.nvt.gz COUNT OUT.nvt [--fail-check N] [--set N UNIT.REGISTER VALUE]
                     [--all UNIT.REGISTER VALUE] [--leave-out N UNIT.REGISTER]

--fail-check N   adds a CRC check after layer N, counted from 0, that cannot pass
--leave-out N R  layer N does not write this register
--set N R V      layer N has this register value, the others keep theirs; --all R V: every layer
"""
import argparse
import gzip
import re

parser = argparse.ArgumentParser()
parser.add_argument("trace")
parser.add_argument("count", type=int)
parser.add_argument("out")
parser.add_argument("--fail-check", type=int, default=-1)
parser.add_argument("--set", nargs=3, action="append", default=[])
parser.add_argument("--all", nargs=2, action="append", default=[])
parser.add_argument("--leave-out", nargs=2, action="append", default=[])
arguments = parser.parse_args()

with gzip.open(arguments.trace, "rt", encoding="utf-8") as file:
    lines = file.read().splitlines()
last = max(i for i, line in enumerate(lines) if line.startswith("intr_notify"))
once, layer, in_blob = [], [], False
for line in lines[: last + 1]:
    words = line.split()
    in_blob = in_blob or line.startswith("blob")
    written = re.match(r"reg_write (\w+)\.(\w+) ", line)
    # arbiters, interrupt masks and memory are set up once; groups of registers each time
    if line.startswith("reg_write GLB.S_INTR_MASK"):
        once.append("reg_write GLB.S_INTR_MASK 0x3f03fc")  # all but SDP's two
    elif in_blob or not (written and (written[2] == "S_POINTER" or written[2].startswith("D_")) or line.startswith("intr_notify")):
        once.append(line)
    else:
        layer.append(line)
    if words and words[0] == "end":
        in_blob = False
region = next(line.split()[1:4] for line in lines if line.startswith("mem_crc"))

with open(arguments.out, "w", encoding="utf-8") as out:
    print("\n".join(once), file=out)
    for k in range(arguments.count):
        group, values = k % 2, {name: value for name, value in arguments.all}
        values.update({name: value for n, name, value in arguments.set if int(n) == k})
        for line in layer:
            written = re.match(r"reg_write (\w+)\.(\w+) ", line)
            unit, register = written.groups() if written else (None, None)
            if register == "S_POINTER":
                if k >= 2:
                    print(f"sync_wait {unit} done_{k - 2}", file=out)
                print(f"reg_write {unit}.S_POINTER {group:#x}", file=out)
            elif line.startswith("intr_notify SDP"):
                print(f"intr_notify SDP_{group} done_{k}", file=out)
            elif not written:
                continue  # notifications of engines before SDP
            elif [str(k), f"{unit}.{register}"] not in arguments.leave_out:
                print(f"reg_write {unit}.{register} {values[f'{unit}.{register}']}" if f"{unit}.{register}" in values else line, file=out)
        if k == arguments.fail_check:
            print("mem_crc", *region, f"0x0 after=done_{k}", file=out)
