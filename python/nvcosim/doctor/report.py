"""A diagnosis as text and as JSON (docs/doctor.md). megahertz: NVDLA's clock on the board; 0:
unknown, 100 is assumed."""
import json
import typing

from nvcosim import text
from nvcosim.doctor.messages import NONE
from nvcosim.doctor.state import Log
from nvcosim.doctor.verdict import CERTAINTIES, Diagnosis

_MEGAHERTZ_ASSUMED = 100.0
# Waits below this many times its clocks do not show that a layer hangs: the memory of a board may
# be slower.
_SLOW = 20.0


def _waited_seconds(log: Log, diagnosis: Diagnosis) -> float:
    """Seconds that the log waited after the last arming; 0: it does not show them."""
    if diagnosis.verdict != "hang":
        return 0
    shown = log.last_time - log.time_of_arming if log.time_of_arming >= 0 else 0
    return max(log.blocked_seconds, shown) if log.blocked else shown


def _waited(log: Log, diagnosis: Diagnosis, megahertz: float) -> typing.Iterator[str]:
    clock, waited = megahertz or _MEGAHERTZ_ASSUMED, _waited_seconds(log, diagnosis)
    estimated = diagnosis.estimated_clocks
    needed = estimated or diagnosis.least_clocks
    how = "takes about" if estimated else "needs at least"
    if needed:
        yield (f"the layer {how} {needed} clocks: {needed / clock / 1e3:.3f} ms at {clock:g} MHz"
               + ("" if megahertz else " (assumed; --clock gives it)"))
    if waited > 0 and log.blocked:
        yield f"a process waits for more than {log.blocked_seconds} seconds"
    elif waited > 0:
        yield f"the log ends {waited * 1e3:.3f} ms after the last arming"
    if waited > 0 and needed:
        clocks = waited * clock * 1e6
        yield (f"that is {clocks:.0f} clocks, {clocks / needed:.3g} times what the layer "
               f"{'takes' if estimated else how}"
               + ("; it may only be slow, or the log was cut: wait longer"
                  if clocks < _SLOW * needed else ""))


def lines(name: str, log: Log, diagnosis: Diagnosis, megahertz: float) -> typing.Iterator[str]:
    """The text. name: of the log."""
    head = f"{text.shown(name)}: {diagnosis.verdict}"
    if diagnosis.layer != NONE:
        task = f"task {diagnosis.task}, " if diagnosis.task != NONE else ""
        head += f" at {task}layer {diagnosis.layer}: {diagnosis.name}"
    if diagnosis.mixed_tasks:
        head += f": lines of {diagnosis.mixed_tasks} tasks are mixed"
    yield head
    if log.layers:
        yield (f"{log.done} of {log.layers} layers done, {text.plural(log.rounds, 'round')} of "
               f"events, {log.empty_rounds} of them empty")
    for title, listed in (("armed", diagnosis.armed), ("due", diagnosis.due)):
        if listed:
            yield f"{title}: {', '.join(listed)}"
    if diagnosis.layer != NONE:
        yield from _waited(log, diagnosis, megahertz)
    for note in diagnosis.notes:
        yield f"note: {note}"
    for cause in diagnosis.causes:
        yield f"{CERTAINTIES[cause.certainty]}: {cause.cause}"
        yield from (f"    {evidence}" for evidence in cause.evidence)
    if diagnosis.verdict == "hang" and len(diagnosis.causes) > 1:
        yield ("the log cannot decide between these: send /proc/interrupts before and after, and "
               "S_INTR_STATUS, S_STATUS and S_POINTER of all units read with devmem")


def as_json(log: Log, diagnosis: Diagnosis, megahertz: float) -> str:
    """One object."""
    waited = _waited_seconds(log, diagnosis)
    found: dict[str, typing.Any] = {
        "verdict": diagnosis.verdict,
        "task": None if diagnosis.task == NONE else diagnosis.task,
        "layer": None if diagnosis.layer == NONE else diagnosis.layer,
        "name": diagnosis.name, "engine": diagnosis.engine, "armed": diagnosis.armed,
        "due": diagnosis.due, "notes": diagnosis.notes,
        "causes": [{"cause": cause.cause, "certainty": CERTAINTIES[cause.certainty],
                    "evidence": cause.evidence} for cause in diagnosis.causes]}
    if diagnosis.least_clocks:
        found["least_clocks"] = diagnosis.least_clocks
    if diagnosis.estimated_clocks:
        found["estimated_clocks"] = diagnosis.estimated_clocks
    if waited > 0:
        found["waited_seconds"] = float(waited)
    found["megahertz"] = megahertz or _MEGAHERTZ_ASSUMED
    found["megahertz_given"] = megahertz > 0
    return json.dumps(found, indent=1, ensure_ascii=False)
