"""What can have stopped a driver that waits for events, that polls, or that stands at an access to
a register. Spec: 86-driver-log section 5."""
from nvcosim.doctor.case import Case
from nvcosim.doctor.messages import CONV, NONE, SDP, UNITS
from nvcosim.doctor.operation import Last, Operation
from nvcosim.doctor.verdict import CERTAIN, LIKELY, POSSIBLE

_SEVERAL_ROUNDS = 3  # empty ones: more than usual


def _overtaken(case: Case) -> tuple[int, int]:
    """An operation in flight after which a later one of its unit has completed, and that one; NONE:
    none."""
    operations = case.log.operations
    for number, operation in enumerate(operations):
        if case.in_flight(operation):
            for later in range(number + 1, len(operations)):
                if operations[later].unit == operation.unit and operations[later].completed:
                    return number, later
    return NONE, NONE


def _wrong_first_group(case: Case, unit: int) -> bool:
    """Whether the first operation of a unit after a reset was put into group 1."""
    return case.is_fresh and unit != NONE and case.log.first_group[unit] == 1


# ---- a register access that does not return


def _blame_zeros(case: Case, layer: int, certainty: int) -> None:
    """S_CBUF_FLUSH_STATUS is 0 only until the flush after the reset ends. So where a poll has ended
    before, or no read has returned anything yet (a bit of the status, or CONSUMER of a unit with
    both groups free), all registers read 0 rather than this one."""
    log, blame = case.log, case.diagnosis.blame
    was_alive = 1 in log.first_group or log.events > 0 or log.earlier_events > 0
    if log.flushed:
        blame("reads-zero", certainty,
              "a poll of this register has ended before, and its flush runs once, after the reset: "
              "since then all registers read 0 (bridge, clock or power of the window), or the "
              "hardware was reset; read GLB.S_NVDLA_HW_VERSION with devmem")
    elif case.is_fresh and not was_alive:
        blame("reads-zero", certainty,
              "nothing in the log shows that a register reads anything but 0 before the poll of "
              f"operation {layer}: address of the window, clock, reset, power; read "
              "GLB.S_NVDLA_HW_VERSION with devmem")


def flush(case: Case, layer: int) -> None:
    """Causes of a driver that polls the flush before it arms a convolution."""
    log, blame = case.log, case.diagnosis.blame
    small = case.small_network if case.small is None else case.small
    worked_before = log.completions > 0 or log.worked
    certainty = LIKELY if log.last == Last.ENABLE else POSSIBLE
    case.set_layer(layer, "CDMA")
    if case.full_driver and small and not worked_before:
        blame("configuration", certainty,
              f"the driver has compatible {log.compatible}, the register map of full; on small "
              "hardware its flush poll reads another unit: change the device tree to "
              "nvidia,nv_small")
    _blame_zeros(case, layer, certainty)
    blame("flush", certainty,
          "the log ends where the driver polls CDMA.S_CBUF_FLUSH_STATUS, without a limit, before "
          f"it arms operation {layer}; read it with devmem")
    if log.stall:
        blame("flush", certainty, log.stall)
    if not worked_before and case.full_driver and case.small is None:
        blame("configuration", POSSIBLE,
              f"the driver has compatible {log.compatible}, the register map of full; on small "
              "hardware it polls another unit")
    blame("reads-zero", POSSIBLE, "registers that read 0 leave the same log")
    if not worked_before:
        blame("configuration", POSSIBLE, "a driver of another register map polls another unit")


def dead_access(case: Case) -> None:
    """Causes of a driver that stands at an access to a register."""
    log, blame = case.log, case.diagnosis.blame
    case.set_layer(log.current, None if log.current == NONE else case.unit(log.current))
    done = "read for the first time" if log.last == Last.PREPARING else "written"
    blame("environment", CERTAIN if log.environment else LIKELY,
          f"the log ends where registers are {done}: an access that does not return; check bridge, "
          "clock, reset and address")
    if log.stall:
        blame("environment", LIKELY, log.stall)
    blame("configuration", POSSIBLE, "a register map of another configuration leads to absent "
          "units")


# ---- the driver waits


def _is_single(case: Case) -> bool:
    """Whether the task has a single operation, which no other feeds: of so few interrupts none is
    no evidence of the line."""
    return sum(operation.prepared for operation in case.log.operations) == 1 and case.log.begun \
        and case.log.layers <= 1


def _no_round(case: Case) -> None:
    log, blame = case.log, case.diagnosis.blame
    unit = case.unit(case.diagnosis.layer)
    if line := log.unclaimed or log.stall:
        blame("interrupt-stuck", LIKELY, line)
        blame("interrupt-stuck", LIKELY,
              "a processor does nothing but interrupts: the line stays active")
    if _is_single(case):
        case.diagnosis.engine = unit
        decides = "earlier tasks had interrupts" if log.earlier_events else \
            "read its S_STATUS, and check whether its output is in memory"
        blame("done-lost", LIKELY,
              f"{unit} is the only unit of this task, and its end the only event: it hangs, or its "
              f"done bit is lost; {decides}")
    blame("interrupt-never", LIKELY,
          f"no round of events after operation {case.diagnosis.layer} was armed; /proc/interrupts "
          "shows whether the line counts: number, polarity, level or edge in the device tree")
    if log.empty_rounds:
        blame("interrupt-never", LIKELY, "the empty rounds are wake-ups of the task before")
    blame("arming-lost", POSSIBLE, f"{unit} may not run: read its S_STATUS with devmem")
    blame("done-lost", POSSIBLE, f"{unit} may have ended without its done bit")
    blame("interrupt-stuck", POSSIBLE, "a line that stays active can starve the driver")


def _empty_rounds(case: Case) -> None:
    log, blame = case.log, case.diagnosis.blame
    if log.events > 0:
        blame("reads-zero", LIKELY,
              "the status had bits before; now the driver is woken again and again "
              f"({log.empty_at_end} empty rounds) and finds none, and nothing ends: all registers "
              "may read 0 since then")
        blame("interrupt-stuck", LIKELY,
              "another device on the line, or a line that stays active, wakes the driver too; but "
              "the bits of NVDLA would be seen all the same")
        blame("status-zero", POSSIBLE, "GLB.S_INTR_STATUS alone may read 0")
        return
    blame("status-zero", LIKELY,
          f"GLB.S_INTR_STATUS reads 0 although interrupts arrive ({log.empty_at_end} empty rounds):"
          " wrong GLB address, or reads that return 0")
    if not log.flushed:
        blame("reads-zero", POSSIBLE, "all registers may read 0")
    blame("interrupt-stuck", POSSIBLE,
          "the line is active without NVDLA: stuck, or shared with another device")


def _independent_in_flight(case: Case) -> int:
    """Operations in flight that do not wait for each other: of each unit the first one. A
    convolution waits for the SDP of one before it, but its weights are fetched all the same."""
    operations, count = case.log.operations, 0
    first = {operation.unit: number for number, operation in reversed(list(enumerate(operations)))
             if case.in_flight(operation) and operation.unit != NONE}
    for unit, number in first.items():
        operation = operations[number]
        feeder = case.log.find(operation.fed_by)
        if feeder and case.in_flight(feeder):
            continue
        fetching = not (operation.weights and operation.data) and case.log.fetch_events
        count += unit != CONV or SDP not in first or operation.feeds == first[SDP] or fetching
    return count


def _rounds_came(case: Case) -> str:
    return (f"{case.log.rounds} rounds arrived, the next may be lost: compare /proc/interrupts "
            "before and after")


def _one_round_only(case: Case) -> bool:
    """Each interrupt wakes the driver for one round, so an empty round shows that more than one
    came."""
    log = case.log
    return log.start_ends and not log.in_round and log.rounds == 1 and not log.earlier_events


def _lacks_wake_up(case: Case) -> bool:
    """Fetches and results of a convolution do not come at the same time, so a round that finds both
    leaves the wake-ups of its later bits behind, and an empty round follows unless the next events
    take them."""
    log = case.log
    return log.whole_convolution and log.empty_at_end == 0 and not log.in_round and \
        log.empty_rounds > 0


def _blame_lost_interrupt(case: Case) -> None:
    waiting = _independent_in_flight(case)
    if _one_round_only(case):
        certainty, text = LIKELY, ("one interrupt was served, none after it: a level that is "
                                   "configured as edge does that")
    elif _lacks_wake_up(case):
        certainty, text = LIKELY, (
            "the last round found the fetches and the end of a convolution, which take more "
            "than one interrupt, and no empty round follows, as others do in this log: interrupts "
            "have stopped")
    elif waiting > 1:
        certainty, text = LIKELY, (
            f"{waiting} operations that do not depend on each other run, and none of them ends: "
            "one lost interrupt explains that; compare /proc/interrupts before and after")
    else:
        certainty, text = POSSIBLE, _rounds_came(case)
    case.diagnosis.blame("interrupt-lost", certainty, text)


def _one_fetched(convolution: Operation) -> str:
    return (f"CDMA fetched {'the weights' if convolution.weights else 'the data'} only, in the "
            "first convolution: a network of small on full hardware does that")


def _blame_other_configuration(case: Case, convolution: Operation) -> None:
    """The register map of full and a network of small, and only one of CDMA's fetches."""
    log = case.log
    if case.full_driver and case.small_network and convolution.weights != convolution.data and \
            log.completions == 0 and not log.worked:
        case.diagnosis.blame("configuration", LIKELY, _one_fetched(convolution))


def _convolution(case: Case, layer: int) -> None:
    log, blame = case.log, case.diagnosis.blame
    operation = log.operations[layer]
    sdp = log.find(operation.feeds)
    if sdp and sdp.completed:
        case.diagnosis.engine = "CACC"
        blame("done-lost", LIKELY,
              f"SDP {operation.feeds}, which takes the results of Convolution {layer} on the fly, "
              "has ended: only the done bit of CACC is lost")
        return
    if operation.weights and operation.data:
        operands = case.task and operation.feeds != NONE and \
            case.task.operations[operation.feeds].rdma
        case.diagnosis.engine = "SDP_RDMA" if operands else "SDP"
        blame("arming-lost", LIKELY,
              f"CDMA fetched weights and data of operation {layer}, the convolution does not "
              f"end: SDP {operation.feeds} does not take its results; the write of D_OP_ENABLE to "
              "SDP or SDP_RDMA had no effect, or SDP's operands do not arrive")
        _blame_lost_interrupt(case)
        blame("done-lost", POSSIBLE, "the convolution may hang: then SDP does not end either")
        return
    case.diagnosis.engine = "CDMA"
    if operation.weights or operation.data:
        if log.completions == 0 and not log.worked:
            blame("configuration", LIKELY, _one_fetched(operation))
        blame("arming-lost", LIKELY,
              f"CDMA fetched {'the weights' if operation.weights else 'the data'} only: memory "
              f"does not answer, or {'CSC' if sdp else 'a unit'} is not armed")
        return
    if log.fetch_events or log.completions == 0:
        blame("arming-lost", LIKELY,
              f"neither weights nor data of operation {layer} were fetched: the write of "
              "D_OP_ENABLE to CDMA or CSC had no effect, or memory does not answer")
    else:
        blame("arming-lost", POSSIBLE,
              "the log never shows an event of CDMA; a unit may not be armed")
    _blame_lost_interrupt(case)
    blame("done-lost", POSSIBLE, "the done bits of CDMA and CACC may be lost")


def _alone(case: Case, layer: int) -> None:
    log, blame, unit = case.log, case.diagnosis.blame, case.unit(layer)
    operation = log.operations[layer]
    feeder = log.find(operation.fed_by)
    case.diagnosis.engine = unit
    fed = feeder is not None and feeder.completed > 0
    if not fed and log.begun and log.events and not log.units_worked >> (operation.unit & 31) & 1:
        blame("arming-lost", LIKELY,
              f"no operation of {unit} has ended in this log, others have: the write of "
              "D_OP_ENABLE to it or its RDMA has no effect, or memory does not answer it")
    blame("done-lost", LIKELY,
          f"{unit} {layer} is armed and does not end: its done bit is lost, or it hangs; read its "
          "S_STATUS, and check whether its output is in memory")
    if fed:
        blame("done-lost", LIKELY,
              f"{case.unit(operation.fed_by)} {operation.fed_by}, which feeds it, has ended, so it "
              "took all data")
    else:
        blame("arming-lost", POSSIBLE,
              f"the write of D_OP_ENABLE to {unit} or its RDMA may have had no effect")


def early(case: Case) -> None:
    """Causes of a done bit that came too early."""
    if case.log.early:
        case.diagnosis.blame("status-sticky", LIKELY, case.log.early)
        case.diagnosis.blame(
            "status-sticky", LIKELY,
            "it completed before the operation that feeds it was armed: the done bit of one before "
            "it was not cleared by its write")


def _late(case: Case, layer: int, later: int) -> None:
    log, blame, unit = case.log, case.diagnosis.blame, case.unit(layer)
    operation = log.operations[layer]
    first = next(number for number, other in enumerate(log.operations)
                 if other.unit == operation.unit)
    misplaced = _wrong_first_group(case, operation.unit) or \
        log.first_group[operation.unit] == 1 and first == layer
    case.set_layer(layer, unit)
    if misplaced:
        blame("pointer-stuck", LIKELY,
              f"{unit} {later} ended before {unit} {layer}, which was armed before it in group "
              f"{operation.group}; after a reset the first operation belongs to group 0: S_POINTER "
              "reads a wrong CONSUMER")
    else:
        early(case)
    blame("done-lost", POSSIBLE if misplaced else LIKELY,
          f"the done bit of {unit} {layer} is lost: {unit} {later}, a later operation of the same "
          "unit, has ended")
    if not misplaced and not case.is_fresh and operation.group == 1:
        blame("pointer-stuck", POSSIBLE,
              "its S_POINTER may read a wrong CONSUMER: it was put into group 1")


def _blame_first_group(case: Case, unit: int) -> None:
    if _wrong_first_group(case, unit):
        case.diagnosis.blame(
            "pointer-stuck", LIKELY,
            f"the first operation of {UNITS[unit]} after a reset was put into group 1: CONSUMER of "
            "its S_POINTER does not read 0")


def _nothing_in_flight(case: Case) -> None:
    log = case.log
    following = log.find(log.resolved)
    if log.last == Last.BUSY and following and following.unit == CONV:
        flush(case, log.resolved)
    elif log.layers and log.done < log.layers and log.begun:
        case.diagnosis.blame(
            "loadable", LIKELY,
            f"{log.done} of {log.layers} layers are done and none is armed: the scheduler waits "
            "for an edge that never occurs")


def waiting(case: Case) -> None:
    """Causes of a driver that waits for events."""
    log, blame = case.log, case.diagnosis.blame
    late, later = _overtaken(case)
    if late != NONE:
        _late(case, late, later)
        blame("interrupt-lost", POSSIBLE, _rounds_came(case))
        return
    early(case)
    layer = case.first_in_flight
    case.set_layer(layer, None if layer == NONE else case.unit(layer))
    if layer == NONE:
        _nothing_in_flight(case)
        return
    operation = log.operations[layer]
    left_over = not case.is_fresh and not case.has_too_many_rounds
    if case.is_woken_for_nothing or log.events == 0 and log.rounds and not left_over:
        _empty_rounds(case)
        return
    _blame_first_group(case, operation.unit)
    if fed := log.find(operation.feeds):
        _blame_first_group(case, fed.unit)
    if log.events == 0 and (log.begun or log.start_ends):
        _no_round(case)
        return
    if line := log.unclaimed or log.stall:
        blame("interrupt-stuck", LIKELY, line)
    if operation.unit == CONV:
        _blame_other_configuration(case, operation)
    if _one_round_only(case) or _lacks_wake_up(case) or _independent_in_flight(case) > 1:
        _blame_lost_interrupt(case)
    if operation.unit == CONV:
        _convolution(case, layer)
    else:
        _alone(case, layer)
    _blame_lost_interrupt(case)
    if log.empty_at_end >= _SEVERAL_ROUNDS:
        blame("interrupt-stuck", POSSIBLE, f"the last {log.empty_at_end} rounds are empty")
