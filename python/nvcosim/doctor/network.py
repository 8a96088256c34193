"""The network that ran: the schedule of its tasks, and the log beside it. Spec: 87-loadables
section 5, 86-driver-log section 3."""
import dataclasses
import typing

from nvcosim.doctor.messages import NONE, UNITS
from nvcosim.doctor.state import Log
from nvcosim.tool import Failure, run_json

_COMPLETED, _PROGRAMMED, _ARMED = 1, 2, 3  # events that release an edge


@dataclasses.dataclass(frozen=True)
class Operation:
    """edges: (operation, event) that it releases: of its next consumer of each unit, of its fused
    parent; NONE: there is none. rdma: whether it reads through its RDMA. least_clocks: 0:
    unknown. element, line, surface: bytes of an integer that it writes, 0: of none; strides."""
    type: int
    edges: list[tuple[int, int]]
    rdma: bool
    name: str
    least_clocks: int
    element: int
    line: int
    surface: int


@dataclasses.dataclass(frozen=True)
class Task:
    """number: in the order of submission. small: made for atoms of 8 bytes. heads: the first
    operation of each unit."""
    number: int
    small: bool
    heads: list[int]
    operations: list[Operation]

    def before_in_list(self, number: int) -> int:
        """The operation before that one in the list of its unit, NONE: the first."""
        unit = self.operations[number].type
        before, at = NONE, self.heads[unit]
        for _ in self.operations:
            if at in (NONE, number):
                break
            before, at = at, self.operations[at].edges[unit][0]
        return before if at == number else NONE


class Network:
    """config: of the hardware, "": unknown."""

    def __init__(self, path: str, config: str | None) -> None:
        self._path = path
        chosen = [f"--config={config}"] if config else []
        found = run_json("doctor-network", *chosen, "--", path)
        self.config: str = found["config"] or ""
        self._tasks: list[dict[str, typing.Any]] = found["tasks"]

    def _read(self) -> list[Task]:
        for task in self._tasks:
            if "error" in task:
                raise Failure(task["error"])
        if not self._tasks:
            raise Failure(f"{self._path}: found no task for the engines in it; expected the "
                          "network that the log is about")
        return [Task(task["number"], task["small"], task["heads"],
                     [Operation(**operation) for operation in task["operations"]])
                for task in self._tasks]

    def align(self, log: Log) -> tuple[Task, str]:
        """The task that the log is about, and "" or why no task fits; then the log is left as it
        is. Adds to the log who feeds whom on the fly and, where its beginning is missing, the
        operations that are armed by the schedule."""
        tasks = self._read()
        due = (log.tasks - 1) % len(tasks) if log.probed and log.tasks > 0 else NONE
        # The count of tasks since the probe decides between tasks that fit alike.
        number = min(range(len(tasks)), key=lambda number: (
            2 * len(_contradictions(log, tasks[number])) + (number != due)))
        wrong = _contradictions(log, tasks[number])
        if not wrong:
            _add_feeders(log, tasks[number])
            if not log.begun and log.messages > 0 and not log.ended:
                _Schedule(log, tasks[number]).infer()
        return tasks[number], wrong[0] if wrong else ""

    def clocks(self, log: Log, task: int, layer: int) -> int:
        """Clocks of a layer and those it feeds directly, by the estimate; 0: unknown."""
        chain: list[int] = []
        while 0 <= layer < len(log.operations) and layer not in chain:
            chain.append(layer)
            layer = log.operations[layer].feeds
        words = ["--json", f"--config={self.config}", "--", self._path]
        try:
            estimated = run_json("estimate", *words)["layers"]
            layers = run_json("info", *words)["layers"]
        except Failure:
            return 0
        own = {(row["launch"]["unit"], row["launch"]["number"]) for row in layers
               if row["task"] == task and row["layer"] in chain and "launch" in row}
        return next((int(row["clocks"] + 0.5) for row in estimated
                     if (row["unit"], row["launch"]) in own and row["clocks"] >= 0.5), 0)


def _contradictions(log: Log, task: Task) -> list[str]:
    """Operations of the log that are not the task's."""
    found = []
    for number, operation in enumerate(log.operations):
        is_there = number < len(task.operations)
        if operation.unit != NONE and not (
                is_there and task.operations[number].type == operation.unit):
            expected = UNITS[task.operations[number].type] if is_there else "missing"
            found.append(f"operation {number} is {UNITS[operation.unit]} in the log, {expected} in "
                         "the loadable")
    if log.layers > 0 and log.layers != len(task.operations):
        found.append(f"the log counts {log.layers} layers, the loadable {len(task.operations)}")
    return found


def _add_feeders(log: Log, task: Task) -> None:
    for number, operation in enumerate(task.operations):
        log.own(number)
    for number, operation in enumerate(task.operations):
        parent = operation.edges[-1][0]
        if 0 <= parent < len(task.operations):
            log.operations[number].fed_by = parent
            log.operations[parent].feeds = number


class _Schedule:
    """What must have happened where the beginning of a log is missing."""

    def __init__(self, log: Log, task: Task) -> None:
        self._log, self._task = log, task
        self._completed = [operation.completed > 0 for operation in log.operations]
        self._programmed = [False] * len(task.operations)
        self._armed = [False] * len(task.operations)
        self._visited: set[int] = set()
        # Edges to each operation: who releases it, and the event.
        self._needs: list[list[tuple[int, int]]] = [[] for _ in task.operations]
        for number, operation in enumerate(task.operations):
            for to, event in operation.edges:
                if 0 <= to < len(task.operations):
                    self._needs[to].append((number, event))

    def _complete_before(self, number: int) -> None:
        """Marks what must have completed before an operation could complete, or be armed."""
        waiting = [number]
        while waiting:
            number = waiting.pop()
            if number in self._visited:
                continue
            self._visited.add(number)
            before = self._task.before_in_list(number)
            needed = [before] if before != NONE and self._completed[number] else []
            needed += [other for other, event in self._needs[number] if event == _COMPLETED]
            for other in needed:
                self._completed[other] = True
            waiting += reversed(needed)

    def _is_free(self, number: int) -> bool:
        """Whether all edges to an operation are released."""
        return all(self._programmed[other] if event == _PROGRAMMED else self._armed[other]
                   if event == _ARMED else self._completed[other]
                   for other, event in self._needs[number])

    def _program_lists(self) -> None:
        """An operation is programmed once all but one before it in its list have completed."""
        for unit, at in enumerate(self._task.heads):
            unfinished = 0
            for _ in self._task.operations:
                if at == NONE or unfinished == 2:
                    break
                self._programmed[at] = True
                unfinished += not self._completed[at]
                at = self._task.operations[at].edges[unit][0]

    def infer(self) -> None:
        """Adds to the log what is armed."""
        operations = list(enumerate(self._log.operations[:len(self._task.operations)]))
        for number, operation in operations:
            if operation.completed or operation.armed:
                self._complete_before(number)
        for number, operation in operations:
            before = self._task.before_in_list(number)
            two_before = NONE if before == NONE else self._task.before_in_list(before)
            if operation.prepared and two_before != NONE:
                self._completed[two_before] = True
                self._complete_before(two_before)
        self._program_lists()
        changed = True
        while changed:
            changed = False
            for number, _ in operations:
                if self._programmed[number] and not self._armed[number] and self._is_free(number):
                    changed = self._armed[number] = True
        for number, operation in operations:
            if operation.unit == NONE:
                operation.unit = self._task.operations[number].type
            # What the log shows being programmed it shows being armed and completing too.
            if self._completed[number] and not operation.completed and not operation.prepared:
                operation.completed = 1
            if self._armed[number] and not operation.completed and not operation.prepared:
                operation.armed = operation.prepared = operation.programmed = True
