#!/usr/bin/python3
"""Writes captures for import.sh.

usage: captures.py form FORM [BASE]    the layer of plain.nvt as a driver does it, with an interrupt service after it;
                                      FORM: kmd, csv, own, rwmmio; BASE: of the addresses in csv and rwmmio
       captures.py second [pointer]   t.log from a driver that ran before, so that group 1 is next; pointer: it reads which is
       captures.py both               the tail of t.log with group 1 armed first, and group 0 done first
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import tables


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def offsets():
    return {f"{register.unit}.{register.name}": register.offset for register in tables.load_registers()["small"]}


def form(name, base="0"):
    at, base = offsets(), int(base, 0)
    status, mask, state = at["GLB.S_INTR_STATUS"], at["GLB.S_INTR_MASK"], at["SDP.S_STATUS"]
    accesses = [("R", at["GLB.S_NVDLA_HW_VERSION"], 0x303031)]
    accesses += [("W", at[m.group(1)], int(m.group(2), 0)) for m in re.finditer(r"^reg_write (\S+) (0x[0-9a-f]+)", read("plain.nvt"), re.M)]
    accesses += [("R", state, 1), ("R", state, 1), ("R", state, 0), ("R", mask, 0), ("R", status, 1), ("W", status, 1), ("R", mask, 0), ("R", status, 0)]
    for n, (kind, address, value) in enumerate(accesses):
        word = {"R": "read", "W": "write"}[kind]
        if name == "kmd":
            print(f"[    1.{n:06}] dla_reg_{word}: addr({address:#x}, {address // 4:#x}), {kind.lower()}val({value:#x})")
        elif name == "csv":
            print(f"{n},{kind},{address + base:#x},{value:#x}")
        elif name == "own":
            print(f"nv_{word} word {address // 4:x} is {value:x}")
        elif name == "rwmmio":
            event = {"R": "rwmmio_post_read", "W": "rwmmio_write"}[kind]
            print(f"  dla-77  [000] d..1. 1.{n:06}: {event}: dla_{word}+0x10 -> dla_top+0x20 width=32 val={value:#x} addr={address + base:#x}")


def second(pointer=""):
    at = offsets()
    units = [at[f"{unit}.S_POINTER"] for unit in ("SDP_RDMA", "SDP")]
    if pointer:
        for unit in units:
            print(f"[ 0.1] dla_reg_read: addr({unit:#x}, {unit // 4:#x}), rval(0x10000)")
    for unit in units:
        print(f"[ 0.2] dla_reg_write: addr({unit:#x}, {unit // 4:#x}), wval(0x1)")
    for line in read("t.log").splitlines():
        address = int(re.search(r"addr\((0x[0-9a-f]+)", line).group(1), 0)
        if address in units:
            continue
        if address == at["SDP.S_STATUS"]:
            line = line.replace("rval(0x1)", "rval(0x10000)")
        if address == at["GLB.S_INTR_STATUS"]:
            line = re.sub(r"val\(0x1\)", "val(0x2)", line)
        print(line)


def both():
    lines = read("t.log").split("\n")
    state = [i for i, line in enumerate(lines) if "rval(0x1)" in line][0]  # SDP.S_STATUS: group 1 is pending, then running
    for i, value in enumerate(("0x20001", "0x20001", "0x10000")):
        lines[state + i] = lines[state + i][:lines[state + i].index("rval")] + f"rval({value})"
    print("\n".join(lines))


{"form": form, "second": second, "both": both}[sys.argv[1]](*sys.argv[2:])
