"""What a failure looks like, in one word: failures of the same signature probably have the same
cause. nvcosim debug is more precise, but looks at few failures.

    trace:SUSPECT             RTL and model agree, the trace expects otherwise: golden, check,
                              programming
    model:UNIT, model:hang    the model alone differs: the unit whose byte is first, or it waits
    rule:AXI-RULE             a finding of a device: the first sign of all
    value:UNIT, golden:UNIT   memory differs between the devices, or from a golden: the unit that
                              wrote the first byte; none: no layer did
    check                     a check of a register failed first
    read                      a register was read with bits that no field has
    hang:ENGINE               nothing moves: the engine at the end of the waits; hang without it
    limit                     it moves, but is not done within its limits
    refused                   the spec leaves the result open
    crash:SIGSEGV, crash:3    the simulator ended without a verdict: by a signal, with a status
    error                     it was not played
"""
import re
import signal
import typing

if typing.TYPE_CHECKING:
    from nvcosim.store.results import Result

WORDS_KEPT = 120
_NUMBER = re.compile("[0-9](?:[0-9a-fA-F]|(?<=0)x)*")  # an x may follow a zero: 0x80


def _of_crash(status: int) -> str:
    try:
        return f"crash:{signal.Signals(status - 128).name}" if status > 128 else f"crash:{status}"
    except ValueError:
        return f"crash:{status}"


def _of_who(result: "Result") -> str | None:
    """Where no engine of the RTL is accused."""
    who = result.disagrees.get("who")
    if who == "trace":
        return f"trace:{result.disagrees.get('suspect') or 'check'}"
    if who == "model":
        unit = (result.mismatch or {}).get("unit") or "none"
        return "model:hang" if result.verdict == "HANG" else f"model:{unit}"
    return None


def accuses_rtl(signature_of_one: str) -> bool:
    """False: the RTL is right as far as is known."""
    return not signature_of_one.startswith(("trace:", "model:"))


def _of_hang(result: "Result") -> str:
    if result.limit not in (None, "--still"):  # it still moved
        return "limit"
    engine = next((device["engine"] for device in result.devices if device.get("engine")), None)
    return f"hang:{engine}" if engine else "hang"


def _of_difference(result: "Result") -> str:
    sign = result.text("sign")
    if sign:
        return sign
    if result.findings:
        return f"rule:{result.findings[0].get('rule')}"
    mismatch = result.mismatch
    if mismatch:
        kind = "golden" if mismatch.get("golden") else "value"
        return f"{kind}:{mismatch.get('unit') or 'none'}"
    return "check"


def signature(result: "Result") -> str | None:
    """None for a result that passed."""
    match result.verdict:
        case "FAIL":
            return _of_who(result) or _of_difference(result)
        case "HANG":
            return _of_who(result) or result.text("sign") or _of_hang(result)
        case "CRASH":
            return _of_crash(result.exit_status)
        case "REFUSED" | "ERROR":
            return result.verdict.lower()
    return None


def _word(word: str) -> str:
    """A word without what differs from trace to trace: a path is "...", and so is what is too long
    to be a word; numbers are "#"."""
    return "..." if "/" in word or len(word.encode("utf-8", "surrogateescape")) > WORDS_KEPT \
        else _NUMBER.sub("#", word)


def likeness(result: "Result") -> str | None:
    """The signature, and the words of the reason where it says little: of crashes, errors,
    refusals, and where no RTL was compared with a model."""
    found = signature(result)
    telling = result.verdict in ("FAIL", "HANG") and "+" in result.dut  # rtl+model
    if not found or telling or not result.reason:
        return found
    words, kept = [], 0
    for word in re.split("[ \t\n]+", result.reason.strip(" \t\n")):
        if kept >= WORDS_KEPT:
            break
        words.append(_word(word))
        kept += len(words[-1].encode("utf-8", "surrogateescape")) + 1
    return f"{found}: {' '.join(words)}"
