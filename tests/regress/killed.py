#!/usr/bin/env python3
"""kill -9 of the runner at random moments: what was finished stays as it is and is not run again, every test comes to one result.

A test has finished when its process has noted its result, whoever lives then: it comes to its end once.

usage: killed.py BUILD [SEED]      a plan of small traces on RTL and model; the seed of the moments is printed

The simulator is a script in front of the real one that notes when it starts and when the real one has ended.
"""
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

KILLS = 10
ROOT = pathlib.Path(__file__).resolve().parents[2]
build = pathlib.Path(sys.argv[1]).resolve()
seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
print(f"seed {seed}")
moments = random.Random(seed)
passed = failed = 0


def check(title, good, said=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {title} {said}")


def rows(columns, where="1"):
    database = sqlite3.connect("nvcosim-nights/nights.db", timeout=60)
    try:
        return database.execute(f"SELECT {columns} FROM result WHERE {where} ORDER BY number").fetchall()
    finally:
        database.close()


def finished():
    return set(rows("*", "verdict IS NOT NULL"))


def lines():
    return pathlib.Path("noted").read_text().split("\n")[:-1] if pathlib.Path("noted").exists() else []


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    tree = pathlib.Path("build")
    tree.mkdir()
    shutil.copy(build / "nvcosim", tree / "nvcosim")
    (tree / "nvcosim-small").write_text(f"""#!/bin/bash
name=$(printf '%s\\n' "$@" | sed -n 's/^--name=//p')
[ -n "$name" ] || exit 2 # asked for copies of itself: it is in front of each trace
echo "start $name" >>{folder}/noted
{build}/nvcosim-small "$@" # not exec: the script stands for what users put in front of their simulators
status=$?
echo "end $name" >>{folder}/noted
exit $status
""")
    (tree / "nvcosim-small").chmod(0o755)
    traces = sorted((ROOT / "traces/conformance/small").glob("rand_[ps]d*.nvt.gz"))[:40]
    listed = "".join(f"      - {trace}\n" for trace in traces)
    pathlib.Path("p.yml").write_text(f"""name: killed
items:
  - name: rtl
    config: small
    traces:
{listed}
  - name: model
    config: small
    dut: model
    traces:
{listed}
  - name: layers
    config: small
    dut: [model, both]
    random: {{engines: mix, count: 10}}
""")
    command = [str(tree / "nvcosim"), "regress", "p.yml", "-j", "2"]
    start = time.monotonic()
    kept, keys, words, run = set(), set(), [], None
    for kill in range(KILLS + 1):
        before = len(lines())
        run = subprocess.Popen(command + words, stdout=subprocess.PIPE, text=True)
        if kill == KILLS:
            output = run.communicate()[0]
            break
        run.stdout.readline()  # the night has begun
        wanted = before + moments.randrange(8)
        while len(lines()) < wanted and run.poll() is None:
            time.sleep(0.002)
        time.sleep(moments.uniform(0, 0.03))
        run.send_signal(signal.SIGKILL)
        run.wait()
        run.stdout.close()
        check("the runner was killed", run.returncode == -9, run.returncode)
        time.sleep(0.3)
        count = len(lines())
        history = subprocess.run([str(tree / "nvcosim"), "history", "--sql", "SELECT 1"], capture_output=True, text=True)
        check("history brings in what stands in the ledger", history.returncode == 0 and not history.stderr, history.stderr)
        now = finished()
        check("finished results stay as they are", kept <= now)
        again = {line for line in lines()[before:]} & {f"start {key.replace('/', '.', 1)}" for key in keys}
        check("what was finished does not run again", not again, again)
        check("integrity", sqlite3.connect("nvcosim-nights/nights.db").execute("PRAGMA integrity_check").fetchone() == ("ok",))
        left = subprocess.run(["pgrep", "-f", f"{build}/nvcosim-small .*{folder}"], capture_output=True, text=True).stdout
        check("no simulator is left", left == "", left)
        check("and none goes on", len(lines()) == count)
        kept, keys, words = now, {row[2] for row in now}, ["--resume"]
    print(output, end="")
    everything = finished()
    check("the last call ends well", run.returncode == 0, run.returncode)
    check("finished results stay as they are", kept <= everything)
    check("every test has one result", len(everything) == 2 * len(traces) + 20 and not rows("1", "verdict IS NULL"), len(everything))
    check("all pass", not rows("key", "verdict <> 'PASS'"), rows("key, reason", "verdict <> 'PASS'")[:3])
    check("one night", {row[0] for row in everything} == {1})
    ends = [line for line in lines() if line.startswith("end ")]
    check("no simulator came to its end twice", len(ends) == len(set(ends)), [line for line in set(ends) if ends.count(line) > 1])
    check("no ledger is left", not pathlib.Path("nvcosim-nights/night-1/ledger").exists())
    print(f"{len(ends)} simulators came to their end for {len(traces) + 10} tests, {time.monotonic() - start:.1f} s")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
