"""Messages of the driver, the runtime and the kernel in a log, found in lines of any form. Spec:
86-driver-log sections 1, 2 and 6.

A message is searched for anywhere in a line, so time stamps, journal prefixes, quotes and the
message before it, which may lack its line end, do no harm. Lines without a message are skipped.
Memory is bounded: at most LINE_MOST bytes of a line are looked at."""
import dataclasses
import enum
import re
import typing

from nvcosim import files, text
from nvcosim.tool import Failure

LINE_MOST = 4096
NONE = -1
UNITS = ("BDMA", "Convolution", "SDP", "PDP", "CDP", "RUBIK")  # as the driver prints them
BDMA, CONV, SDP, PDP, CDP, RUBIK = range(len(UNITS))
_LONG_MOST = (1 << 63) - 1
_NUMBER_MOST = 23  # characters that are read of a number


class Kind(enum.IntEnum):
    """Kinds of messages: of the driver, from ASSERTION on its errors, from BLOCKED on of others."""
    PROBE = 0        # rest: compatible string
    NETWORK = 1      # a task begins
    INITIATE = 2     # the heads are about to be submitted
    INITIATED = 3    # number 0: status
    RESET = 4        # the engine is reset: probe, or the end of a task
    PREPARE = 5      # unit, numbers: operation, ROI, dependency counter
    PREPARING = 6    # registers of the operation are about to be read
    GROUP = 7        # unit, number 0: group
    PROGRAM = 8      # unit, number 0: operation
    EDGE = 9         # number 0: operation, 2: counter before
    ENABLE = 10      # unit, number 0: operation
    ENABLED = 11     # the operation enabled last is armed
    ENABLED_END = 12  # its edges are done
    ROUND_UNIT = 13  # unit: its events are about to be handled
    ROUND_LEFT = 14  # number 0: status, as a word
    WEIGHTS = 15     # unit, number 0: group
    DATA = 16        # the same
    DONE = 17        # the same
    COMPLETED = 18   # unit, number 0: operation
    LAYERS = 19      # numbers: done, of all
    ASSERTION = 20   # rest: file, line, condition
    TASK_FAILED = 21
    FAULT = 22       # cause: what the message stands for
    OTHER = 23       # a line of the driver that only shows that it runs
    BLOCKED = 24     # number 0: seconds that a process waits
    STALL = 25       # a processor runs in a loop
    UNCLAIMED = 26   # an interrupt that no driver takes
    NULL_POINTER = 27
    IN_HANDLER = 28  # a call trace has the driver's event handler
    ADDRESS = 29     # number 0: of a buffer, as a port of the driver prints it
    RUN = 30         # the runtime begins
    SUBMIT = 31      # it submits
    IOCTL = 32       # rest: text of the error
    PASS = 33
    PICTURE = 34     # the picture has other channels than the network's input
    NO_PICTURE = 35  # the runtime does not know the type of the picture


# Kind, of faults the cause, and nvdla if the line must name the device: the text. %u: name of a
# unit; %d, %x: a number.
_PATTERNS = """
probe: Probe NVDLA config\x20
network: Enter:dla_read_network_config
initiate: Enter: dla_initiate_processors
initiated: Exit: dla_initiate_processors status=%d
reset: reset engine done
prepare: Prepare %u operation index %d ROI %d dep_count %d
preparing: Enter: dla_prepare_operation
group: processor:%u group:%d
program: Program %u operation index %d
edge: Update dependency operation index %d ROI %d DEP_COUNT=%d
enable: Enable %u operation index %d
enabled: Enter: dla_op_enabled
enabled_end: Exit: dla_op_enabled
round_unit: Enter:dla_handle_events, processor:%u
round_left: Exit:dla_handle_events, ret:%x
weights: Handle cdma weight done event, processor %u group %d
data: Handle cdma data done event, processor %u group %d
done: Handle op complete event, processor %u group %d
completed: Completed %u operation index %d
layers: HWLs done, totally %d
assertion: Assertion Fail(
task_failed: Task execution failed
other: Enter: dla_
other: Exit: dla_
other: Exit:dla_
other: no desc get due to index==-1
fault configuration: is not supported for this configuration
fault busy: Already some task in progress
fault busy: register groups are busy
fault loadable: Invalid src_data.mem_type
fault loadable: Invalid dst_data.mem_type
fault loadable: Invalid SrcInput
fault loadable: Invalid DstInput
fault loadable: Invalid precision:\x20
fault loadable: Invalid Stride (x[
fault loadable: Invalid split_num
fault loadable: Invalid pool_
fault loadable: Destination buffer for PDP
fault loadable: CDP does not support precision
fault loadable: Invalid source/destination memory type
fault loadable: Invalid number of transfers
fault loadable: Invalid op_head\x20
fault loadable: Invalid fused op type
fault loadable: Failed to update dependency for
fault loadable: Operation descriptor is NULL
fault loadable: Fetched [op_type=
fault loadable: op_cache[op=
fault loadable: unrecognized interface
picture: Mismatched channel
fault environment: Failed to allocate memory for op_head
fault environment: Failed get dma_buf
fault environment: Failed to vmap dma_buf
fault environment: failed to copy address list
fault environment: failed to allocate sgt
fault environment: Failed to allocate handle
fault environment: failed to open dla device
fault environment: Out of bounds DLA instance
fault environment: ynchronous External Abort
fault environment: ynchronous external abort
fault environment: SError Interrupt
fault environment: Bad mode in\x20
fault environment nvdla: failed to register drm device
fault environment nvdla: failed with error -
fault environment nvdla: no irq resource
fault environment nvdla: Missing DT entry!
blocked nvdla: blocked for more than %d
stall: detected stall
stall: soft lockup
stall: ard LOCKUP
unclaimed: body cared
unclaimed: Disabling IRQ #
null_pointer: NULL pointer dereference
in_handler: dla_handle_events+0x
in_handler: dla_op_completion+0x
address: dma_addr: 0x%x
address: dma_addr: %x
run: creating new runtime context
submit: submitting tasks...
ioctl: Error IOCTL failed (
pass: Test pass
no_picture: Unknown image type
"""


@dataclasses.dataclass(slots=True)
class Message:
    """line: the whole line; rest: what follows the message in it. number: of the line, from 1.
    time: seconds since boot, < 0: the line has none."""
    kind: Kind
    cause: str = ""
    unit: int = 0
    numbers: tuple[int, int, int] = (0, 0, 0)
    line: bytes = b""
    rest: bytes = b""
    number: int = 0
    time: float = -1


@dataclasses.dataclass(frozen=True)
class _Pattern:
    kind: Kind
    cause: str
    device: bool
    form: str  # a regular expression without groups
    parts: re.Pattern[bytes]
    bases: list[int]  # of its numbers


_FORMS = {"%u": "(?:" + "|".join(UNITS) + ")",
          "%d": f"(?:-[0-9]{{1,{_NUMBER_MOST - 1}}}|[0-9]{{1,{_NUMBER_MOST}}})",
          "%x": f"(?:-[0-9a-f]{{1,{_NUMBER_MOST - 1}}}|[0-9a-f]{{1,{_NUMBER_MOST}}})"}


def _pattern(row: str) -> _Pattern:
    words, _, shown = row.partition(": ")
    kind, *more = words.split(" ")
    causes = [word for word in more if word != "nvdla"]
    pieces = re.split("(%[udx])", shown)
    form, parts = ("".join(named.get(piece) or re.escape(piece) for piece in pieces)
                   for named in (_FORMS, {key: f"({value})" for key, value in _FORMS.items()}))
    return _Pattern(Kind[kind.upper()], causes[0] if causes else "", "nvdla" in more, form,
                    re.compile(parts.encode()),
                    [16 if piece == "%x" else 10 for piece in pieces if piece in ("%d", "%x")])


def _by_first() -> dict[int, list[_Pattern]]:
    """All patterns by their first byte."""
    found: dict[int, list[_Pattern]] = {}
    for pattern in map(_pattern, _PATTERNS.strip().split("\n")):
        found.setdefault(pattern.form.encode()[0], []).append(pattern)
    return found


_BY_FIRST = _by_first()
# One alternative for each first byte: most bytes of a log are none.
_ANY = re.compile(b"|".join(
    bytes([first]) + b"(?:" + b"|".join(p.form.encode()[1:] for p in patterns) + b")"
    for first, patterns in _BY_FIRST.items()))
_TIME = re.compile(rb"(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def _time(line: bytes) -> float:
    """The kernel's time stamp, "[    4.864097]"."""
    stamp = line.partition(b"[")[2].partition(b"]")[0].replace(b" ", b"")[:31]
    time = float(stamp) if _TIME.fullmatch(stamp) else -1
    return time if time < 1e12 else -1


def _message(line: bytes, number: int, pattern: _Pattern, found: re.Match[bytes]) -> Message:
    words = list(found.groups())
    unit = UNITS.index(words.pop(0).decode()) if len(words) > len(pattern.bases) else 0
    numbers = [max(min(int(word, base), _LONG_MOST), -_LONG_MOST - 1)
               for word, base in zip(words, pattern.bases)]
    if pattern.kind == Kind.LAYERS:  # "3 HWLs done, totally 11"
        before = re.search(rb"([0-9]{0,9}) *$", line[:found.start()])
        numbers.insert(0, int(before[1] or b"0") if before else 0)
    numbers += [0] * (3 - len(numbers))
    return Message(pattern.kind, pattern.cause, unit, (numbers[0], numbers[1], numbers[2]), line,
                   line[found.end():], number, _time(line))


def in_line(line: bytes, number: int) -> typing.Iterator[Message]:
    """The messages in a line."""
    line = line[:LINE_MOST]
    any_found = _ANY.search(line)
    while any_found:
        start = any_found.start()
        at = start + 1
        for pattern in _BY_FIRST[line[start]]:
            if (found := pattern.parts.match(line, start)) and (
                    not pattern.device or b"nvdla" in line.partition(b"\0")[0].lower()):
                yield _message(line, number, pattern, found)
                at = found.end()
                break
        any_found = _ANY.search(line, at)


def _lines(path: str) -> typing.Iterator[bytes]:
    """The lines of a log that is read piece by piece, each as far as it is looked at."""
    rest, size = b"", 0
    for piece in files.pieces(path):
        size += len(piece)
        lines = piece.split(b"\n")
        lines[0] = rest + lines[0]
        rest = lines.pop()[:LINE_MOST]
        yield from lines
    if rest:
        yield rest
    if not size:
        raise Failure(f"{path}: found an empty file; expected the log of the driver (dmesg, "
                      "journalctl -k)")


def read(path: str) -> typing.Iterator[Message]:
    """All messages of a log; "-": of standard input. Failure; a log of zero bytes is refused."""
    for number, line in enumerate(_lines(path), 1):
        yield from in_line(line, number)


def shown(content: bytes, most: int) -> str:
    """Bytes as they may be shown, cut at so many bytes but not inside an escape."""
    used, pieces = 0, []
    for character in content[:most].decode("utf-8", "surrogateescape"):
        piece = text.shown(character)
        used += len(piece.encode("utf-8"))
        if used > most:
            break
        pieces.append(piece)
    return "".join(pieces)
