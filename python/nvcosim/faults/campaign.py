"""The plays of a qualification: every test once without any fault, then each fault with the tests
that could notice it.

In the first rounds every open fault is played alone with its next tests, until one notices it. A
fault that has survived these will survive most others too, so from then on a test is played with
several faults at a time. If it passes, none of them is noticed; else each half of them is played,
down to single faults: a fault counts as noticed only if a test fails with it alone. (One fault may
hide another; that makes the share smaller, never larger.)

What is played depends on the results alone, not on time: the same campaign has the same result."""
import collections
import contextlib
import dataclasses
import itertools
import json
import signal
import sys
import typing

from nvcosim.engine.launcher import Done, Ended, Message, Play
from nvcosim.faults.faults import NOTICED, OPEN, SURVIVED, UNREACHED, Fault, Faults, keep
from nvcosim.progress import Progress
from nvcosim.store.results import Result, Row
from nvcosim.text import plural
from nvcosim.tool import Failure, complain

if typing.TYPE_CHECKING:
    from nvcosim.engine.launcher import Launcher
    from nvcosim.engine.signals import Signals
    from nvcosim.plan.test import Test
    from nvcosim.store.database import Store

# A run with a fault is given up after this many times the clocks of the run without, and some more;
# likewise seconds, with a wider margin, because they depend on the machine.
TIMES_AS_LONG, MORE_CYCLES = 4, 20000
TIMES_AS_SLOW, MORE_SECONDS = 50, 120
MEMORY_MOST = 4 << 30  # bytes, of a test without a limit of its own
ALONE_MOST = 4  # tests of a fault in the last round alone
TESTS_OF_ROUND = 64  # at most
TICK_SECONDS = 0.25


@dataclasses.dataclass(frozen=True)
class Base:
    """What a test does without a fault."""
    passes: bool
    cycles: int
    seconds: float


@dataclasses.dataclass(eq=False, slots=True)
class Trial:
    """One test (its number) with one fault. verdict: "" if it is not known yet."""
    fault: Fault
    test: int
    verdict: str = ""
    seconds: float = 0


Group = list[Trial]  # one test with several faults that are played together


def untried(fault: Fault) -> Group:
    """The trials that still count: from the first that does not pass to one that fails, which needs
    no later one."""
    rest = itertools.dropwhile(lambda trial: trial.verdict == "PASS", fault.trials)
    return list(itertools.takewhile(lambda trial: trial.verdict in ("", "PASS"), rest))


class Campaign:
    """folder: of the night; plays.jsonl in it keeps what was played with faults, for --resume.
    together: at most so many faults at a time; 1: each alone. signal: that interrupted it."""

    def __init__(self, store: "Store", night: int, folder: str, tests: "typing.Sequence[Test]",
                 faults: Faults, launcher: "Launcher", signals: "Signals", together: int) -> None:
        self.store, self.night, self.folder = store, night, folder
        self.tests, self.faults = tests, faults
        self.launcher, self.signals, self.together = launcher, signals, together
        self.signal = 0
        self.bases: dict[int, Base] = {}
        self.plays = 0  # since the start: names each play
        self.halves: list[Group] = []  # to be played because their whole did not pass
        self.progress = Progress()
        self.left = self.spent = 0  # clocks of plays that may still come; of those since the start

    def run(self) -> bool:
        """Finds the state of the open faults, and stores each as soon as it is known. False: it was
        interrupted by a signal. Failure."""
        if not self._play_bases():
            return False
        passing = sum(base.passes for base in self.bases.values())
        reached = sum(bool(fault.trials) for fault in self.faults)
        self._print(f"{passing} of {len(self.tests)} tests pass without a fault; {reached} of "
                    f"{len(self.faults)} faults would change something in one of them")
        path = f"{self.folder}/plays.jsonl"
        try:
            with open(path, "ab+", buffering=0) as log:
                self._read_log(log)
                return self._play_faults(log)
        except OSError as error:
            raise Failure(f"{path}: {error.strerror}") from None

    # ---- playing ----

    def _print(self, line: str) -> None:
        self.progress.clear()
        print(line, file=sys.stderr, flush=True)

    def _obey(self) -> None:
        """The first Ctrl-C lets the running tests finish; the second one, or another signal, ends
        them."""
        number = self.signals.take()
        if not number:
            return
        patient = number == signal.SIGINT and not self.signal
        self.signal = number
        left = self.launcher.stop()
        self.progress.clear()
        if not patient:
            self.launcher.kill()
        elif left:
            complain(f"interrupted: waiting for the {plural(left, 'running test')}; once more ends "
                     f"{'it' if left == 1 else 'them'} at once")

    def _play(self, tests: "typing.Iterable[tuple[int, Test]]",
              take: typing.Callable[[list[tuple[int, str, Result]]], None],
              show: typing.Callable[[int, int], str]) -> bool:
        """Plays tests. take: called with the results as they come, each with its number and host.
        show: a line for what is done, of how many. False: interrupted by a signal."""
        numbers = {}
        for number, test in tests:
            self.plays += 1
            numbers[self.plays] = number
            self.launcher.submit(Play.of(self.plays, test, self.folder))
        done, total, ended = 0, len(numbers), False
        while done < total and not ended:
            events = self.launcher.wait(TICK_SECONDS, self.signals.fileno())
            results = [(numbers[event.number], event.host, event.result) for event in events
                       if isinstance(event, Done) and event.result]
            done += len(results)
            if results:
                take(results)
            self._obey()
            for event in events:
                if isinstance(event, Message):
                    self.progress.clear()
                    complain(event.text)
                elif isinstance(event, Ended):
                    ended = True
                    if event.how == "failed":
                        raise Failure(event.why)
            if self.progress.terminal:
                self.progress.show(show(done, total))
        self.progress.clear()
        return done == total and not self.signal

    # ---- without a fault ----

    def _take_base(self, number: int, result: Result) -> None:
        cycles = int(result.devices[0].get("cycles", 0)) if result.devices else 0
        passes = result.verdict == "PASS"
        self.bases[number] = Base(passes, cycles, result.seconds)
        for fault in result.members.get("faults", []) if passes else []:
            if 0 < fault <= len(self.faults):
                self.faults[fault - 1].trials.append(Trial(self.faults[fault - 1], number))

    def _bases_ended(self, results: list[tuple[int, str, Result]]) -> None:
        self.store.store_results(self.night, [Row(*each) for each in results])
        for number, _, result in results:
            self._take_base(number, result)
            if result.verdict != "PASS":
                self._print(f"{result.verdict} {self.tests[number].key}: without any fault: "
                            f"{result.reason}; it is left out")

    def _play_bases(self) -> bool:
        """Takes the results that the database has of an earlier call, and plays the rest."""
        for row in self.store.rows("SELECT number, result FROM result WHERE night = ? AND verdict "
                                   "IS NOT NULL", self.night):
            result = Result.from_json(row["result"])
            if result:
                self._take_base(row["number"], result)
        return self._play(
            [each for each in enumerate(self.tests) if each[0] not in self.bases],
            self._bases_ended, lambda done, total: f"without a fault: {done} of {total} tests"
                                                   f"{self.progress.left(done, total)}")

    # ---- with faults ----

    def _settle(self) -> list[Fault]:
        """Sets the states of open faults as far as their trials decide them, and stores these.
        Returns the faults that stay open."""
        still, known = [], []
        for fault in self.faults:
            if fault.state != OPEN:
                continue
            fault.runs, trial = next((each for each in enumerate(fault.trials, 1)
                                      if each[1].verdict != "PASS"), (len(fault.trials), None))
            if trial and not trial.verdict:
                still.append(fault)
                continue
            fault.state = NOTICED if trial else SURVIVED if fault.runs else UNREACHED
            if trial:
                fault.noticed_by, fault.verdict = self.tests[trial.test].key, trial.verdict
            fault.seconds = sum(each.seconds for each in fault.trials)
            known.append(fault)
        if known:
            keep(self.store, self.night, known)
        self.left = sum(self.bases[each.test].cycles for fault in still for each in untried(fault))
        return still

    def _read_log(self, log: typing.BinaryIO) -> None:
        """Takes what was played in an earlier call; a last line that is not whole is cut off."""
        log.seek(0)
        text = log.read()
        log.truncate(text.rfind(b"\n") + 1)
        trials = {(fault.number, trial.test): trial for fault in self.faults
                  for trial in fault.trials}
        for line in text.splitlines():
            with contextlib.suppress(ValueError, LookupError, TypeError):  # what a full disk leaves
                play = json.loads(line)
                trial = trials[play["fault"], play["test"]]
                trial.seconds, trial.verdict = float(play["seconds"]), str(play["verdict"])

    def _with_faults(self, group: Group) -> "Test":
        """The test with its faults, and with limits."""
        test, base = self.tests[group[0].test], self.bases[group[0].test]
        numbers = ",".join(str(trial.fault.number) for trial in group)
        return dataclasses.replace(
            test, options=(*test.options, f"--fault={numbers}"),
            max_cycles=TIMES_AS_LONG * base.cycles + MORE_CYCLES,
            max_seconds=TIMES_AS_SLOW * base.seconds + MORE_SECONDS,
            max_memory=test.max_memory or MEMORY_MOST)

    def _take_play(self, group: Group, result: Result) -> bytes:
        """Keeps what faults do to a test. Returns lines for the log."""
        if result.verdict == "ERROR":
            raise Failure(f"{self.tests[group[0].test].key} with fault {group[0].fault.number}: "
                          f"{result.reason}")
        if result.verdict != "PASS" and len(group) > 1:
            half = len(group) // 2
            self.halves += [group[:half], group[half:]]
            return b""
        text = ""
        for trial in group:
            trial.verdict, trial.seconds = result.verdict, result.cpu_seconds / len(group)
            self.spent += self.bases[trial.test].cycles
            text += (f'{{"fault":{trial.fault.number},"test":{trial.test},"verdict":'
                     f'"{trial.verdict}","seconds":{trial.seconds:.4f}}}\n')
        return text.encode()

    def _show(self, done: int, total: int) -> str:
        counts = collections.Counter(fault.state for fault in self.faults)
        left = self.progress.left(self.spent, self.spent + self.left)
        return (f"{len(self.faults)} faults: {counts[NOTICED]} noticed, "
                f"{counts[SURVIVED] + counts[UNREACHED]} survived, "
                f"{counts[OPEN]} open; {done} of {total} plays{left}"
                f"{' at most' if left else ''}")

    def _play_round(self, groups: list[Group], log: typing.BinaryIO) -> bool:
        def take(results: list[tuple[int, str, Result]]) -> None:
            for number, _, result in results:
                log.write(self._take_play(groups[number], result))

        self.halves = []
        return self._play(enumerate(map(self._with_faults, groups)), take, self._show)

    def _draw_halves(self) -> list[Group]:
        """The halves of groups that failed in the round before, without the faults that have been
        noticed since."""
        halves = ([trial for trial in group if trial in untried(trial.fault)]
                  for group in self.halves)
        return [half for half in halves if half]

    def _draw_together(self, still: list[Fault], order: list[int], most: int) -> list[Group]:
        """The shortest tests that open faults wait for, each with as many of them as may be played
        together."""
        waiting: dict[int, Group] = collections.defaultdict(list)
        for fault in still:
            for trial in untried(fault):
                if not trial.verdict:
                    waiting[trial.test].append(trial)
        tests = [test for test in order if test in waiting][:most]
        return [waiting[test][i:i + self.together] for test in tests
                for i in range(0, len(waiting[test]), self.together)]

    def _play_faults(self, log: typing.BinaryIO) -> bool:
        """The shortest tests first, everywhere."""
        order = sorted(self.bases, key=lambda test: (self.bases[test].cycles, test))
        place = {test: at for at, test in enumerate(order)}
        for fault in self.faults:
            fault.trials.sort(key=lambda trial: place[trial.test])
        self.progress = Progress()
        alone = together = 1  # tests of the next rounds
        while still := self._settle():
            groups = self._draw_halves()
            if not groups and (alone <= ALONE_MOST or self.together == 1):
                groups = [[trial] for fault in still for trial in untried(fault)[:alone]
                          if not trial.verdict]
                alone = min(2 * alone, TESTS_OF_ROUND)
            elif not groups:
                groups = self._draw_together(still, order, together)
                together = min(2 * together, TESTS_OF_ROUND)
            if not self._play_round(groups, log):
                self._settle()
                return False
        return True
