#!/usr/bin/env python3
"""Does every pattern of tb/observers/wave_save.c mean a signal?

usage: gtkw_patterns.py WAVES.vcd BUILD     of our RTL with one port, which has none of the patterns with cvsram in them
"""
import fnmatch
import re
import subprocess
import sys


def main(vcd, build):
    scopes, names = [], set()
    with open(vcd, encoding="utf-8") as f:
        for line in f:
            words = line.split()
            if line.startswith("$scope"):
                scopes.append(words[2])
            elif line.startswith("$upscope"):
                scopes.pop()
            elif line.startswith("$var"):
                names.add("/".join(scopes + [words[4]]).replace("TOP/tb_top/", "", 1))
            elif line.startswith("$enddefinitions"):
                break
    source = subprocess.run(["gcc", "-E", "-P", "-D_GNU_SOURCE", "-Icsrc", "-I.", f"-I{build}/gen", "tb/observers/wave_save.c"],
                            check=True, capture_output=True, text=True).stdout
    table = re.search(r"groups\[\] = \{(.*?)\n?\};", source, re.DOTALL).group(1)
    patterns = {p for p in re.findall(r'"([^"]*)"', re.sub(r'"\s*"', "", table)) if re.match(r"dut/|marks/|csb|nvdla", p)}
    patterns = {p for p in patterns if "cvsram" not in p and not p.endswith("**")}
    lost = [p for p in patterns if not any(n.count("/") == p.count("/") and fnmatch.fnmatchcase(n, p) for n in names)]
    print(len(patterns), "patterns; no signal for", sorted(lost))
    return 1 if lost or len(patterns) < 150 else 0


sys.exit(main(*sys.argv[1:]))
