"""Damaged logs of drivers: the diagnosis never fails, whatever is in them, with and without the network. Its causes are
tests/doctor's."""
import json
import os
import pathlib
import random
import unittest

from nvcosim.doctor import messages, report
from nvcosim.doctor.devices import Devices
from nvcosim.doctor.network import Network
from nvcosim.doctor.several import Several
from nvcosim.doctor.verdict import CERTAINTIES

SEED, LOGS = int(os.environ.get("SEED", "1")), int(os.environ.get("LOGS", "120"))
VERDICTS = ("hang", "data", "good", "error", "unknown")


def sources():
    files = [*pathlib.Path("tests/doctor/corpus").iterdir(), *pathlib.Path("traces/driver-logs").glob("*/log.txt")]
    return [path.read_bytes().split(b"\n") for path in sorted(files)]


def between(rng, first, second):
    """The lines of two logs, piece by piece."""
    rest, mixed = [list(first), list(second)], []
    while any(rest):
        lines = rest[rng.random() < 0.5] or rest[0] or rest[1]
        n = rng.randrange(1, 30)
        mixed += lines[:n]
        del lines[:n]
    return mixed


def damaged(rng, logs):
    """A log with lines that are missing, repeated, changed, cut, or of another log."""
    lines = list(rng.choice(logs))
    for _ in range(rng.choice((0, 1, 2, 4, 10, 40))):
        at, kind = rng.randrange(len(lines) or 1), rng.randrange(6)
        if kind == 0:
            del lines[at:at + 1]
        elif kind == 1:
            lines.insert(at, rng.choice(rng.choice(logs)))
        elif kind == 2 and lines:
            line = bytearray(lines[at] or b" ")
            line[rng.randrange(len(line))] = rng.randrange(256)
            lines[at] = bytes(line)
        elif kind == 3:
            lines.insert(at, lines[at][:rng.randrange(60)] + b"-99999999999999999999999" * rng.randrange(3) if lines else b"")
        elif kind == 4:
            lines = lines[at:] if rng.random() < 0.5 else lines[:at]
        elif rng.random() < 0.3:
            lines = between(rng, lines, rng.choice(logs))
    return lines


class Damaged(unittest.TestCase):
    def test_every_log_has_a_diagnosis(self):
        rng, logs = random.Random(SEED), sources()
        network = Network("traces/loadables/own_concat_small_int8/net.nvdla", "small")
        seen = set()
        for number in range(LOGS):
            lines = damaged(rng, logs)
            found = [message for at, line in enumerate(lines, 1) for message in messages.in_line(line, at)]
            with self.subTest(seed=SEED, number=number):
                known = network if rng.random() < 0.5 else None
                diagnosis, log = Several(Devices(found), known, rng.choice((None, True, False))).diagnose()
                shown = list(report.lines("fuzzed", log, diagnosis, rng.choice((0, 250))))
                said = json.loads(report.as_json(log, diagnosis, 0))
                self.assertIn(said["verdict"], VERDICTS)
                self.assertTrue(all(line.isprintable() for line in shown), shown)
                ranks = [CERTAINTIES.index(cause["certainty"]) for cause in said["causes"]]
                self.assertEqual(ranks, sorted(ranks))
                seen.add(diagnosis.verdict)
        self.assertLessEqual({"hang", "good", "error", "unknown"}, seen, f"seed {SEED}")

    def test_lines_of_any_length(self):
        line = b"x" * messages.LINE_MOST + b"Test pass"
        self.assertEqual(list(messages.in_line(line, 1)), [])
        self.assertEqual([m.kind for m in messages.in_line(line[9:], 1)], [messages.Kind.PASS])
