#!/usr/bin/python3
"""The trace events of `run --timeline`: their form, their nesting, what they say compared with report.json, and a small file to the byte.

usage: timeline.py BUILD [--write]
  --write   writes tests/replay/timeline.json.gz anew, after a change of the format that is meant
"""
import collections
import gzip
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys

from counts import check, finish

build = os.path.abspath(sys.argv[1])
nvcosim = os.environ.get("NVCOSIM", build + "/nvcosim")
here = pathlib.Path(__file__).resolve().parent
traces = here.parent.parent / "traces"
golden = here / "timeline.json.gz"
folder = pathlib.Path(build, "tests", "timeline")
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)


def run(name, *words, status=0, file="json", command="run"):
    """Plays a trace with a timeline and a report. Returns the file's value and report.json."""
    path = folder / f"{name}.{file}"
    done = subprocess.run([nvcosim, command, "-q", "--timeline", path, "--out", folder / name, *words], capture_output=True, text=True, timeout=300, check=False)
    check(f"{name}: exit status {status}", done.returncode == status, done)
    text = gzip.open(path).read() if file.endswith(".gz") else path.read_bytes()
    report = next((folder / name).glob("*/report.json"))
    return json.loads(text), json.loads(report.read_text(encoding="utf-8")), text


# ---- form ----
REQUIRED = {"M": {"ph", "pid", "name", "args"},
            "X": {"ph", "pid", "tid", "ts", "dur", "cat", "name", "args"},
            "s": {"ph", "pid", "tid", "ts", "id", "cat", "name"},
            "f": {"ph", "pid", "tid", "ts", "id", "cat", "name", "bp"},
            "C": {"ph", "pid", "tid", "ts", "name", "args"},
            "i": {"ph", "pid", "tid", "ts", "s", "cat", "name"}}


def well_formed(event):
    wanted = REQUIRED.get(event.get("ph"))
    return (wanted is not None and wanted <= set(event) <= wanted | {"tid"}
            and all(isinstance(event[key], int) and event[key] >= 0 for key in ("pid", "tid", "ts", "dur", "id") if key in event)
            and isinstance(event["name"], str) and event["name"] and isinstance(event.get("args", {}), dict)
            and (event["ph"] != "C" or all(isinstance(value, (int, float)) and value >= 0 for value in event["args"].values())))


def nests(slices):
    """Slices of a track, by their start: each lies in the one that is open or begins after it."""
    stack = []
    for event in sorted(slices, key=lambda event: (event["ts"], -event["dur"])):
        while stack and stack[-1] <= event["ts"]:
            stack.pop()
        if stack and event["ts"] + event["dur"] > stack[-1]:
            return False
        stack.append(event["ts"] + event["dur"])
    return True


def look_at_form(name, trace):
    events = trace["traceEvents"]
    bad = [event for event in events if not well_formed(event)]
    check(f"{name}: {len(events)} events have the members of their kind", not bad, bad[:3])
    named = {(event["pid"], event.get("tid")) for event in events if event["ph"] == "M" and event["name"] in ("thread_name", "process_name")}
    used = {(event["pid"], event["tid"]) for event in events if event["ph"] in "Xi"} | {(event["pid"], None) for event in events}
    check(f"{name}: every track has a name", used <= named, used - named)
    tracks = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            tracks[event["pid"], event["tid"]].append(event)
    wrong = [track for track, slices in tracks.items() if not nests(slices)]
    check(f"{name}: slices of {len(tracks)} tracks nest", not wrong, wrong)
    late = [event for event in events if event.get("ts", 0) + event.get("dur", 0) > trace["otherData"]["cycles"]]
    check(f"{name}: nothing is after the last clock", not late, late[:3])
    counters = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "C":
            counters[event["name"]].append(event["ts"])
    check(f"{name}: counters go forward in time", all(times == sorted(set(times)) for times in counters.values()), counters.keys())
    flows = collections.defaultdict(list)
    for event in events:
        if event["ph"] in "sf":
            flows[event["id"]].append(event)
    check(f"{name}: each of {len(flows)} flows has two ends, in order",
          all([event["ph"] for event in ends] == ["s", "f"] and ends[0]["ts"] < ends[1]["ts"] for ends in flows.values()))
    loose = [end for ends in flows.values() for end in ends
             if not any(one["ts"] <= end["ts"] < one["ts"] + one["dur"] for one in tracks[end["pid"], end["tid"]])]
    check(f"{name}: each end is in a slice", not loose, loose[:3])
    return tracks, flows


# ---- SQL: the tables of trace_processor that docs/timeline.md names ----
def database(trace):
    """Tables slice, thread_track, thread, process as trace_processor makes them of such a file; its times are nanoseconds."""
    base = sqlite3.connect(":memory:")
    base.executescript("""CREATE TABLE process(upid, pid, name); CREATE TABLE thread(utid, tid, upid, name);
        CREATE TABLE thread_track(id, utid); CREATE TABLE slice(id, track_id, ts, dur, category, name, depth);""")
    names = {(event["pid"], event.get("tid"), event["name"]): event["args"].get("name") for event in trace["traceEvents"] if event["ph"] == "M"}
    for number, ((pid, tid, what), name) in enumerate(sorted(names.items(), key=str)):
        if what == "process_name":
            base.execute("INSERT INTO process VALUES (?, ?, ?)", (pid, pid, name))
        if what == "thread_name":
            base.execute("INSERT INTO thread VALUES (?, ?, ?, ?)", (number, tid, pid, name))
            base.execute("INSERT INTO thread_track VALUES (?, ?)", (number, number))
    tracks = {(row[1], row[0]): row[2] for row in base.execute("SELECT tid, upid, utid FROM thread")}
    for number, event in enumerate(event for event in trace["traceEvents"] if event["ph"] == "X"):
        base.execute("INSERT INTO slice VALUES (?, ?, ?, ?, ?, ?, 0)",
                     (number, tracks[event["pid"], event["tid"]], event["ts"] * 1000, event["dur"] * 1000, event["cat"], event["name"]))
    return base


def documented(number):
    """A query of docs/timeline.md."""
    page = (here.parent.parent / "docs" / "timeline.md").read_text(encoding="utf-8")
    blocks = [block for block in page.split("\n\n") if block.startswith("    SELECT")]
    return blocks[number]


def compare(name, trace, report):
    base = database(trace)
    spans = collections.Counter()
    for launch in report["timeline"]["launches"]:
        if launch["end"]:
            spans[launch["unit"]] += launch["end"] - launch["start"]
    asked = dict(base.execute(documented(0)).fetchall())
    check(f"{name}: the documented query gives the clocks of each engine", asked == {unit: clocks for unit, clocks in spans.items() if clocks} and asked, (asked, spans))
    layers = {f'{layer["unit"]} #{layer["launch"]} {layer["kind"]}': (layer["start"], layer["clocks"]) for layer in report["layers"] if "clocks" in layer}
    found = {event["name"]: (event["ts"], event["dur"]) for event in trace["traceEvents"] if event["ph"] == "X" and event["cat"] == "layer"}
    check(f"{name}: the {len(layers)} layers have the times of report.json", found == layers and layers, (found, layers))
    by_clocks = [tuple(row) for row in base.execute(documented(1)).fetchall()]
    check(f"{name}: the documented query lists the layers that take longest", [row[1] for row in by_clocks] == sorted((clocks for _, clocks in layers.values()), reverse=True)[:5], by_clocks)
    args = {event["name"]: event["args"] for event in trace["traceEvents"] if event["ph"] == "X" and event["cat"] == "layer"}
    for layer in report["layers"]:
        mine = args.get(f'{layer["unit"]} #{layer["launch"]} {layer["kind"]}', {})
        traffic = {(c["client"], "writes" if c["write"] else "reads"): (c["bytes"], c["beats"], c["pending"], c["refused"], c["untaken"]) for c in layer["clients"]}
        shown = {tuple(key.split(" ")): tuple(value.values()) for key, value in mine.items() if isinstance(value, dict)}
        if "clocks" in layer and shown != traffic:
            check(f"{name}: traffic of {layer['unit']} #{layer['launch']}", False, (shown, traffic))
    device = report["devices"][0]
    moved = collections.Counter()
    steps = report["timeline"]
    for kind, direction in (("read bytes a clock", False), ("write bytes a clock", True)):
        values, at = {}, None
        for event in trace["traceEvents"] + [{"ph": "C", "name": kind, "ts": steps["cycles"], "args": {}}]:
            if event["ph"] == "C" and event["name"] == kind:
                for client, value in values.items():
                    moved[client, direction] += value * (event["ts"] - at)
                at = event["ts"]
                values.update(event["args"])
    for client in steps["clients"]:
        wanted = sum(client.get("bytes", []))
        check(f"{name}: the counter of {client['client']} {'writes' if client['write'] else 'reads'} holds its {wanted} bytes",
              abs(moved[client["client"], client["write"]] - wanted) <= 0.002 * wanted, moved)
    check(f"{name}: the run has its clocks", trace["otherData"]["cycles"] == steps["cycles"], device)


conformance = traces / "conformance" / "small"

# ---- a layer, packed; to the byte ----
trace, report, text = run("one", conformance / "rand_sdp_000.nvt.gz", file="json.gz", *["--html"])
look_at_form("one", trace)
compare("one", trace, report)
if "--write" in sys.argv:
    golden.write_bytes(gzip.compress(text, 9, mtime=0))
check("one: the file is the one in the tree (--write, if the change is meant)", gzip.open(golden).read() == text, "cmp tells the place")

# ---- many layers, with both groups, polls, interrupts and flows; a slow memory ----
trace, report, text = run("many", "--html", "--latency", "200", "--stall", "300", traces / "networks" / "digits" / "digits.nvdla", "--input", traces / "networks" / "digits" / "7.png")
tracks, flows = look_at_form("many", trace)
compare("many", trace, report)
names = {event["name"] for event in trace["traceEvents"] if event["ph"] == "X"}
check("many: layers are named as in the network", any("layer of the network" in event["args"] for event in trace["traceEvents"] if event["ph"] == "X"))
check("many: engines wait for the memory", "waits for the memory" in names, names)
check("many: counters of bytes, outstanding bursts and MACs", {event["name"] for event in trace["traceEvents"] if event["ph"] == "C"} >= {"read bytes a clock", "write bytes a clock", "reads outstanding", "writes outstanding", "MACs in use"})
fed = [ends for ends in flows.values() if ends[0]["name"] == "memory"]
layers = [event for event in trace["traceEvents"] if event["ph"] == "X" and event["cat"] == "layer"]
check("many: each layer but the first is fed through memory by one before it", len(fed) >= len(layers) - 1 > 3, (len(fed), len(layers)))
writes = sum(len(event["args"]) - 2 for event in trace["traceEvents"] if event["ph"] == "X" and event["cat"] == "write")
check("many: register writes have their values", writes > 100, writes)
rises = [event for event in trace["traceEvents"] if event.get("cat") == "interrupt"]
check("many: interrupts have their names", rises and all(event["name"].startswith("dla_intr ") and "_" in event["name"] for event in rises), rises[:2])

# ---- a hang: what does not end is shown to the last clock; the last movement is marked ----
partner = folder / "partner.nvt"
partner.write_text("".join(line for line in gzip.open(conformance / "rand_dc_000.nvt.gz", "rt") if "write CACC.D_OP_EN" not in line), encoding="utf-8")
trace, report, _ = run("hang", partner, status=3, *["--html"])
look_at_form("hang", trace)
open_slices = [event for event in trace["traceEvents"] if event.get("cat") == "unfinished"]
check("hang: unfinished launches reach the end", open_slices and all(event["ts"] + event["dur"] == trace["otherData"]["cycles"] for event in open_slices), open_slices[:2])
marks = [event for event in trace["traceEvents"] if event["ph"] == "i"]
check("hang: the last movement is marked, with the reason", [mark["cat"] for mark in marks] == ["last movement"] and "CACC" in marks[0]["name"], marks)

# ---- findings: a trace without its first region reads outside; a bus that loses beats gives wrong bytes ----
lines = gzip.open(conformance / "rand_sdp_000.nvt.gz", "rt").read()
outside = folder / "outside.nvt"
outside.write_text(lines.replace("mem_fill primary 0xa0000000 0xa0 0x00\n", ""), encoding="utf-8")
trace, report, _ = run("finding", "--dut", "rtl", "--no-golden", outside, *["--html"], status=1)
look_at_form("finding", trace)
marks = [(mark["ts"], mark["name"]) for mark in trace["traceEvents"] if mark["ph"] == "i" and mark["tid"] == 2]
wanted = [(finding["cycle"], finding["text"]) for finding in report["devices"][0]["findings"]]
check("finding: each is marked at its clock", marks == wanted and wanted, (marks, wanted))
for fault, what in (("repeated-beat:2", "first wrong byte"), ("lost-beat:2", "end of the layer with the first wrong byte")):
    trace, report, _ = run(fault.split(":")[0], "--html", "--bus-fault", fault, conformance / "rand_sdp_000.nvt.gz", status=1)
    marks = [mark for mark in trace["traceEvents"] if mark["ph"] == "i" and mark["tid"] == 1]
    check(f"{fault}: {what} is marked, with the reason", [(mark["cat"], mark["name"]) for mark in marks] == [(what, report["reason"])], marks)

# ---- what cannot be written ----
for words, text in ((["--timeline", "t.txt", str(outside)], "--timeline: found 't.txt', expected a name that ends in .json or .json.gz"),
                    (["--timeline", "t.json", "--dut", "model", str(outside)], "--timeline: the model has no clock"),
                    (["--timeline", "t.json", str(outside), str(outside)], "--timeline: found 2 traces, expected one"),
                    (["--timeline", "t.json", "--pieces", "2", str(outside)], "--timeline and --pieces exclude each other"),
                    (["--timeline", "/dev/null/t.json", str(outside)], "--timeline: /dev/null/t.json: ")):
    done = subprocess.run([nvcosim, "run", *words], capture_output=True, text=True, timeout=60, check=False)
    check(f"refused: {text}", done.returncode == 2 and text in done.stderr, done)

finish()
