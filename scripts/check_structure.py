#!/usr/bin/env python3
"""The order of the folders, and the opening comments: what a reader of the tree relies on.

usage: check_structure.py       prints what breaks a rule as FILE:LINE: text; exit status 1 if anything does

1. A folder includes only the folders that MAY_INCLUDE names for it, so nothing includes upwards.
2. Neither folders nor units (NAME.c with NAME.h) include each other in a circle.
3. Every source file begins with a comment that says what it is for.
4. Names of files in rtl/ are names of their modules or packages.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Lowest first. A folder may include itself and these.
MAY_INCLUDE = {
    "nvdla": "",
    "memory": "nvdla",
    "dram": "nvdla memory",
    "layers": "nvdla",
    "trace": "nvdla memory layers",
    "loadable": "nvdla memory trace",
    "device": "nvdla memory dram",
    "observe": "nvdla",
    "model": "nvdla memory layers device observe",
    "live": "nvdla memory layers trace device model",
    "client": "live",
    "quantised": "nvdla memory loadable",
    "gen": "nvdla layers trace",
    "replay": "nvdla memory layers trace device observe",
    "estimate": "nvdla memory dram layers trace device model replay",
    "coverage": "nvdla memory layers trace",
    "report": "nvdla memory dram layers trace device observe replay",
    "triage": "nvdla layers observe report",
    "export": "nvdla memory layers trace device replay",
    "split": "nvdla memory layers trace device model replay export",
    "run/process": "nvdla",
    "run/network": "nvdla memory trace loadable quantised device model replay report",
    "run/simulators": "nvdla memory run/process",
    "run/options": "nvdla dram layers device replay run/network run/simulators",
    "run/result": "nvdla device report run/process run/simulators run/options",
    "run/serve": "nvdla replay run/process run/options",
    "run/session": "nvdla memory dram layers trace loadable device observe model live import gen replay coverage report triage "
        "run/process run/network run/simulators run/options run/result run/serve",
    "run/jobs": "nvdla memory trace report split run/process run/network run/simulators run/options run/result "
        "run/serve run/session",
    "run/list": "nvdla trace gen coverage report run/process run/network run/simulators run/options run/result run/jobs",
    "run/estimate": "nvdla memory dram trace loadable quantised estimate report run/network",
    "import": "nvdla memory layers trace",
    "compare": "nvdla memory layers trace",
    "doctor": "nvdla memory trace loadable device",
    "tb": "nvdla memory dram layers device observe replay run/session",
    "cli": "nvdla memory dram layers trace loadable estimate observe model gen coverage report split export import compare doctor "
        "run/process run/network run/simulators run/options run/result run/session run/jobs run/list run/estimate",
}


def files():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "csrc", "tb", "rtl", "tests", "scripts"], cwd=ROOT,
                            check=True, capture_output=True, text=True).stdout.split("\n")
    return [f for f in listed if f and (ROOT / f).exists()]


def folder_of(file):
    parts = file.split("/")
    if parts[0] != "csrc":
        return parts[0]
    return "/".join(parts[1:-1])


def includes(file):
    for number, line in enumerate((ROOT / file).read_text().split("\n"), 1):
        match = re.match(r'\s*#include "([^"]+)"', line)
        if match:
            yield number, match.group(1)


def check_order(file):
    folder = folder_of(file)
    if folder not in MAY_INCLUDE:
        yield 1, f"folder {folder} has no place in the order of folders (MAY_INCLUDE in scripts/check_structure.py)"
        return
    for number, name in includes(file):
        if "/" not in name:
            continue
        target = "tb" if name.startswith("tb/") else name.rsplit("/", 1)[0]
        if target not in MAY_INCLUDE:
            yield number, f"includes {name}, which is in no folder of csrc"
        elif target != folder and target not in MAY_INCLUDE[folder].split():
            yield number, f"{folder} includes {name}; it may include: {MAY_INCLUDE[folder] or 'no other folder'}"


def circles(graph):
    """The circles of a graph {node: nodes that it includes}, each as its nodes in order."""
    reached = {}
    for start in graph:
        found, pending = set(), list(graph[start])
        while pending:
            node = pending.pop()
            if node not in found:
                found.add(node)
                pending += graph.get(node, ())
        reached[start] = found
    return sorted({tuple(sorted(n for n in reached[node] if node in reached.get(n, ()))) for node in graph
                   if node in reached[node]})


def check_circles(sources):
    """Folders as the table has them, units as they are included."""
    for circle in circles({folder: below.split() for folder, below in MAY_INCLUDE.items()}):
        yield "scripts/check_structure.py", "MAY_INCLUDE has a circle of folders: " + ", ".join(circle)
    known = {f.removeprefix("csrc/") for f in sources}
    graph = {}
    for file in sources:
        unit = file.removeprefix("csrc/")[:-2]
        included = graph.setdefault(unit, set())
        included.update(name[:-2] for _, name in includes(file) if name in known and name[:-2] != unit)
    for circle in circles(graph):
        file = next(f for f in sources if f.removeprefix("csrc/")[:-2] == circle[0])
        yield file, ("circle of units: " + ", ".join(circle) +
                     "; move what they share into a header below them")


def check_comment(file):
    lines = (ROOT / file).read_text().split("\n")
    first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
    comment = {"c": "/*", "h": "//|/*", "cpp": "//|/*", "sv": "//", "svh": "//", "sh": "#", "py": '"""|#'}[file.rsplit(".", 1)[1]]
    if not re.match(r"\s*(" + comment.replace("*", r"\*").replace(r"\\*", r"\*") + ")", first):
        yield 1, "begins without a comment that says what the file is for"


def check_module(file):
    stem = pathlib.Path(file).stem
    text = re.sub(r"//.*", "", (ROOT / file).read_text())
    if not re.search(rf"\b(module|package)\s+{stem}\b", text):
        yield 1, f"holds no module or package named {stem}"


def main():
    failed = False
    listed = files()
    sources = [f for f in listed if re.match(r"(csrc|tb)/.*\.[ch]$", f)]
    for file in listed:
        found = []
        if re.search(r"\.(c|h|cpp|sv|svh|sh|py)$", file):
            found += check_comment(file)
        if file in sources:
            found += check_order(file)
        if file.startswith("rtl/") and file.endswith(".sv"):
            found += check_module(file)
        for number, text in found:
            print(f"{file}:{number}: {text}")
            failed = True
    for file, text in check_circles(sources):
        print(f"{file}:1: {text}")
        failed = True
    return 1 if failed else 0


sys.exit(main())
