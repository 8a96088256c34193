"""A night around a launcher that is a mock: results in ledger and database, signals, what cannot be
kept, and what the user sees."""
import contextlib
import dataclasses
import fcntl
import io
import os
import pathlib
import tempfile
import time
import unittest
from unittest import mock

from mock_launcher import MockLauncher
from nvcosim.engine.schedule import Schedule
from nvcosim.night import begin
from nvcosim.night.begin import Begun, Options
from nvcosim.night.live import Live
from nvcosim.night.night import Night
from nvcosim.plan.read import Settings
from nvcosim.plan.test import Test
from nvcosim.store.database import Store
from nvcosim.store.ledger import Ledger
from nvcosim.store.nights import NightFacts
from nvcosim.store.results import Result
from nvcosim.tool import Failure


def test_of(number, **members):
    return Test(f"t/{number}", "t", f"/t/{number}.nvt", None, 0, "small", "both", "", 1, **members)


def result(verdict="PASS", **members):
    return Result({"verdict": verdict, "config": "small", "seconds": 0.5, "reason": "it fails", **members})


class NoBuilds:
    """Builds of simulators, one of which failed: that of the tests in `bad`."""
    bad = ()

    def failed(self, test):
        return result("ERROR") if test.key in self.bad else None


class Nights(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        os.mkdir(f"{self.folder}/reports")
        self.begun = begun = Begun(Options("p.yml", jobs=2, notify="mail it"))
        begun.jobs, begun.folder, begun.database = 2, self.folder, f"{self.folder}/n.db"
        begun.settings = Settings("p", None, None, 0, 0, 0, 0, 0)
        begun.builds = NoBuilds()
        begun.tests = [test_of(0), test_of(1), test_of(2, known="issue 7", known_until="2199-01-01"), test_of(3)]
        begun.done = [False] * 4
        begun.store = Store.open(begun.database, create=True)
        begun.id = begun.store.begin_night(NightFacts("regress", "p", "/p.yml", "", 1, "0", "local", "c"), begun.tests)
        begun.ledger = Ledger.open(self.folder)
        self.addCleanup(begun.close)

    def run_night(self, script, on_wait=lambda launcher: None):
        """Exit status, what was printed, and the launcher."""
        launcher = MockLauncher(script, jobs=2)
        waiting, launcher.wait = launcher.wait, lambda *_: (on_wait(launcher), waiting(0))[1]
        night, out = Night(self.begun), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), \
                mock.patch.object(night, "_launcher", lambda progress: launcher), \
                mock.patch.object(night, "_fill_buckets", lambda look, signals: True), \
                mock.patch.object(night, "_write_outputs", lambda state: print(f"state {state}")):
            return night.run(), out.getvalue(), launcher

    def verdicts(self):
        return [row[0] for row in self.begun.store.rows("SELECT verdict FROM result ORDER BY number")]

    def test_all_pass(self):
        status, out, _ = self.run_night(lambda play: result("FAIL" if play.number == 2 else "PASS"))
        self.assertEqual((status, self.verdicts()), (0, ["PASS", "PASS", "FAIL", "PASS"]))
        self.assertIn("night 1 of p: 4 tests, 2 at a time, seed 0, none with a history; ", out)
        self.assertTrue(out.endswith("state done\n"))
        self.assertFalse(os.path.exists(f"{self.folder}/ledger"))
        self.assertEqual(self.begun.store.row("SELECT state FROM night")[0], "done")

    def test_the_worst_counts(self):
        status, out, _ = self.run_night(lambda play: result(["CRASH", "FAIL", "PASS", "HANG"][play.number]))
        self.assertEqual(status, 4)
        self.assertEqual([line for line in out.splitlines() if ": t" not in line and " t/" in line], [
            "CRASH t/0: it fails", "FAIL t/1: it fails", "PASS t/2: known to fail until 2199-01-01: issue 7",
            "HANG t/3: it fails"])

    def test_ctrl_c_lets_running_tests_finish(self):
        def interrupt(launcher):
            if len(launcher.running) == 1 and not launcher.stopped:
                os.kill(os.getpid(), 2)
        status, out, launcher = self.run_night(lambda play: result(), interrupt)
        self.assertEqual((status, launcher.killed), (130, True))  # close() kills the rest: nothing
        self.assertEqual(self.verdicts().count("PASS"), 3)
        self.assertIn("interrupted: waiting for the 1 running test; once more ends it at once", out)
        self.assertIn(f"\nNot all tests have run. To continue: nvcosim regress --database={self.folder}/n.db "
                      "--jobs=2 --notify='mail it' --resume=1\n", out)
        self.assertEqual(self.begun.store.row("SELECT state FROM night")[0], "interrupted")
        self.assertGreater(self.begun.store.row("SELECT seconds FROM night")[0], 0)

    def test_sigterm_ends_them(self):
        def end(launcher):
            if launcher.running and not launcher.stopped:
                os.kill(os.getpid(), 15)
        status, _, launcher = self.run_night(lambda play: None, end)
        self.assertEqual((status, launcher.killed, self.verdicts()), (143, True, [None] * 4))

    def test_what_is_done_does_not_run_again(self):
        self.begun.done[1] = True
        _, out, launcher = self.run_night(lambda play: result())
        self.assertEqual([play.number for play in launcher.plays], [0, 2, 3])
        self.assertIn("3 tests left of 4", out)

    def test_simulators_that_could_not_be_built(self):
        self.begun.builds.bad = ("t/0", "t/3")
        status, _, launcher = self.run_night(lambda play: result())
        self.assertEqual([play.number for play in launcher.plays], [1, 2])
        self.assertEqual((status, self.verdicts()), (2, ["ERROR", "PASS", "PASS", "ERROR"]))

    def test_a_database_that_cannot_be_written(self):
        with mock.patch.object(Store, "store_results", side_effect=Failure("the disk is full")):
            status, out, _ = self.run_night(lambda play: result())
        self.assertEqual((status, self.verdicts()), (2, [None] * 4))
        self.assertIn("nvcosim: the disk is full", out)
        self.assertEqual(len(self.begun.ledger.read() if self.begun.ledger else Ledger.open(self.folder).read()), 4)

    def test_a_ledger_that_cannot_be_written(self):
        with mock.patch.object(Ledger, "note", side_effect=OSError(28, "full")):
            status, _, _ = self.run_night(lambda play: result())
        self.assertEqual((status, self.verdicts()), (0, ["PASS"] * 4))


class Locks(unittest.TestCase):
    def test_one_runner_at_a_time(self):
        with tempfile.TemporaryDirectory() as folder:
            begun = Begun(Options(""))
            begun.folder, begun.id = folder, 12
            ready, go = os.pipe()
            child = os.fork()
            if not child:
                file = os.open(f"{folder}/lock", os.O_RDWR | os.O_CREAT)
                fcntl.lockf(file, fcntl.LOCK_EX)
                os.write(go, b"x")
                time.sleep(60)
                os._exit(0)
            os.read(ready, 1)
            with self.assertRaisesRegex(Failure, f"night 12 is still running as process {child}; end that one first"):
                begun._lock()
            os.kill(child, 9)
            os.waitpid(child, 0)
            begun._lock()
            begun.close()

    def test_names_of_databases(self):
        self.assertEqual(begin.database_of(""), "nvcosim-nights/nights.db")
        self.assertEqual(begin.absolute("/a/../b"), "/a/../b")
        self.assertEqual(begin.absolute("b"), f"{pathlib.Path.cwd()}/b")


class Terminal(io.StringIO):
    def isatty(self):
        return True

    def fileno(self):
        return 99


class Lives(unittest.TestCase):
    def live(self, expected=-1.0, err=None, count=20):
        tests = [dataclasses.replace(test_of(i), expected_seconds=expected) for i in range(count)]
        self.out, self.err = io.StringIO(), err or io.StringIO()
        with contextlib.redirect_stdout(self.out), contextlib.redirect_stderr(self.err), \
                mock.patch.dict(os.environ, TERM="xterm"):
            return Live(tests, Schedule.make(tests), 0, 2)

    def test_a_line_every_tenth(self):
        live = self.live()
        with contextlib.redirect_stdout(self.out):
            for i in range(20):
                live.result(i, result())
        lines = self.out.getvalue().splitlines()
        self.assertEqual(len(lines), 9)
        self.assertRegex(lines[0], r"^2 of 20 done: 2 passed, 0 failed, 0:0\d left$")

    def test_the_time_left(self):
        live = self.live(expected=10.0, count=6)
        live.start -= 10
        live.started(0)
        live.progress(0, 0.5)
        live.running[0].start -= 5
        self.assertAlmostEqual(live._time_left(), 110, delta=1)  # 10 s for what costs 5: twice as long
        self.assertIsNone(self.live()._time_left())

    def test_the_block(self):
        live = self.live(err=Terminal(), expected=10.0)
        for i in range(3):
            live.started(i)
        live.progress(1, 0.25)
        with contextlib.redirect_stdout(self.out), contextlib.redirect_stderr(self.err), \
                mock.patch.object(live, "_size", lambda: (60, 4)), \
                mock.patch("os.tcgetpgrp", lambda _: os.getpgrp()):
            live.tick()
            live.message("something")
            live.close()
        text = self.err.getvalue()
        self.assertRegex(text, r"\[\.+\] 0 of 20 done: 0 passed, 0 failed, [\d:]+ left\x1b\[K\n  t/0 +0 %")
        self.assertIn("  and 2 more\x1b[K\n", text)
        self.assertIn("\x1b[3A\r\x1b[Jnvcosim: something\n", text)
        self.assertTrue(all(len(line) < 60 + 12 for line in text.split("\n")))
