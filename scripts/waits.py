#!/usr/bin/python3
"""Updates the wait counters in traces: the values that `read_check ...D_PERF_... volatile` (BDMA: STATUS_GRP0_...) expects become those that the
RTL counts now.

usage: waits.py TRACE.nvt.gz... -- OPTION...
  OPTION  memory setting of `nvcosim run` for the trace, the one that plans/nightly.yml has for traces of that name

  scripts/waits.py traces/corners/small/waits_narrow_*.nvt.gz -- --stall=700 --bandwidth=400

These counters (stalls and latencies in clocks) exist in the RTL only, and their values depend on the memory setting. Run this after a change
that is meant to change how long a client waits. If anything else differs, that is reported and the trace stays as it is. `git diff` shows what
changed.
"""
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NVCOSIM = os.environ.get("NVCOSIM", os.path.join(os.path.dirname(__file__), "..", "build", "nvcosim"))
CHECK = re.compile(r"(read_check \w+\.(?:D_PERF|STATUS_GRP\d)_\w+ == )0x[0-9a-f]+( volatile)")


def counters(path, options):
    """Failing checks of one play, as {line: value}; their number is limited by the report."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([NVCOSIM, "run", "--quiet", "--dut=rtl", "--strict", *options, f"--out={folder}", path], capture_output=True,
                              text=True, check=False)
        report = pathlib.Path(folder, path.name.split(".")[0], "report.json")
        if done.returncode == 0:
            return {}
        if not report.exists():
            sys.exit(f"waits: {path}: {done.stdout}{done.stderr}")
        failures = json.loads(report.read_text(encoding="utf-8"))["devices"][0]["failures"]
        if not failures:
            sys.exit(f"waits: {path}: {done.stdout}")
        return {int(f["position"].rsplit(":", 1)[1]): (int(f.get("got", "0"), 16), f["text"]) for f in failures}


def refresh(path, options):
    """Number of counters that changed."""
    lines, changed = gzip.decompress(path.read_bytes()).decode().split("\n"), set()
    with tempfile.TemporaryDirectory() as folder:
        trial = pathlib.Path(folder, path.name)
        while True:
            with gzip.GzipFile(trial, "wb", mtime=0) as f:
                f.write("\n".join(lines).encode())
            failures = counters(trial, options)
            if not failures:
                break
            for number, (got, text) in failures.items():
                if number in changed or not CHECK.match(lines[number - 1]):
                    sys.exit(f"waits: {path}: not a counter of waiting: {text}")
                lines[number - 1] = CHECK.sub(rf"\g<1>{got:#x}\g<2>", lines[number - 1])
                changed.add(number)
        if changed:
            path.write_bytes(trial.read_bytes())
    return len(changed)


def main():
    if "--" not in sys.argv:
        sys.exit(__doc__)
    at = sys.argv.index("--")
    for path in map(pathlib.Path, sys.argv[1:at]):
        print(f"{path}: {refresh(path, sys.argv[at + 1:])} counters changed")


if __name__ == "__main__":
    main()
