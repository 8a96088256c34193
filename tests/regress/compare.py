#!/usr/bin/python3
"""nvcosim regress --compare: two nights out of months of work (fixture.py), and two devices, configurations and memories of one night. Its figures
are compared with figures computed here from the database, and its page is loaded in a headless Chromium, wide and narrow.

usage: compare.py BUILD
"""
import csv
import io
import json
import math
import os
import re
import shutil
import sqlite3
import subprocess
import sys

from browser import browse
from counts import check, finish, skip

build = os.path.abspath(sys.argv[1])
here = os.path.dirname(os.path.abspath(__file__))
folder = os.path.join(build, "tests/compare")


def compare(*arguments, terminal=0):
    command = [os.path.join(build, "nvcosim"), "regress", "--database", path, "--compare", *arguments]
    if terminal:
        command = [os.path.join(here, "../cli/on_terminal.py"), str(terminal), *command]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env={**os.environ, "LC_ALL": "C.UTF-8"})


def says(title, run, status, *words):
    text = run.stdout + run.stderr
    lacks = [word for word in words if (word[1:] in text if word.startswith("!") else word not in text)]
    check(title, run.returncode == status and not lacks, (run.returncode, lacks, text[-1500:]))


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def near(a, b):
    return a == b or (a is not None and b is not None and abs(a - b) <= 1e-6 * abs(b))


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
path = os.path.join(folder, "nights.db")
nights = json.loads(subprocess.run([os.path.join(here, "fixture.py"), path, "--folder", folder], check=True, capture_output=True, text=True).stdout)
database = sqlite3.connect(path)
database.row_factory = sqlite3.Row

# One night with two devices, two configurations, two memories, and a second one after a change.
KEYS = [("a/one", "small", "both", "", 1000, "PASS"), ("a/one,rtl-mine", "small", "rtl:mine", "", 1500, "PASS"), ("a/two", "small", "both", "", 2000, "PASS"),
        ("a/two,rtl-mine", "small", "rtl:mine", "", 1000, "FAIL"), ("a/one,large", "large", "both", "", 500, "PASS"), ("a/one@slow", "small", "both", "slow", 4000, "PASS"),
        ("a/one,rtl-mine@slow+2", "small", "rtl:mine", "slow", 4000, "PASS"), ("a/one@slow+2", "small", "both", "slow", 8000, "PASS")]
BEATS = {"one": '{"devices":[{"read_beats":{"CDMA_DAT":9,"CDMA_WT":2},"write_beats":{"SDP":4,"PDP":1}}]}', "two": '{"devices":[{"read_beats":{"SDP":9},"write_beats":{"SDP":4}}]}'}


def night_of_devices(revision, factor, seed):
    cursor = database.execute(
        "INSERT INTO night (kind, plan, plan_path, plan_text, seed, state, started, host, cores, pid, birth, version, directory, revision, dirty, engine, command, folder) VALUES ('regress', "
        "'devices', 'p', 'p', 1, 'done', '2026-03-01T01:00:00Z', 'h', 2, 1, '', '1', '/rtl', ?, 1, 'local', 'c', '/elsewhere/n')", (revision,))
    for place, (key, config, dut, memory, cycles, verdict) in enumerate(KEYS):
        name = "two" if "two" in key else "one"
        database.execute("INSERT INTO result (night, number, key, test, item, trace, path, config, dut, memory, seed, tags, verdict, signature, reason, cycles, cpu_seconds, result) VALUES "
                         "(?, ?, ?, '{}', 'a', ?, ?, ?, ?, ?, ?, ' x ', ?, ?, ?, ?, ?, ?)",
                         (cursor.lastrowid, place, key, name, name, config, dut, memory, place + seed, verdict, None if verdict == "PASS" else "value:SDP",
                          "" if verdict == "PASS" else "bytes differ", round(cycles * factor), cycles / 1e5, BEATS[name]))
    return cursor.lastrowid


devices, devices_after, devices_again = (night_of_devices("c0ffee" + digit * 34, factor, 5) for digit, factor in (("1", 1), ("2", 1.1), ("3", 1)))
database.commit()
last = nights["failed"]

# ---- two nights, against the database ----
before = nights["before"]
run = compare(str(before), str(last), "--json")
data = json.loads(run.stdout)
A, B = ({row["key"]: row for row in database.execute("SELECT * FROM result WHERE night = ?", (night,))} for night in (before, last))
fails = lambda row: row is not None and row["verdict"] not in (None, "PASS")
new = {key for key, row in B.items() if fails(row) and row["known"] is None and not fails(A.get(key))}
fixed = {key for key in B if B[key]["verdict"] == "PASS" and fails(A.get(key))}
same = {key for key in B if key in A and A[key]["verdict"] == B[key]["verdict"] == "PASS" and A[key]["seed"] == B[key]["seed"] and A[key]["layer_seed"] == B[key]["layer_seed"]}
found = lambda change: {test["key_b"] for test in data["tests"] if test["change"] == change}
check("night to night: new failures make it worse", run.returncode == 1 and data["worse"] and new and found("new failure") == new, (run.returncode, found("new failure") ^ new))
check("night to night: fixed", fixed and found("fixed") == fixed, found("fixed") ^ fixed)
check("night to night: every test once", len(data["tests"]) == len(A.keys() | B.keys()) == sum(data["changes"].values()), len(data["tests"]))
ratios = {test["key_b"]: (test["cycles_ratio"], test["speed_ratio"]) for test in data["tests"]}
check("night to night: ratios of the same work alone", {key for key in ratios if ratios[key][1]} == same, {key for key in ratios if ratios[key][1]} ^ same)
check("night to night: ratios of cycles and of speed", all(near(ratios[key][0], B[key]["cycles"] / A[key]["cycles"]) and
      near(ratios[key][1], B[key]["cycles"] / B[key]["cpu_seconds"] / (A[key]["cycles"] / A[key]["cpu_seconds"])) for key in same))
for kind, of in (("all", lambda row: None), ("item", lambda row: row["item"]), ("config", lambda row: row["config"])):
    for name in {of(B[key]) for key in same}:
        keys = [key for key in same if of(B[key]) == name]
        told = [m for m in data["means"] if m["kind"] == kind and m["name"] == name]
        check(f"night to night: mean of {kind} {ascii(name)}", len(told) == 1 and told[0]["tests"] == len(keys) and near(told[0]["cycles"], mean([ratios[key][0] for key in keys])) and
              near(told[0]["speed"], mean([ratios[key][1] for key in keys])), told)
rows = list(csv.DictReader(io.StringIO(compare(str(before), str(last), "--csv").stdout, newline="")))
check("night to night: the same between commas", [(row["test"], row["change"]) for row in rows] == [(re.sub(r"[\x00-\x1f]", lambda c: c[0], test["test"]), test["change"]) for test in data["tests"]])
text = compare(str(before), str(last), terminal=80)
plain = re.sub("\x1b\\[[0-9;]*m", "", text.stdout)
wide = [line for line in plain.splitlines() if len(line.rstrip("\r")) > 80 and not line.startswith(("WORSE", "78 "))]
check("on a terminal of 80 columns nothing but the sentence is wider", text.returncode == 1 and not wide and "\x1b[31m" in text.stdout, wide[:3])
worst = max((ratios[key][0], key) for key in same)
first = plain.split("More cycles, the most first")[1].splitlines()[2]
check("the worst test stands first", worst[1] in first and f"{worst[0]:.3f}" in first, (worst, first))
check("ten of them", sum(line.startswith("1.") for line in plain.split("More cycles, the most first")[1].split("Fewer cycles")[0].splitlines()) == 10)
check("names are shown, never obeyed", "\x1b[31m\x7f" not in text.stdout and "\\x1b[31m" in compare(str(before), str(last), "--all").stdout)
says("backwards new failures are fixed", compare(str(last), str(before)), 1, f"{len(new)} fixed")

# ---- nights by name ----
revision = database.execute("SELECT revision FROM night WHERE id = ?", (before,)).fetchone()[0]
check("by revision", json.loads(compare(revision[:10], str(last), "--json").stdout)["a"]["night"] == before)
latest = json.loads(compare("previous:plan=nightly", "latest:plan=nightly", "--json").stdout)
wanted = [row[0] for row in database.execute("SELECT id FROM night WHERE plan = 'nightly' AND state = 'done' AND selected IS NULL ORDER BY id DESC LIMIT 2")]
check("previous and latest", [latest["b"]["night"], latest["a"]["night"]] == wanted, (latest["a"]["night"], latest["b"]["night"], wanted))
says("a revision of several nights' letters", compare("c0ffee", str(last)), 2, "several revisions begin like that: c0ffee1")
says("no such night", compare("999", str(last)), 2, "'999': found no such night", "nvcosim history")
says("a revision without a night", compare("HEAD", str(last)), 2, "'HEAD': no night has revision ")
says("twice the same", compare("3", "3"), 2, "are the same, night 3")
says("previous twice", compare("previous", "previous"), 2, "found 'previous' twice")
says("nothing before it", compare("previous", "1"), 2, "no night before night 1")
says("one night", compare("3"), 2, "expected a second one")
says("three nights", compare("3", "4", "5"), 2, "found '5', expected one night")
says("other options", compare("3", "4", "--dry-run"), 2, "--compare runs nothing")
says("options of it alone", subprocess.run([os.path.join(build, "nvcosim"), "regress", "--json", "p.yml"], capture_output=True, text=True, check=False), 2, "need --compare")
says("a bad limit", compare("3", "4", "--limit", "x"), 2, "--limit: found 'x'")
says("a choice without a name", compare("3:x=1", "4"), 2, "found 'x=1', expected item=, config=")
says("a choice twice", compare("3:dut=a,dut=b", "4"), 2, "found a second dut=")
says("a choice of nothing", compare("3:dut=rtl:none", "4"), 2, "night 3 has no such test")
says("nothing in common", compare(str(devices), str(last)), 2, "have no test in common", "a/one")

# ---- inside one night ----
run = compare(f"{devices}:dut=both", f"{devices}:dut=rtl:mine", "--json")
data = json.loads(run.stdout)
by = {test["test"]: test for test in data["tests"]}
check("two devices are paired by trace, configuration, memory and reseed", {name: test["change"] for name, test in by.items()} ==
      {"a/one": "passes in both", "a/two": "new failure", "a/one,large": "only in A", "a/one@slow": "only in A", "a/one@slow+2": "passes in both"}, by)
check("their cycles are compared although their seeds differ", by["a/one"]["cycles_ratio"] == 1.5 and by["a/one@slow+2"]["cycles_ratio"] == 0.5 and by["a/two"]["cycles_ratio"] is None)
engines = {m["name"]: (m["tests"], m["cycles"]) for m in data["means"] if m["kind"] == "engine"}
check("means by engine", engines.keys() == {"conv", "pdp"} and engines["conv"][0] == 2 and near(engines["conv"][1], math.sqrt(0.75)), engines)
check("a new failure of the other device", run.returncode == 1)
by = {test["test"]: test for test in json.loads(compare(f"{devices}:config=small,dut=both,memory=", f"{devices}:config=large,memory=", "--json").stdout)["tests"]}
check("two configurations", by["a/one"]["cycles_ratio"] == 0.5 and by["a/two"]["change"] == "only in A", by)
by = {test["test"]: test for test in json.loads(compare(f"{devices}:memory=,dut=both,config=small", f"{devices}:memory=slow,dut=both,config=small", "--json").stdout)["tests"]}
check("two memories", by["a/one"]["cycles_ratio"] == 4, by)
says("what is not one test", compare(f"{devices}:memory=", f"{devices}:memory=*", "--json"), 2, "chooses both a/one", "expected one of them")
says("faster is not worse, without a failure", compare(f"{devices_after}:dut=both", f"{devices}:dut=both"), 0, "NOT WORSE: 0 new failures", "0.909")
says("more cycles are reported", compare(f"{devices}:dut=both", f"{devices_after}:dut=both"), 0, "engine  sdp", "1.100")
says("more cycles than the limit are worse", compare(f"{devices}:dut=both", f"{devices_after}:dut=both", "--limit", "9.5"), 1, "5 tests take more than 9.5 % more cycles")
says("fewer are not", compare(f"{devices}:dut=both", f"{devices_after}:dut=both", "--limit", "10.5"), 0, "0 tests take more than 10.5 %")

# ---- the page ----
READER = """<script>
const result = { errors: [] };
addEventListener("error", (event) => result.errors.push(event.message));
addEventListener("securitypolicyviolation", (event) => result.errors.push("asks for " + event.blockedURI));
addEventListener("load", () => {
  try {
    result.scripts = document.scripts.length;
    result.inner = innerWidth;
    result.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    result.status = document.querySelector(".status").textContent;
    result.verdict = document.querySelector(".verdict").textContent;
    result.all = document.querySelector("#pair-count").textContent;
    const field = document.querySelector("#pair-filter");
    field.value = "NEW failure"; field.dispatchEvent(new Event("input"));
    result.filtered = document.querySelector("#pair-count").textContent;
    result.visible = [...document.querySelectorAll(".pairs tbody tr")].filter((row) => row.offsetHeight).length;
    result.letters = Math.max(...[...document.querySelectorAll(".scatter text")].map((text) => text.getBoundingClientRect().height)) / parseFloat(getComputedStyle(document.body).lineHeight);
    result.speeds = [...document.querySelectorAll(".kinds td[data-name=speed]")].map((cell) => [cell.className, cell.textContent]);
    result.ids = [...document.querySelectorAll("section")].map((section) => section.id);
    result.odd = (document.body.innerHTML.match(/NaN|[^a-z]nan[^a-z]|Infinity|undefined/g) || []).length;
  } catch (error) { result.errors.push(String(error)); }
  parent.postMessage(JSON.stringify(result), "*");
});
</script>"""

run = compare(str(before), str(last), "--page")
page = os.path.join(folder, f"compare-{before}-{last}.html")
says("the page is written beside the nights", run, 1, f"page: {page}")
source = open(page, encoding="utf-8").read()
check(f"the page has {len(source)} bytes", len(source) < 400000)
check("its links lead to the nights beside it", f'href="night-{before}/index.html"' in source and f'href="night-{last}/reports/' in source)
check("nothing from names became markup", "<script>alert" not in source and "<b>&" not in source)
says("in another folder", compare(str(before), str(last), "--page=sub.html"), 1, "page: sub.html")
os.makedirs(os.path.join(folder, "a/b"), exist_ok=True)
compare(str(before), str(last), "--page=a/b/p.html")
check("its links lead there from another folder", f'href="../../night-{last}/index.html"' in open(os.path.join(folder, "a/b/p.html"), encoding="utf-8").read())
says("a page that cannot be written", compare(str(before), str(last), "--page=none/p.html"), 2, "none/p.html")
run = compare(f"{devices}:dut=both", f"{devices}:dut=rtl:mine", "--page=devices.html", "--json")
check("data go to stdout, the word of the page to stderr", json.loads(run.stdout)["worse"] and "page: devices.html" in run.stderr)
compare(str(devices), str(devices_after), "--page=short.html")
compare(str(devices), str(devices_again), "--page=equal.html")
if shutil.which("chromium"):
    seen, _ = browse(open(os.path.join(folder, "short.html"), encoding="utf-8").read(), READER, 1280)
    check("tests of milliseconds have no coloured speed", seen.get("speeds", [])[:1] == [["", "1.100"]], seen)
    seen, _ = browse(open(os.path.join(folder, "equal.html"), encoding="utf-8").read(), READER, 1280)
    check("letters of the dot plot are no larger than the page's where all ratios are 1", 0.3 < seen.get("letters", 0) <= 1, seen)
    for width in (1280, 360):
        seen, _ = browse(source, READER, width)
        check(f"{width} pixels: no error in its script, nothing asked for", not seen["errors"], seen["errors"])
        check(f"{width} pixels: no name became an element", seen.get("scripts") == source.count("<script") + 1, seen.get("scripts"))
        check(f"{width} pixels: nothing is wider than the screen", seen.get("inner") == width and seen.get("wide") == 0, (seen.get("inner"), seen.get("wide")))
        check(f"{width} pixels: verdict, all tests, and those of a filter", seen.get("status", "").endswith("WORSE") and seen["verdict"].startswith(f"{len(new)} new") and
              seen["all"] == f"{len(A.keys() | B.keys())} of {len(A.keys() | B.keys())} tests" and seen["visible"] == len(new) == int(seen["filtered"].split()[0]), seen)
        check(f"{width} pixels: its sections, and no odd numbers", seen.get("ids", [])[:1] == ["new"] and {"fixed", "cycles", "still", "all"} <= set(seen["ids"]) and seen["odd"] == 0, seen)
else:
    skip("the page in a browser: chromium is not installed (scripts/setup.sh installs it)")
finish()
