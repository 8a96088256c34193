"""Faults: their table, the list of equivalents, and which test is played with which fault."""
import contextlib
import io
import json
import os
import signal
import tempfile
import types
import unittest

from mock_launcher import MockLauncher, MockSignals
from nvcosim.commands import qualify
from nvcosim.faults import equivalents
from nvcosim.faults.campaign import Campaign
from nvcosim.faults.faults import Faults
from nvcosim.plan.test import Test
from nvcosim.store.database import Store
from nvcosim.store.nights import NightFacts
from nvcosim.store.results import Result
from nvcosim.tool import Failure

PLACE = {"folder": "cdp", "file": "cdp/a.sv", "module": "a", "original": "+", "changed": "-"}


def planted(play):
    """The faults of a play."""
    words = [word for word in play.options if word.startswith("--fault=")]
    return [int(fault) for word in words for fault in word[8:].split(",")]


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
        return file.name

    def faults(self, count):
        rows = [{**PLACE, "line": 100 - i, "statement": f"x [[{i}]]"} for i in range(count)]
        places = [f"cdp/a.sv\t{row['statement']}" for row in rows]
        return Faults.read(self.write("faults.json", json.dumps({"faults": rows, "statements": places})))


class OthersRtl(InFolder):
    def said(self, what, *arguments):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            found = what(*arguments)
        return found, said.getvalue()

    def test_what_it_lacks_is_told_once(self):
        tests = [Test(str(i), "c", "t", None, 0, "small", "rtl:q", "", 1, options) for i, options in enumerate([("--checks",), ()])]
        given = types.SimpleNamespace(vmod="", filelist=self.write("list.f", "NV_nvdla.v\n"), equivalents="e.yml")
        found, said = self.said(qualify._say_what_lacks, given, tests)
        self.assertEqual(found, tests[1:])
        self.assertIn("list.f is another's RTL: it has no checks inside, so faults show in memory, registers, interrupts and on its ports alone; "
                      "1 test with --checks is left out\n", said)
        with self.assertRaisesRegex(Failure, "no test is left"):
            self.said(qualify._say_what_lacks, given, tests[:1])
        self.write("list.f", "-F more.f\n")
        self.write("more.f", "csc/nvdla_csc_sequence.sv\n")
        self.assertEqual(self.said(qualify._say_what_lacks, given, tests), (tests, ""))

    def test_a_list_of_equivalents_of_another_rtl(self):
        known = {("a.sv", f"{i}"): equivalents.Equivalent("a.sv", f"{i}", "same", i) for i in (1, 2)}
        _, said = self.said(qualify._exempt, types.SimpleNamespace(equivalents="e.yml"), self.faults(3), known)
        self.assertEqual(said, "nvcosim qualify: e.yml: found 2 places, none of which this RTL has; expected a list of this RTL\n")


class Tables(InFolder):
    def test_equivalents_are_exempt_and_stale_ones_are_told(self):
        faults = self.faults(2)
        known = equivalents.read(self.write("e.yml", "- {file: cdp/a.sv, statement: 'x [[1]]', reason: same}\n"
                                                     "- {file: cdp/a.sv, statement: gone, reason: none}\n"))
        self.assertEqual([entry.line for entry in faults.exempt(known)], [2])
        self.assertEqual([(fault.state, fault.reason) for fault in faults], [("open", None), ("equivalent", "same")])

    def test_wrong_lists(self):
        for text, message in (("a: b", "1:1: found a mapping, expected a list of faults"),
                              ("- x", "1:3: found 'x', expected a mapping of file, statement and reason"),
                              ("- {file: a, why: b}", "1:13: found 'why', expected file, statement or reason"),
                              ("- {file: a, statement: b}", "1:3: found none, expected the reason of a fault as a text"),
                              ("- {file: [], statement: b}", "1:10: found a list, expected the file of a fault as a text"),
                              ("- &a {file: a, statement: b, reason: c}\n- *a", "1:3: this fault is in the list twice")):
            with self.subTest(text), self.assertRaises(Failure) as caught:
                equivalents.read(self.write("e.yml", text))
            self.assertEqual(str(caught.exception), f"{self.folder}/e.yml:{message}")
        with self.assertRaisesRegex(Failure, "none.yml: cannot open: No such file"):
            equivalents.read(f"{self.folder}/none.yml")

    def test_no_table(self):
        for text in ("{", "[]", '{"faults": [{}], "statements": []}'):
            with self.subTest(text), self.assertRaisesRegex(Failure, "found no table of faults"):
                Faults.read(self.write("f.json", text))

    def test_printed(self):
        faults = self.faults(4)
        for fault, state in zip(faults, ("noticed", "survived", "equivalent", "unreached")):
            fault.state, fault.runs = state, 1
        out = io.StringIO()
        faults.print(out)
        lines = out.getvalue().split("\n")
        self.assertEqual(lines[2].split(), ["a", "4", "1", "1", "1", "1", "33.3", "%"])
        self.assertEqual([line for line in lines if ": fault" in line],
                         ["  cdp/a.sv:99: fault 2 in a, 1 test played", "  cdp/a.sv:97: fault 4 in a"])
        self.assertAlmostEqual(faults.share(), 100 / 3)


class Campaigns(InFolder):
    """Five tests of 100, 200, ... clocks reach the faults of `reached`; `failing`: pairs of fault and test."""
    reached = {0: [1, 2, 3], 1: [1, 2, 3], 2: [1, 2, 3], 3: [2, 3], 4: [2, 3]}
    failing = {(1, 0), (2, 4)}

    def setUp(self):
        super().setUp()
        self.tests = [Test(f"t/{i}", "t", f"/t{i}.cfg", None, 0, "small", "rtl:q", "", 1) for i in range(5)]
        self.store = self.enterContext(Store.open(f"{self.folder}/nights.db", create=True))
        self.night = self.store.begin_night(NightFacts("qualify", "q", "/q.yml", "", 1, "1", "local", "c"), self.tests)

    def play(self, play):
        number = int(play.trace[2:-4])
        verdict = "FAIL" if any((fault, number) in self.failing for fault in planted(play)) else "PASS"
        return Result({"verdict": verdict, "config": "small", "reason": "", "seconds": 0.5, "cpu_seconds": 0.25,
                       "devices": [{"clocked": True, "cycles": 100 * (number + 1)}], "faults": self.reached[number]})

    def campaign(self, faults, together=32, *signals):
        launcher = MockLauncher(self.play, jobs=2)
        return Campaign(self.store, self.night, self.folder, self.tests, faults, launcher, MockSignals(*signals), together)

    def run_quietly(self, campaign):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            whole = campaign.run()
        return whole, said.getvalue()

    def begin(self, count=4):
        faults = self.faults(count)
        faults.begin(self.store, self.night)
        return faults

    def rows(self):
        return [tuple(row) for row in self.store.rows("SELECT state, noticed_by, verdict, runs FROM fault ORDER BY number")]

    EXPECTED = [("noticed", "t/0", "FAIL", 1), ("noticed", "t/4", "FAIL", 5), ("survived", None, None, 5),
                ("unreached", None, None, 0)]

    def test_each_fault_meets_the_shortest_tests_first(self):
        campaign = self.campaign(self.begin(), together=1)
        whole, said = self.run_quietly(campaign)
        self.assertTrue(whole)
        self.assertEqual(said, "5 of 5 tests pass without a fault; 3 of 4 faults would change something in one of them\n")
        self.assertEqual(self.rows(), self.EXPECTED)
        plays = campaign.launcher.plays
        self.assertEqual([planted(play) for play in plays if play.trace == "/t0.cfg"], [[], [1], [2], [3]])
        limits = [word for word in plays[5].options if word.startswith("--max-")]
        self.assertEqual(limits, ["--max-cycles=20400", "--max-seconds=145"])
        self.assertEqual(plays[5].max_memory, 4 << 30)

    def test_survivors_are_played_together_and_then_halved(self):
        self.reached = {i: list(range(1, 9)) for i in range(5)}
        self.tests += [Test(f"t/{i}", "t", f"/t{i}.cfg", None, 0, "small", "rtl:q", "", 1) for i in range(5, 9)]
        self.reached |= {i: self.reached[0] for i in range(5, 9)}
        self.failing = {(6, 8)}
        self.night = self.store.begin_night(NightFacts("qualify", "q", "/q.yml", "", 1, "1", "local", "c"), self.tests)
        campaign = self.campaign(self.begin(8), 4)
        self.assertTrue(self.run_quietly(campaign)[0])
        self.assertEqual([row[0] for row in self.rows()], ["survived"] * 5 + ["noticed"] + ["survived"] * 2)
        self.assertEqual([planted(play) for play in campaign.launcher.plays if play.trace == "/t8.cfg"],
                         [[], [1, 2, 3, 4], [5, 6, 7, 8], [5, 6], [7, 8], [5], [6]])

    def test_resumed_it_ends_the_same(self):
        for signals in ([0, 0, 0, signal.SIGINT], [0, signal.SIGTERM], [0] * 8 + [signal.SIGINT]):
            with self.subTest(signals):
                self.setUp()
                faults = self.begin()
                campaign = self.campaign(faults, 32, *signals)
                self.assertFalse(self.run_quietly(campaign)[0])
                self.assertEqual(campaign.signal, signals[-1])
                self.assertEqual(campaign.launcher.killed, signals[-1] == signal.SIGTERM)
                with open(f"{self.folder}/plays.jsonl", "a", encoding="utf-8") as log:
                    log.write('{"fault":1,"te')
                again = self.faults(4)
                again.resume(self.store, self.night)
                played = len(campaign.launcher.plays)
                campaign = self.campaign(again)
                self.assertTrue(self.run_quietly(campaign)[0])
                self.assertEqual(self.rows(), self.EXPECTED)
                self.assertLess(len(campaign.launcher.plays), 16 if played else 17)
                with open(f"{self.folder}/plays.jsonl", encoding="utf-8") as log:
                    self.assertEqual(len({(line["fault"], line["test"]) for line in map(json.loads, log)}), 11)
                os.remove(f"{self.folder}/plays.jsonl")

    def test_other_faults_cannot_be_resumed(self):
        self.begin()
        with self.assertRaisesRegex(Failure, "the RTL has other faults now"):
            self.faults(3).resume(self.store, self.night)

    def test_a_test_that_cannot_be_played_ends_it(self):
        faults = self.begin()
        passing = self.play

        def play(given):
            result = passing(given)
            if "--fault=2" in given.options:
                result.members |= {"verdict": "ERROR", "reason": "no trace"}
            return result
        self.play = play
        with self.assertRaisesRegex(Failure, "^t/0 with fault 2: no trace$"):
            self.run_quietly(self.campaign(faults))
