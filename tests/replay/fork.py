#!/usr/bin/python3
"""A simulator that resets once and plays each trace in a copy of itself gives the same results and reports as one simulator for each trace,
whatever happens to other copies or to the process that was copied.

usage: fork.py BUILD [RTL]      RTL: name of another RTL of configuration small that was built; only its results are compared

The simulator is a script that records how it was called and then becomes the real one.
"""
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from counts import check, finish, runs, until

ROOT = pathlib.Path(__file__).resolve().parents[2]
build = pathlib.Path(sys.argv[1]).resolve()
rtl = sys.argv[2] if len(sys.argv) > 2 else None
nvcosim = str(build / "nvcosim")
name = "nvcosim-small" + (f"-{rtl}" if rtl else "")


def call(*words):
    """nvcosim run with the noting simulator."""
    dut = [f"--dut=rtl:{rtl}"] if rtl else []
    return [nvcosim, "run", "--simulators=simulators", *dut, *words]


def notes():
    """The calls of the simulator since the last time: those for a trace, and those for copies."""
    path = pathlib.Path("calls")
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    path.unlink(missing_ok=True)
    return len([line for line in lines if "--serve=" not in line]), len([line for line in lines if "--serve=" in line])


def results(path):
    """By trace, without what differs from run to run."""
    found = {}
    for line in pathlib.Path(path).read_text().split("\n")[:-1]:
        result = json.loads(line)
        for key in ("seconds", "cpu_seconds", "memory_peak", "command", "report", "wave_command", "debug_command"):
            result.pop(key, None)
        for device in result.get("devices", []):
            for key in ("cpu_seconds", "eval_share"):
                device.pop(key, None)
        found[result["trace"]] = result
    return found


def contents(folder):
    return {str(f.relative_to(folder)): f.read_bytes().replace(b"forked", b"fresh")  # commands in reports name the folder
            for f in sorted(pathlib.Path(folder).rglob("*")) if f.is_file()}


def lines(run):
    """What a run printed, to stdout and stderr; two traces at a time end in any order."""
    return [sorted(text.replace("forked", "fresh").split("\n")) for text in (run.stdout, run.stderr)]


def same(title, options, copied=True):
    """With copies and without: the same, in fewer simulators."""
    notes()
    fresh = subprocess.run(call("--fresh", "--out=fresh", "--results=fresh.jsonl", *options, *traces), capture_output=True, text=True)
    alone = notes()
    forked = subprocess.run(call("--out=forked", "--results=forked.jsonl", *options, *traces), capture_output=True, text=True)
    together = notes()
    check(f"{title}: --fresh starts a simulator for each trace", alone == (len(traces), 0), alone)
    if copied:
        check(f"{title}: else one is reset for most of them", together[1] == 1 and together[0] < len(traces) - 3, together)
    else:
        check(f"{title}: and so does what cannot be copied", together == (len(traces), 0), together)
    check(f"{title}: status, lines and messages are the same",
          (fresh.returncode, lines(fresh)) == (forked.returncode, lines(forked)))
    text = pathlib.Path("forked.jsonl").read_text()
    pathlib.Path("forked.jsonl").write_text(text.replace("forked/", "fresh/"))
    check(f"{title}: results are the same", results("fresh.jsonl") == results("forked.jsonl") and len(results("fresh.jsonl")) == len(traces))
    check(f"{title}: reports are the same to the byte", contents("fresh") == contents("forked") and len(contents("fresh")) >= len(traces))
    shutil.rmtree("fresh")
    shutil.rmtree("forked")


def children(pid):
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def is_server(pid):
    try:
        return os.readlink(f"/proc/{pid}/fd/3").startswith("socket:")
    except OSError:
        return False


def disturbed(disturb):
    """Plays all traces twice, the long one in the middle, and disturbs while that is played by a copy. Returns the process, which has
    ended, its servers and copies."""
    order = [*traces, "long.nvt", *traces]
    run = subprocess.Popen(call("--results=disturbed.jsonl", "--max-seconds=100", *order), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def found():
        if not pathlib.Path("disturbed.jsonl").exists() or len(pathlib.Path("disturbed.jsonl").read_text().split("\n")) != len(traces) + 1:
            return None
        servers = [pid for pid in children(run.pid) if is_server(pid)]
        copies = [pid for pid in children(run.pid) if pid not in servers and not children(pid)]
        return (servers, copies) if len(servers) == 1 and len(copies) == 1 else None

    servers, copies = until(found) or ((), ())
    check("a trace is played by a copy", servers and copies and not is_server(copies[0]))
    if servers and copies:
        disturb(run.pid, servers[0], copies[0])
    run.communicate()
    return run, servers, copies


folder = tempfile.mkdtemp()
os.chdir(folder)
pathlib.Path("simulators").mkdir()
script = pathlib.Path("simulators", name)
script.write_text(f'#!/bin/bash\necho "$*" >>"{folder}/calls"\nexec "{build / name}" "$@"\n')
script.chmod(0o755)
subprocess.run([nvcosim, "gen", "--config=small", "--engine=mix", "--seed=300", "--count=12", "--out=cases"], check=True, stdout=subprocess.DEVNULL)
traces = sorted(str(path) for path in pathlib.Path("cases").iterdir())
same("quiet memory", [])
same("two at a time, page by page", ["-j2", "-q", "--latency-kind=page", "--reorder", "--bandwidth=400", "--seed=9"])
if not rtl:
    same("write data held back", ["--stall-b=300", "--stall-r=200", "--seed=7"])
    same("pins", ["--pin", "global_clk_ovr_on=1"])
    same("timeline", ["--html"])
    same("runs that hang", ["--max-cycles=9000"])
    notes()
    subprocess.run(call("-q", *traces[:3]), check=True)
    check("three traces are not worth it", notes() == (3, 0))
    hostile = call("-q", "--results=hostile.jsonl", "--stall=300", "--seed=3", *traces)
    subprocess.run(hostile, check=True)
    subprocess.run([*hostile[:3], "--fresh", *[w.replace("hostile.", "fresh.") for w in hostile[3:]]], check=True)
    check("channels that are held back at random", results("hostile.jsonl") == results("fresh.jsonl"))

    subprocess.run(call("--results=calm.jsonl", "-q", *traces, *traces), check=True)
    calm = results("calm.jsonl")
    # A night: each test has a seed of its own, and with it the readys that its memory begins with.
    pathlib.Path("night.yml").write_text("""name: n
triage: {debug: 0, shrink_seconds: 0}
memories: {hostile: [--stall=300, --reorder]}
items:
  - {name: r, config: small, random: {engines: [mix], seeds: 1-8}, memories: [hostile], seed: night, reseed: 4}
""")
    subprocess.run([nvcosim, "regress", "night.yml", "-j2", "--out=nights"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    database = next(pathlib.Path("nights").glob("*.db"))
    played = sqlite3.connect(database).execute("SELECT seed, cycles, command FROM result ORDER BY key").fetchall()
    check("a night plays all its tests", len(played) == 40 and len({seed for seed, _, _ in played}) == 40, len(played))
    wrong = []
    for seed, cycles, command in played[::5]:
        again = command.split("nvcosim ")[-1].split()
        run = subprocess.run([nvcosim, again[0], "--fresh", "--results=again.jsonl", *again[1:]], capture_output=True, text=True,
                             cwd="nights/night-1")
        if run.returncode != 0 or json.loads(pathlib.Path("nights/night-1/again.jsonl").read_text())["cycles"] != cycles:
            wrong.append((seed, cycles, run.stderr))
    check("its tests take the same cycles as alone", not wrong, wrong)

    base = next((ROOT / "traces/conformance/small").glob("rand_dc_019.nvt.gz"))
    subprocess.run([sys.executable, str(ROOT / "tests/replay/long_trace.py"), str(base), "400", "long.nvt"], check=True, stdout=subprocess.DEVNULL)

    run, _, _ = disturbed(lambda runner, server, copy: os.kill(copy, signal.SIGSEGV))
    found = results("disturbed.jsonl")
    long = found.pop("long")
    check("a copy that dies is a CRASH of its trace", long["verdict"] == "CRASH" and "signal 11" in long["reason"] and run.returncode == 4, long["reason"])
    check("and of no other", found == calm)

    notes()
    run, servers, copies = disturbed(lambda runner, server, copy: (os.kill(server, signal.SIGKILL), time.sleep(0.2), os.kill(copy, signal.SIGTERM)))
    found = results("disturbed.jsonl")
    long = found.pop("long")
    check("a server that is killed: its copy continues until it is ended itself", "signal 15" in long["reason"], long["reason"])
    check("no other run notices", found == calm, run.returncode)
    check("another one takes its place", notes()[1] == 2)

    run, servers, copies = disturbed(lambda runner, server, copy: os.kill(runner, signal.SIGKILL))
    check("all end with a runner that is killed", until(lambda: not any(runs(pid) for pid in [*servers, *copies]), 10))

    # Pieces of a network: the simulator is reset while they are cut, and they wait for it unless it does not come.
    network = call("-q", "-j2", "--pieces=4", "--input=zero", str(ROOT / "traces/loadables/own_res_img/net.nvdla"))
    notes()
    run = subprocess.run([*network, "--results=copied.jsonl"])
    check("pieces are all played by copies of one simulator", (run.returncode, *notes()) == (0, 0, 1))
    simulator = script.read_text()
    for what, instead in (("ends at once", "exit 1"), ("says nothing for ten seconds", "exec sleep 60")):
        script.write_text(simulator.replace("exec ", f'[[ "$*" != *--serve=* ]] || {instead}\nexec ', 1))
        begin = time.monotonic()
        run = subprocess.run([*network, "--results=alone.jsonl"])
        check(f"if that one {what}, by one each, with the same result", (run.returncode, *notes()) == (0, 4, 1)
              and results("copied.jsonl") == results("alone.jsonl") and time.monotonic() - begin < 40)
os.chdir("/")
shutil.rmtree(folder)
finish()
