#!/usr/bin/python3
"""Captures of the same programming are equal whatever their format; with one bit of one register changed, nvcosim diff
names exactly that register; with a launch removed, one inserted and a register changed between them, exactly these.

usage: programming.py NVCOSIM [CHANGES]      CHANGES of each capture of traces/captures (default 6)

Prints "N passed, N failed".
"""
import random
import re
import sys
import tempfile

from counts import check, finish
from in_process import ROOT, run

sys.path.insert(0, str(ROOT / "scripts"))
import tables

FORMATS = ["dmesg.log", "mmiotrace.txt", "journal.log"]
# Compared in a way of their own, or not at all.
OTHERS = re.compile(r"S_(STATUS|POINTER|INTR_\w+|LUT_ACCESS_\w+|CBUF_\w+)|D_OP_ENABLE|CFG_(LAUNCH\d|OP|CMD|STATUS)|\w*PERF\w*")


def register_bits():
    """{(map, byte address): (UNIT, REGISTER, writable bits)}"""
    bits = {}
    for name, registers in tables.load_registers().items():
        for register in registers:
            bits[name, register.offset] = (register.unit, register.name, register.mask(tables.STORED))
    return bits


def diff(nvcosim, config, first, second):
    """second: a path, or the text of a capture."""
    with tempfile.NamedTemporaryFile("w", suffix=".log") as file:
        if isinstance(second, str):
            file.write(second)
            file.flush()
            second = file.name
        status, printed, complaint = run(nvcosim, "diff", "--config", config, first, second)
    return status, printed.strip().split("\n"), complaint.strip()


def change(lines, config, bits, rng):
    """Flips a bit of a register write in place. Returns UNIT and REGISTER."""
    writes = []
    for number, line in enumerate(lines):
        found = re.search(r"dla_reg_write: addr\((0x[0-9a-f]+), 0x[0-9a-f]+\), wval\((0x[0-9a-f]+)\)", line)
        entry = found and bits.get((config, int(found[1], 16)))
        if entry and entry[2] and not OTHERS.fullmatch(entry[1]):
            writes.append((number, found, entry))
    number, found, (unit, name, mask) = rng.choice(writes)
    bit = rng.choice([b for b in range(32) if mask >> b & 1])
    lines[number] = lines[number].replace(f"wval({found[2]})", f"wval({int(found[2], 16) ^ 1 << bit:#x})")
    return unit, name


# Bit of a register, changed in all launches of a capture, and whether its value can matter in the first one.
EFFECTS = [
    ("rand_pdp_003", "PDP_RDMA", "D_FLYING_MODE", 0, False),             # no function
    ("rand_dc_000", "CACC", "D_DATAOUT_ADDR", 5, False),                # no batches
    ("rand_multi_000", "CDMA", "D_CONV_STRIDE", 0, False),              # Winograd only
    ("rand_multi_000", "CDMA", "D_LINE_STRIDE", 5, True),
    ("rand_pdp_003", "PDP", "D_DST_LINE_STRIDE", 5, True),
    ("rand_multi_000", "CACC", "D_CLIP_CFG", 0, True),
    ("rand_multi_000", "SDP", "D_CVT_SCALE", 1, True),
    ("rand_multi_002", "SDP", "D_DP_BS_MUL_CFG", 0, False),             # BS_MUL_BYPASS
    ("rand_multi_002", "SDP", "D_DP_BS_MUL_CFG", 8, True),              # the shift is applied all the same
]


def check_effects(nvcosim, bits):
    """nvcosim diff says of each change whether it can matter."""
    places = {(unit, name): address for (config, address), (unit, name, _) in bits.items() if config == "small"}
    for name, unit, register, bit, matters in EFFECTS:
        capture = ROOT / f"traces/captures/synth_small_{name}" / FORMATS[0]
        changed = re.sub(rf"(write: addr\({places[unit, register]:#x}, \w+\), wval\()(\w+)", lambda found: found[1] + hex(int(found[2], 16) ^ 1 << bit),
                         capture.read_text())
        status, shown, error = diff(nvcosim, "small", capture, changed)
        first = shown[0]
        good = f"{unit} #0 " in first and f" {register}: " in first and ("without effect" in first) != matters and (status == 1 or not matters)
        check(f"{unit} {register}, which can{'' if matters else 'not'} matter", good, "\n    ".join([f"status {status}", *shown, error]))


def check_launches(nvcosim, config="small"):
    """Of three launches of SDP the first is not armed, the second has another width, and one more follows the third.
    Exactly these are named."""
    capture = ROOT / "traces/captures/synth_small_rand_multi_000" / FORMATS[0]
    lines = capture.read_text().split("\n")
    arming = [number for number, line in enumerate(lines) if re.search(r"write: addr\(0x9038, \w+\), wval\(0x1\)", line)]
    width = [number for number, line in enumerate(lines) if re.search(r"write: addr\(0x903c,", line)]
    first, second, third = arming
    between = next(number for number in width if first < number < second)
    more = [re.sub(r"0x903c, \w+\), wval\(\w+\)", f"{address}, 0x0), wval({value})", lines[width[0]])
            for address, value in (("0x903c", "0x7"), ("0x9040", "0x11"), ("0x9044", "0x3"), ("0x9058", "0x2"), ("0x90b0", "0x1"),
                                   ("0x90b4", "0x5"), ("0x90b8", "0x9"), ("0x9038", "0x1"))]
    lines[between] = re.sub(r"wval\((\w+)\)", lambda found: f"wval({int(found[1], 16) ^ 1:#x})", lines[between])
    lines[third + 1:third + 1] = more
    del lines[first]
    status, shown, error = diff(nvcosim, config, capture, "\n".join(lines))
    expected = [rf"SDP #0 \(line {first + 1}\) is only in the first", r"SDP #2 \(line \d+\) is only in the second",
                r"SDP #1 and #0 \(lines \d+ and \d+\) D_DATA_CUBE_WIDTH: .*",
                r"different: 1 register, 2 launches only in one( .*|, .*)"]
    check("a launch removed, one inserted, a register changed", status == 1 and len(shown) == len(expected) and
          all(map(re.fullmatch, expected, shown)), "\n    ".join([f"status {status}", *shown, error]))


def main(nvcosim, changes=6):
    bits, rng = register_bits(), random.Random(1)
    for folder in sorted((ROOT / "traces/captures").glob("synth_*")):
        config, capture = folder.name.split("_")[1], folder / FORMATS[0]
        for other in FORMATS[1:]:
            status, lines, error = diff(nvcosim, config, capture, folder / other)
            check(f"{folder.name}: {FORMATS[0]} and {other}", status == 0 and lines[-1].startswith("equal ("), f"status {status}: {lines[-1]} {error}")
        for _ in range(int(changes)):
            lines = capture.read_text().split("\n")
            unit, name = change(lines, config, bits, rng)
            status, shown, error = diff(nvcosim, config, capture, "\n".join(lines))
            named = shown[:-1]
            what = name.replace("_HIGH", "_LOW") if "ADDR" in name else name
            good = named and all(re.search(rf"\b{unit} .*\b({name}|{what}|reads other content)\b", line) for line in named) \
                and status == (not shown[-1].startswith("equal except for "))
            check(f"{folder.name}: {unit} {name} changed", good, "\n    ".join([f"status {status}:", *shown, error]))
    check_launches(nvcosim)
    check_effects(nvcosim, bits)
    finish()


main(*sys.argv[1:])
