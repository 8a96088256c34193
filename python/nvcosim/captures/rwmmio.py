"""The rwmmio trace events of Linux (80-trace-formats section 6.3): register accesses by virtual
address, as ftrace or trace-cmd prints them, with an arrow between two callers or without. A write
is in rwmmio_write, or in rwmmio_post_write alone; a read in rwmmio_post_read. Width is in bits."""
import re
import typing

from nvcosim.captures.source import Source, WORD, hexadecimal, number

_EVENTS = (b"write", b"post_write", b"read", b"post_read")
_EVENT = re.compile(rb"(?<![A-Za-z0-9_])rwmmio_(write|post_write|read|post_read):").findall
_OPEN = 64  # accesses of all processors that have begun, and not ended


class _Begun(typing.NamedTuple):
    event: bytes
    line: int
    offset: int
    value: int


def likely(head: bytes) -> int:
    return 90 if b"rwmmio_write:" in head or b"rwmmio_post_read:" in head else 0


def _value(fields: list[bytes], name: bytes) -> bytes:
    """Of the first word NAME=VALUE."""
    return next((field[len(name):] for field in fields if field.startswith(name)), b"")


def _drop(source: Source, begun: _Begun) -> None:
    """An access that nothing has ended."""
    if begun.event == b"read":
        source.drop(b"a read of 0x%05x without its answer: dropped" % begun.offset, begun.line)


def _begin(source: Source, begun: list[_Begun], new: _Begun) -> None:
    """An access begins; one that nothing has ended makes room."""
    for old in begun[:]:
        if new.event == old.event == b"read" and old.offset == new.offset:
            _drop(source, old)
            begun.remove(old)
    if len(begun) == _OPEN:
        _drop(source, begun.pop(0))
    begun.append(new)


def _end(begun: list[_Begun], event: bytes, offset: int, value: int) -> bool:
    """An access has ended; False if it had not begun."""
    for i, old in enumerate(begun):
        if old.event == event and old.offset == offset and (event == b"read" or old.value == value):
            del begun[i]
            return True
    return False


def _take(source: Source, begun: list[_Begun], event: bytes, line: bytes) -> bool:
    """An event; whether it is an access."""
    if source.cut:
        source.drop(b"the file ends with this line, which may be truncated: dropped")
        return False
    fields = line.split()
    address = hexadecimal(_value(fields, b"addr="))
    if address is None:
        source.refuse(b"a line of rwmmio without an address (addr=0x...)")
        return False
    offset = source.offset(address)
    if offset is None:
        return False
    width = number(_value(fields, b"width=")) or 0
    value = hexadecimal(_value(fields, b"val=")) if event != b"read" else 0
    if width not in (32, 64):
        source.refuse(b"an access of %d bits to the registers, expected 32 (or 64, which are two)"
                      % width)
        return False
    if value is None or (width == 32 and value > WORD):
        source.refuse(b"a line of rwmmio without a value of %d bits (val=0x...)" % width)
        return False
    if event in (b"read", b"write"):
        _begin(source, begun, _Begun(event, source.at, offset, value))
    if event == b"read" or (event == b"post_write" and _end(begun, b"write", offset, value)):
        return False
    if event == b"post_read":
        _end(begun, b"read", offset, 0)
    kind = b"R" if event == b"post_read" else b"W"
    source.access(kind, offset, value & WORD)
    if width == 64:
        source.access(kind, offset + 4, value >> 32)
    return True


def read(source: Source) -> None:
    begun: list[_Begun] = []
    for line in source.lines():
        if b"EVENTS DROPPED]" in line or (b"[LOST " in line and b" EVENTS]" in line):
            source.hole(line)
        elif b"rwmmio_" in line:
            found = _EVENT(line)
            if len(found) > 1:
                found = [event for event in _EVENTS if event in found]
            for event in found:
                if _take(source, begun, event, line):
                    break
    for old in begun:
        _drop(source, old)
