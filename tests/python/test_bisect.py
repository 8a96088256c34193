"""nvcosim bisect: what a result says of a revision, why one is skipped, which simulators stay, how the search ends.
tests/cli/bisect.sh has it in all."""
import os
import pathlib
import subprocess
import tempfile
import unittest

from nvcosim.bisect.play import Look, _why_skipped, judge, trim_cache
from nvcosim.commands import bisect
from nvcosim.store.results import Result


class Judged(unittest.TestCase):
    def test_states(self):
        hang = {"devices": [{"engine": "cacc"}]}
        for verdict, more, wanted, state, text in (
                ("PASS", {}, "check", "good", "PASS"),
                ("FAIL", {}, None, "bad", "FAIL check"),
                ("FAIL", {}, "check", "bad", "FAIL check"),
                ("HANG", hang, "check", "otherwise", "HANG hang:cacc"),
                ("HANG", hang, None, "bad", "HANG hang:cacc"),
                ("ERROR", {"reason": "no simulator"}, None, "skip", "it cannot be played: no simulator")):
            look = Look()
            judge(Result({"verdict": verdict, "config": "small", **more}), wanted, look)
            self.assertEqual((look.state, look.text), (state, text))

    def test_the_line_that_says_most(self):
        with tempfile.TemporaryDirectory() as folder:
            log = f"{folder}/log"
            for lines, said in (("a\n%Error: b: c\nmake: d\n", "it: %Error: b: c (LOG)"), ("a\n\tb\x1b\n\n", "it: \\tb\\x1b (LOG)"),
                                ("x.cc:3: error: y\nz\n", "it: x.cc:3: error: y (LOG)"), ("", "it (LOG)")):
                pathlib.Path(log).write_text(lines)
                self.assertEqual(_why_skipped("it", log).replace(log, "LOG"), said)
            self.assertEqual(_why_skipped("it", f"{folder}/none"), f"it ({folder}/none)")


class Cache(unittest.TestCase):
    def test_those_used_last_stay(self):
        with tempfile.TemporaryDirectory() as folder:
            for i in range(5):
                for name in (f"nvcosim-small-bisect_{i:016x}", f"nvcosim-small-bisect_{i:016x}-checks", f"small-bisect_{i:016x}.variables"):
                    pathlib.Path(f"{folder}/{name}").touch()
                    os.utime(f"{folder}/{name}", (i, i))
            pathlib.Path(f"{folder}/nvcosim-small").touch()
            trim_cache(folder, 2)
            self.assertEqual({name[-1] for name in os.listdir(folder) if "bisect" in name and name[-1].isdigit()}, {"3", "4"})
            self.assertEqual(len(os.listdir(folder)), 7)


class Ends(unittest.TestCase):
    def test_ends_are_read_from_the_log_of_git(self):
        """The words are git's."""
        with tempfile.TemporaryDirectory() as folder:
            script = ("git init -q . && for i in 1 2 3 4; do git -c user.name=a -c user.email=b commit -q --allow-empty -m $i; done\n"
                      "git bisect start HEAD HEAD~3 && git bisect ")
            for word, possible in (("skip && git bisect skip", ["possible "] * 3), ("bad && git bisect good", [""])):
                subprocess.run(["sh", "-c", script + word], cwd=folder, capture_output=True, check=False)
                log = subprocess.run(["git", "bisect", "log"], cwd=folder, capture_output=True, check=True, text=True).stdout
                self.assertEqual([before for before, _ in bisect._ENDS.findall(log)], possible, log)
                subprocess.run(["git", "bisect", "reset"], cwd=folder, capture_output=True, check=True)
