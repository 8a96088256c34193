#!/usr/bin/python3
"""Prints the sizes of the project by folder: lines and bytes of the tracked files that people write as code.

usage: sizes.py
"""
import collections
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("csrc", "tb", "rtl", "scripts", "python", "tests")
KINDS = {".c", ".h", ".cpp", ".sv", ".svh", ".py", ".sh", ".js", ".css", ".inc", ".proto", ".sql", ".csv", ".tsv"}
SUMS = (("csrc", "tb"), ("scripts", "python"), tuple(folder for folder in FOLDERS if folder != "tests"))


def main():
    files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", *FOLDERS], capture_output=True, text=True, check=True).stdout.split("\0")
    lines, size = collections.Counter(), collections.Counter()
    for name in files:
        path = ROOT / name
        if path.suffix in KINDS and path.is_file() and not path.is_symlink():
            data, folder = path.read_bytes(), name.split("/")[0]
            lines[folder] += data.count(b"\n")
            size[folder] += len(data)
    for folders in [(folder,) for folder in FOLDERS] + list(SUMS):
        print(f"      {' + '.join(folders):32}{sum(lines[f] for f in folders):9,} lines {sum(size[f] for f in folders):12,} bytes")


if __name__ == "__main__":
    main()
