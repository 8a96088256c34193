#!/usr/bin/env python3
"""Sizes of the code in python/: a function has at most 60 lines, a file 500, a line 100 columns.

usage: check_python.py      prints what is larger as FILE:LINE: text; exit status 1 if anything is
"""
import ast
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FUNCTION, FILE, COLUMNS = 60, 500, 100


def too_large(path):
    """(line, text) of a file."""
    text = path.read_text(encoding="utf-8")
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
    found = [f"{path.relative_to(ROOT)}:{line}: {text}" for path in sorted((ROOT / "python").rglob("*.py")) for line, text in too_large(path)]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
