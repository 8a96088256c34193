#!/usr/bin/python3
"""Checks that the signals which a .gtkw names exist in the waves, in the expected groups.

usage: gtkw_names.py WAVES.vcd SAVE.gtkw [GROUP COUNT]...     fst2vcd makes the .vcd; COUNT: least number of signals, folded ones included
"""
import re
import sys
from pathlib import Path

from vcd import signals


def main(vcd, gtkw, *expected):
    groups, open_groups, wrong, filters = {}, [], [], set()
    with open(vcd, encoding="utf-8") as lines:
        names = signals(lines)
    flags = 0
    for line in Path(gtkw).read_text(encoding="utf-8").splitlines():
        signal = re.fullmatch(r"\+\{\S+\} ([A-Za-z_]\S*\.\S+)", line)
        if line.startswith("@"):
            flags = int(line[1:], 16)
        elif line.startswith("^"):
            filters.add(line.split(" ", 1)[1])
        elif line.startswith("-") and flags & 0x800000:
            open_groups.append(re.sub(": idle$", "", line[1:]))
        elif line.startswith("-") and flags & 0x1000000:
            open_groups.pop()
        elif signal:
            name = re.sub(r"\[[0-9:]+\]$", "", signal.group(1))
            groups.setdefault(open_groups[0], []).append(name)
            wrong += [f"{name} is not in the waves"] if name not in names else []
    for group, count in zip(expected[::2], expected[1::2]):
        if len(groups.get(group, [])) < int(count):
            wrong.append(f"group '{group}' has {len(groups.get(group, []))} signals, {count} expected at least")
    wrong += [f"{f} does not exist" for f in filters if not Path(f).stat().st_size]
    wrong += ["groups do not nest"] if open_groups else []
    print(sum(map(len, groups.values())), "signals in", {g: len(s) for g, s in groups.items()}, len(filters), "translations")
    print("\n".join(wrong))
    return 1 if wrong or not groups else 0


sys.exit(main(*sys.argv[1:]))
