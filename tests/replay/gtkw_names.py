#!/usr/bin/env python3
"""Are the signals that a .gtkw names in the waves?

usage: gtkw_names.py WAVES.vcd SAVE.gtkw     fst2vcd makes the .vcd
"""
import re
import sys


def main(vcd, gtkw):
    scopes, names = [], set()
    with open(vcd, encoding="utf-8") as f:
        for line in f:
            words = line.split()
            if line.startswith("$scope"):
                scopes.append(words[2])
            elif line.startswith("$upscope"):
                scopes.pop()
            elif line.startswith("$var"):
                names.add(".".join(scopes + [words[4]]))
            elif line.startswith("$enddefinitions"):
                break
    with open(gtkw, encoding="utf-8") as f:
        wanted = [re.sub(r"\[[0-9:]+\]$", "", line.strip()) for line in f if re.match(r"[A-Za-z_]\S*\.\S+$", line.strip())]
    missing = [w for w in wanted if w not in names]
    print(len(wanted), "signals grouped, missing:", missing)
    return 1 if missing or len(wanted) < 20 else 0


sys.exit(main(*sys.argv[1:]))
