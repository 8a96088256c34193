#!/usr/bin/python3
"""nvcosim regress sorts the failures of an RTL with planted faults into buckets by the engine to blame, and shrinks the smallest of each.

usage: buckets_planted.py BUILD [full]

The RTL is that of tests/replay/planted_rtl.sh. A first night without debug shows which faults the traces notice. Three of them, in different
engines, for full five, are the failures of a second night, which is killed while it debugs, and resumed.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.parse

from counts import check, finish

KIND = '"kind":"debug"'
CONFIG = sys.argv[2] if len(sys.argv) > 2 else "small"
FULL = CONFIG == "full"
# Engines in the order in which they are chosen; traces that reach them; how many of their faults are chosen.
FOLDERS = ["bdma", "rubik", "sdp", "csc", "lut", "pdp", "cbuf", "cdma", "cdp", "cacc"] if FULL else ["cmac", "pdp", "csc", "cacc", "lut", "cdma", "cdp", "sdp", "cbuf"]
TRACES = ["bdma_001", "rubik_002", "sdpe_004", "batch_002", "fused_002"] if FULL else ["mixed_000", "dc_pdp_000", "cdp_000", "pdp_001"]
CHOSEN = 5 if FULL else 3
ENGINE = "bdma" if FULL else "conv"  # of a random layer, which can be made smaller: it reaches the first engine
ROOT = pathlib.Path(__file__).resolve().parents[2]
build = pathlib.Path(sys.argv[1]).resolve()
nvcosim = str(build / "nvcosim")
planted = build / f"tests/planted{'_full' if FULL else ''}"
work = build / f"tests/buckets{'_full' if FULL else ''}"


def rows(sql):
    database = sqlite3.connect("nvcosim-nights/nights.db", timeout=60)
    database.row_factory = sqlite3.Row
    try:
        return [dict(row) for row in database.execute(sql)]
    finally:
        database.close()


def plan(name, faults, traces, triage):
    items = "".join(f"  - name: {fault['folder']}{fault['number'] if name == 'find' else ''}\n    dut: rtl:planted\n    options: [--fault={fault['number']}, --still=20000]\n    traces:\n"
                    + "".join(f"      - {trace}\n" for trace in traces) for fault in faults)
    random = (f"  - name: layers\n    dut: rtl:planted\n    config: {CONFIG}\n    options: [--fault={faults[0]['number']}, --still=20000]\n    random: {{engines: {ENGINE}, count: 1}}\n"
              if name == "p" else "")
    pathlib.Path(f"{name}.yml").write_text(f"name: {name}\nlimits: {{seconds: 60}}\ntriage: {triage}\nitems:\n{items}{random}")


def regress(*words):
    return subprocess.run([nvcosim, "regress", *words], capture_output=True, text=True)


shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
os.chdir(ROOT)
subprocess.run(["tests/replay/planted_rtl.sh", str(build), CONFIG], check=True)
table = planted / "faults.json"
os.chdir(work)
faults = [fault for fault in json.load(open(table, encoding="utf-8"))["faults"] if fault["folder"] in FOLDERS]
traces = [ROOT / f"traces/conformance/{CONFIG}/rand_{name}.nvt.gz" for name in TRACES]

plan("find", faults, traces, "{debug: 0, shrink_seconds: 0}")
run = regress("find.yml")
# A hang is blamed on the engine at which the waits end, which need not be that of the fault.
noticed = {row["item"] for row in rows("SELECT item FROM result GROUP BY item HAVING sum(verdict = 'FAIL') > 0 AND sum(verdict = 'HANG') = 0")}
faults = {fault["folder"]: fault for fault in faults if f"{fault['folder']}{fault['number']}" in noticed}
chosen = [folder for folder in FOLDERS if folder in faults][:CHOSEN]
if len(chosen) < CHOSEN:
    sys.exit(f"only {len(chosen)} faults are noticed\n{run.stdout}{run.stderr}")
check("without debug there are buckets of results", all(row["page"] is None and row["shrunk"] is None for row in rows("SELECT * FROM bucket")) and rows("SELECT * FROM bucket"), run.stdout)
directory = rows("SELECT directory FROM night")[0]["directory"]
check("the night's directory is that of the file list", directory == str(planted), directory)
shutil.rmtree("nvcosim-nights")

plan("p", [faults[folder] for folder in chosen], traces, "{debug: 20, debug_seconds: 120, shrink_seconds: 4}")
run = regress("p.yml", "-j", "2", "--seed", "7")
tests = rows("SELECT * FROM result ORDER BY number")
buckets = rows("SELECT * FROM bucket ORDER BY number")
failures = [test for test in tests if test["verdict"] != "PASS"]
blamed = {test["number"]: chosen[0] if test["item"] == "layers" else test["item"] for test in tests}
check("the night fails", run.returncode in (1, 3), run.returncode)
check("each failure is in a bucket", all(test["bucket"] for test in failures) and sum(bucket["count"] for bucket in buckets) == len(failures), failures)
check("every fault has a bucket", {bucket["engine"] for bucket in buckets} == set(chosen), buckets)
check("largest first", [(-bucket["count"], bucket["signature"]) for bucket in buckets] == sorted((-bucket["count"], bucket["signature"]) for bucket in buckets), buckets)
links = [urllib.parse.unquote(link) for link in re.findall('href="([^"]*)"', pathlib.Path("nvcosim-nights/night-1/index.html").read_text())]
for bucket in buckets:
    title = f"bucket {bucket['number']} ({bucket['signature']})"
    members = [test for test in failures if test["bucket"] == bucket["number"]]
    smallest = min(members, key=lambda test: (test["cycles"], test["macs"], test["number"]))
    check(f"{title}: failures of the fault in its engine, and of no other", {blamed[test["number"]] for test in members} == {bucket["engine"]} and len(members) == bucket["count"], members)
    check(f"{title}: smallest case", bucket["smallest"] == smallest["number"], smallest["key"])
    check(f"{title}: sentence", f"{bucket['engine']} is to blame" in bucket["title"], bucket["title"])
    page = pathlib.Path(f"nvcosim-nights/night-1/{bucket['page']}")
    check(f"{title}: debug report", page.exists() and f"{bucket['engine']} is to blame" in page.read_text(), page)
    check(f"{title}: is linked", bucket["page"] in links, links)
    os.makedirs("paste", exist_ok=True)
    environment = {**os.environ, "PATH": f"{build}:{os.environ['PATH']}"}
    again = subprocess.run(["bash", "-c", bucket["command"]], capture_output=True, text=True, cwd="paste", env=environment)
    here = lambda text: re.sub(r"\S+/", "", text)  # a random layer lies elsewhere now
    check(f"{title}: its command, pasted", again.returncode in (1, 3) and here(smallest["reason"]) in here(again.stdout + again.stderr), bucket["command"] + again.stdout + again.stderr)
    # A random layer can be made smaller; of the traces, those with more layers than one.
    shrunk = 0 < bucket["shrunk_cycles"] < smallest["cycles"] if bucket["shrunk"] else smallest["item"] != "layers" and "cannot make it smaller" in bucket["note"]
    check(f"{title}: shrunk", shrunk, bucket)
    if bucket["shrunk"]:
        command = bucket["shrunk_command"].replace("nvcosim run", "nvcosim debug --out shrunk")
        subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd="paste", env=environment)
        verdict = json.load(open(f"paste/shrunk/{pathlib.Path(bucket['shrunk']).stem}/report.json", encoding="utf-8"))["verdict"]
        check(f"{title}: what was shrunk fails alike", bucket["signature"] in (f"{verdict['engine']}:{verdict['tap']}", f"hang:{verdict['engine']}"), verdict)
check("the night's copies of simulators are gone", not os.path.exists("nvcosim-nights/night-1/simulators"))

# killed while it debugs
runner = subprocess.Popen([nvcosim, "regress", "p.yml", "-j", "1", "--seed", "7"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
found = pathlib.Path("nvcosim-nights/night-2/buckets/found.jsonl")
end = time.monotonic() + 120
while time.monotonic() < end and runner.poll() is None and not (found.exists() and found.read_text().count(KIND) >= 2):
    time.sleep(0.02)
runner.send_signal(signal.SIGKILL)
runner.wait()
before = found.read_text()
check("killed while it debugs", runner.returncode == -9 and '"shrink"' not in before, before)
run = regress("p.yml", "--resume")
kinds = [(line["kind"], line["test"]) for line in map(json.loads, filter(None, found.read_text().split("\n")))]
check("what was found is not looked for again", len(kinds) == len(set(kinds)) and found.read_text().startswith(before) and f"nvcosim debug looks at {len(failures) - before.count(KIND)} of" in run.stdout, kinds)
columns = ("number", "signature", "title", "count", "engine", "tap", "kind", "smallest", "command", "page")
now = [tuple(bucket[column] for column in columns) for bucket in rows("SELECT * FROM bucket WHERE night = 2 ORDER BY number")]
check("the same buckets", now == [tuple(bucket[column] for column in columns) for bucket in buckets], now)
check("the night is done", rows("SELECT state FROM night WHERE id = 2")[0]["state"] == "done")
finish()
