#!/usr/bin/python3
"""A database of regressions as months of work leave it, for tests of what is written about a night, and for a picture in docs.

usage: fixture.py DATABASE [--tests N] [--folder FOLDER] [--bins FILE] [--plain]

The nights: of plan nightly many that are done, some over the same revision, the last with failures of every kind, known, expired and flaky ones; one that was
interrupted; one over a selection; two of a qualify plan; one of a plan whose tests all pass; the first of a plan, with failures in no bucket; one
without tests. The last line of output names them as JSON.

  --tests N    of the last night of nightly (default 240)
  --folder F   of the nights (default: none)
  --bins FILE  functional bins of traces, a line of hex digits each: what tests have (default: nothing)
  --plain      no hostile names: for pictures
"""
import argparse
import hashlib
import json
import os
import random
import sqlite3

parser = argparse.ArgumentParser()
parser.add_argument("database")
parser.add_argument("--tests", type=int, default=240)
parser.add_argument("--folder", default="/nights")
parser.add_argument("--bins")
parser.add_argument("--plain", action="store_true")
options = parser.parse_args()
dice = random.Random(1)
bins = [bytes.fromhex(line) for line in open(options.bins, encoding="ascii")] if options.bins else []
here = os.path.dirname(os.path.abspath(__file__))
if os.path.exists(options.database):
    os.remove(options.database)
database = sqlite3.connect(options.database)
database.executescript(open(os.path.join(here, "../../python/nvcosim/store/schema.sql"), encoding="utf-8").read())
database.executescript("PRAGMA user_version = 2; PRAGMA application_id = 0x6e76636f")

HOSTILE = "<script>alert(1)</script>&amp;\"'\x01\x1b[31m\x7f\u2028\uffff\u00e9\n]]></script><!--"
KINDS = ["dc", "sdp", "pdp", "cdp", "img", "mixed", "dc_pdp", "edge", "corner"]
FAILURES = [
    # signature, engine, tap, kind, verdict, title, reason
    ("sdp:SDP_OUT", "sdp", "SDP_OUT", "value", "FAIL", "sdp is to blame: its first wrong element is in SDP_OUT: expected 17, got -17",
     "128 bytes differ between rtl and model, first at primary 0xa0000000: SDP #0 surface 0, line 0, column 0, channel 0"),
    ("cdma:CBUF_DAT", "cdma", "CBUF_DAT", "value", "FAIL", "cdma is to blame: its first wrong element is in CBUF_DAT: expected 3, got 0",
     "8 bytes differ between rtl and model, first at primary 0xa0000440: SDP #1 surface 0, line 2, column 1, channel 3"),
    ("hang:cacc", "cacc", None, "hang", "HANG", "SDP works with CACC, which is not armed; nothing moves since cycle 12457",
     "rtl: nothing moved for 100000 clocks (limit of --still): trace does not continue: SDP works with CACC, which is not armed"),
    ("rule:AXI-STABLE", "mcif", None, "check", "FAIL", "AXI rule broken: AR changes while ARVALID waits for ARREADY (mcif, BDMA)",
     "rule AXI-STABLE: ARADDR changed from 0x80001000 to 0x80001040 before ARREADY at cycle 991"),
    ("crash:SIGSEGV", None, None, "crash", "CRASH", "The simulator ends with signal 11 (SIGSEGV) before a verdict", "the simulator ended with signal 11 (SIGSEGV)"),
]


def text_of(value):
    return "" if options.plain else value


def make_tests(count):
    """Tests as the plan expands to them."""
    tests = []

    def add(item, name, **more):
        tests.append({"key": f"{item}/{name}", "item": item, "trace": f"traces/{name}.nvt.gz", "config": "small", "dut": "both", "memory": "", "tags": [item], "seed": 1,
                      "generator": None, "base": dice.randrange(9000, 90000), **more})

    for n in range(count // 2):
        kind = KINDS[n % len(KINDS)]
        memory = ["", "slow", "hostile"][n % 3]
        add("conformance", f"rand_{kind}_{n // 3:03}" + (f"@{memory}" if memory else ""), memory=memory, config=["small", "small", "large"][n // 3 % 3],
            tags=["conformance", kind.split("_")[0]])
    for n in range(count // 3):
        add("random-mix", f"{n:04}", generator="mix", tags=["random"], config=["small", "large"][n % 2], seed=n)
    for n in range(max(count - len(tests) - 6, 1)):
        add("model", f"fp16_{n:03}", dut="model", config="full", tags=["model", "fp16"])
    if not options.plain:
        add("hostile" + HOSTILE, HOSTILE, tags=["<b>&\"'"], memory="<i>")
        add("hostile" + HOSTILE, "plain", tags=["<b>&\"'"])
    for name in ("expired", "known", "known_passes", "flaky"):
        add("corner", name, tags=["corner"])
    return tests


def revision_of(number):
    return hashlib.sha1(str(number).encode()).hexdigest()


def insert(table, row):
    database.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))


def night(day, plan="nightly", state="done", **more):
    row = {"kind": "regress", "plan": plan, "plan_path": f"plans/{plan}.yml", "plan_text": "name: x\n", "selected": None, "seed": 20260100 + day, "state": state,
           "started": f"2026-01-{day:02}T01:00:03Z", "ended": f"2026-01-{day:02}T02:10:00Z", "seconds": 3900 + dice.randrange(600), "host": "regress01", "cores": 16, "pid": 4711, "birth": "", "directory": "/rtl",
           "version": "1.2.0", "revision": revision_of(day // 2), "dirty": 0, "engine": "local",
           "command": f"nvcosim regress --jobs 16 plans/{plan}.yml", "folder": "", **more}
    insert("night", row)
    number = database.execute("SELECT last_insert_rowid()").fetchone()[0]
    database.execute("UPDATE night SET folder = ? WHERE id = ?", (f"{options.folder}/night-{number}", number))
    return number


def result(number, place, test, day, failure=None, known=None, excuse=None, run=True):
    random_layer = test["generator"] is not None
    layer_seed = day * 1000 + place if random_layer else None
    full = {**test, "layer_seed": layer_seed or 0, "known": excuse[0] if excuse else None, "known_until": excuse[1] if excuse else None}
    full.pop("base")
    name = test["key"].replace("/", ".")
    speed = {"small": 52000, "large": 7400, "full": 900000}[test["config"]] * (1 + 0.02 * day)
    cycles = int(test["base"] * (1 + (day >= 14) * ("pdp" in test["key"]) * (place % 10) * 0.04 - (day >= 14) * ("img" in test["key"]) * (place % 7) * 0.015) * (3 if test["memory"] else 1)
                 * (dice.uniform(0.5, 2) if random_layer else 1))
    coverage = bins[place % len(bins)] if bins else None
    row = {"night": number, "number": place, "key": test["key"], "test": json.dumps({k: v for k, v in full.items() if v is not None}), "item": test["item"], "trace": test["trace"],
           "path": test["trace"], "config": test["config"], "dut": test["dut"], "memory": test["memory"], "seed": test["seed"], "layer_seed": layer_seed,
           "tags": " " + " ".join(test["tags"]) + " ", "known": known, "command": f"nvcosim run --config={test['config']} --dut={test['dut']} --seed={test['seed']} '{test['trace']}'"}
    if run:
        seconds = cycles / speed + 0.2
        row.update(verdict="PASS", reason="", cycles=cycles, op_cycles=cycles - 300, macs=cycles * 40, seconds=seconds, cpu_seconds=seconds * 0.98,
                   memory_peak=dice.randrange(40, 400) << 20, host="regress01", ended="2026-01-02T02:00:00Z", result="{}", coverage=coverage)
        if failure:
            row.update(verdict=failure[4], reason=failure[6] + text_of(HOSTILE if "hostile" in test["key"] else ""), signature=failure[0], mismatch=failure[6], report=f"reports/{name}/report.json",
                       page=f"reports/{name}/report.html", debug_command=f"nvcosim debug --config={test['config']} '{test['trace']}'")
            if failure[4] in ("CRASH", "HANG"):
                row.update(cycles=cycles // 3)
    insert("result", row)


def buckets(number):
    """One for each signature of the night; results get theirs."""
    rows = database.execute("SELECT signature, count(*), min(number), min(cycles) FROM result WHERE night = ? AND signature IS NOT NULL GROUP BY signature", (number,)).fetchall()
    for bucket, (signature, count, smallest, cycles) in enumerate(rows, 1):
        failure = next(f for f in FAILURES if f[0] == signature)
        key, command = database.execute("SELECT key, command FROM result WHERE night = ? AND number = ?", (number, smallest)).fetchone()
        shrunk = None if failure[3] == "crash" else f"buckets/{bucket}.nvt"
        title = failure[5] + text_of(HOSTILE if signature.startswith("rule") else "")
        insert("bucket", {"night": number, "number": bucket, "signature": signature, "title": title, "count": count, "engine": failure[1], "tap": failure[2], "kind": failure[3],
                          "smallest": smallest, "shrunk": shrunk, "shrunk_cycles": cycles // 9 if shrunk else None,
                          "command": f"nvcosim debug --config=small {options.folder}/night-{number}/{shrunk}" if shrunk else command,
                          "page": f"reports/{key.replace('/', '.')}/report.html" if failure[3] != "crash" else None,
                          "shrunk_command": f"nvcosim run {options.folder}/night-{number}/{shrunk}" if shrunk else None,
                          "note": text_of("nvcosim debug has looked at 2 of them, the others look the same" + HOSTILE) if failure[3] == "value" else None})
        database.execute("UPDATE result SET bucket = ? WHERE night = ? AND signature = ?", (bucket, number, signature))


named = {}
tests = make_tests(options.tests)
LAST = 14
for day in range(1, LAST + 1):
    if day == 9:  # a plan of its own between, where all passes
        named["passed"] = night(day, plan="smoke")
        for place, test in enumerate(tests[:12]):
            result(named["passed"], place, test, day)
    if day == 13:
        named["interrupted"] = night(day, state="interrupted", ended=None)
        for place, test in enumerate(tests):
            result(named["interrupted"], place, test, day, run=place < len(tests) // 3)
        named["selected"] = night(day, selected="conformance and not pdp")
        for place, test in enumerate(tests[:20]):
            result(named["selected"], place, test, day)
    # Nights 10 and 11 have the same revision.
    number = night(day, revision=revision_of(10 if day == 11 else day), dirty=int(day == 7))
    named["before" if day == 12 else "failed"] = number
    for place, test in enumerate(tests):
        failure = known = excuse = None
        name = test["key"]
        if name == "corner/expired":
            failure, excuse, known = FAILURES[0], ("issue 77: the old rounding", "2026-01-10"), "issue 77: the old rounding" if day <= 10 else None
        elif name.startswith("corner/known"):
            failure, excuse = None if name.endswith("passes") and day == LAST else FAILURES[2], ("issue 123: waits for CACC", "2026-12-31")
            known = excuse[0]
        elif name == "corner/flaky":
            failure = FAILURES[4] if day in (3, 6, 7, 11, 14) else None
        elif test["item"].startswith("hostile"):
            failure = FAILURES[3] if day >= 13 else None
        elif test["dut"] == "both":
            if "sdp" in name and day >= 5:
                failure = FAILURES[0] if place % 4 else None
            if "img" in name and 8 <= day < LAST:
                failure = FAILURES[2] if place % 5 == 0 else None
            if "dc_pdp" in name and day == LAST:
                failure = FAILURES[1]
            if test["generator"] and dice.random() < 0.02:
                failure = FAILURES[0]
        if day == 2 and test["item"] == "model":
            continue
        result(number, place, test, day, failure, known, excuse)
    buckets(number)

MODULES = [("sdp", "nvdla_sdp_x"), ("sdp", "nvdla_sdp_cvt"), ("pdp", "nvdla_pdp_pool"), ("cdma", "nvdla_cdma_dat"), ("csc", "nvdla_csc_seq"), ("mcif", "nvdla_mcif_arb")]
CHANGES = [("+", "-"), ("&&", "||"), ("==", "!="), ("8'd1", "8'd0"), ("<<", ">>"), ("<", "<=")]
for day in (6, 12):
    number = night(day, plan="qualify", kind="qualify", command="nvcosim qualify --config small --count 120 --seed 1 traces/*.nvt.gz")
    named["qualify"] = number
    for place, test in enumerate(tests[:30]):
        result(number, place, test, day)
    for fault in range(1, 121):
        folder, module = MODULES[fault % len(MODULES)]
        change = CHANGES[fault % len(CHANGES)]
        state = dice.choices(["noticed", "survived", "unreached", "equivalent", None], [100, 12 - day / 2, 5, 3, 0.5])[0]
        by = tests[dice.randrange(30)]["key"] if state == "noticed" else None
        insert("fault", {"night": number, "number": fault, "folder": folder, "file": f"{folder}/{module}.sv", "line": 10 + fault * 7 % 300, "module": module, "original": change[0],
                         "changed": change[1], "statement": f"if (valid_q && count_q [[{change[0]} -> {change[1]}]] limit_i) state_d = StateIdle; // {text_of('<b>&')}", "state": state, "noticed_by": by,
                         "verdict": "FAIL" if by else None, "runs": dice.randrange(1, 30), "seconds": dice.random() * 3,
                         "reason": "the counter never gets there" if state == "equivalent" else None})
named["loose"] = night(LAST, plan="first")
for place, test in enumerate(tests[:12]):
    result(named["loose"], place, test, LAST, FAILURES[2] if place % 5 == 0 else None)
named["empty"] = night(LAST, plan="empty", state="running", ended=None, revision=None)
database.commit()
print(json.dumps(named))
