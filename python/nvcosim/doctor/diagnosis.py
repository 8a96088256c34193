"""From what the log of a task shows to causes: how far the driver came, and what can have stopped
it, likeliest first. Spec: 86-driver-log sections 3 to 5."""
from nvcosim.doctor import waiting
from nvcosim.doctor.case import Case
from nvcosim.doctor.messages import BDMA, CONV, NONE, UNITS
from nvcosim.doctor.network import Network
from nvcosim.doctor.operation import Last
from nvcosim.doctor.state import Log
from nvcosim.doctor.verdict import CERTAIN, Diagnosis, LIKELY, POSSIBLE

# What the runtime prints of the driver's code, for logs without the driver's own reason.
_CODES = (
    ("Cannot allocate memory", "busy", LIKELY,
     "the driver's code 12 means that a task is in progress, seldom memory"),
    ("Exec format error", "environment", LIKELY,
     "the driver's code 8 means that it found no memory"),
    ("No such process", "configuration", POSSIBLE,
     "the driver's code 3 means that it refused a layer: made for other hardware than the driver's "
     "compatible string says? dmesg has the reason"),
    ("No such process", "loadable", POSSIBLE,
     "or the file is damaged, or of another version of the driver"),
)


# ---- errors that the driver prints


def _fault(case: Case) -> None:
    log, diagnosis, blame = case.log, case.diagnosis, case.diagnosis.blame
    assert log.fault
    diagnosis.verdict = "hang" if log.fault_waits and not log.ended else "error"
    case.set_layer(log.fault_operation,
                   None if log.fault_operation == NONE else case.unit(log.fault_operation))
    if log.wrapped != NONE:
        assert log.unarmed
        blame("loadable", LIKELY, log.unarmed)
        blame("loadable", LIKELY,
              "a counter of edges wrapped below 0: operations of a task before are programmed "
              "again; a file of several tasks whose last operations link to the next task")
    blame(log.fault_cause if log.wrapped == NONE else "loadable",
          LIKELY if log.fault_is_assertion or log.busy else CERTAIN, log.fault)
    if log.fault_cause == "reads-ones":
        if log.unarmed:
            blame("reads-ones", LIKELY, log.unarmed)
        blame("reads-ones", LIKELY,
              "the status of CACC is not idle for a group that is free: a register window that "
              "reads ffffffff does that; check the link, the bridge and the power domain, read "
              "GLB.S_NVDLA_HW_VERSION with devmem")
        blame("busy", POSSIBLE,
              "CACC is busy in a group whose done bit was set, or since a task before")
    elif log.fault_cause == "busy" and log.fault_is_assertion:
        blame("busy", LIKELY,
              "a unit is not idle in the group that is to be programmed: a task before hung, or a "
              "group did not end although its done bit was set; load the module anew after a reset")
        blame("reads-ones", POSSIBLE, "a unit whose status reads ones looks the same")
    elif log.fault_cause == "configuration":
        blame("loadable", POSSIBLE, "a damaged descriptor looks the same")
    elif log.fault_cause == "loadable":
        blame("configuration", POSSIBLE,
              "the driver's structures may be those of another version")
    if diagnosis.verdict == "hang":
        diagnosis.notes.append("the error occurred in a round of events, where the driver "
                               "drops it and waits for ever")


def _busy(case: Case) -> None:
    if case.log.busy:
        case.diagnosis.blame("busy", CERTAIN, case.log.busy)
        case.diagnosis.blame("busy", CERTAIN, "a task before has not ended; every submit fails "
                             "until the module is loaded anew (rmmod, insmod)")


def _code(case: Case) -> None:
    for text, cause, certainty, evidence in _CODES:
        if case.log.ioctl == text and case.log.failed:
            case.diagnosis.blame(cause, certainty, case.log.failed)
            case.diagnosis.blame(cause, certainty, evidence)


def _picture(case: Case) -> None:
    if case.log.picture:
        case.diagnosis.blame("loadable", LIKELY, case.log.picture)
        case.diagnosis.blame("loadable", LIKELY,
                             "the picture has other channels than the input of the network")


def _environment(case: Case) -> None:
    line = case.log.environment
    if not line:
        return
    case.diagnosis.blame("environment", CERTAIN, line)
    if "drm device" in line.text or "error -12" in line.text:
        case.diagnosis.blame(
            "environment", CERTAIN,
            "the probe declares memory at c0000000, 1 GiB: the device tree must have it; from "
            "Linux 4.15 on the driver's check of the result is wrong and fails always: correct it")


def _address(case: Case) -> None:
    log = case.log
    if not log.address:
        return
    certainty = CERTAIN if log.address_impossible and not log.ended else LIKELY
    case.diagnosis.blame("environment", certainty, log.address)
    case.diagnosis.blame(
        "environment", certainty,
        "a buffer at an address that is 0 or no multiple of 8: its memory was not allocated or not "
        "mapped for DMA; check the memory-region in the device tree and the DMA mask"
        if log.address_impossible else
        "two buffers of one run have this address: what one engine writes destroys the other; "
        "check how the port of the driver allocates memory")


def _crash(case: Case) -> None:
    log, blame = case.log, case.diagnosis.blame
    assert log.null_pointer
    case.diagnosis.verdict = "error"
    first_unit = log.round_unit in (BDMA, CONV)
    likely = "reads-ones" if first_unit else "status-sticky"
    case.set_layer(case.first_in_flight, None if first_unit else UNITS[log.round_unit])
    blame(likely, LIKELY, log.null_pointer)
    shows = "S_INTR_STATUS reads ones" if first_unit else \
        "it was not cleared by its write, for the units before have no such bit"
    blame(likely, LIKELY, "the event handler met a done bit of a group of "
          f"{UNITS[log.round_unit]} without an operation: {shows}")
    if first_unit:
        blame("status-sticky", POSSIBLE,
              "a done bit that is not cleared, or of another unit, does the same")
    else:
        blame("reads-ones", POSSIBLE,
              "a status that reads ones has bits of operations that do not run")


def _sticky(case: Case) -> None:
    log, blame = case.log, case.diagnosis.blame
    assert log.unarmed
    case.set_layer(log.unarmed_operation, case.unit(log.unarmed_operation))
    blame("status-sticky", LIKELY, log.unarmed)
    blame("status-sticky", LIKELY, "an operation completed that was not armed: the done bit of one "
          "before it was not cleared by its write")
    blame("reads-ones", POSSIBLE, "a status that reads ones has bits of operations that do not run")


# ---- a task that has ended


def _end(case: Case) -> None:
    log, diagnosis, blame = case.log, case.diagnosis, case.diagnosis.blame
    diagnosis.verdict = "good"
    if log.unarmed_operation != NONE or log.early:
        diagnosis.verdict = "data"
        waiting.early(case)
        if log.unarmed_operation != NONE:
            _sticky(case)
        return
    if log.address:
        diagnosis.verdict = "data"
        _address(case)
    if log.unclaimed:
        diagnosis.verdict = "error"
        blame("interrupt-stuck", LIKELY, log.unclaimed)
        blame("interrupt-stuck", LIKELY, "the task ended, but the line stayed active; if it is "
              "NVDLA's (/proc/interrupts), the next task gets no interrupt")
    if log.events > 0 and not log.fetch_events and any(
            operation.unit == CONV and operation.completed for operation in log.operations):
        blame("harmless", LIKELY, "the driver never saw a done bit of CDMA; no operation waits for "
              "them, so the result is right")
    blame("good", LIKELY if diagnosis.causes else CERTAIN,
          f"the task ended: {log.done} of {log.layers} layers")
    blame("data", POSSIBLE, "a log shows nothing about data: compare the output with that of "
          "nvcosim run NET.nvdla --input PICTURE")
    if log.no_picture:
        diagnosis.notes.append("the runtime did not read the picture: it knows only .pgm and .jpg, "
                               "and ran on what was in memory")


# ---- all


def _open_task(case: Case) -> None:
    log, diagnosis = case.log, case.diagnosis
    cut = log.last == Last.BUSY and not case.is_woken_for_nothing and not log.blocked and \
        not log.stall
    diagnosis.verdict = "unknown" if cut else "hang"
    if cut:
        diagnosis.notes.append("the log is cut while the driver works: it may just as well have "
                               "ended")
    _address(case)
    if log.wrapped != NONE and log.unarmed:
        diagnosis.blame("loadable", LIKELY, log.unarmed)
    current = log.find(log.current)
    if log.unarmed_operation != NONE:
        _sticky(case)
    elif log.null_pointer and log.in_handler:
        _crash(case)
    elif log.last == Last.ENABLE and current and current.unit == CONV:
        waiting.flush(case, log.current)
    elif log.last in (Last.PREPARING, Last.PROGRAM, Last.ENABLE):
        waiting.dead_access(case)
    else:
        waiting.waiting(case)


def _without_task(case: Case) -> None:
    log, diagnosis, blame = case.log, case.diagnosis, case.diagnosis.blame
    _address(case)
    if diagnosis.causes:
        diagnosis.verdict = "error"
    elif log.blocked:
        diagnosis.verdict = "hang"
        blame("interrupt-never", POSSIBLE, "the runtime waits for an interrupt for more than "
              f"{log.blocked_seconds} seconds; the log has no line of the driver that shows for "
              "which")
    elif log.passed:
        diagnosis.verdict = "good"
        blame("good", LIKELY, "the runtime ended with Test pass")
        blame("data", POSSIBLE, "Test pass says nothing about data")
    else:
        diagnosis.notes.append("the log has lines of the driver, but none of a task" if log.messages
                               else "no line of the driver: its prints may be switched off")


def _list_armed(case: Case) -> None:
    """What is armed, in order of arming, first what the schedule has added; and the events that are
    due."""
    armed = [(operation, number) for number, operation in enumerate(case.log.operations)
             if operation.is_armed]
    for operation, number in sorted(armed, key=lambda pair: pair[0].arming):
        case.diagnosis.armed.append(f"{case.unit(number)} {number}")
        if not case.in_flight(operation):
            continue
        if operation.unit == CONV and not operation.weights:
            case.diagnosis.due.append(f"CDMA weights of Convolution {number}")
        if operation.unit == CONV and not operation.data:
            case.diagnosis.due.append(f"CDMA data of Convolution {number}")
        case.diagnosis.due.append(f"{case.unit(number)} {number}")


def _name_layer(case: Case) -> None:
    layer = case.diagnosis.layer
    if layer == NONE:
        return
    if not case.task or layer >= len(case.task.operations):
        case.diagnosis.name = f"{case.unit(layer)} {layer}"
        return
    case.diagnosis.name = case.task.operations[layer].name
    case.diagnosis.least_clocks = case.task.operations[layer].least_clocks


def _diagnose(case: Case) -> None:
    log, diagnosis = case.log, case.diagnosis
    if log.fault:
        _fault(case)
    _environment(case)
    _busy(case)
    if not log.has_task and not diagnosis.causes:
        _code(case)
        _picture(case)
    if diagnosis.causes and (log.fault or log.ended or not log.has_task):
        diagnosis.verdict = diagnosis.verdict if log.fault else "error"
    elif not log.has_task:
        _without_task(case)
    elif log.ended and log.failed:
        diagnosis.verdict = "error"
        case.set_layer(log.current, None)
        diagnosis.blame("loadable", POSSIBLE, log.failed)
        _code(case)
    elif log.ended or log.layers > 0 and log.done == log.layers and case.first_in_flight == NONE:
        _end(case)
    else:
        _open_task(case)
    if case.contradiction:
        text = f"the log is not of this network: {case.contradiction}"
        diagnosis.blame("loadable", POSSIBLE, text)
        diagnosis.notes.append(text)
    if diagnosis.verdict == "hang" and not diagnosis.causes:
        diagnosis.verdict = "unknown"
        diagnosis.notes.append("the driver waits; the log does not show for what")
    diagnosis.causes.sort(key=lambda cause: cause.certainty)
    _list_armed(case)
    _name_layer(case)


def diagnose(log: Log, network: Network | None, small: bool | None) -> Diagnosis:
    """Of one task. network: None: not known; the log is completed from it where its beginning is
    missing. small: the hardware has the register map of small, None: unknown. Failure if the
    network cannot be read."""
    diagnosis = Diagnosis(task=log.tasks - 1 if log.tasks else NONE)
    case = Case(log, diagnosis, small)
    if network:
        task, case.contradiction = network.align(log)
        case.small_network = task.small
        if not case.contradiction:
            case.task = task
            diagnosis.task = task.number
    _diagnose(case)
    return diagnosis
