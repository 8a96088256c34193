"""Nights on a Slurm cluster: files between runner and jobs, what Slurm's commands say, and the
launcher with commands that are scripts."""
import contextlib
import json
import os
import pathlib
import re
import tempfile
import time
import unittest
from unittest import mock

from nvcosim.engine import cluster
from nvcosim.engine.chunk import Chunk, Task, cut, make_folders, to_line
from nvcosim.engine.cluster import MISSING, ClusterLauncher, Command
from nvcosim.engine.guard import Guard
from nvcosim.engine.launcher import Done, Ended, Message, Play
from nvcosim.engine.slurm import Slurm
from nvcosim.tool import Failure

RESULT = {"verdict": "PASS", "config": "small"}


def play(number, **members):
    return Play(number, f"/t/a b{number}.nvt", f"item.{number}", "small", ("--dut=model",), 8, **members)


class Chunks(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.assertEqual(make_folders(self.folder), 0)

    def test_orders_are_read_as_written(self):
        plays = [play(12, layer=("sdp", 1 << 63)), play(3, max_seconds=2.5, command="nvcosim run")]
        Chunk(self.folder, 9, plays).write(1234567890.2)
        Chunk(self.folder, 9, []).write(0)  # once
        self.assertEqual(make_folders(self.folder), 10)
        read = Chunk(self.folder, 9)
        self.assertEqual((read.read_order(), read.plays, list(read.news())), (1234567890, plays, []))
        read.give_up()
        read.give_up()
        with self.assertRaisesRegex(Failure, "chunks/9: No such file"):
            read.read_order()

    def test_wrong_orders_are_refused(self):
        for text, message in (
                ("", "chunks/0:1: found '', expected the end of the night"),
                ("end 0\n", "chunks/0:1: found 'end 0', expected the end of the night"),
                ('{"end":0}\nx\n', "chunks/0:2: found 'x', expected a test"),
                ('{"end":0}\n{"number":1}\n', "chunks/0:2: found '{\"number\":1}', expected a test")):
            pathlib.Path(f"{self.folder}/slurm/chunks/0").write_text(text, encoding="utf-8")
            self.assertRaisesRegex(Failure, re.escape(message), Chunk(self.folder, 0).read_order)

    def test_news_are_whole_lines(self):
        chunk, news = Chunk(self.folder, 0), {"done": 1, "result": {**RESULT, "reason": 'it\n"hangs"'}}
        line = to_line(news)
        for text, found in ((line[:-1], []), ("\n", [news]), ("", []), ("\0\0\n{\n" + line + line[:9], [news])):
            with open(chunk.results, "a", encoding="utf-8") as file:
                file.write(text)
            self.assertEqual(list(chunk.news()), found)

    def test_work_is_divided(self):
        plays = [play(i) for i in range(102)]
        for seconds, chunk_seconds, processors, count in (
                (50, 300, 2, 17), (50, 300, 40, 40), (50, 300, 4000, 85), (50, 50, 1, 102), (50, 1, 1, 102)):
            chunks = cut(plays, lambda _: seconds, chunk_seconds, processors)
            self.assertEqual(len(chunks), count)
            self.assertLessEqual(max(map(len, chunks)) - min(map(len, chunks)), 1)
            self.assertEqual(sorted(p.number for chunk in chunks for p in chunk), list(range(102)))
        self.assertEqual(cut(plays[:1], lambda _: 10, 300, 2), [plays[:1]])


class Commands(unittest.TestCase):
    def test_lines_of_the_queue(self):
        self.assertEqual(Slurm.task("41|3|RUNNING|0|None|nv-1.20|node7|", "nv-1"),
                         Task("41", 20, 23, "RUNNING", "None", "node7", 0))
        for state, waits, ended in (("PENDING", True, False), ("COMPLETING", False, False), ("TIMEOUT", False, True)):
            task = Slurm.task(f"41|0|{state}|0|Resources|nv-1.0||", "nv-1")
            self.assertEqual((task.waits, task.ended), (waits, ended))
        for line, end in (
                ("COMPLETED|0|None|nv-1.0|n1", "COMPLETED on node n1"),
                ("FAILED|512|NonZeroExitCode|nv-1.0|n1", "FAILED, exit status 2 on node n1"),
                ("NODE_FAIL|0|NodeDown|nv-1.0|n1", "NODE_FAIL (NodeDown) on node n1"),
                ("OUT_OF_MEMORY|9|OutOfMemory|nv-1.0|n1", "OUT_OF_MEMORY, signal 9 (OutOfMemory) on node n1"),
                ("CANCELLED|0|None|nv-1.0|", "CANCELLED")):
            task = Slurm.task(f"41|0|{line}|", "nv-1")
            self.assertEqual((task.ended, task.end()), (True, end))
        for line in ("", "41|0|RUNNING|0|None|nv-2.0|n1|", "41|0|RUNNING|0|None|nv-10.0|n1|",
                     "41|0|RUNNING|0|None|nv-1|n1|", "41|0|RUNNING|0|None|nv-1.x|n1|",
                     "9|N/A|FAILED|1|BadConstraints|nv-1.0||", "41|0|RUNNING|0|None|nv-1.0",
                     "slurm_load_jobs error: Unable to contact slurm controller"):
            self.assertIsNone(Slurm.task(line, "nv-1"), line)

    def test_words_as_a_shell_has_them(self):
        self.assertEqual(Slurm("  --a=1 '--b=x y'\t--c=\"it's\" d\\ e '' ").options,
                         ["--a=1", "--b=x y", "--c=it's", "d e", ""])
        self.assertEqual(Slurm(" ").options, [])
        for text, quote in (("--a 'b", "'"), ('--a "b', '"')):
            self.assertRaisesRegex(Failure, f"^--slurm-options: {text}: the quote {quote} is not closed$", Slurm, text)

    def test_what_commands_say(self):
        for script, status, text, complaint, passing in (
                ("echo 12; echo 'sbatch: error: A' >&2; echo 'invalid partition B' >&2; exit 1", 1, "12\n",
                 "A; invalid partition B", False),
                ("echo 'Unable to contact slurm controller' >&2; exit 1", 1, "",
                 "Unable to contact slurm controller", True),
                ("exit 3", 3, "", "it ended with status 3", False)):
            command = self.run_command("sh", "-c", script)
            self.assertEqual((command.status, command.text, command.complaint, Slurm.will_pass(command.complaint)),
                             (status, text, complaint, passing))
        self.assertEqual(self.run_command("/nowhere/sbatch").status, MISSING)
        late = self.run_command("sleep", "60", seconds=0.1)
        self.assertEqual((late.complaint, late.child.late), ("no answer for 90 seconds", True))

    def run_command(self, *words, **settings):
        with Guard() as guard:
            command = Command(guard, [*words], **settings)
            while not command.has_ended():
                time.sleep(0.01)
            return command


# Commands of Slurm whose jobs do at once what the file "does" says: a line for each job to come.
FAKE = r"""#!/usr/bin/python3 -IS
import json, os, re, sys
here = os.path.dirname(os.path.abspath(__file__))
name = os.path.basename(sys.argv[0])
def lines(file):
    return open(f"{here}/{file}").read().splitlines() if os.path.exists(f"{here}/{file}") else []
with open(f"{here}/called", "a") as out:
    print(name, *sys.argv[1:], file=out)
if name == "sinfo":
    print("0/2/0/2")
elif name == "squeue":
    if os.path.exists(f"{here}/away"):
        os.unlink(f"{here}/away")
        sys.exit("squeue: error: Unable to contact slurm controller")
    print(*lines("queue"), sep="\n")
elif name == "sbatch":
    words = dict(word[2:].split("=", 1) for word in sys.argv if "=" in word)
    first, night = int(sys.argv[-1]), words["chdir"]
    for task in range(int(words["array"][2:]) + 1):
        left = lines("does")
        does = left[0] if left else "COMPLETED 1000"
        open(f"{here}/does", "w").write("\n".join(left[1:]))
        state, count = does.split()
        with open(f"{night}/results/{first + task}", "a") as out:
            print('{"begun":"n1"}', file=out)
            plays = [json.loads(line) for line in lines(f"../night/slurm/chunks/{first + task}")[1:]]
            for play in plays[:int(count)]:
                print(json.dumps({"started": play["number"]}), file=out)
                print(json.dumps({"done": play["number"], "result": {"verdict": "PASS", "config": "small"}}), file=out)
            if state == "COMPLETED":
                print('{"ended":""}', file=out)
            else:
                print(json.dumps({"started": plays[int(count)]["number"]}), file=out)
        with open(f"{here}/queue", "a") as out:
            print(f"{first + 40}|{task}|{state}|0|None|{words['job-name']}|n1|", file=out)
    print(first + 40)
"""


class Cluster(unittest.TestCase):
    def setUp(self):
        top = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.bin, self.folder = top / "bin", str(top / "night")
        self.bin.mkdir()
        for name in ("sinfo", "squeue", "sbatch", "scancel", "scontrol"):
            (self.bin / name).write_text(FAKE, encoding="utf-8")
            (self.bin / name).chmod(0o755)
        self.enterContext(mock.patch.dict(os.environ, PATH=f"{self.bin}:{os.environ['PATH']}",
                                          NVCOSIM_PROGRAM="/bin/false"))
        self.enterContext(mock.patch.multiple(cluster, QUEUE_SHORTEST=0, TICK_SECONDS=0.01, RETRY_SHORTEST=0.01,
                                              GRACE_SECONDS=0, READ_SECONDS=0))

    def play(self, count, does="", options="", **settings):
        """Numbers of the results, messages, how it ended."""
        (self.bin / "does").write_text(does, encoding="utf-8")
        with contextlib.closing(ClusterLauncher(Slurm(options), self.folder, **settings)) as launcher:
            for number in range(count):
                launcher.submit(play(number))
            launcher.finish()
            events, end = [], time.monotonic() + 60
            while not events or not isinstance(events[-1], Ended):
                events += launcher.wait(1)
                self.assertLess(time.monotonic(), end)
        return ([(e.number, e.result.verdict) for e in events if isinstance(e, Done)],
                "\n".join(e.text for e in events if isinstance(e, Message)), events[-1])

    def called(self, name):
        return [line for line in (self.bin / "called").read_text(encoding="utf-8").splitlines()
                if line.startswith(name)]

    def test_all_pass(self):
        done, said, ended = self.play(30, options="--mem=4G -x n9", chunk_seconds=100)
        self.assertEqual((sorted(done), ended), ([(i, "PASS") for i in range(30)], Ended("done")))
        self.assertIn("job 40 of Slurm: 3 tasks with 30 tests", said)
        self.assertRegex(self.called("sbatch")[0], " --mem=4G -x n9 --exclude=n9 .*--array=0-2 ")

    def test_what_a_job_leaves_is_done_by_another(self):
        done, said, ended = self.play(5, "NODE_FAIL 2")
        self.assertEqual((sorted(done), ended), ([(i, "PASS") for i in range(5)], Ended("done")))
        self.assertIn("job 40_0 of Slurm ended with 3 of 5 tests undone: NODE_FAIL on node n1", said)
        self.assertIn("job 41 of Slurm: 2 tasks with 3 tests", said)  # the one that had begun is alone
        self.assertFalse(os.path.exists(f"{self.folder}/slurm/chunks/0"))

    def test_a_test_that_ends_its_jobs_is_given_up(self):
        done, _said, ended = self.play(1, "FAILED 0\nFAILED 0\nFAILED 0")
        self.assertEqual((done, ended), ([(0, "CRASH")], Ended("done")))

    def test_the_controller_is_away(self):
        (self.bin / "away").touch()
        done, said, ended = self.play(1)
        self.assertEqual((done, ended), ([(0, "PASS")], Ended("done")))
        self.assertIn("results of jobs that run still come in", said)

    def test_results_of_an_earlier_runner_count(self):
        make_folders(self.folder)
        pathlib.Path(f"{self.folder}/slurm/name").write_text("nv-1\n", encoding="utf-8")
        Chunk(self.folder, 0, [play(0)]).write(0)
        pathlib.Path(f"{self.folder}/slurm/results/0").write_text(
            json.dumps({"done": 0, "result": {**RESULT, "verdict": "FAIL"}}) + "\n", encoding="utf-8")
        done, _said, ended = self.play(2)
        self.assertEqual((done, ended), ([(0, "FAIL"), (1, "PASS")], Ended("done")))

    def test_stop_cancels(self):
        with contextlib.closing(ClusterLauncher(Slurm(""), self.folder)) as launcher:
            (self.bin / "does").write_text("RUNNING 0", encoding="utf-8")
            launcher.submit(play(0))
            launcher.finish()
            end = time.monotonic() + 60
            while not launcher.jobs and time.monotonic() < end:
                launcher.wait(1)
            self.assertEqual(launcher.stop(), 0)
            self.assertEqual(launcher.wait(1)[-1], Ended("stopped"))
        self.assertEqual(self.called("scancel"), ["scancel --quiet 40"])

    def test_no_slurm(self):
        with mock.patch.dict(os.environ, PATH="/nowhere"):
            _done, _said, ended = self.play(1)
        self.assertEqual(ended.how, "failed")
        self.assertRegex(ended.why, "^sinfo: command not found; --engine slurm needs Slurm's commands in PATH")
