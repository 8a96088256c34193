#!/usr/bin/python3
"""kill -9 of the runner at random moments: finished tests keep their results and are not run again, and every test gets one result.

A test has finished when its process has noted its result, even if the runner is dead by then.

usage: killed.py BUILD [SEED]      a plan of small traces on RTL and model; the seed of the moments is printed

The ledger of the night, which the process of each test writes before it ends, shows what has run. The whole test is done twice: with a script
that starts the simulator, as users have them, and with the simulator itself, which then plays many traces in one process.

Then the processes that the runner has started are killed, and stopped, one after the other: the night continues.

However quick the machine is, the night is not over before the last call: its longest test waits for the file "go".
"""
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from counts import check, finish, until

KILLS = 10
LAYERS = 80  # random ones, on the model and on both
ROOT = pathlib.Path(__file__).resolve().parents[2]
build = pathlib.Path(sys.argv[1]).resolve()
seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
print(f"seed {seed}")
moments = random.Random(seed)


def rows(columns, where="1"):
    database = sqlite3.connect("nvcosim-nights/nights.db", timeout=60)
    try:
        return database.execute(f"SELECT {columns} FROM result WHERE {where} ORDER BY number").fetchall()
    finally:
        database.close()


def finished():
    return set(rows("*", "verdict IS NOT NULL"))


def noted():
    """Numbers of the tests whose processes have ended since the ledger was emptied last, each as often as it has."""
    ledger = pathlib.Path("nvcosim-nights/night-1/ledger")
    found = []
    for line in ledger.read_text().split("\n") if ledger.exists() else []:
        try:
            note = json.loads(line)
        except ValueError:
            continue
        if "host" not in note:
            found.append(note["test"])
    return found


def alive(folder):
    """Processes that work in the folder, but for this one."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "cwd") == folder and int(process.name) != os.getpid():
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


def nights(folder, served):
    """A plan that is killed again and again. served: simulators are what they are, so that lanes of them play; else scripts start them, as users have it."""
    tree = pathlib.Path("build")
    tree.mkdir()
    shutil.copy(build / "nvcosim", tree / "nvcosim")
    if served:
        (tree / "nvcosim-small").symlink_to(build / "nvcosim-small")
    else:
        (tree / "nvcosim-small").write_text(f"""#!/bin/bash
{build}/nvcosim-small "$@" # not exec
exit $?
""")
        (tree / "nvcosim-small").chmod(0o755)
    (tree / "nvcosim-small-held").write_text(f"""#!/bin/bash
while [ ! -e {folder}/go ]; do sleep 0.05; done
echo '{{"verdict":"PASS","config":"small","dut":"rtl:held","reason":"","compared":true}}' >&3
""")
    (tree / "nvcosim-small-held").chmod(0o755)
    (tree / "python").symlink_to(ROOT / "python")
    traces = sorted((ROOT / "traces/conformance/small").glob("rand_[ps]d*.nvt.gz"))[:40]
    held = max(traces, key=lambda trace: trace.stat().st_size)  # tests without a history start by size
    total = 1 + 2 * len(traces) + 2 * LAYERS
    listed = "".join(f"      - {trace}\n" for trace in traces)
    pathlib.Path("p.yml").write_text(f"""name: killed
items:
  - {{name: held, config: small, dut: "rtl:held", traces: "{held}"}}
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
    random: {{engines: mix, count: {LAYERS}}}
""")
    command = [str(tree / "nvcosim"), "regress", "p.yml", "-j", "2"]
    kept, ran, words, run = set(), [], [], None
    for kill in range(KILLS + 1):
        if kill == KILLS:
            pathlib.Path("go").touch()
        run = subprocess.Popen(command + words, stdout=subprocess.PIPE, text=True)
        begun = run.stdout.readline()
        check("the tests that remain are those without a result", int(re.search(r": (\d+) tests", begun).group(1)) == total - len(kept), begun)
        if kill == KILLS:
            output = begun + run.communicate()[0]
            break
        wanted = min(moments.randrange(24 if served else 8), total - len(kept) - 1)
        while len(noted()) < wanted and run.poll() is None:
            time.sleep(0.002)
        time.sleep(moments.uniform(0, 0.03))
        run.send_signal(signal.SIGKILL)
        run.wait()
        run.stdout.close()
        check("the runner was killed", run.returncode == -9, run.returncode)
        check("no simulator is left", until(lambda: not alive(folder), 10), alive(folder))
        ran += noted()
        history = subprocess.run([str(tree / "nvcosim"), "history", "--sql", "SELECT 1"], capture_output=True, text=True)
        check("history brings in what is in the ledger", history.returncode == 0 and not history.stderr, history.stderr)
        now = finished()
        check("finished results stay as they are", kept <= now)
        check("what has ended has a result", set(ran) <= {row[0] for row in rows("number", "verdict IS NOT NULL")})
        check("nothing has run twice", len(ran) == len(set(ran)), [test for test in ran if ran.count(test) > 1])
        check("integrity", sqlite3.connect("nvcosim-nights/nights.db").execute("PRAGMA integrity_check").fetchone() == ("ok",))
        kept, words = now, ["--resume"]
    print(output, end="")
    everything = finished()
    check("the last call ends well", run.returncode == 0, run.returncode)
    check("finished results stay as they are", kept <= everything)
    check("every test has one result", len(everything) == total and not rows("1", "verdict IS NULL"), len(everything))
    check("all pass", not rows("key", "verdict <> 'PASS'"), rows("key, reason", "verdict <> 'PASS'")[:3])
    check("one night", {row[0] for row in everything} == {1})
    check("no ledger is left", not pathlib.Path("nvcosim-nights/night-1/ledger").exists())
    return f"{len(ran)} of {total} tests had ended before the last call"


def crashes(folder):
    # What the runner alone knows, of a simulator that crashes, is in the ledger before it is in the database.
    tree = pathlib.Path("build")
    traces = sorted((ROOT / "traces/conformance/small").glob("rand_[ps]d*.nvt.gz"))[:3]
    for name, does in ("crash", f"echo ran >>{folder}/crashes; kill -SEGV $$"), ("sleeps", f"[ -e {folder}/slept ] && exit 1; touch {folder}/slept; sleep 60"):
        (tree / f"nvcosim-small-{name}").write_text(f"#!/bin/bash\n{does}\n")
        (tree / f"nvcosim-small-{name}").chmod(0o755)
    pathlib.Path("c.yml").write_text(f"""name: crashes
triage: {{debug: 0, shrink_seconds: 0}}
items:
  - {{name: crash, config: small, dut: "rtl:crash", traces: ["{traces[0]}", "{traces[1]}", "{traces[2]}"]}}
  - {{name: sleeps, config: small, dut: "rtl:sleeps", traces: "{traces[0]}"}}
""")
    command = [str(tree / "nvcosim"), "regress", "c.yml", "-j", "4"]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    noted_by = pathlib.Path("crashes")
    while (not noted_by.exists() or noted_by.read_text().count("\n") < 3 or not pathlib.Path("slept").exists()) and run.poll() is None:
        time.sleep(0.01)
    time.sleep(0.7)
    run.send_signal(signal.SIGKILL)
    run.wait()
    subprocess.run([*command, "--resume"], stdout=subprocess.DEVNULL)
    check("a crash that the runner has noted is not run again", noted_by.read_text().count("\n") == 3, noted_by.read_text())


def children(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        found += map(int, task.read_text().split())
    return found


def player(run):
    """The process that plays the tests of a runner: `nvcosim play-list`."""
    while run.poll() is None:
        for child in children(run.pid):
            with contextlib.suppress(OSError):
                if b"play-list" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes():
                    return child
        time.sleep(0.005)
    return None


def players(folder):
    """What plays the tests is killed, stopped for a while, and one of its own processes is killed: the night continues."""
    tree = pathlib.Path("build")
    shutil.rmtree("nvcosim-nights")
    pathlib.Path("go").unlink()
    run = subprocess.Popen([str(tree / "nvcosim"), "regress", "p.yml", "-j", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    killed = 0
    for number in range(3):
        while len(noted()) < 20 * number and run.poll() is None:
            time.sleep(0.002)
        last = player(run)
        os.kill(last, signal.SIGKILL)
        while player(run) == last:
            time.sleep(0.002)
    for stopped in (run.pid, player(run)):
        os.kill(stopped, signal.SIGSTOP)
        time.sleep(0.5)
        os.kill(stopped, signal.SIGCONT)
    while not killed and run.poll() is None:
        for child in children(player(run)):
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
                killed += 1
                break
    pathlib.Path("go").touch()
    output, errors = run.communicate()
    everything, twice = finished(), noted()
    check("the night continues when its player is killed", errors.count("nvcosim play-list was ended by signal 9") == 3, errors)
    check("players killed: every test has one result", not rows("1", "verdict IS NULL") and len(everything) > 200, len(everything))
    bad = rows("key, verdict, reason", "verdict NOT IN ('PASS')")
    check("players killed: all pass, but what ran in the process that was killed", len(bad) <= 2 and all("signal 9" in row[2] for row in bad), bad)
    check("players killed: nothing is noted twice", len(twice) == len(set(twice)), twice)
    check("players killed: no process is left", not alive(folder), alive(folder))


start = time.monotonic()
for served in (False, True):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        print(nights(folder, served))
        players(folder)
        if not served:
            crashes(folder)
        os.chdir(ROOT)
print(f"{time.monotonic() - start:.1f} s")
finish()
