"""The order in which tests start, and how long they are expected to take: the longest first, so
that no core idles at the end while a long test that started last runs."""
import collections
import dataclasses
import functools
import heapq
import os

from nvcosim.plan.test import Test


@dataclasses.dataclass
class Schedule:
    """seconds: of each test of the list, by history (Test.expected_seconds); without one by the
    size of its trace and the time of others of its kind; 0: nothing is known about these."""
    order: list[int]  # indices of the tests that are not done
    seconds: list[float]
    unknown: int  # of those in `order`, how many have no history

    @classmethod
    def make(cls, tests: list[Test], done: list[bool] | None = None) -> "Schedule":
        """done: None: none is."""
        size = functools.cache(_size)
        kinds: dict[object, _Kind] = collections.defaultdict(_Kind)
        bytes_of = [0 if test.generator else size(test.trace) for test in tests]
        for test, n in zip(tests, bytes_of):
            if test.expected_seconds >= 0:
                kinds[_kind(test)].learn(test.expected_seconds, n)
                kinds[None].learn(test.expected_seconds, n)
        seconds = [test.expected_seconds for test in tests]
        for i, test in enumerate(tests):
            if seconds[i] < 0:
                kind = _kind(test)
                seconds[i] = kinds[kind if kind in kinds else None].guess(bytes_of[i])
        order = sorted((i for i in range(len(tests)) if not (done and done[i])),
                       key=lambda i: (-seconds[i], -bytes_of[i]))
        return cls(order, seconds, sum(tests[i].expected_seconds < 0 for i in order))

    def span(self, jobs: int) -> float:
        """Seconds that the tests in `order` take when `jobs` run at a time."""
        busy = [0.0] * min(jobs, max(len(self.order), 1))
        for i in self.order:
            heapq.heapreplace(busy, busy[0] + self.seconds[i])
        return max(busy)


@dataclasses.dataclass
class _Kind:
    """Tests that need about the same time for a trace of the same size: those with a history."""
    seconds: float = 0
    bytes: int = 0
    known: int = 0

    def learn(self, seconds: float, size: int) -> None:
        self.seconds += seconds
        self.bytes += size
        self.known += 1

    def guess(self, size: int) -> float:
        """By the size of the trace if it is known, else the mean."""
        if self.bytes > 0 and size > 0:
            return self.seconds * size / self.bytes
        return self.seconds / self.known if self.known else 0


def _kind(test: Test) -> object:
    return test.config, test.dut, test.memory, not test.generator


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
