"""Plays on this machine: what LocalLauncher says to a player, and what it makes of its answers and of
its end; the player is a script."""
import contextlib
import json
import os
import pathlib
import signal
import tempfile
import time
import unittest
from unittest import mock

from nvcosim.engine import builds
from nvcosim.engine.launcher import Done, Ended, Message, Play, Started
from nvcosim.engine.local import LocalLauncher
from nvcosim.engine.signals import Signals
from nvcosim.store.ledger import Ledger
from nvcosim.store.results import Result
from nvcosim.tool import Failure

# Does what the name of a trace says: passes; dies once, or always; notes a result and dies; waits.
PLAYER = r"""#!/usr/bin/python3 -IS
import json, os, signal, sys
here = os.path.dirname(os.path.abspath(__file__))
signal.signal(signal.SIGINT, signal.SIG_IGN)
ledger = next((int(word[9:]) for word in sys.argv if word.startswith("--ledger=")), 0)
def say(**line):
    print(json.dumps(line), flush=True)
def once(name):
    path = f"{here}/{name}"
    first = not os.path.exists(path)
    open(path, "a").close()
    return first
open(f"{here}/players", "a").write(" ".join(sys.argv[1:]) + "\n")
for text in sys.stdin:
    open(f"{here}/heard", "a").write(text)
    line = json.loads(text)
    if "words" in line:
        continue
    if "test" not in line:
        say(ended="stopped" if "stop" in line else "done")
        sys.exit(0)
    number, does = line["test"], os.path.basename(line["trace"])
    result = {"verdict": "PASS", "config": "small", "trace": line["name"]}
    if "noted" in line:
        say(done=number, noted=True, result={**line["noted"], "command": "completed"})
        continue
    if does == "queued":
        continue
    say(started=number)
    if does == "dies" or (does in ("dies-once", "notes") and once(does)):
        if does == "notes":
            os.write(ledger, f'\n{{"test":{number},"at":1,"result":{json.dumps(result)}}}\n'.encode())
        os.kill(os.getpid(), 9)
    if does == "refused":
        sys.exit(2)
    if does != "waits":
        say(done=number, noted=False, result=result)
"""


def play(number, does="passes", **members):
    return Play(number, f"/t/{does}", f"item.{number}", "small", ("--dut=model",), 8, **members)


def results(events):
    return [(event.number, event.result.verdict) for event in events if isinstance(event, Done)]


class Local(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "nvcosim").write_text(PLAYER, encoding="utf-8")
        (self.folder / "nvcosim").chmod(0o755)
        self.enterContext(mock.patch.dict(os.environ, NVCOSIM_PROGRAM=str(self.folder / "nvcosim")))

    @contextlib.contextmanager
    def launcher(self, *plays, finish=True, **settings):
        launcher = LocalLauncher(2, **settings)
        with contextlib.closing(launcher):
            for each in plays:
                launcher.submit(each)
            if finish:
                launcher.finish()
            yield launcher
        self.assertIsNotNone(launcher.player.returncode)

    def until(self, launcher, kind, count=1):
        """All events up to so many of a kind."""
        events, end = [], time.monotonic() + 60
        while sum(isinstance(event, kind) for event in events) < count:
            events += launcher.wait(1)
            self.assertLess(time.monotonic(), end)
        return events

    def played(self, *plays, **settings):
        with self.launcher(*plays, **settings) as launcher:
            return self.until(launcher, Ended)

    def heard(self):
        return [json.loads(line) for line in (self.folder / "heard").read_text(encoding="utf-8").splitlines()]

    def test_plays_and_results(self):
        events = self.played(play(7), play(3, layer=("sdp", 9), max_seconds=2.5, clean=True), simulators="/s")
        self.assertEqual(results(events), [(7, "PASS"), (3, "PASS")])
        self.assertEqual(events[-1], Ended("done"))
        self.assertIn(Started(3, os.uname().nodename), events)
        self.assertEqual(self.heard(), [
            {"options": 0, "words": ["--dut=model"]},
            {"test": 7, "trace": "/t/passes", "name": "item.7", "config": "small", "options": 0, "seed": "8"},
            {"test": 3, "trace": "/t/passes", "name": "item.3", "config": "small", "options": 0, "seed": "8",
             "max_seconds": 2.5, "clean": True, "layer": {"generator": "sdp", "seed": "9"}}, {"end": True}])
        self.assertEqual((self.folder / "players").read_text(), "play-list --jobs=2 --simulators=/s\n")

    def test_a_player_that_is_killed_is_replaced(self):
        events = self.played(*(play(i) for i in range(3)), play(3, "dies-once"), play(4))
        self.assertEqual(results(events), [(i, "PASS") for i in range(5)])
        self.assertIn(Message("nvcosim play-list was ended by signal 9; another one plays the rest, 1 test once more"),
                      events)

    def test_what_a_test_has_noted_is_not_played_again(self):
        with Ledger.open(str(self.folder)) as ledger:
            ledger.note(9, "other", Result({"verdict": "FAIL", "config": "small"}))
            events = self.played(play(1, "notes"), play(9, "waits"), play(2), ledger=ledger)
        done = {event.number: event for event in events if isinstance(event, Done)}
        self.assertEqual(sorted(done), [1, 2, 9])
        self.assertEqual((done[1].result.text("command"), done[1].noted), ("completed", True))
        self.assertEqual((done[9].result.verdict, done[9].host), ("FAIL", "other"))
        self.assertEqual([line["test"] for line in self.heard() if "test" in line and "noted" not in line], [1, 2])

    def test_a_test_that_kills_every_player_is_not_played_for_ever(self):
        events = self.played(play(0), play(1, "dies"), play(2))
        self.assertEqual(events[-1], Ended("failed", "nvcosim play-list was ended by signal 9"))

    def test_a_list_that_is_refused(self):
        self.assertEqual(self.played(play(1, "refused"))[-1], Ended("failed", "nvcosim play-list ended with status 2"))

    def test_stop_and_kill(self):
        with self.launcher(play(1, "waits"), finish=False) as launcher:
            self.until(launcher, Started)
            self.assertEqual(launcher.stop(), 1)
            self.assertEqual(self.until(launcher, Ended)[-1], Ended("stopped"))
        with self.launcher(play(1, "waits"), finish=False) as launcher:
            self.until(launcher, Started)
            os.kill(launcher.player.pid, signal.SIGSTOP)
            with mock.patch("nvcosim.engine.local.PATIENCE_SECONDS", 0.1):
                launcher.kill()
                self.assertEqual(self.until(launcher, Ended)[-1], Ended("killed"))

    def test_the_time_of_the_night(self):
        with self.launcher(play(1, "waits"), play(2, "queued"), finish=False) as launcher:
            self.until(launcher, Started)
            launcher.end = time.monotonic()
            self.assertEqual(self.until(launcher, Ended), [
                Message("the time of the night is over: 1 test not started, 1 running"), Ended("stopped")])

    def test_a_name_that_is_not_utf8(self):
        events = self.played(Play(1, "/t/\udcff", "n", "small", (), 1), play(2))
        self.assertEqual(sorted(results(events)), [(1, "ERROR"), (2, "PASS")])


class Others(unittest.TestCase):
    def test_signals(self):
        with Signals() as signals:
            self.assertEqual(signals.take(), 0)
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGINT)
            self.assertEqual({signals.take(), signals.take()}, {2, 15})
            self.assertEqual(signals.take(), 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def test_copies_of_simulators(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(f"{folder}/simulators")
            source = pathlib.Path(folder, "program")
            build = builds.Build("nvcosim-small", "small", "", "", path=str(source))
            with mock.patch.multiple(builds, TRIES=2, PAUSE_SECONDS=0):
                with self.assertRaisesRegex(Failure, "copy of a simulator cannot be made: .*program: No such file"):
                    build.keep(folder)
                source.write_text("#!/bin/sh\n", encoding="ascii")
                with self.assertRaisesRegex(Failure, "program: Permission denied"):
                    build.keep(folder)
                source.chmod(0o700)
                build.keep(folder)
            self.assertTrue(build.kept and os.access(f"{folder}/simulators/nvcosim-small", os.X_OK))
            builds.remove(folder)
            self.assertFalse(os.path.exists(f"{folder}/simulators"))
