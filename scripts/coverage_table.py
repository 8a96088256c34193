#!/usr/bin/env python3
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
    """{file: {(line, column, kind, lines): count}}, added up over instances and parameters."""
    files = collections.defaultdict(collections.Counter)
    with open(path, encoding="utf-8", errors="replace") as data:
        for row in data:
            match = re.match(r"C '(.*)' (\d+)$", row)
            if not match:
                continue
            keys = dict(part.split("\x02", 1) for part in match.group(1).split("\x01") if part)
            if keys["f"].startswith("rtl/"):
                point = (int(keys["l"]), int(keys["n"]), keys["o"], keys.get("S", ""))
                files[keys["f"]][point] += int(match.group(2))
    return files


def numbers(ranges):
    """[3, 5, 6] of "3,5-6"."""
    result = []
    for part in filter(None, ranges.split(",")):
        first, _, last = part.partition("-")
        result += range(int(first), int(last or first) + 1)
    return result


def without_returns(points, source):
    """The points but those of branches whose last line is a return."""
    def returns(point):
        lines = numbers(point[3])
        return point[2] != "block" and lines and re.search(r"\breturn\b", source[lines[-1] - 1].split("//")[0])
    return {point: count for point, count in points.items() if not returns(point)}


def lines_of(points):
    """{line: True if everything on it was executed}."""
    lines = {}
    for (_, _, _, ranges), count in points.items():
        for line in numbers(ranges):
            lines[line] = lines.get(line, True) and count > 0
    return lines


def branches_of(points):
    """{(line, column, kind): True if taken}."""
    return {key[:3]: count > 0 for key, count in points.items() if key[2] != "block"}


def percent(part, whole):
    return f"{100.0 * part / whole:6.1f} %" if whole else "      -"


def row(name, lines, branches):
    print(f"{name:<44}{sum(lines):>7}{len(lines):>7} {percent(sum(lines), len(lines))}"
          f"{sum(branches):>9}{len(branches):>7} {percent(sum(branches), len(branches))}")


def main():
    files = read_points(sys.argv[1])
    sources = {}
    for name in files:
        with open(name, encoding="utf-8") as source:
            sources[name] = source.read().splitlines()
        files[name] = without_returns(files[name], sources[name])
    minimum = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    lines = {name: lines_of(points) for name, points in files.items()}
    branches = {name: branches_of(points) for name, points in files.items()}

    def gather(what, folder):
        return [hit for name in files if name.startswith(folder) for hit in what[name].values()]

    print(f"{'':<44}{'lines':>14}{'':>9}{'branches':>16}")
    for folder in sorted({os.path.dirname(name) + "/" for name in files}):
        for name in sorted(name for name in files if os.path.dirname(name) + "/" == folder):
            row("  " + name, lines[name].values(), branches[name].values())
        if folder != "rtl/":
            row(folder, gather(lines, folder), gather(branches, folder))
    row("rtl/", gather(lines, "rtl/"), gather(branches, "rtl/"))

    for title, what in (("lines never executed", lines), ("branches never taken", branches)):
        missing = [(name, key) for name in sorted(what) for key in sorted(what[name]) if not what[name][key]]
        print(f"\n{title}: {len(missing)}")
        for name, key in missing:
            line, kind = (key, "") if isinstance(key, int) else (key[0], f"{key[2]}: ")
            print(f"{name}:{line}: {kind}{sources[name][line - 1].strip()}")
    total = gather(lines, "rtl/")
    covered = 100.0 * sum(total) / len(total) if total else 0.0
    print(f"\n{covered:.1f} % of {len(total)} lines")
    return 0 if covered >= minimum else 1


sys.exit(main())
