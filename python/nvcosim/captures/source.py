"""The lines of a capture, and the records that csrc/import/log.c reads: one a line, numbers in
hexadecimal, LINE 0 for the file as a whole.

    format NAME                       the first one; empty: of none of the formats here
    W|R LINE OFFSET VALUE             a register is written, read
    w|r LINE primary|secondary ADDRESS BYTES     the same of memory; xx: this byte is left unchanged
    i LINE LEVEL                      level of the interrupt line
    h LINE TEXT                       accesses are missing; also a dropped remark
    d|g LINE TEXT                     remark: something is dropped, guessed
    f, p BYTES                        the next file begins; bytes read so far
    x LINE TEXT, X TEXT               the last one: an error of the capture, of an option
    e OUTSIDE LAYERS                  the last one: the end, what it counted"""
import os
import re
import sys
import typing

from nvcosim import files, text
from nvcosim.tool import Failure

LINE_LIMIT, TEXT_LIMIT = 1 << 20, 1 << 31
WINDOW = 0x40000
WORD, LONG = (1 << 32) - 1, (1 << 64) - 1
BLANKS = b" \t\r\v\f"

HEX = rb"(?:0[xX])?[0-9a-fA-F]{1,16}"
NUMBER = rb"(?:0[xX][0-9a-fA-F]+|[0-9]+)"
_HEX, _NUMBER = re.compile(HEX).fullmatch, re.compile(NUMBER).fullmatch
_LAYERS = re.compile(rb"([0-9]{0,9}) HWLs done")
_MARK = b"\xef\xbb\xbf"  # in front of UTF-8
_PIECE = 1 << 14
_SHOWN = 40


def hexadecimal(token: bytes) -> int | None:
    """The whole token as a hexadecimal number of 64 bits, with or without 0x."""
    return int(token, 16) if _HEX(token) else None


def number(token: bytes) -> int | None:
    """The same of a decimal number, or a hexadecimal one with 0x."""
    if not _NUMBER(token):
        return None
    digits = token.lstrip(b"0")
    value = int(token, 16) if digits[:1] in (b"x", b"X") else int(digits[:21] or b"0")
    return value if value <= LONG else None


def shown(token: bytes) -> bytes:
    """As a message shows it: in quotes, at most 40 bytes."""
    if not token:
        return b"nothing"
    more = b"..." if len(token) > _SHOWN else b""
    return b'"%s%s"' % (os.fsencode(text.shown(os.fsdecode(token[:_SHOWN]))), more)


class Options(typing.NamedTuple):
    """Of the user; those of csv and pattern are in `words`."""
    force: bool
    base: int | None
    size: int
    words: dict[str, bytes]


class Refused(Exception):
    """An error, as its record."""

    def __init__(self, record: bytes) -> None:
        super().__init__()
        self.record = record


def wrong_option(message: bytes) -> Refused:
    return Refused(b"X " + message.replace(b"\n", b"\\n")[:4096])


class Lines:
    """The lines of a file; number and cut (the file ends inside it) are those of the last one."""

    def __init__(self, path: str) -> None:
        self.path, self.number, self.taken, self.cut = path, 0, 0, False

    def _checked(self, line: bytes, n: int) -> bytes:
        wrong = ("found a line of more than 1048576 bytes, the longest that is read; "
                 "is this a trace?" if len(line) > LINE_LIMIT else
                 "found more than 2147483648 bytes of text, the most that is read"
                 if self.taken + n > TEXT_LIMIT else
                 "found a zero byte; expected a text file" if b"\0" in line else "")
        if wrong:
            raise Failure(f"{self.path}:{self.number}: {wrong}")
        return (line.removeprefix(_MARK) if self.number == 1 else line).rstrip(b"\r")

    def __iter__(self) -> typing.Iterator[bytes]:
        rest = b""
        for piece in files.regular_pieces(self.path, _PIECE):
            block = rest + piece
            lines = block.split(b"\n")
            rest = lines.pop()
            size = len(block) - len(rest)
            plain = (self.number > 0 and b"\0" not in block and b"\r" not in block
                     and size <= LINE_LIMIT and self.taken + size <= TEXT_LIMIT)
            n = 0
            for line in lines:
                self.number += 1
                n += len(line) + 1
                yield line if plain else self._checked(line, n)
            self.taken += size
            if len(rest) > LINE_LIMIT:
                self.number += 1
                self._checked(rest, 0)
        if rest:
            self.number += 1
            self.cut = True
            yield self._checked(rest, len(rest) + 1)


class Source:
    """A capture: one file, or several that follow each other."""

    def __init__(self, name: str, paths: list[str], options: Options) -> None:
        self.name, self.paths, self.options = name, paths, options
        self.base, self.size = options.base, options.size or WINDOW
        self.file = Lines(paths[0])
        self.records: list[bytes] = []
        self.outside = self.layers = 0

    def begin(self) -> None:
        """Nothing is wrong with the options."""
        self.records.append(b"format " + self.name.encode())

    def flush(self) -> None:
        """Sends the records so far."""
        self.records.append(b"")
        sys.stdout.buffer.write(b"\n".join(self.records))
        sys.stdout.buffer.flush()
        self.records.clear()

    def lines(self) -> typing.Iterator[bytes]:
        """The lines of all files."""
        self.begin()
        done = sent = 0
        try:
            for path in self.paths:
                if path is not self.paths[0]:
                    self.records.append(b"f")
                    self.file = Lines(path)
                for line in self.file:
                    if self.file.taken != sent:
                        sent = self.file.taken
                        self.records.append(b"p %x" % (done + sent))
                        self.flush()
                    yield line
                done += self.file.taken
        except Failure as failure:
            where, message = f"{self.file.path}: ", str(failure)
            at = self.file.number if not message.startswith(where) else 0
            message = message.removeprefix(f"{self.file.path}:{at}: " if at else where)
            raise self.error(os.fsencode(message), at) from None

    @property
    def at(self) -> int:
        """Number of the line returned last."""
        return self.file.number

    @property
    def cut(self) -> bool:
        """Whether the file ends inside it."""
        return self.file.cut

    def _remark(self, kind: bytes, message: bytes, line: int | None) -> bytes:
        return b"%s %x %s" % (kind, self.at if line is None else line, message[:LINE_LIMIT - 32])

    def drop(self, message: bytes, line: int | None = None) -> None:
        self.records.append(self._remark(b"d", message, line))

    def guess(self, message: bytes) -> None:
        self.records.append(self._remark(b"g", message, None))

    def error(self, message: bytes, line: int | None = None) -> Refused:
        """An error, even with --force."""
        return Refused(self._remark(b"x", message[:4096], line))

    def refuse(self, message: bytes, line: int | None = None) -> None:
        """An error; with --force, what it is about is dropped."""
        if not self.options.force:
            raise self.error(message + b"; --force imports the rest", line)
        self.drop(message, line)

    def hole(self, message: bytes, line: int | None = None) -> None:
        """Accesses are missing: an error; with --force a hole."""
        if not self.options.force:
            raise self.error(message[:2048] + b": accesses are missing, and what follows may "
                             b"depend on them; --force imports the rest", line)
        self.records.append(self._remark(b"h", message, line))

    def drop_end(self) -> None:
        """The last line of the file is not whole."""
        self.drop(b"the file ends inside this line: dropped")

    def access(self, kind: bytes, offset: int, value: int, line: int | None = None) -> None:
        """kind: W or R."""
        self.records.append(b"%s %x %x %x" % (kind, line or self.file.number, offset, value))

    def offset(self, address: int) -> int | None:
        """Of an address in the register window, if only --base explains it; counts others."""
        if self.base is None and address >= self.size:
            raise self.error(b"address 0x%x is not the byte offset of a register; give the base of "
                             b"the registers with --base" % address)
        return self.inside(self.base or 0, self.size, address)

    def inside(self, base: int, size: int, address: int) -> int | None:
        """The same of a window."""
        if 0 <= address - base < size:
            return address - base
        self.outside += 1
        return None

    def driver_line(self, line: bytes) -> None:
        """ "N HWLs done, totally M layers" of the kernel driver reports its progress."""
        found = _LAYERS.search(line) if b" HWLs done" in line else None
        if found:
            self.layers = max(self.layers, int(found[1] or b"0"))
