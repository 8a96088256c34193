#!/usr/bin/python3
"""Checks that every pattern of tb/observers/wave_save.c matches a signal, but for those of NVIDIA's RTL.

usage: gtkw_patterns.py WAVES.vcd BUILD     waves of our RTL with one port; patterns with cvsram do not apply to it

For signals that only the RTL of full has, the name must occur in the sources of the engine.
"""
import fnmatch
import glob
import re
import subprocess
import sys

from vcd import signals


def main(vcd, build):
    with open(vcd, encoding="utf-8") as lines:
        names = {name.replace("TOP/tb_top/", "", 1) for name in signals(lines, "/")}
    source = subprocess.run(["gcc", "-E", "-P", "-D_GNU_SOURCE", "-Icsrc", "-I.", f"-I{build}/gen", "tb/observers/wave_save.c"],
                            check=True, capture_output=True, text=True).stdout
    table = re.search(r"groups\[\] = \{(.*?)\n?\};", source, re.DOTALL).group(1)
    table = re.sub(r'\{\.title = "[^"]*", \.engine = \w+, \.nvidia = .*?\}\}', "", table, flags=re.DOTALL)
    patterns = {p for p in re.findall(r'"([^"]*)"', re.sub(r'"\s*"', "", table)) if re.match(r"dut/|marks/|csb|nvdla", p)}
    patterns = {p for p in patterns if "cvsram" not in p and not p.endswith("**") and p not in ("marks/BDMA", "marks/RBK")}
    wide = {p for p in patterns if re.match(r"dut/u_(bdma|rubik)/", p) or "/gen_ew/" in p or p.endswith("/base_q")}
    patterns -= wide
    lost = []
    for p in wide:
        parts = [w for w in p.split("/") if w != "*"]
        word = next((w for w in parts if "_mif_" in w), parts[-1])
        source = "".join(open(name, encoding="utf-8").read() for name in glob.glob(f"rtl/{parts[1].removeprefix('u_')}/*.sv"))
        lost += [] if re.search(r"\b" + word.replace("*", r"\w+") + r"\b", source) else [p]
    lost += [p for p in patterns if not any(n.count("/") == p.count("/") and fnmatch.fnmatchcase(n, p) for n in names)]
    print(len(patterns | wide), "patterns; no signal for", sorted(lost))
    return 1 if lost or len(patterns) < 150 or len(wide) < 50 else 0


sys.exit(main(*sys.argv[1:]))
