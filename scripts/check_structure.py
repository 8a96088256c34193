#!/usr/bin/python3
"""The order of the folders, the opening comments, and the sizes of python/: what a reader of the tree relies on.

usage: check_structure.py       prints what breaks a rule as FILE:LINE: text; exit status 1 if anything does

1. A folder includes only the folders that docs/architecture.md names for it, so nothing includes upwards.
2. Neither folders nor units (NAME.c with NAME.h) include each other in a circle.
3. A struct has a tag of its own in csrc and tb, but for the same file for several processors (NAME_avx2.c).
4. Every source file begins with a comment that says what it is for.
5. Names of files in rtl/ are names of their modules or packages.
6. In python/ a function has at most 60 lines, a file 500, a line 100 columns.
"""
import ast
import graphlib
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = "docs/architecture.md"
COMMENTS = {"c": r"/\*", "h": r"//|/\*", "cpp": r"//|/\*", "sv": "//", "svh": "//", "sh": "#", "py": '"""|#'}
PROCESSOR = re.compile("_(plain|avx[0-9]+)(?=[.]c)")
FUNCTION, FILE, COLUMNS = 60, 500, 100


def read(file):
    return (ROOT / file).read_text(encoding="utf-8")


def may_include():
    """{folder: what it may include besides itself}, lowest first."""
    block = re.search(r"<!-- text: folders -->\n\n((?: {4}.*\n)+)", read(TABLE))
    if not block:
        sys.exit(f"check_structure.py: {TABLE}: found no block after <!-- text: folders -->, expected the table of the folders")
    rows = re.sub(r"\n {5,}", " ", block.group(1)).splitlines()
    return {row.split()[0]: row.split()[1:] for row in rows}


def includes(file):
    for number, line in enumerate(read(file).split("\n"), 1):
        match = re.match(r'\s*#include "([^"]+)"', line)
        if match:
            yield number, match.group(1)


def check_order(file, allowed):
    parts = file.split("/")
    folder = "/".join(parts[1:-1]) if parts[0] == "csrc" else parts[0]
    if folder not in allowed:
        yield 1, f"folder {folder} has no place in the order of folders ({TABLE})"
        return
    for number, name in includes(file):
        target = "tb" if name.startswith("tb/") else name.rpartition("/")[0]
        if target and target not in allowed:
            yield number, f"includes {name}, which is in no folder of csrc"
        elif target and target != folder and target not in allowed[folder]:
            yield number, f"{folder} includes {name}; it may include: {' '.join(allowed[folder]) or 'no other folder'}"


def circle(graph):
    """The nodes of a circle in a graph {node: nodes that it includes}, "" if there is none."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
        return ""
    except graphlib.CycleError as error:
        return ", ".join(reversed(error.args[1]))


def check_circles(sources, allowed):
    """Folders as the table has them, units as they are included."""
    if circle(allowed):
        yield TABLE, f"circle of folders: {circle(allowed)}"
    known = {f.removeprefix("csrc/"): f for f in sources}
    graph = {}
    for name, file in known.items():
        graph.setdefault(name[:-2], set()).update(other[:-2] for _, other in includes(file) if other in known and other[:-2] != name[:-2])
    found = circle(graph)
    if found:
        yield next(f for name, f in known.items() if name[:-2] == found.split(",")[0]), \
            f"circle of units: {found}; move what they share into a header below them"


def check_comment(file):
    if not re.match(r"(#!.*\n)?\s*(" + COMMENTS[file.rsplit(".", 1)[1]] + ")", read(file)):
        yield 1, "begins without a comment that says what the file is for"


def check_tags(sources):
    files = {}
    for file in sources:
        for tag in re.findall(r"^struct (\w+) \{", read(file), re.M):
            other = files.setdefault(tag, file)
            if other != file and PROCESSOR.sub("", other) != PROCESSOR.sub("", file):
                yield file, f"struct {tag} is another one in {other}"


def check_module(file):
    stem = pathlib.Path(file).stem
    if not re.search(rf"\b(module|package)\s+{stem}\b", re.sub(r"//.*", "", read(file))):
        yield 1, f"holds no module or package named {stem}"


def check_sizes(file):
    text = read(file)
    lines = text.splitlines()
    if len(lines) > FILE:
        yield len(lines), f"found {len(lines)} lines, expected at most {FILE}"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS:
            yield number, f"found {len(line)} columns, expected at most {COLUMNS}"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno - node.lineno >= FUNCTION:
            yield node.lineno, f"found {node.end_lineno - node.lineno + 1} lines in {node.name}(), expected at most {FUNCTION}"


def main():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "csrc", "tb", "rtl", "tests", "scripts", "python"], cwd=ROOT,
                            check=True, capture_output=True, text=True).stdout.split("\n")
    listed = [f for f in listed if f and (ROOT / f).exists()]
    sources = [f for f in listed if re.match(r"(csrc|tb)/.*\.[ch]$", f)]
    allowed, found = may_include(), []
    for file in listed:
        if file.endswith(tuple("." + kind for kind in COMMENTS)):
            found += [(file, *wrong) for wrong in check_comment(file)]
        if file in sources:
            found += [(file, *wrong) for wrong in check_order(file, allowed)]
        if file.startswith("rtl/") and file.endswith(".sv"):
            found += [(file, *wrong) for wrong in check_module(file)]
        if file.startswith("python/") and file.endswith(".py"):
            found += [(file, *wrong) for wrong in check_sizes(file)]
    found += [(file, 1, text) for file, text in (*check_circles(sources, allowed), *check_tags(sources))]
    for file, number, text in found:
        print(f"{file}:{number}: {text}")
    return bool(found)


sys.exit(main())
