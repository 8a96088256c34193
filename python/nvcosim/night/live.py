"""What the user sees while a night runs.

A line on stdout for every test that does not pass, as soon as that is known, and for every test
that passes although it is known to fail. If stderr is a terminal, a block below them is redrawn all
the time: how many are done, passed and failed, the time left, and the running tests, each with the
part of its work that is done. Otherwise there is a line on stdout every tenth of the tests."""
import dataclasses
import os
import sys
import time
import typing

from nvcosim.night.dry_run import clock
from nvcosim.text import Style, shown

if typing.TYPE_CHECKING:
    from nvcosim.engine.schedule import Schedule
    from nvcosim.plan.test import Test
    from nvcosim.store.results import Result

DRAW_SECONDS = 0.2  # between two drawings of the block
BAR_MOST, NAME_MOST = 30, 60  # columns
_FIGURES = len("  100 %    1:02:03 ")
_COLOURS = {"PASS": "\033[32m", "FAIL": "\033[31m", "HANG": "\033[35m", "REFUSED": "\033[33m",
            "CRASH": "\033[1;31m", "ERROR": "\033[33m"}


@dataclasses.dataclass
class Running:
    """start: time.monotonic(). part: of its work that is done, 0 to 1."""
    start: float
    part: float = 0


class Live:
    """schedule: of the tests that run now. before: how many had results already. jobs: tests at a
    time."""

    def __init__(self, tests: "list[Test]", schedule: "Schedule", before: int, jobs: int) -> None:
        self.tests, self.schedule, self.jobs = tests, schedule, jobs
        self.before = self.done = before  # done: with those before
        self.total = before + len(schedule.order)
        self.running: dict[int, Running] = {}
        self.over: set[int] = set()  # have run; the result may come later
        self.passed = self.failed = self.known = 0  # of this call; known: failures
        self.expected = self.took = 0.0  # seconds of those done that had an expectation
        self.all_took = 0.0  # of all that are done
        self.start, self.drawn = time.monotonic(), 0.0
        self.printed = self._tenth()  # tenths that have had their line
        self.terminal = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self.style = Style.of(sys.stdout)
        self.lengths: list[int] = []  # columns of the lines of the block on the screen

    def _tenth(self) -> int:
        return self.done * 10 // self.total if self.total else 0

    # ---- the time left ----

    def _scaled(self, expected: float) -> float:
        """Seconds that a test of that expectation takes here and now."""
        if expected > 0:
            return expected * self.took / self.expected if self.expected > 0 else expected
        done = self.done - self.before
        return self.all_took / done if done else 0

    def _time_left(self) -> float | None:
        """Seconds; None: not known. A second of a test costs at least its part of a process, and as
        much more as it has cost until now: short tests take longer to be started and stored than
        to run."""
        now = time.monotonic()
        work = longest = 0.0
        done = self.all_took
        for number in self.schedule.order:
            if number in self.over:
                continue
            rest, running = self._scaled(self.schedule.seconds[number]), self.running.get(number)
            if running:
                elapsed = now - running.start
                rest = elapsed * (1 - running.part) / running.part if running.part > 0.05 \
                    else max(rest - elapsed, 0)
                done += elapsed
            elif rest <= 0:
                return None
            work += rest
            longest = max(longest, rest)
        cost = (now - self.start) / done if done > 0 else 0
        return max(work * max(cost, 1 / max(len(self.running), self.jobs)), longest)

    def _left_text(self) -> str:
        left = self._time_left() if self.done < self.total else None
        return "" if left is None else f", {clock(max(left, 1))} left"

    def _counts(self) -> str:
        earlier = f", {self.before} of them earlier" if self.before else ""
        return f"{self.done} of {self.total} done{earlier}: {self.passed} passed, " \
            f"{self.failed} failed" + (f", {self.known} as known" if self.known else "")

    # ---- the block ----

    def _head_line(self, width: int) -> str:
        line = self._counts() + self._left_text()
        room = min(width - len(line) - len("[] ") - 1, BAR_MOST)
        full = room * self.done // self.total if self.total else 0
        return f"[{'#' * full + '.' * (room - full)}] {line}" if room > 5 else line

    def _test_line(self, number: int, width: int) -> str:
        running = self.running[number]
        room = max(8, min(width - 1 - _FIGURES - 2, NAME_MOST))
        return (f"  {shown(self.tests[number].key)[:room]:{room}} {100 * running.part:4.0f} % "
                f"{clock(time.monotonic() - running.start):>8}")

    def _size(self) -> tuple[int, int]:
        try:
            columns, rows = os.get_terminal_size(sys.stderr.fileno())
        except OSError:
            columns = rows = 0
        return columns if columns > 1 else 80, rows if rows > 1 else 24

    def _up(self, width: int) -> str:
        """To the first line of the block on the screen. A terminal that was made narrower has
        wrapped its lines."""
        rows = sum(max(1, -(-length // width)) for length in self.lengths)
        return (f"\033[{rows}A" if rows else "") + "\r"

    def _write(self, text: str) -> None:
        sys.stdout.flush()
        sys.stderr.write(text)
        sys.stderr.flush()

    def _draw(self) -> None:
        width, rows = self._size()
        room = max(rows - 2, 0)
        if len(self.running) > room > 0:
            room -= 1
        chosen = [n for n in self.schedule.order if n in self.running][:room]
        lines = [self._head_line(width), *(self._test_line(number, width) for number in chosen)]
        if len(chosen) < len(self.running) and rows > 2:
            lines.append(f"  and {len(self.running) - len(chosen)} more")
        lines = [line[:width - 1] for line in lines]
        up, self.lengths = self._up(width), [len(line) for line in lines]
        # No line breaks, should the terminal have become narrower just now.
        self._write(up + "\033[?7l" + "".join(f"{line}\033[K\n" for line in lines)
                    + "\033[?7h\033[J")

    def _clear(self) -> None:
        """Takes the block away, so that a line can be printed."""
        if self.lengths:
            self._write(self._up(self._size()[0]) + "\033[J")
            self.lengths, self.drawn = [], 0.0

    def tick(self) -> None:
        """Draws the block if it is time to; to be called a few times a second."""
        now = time.monotonic()
        if self.terminal and now - self.drawn >= DRAW_SECONDS and \
                os.tcgetpgrp(sys.stderr.fileno()) == os.getpgrp():
            self.drawn = now
            self._draw()

    # ---- lines ----

    def _print_result(self, test: "Test", result: "Result") -> None:
        """A row on a terminal, all of it elsewhere: the summary and the page have the rest."""
        line = f"{test.key}: {result.reason}" if result.verdict != "PASS" else \
            f"{test.key}: known to fail until {test.known_until or '?'}: {test.known}"
        line = shown(line)
        if self.style.width:
            line = line[:max(self.style.width - len(result.verdict) - 1, 0)]
        self._clear()
        colour, plain = (_COLOURS[result.verdict], "\033[0m") if self.style.colour else ("", "")
        print(f"{colour}{result.verdict}{plain} {line}")

    def started(self, number: int) -> None:
        self.running[number] = Running(time.monotonic())

    def progress(self, number: int, part: float) -> None:
        if number in self.running:
            self.running[number].part = part

    def ended(self, number: int) -> None:
        """It no longer runs; its result may come later."""
        self.running.pop(number, None)
        self.over.add(number)

    def result(self, number: int, result: "Result") -> None:
        test, passed = self.tests[number], result.verdict == "PASS"
        known = test.known is not None
        self.ended(number)
        self.done += 1
        self.passed += passed
        self.known += not passed and known
        self.failed += not passed and not known
        self.all_took += result.seconds
        if self.schedule.seconds[number] > 0:
            self.expected += self.schedule.seconds[number]
            self.took += result.seconds
        if passed == known:
            self._print_result(test, result)
        if not self.terminal and self._tenth() != self.printed and self.done < self.total:
            self.printed = self._tenth()
            print(self._counts() + self._left_text())

    def message(self, text: str) -> None:
        """A line for the user, above the block."""
        self._clear()
        self._write(f"nvcosim: {text}\n")

    def close(self) -> None:
        """Removes the block from the screen."""
        self._clear()
        sys.stdout.flush()
