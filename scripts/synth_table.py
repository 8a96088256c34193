#!/usr/bin/env python3
"""The table of `make synth`: its head, its engines, and its rows on a page.

usage: synth_table.py head                    the two lines above the rows
       synth_table.py engines PACKAGE         modules of the configuration that nvdla_pkg.sv describes, one a line
       synth_table.py write CONFIG PAGE ROW   puts the rows of a file into the page, in place of those of the same module and target

The page has, for each configuration, a line `<!-- synth: CONFIG -->` before its table.
"""
import os
import re
import sys

HEAD = """| module | target, mapped | LUTs | flip-flops | block RAMs | DSPs | in a row | path | its ends |
|---|---|---|---|---|---|---|---|---|"""
ENGINES = ["cdma", "cbuf", "csc", "cmac", "cacc", "sdp", "pdp", "cdp", "bdma", "rubik", "mif", "csb", "glb"]
ONLY_WITH = {"bdma": "Bdma", "rubik": "Rubik"}  # constants of the configuration's package
TARGETS = ["xilinx7", "ecp5"]


def engines(package_path):
    with open(package_path, encoding="utf-8") as f:
        package = f.read()
    return [f"nvdla_{e}" for e in ENGINES if e not in ONLY_WITH or re.search(rf"localparam int {ONLY_WITH[e]} = [1-9]", package)]


def place(row):
    """Where a row stands: its engine and its target."""
    module, target = re.match(r"\| `?nvdla_(\w+)`? \| (\w+)", row).groups()
    return ENGINES.index(module), TARGETS.index(target)


def write(config, page, row_path):
    with open(page, encoding="utf-8") as f:
        lines = f.read().splitlines()
    mark = f"<!-- synth: {config} -->"
    if mark not in lines:
        sys.exit(f"synth_table.py: {page} has no line {mark}, expected one before the table of {config}: add it")
    begin = lines.index(mark) + 1
    end = begin
    while end < len(lines) and (not lines[end] or lines[end].startswith("|")):
        end += 1
    rows = {place(row): row for row in lines[begin:end] if row.startswith("| `")}
    with open(row_path, encoding="utf-8") as f:
        rows.update({place(row): row.rstrip("\n") for row in f})
    lines[begin:end] = ["", *HEAD.splitlines(), *(rows[p] for p in sorted(rows)), ""]
    with open(page + ".new", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    os.replace(page + ".new", page)


def main(arguments):
    if arguments == ["head"]:
        print(HEAD)
    elif len(arguments) == 2 and arguments[0] == "engines":
        print("\n".join(engines(arguments[1])))
    elif len(arguments) == 4 and arguments[0] == "write":
        write(*arguments[1:])
    else:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main(sys.argv[1:])
