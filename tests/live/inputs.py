#!/usr/bin/python3
"""Whether the result of a trace depends on each of its inputs: without any of its mem_loads the model must find it wrong.

usage: inputs.py NVCOSIM TRACE...
"""
import gzip
import pathlib
import subprocess
import sys
import tempfile


def idle_loads(nvcosim, trace):
    """The lines of mem_loads without which the trace passes as well, and how many mem_loads it has."""
    text = trace.read_bytes()
    lines = (gzip.decompress(text) if trace.suffix == ".gz" else text).decode().split("\n")
    loads = [number for number, line in enumerate(lines) if line.startswith("mem_load")]
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number in loads:
            paths.append(pathlib.Path(folder, f"{number}.nvt"))
            paths[-1].write_text("\n".join(["#" + line if at == number else line for at, line in enumerate(lines)]))
        run = subprocess.run([nvcosim, "run", "--dut=model", f"--out={folder}/out", *paths], capture_output=True, text=True, check=False)
    passed = {int(line.split(":")[0].split()[1]) for line in run.stdout.split("\n") if line.startswith("PASS")}
    return [lines[number] for number in sorted(passed)], len(loads)


def main():
    nvcosim, traces = sys.argv[1], [pathlib.Path(path) for path in sys.argv[2:]]
    failed = 0
    for trace in traces:
        idle, count = idle_loads(nvcosim, trace)
        if idle or not count:
            failed += 1
            print(f"FAIL  {trace.name}: {len(idle)} of {count} inputs do not matter: {'; '.join(idle)}")
    print(f"{len(traces) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
