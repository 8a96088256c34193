"""What a log of several tasks allows to say: the diagnosis of the last task that did not end well,
or of the last one, as far as its lines can be told apart from those of others."""
from nvcosim.doctor.devices import Devices, Way
from nvcosim.doctor.diagnosis import diagnose
from nvcosim.doctor.messages import CONV, NONE
from nvcosim.doctor.network import Network
from nvcosim.doctor.operation import Last
from nvcosim.doctor.state import Log
from nvcosim.doctor.verdict import Diagnosis, LIKELY

_STRAYS_LEAST = 4  # so many lines out of order are another task; fewer may be lines that were lost
# How surely a task is one that did not end well: REFUSED: by what came before it; CUT: the driver
# works, the log may just have been cut there; ACCESS: the same, or an access to a register does not
# return; FAILED: as the driver or the kernel says.
_ENDED, _REFUSED, _CUT, _ACCESS, _WAITS, _FAILED = range(6)


def _stops_at_access(log: Log) -> bool:
    """Whether the log of a task stops where registers are read or written, and nothing says that
    this does not return."""
    current = log.find(log.current)
    polls = current is not None and current.unit == CONV
    return not log.stall and not log.environment and (
        log.last in (Last.PREPARING, Last.PROGRAM) or log.last == Last.ENABLE and not polls)


def _rank(log: Log) -> int:
    if log.has_failed:
        return _FAILED
    if not log.is_unfinished:
        return _REFUSED if log.busy or log.environment else _ENDED
    if log.null_pointer or log.stall or log.unclaimed or log.environment:
        return _FAILED
    if log.last == Last.BUSY:
        return _CUT
    return _ACCESS if _stops_at_access(log) else _WAITS


def _decisive(way: Way) -> int:
    """The last one of the tasks that failed most surely; else the last one."""
    return max(range(len(way.logs)), key=lambda index: (_rank(way.logs[index]), index))


def _unknown(note: str) -> Diagnosis:
    return Diagnosis(notes=[note])


def _without_earlier(log: Log) -> Log:
    """The same log as that of a device whose first task this is."""
    first = log.clone()
    first.tasks = 1
    first.worked = False
    first.earlier_rounds = first.earlier_events = 0
    first.flushed = any(op.unit == CONV and op.armed for op in log.operations)
    first.units_worked = 0
    for operation in log.operations:
        if operation.unit != NONE and operation.completed:
            first.units_worked |= 1 << operation.unit
    return first


class Several:
    """Of the tasks in one log, with the network that ran, and whether the hardware has the register
    map of small, as far as they are known."""

    def __init__(self, devices: Devices, network: Network | None, small: bool | None) -> None:
        self._devices, self._network, self._small = devices, network, small

    def _of(self, log: Log) -> Diagnosis:
        return diagnose(log, self._network, self._small)

    def _depends_on_earlier(self, log: Log, diagnosis: Diagnosis) -> bool:
        """Of several devices the tasks before may be those of another one: what they show must not
        matter."""
        if self._devices.probes < 2 or log.tasks < 2 or diagnosis.verdict != "hang":
            return False
        other = self._of(_without_earlier(log))
        return not (diagnosis.layer == other.layer and diagnosis.is_like(other))

    def _is_undecided(self, way: Way, chosen: int, diagnosis: Diagnosis) -> bool:
        """Whether another task of the same boot stands as surely, and for another cause: one of
        them may only be cut."""
        rank = _rank(way.logs[chosen])
        return rank > _CUT and any(
            index != chosen and _rank(log) == rank and way.closed[index] == way.closed[chosen]
            and not diagnosis.is_like(self._of(log)) for index, log in enumerate(way.logs))

    def _doubt(self, way: Way, log: Log, diagnosis: Diagnosis) -> Diagnosis:
        """Where lines of one task may be missing, or between those of another one."""
        devices, verdict = self._devices, diagnosis.verdict
        unended, tasks = devices.books.open, devices.books.tasks
        strays = way.strays if devices.books.show_order else 0
        # Of a task whose beginning is missing; a counter that wrapped below 0 prepares operations
        # again.
        between = tasks > 1 and tasks > devices.books.begun and log.wrapped == NONE
        sticky = 0 if tasks > 1 else 1  # a bit that sticks completes one operation
        if verdict == "good" and devices.runs_open:
            return _unknown(f"the run that begins in line {devices.run_line} has no end in the "
                            "log: it hangs, or the log is cut")
        if verdict == "good" and unended:
            return _unknown(f"{unended} of the tasks in this log have no end")
        if verdict == "data" and (way.reloaded or between or strays > sticky):
            return _unknown("an operation completes that was not armed, where lines of another run "
                            "may be between those of this one")
        if strays >= _STRAYS_LEAST and (between or verdict == "good"):
            return _unknown(f"{strays} lines cannot be where they are: those of a task whose "
                            "beginning is missing are between them")
        if verdict == "hang" and devices.books.begun and not log.has_task:
            return _unknown("a process waits for an interrupt; the tasks that begin in this log "
                            "have ended")
        if verdict == "hang" and tasks > 1 and _stops_at_access(log) and not log.fault:
            return _unknown("one of the tasks stops at an access to a register: it does not "
                            "return, or the lines of this task end there because the log is cut")
        return diagnosis

    def _weaken(self, way: Way, log: Log, diagnosis: Diagnosis) -> Diagnosis:
        devices = self._devices
        diagnosis = self._doubt(way, log, diagnosis)
        others = devices.open_most > 1 or any(
            other is not log and other.is_unfinished for other in way.logs)
        for cause in diagnosis.causes if others else []:
            cause.certainty = max(cause.certainty, LIKELY)
        if devices.open_most > 1:
            diagnosis.notes.append(f"{devices.open_most} tasks ran at the same time; the order of "
                                   "their lines tells them apart")
        if log.line and len(way.logs) > 1:
            diagnosis.notes.append(f"this is the task that begins in line {log.line}; the log has "
                                   "others")
        return diagnosis

    def diagnose(self) -> tuple[Diagnosis, Log]:
        """The diagnosis, and what it is about. Failure if the network cannot be read."""
        devices = self._devices
        found: list[tuple[Diagnosis, int]] = []
        for way in devices.ways if not devices.mixed else []:
            chosen = _decisive(way)
            diagnosis = self._of(way.logs[chosen])
            found.append((diagnosis, chosen))
            if found[0][0].layer != diagnosis.layer or not found[0][0].is_like(diagnosis):
                found.clear()
                break
        if not found:
            diagnosis = _unknown(f"lines of {devices.open_most} tasks are mixed: which line "
                                 "belongs to which task is open")
            diagnosis.mixed_tasks = devices.open_most
            return diagnosis, Log()
        diagnosis, chosen = found[0]
        way, log = devices.ways[0], devices.ways[0].logs[chosen]
        if self._depends_on_earlier(log, diagnosis):
            diagnosis = _unknown(
                f"the driver has {devices.probes} devices: whether the task before was one of the "
                "same device decides what this hang shows (registers that worked, interrupts that "
                "came, groups of units)")
        elif self._is_undecided(way, chosen, diagnosis):
            diagnosis = _unknown("several tasks stop in this log, not all for one cause: diagnose "
                                 "the log of each alone")
        return self._weaken(way, log, diagnosis), log

