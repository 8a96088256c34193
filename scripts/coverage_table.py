#!/usr/bin/python3
"""Prints line coverage of rtl/ by folder and file, from the data that verilator_coverage merged.

usage: coverage_table.py LINES.dat [MINIMUM]      run in the root of the sources

A line counts if it has something that Verilator counts: statements of always blocks and functions, but not continuous assignments and
declarations. It is covered if all of it was executed in some instance: of `if (a) x <= y;` both the test and the assignment. A branch is one
way through an if, else or case; a missing else counts too. Lines and branches that were not reached are listed after the table. Functions of
packages and branches that end in `return` are not counted, because Verilator has no counter there or places it after the return. Exit status 1
if less than MINIMUM per cent of the lines are covered.
"""
import collections
import os
import re
import sys


def read_points(path):
    """{file: {(line, column, kind, lines): count}}, added up over instances and parameters; lines: those that belong to it, as numbers."""
    files = collections.defaultdict(collections.Counter)
    with open(path, encoding="utf-8", errors="replace") as data:
        for match in re.finditer(r"^C '(.*)' (\d+)$", data.read(), re.M):
            keys = dict(part.split("\x02", 1) for part in match.group(1).split("\x01") if part)
            if keys["f"].startswith("rtl/"):
                ranges = [part.split("-") for part in keys.get("S", "").split(",") if part]  # of "3,5-6"
                lines = tuple(line for ends in ranges for line in range(int(ends[0]), int(ends[-1]) + 1))
                files[keys["f"]][int(keys["l"]), int(keys["n"]), keys["o"], lines] += int(match.group(2))
    return files


def covered(points, source):
    """{line: True if everything on it was executed}, and {(line, column, kind): True if a branch was taken}."""
    lines, branches = {}, {}
    for (line, column, kind, mine), count in points.items():
        if kind != "block" and mine and re.search(r"\breturn\b", source[mine[-1] - 1].split("//")[0]):
            continue
        for number in mine:
            lines[number] = lines.get(number, True) and count > 0
        if kind != "block":
            branches[line, column, kind] = count > 0
    return lines, branches


def percent(part, whole):
    return f"{100.0 * part / whole:6.1f} %" if whole else "      -"


def row(name, tables):
    """A row for one or several files."""
    lines, branches = ([hit for table in tables for hit in table[i].values()] for i in (0, 1))
    print(f"{name:<44}{sum(lines):>7}{len(lines):>7} {percent(sum(lines), len(lines))}"
          f"{sum(branches):>9}{len(branches):>7} {percent(sum(branches), len(branches))}")
    return 100.0 * sum(lines) / len(lines) if lines else 0.0, len(lines)


def main():
    files, sources = read_points(sys.argv[1]), {}
    for name in files:
        with open(name, encoding="utf-8") as source:
            sources[name] = source.read().splitlines()
    minimum = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    tables = {name: covered(files[name], sources[name]) for name in sorted(files)}

    print(f"{'':<44}{'lines':>14}{'':>9}{'branches':>16}")
    for folder in sorted({os.path.dirname(name) + "/" for name in files}):
        for name in tables:
            if os.path.dirname(name) + "/" == folder:
                row("  " + name, [tables[name]])
        if folder != "rtl/":
            row(folder, [table for name, table in tables.items() if name.startswith(folder)])
    share, total = row("rtl/", tables.values())

    for title, i in (("lines never executed", 0), ("branches never taken", 1)):
        missing = [(name, key) for name, table in tables.items() for key in sorted(table[i]) if not table[i][key]]
        print(f"\n{title}: {len(missing)}")
        for name, key in missing:
            line, kind = (key[0], f"{key[2]}: ") if i else (key, "")
            print(f"{name}:{line}: {kind}{sources[name][line - 1].strip()}")
    print(f"\n{share:.1f} % of {total} lines")
    return 0 if share >= minimum else 1


sys.exit(main())
