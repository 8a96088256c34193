#!/usr/bin/python3
"""Measures the overhead of nvcosim regress: a plan of 500 traces on `small`, as many tests at a time as there are cores.

usage: regress.py BUILD [TESTS]

Prints for what share of the cores' time simulators existed and computed, the runner's own CPU time from the first test to the end (the page
of the night included), and what a write to the disk costs here. The traces are the short ones of this repository, 25 ms each with the default
memory and several times that with the hostile one. Longer ones cost the runner no more.
"""
import os
import pathlib
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
build = pathlib.Path(sys.argv[1]).resolve()
count = int(sys.argv[2]) if len(sys.argv) > 2 else 500
cores = len(os.sched_getaffinity(0))


def write_plan(path):
    judged = subprocess.run([ROOT / "tests/conformance_traces.sh", "small"], stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT).stdout.split()
    judged = [(ROOT / trace).resolve() for trace in judged]
    traces = judged or sorted((ROOT / "traces/conformance/small").glob("*.nvt.gz"))
    items = ""
    for name, memory, some in ("own", "default", traces[:count]), ("hostile", "hostile", traces[: max(count - len(traces), 0)]):
        if some:
            listed = "".join(f"      - {trace}\n" for trace in some)
            items += f"  - name: {name}\n    config: small\n    memories: [{memory}]\n    traces:\n{listed}"
    path.write_text(f"name: bench\nmemories: {{hostile: [--stall=900, --reorder, --latency=300]}}\nitems:\n{items}")


def sync_cost(folder):
    """Milliseconds of wall and CPU time of a write of 24 KiB that is on the disk, as a commit makes one."""
    rounds = 200
    with open(folder / "sync", "wb", buffering=0) as file:
        wall, cpu = time.monotonic(), time.process_time()
        for _ in range(rounds):
            file.write(bytes(24 << 10))
            os.fdatasync(file.fileno())
        return 1e3 * (time.monotonic() - wall) / rounds, 1e3 * (time.process_time() - cpu) / rounds


def children_cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def own_cpu(pid):
    return int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


with tempfile.TemporaryDirectory(dir=build) as name:
    folder = pathlib.Path(name)
    write_plan(folder / "plan.yml")
    command = [build / "nvcosim", "regress", folder / "plan.yml", "--out", folder / "nights", "--jobs", str(cores)]
    others = children_cpu()
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    before, after = None, None
    for line in run.stdout:
        if line.startswith("night "):
            before = time.monotonic(), own_cpu(run.pid)
        elif line.startswith(("PASSED ", "FAILED ")):
            after = time.monotonic(), own_cpu(run.pid)
    if run.wait() != 0 or not before or not after:
        sys.exit(f"regress.py: nvcosim regress ended with status {run.returncode}")
    every = children_cpu() - others  # of the runner and all that it has started and waited for
    database = sqlite3.connect(folder / "nights/nights.db")
    tests, computing, alive = database.execute("SELECT count(*), sum(cpu_seconds), sum(seconds) FROM result").fetchone()
    sync = sync_cost(folder)

wall, own = after[0] - before[0], after[1] - before[1]
print(f"regress: {tests} traces on small, {cores} at a time: {wall:.1f} s")
print(f"  simulators were there {100 * alive / cores / wall:5.1f} % of the time of {cores} cores, and computed {100 * computing / cores / wall:5.1f} % of it")
print(f"  the runner itself     {100 * own / cores / wall:5.2f} %, {100 * own / computing:.2f} % of what they computed, {100 * own / every:.2f} % of all that was computed, {1e3 * own / tests:.3f} ms a test")
print(f"  a result on the disk  {sync[0]:.2f} ms, {sync[1]:.2f} ms of them computing")
