#!/usr/bin/python3
"""junit.xml and the summary for --notify, for every kind of night (fixture.py), compared with the database.

usage: outputs.py BUILD
"""
import json
import os
import re
import shutil
import sqlite3
import sys
import xml.etree.ElementTree

from counts import check, finish, run

build = sys.argv[1]
here = os.path.dirname(os.path.abspath(__file__))
folder = os.path.join(build, "tests/outputs-of-nights")


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
path = os.path.join(folder, "nights.db")
nights = json.loads(run(os.path.join(here, "fixture.py"), path).stdout)
database = sqlite3.connect(path)
database.row_factory = sqlite3.Row


def outputs(night):
    out = os.path.join(folder, str(night))
    os.makedirs(out, exist_ok=True)
    return out, run(os.path.join(build, "tests/outputs"), path, night, out)


def check_junit(name, night, out):
    file = os.path.join(out, "junit.xml")
    lint = run("xmllint", "--noout", "--nonet", "--schema", os.path.join(here, "junit.xsd"), file)
    check(f"{name}: junit.xml keeps the schema", lint.returncode == 0, lint.stderr[:500])
    root = xml.etree.ElementTree.parse(file).getroot()
    rows = {row["key"]: row for row in database.execute("SELECT * FROM result WHERE night = ?", (night,))}
    cases = root.findall("testsuite/testcase")
    identities = {(case.get("classname"), case.get("name")) for case in cases}
    check(f"{name}: a case for each of {len(rows)} tests, all with names of their own", len(cases) == len(rows) == len(identities), (len(cases), len(identities)))
    wanted = {"failure": 0, "error": 0, "skipped": 0, None: 0}
    for row in rows.values():
        skipped = row["verdict"] is None or (row["verdict"] != "PASS" and row["known"])
        wanted["skipped" if skipped else {"PASS": None, "FAIL": "failure", "HANG": "failure"}.get(row["verdict"], "error")] += 1
    found = {kind: sum(case.find(kind) is not None for case in cases) for kind in ("failure", "error", "skipped")}
    found[None] = sum(len(case) == 0 for case in cases)
    check(f"{name}: outcomes {wanted}", found == wanted, found)
    for attribute, kind in (("tests", None), ("failures", "failure"), ("errors", "error")):
        counts = [sum(kind is None or case.find(kind) is not None for case in suite.findall("testcase")) for suite in root]
        said = [int(suite.get(attribute)) for suite in root]
        check(f"{name}: {attribute} are counted", said == counts and int(root.get(attribute)) == sum(counts), (said, counts))
    said = [case.find("skipped").get("message") for case in cases if case.find("skipped") is not None]
    vague = [text for text in said if not re.match(r"known failure, \w+, until [-0-9]+: .|not run: the night is .", text)]
    check(f"{name}: what is skipped says why", not vague, vague[:3])
    commands = {re.split("[^ -~]", row["command"])[0] for row in rows.values()}
    without = [case.get("name") for case in cases if len(case) and re.split(r"\\|[^ -~]", case.findtext("system-out") or "")[0] not in commands]
    check(f"{name}: what does not pass has the command that does it again", not without, without[:3])
    check(f"{name}: junit.xml is bounded", os.path.getsize(file) < 10000 + 3000 * len(rows), os.path.getsize(file))


def check_summary(name, night, out):
    text = open(os.path.join(out, "summary.txt"), encoding="utf-8").read()
    lines = text.split("\n")
    row = database.execute("SELECT * FROM night WHERE id = ?", (night,)).fetchone()
    counts = database.execute("SELECT count(*) AS tests, sum(verdict = 'PASS') AS passed, sum(verdict <> 'PASS' AND known IS NULL) AS failed, sum(verdict IS NULL) AS open "
                              "FROM result WHERE night = ?", (night,)).fetchone()
    word = "FAILED" if counts["failed"] else {"running": "RUNNING", "interrupted": "INTERRUPTED"}.get(row["state"], "SURVIVORS" if row["kind"] == "qualify" else "PASSED")
    check(f"{name}: the first line is the subject", lines[0].startswith(f"{word} {row['plan']} night {night}: ") and lines[1] == "", lines[:2])
    if counts["failed"]:
        check(f"{name}: with the count of failures", f"{counts['failed']} of {counts['tests']} tests fail" in lines[0], lines[0])
        loose = [row["key"] for row in database.execute("SELECT key FROM result WHERE night = ? AND verdict <> 'PASS' AND known IS NULL AND bucket IS NULL", (night,))]
        check(f"{name}: failures in no bucket ({len(loose)}) are named", ("\nFailures in no bucket:\n" in text) == bool(loose) and all(key in text for key in loose), text[-900:])
        commands = [row["command"] for row in database.execute("SELECT command FROM bucket WHERE night = ?", (night,))]
        missing = [command for command in commands if command not in text]
        check(f"{name}: each bucket with its command", not missing, missing)
    check(f"{name}: it ends with the page", lines[-2] == f"Page: {out}/index.html", lines[-2:])
    odd = re.findall(r"[\x00-\x09\x0b-\x1f\x7f]", text)
    check(f"{name}: nothing in it that a terminal obeys, no endless line", not odd and max(map(len, lines)) < 700, odd or max(map(len, lines)))


for name, night in nights.items():
    out, done = outputs(night)
    check(f"{name}: written", done.returncode == 0, done.stderr)
    check_junit(name, night, out)
    check_summary(name, night, out)

_, done = outputs(4711)
check("a night that does not exist", done.returncode == 1 and "no night 4711" in done.stderr, done.stderr)
database.execute("DROP TABLE bucket")
database.commit()
_, done = outputs(nights["failed"])
check("a database that is another one", done.returncode == 1 and "no such table: bucket" in done.stderr, done.stderr)

finish()
