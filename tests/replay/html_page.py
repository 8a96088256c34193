#!/usr/bin/python3
"""What a browser makes of a report.html, and whether it is what report.json says.

usage: html_page.py PAGE [--timeline] [--map] [--cell OF PLACE] [--hang] [--most BYTES]
  --timeline   it has charts of what was counted, whose figures add up to what the device counted
  --map        it has a map, which marks the elements that report.json names
  --cell       the map has a cell with these bytes, "1/8", and this first one, "line,column,channel,expected,got"
  --hang       it shows who waits for whom
  --most       bytes that the page may have (default 1000000)
Always: it stands alone, without a script it shows report.txt, the browser reports no error, nothing from names became markup, and its script works.
"""
import argparse

from counts import check, finish
import html.parser
import json
import os
import re
import subprocess
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("page")
parser.add_argument("--timeline", action="store_true")
parser.add_argument("--map", action="store_true")
parser.add_argument("--cell", nargs=2)
parser.add_argument("--hang", action="store_true")
parser.add_argument("--most", type=int, default=1000000)
options = parser.parse_args()
source = open(options.page, encoding="utf-8").read()
folder = os.path.dirname(options.page)
report = json.load(open(os.path.join(folder, "report.json"), encoding="utf-8"))


# What a reader does: moves over charts and maps, sorts, opens a row, changes the colours. The outcome goes into attributes of <html>.
READER = """<script>
addEventListener("error", (event) => { document.documentElement.dataset.error = event.message; });
addEventListener("load", () => {
  const result = document.documentElement.dataset;
  const over = (element, x, y) => element.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: x, clientY: y }));
  const chart = document.querySelector(".chart .axis .plot");
  if (chart) {
    const box = chart.getBoundingClientRect();
    over(chart, box.left + box.width / 2, box.top);
    result.now = document.querySelector(".now").textContent;
    result.values = [...document.querySelectorAll(".lane[data-lane] .value")].map((value) => value.textContent).join("|");
  }
  const plus = document.querySelector(".tools button");
  if (plus) {
    const view = () => document.querySelector(".lane[data-lane] svg").getAttribute("viewBox");
    const whole = view();
    plus.click();
    result.zoomed = view();
    const search = document.querySelector(".search");
    if (search) {
      search.value = document.querySelector("a.layer").textContent;
      search.dispatchEvent(new Event("input"));
      search.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
      result.found = document.querySelector("a.layer.found").textContent;
      const bar = document.querySelector("a.layer.found");
      result.shown = `${parseFloat(bar.style.left)} ${parseFloat(bar.style.width)}`;
    }
    document.querySelectorAll(".tools button")[2].click();
    result.back = String(view() === whole);
  }
  const cell = document.querySelector("rect[data-n]");
  if (cell) { over(cell, 5, 5); result.tip = document.querySelector("#tip").textContent; }
  const heads = document.querySelectorAll(".sortable > thead button");
  if (heads.length) {
    heads[2].click();
    result.sorted = [...document.querySelectorAll(".sortable > tbody")].map((body) => body.rows[0].cells[2].dataset.key).join();
    document.querySelector(".more").click();
    result.opened = document.querySelector(".sortable .more").getAttribute("aria-expanded");
    result.detail = getComputedStyle(document.querySelector("tbody.open .detail")).display;
  }
  document.querySelector("#theme").click();
  result.scheme = document.documentElement.style.colorScheme;
  result.wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
});
</script>"""


def browse(width):
    """DOM after the reader was there, and what the browser's console said."""
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        with open(page, "w", encoding="utf-8") as out:
            out.write(source.replace("<style>", READER + "<style>", 1))
        run = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0", f"--user-data-dir={folder}/profile",
                              f"--window-size={width},900", "--dump-dom", "file://" + page], capture_output=True, text=True, timeout=120, check=False)
    return run.stdout, [line for line in run.stderr.splitlines() if ":CONSOLE" in line]


class Elements(html.parser.HTMLParser):
    """All elements with their attributes, and the text inside those that have some."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.items, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        item = {"tag": tag, "text": "", "parents": list(self.open), **{name: value or "" for name, value in attrs}}
        self.items.append(item)
        if tag not in ("meta", "br", "link", "img", "input"):
            self.open.append(item)

    def handle_startendtag(self, tag, attrs):
        self.items.append({"tag": tag, "text": "", "parents": list(self.open), **{name: value or "" for name, value in attrs}})

    def handle_endtag(self, tag):
        while self.open and self.open.pop()["tag"] != tag:
            pass

    def handle_data(self, data):
        for item in self.open:
            item["text"] += data

    def all(self, tag=None, **wanted):
        named = {name.replace("_", "-").rstrip("-"): value for name, value in wanted.items()}
        return [item for item in self.items if (tag is None or item["tag"] == tag)
                and all(value in item.get(name, "").split() if name == "class" else item.get(name) == value for name, value in named.items())]


# ---- the file as it is ----
check(f"the page has {len(source)} bytes, at most {options.most}", len(source) <= options.most)
still = Elements(source)
text = open(os.path.join(folder, "report.txt"), encoding="utf-8", errors="replace").read()
check("without JavaScript it shows report.txt", still.all("noscript")[0]["text"] == text, still.all("noscript")[0]["text"][:200])
scripts = still.all("script")
check("it has its own data and script alone", [script.get("id", "") for script in scripts] == ["data", ""], len(scripts))
links = [item for item in still.items if item.get("src") or item.get("srcset") or item.get("action") or (item.get("href") and not item["href"].startswith("#"))]
check("it refers to nothing outside itself", not links, links)
outside = re.findall(r"(?:https?:|data:\w+/|@import|url\()[^\s\"']*", source)
check("it names no address and no data URI", not outside, outside)

# ---- in a browser, wide and narrow ----
for width in (1280, 500):
    dom, console = browse(width)
    check(f"{width} pixels: no error on the browser's console", not console, console)
    seen = Elements(dom)
    root = seen.all("html")[0]
    check(f"{width} pixels: no error in its script", "data-error" not in root, root.get("data-error"))
    check(f"{width} pixels: nothing is wider than the screen", root.get("data-wide") == "false", root.get("data-wide"))
links = [item for item in seen.items if item.get("src") or item.get("srcset") or item.get("action") or (item.get("href") and not item["href"].startswith("#"))]
check("what is drawn refers to nothing outside", not links, links)
check("no name became an element", len(seen.all("script")) == 3, len(seen.all("script")))
targets = [item["href"][1:] for item in seen.items if item.get("href")]
missing = [name for name in targets if not seen.all(id=name)]
check("its links inside have their targets", not missing, missing)
pictures = [item for item in seen.all("svg") if item.get("role") != "img" or not item.get("aria-label")]
check("every picture has words for those who do not see it", not pictures, pictures)
check("it is headed by the status and the name of the trace", seen.all("p", class_="status")[0]["text"].split()[-1] == report["status"] and seen.all("h1")[0]["text"] == report["trace"], seen.all("p", class_="status"))
check("the colours can be changed", root.get("data-scheme") in ("light", "dark"), root.get("data-scheme"))
if report["layers"]:
    rows = [item for item in seen.all("tbody") if item.get("id", "").startswith("layer-")]
    check("every layer has its row", len(rows) == len(report["layers"]), len(rows))
    clocks = [float(key) for key in root["data-sorted"].split(",")]
    check("the table is sorted by what is clicked", clocks == sorted(clocks, reverse=True) and sorted(clocks) == sorted(layer.get("clocks", 0) for layer in report["layers"]), clocks)
    check("a row opens", root["data-opened"] == "true" and root["data-detail"] == "table-row", root)

if options.timeline:
    timeline = report["timeline"]
    steps = timeline["count"]
    lanes = seen.all("div", class_="lane")
    names = {lane["data-lane"]: next(item["text"] for item in seen.all("span", class_="name") if lane in item["parents"]) for lane in lanes if "data-lane" in lane}
    device = next(device for device in report["devices"] if device["device"] != "model")
    for direction, beats in (("reads", device["read_beats"]), ("writes", device["write_beats"])):
        for client, wanted in beats.items():
            counted = sum(sum(item.get("beats", [])) for item in timeline["clients"] if item["client"] == client and item["write"] == (direction == "writes"))
            check(f"{client} {direction}: {wanted} beats over time", counted == wanted, counted)
            check(f"{client} {direction}: it has a lane", f"{client} {direction}" in names.values(), names)
    drawn = [lane for lane in seen.all("path", class_="busy") if re.fullmatch(r"(M\d+ \d+V-?\d+H\d+V\d+z)+", lane["d"])]
    check(f"the lanes are drawn ({len(drawn)})", len(drawn) >= 4, [item["d"][:40] for item in seen.all("path", class_="busy")])
    series = [engine[kind] for engine in timeline["engines"] for kind in ("busy", "waits", "waits_for_memory") if kind in engine]
    check("every lane has a figure for every step of time", all(len(one) == steps for one in series) and all(engine["engine"] in names.values() for engine in timeline["engines"]), names)
    bars = [item for item in seen.all("a", class_="layer")]
    check("every layer that ran is in it", len(bars) == sum("start" in layer for layer in report["layers"]) > 0, len(bars))
    first, _, size, _ = (float(number) for number in root["data-zoomed"].split())
    check("a button zooms to the middle half", abs(first - steps / 4) < 1 and abs(size - steps / 2) < 1 or steps < 8, root["data-zoomed"])
    left, width = (float(number) for number in root["data-shown"].split())
    check("a search finds a layer and shows it", root["data-found"] == bars[0]["text"].strip() and -1 < left < 100 and 0 < width <= 100, root)
    check("a button shows the whole run again", root["data-back"] == "true", root)
    check("the pointer reads figures out", root["data-now"].startswith("cycle") and len(root["data-values"].split("|")) == len(names), root)

if options.map:
    mismatch = report["mismatches"][0] if report["mismatches"] else next(failure for device in report["devices"] for failure in device["failures"] if failure["kind"] == "memory")
    element = mismatch["element"]
    first = [item for item in seen.all("rect", class_="first")]
    areas = len(report["mismatches"]) or 1
    check("each map marks the first that differs", len(first) == min(areas, 6), len(first))
    picture = first[0]["parents"][-1]
    step = int(picture["data-step"])
    place = [int(picture["data-surface"]), int(first[0]["y"]), int(first[0]["x"])]
    check(f"it is that of report.json, {element}", place == [element["surface"], element["line"] // step, element["column"] // step], place)
    check("with its channel", first[0]["data-b"].split(",")[2] == str(element["channel"]), first[0]["data-b"])
    article = [item for item in first[0]["parents"] if item["tag"] == "article"][0]
    wrong = sum(int(item["data-n"].split("/")[0]) for item in seen.all("rect") if "data-n" in item and article in item["parents"])
    check(f"the cells of the first map hold all {mismatch['count']} bytes", wrong == mismatch["count"], wrong)
    check("the pointer describes a cell", " bytes differ; first: line " in root.get("data-tip", ""), root.get("data-tip"))

if options.cell:
    cells = [(item["data-n"], item["data-b"]) for item in seen.all("rect") if "data-n" in item]
    check(f"a cell of the map is {options.cell}", tuple(options.cell) in cells, cells[:5])

if options.hang:
    section = seen.all("section", id="hang")
    check("it shows who waits for whom", len(section) == 1, len(section))
    shown = [item["text"] for item in seen.all("li", class_="engine") if section and section[0] in item["parents"]]
    armed = next(device["hang"]["armed"] for device in report["devices"] if "hang" in device)
    missing = [unit["unit"] for unit in armed if not any(unit["unit"].replace("CMAC_A", "CMAC").replace("CMAC_B", "CMAC") in text for text in shown)]
    check("with every unit that is armed", not missing, missing)
    triage = next((device["hang"]["triage"] for device in report["devices"] if "triage" in device.get("hang", {})), None)
    if triage and triage["chain"]:
        chain = [item["text"] for item in seen.all("li", class_="engine") if any("chain" in parent.get("class", "").split() for parent in item["parents"])]
        check("the chain of waits in its order", len(chain) == len(triage["chain"]) and all(text.startswith(step["unit"]) for text, step in zip(chain, triage["chain"])), chain)

finish()
