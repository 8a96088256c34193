#!/usr/bin/python3
"""index.html for every kind of night (fixture.py) in a headless Chromium, wide and narrow, compared with the database.

usage: page.py BUILD

Always: the page needs no other file, the browser reports no error, no name becomes markup, nothing is wider than the screen. Then the
content: verdict, buckets, new, known and flaky failures, the table with its filters and links, charts, faults. 5,000 tests must not slow it down.
"""
import glob
import html.parser
import json
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
folder = os.path.join(build, "tests/page-of-nights")


if not shutil.which("chromium"):
    skip("pages of nights in a browser: chromium is not installed (scripts/setup.sh installs it)")
    finish()

OWN_SCRIPTS = ["tests-data", ""]  # their ids
# What a reader does; the outcome is posted to the page around.
READER = """<script>
const result = { errors: [], marks: {} };
addEventListener("error", (event) => result.errors.push(event.message));
addEventListener("securitypolicyviolation", (event) => result.errors.push("asks for " + event.blockedURI));
addEventListener("load", async () => {
  const $ = (selector) => document.querySelector(selector), $$ = (selector) => [...document.querySelectorAll(selector)];
  const pause = (time) => new Promise((done) => setTimeout(done, time));
  const wide = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
  try {
    const drawn = document.documentElement.cloneNode(true);
    drawn.querySelectorAll("script").forEach((script) => { script.textContent = ""; });
    result.drawn = drawn.outerHTML;
    result.inner = innerWidth;
    result.wide = wide();
    result.status = $(".status").textContent; result.verdict = $(".verdict").textContent; result.title = $("h1").textContent; result.window = document.title;
    result.sections = $$("section").map((section) => section.id);
    result.buckets = $$(".bucket").map((bucket) => ({ id: bucket.id, text: bucket.textContent, command: bucket.querySelector("code")?.textContent, fresh: bucket.classList.contains("fresh") }));
    result.lists = Object.fromEntries($$("h3").filter((head) => head.nextElementSibling?.matches("ul.tests")).map((head) => [head.textContent, head.nextElementSibling.children.length]));
    result.flaky = $$("#flaky li").map((item) => item.textContent);
    result.points = $$(".line circle").length; result.dots = $$(".dots circle").length; result.charts = $$("figure.chart b").map((name) => name.textContent);
    result.odd = $$("svg text, svg path, svg circle").filter((item) => /nan|inf/i.test(item.outerHTML)).length;
    result.ratios = $$(".ratios td").map((cell) => Number(cell.textContent));
    result.coverage = $("#coverage .about")?.textContent;
    result.holes = $$(".holes tr").map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
    result.places = $$(".places tbody tr").map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
    result.faults = $$(".faults li").map((item) => item.textContent);
    if ($("table.all")) {
      const field = $(".filters").elements;
      const rows = () => $$("table.all tbody").map((body) => [...body.rows[0].cells].map((cell) => cell.textContent));
      const filter = (name, value) => { const start = performance.now(); field[name].value = value; field[name].dispatchEvent(new Event("input", { bubbles: true })); return performance.now() - start; };
      const told = () => $(".filters output").textContent;
      result.all = told(); result.first = rows().slice(0, 3); result.shown = rows().length;
      result.options = Object.fromEntries(["show", "config", "tag"].map((name) => [name, [...field[name].options].map((option) => option.textContent)]));
      for (const [name, value] of Object.entries(FILTERS)) { filter(name, value); result.marks[name] = told(); filter(name, ""); }
      result.time = filter("text", "0");
      filter("text", "");
      [...$$("table.all thead button")][6].click();
      result.sorted = rows().map((row) => Number(row[6].replaceAll(",", "")));
      if (!$(".more").hidden) { $(".more button").click(); result.grown = rows().length; }
      $("table.all tbody th").click();
      result.detail = $(".detail").textContent; result.command = $(".detail code")?.textContent;
      result.wideOpen = wide();
      const copy = $(".copy");
      copy.click();
      await pause(100);
      result.copied = copy.textContent;
      for (const hash of HASHES) {
        location.hash = hash;
        await pause(60);
        result.marks[hash] = [told(), $("tbody.open th")?.textContent || ""];
      }
    }
    $("#theme").click();
    result.scheme = document.documentElement.style.colorScheme;
  } catch (error) { result.errors.push(String(error)); }
  parent.postMessage(JSON.stringify(result), "*");
});
</script>"""

class Elements(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.items = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.items.append({"tag": tag, **{name: value or "" for name, value in attrs}})


def make(path, *arguments):
    fixture = subprocess.run([os.path.join(here, "fixture.py"), path, "--bins", bins, *arguments], check=True, capture_output=True, text=True)
    database = sqlite3.connect(path)
    database.row_factory = sqlite3.Row
    return json.loads(fixture.stdout), database


def page_of(path, night):
    out = os.path.join(folder, f"{os.path.basename(path)}-{night}")
    os.makedirs(out, exist_ok=True)
    run = subprocess.run([os.path.join(build, "tests/outputs"), path, str(night), out], capture_output=True, text=True, check=False)
    check(f"night {night} is written", run.returncode == 0, run.stderr)
    return open(os.path.join(out, "index.html"), encoding="utf-8").read()


def check_file(name, source, most):
    check(f"{name}: the page has {len(source)} bytes, at most {most}", len(source) <= most)
    check_elements(name, source, 0)


def check_elements(name, source, more):
    """Of the file, or of what was drawn from it, which has so many scripts more: the reader."""
    still = Elements(source)
    loaded = [item for item in still.items if item.get("src") or item.get("srcset") or item.get("action") or item["tag"] in ("link", "iframe", "img", "base", "object")]
    check(f"{name}: it loads nothing", not loaded, loaded)
    outside = [item["href"] for item in still.items if "href" in item and not re.fullmatch(r"#[\w:=-]+|(\.\./)?[\w/.~%-]+", item["href"])]
    check(f"{name}: its links stay beside it", not outside, outside[:5])
    named = {item.get("id") for item in still.items}
    dead = {item["href"] for item in still.items if item.get("href", "").startswith("#") and not item["href"].startswith(("#test-", "#tests:")) and item["href"][1:] not in named}
    check(f"{name}: its links inside have their targets", not dead, dead)
    scripts = [item.get("id", "") for item in still.items if item["tag"] == "script"]
    check(f"{name}: it has its own scripts alone", scripts == [""] * more + OWN_SCRIPTS, scripts)
    pictures = [item for item in still.items if item["tag"] == "svg" and (item.get("role") != "img" or not item.get("aria-label"))]
    check(f"{name}: every picture has words for those who do not see it", not pictures, pictures)


def check_all(name, night, database, source, width):
    def one(sql):
        return database.execute(sql, (night,)).fetchone()[0]

    row = database.execute("SELECT * FROM night WHERE id = ?", (night,)).fetchone()
    tests = one("SELECT count(*) FROM result WHERE night = ?")
    failures = one("SELECT count(*) FROM result WHERE night = ? AND verdict <> 'PASS' AND known IS NULL")
    large = one("SELECT count(*) FROM result WHERE night = ? AND config = 'large'")
    random_tests = one("SELECT count(*) FROM result WHERE night = ? AND tags LIKE '% random %'")
    sdp = one("SELECT count(*) FROM result WHERE night = ? AND lower(key || coalesce(reason, '') || coalesce(signature, '')) LIKE '%sdp%'")
    last = database.execute("SELECT number, key FROM result WHERE night = ? ORDER BY number DESC", (night,)).fetchone()
    bucket = database.execute("SELECT number, count FROM bucket WHERE night = ? ORDER BY number DESC", (night,)).fetchone()
    filters = {"text": "SDP", "config": "large", "tag": "random", **({"show": "failed"} if failures else {})}
    hashes = ([f"#tests:bucket={bucket['number']}"] if bucket else []) + ([f"#test-{last['number']}"] if last else [])
    reader = READER.replace("FILTERS", json.dumps(filters)).replace("HASHES", json.dumps(hashes))
    seen, console = browse(source, reader, width)
    name = f"{name}, {width} pixels"
    check_elements(f"{name}, drawn", seen["drawn"], 1)
    check(f"{name}: no error in its script, nothing asked for", not seen["errors"], seen["errors"])
    check(f"{name}: no error on the browser's console", not console, console)
    check(f"{name}: nothing is wider than the screen", seen.get("inner") == width and seen.get("wide") == 0 and seen.get("wideOpen", 0) == 0,
          (seen.get("inner"), seen.get("wide"), seen.get("wideOpen")))
    word = "FAILED" if failures else {"running": "RUNNING", "interrupted": "INTERRUPTED"}.get(row["state"], "SURVIVORS" if row["kind"] == "qualify" else "PASSED")
    check(f"{name}: it is headed by the verdict", seen["status"].endswith(word) and seen["title"] == f"{row['plan']}, night {night}" and seen["window"].startswith(word), seen["status"])
    check(f"{name}: which counts", not failures or f"{failures} of {tests} tests fail" in seen["verdict"], seen["verdict"])
    check(f"{name}: pictures have no odd numbers", seen["odd"] == 0, seen["odd"])
    check(f"{name}: the colours can be changed", seen["scheme"] in ("light", "dark"), seen["scheme"])
    if tests:
        check(f"{name}: the table has all tests", seen["all"] == f"{tests:,} of {tests:,} tests" and seen["shown"] == min(tests, 40 if width > 740 else 15), (seen["all"], seen["shown"]))
        for what, wanted in (("text", sdp), ("config", large), ("tag", random_tests), ("show", failures)):
            if what in filters and (wanted or what == "text"):
                check(f"{name}: the filter for {what} leaves {wanted}", seen["marks"][what].startswith(f"{wanted:,} of "), seen["marks"][what])
        cycles = [row["cycles"] or 0 for row in database.execute("SELECT cycles FROM result WHERE night = ? ORDER BY cycles DESC LIMIT ?", (night, seen["shown"]))]
        check(f"{name}: it is sorted by what is clicked", seen["sorted"] == cycles, (seen["sorted"][:5], cycles[:5]))
        check(f"{name}: a row opens with its command", (seen["command"] or "").startswith("nvcosim run --config="), seen["command"])
        check(f"{name}: a command is copied", seen["copied"] in ("copied", "press Ctrl-C"), seen["copied"])
        check(f"{name}: a link leads to a test", seen["marks"][hashes[-1]][1] in (last["key"], seen["marks"][hashes[-1]][1] if "hostile" in last["key"] else None), seen["marks"])
    if bucket:
        check(f"{name}: a link leads to the tests of a bucket", seen["marks"][hashes[0]][0].startswith(f"{bucket['count']:,} of "), seen["marks"])
    return seen


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
traces = sorted(glob.glob(os.path.join(here, "../../traces/conformance/small/rand_*_00[1-3].nvt.gz")))
played = subprocess.run([os.path.join(build, "nvcosim"), "run", "-q", "--dut", "model", "--functional-coverage", "--results", "-", *traces], check=True, capture_output=True, text=True)
bins = os.path.join(folder, "bins")
with open(bins, "w", encoding="ascii") as out:
    out.writelines(json.loads(line)["coverage"] + "\n" for line in played.stdout.splitlines())
coverage = subprocess.run([os.path.join(build, "nvcosim"), "coverage", "--play", *traces], check=True, capture_output=True, text=True).stdout
path = os.path.join(folder, "nights.db")
nights, database = make(path)
for name, night in nights.items():
    source = page_of(path, night)
    check_file(name, source, 300000)
    for width in {"failed": (1280, 360), "qualify": (1280, 360), "before": (), "selected": ()}.get(name, (1280,)):
        seen = check_all(name, night, database, source, width)
    if name == "failed":
        rows = {row["number"]: row for row in database.execute("SELECT * FROM bucket WHERE night = ?", (night,))}
        shown = {bucket["id"]: bucket for bucket in seen["buckets"]}
        check("buckets: all are shown", set(shown) == {f"bucket-{number}" for number in rows}, list(shown))
        check("buckets: with their commands", all(shown[f"bucket-{number}"]["command"] == row["command"] for number, row in rows.items()), shown)
        told = [text for row in rows.values() for text in (row["shrunk_command"], (row["note"] or "")[:40]) if text and text not in shown[f"bucket-{row['number']}"]["text"]]
        check("buckets: with the shrunk trace's command, and what else to know", not told, told)
        old = {row["signature"] for row in database.execute("SELECT signature FROM bucket WHERE night = ?", (nights["before"] + 3,))}
        check("buckets: new ones are marked, and first", [bucket["fresh"] for bucket in seen["buckets"]] == sorted((row["signature"] not in old for row in rows.values()), reverse=True), shown)
        joined = """FROM result AS now JOIN result AS before USING (key) WHERE now.night = ? AND before.night = ?"""
        then = (night, nights["before"] + 3)
        new = database.execute(f"SELECT count(*) {joined} AND now.verdict <> 'PASS' AND now.known IS NULL AND before.verdict = 'PASS'", then).fetchone()[0]
        passes = database.execute(f"SELECT count(*) {joined} AND now.verdict = 'PASS' AND before.verdict <> 'PASS'", then).fetchone()[0]
        check(f"new failures: {new}, new passes: {passes}", seen["lists"].get(f"New failures {new}") == new and seen["lists"].get(f"New passes {passes}") == passes, seen["lists"])
        wanted = ["Expired, no longer an excuse 1", "Pass now: take them out of the plan 1", "Fail as known 1"]
        check("known failures, those that pass now, expired ones", all(seen["lists"].get(title) == 1 for title in wanted), seen["lists"])
        check("the flaky one is named with two nights of one revision", any("corner/flaky" in text and "same revision, same seeds" in text for text in seen["flaky"]), seen["flaky"])
        slower = database.execute(f"SELECT max(now.cycles * 1.0 / before.cycles) {joined} AND now.verdict = 'PASS' AND before.verdict = 'PASS' AND now.seed = before.seed "
                                  "AND now.layer_seed IS NULL", then).fetchone()[0]
        check(f"the worst ratio of cycles is {slower:.3f}", abs(seen["ratios"][0] - slower) < 0.001, seen["ratios"])
        exercised, reachable = re.search(r"^(\d+) of (\d+) bins exercised", coverage, re.M).groups()
        check(f"coverage: {exercised} of {reachable} bins, as nvcosim coverage counts them", f" {exercised} of {reachable} functional bins" in (seen["coverage"] or ""), seen["coverage"])
        table = [re.sub(r"(\d+ of)\s+", r"\1 ", line).split(None, 4) for line in re.sub(r"\n {20,}", " ", coverage).splitlines() if line.startswith("  ")]
        wanted = sorted([line[0], " ".join(line[1:4]), line[4]] for line in table if len(line) == 5)
        check(f"coverage: the {len(wanted)} rows with holes are the same", sorted([*row[:2], " ".join(row[2].split())] for row in seen["holes"]) == wanted,
              [pair for pair in zip(sorted(seen["holes"]), wanted) if pair[0] != pair[1]][:2])
        check("charts: pass rate, duration, speed, cycles", seen["charts"] == ["Cycles, now / before", "Pass rate, %", "Duration, minutes", "Simulation speed, kHz"] and seen["points"] > 50
              and seen["dots"] > 5, (seen["charts"], seen["points"], seen["dots"]))
    if name == "loose":
        check("failures in no bucket stand among the buckets", "3 in no bucket" in seen["buckets"][0]["text"] and len(seen["buckets"]) == 1, seen["buckets"])
        check("a first night is compared with none", "news" not in seen["sections"] and "plots" not in seen["sections"], seen["sections"])
    if name == "qualify":
        states = dict(database.execute("SELECT state, count(*) FROM fault WHERE night = ? GROUP BY state", (night,)).fetchall())
        folders = [row for row in seen["places"] if not row[0].startswith("nvdla_")]
        check("faults: a row for each folder and module", len(folders) == 5 and len(seen["places"]) == 11, seen["places"])
        for column, state in ((3, "survived"), (4, "unreached"), (5, "equivalent")):
            counted = sum(int(row[column].replace("\u2013", "0")) for row in folders)
            check(f"faults: {counted} {state}", counted == states[state], states)
        check("faults: survivors are listed with line and change", len(seen["faults"]) == states["survived"] + states["unreached"] + states["equivalent"]
              and all(re.match(r"\w+/\w+\.sv:\d+ .* \u2192 ", text) for text in seen["faults"]), seen["faults"][:2])

path = os.path.join(folder, "large.db")
nights, database = make(path, "--tests", "5000")
source = page_of(path, nights["failed"])
check_file("5,000 tests", source, 2500000)
seen = check_all("5,000 tests", nights["failed"], database, source, 1280)
check(f"5,000 tests: a key of the filter takes {seen['time']:.0f} ms, at most 500", seen["time"] < 500, seen["time"])
finish()
