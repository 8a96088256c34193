#!/usr/bin/python3
"""Whether the result of a trace depends on each of its inputs: without any of its mem_loads the model must find it wrong.

usage: inputs.py NVCOSIM TRACE...
"""
import gzip
import pathlib
import sys

from counts import check, finish, run, scratch


def idle_loads(nvcosim, trace):
    """The lines of mem_loads without which the trace passes as well, and how many mem_loads it has."""
    text = trace.read_bytes()
    lines = (gzip.decompress(text) if trace.suffix == ".gz" else text).decode().split("\n")
    loads = [number for number, line in enumerate(lines) if line.startswith("mem_load")]
    with scratch() as folder:
        paths = []
        for number in loads:
            paths.append(folder / f"{number}.nvt")
            paths[-1].write_text("\n".join(["#" + line if at == number else line for at, line in enumerate(lines)]))
        played = run(nvcosim, "run", "--dut=model", f"--out={folder}/out", *paths)
    passed = {int(line.split(":")[0].split()[1]) for line in played.stdout.split("\n") if line.startswith("PASS")}
    return [lines[number] for number in sorted(passed)], len(loads)


if __name__ == "__main__":
    for path in map(pathlib.Path, sys.argv[2:]):
        idle, count = idle_loads(sys.argv[1], path)
        check(path.name, count and not idle, f"{len(idle)} of {count} inputs do not matter: {'; '.join(idle)}")
    finish()
