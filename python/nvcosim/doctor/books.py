"""Counts over a whole log, in whatever order several tasks print into it: begins and ends of tasks,
and how often each operation is prepared, armed and completed. Where they do not come out even, a
task has no end, or no beginning. Spec: 86-driver-log section 3."""
import collections

from nvcosim.doctor.messages import Kind, Message
from nvcosim.doctor.state import OPERATIONS_MOST

_TWICE_LEAST = 2     # numbers of "N HWLs done" that repeat; one may be a line printed twice
_OUTSIDE_LEAST = 12  # lines of rounds after a task's end: two rounds of six units
# All kinds of lines whose order tells tasks apart.
_ORDERED = {Kind.PREPARE, Kind.PREPARING, Kind.GROUP, Kind.PROGRAM, Kind.ENABLE, Kind.ENABLED,
            Kind.ENABLED_END, Kind.ROUND_UNIT, Kind.ROUND_LEFT}


class Books:
    """begun: tasks that begin in the log."""

    def __init__(self) -> None:
        self.begun = self._initiated = 0
        # Probes and tasks that began, without those that ended: each probe has one end too.
        self._unended = 0
        self._rounds_outside = 0  # lines of rounds after the end of all tasks
        self._lines_before = False  # of a task, before the first one begins
        self._kinds: set[Kind] = set()
        # Of all tasks together, by the number of the operation.
        self._counts: dict[Kind, collections.Counter[int]] = {
            kind: collections.Counter()
            for kind in (Kind.PREPARE, Kind.ENABLE, Kind.COMPLETED, Kind.LAYERS)}

    def take(self, message: Message) -> None:
        """The next message of the log."""
        kind = message.kind
        self._kinds.add(kind)
        if Kind.NETWORK < kind < Kind.ASSERTION and kind != Kind.RESET and not self.begun:
            self._lines_before = True
        if kind == Kind.NETWORK:
            self.begun += 1
            self._unended += 1
        elif kind == Kind.INITIATED:
            self._initiated += 1
        elif kind == Kind.PROBE:
            self._unended += 1
        elif kind in (Kind.RESET, Kind.TASK_FAILED):
            self._unended -= 1
        elif kind == Kind.ROUND_UNIT:
            self._rounds_outside += self.begun > 0 and self._unended <= 0
        elif kind in self._counts:
            number = message.numbers[0] - (kind == Kind.LAYERS)
            if 0 <= number < OPERATIONS_MOST:
                self._counts[kind][number] += 1

    @property
    def tasks(self) -> int:
        """So many tasks print into the log, at least: those that begin in it, and those whose
        beginning is missing."""
        beginnings = self.begun + self._lines_before
        tasks = max(beginnings, self._initiated, *self._counts[Kind.PREPARE].values(),
                    *self._counts[Kind.ENABLE].values())
        twice = sum(count > beginnings for count in self._counts[Kind.LAYERS].values())
        return tasks if twice < _TWICE_LEAST else max(tasks, beginnings + 1)

    @property
    def open(self) -> int:
        """So many of several tasks have no end, at least. 0: all comes out even."""
        tasks = self.tasks
        without_end = self._unended + (tasks - self.begun if tasks > 1 else 0)
        found = without_end if without_end > 0 else int(self._rounds_outside >= _OUTSIDE_LEAST)
        prepared, armed, completed, _ = self._counts.values()
        for number in {*prepared, *armed, *completed}:
            started = max(prepared[number], armed[number])
            if tasks > 1:
                found = max(found, started - completed[number])
            found = max(found, completed[number] - tasks)
        return found

    @property
    def show_order(self) -> bool:
        """Whether the log has all kinds of lines whose order tells tasks apart: a port may print
        less, a paste may be chosen."""
        return _ORDERED <= self._kinds
