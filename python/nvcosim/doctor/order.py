"""The order in which the driver prints its messages: whether one can be the next of a task. The
driver is one thread for each device: what it printed before decides what comes next. Spec:
86-driver-log sections 2 and 3."""
from nvcosim.doctor.messages import BDMA, Kind, Message, NONE
from nvcosim.doctor.state import Log

_EDGES_DONE = {Kind.OTHER, Kind.PROGRAM, Kind.EDGE, Kind.ENABLED_END}
# Messages of which each is the only one that can follow the one before.
_PAIRS = ((Kind.PREPARE, Kind.PREPARING), (Kind.PREPARING, Kind.GROUP), (Kind.GROUP, Kind.PROGRAM),
          (Kind.ENABLE, Kind.ENABLED), (Kind.DONE, Kind.COMPLETED))
# Kinds, and those of which one is before.
_BEFORE = {
    Kind.PREPARE: _EDGES_DONE | {Kind.INITIATE, Kind.LAYERS},
    Kind.EDGE: _EDGES_DONE | {Kind.ENABLED, Kind.COMPLETED},
    Kind.ENABLE: _EDGES_DONE | {Kind.ENABLED, Kind.COMPLETED},
    Kind.ENABLED_END: {Kind.OTHER, Kind.EDGE, Kind.ENABLED_END, Kind.ENABLED},
    Kind.LAYERS: {Kind.OTHER, Kind.EDGE, Kind.ENABLED_END, Kind.COMPLETED},
    Kind.INITIATED: _EDGES_DONE | {Kind.INITIATE},
}
_EVENTS = (Kind.WEIGHTS, Kind.DATA, Kind.DONE)


def _runs(log: Log, message: Message) -> bool:
    """Whether an operation of the unit, and of the group, is armed and has not completed."""
    for operation in log.operations:
        seen = operation.weights if message.kind == Kind.WEIGHTS else \
            message.kind == Kind.DATA and operation.data
        if operation.unit == message.unit and operation.is_armed and not seen and \
                operation.group in (NONE, message.numbers[0]):
            return True
    return not log.begun  # it may have been armed before the log begins


def _continues_pair(log: Log, message: Message) -> bool | None:
    """None: neither message is of a pair."""
    before, kind = log.previous, message.kind
    pair = next((pair for pair in _PAIRS if before.kind == pair[0] or kind == pair[1]), None)
    if pair is None:
        return None
    if (before.kind, kind) != pair:
        return False
    if kind == Kind.GROUP:
        operation = log.find(log.current)
        return operation is not None and operation.unit == message.unit
    if kind == Kind.PROGRAM:
        return message.numbers[0] == log.current
    if kind == Kind.COMPLETED:
        operation = log.find(message.numbers[0])
        return before.unit == message.unit and (
            operation.unit == message.unit and operation.is_armed
            and operation.group in (NONE, before.numbers[0]) if operation else not log.begun)
    return True


def _fits_before(log: Log, message: Message) -> bool:
    """Whether the message before, of this task, is one after which such a message comes."""
    kind = message.kind
    counted = not log.begun or log.done == log.completions  # "%d HWLs done"
    if kind not in _BEFORE:
        return log.depth == 0 and counted
    if log.previous.kind not in _BEFORE[kind]:
        return False
    if kind == Kind.PREPARE:
        return log.depth == 0 and counted and (not log.inside or message.unit == log.round_unit)
    return kind in (Kind.EDGE, Kind.ENABLE, Kind.ENABLED_END) or log.depth == 0


def _operation_may_follow(log: Log, message: Message) -> bool:
    operation, (number, second, counter) = log.find(message.numbers[0]), message.numbers
    kind = message.kind
    if kind == Kind.PREPARE:
        return operation is None or (not operation.prepared
                                     and operation.unit in (NONE, message.unit)
                                     and operation.edge in (NONE, counter))
    if kind == Kind.EDGE:
        return counter > 0 and (operation is None or operation.edge in (NONE, counter))
    if kind == Kind.ENABLE:
        return not log.begun or operation is not None and (
            operation.programmed and not operation.enabling and operation.unit == message.unit
            and operation.edge <= 0)
    if kind == Kind.ENABLED_END:
        return log.depth > 0
    if kind in _EVENTS:
        return log.inside and log.round_unit == message.unit and _runs(log, message)
    if kind == Kind.LAYERS:
        return log.inside and (not log.layers or log.layers == second) and \
            number == (log.completions if log.begun else log.done + 1) and \
            (not log.begun or log.done < number)
    return True  # an error


def may_follow(log: Log, message: Message) -> bool:
    """Whether a message about tasks, operations or rounds can be the next one of this task."""
    starts, waits = not log.initiated, log.initiated and not log.in_round
    kind = message.kind
    if log.ended or not log.has_task:
        return False
    if log.fault:  # what follows an error is in no order
        return starts or log.initiate_status != 0 if kind == Kind.TASK_FAILED else \
            kind != Kind.RESET or waits
    if kind in (Kind.ASSERTION, Kind.FAULT):
        return starts or log.inside
    continues = _continues_pair(log, message)
    if continues is not None:
        return continues
    resolved = log.find(log.resolved)
    if resolved and resolved.programmed and not resolved.enabling and \
            log.previous.kind == Kind.EDGE:
        return kind == Kind.ENABLE and message.numbers[0] == log.resolved
    if not _fits_before(log, message):
        return False
    if kind == Kind.INITIATE:
        return starts and not log.operations and log.previous.kind == Kind.OTHER
    if kind == Kind.INITIATED:
        return starts
    if kind == Kind.ROUND_UNIT:
        return waits if message.unit == BDMA else \
            log.in_round and not log.inside and message.unit == log.round_unit + 1
    if kind == Kind.ROUND_LEFT:
        return log.inside and log.depth == 0 and message.numbers[0] == 0
    if kind == Kind.RESET:
        return waits and log.layers > 0 and log.done == log.layers
    if kind == Kind.TASK_FAILED:
        return False
    return (starts or log.inside) and _operation_may_follow(log, message)


def breaks(log: Log, message: Message) -> bool:
    """Whether it cannot be the next one, even if the device did anything wrong: it is of another
    task, or lines are missing."""
    kind = message.kind
    if not log.begun:  # its first lines may be of anything, but it counts on
        return kind == Kind.LAYERS and log.done != 0 and message.numbers[0] != log.done + 1
    if log.fault or log.busy or log.unarmed or log.early or may_follow(log, message):
        return False
    if kind in _EVENTS:  # bits that the device set wrongly
        return not log.inside or log.round_unit != message.unit
    if kind == Kind.COMPLETED:
        return log.previous.kind != Kind.DONE or log.previous.unit != message.unit
    return True
