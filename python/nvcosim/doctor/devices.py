"""A log in which several runs and devices print: follows each device's task by itself. The lines do
not name the device; the order in which the driver prints tells them apart. Where it allows several
ways, all of them are followed, up to _WAYS_MOST; where it allows none, or too many, the lines are
mixed. Memory is bounded. Spec: 86-driver-log section 3."""
import copy
import typing

from nvcosim.doctor import order
from nvcosim.doctor.books import Books
from nvcosim.doctor.messages import Kind, Message
from nvcosim.doctor.state import Log

_DEVICES_MOST, _WAYS_MOST, _WAYS_CHEAP, _STEPS_MOST = 8, 256, 64, 1000000


def _is_of_operation(message: Message) -> bool:
    return message.kind < Kind.ASSERTION and message.kind not in (Kind.NETWORK, Kind.RESET)


class _NoRoom(Exception):
    """Too many devices, or a line of a task that is not open."""


class Way:
    """One way to tell the lines apart. logs: of tasks that are open or failed; the last one also of
    those that ended; they are shared by ways until they change. closed: a probe came after it.
    reloaded: a probe came while a task was open: another device, unless what follows is all of the
    new one. strays: lines that the open task cannot print there, whatever the device does."""

    def __init__(self) -> None:
        self.logs = [Log()]
        self.closed = [False]
        self.reloaded = False
        self.strays = 0
        self._strict = False  # several tasks are open: a line must be the next one of one of them
        self._shared: set[int] = set()  # logs of other ways, too

    def _copy(self) -> "Way":
        other = copy.copy(self)
        other.logs, other.closed = list(self.logs), list(self.closed)
        self._shared, other._shared = set(range(len(self.logs))), set(range(len(self.logs)))
        return other

    def key(self) -> tuple[typing.Any, ...]:
        """Equal for ways whose next lines can be the same; they may differ in which of two devices
        is called the first."""
        return tuple(sorted(log.key() for log in self.logs))

    def _give(self, index: int, message: Message) -> None:
        if index in self._shared:
            self._shared.remove(index)
            self.logs[index] = self.logs[index].clone()
        self.logs[index].take(message)

    def is_open(self, index: int) -> bool:
        log = self.logs[index]
        return not self.closed[index] and log.has_task and not log.ended

    @property
    def open_tasks(self) -> int:
        return sum(map(self.is_open, range(len(self.logs))))

    def _add_log(self) -> None:
        """One more device of the module that the last one belongs to."""
        before = self.logs[-1]
        if len(self.logs) == _DEVICES_MOST:
            oldest = next((i for i in range(len(self.logs)) if not self.is_open(i)), None)
            if oldest is None:
                raise _NoRoom
            del self.logs[oldest], self.closed[oldest]
            self._shared = {i - (i > oldest) for i in self._shared if i != oldest}
            before = self.logs[-1]
        log = Log()
        log.probed, log.messages, log.compatible = before.probed, before.messages, before.compatible
        self.logs.append(log)
        self.closed.append(False)

    def _begin_task(self, message: Message) -> None:
        """On a device whose task has ended, or on another one."""
        for index in range(len(self.logs) - 1, -1, -1):
            log = self.logs[index]
            if not self.closed[index] and not (log.has_task
                                               and not (log.ended and not log.has_failed)):
                self._give(index, message)
                return
        self._add_log()
        self._give(len(self.logs) - 1, message)
        self._strict = self._strict or self.open_tasks > 1

    def _probe(self, message: Message) -> None:
        """What is open when the module is loaded anew does not continue."""
        self.reloaded = self.reloaded or self.open_tasks > 0
        self.closed = [closed or self.is_open(index) or self.logs[index].has_failed
                       for index, closed in enumerate(self.closed)]
        self._strict = False
        if self.closed[-1]:
            self._add_log()
        self._give(len(self.logs) - 1, message)

    def _share(self, message: Message) -> None:
        """A message of the kernel or of the runtime."""
        some_open = self.open_tasks > 0
        if message.kind == Kind.ADDRESS and some_open:
            return  # of a task that has not begun
        for index in range(len(self.logs)):
            if self.is_open(index) or index + 1 == len(self.logs) and not self.open_tasks:
                self._give(index, message)

    def _give_to_last(self, message: Message) -> None:
        """Without another open task."""
        log, own = self.logs[-1], _is_of_operation(message)
        if message.kind == Kind.RESET and log.begun and not log.initiated and not log.fault:
            return  # of the probe of another device
        if own and log.probed and not log.begun:
            self.reloaded = True  # lines of a run before its begin: another run is open
        if own and self.reloaded and log.has_task and not order.may_follow(log, message):
            raise _NoRoom
        if own and log.ended:  # its beginning is missing
            self._add_log()
            log = self.logs[-1]
        self.strays += own and order.breaks(log, message)
        self._give(len(self.logs) - 1, message)

    def _is_headless(self) -> bool:
        """Whether a run may be open whose beginning is missing: the log begins with lines of one,
        and shows no end."""
        log = self.logs[0]
        return len(self.logs) == 1 and log.has_task and not log.probed and not log.begun \
            and not log.ended

    def take(self, message: Message) -> bool:
        """Whether the message needs no choice; it is taken then. _NoRoom."""
        kind = message.kind
        if kind in (Kind.PROBE, Kind.NETWORK):
            self.reloaded = self.reloaded or self._is_headless()
        if kind == Kind.PROBE:
            self._probe(message)
        elif kind == Kind.NETWORK:
            self._begin_task(message)
        elif kind >= Kind.BLOCKED or \
                kind == Kind.FAULT and message.cause in ("busy", "environment"):
            self._share(message)
        elif not self._strict:
            self._give_to_last(message)
        else:
            return kind == Kind.OTHER or \
                kind == Kind.TASK_FAILED and self.logs[-1].busy is not None
        return True

    def branches(self, message: Message) -> typing.Iterator["Way"]:
        """A way for each task that the message can belong to."""
        for index, log in enumerate(self.logs):
            if not self.closed[index] and order.may_follow(log, message):
                other = self._copy()
                other._give(index, message)
                other._strict = other.open_tasks > 0
                yield other


class Devices:
    """open_most: tasks that were open at a time. probes: without a task between them, of so many
    devices. mixed: from some line on none can be told apart. runs_open: of the runtime, without
    their end and without a line of the driver after them; run_line: where the last one begins."""

    def __init__(self, messages: typing.Iterable[Message]) -> None:
        self.ways = [Way()]
        self.books = Books()
        self.open_most = self.probes = self.runs_open = self.run_line = 0
        self.mixed = False
        self._steps = 0  # of ways, while there were more than _WAYS_CHEAP
        for message in messages:
            self._take(message)

    def _follow_runs(self, message: Message) -> None:
        kind = message.kind
        if kind == Kind.RUN or kind == Kind.SUBMIT and not self.runs_open:
            self.runs_open += 1
            self.run_line = message.number
        elif kind in (Kind.PASS, Kind.IOCTL):
            self.runs_open = max(self.runs_open - 1, 0)
        elif kind < Kind.BLOCKED and kind != Kind.FAULT:
            self.runs_open = 0  # the driver's lines decide

    def _take(self, message: Message) -> None:
        self._follow_runs(message)
        self.books.take(message)
        if message.kind == Kind.PROBE:
            first = self.ways[0].logs[-1] if self.ways else None
            self.probes = 1 if first and first.has_task else self.probes + 1
        if self.mixed:
            return
        if len(self.ways) > _WAYS_CHEAP:
            self._steps += len(self.ways)
        self._follow(message)
        self.open_most = max([self.open_most, *(way.open_tasks for way in self.ways)])

    def _follow(self, message: Message) -> None:
        try:
            if len(self.ways) == 1 and self.ways[0].take(message):
                return
        except _NoRoom:
            self.mixed = True
            return
        several = len(self.ways) > 1
        ways: dict[tuple[typing.Any, ...], Way] = {}
        for way in self.ways:
            try:
                taken = several and way.take(message)
            except _NoRoom:
                taken = self.mixed = True
            for other in [way] if taken else way.branches(message):
                ways.setdefault(other.key(), other)
        self.ways = list(ways.values())
        self.mixed = self.mixed or not self.ways or len(self.ways) > _WAYS_MOST or \
            self._steps > _STEPS_MOST
