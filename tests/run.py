#!/usr/bin/python3
"""Runs the tests of a level (tests/groups.py), as many groups at a time as there are cores, and prints for each the seconds it took, on the
clock and of the processors. Ends with the sum and a line "N passed, N failed, N skipped".

A step builds something; it counts only when it fails. A group is a shell command that ends with counts, its own
"N passed, N failed[, N skipped]" or cmocka's. A group without counts has tested nothing and fails, and so does one that ends badly without
counting a failure.

usage: run.py BUILD [check|test|nightly]      test if there is no level; in the environment:
  TESTS=PATTERN           only groups whose title matches the extended regular expression, and the steps that they need
  LIST=1                  lists what would run, checks that it can be started, runs nothing
  REQUIRE_CONFORMANCE=1   missing conformance traces, and whatever else is skipped, are failures
"""
import collections
import concurrent.futures
import itertools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

from groups import GROUPS, STEPS

LEVELS = ("check", "test", "nightly")
TITLE = 62  # columns
Outcome = collections.namedtuple("Outcome", "status wall cpu")
Counts = collections.namedtuple("Counts", "passed failed skipped")
NUMBERS = [  # patterns of passed, failed, skipped
    r"^\[  PASSED  \] (\d+) test|^(\d+) passed, \d+ failed(?:, \d+ skipped)?$",
    r"^\[  FAILED  \] (\d+) test\(s\), listed|^\d+ passed, (\d+) failed(?:, \d+ skipped)?$",
    r"^(?:\d+ passed, \d+ failed, )(\d+) skipped",
]

# A failure in a log: a unit test of cmocka from its RUN to its FAILED, or a line that begins with FAIL and the indented ones below it.
FAILURE = r"^\[ RUN .*\n(?:(?!\[ RUN |\[ +OK ).*\n)*?\[  FAILED  \] .*|^FAIL\b.*(?:\n[ \t]+\S.*)*"


class Runner:
    def __init__(self, build, level):
        self.logs = f"{build}/test-logs"
        self.level = level
        self.wanted = re.compile(os.environ.get("TESTS", ""))
        self.total = [0, 0, 0]
        self.cpu = 0.0
        self.failures = []
        os.makedirs(self.logs, exist_ok=True)

    def log(self, title):
        return f"{self.logs}/{re.sub(r'[^a-z0-9]', '_', title)}.log"

    def show_log(self, title):
        """Shows what a log says of its failures now, or its end; the first lines of it are repeated after everything else."""
        with open(self.log(title), encoding="utf-8", errors="replace") as f:
            text = f.read()
        failures = re.findall(FAILURE, text, re.M)
        lines = "\n".join(failures or text.splitlines()[-25:]).split("\n")
        print(*lines[:60], *["..."] * (len(lines) > 60), f"(whole log: {self.log(title)})", sep="\n")
        self.failures += [f"{title}: {' '.join(failure.split())[:200]}" for failure in (failures or lines[-3:])[:9]]

    def run(self, title, command):
        """Runs a command into its log; what it and all that it has waited for took."""
        start = time.monotonic()
        with open(self.log(title), "wb") as log:
            process = subprocess.Popen(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return Outcome(process.returncode, time.monotonic() - start, usage.ru_utime + usage.ru_stime)

    def step(self, title, command):
        print(f"{title + ' ...':{TITLE}}", end="", flush=True)
        outcome = self.run(title, command)
        self.cpu += outcome.cpu
        print(f"{outcome.wall:7.1f} s {outcome.cpu:7.1f} s CPU  {'FAILED' if outcome.status else 'done'}")
        if outcome.status:
            self.total[1] += 1
            self.show_log(title)

    def counts(self, title, status):
        """What a group that has ended counts."""
        with open(self.log(title), encoding="utf-8", errors="replace") as f:
            text = f.read()
        passed, failed, skipped = (sum(int(next(filter(None, found.groups()), 0)) for found in re.finditer(p, text, re.M)) for p in NUMBERS)
        remark = ""
        if status and not failed:
            remark, failed = f"ends with status {status} and counts no failure: one failure\n", 1
        elif not passed + failed + skipped:
            remark, failed = "ends with status 0 and counts no test: one failure\n", 1
        if os.environ.get("REQUIRE_CONFORMANCE") and skipped:
            remark += "REQUIRE_CONFORMANCE: what is skipped counts as failed\n"
            failed, skipped = failed + skipped, 0
        with open(self.log(title), "a", encoding="utf-8") as f:
            f.write(remark)
        return Counts(passed, failed, skipped), re.findall(r"^SKIPPED.*", text, re.M)

    def group(self, title, outcome):
        """Reports a group that has ended."""
        counts, remarks = self.counts(title, outcome.status)
        self.total = [a + b for a, b in zip(self.total, counts)]
        self.cpu += outcome.cpu
        print(f"{title + ' ...':{TITLE}}{outcome.wall:7.1f} s {outcome.cpu:7.1f} s CPU  {counts.passed} passed, {counts.failed} failed"
              + (f", {counts.skipped} skipped" if counts.skipped else ""), *remarks, sep="\n" if remarks else "", flush=True)
        if counts.failed:
            self.show_log(title)

    def list(self, title, command, targets):
        """Prints a command; is there such a program, or are there such targets of make?"""
        words = shlex.split(command.removeprefix("tests/succeeds.sh ").split(" && ")[0])
        words = list(itertools.dropwhile(lambda word: re.match(r"\w+=", word), words))  # from assignments to the program
        if words[0] == "make":
            good = all(w in targets for w in words[1:] if not re.match(r"-|\d+$|\$|.*=", w))
        else:
            good = words[0].startswith("$BUILD") or shutil.which(words[0])
        self.total[0 if good else 1] += 1
        print(f"{title:{TITLE}}{command}" if good else f"{title:{TITLE}}FAIL  cannot be started: {command}")

    def main(self):
        groups = [g for g in GROUPS if self.level in g.levels.split() and self.wanted.search(g.title)]
        needed = {need for g in groups for need in g.needs.split()}
        steps = [s for s in STEPS if s.name in needed or s.name == "build"]
        if os.environ.get("LIST"):
            database = subprocess.run(["make", "-qpRr"], capture_output=True, text=True, check=False).stdout
            targets = set(re.findall(r"^([^\s#:=%]+):", database, re.M))
            for entry in steps + groups:
                self.list(entry.title, entry.command, targets)
        else:
            for step in steps:
                self.step(step.title, step.command)
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                for group, future in [(g, pool.submit(self.run, g.title, g.command)) for g in groups]:
                    self.group(group.title, future.result())
            print(f"{self.cpu:.0f} s of CPU", *self.failures, sep="\nFAILED ")
        print("{} passed, {} failed, {} skipped".format(*self.total))
        return 1 if self.total[1] else 0


def end(*_):
    """Ends with all that was started."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.killpg(0, signal.SIGTERM)
    os._exit(130)


def main(build, level="test"):
    if level not in LEVELS:
        sys.exit(f"run.py: found '{level}', expected one of {', '.join(LEVELS)}")
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    os.environ.update(BUILD=build, NVCOSIM=f"{build}/nvcosim", JOBS=str(os.cpu_count()))
    if level == "nightly":
        os.environ["NIGHTLY"] = "1"
    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    return Runner(build, level).main()


if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
sys.exit(main(*sys.argv[1:]))
