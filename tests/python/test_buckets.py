"""Failures come into buckets by one rule, whatever the order in which nvcosim debug looks at them; what it and nvcosim shrink find is kept
line by line; processes end with their runner."""
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest
import unittest.mock

from nvcosim.engine.guard import Guard
from mock_launcher import MockLauncher, MockSignals
from nvcosim.night import notify as notifying
from nvcosim.night.buckets import Bucket, Case, bucket_rule, next_looks, triage_failures
from nvcosim.night.triage import Discoveries, Discovery, Job, Target, Triage
from nvcosim.plan.test import Test
from nvcosim.store.database import Store
from nvcosim.store.nights import NightFacts
from nvcosim.store.results import Result, Row
from nvcosim.tool import Failure

PATIENCE = 60  # seconds


def case(number, coarse="value:SDP", blamed=None, note=None, **more):
    found = Discovery("debug", number, signature=blamed, note=note, sentence=f"{blamed} is to blame") if blamed or note else None
    return Case(number, coarse, "a reason", "nvcosim run", "", True, True, more.pop("cycles", number), 0, found=found, **more)


def until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


class Rule(unittest.TestCase):
    def rule(self, *cases):
        return [bucket_rule(each, list(cases)) for each in cases]

    def test_those_that_nobody_looked_at_join_one_cause(self):
        self.assertEqual(self.rule(case(1, blamed="sdp:OUT"), case(2)), ["sdp:OUT", "sdp:OUT"])

    def test_they_join_none_of_several_causes(self):
        self.assertEqual(self.rule(case(1, blamed="sdp:OUT"), case(2, blamed="csc"), case(3)), ["sdp:OUT", "csc", "value:SDP"])

    def test_they_join_the_cause_of_most_looks(self):
        self.assertEqual(self.rule(case(1, blamed="sdp:OUT"), case(2, blamed="csc"), case(3, blamed="csc"), case(4)),
                         ["sdp:OUT", "csc", "csc", "csc"])

    def test_where_debug_found_nothing_the_result_counts(self):
        self.assertEqual(self.rule(case(1, blamed="sdp:OUT"), case(2, note="it passes")), ["sdp:OUT", "value:SDP"])

    def test_a_failure_without_a_model_joins_none(self):
        alone = dataclasses.replace(case(2), debuggable=False)
        self.assertEqual(self.rule(case(1, blamed="sdp:OUT"), alone), ["sdp:OUT", "value:SDP"])

    def test_the_largest_bucket_without_a_look_comes_next(self):
        job, blamed, cases = types.SimpleNamespace(jobs=1), {}, [case(n) for n in range(1, 6)] + [case(9, coarse="value:PDP")]
        discoveries = types.SimpleNamespace(find=lambda kind, number: Discovery(kind, number, signature=blamed[number])
                                            if number in blamed else None)

        def looks():
            return [each.number for each in next_looks(job, cases, discoveries, 9)]

        self.assertEqual(looks(), [1, 9])  # the smallest of each kind
        blamed.update({1: "sdp:OUT", 9: "pdp:OUT"})
        self.assertEqual(looks(), [2])
        blamed[2] = "csc:WT"
        self.assertEqual(looks(), [3])  # 3, 4 and 5 are now alone
        blamed[3] = "csc:WT"
        self.assertEqual([bucket_rule(each, cases[:5]) for each in cases[3:5]], ["value:SDP"] * 2)
        looks()
        self.assertEqual([bucket_rule(each, cases[:5]) for each in cases[3:5]], ["csc:WT"] * 2)

    def test_notes(self):
        for cases, note in (
                ([case(1, blamed="sdp"), case(2)], "nvcosim debug has looked at 1 of them, the others look the same"),
                ([case(1, causes=2)], "nvcosim debug has not looked at any of them; others that look the same have 2 different causes"),
                ([case(1, note="it passes")], "it passes"), ([case(1)], None)):
            self.assertEqual(Bucket(cases).note(), note)
        self.assertEqual(Bucket([case(1, note="a")], Discovery("shrink", 1, note="b")).note(), "a; b")


class Night(unittest.TestCase):
    """Of five tests: two in SDP, one of them with another cause; one that is killed, one known, one that passes."""
    RESULTS = ({"mismatch": {"space": "primary", "unit": "SDP"}}, {"mismatch": {"space": "primary", "unit": "SDP"}},
               {"verdict": "CRASH", "exit_status": 137}, {"mismatch": {"space": "primary", "unit": "SDP"}}, {"verdict": "PASS"})

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.tests = [Test(f"t/{i}", "t", f"/traces/{i}.nvt", None, 0, "small", "both", "", 5, options=("--latency=9",),
                           known="issue 7" if i == 3 else None) for i in range(len(self.RESULTS))]
        self.store = self.enterContext(Store.open(f"{self.folder}/nights.db", create=True))
        self.night = self.store.begin_night(NightFacts(
            kind="regress", plan="p", plan_path="p.yml", plan_text="", seed=1, version="1", engine="local", command="",
            folder=self.folder), self.tests)
        self.store.store_results(self.night, [Row(i, None, self.result(i)) for i in range(len(self.RESULTS))])
        self.lines, self.signals = [], MockSignals()

    def result(self, number):
        members = {"verdict": "FAIL", "config": "small", "dut": "rtl+model", "reason": f"reason {number}", "command": "nvcosim run",
                   "devices": [{"name": "rtl", "clocked": True, "cycles": 1000 - number}], **self.RESULTS[number]}
        return Result(members | ({"debug_command": "nvcosim debug"} if members["verdict"] == "FAIL" else {}))

    def debugged(self, play):
        """What nvcosim debug says: the end of the trace's name decides who is to blame."""
        report = f"{self.folder}/{play.number}.json"
        engine = "csc" if play.trace.endswith("0.nvt") else "sdp"
        pathlib.Path(report).write_text(json.dumps({"verdict": {
            "kind": "value", "engine": engine, "tap": "OUT", "sentence": f"{engine} is to blame", "or_before": engine == "sdp"}}))
        return Result({"verdict": "FAIL", "config": "small", "reason": "bytes differ", "report": report,
                       "page": f"{self.folder}/buckets/debug/report.html", "devices": [{"clocked": True, "cycles": 10}]})

    def job(self, debug=5, seconds=60.0, shrink=0.0, script=None):
        settings = types.SimpleNamespace(debug_reports=debug, debug_seconds=seconds, shrink_seconds=shrink)
        self.plays = []

        def launch():
            launcher = MockLauncher(script or self.debugged, 2)
            launcher.plays = self.plays
            return launcher

        builds = types.SimpleNamespace(for_debug=lambda test: None)
        return Job(self.store, self.night, self.folder, self.tests, builds, 2, settings, self.lines.append,
                   launch, self.signals)

    def rows(self):
        return [tuple(row) for row in self.store.rows("SELECT count, signature, engine, kind, smallest, title FROM bucket ORDER BY number")]

    def test_buckets(self):
        self.assertEqual(triage_failures(self.job(), True), 0)
        self.assertEqual(self.rows(), [
            (1, "crash:SIGKILL: reason #", None, "crash", 2, "reason 2"),
            (1, "csc:OUT", "csc", "value", 0, "csc is to blame"),
            (1, "sdp or before:OUT", "sdp", "value", 1, "sdp is to blame"),
            (1, "value:SDP", None, "value", 3, "known, issue 7: reason 3")])
        self.assertEqual(self.lines, ["nvcosim debug looks at 2 of 4 failures"])
        play = self.plays[0]  # the smallest first
        self.assertEqual((play.trace, play.name, play.seed, play.options[-2:]), (
            "/traces/1.nvt", "t.1", 5, (f"--out={self.folder}/buckets/debug", "--debug")))
        self.assertEqual([tuple(row) for row in self.store.rows("SELECT number, bucket FROM result ORDER BY number")],
                         [(0, 2), (1, 3), (2, 1), (3, 4), (4, None)])

    def test_what_was_found_is_not_looked_for_again(self):
        triage_failures(self.job(), True)
        before = self.rows()
        triage_failures(self.job(), True)
        self.assertEqual((self.plays, self.rows()), ([], before))

    def test_debug_may_look_at_one_or_none(self):
        triage_failures(self.job(debug=1), True)
        self.assertEqual([row[:2] for row in self.rows()], [
            (2, "sdp or before:OUT"), (1, "crash:SIGKILL: reason #"), (1, "value:SDP")])
        for job, look in ((self.job(debug=0), True), (self.job(seconds=0), True), (self.job(), False)):
            pathlib.Path(f"{self.folder}/buckets/found.jsonl").unlink(missing_ok=True)
            triage_failures(job, look)
            self.assertEqual(self.rows()[0][:2], (2, "value:SDP"))

    def test_a_result_that_is_damaged(self):
        self.store.run("UPDATE result SET result = '{' WHERE number = 1")
        with self.assertRaisesRegex(Failure, "night 1: the result of test 1 cannot be read"):
            triage_failures(self.job(), True)

    def shrink(self, status, cycles=10, debugged=True, script=None, signature="sdp or before:OUT", said="words"):
        """What becomes of a shrunk trace, by a stand-in of nvcosim shrink."""
        program = f"{self.folder}/nvcosim"
        pathlib.Path(program).write_text(f"#!/bin/sh\nfor word; do case $word in --out=*) touch ${{word#*=}} ;; esac; done\n"
                                         f"echo first; echo '  {said}'; exit {status}\n")
        os.chmod(program, 0o755)
        discoveries = Discoveries(self.folder)
        with unittest.mock.patch.dict(os.environ, NVCOSIM_PROGRAM=program):
            Triage(self.job(shrink=5.0, script=script), "shrink", discoveries).look_at([Target(1, signature, 100, debugged)])
        return discoveries.find("shrink", 1)

    def test_shrink(self):
        found = self.shrink(1)
        self.assertEqual((found.trace, found.cycles, found.note), ("buckets/t.1.nvt", 10, None))
        self.assertEqual(["--debug" in play.options for play in self.plays], [False, True])
        self.assertEqual(self.plays[0].name, "t.1-shrunk")

    def test_what_shrink_made_is_of_no_use(self):
        big = Result({"verdict": "FAIL", "config": "small", "dut": "rtl+model", "devices": [{"clocked": True, "cycles": 100}]})
        passes = Result({"verdict": "PASS", "config": "small"})
        for arguments, note in (
                ((0,), "nvcosim shrink sees it pass"),
                ((2,), "nvcosim shrink ended with status 2: words"),
                ((1, 10, True, None, "csc:OUT"), "the shrunk trace fails differently: sdp or before:OUT"),
                ((1, 10, False, lambda play: big, "check"), "nvcosim shrink cannot make it smaller"),
                ((1, 10, True, lambda play: passes), "the shrunk trace does not fail in the same way")):
            pathlib.Path(f"{self.folder}/buckets/found.jsonl").unlink(missing_ok=True)
            found = self.shrink(*arguments)
            self.assertEqual((found.note, found.trace), (note, None))


class Kept(unittest.TestCase):
    def test_lines_that_were_cut_are_skipped(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(Discoveries(folder).add(Discovery("debug", 3, 1.5, signature="sdp:OUT")), "")
            with open(f"{folder}/buckets/found.jsonl", "a", encoding="ascii") as file:
                file.write('{"kind":"debug","te')
            again = Discoveries(folder)
            again.add(Discovery("shrink", 3, 9, signature="x", trace="t"))
            found = Discoveries(folder)
            self.assertEqual((len(found.found), found.spent("debug"), found.spent("shrink")), (2, 1.5, 9))
            self.assertEqual((found.find("shrink", 3, "x").trace, found.find("shrink", 3, "y")), ("t", None))
            self.assertIn('"kind":"debug","test":3', pathlib.Path(found.path).read_text())

    def test_a_full_disk_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            found = Discoveries(folder)
            found.path = "/dev/full"
            self.assertEqual(found.add(Discovery("debug", 3)),
                             "/dev/full: No space left on device; a night that is resumed will look at test 3 again")
            self.assertTrue(found.find("debug", 3))


class Guards(unittest.TestCase):
    RUNNER = ("import sys; from nvcosim.engine.guard import Guard; guard = Guard('touch', sys.argv[1] + '/cleaned')\n"
              "guard.run(['sh', '-c', 'sleep 1000 & echo $! >\"$0/pid.new\"; mv \"$0/pid.new\" \"$0/pid\"; wait', sys.argv[1]])")

    def test_a_killed_runner_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            runner = subprocess.Popen([sys.executable, "-c", self.RUNNER, folder], env=os.environ | {"PYTHONPATH": "python"})
            pid = pathlib.Path(f"{folder}/pid")
            until(pid.exists, "it has not started")
            runner.send_signal(signal.SIGKILL)
            runner.wait()
            gone = pathlib.Path(f"/proc/{pid.read_text().strip()}/cmdline")
            until(lambda: not gone.exists() or not gone.read_bytes(), "the program still runs")
            until(pathlib.Path(f"{folder}/cleaned").exists, "the last command has not run")

    def test_what_a_program_leaves_is_killed(self):
        with Guard() as guard:
            status, said = guard.ask(["sh", "-c", "sleep 1000 & echo $!; exit 7"])
            self.assertEqual(status, 7)
            gone = pathlib.Path(f"/proc/{said.strip()}/cmdline")
            until(lambda: not gone.exists() or not gone.read_bytes(), "it still runs")

    def test_limits(self):
        with Guard() as guard, unittest.mock.patch("nvcosim.engine.guard.GRACE_SECONDS", 0.1):
            for settings, script, status in (({"seconds": 0.1}, "sleep 1000", 128 + signal.SIGTERM),
                                             ({"seconds": 0.1}, "trap '' TERM; sleep 1000; sleep 1000", 128 + signal.SIGKILL),
                                             ({"memory": 1}, "sleep 1000", 128 + signal.SIGKILL)):
                self.assertEqual(guard.ask(["sh", "-c", script], **settings)[0], status, script)
            self.assertEqual(guard.ask(["/none"])[0], 127)

    def test_notify(self):
        with tempfile.TemporaryDirectory() as folder:
            notifying.notify(f"cat >{folder}/got", "résumé\n" * 20000)
            self.assertEqual(pathlib.Path(f"{folder}/got").read_text(encoding="utf-8"), "résumé\n" * 20000)
        with self.assertRaisesRegex(Failure, "^exit 3: ended with status 3$"):
            notifying.notify("exit 3", "")
        with unittest.mock.patch.object(notifying, "NOTIFY_SECONDS", 0.1), \
                self.assertRaisesRegex(Failure, "^sleep 1000: not done after 0.1 seconds, ended$"):
            notifying.notify("sleep 1000", "")
