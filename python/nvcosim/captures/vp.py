"""Logs of the virtual platform (80-trace-formats section 4): lines of csb_adaptor, dbb_adaptor and
sram_adaptor, mixed with any other console output."""
import re

from nvcosim.captures.source import Source, hexadecimal, number

_MARK, _OK = b"_adaptor: GP:", b"TLM_OK_RESPONSE"
_BYTES = 4096  # of one access
_TOKEN = re.compile(rb"\s*(\S*)").match
_BYTE = rb"(?:[0-9a-fA-F]{2}|XX)"
_WORD = re.compile(_BYTE + b"{4}").fullmatch
_GROUPED = re.compile(rb"%s(?:_%s){0,3}_?" % (_BYTE, _BYTE)).fullmatch


def likely(head: bytes) -> int:
    return 90 if _MARK in head else 50 if b"sc_log control string" in head else 0


def _data(rest: bytes) -> tuple[bytes, bytes]:
    """Words up to "resp=": the bytes as hexadecimal digits or XX, empty if they are incomplete, and
    the response. A word is a number, "01020304", so its last two digits are the first byte, or
    bytes in memory order, "12_34_XX_XX", possibly fewer than four at an unaligned end."""
    made: list[bytes] = []
    count = 0
    for word in rest.split():
        if word.startswith(b"resp="):
            response = word[5:]  # other text may follow without a blank
            return b"".join(made), _OK if response.startswith(_OK) else response
        if count + 4 > _BYTES:
            break
        if _WORD(word):
            made += (word[6:], word[4:6], word[2:4], word[:2])
            count += 4
        elif (len(word) < 8 or b"_" in word) and _GROUPED(word):
            made.append(word.replace(b"_", b""))
            count += len(made[-1]) // 2
        else:
            break
    return b"", b""


def _take(source: Source, line: bytes, at: int) -> None:
    """A line of an adaptor; at: after the mark."""
    write, where, size, data, response = b"", None, None, b"", b""
    while not line.startswith((b" data=0x", b"data=0x"), at):
        match = _TOKEN(line, at)
        assert match
        word, at = match[1], match.end()
        if word.startswith(b"iswrite="):
            write = word[8:]
        elif word.startswith(b"addr="):
            where = hexadecimal(word[5:])
        elif word.startswith(b"len="):
            size = number(word[4:])
        elif not word:
            break
    match = _TOKEN(line, at)
    if match and match[1].startswith(b"data=0x"):
        at = match.end()
        data, response = _data(line[at:])
    if len(response) >= len(_OK) and response != _OK:
        source.refuse(b"response %s: the access did not happen" % response)
        return
    count = len(data) // 2
    if count == 0 or count != size or len(write) != 1 or where is None or response != _OK:
        source.drop((b"the file ends inside this line" if source.cut else
                     b"a transaction that is truncated or mixed with other text") + b": dropped")
        return
    reporter = line[:at]
    if b"csb_adaptor" in reporter:
        if count != 4:
            source.refuse(b"a register access of %d bytes, expected 4" % count)
            return
        value = int.from_bytes(bytes.fromhex(data.replace(b"XX", b"00").decode()), "little")
        source.access(b"W" if write == b"1" else b"R", where, value)
        return
    space = b"secondary" if b"sram_adaptor" in reporter else b"primary"
    kind = b"w" if write == b"1" else b"r"
    source.records.append(b"%s %x %s %x %s" % (kind, source.at, space, where, data.lower()))


def _other(source: Source, line: bytes) -> None:
    """A line without a transaction."""
    level = line.partition(b" value=")[2] if b"IRQ: irq_line=" in line else b""
    if level:
        source.records.append(b"i %x %d" % (source.at, level.startswith(b"1")))
        return
    if source.cut and b"nvdla." in line:  # inside a transaction
        source.drop_end()
    source.driver_line(line)


def read(source: Source) -> None:
    for line in source.lines():
        at = line.find(_MARK)
        if at < 0:
            _other(source, line)
            continue
        while at >= 0:
            at += len(_MARK)
            another = line.find(_MARK, at)
            if another >= 0:  # a line end is missing; the name of the reporter is before the mark
                another = max(at, *(line.rfind(c, at, another) + 1 for c in (b".", b" ")))
                _take(source, line[:another], at)
                line = line[another:]
                at = line.find(_MARK)
            else:
                _take(source, line, at)
                break
