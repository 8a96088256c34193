"""Register prints of a patched kernel driver (80-trace-formats section 6.2) in dmesg or journal
text: interleaved with other lines, with any prefix, broken by serial consoles.

    dla_reg_write: addr(0x3010, 0xc04), wval(0x1)"""
import re
import typing

from nvcosim.captures.source import Source, WORD, number

_LONGEST, _PIECES = 512, 4  # of a line broken by a console
_PRINT = re.compile(rb"(?<![A-Za-z0-9_])dla_reg_(write|read):").search
_NEAR = re.compile(rb"(?<![A-Za-z0-9_])dla_reg_").search
_END = re.compile(rb"(?<![A-Za-z0-9_])dla_r").search
_BROKEN = re.compile(rb"(?<![A-Za-z0-9_])d(?:l(?:a(?:_(?:r(?:eg?)?)?)?)?)?\Z").search
_RUN = re.compile(rb"[A-Za-z0-9]*").match
_HEX = rb"0x[0-9a-fA-F]{1,16}"
_NUMBER = re.compile(_HEX).fullmatch
_WHOLE = re.compile(rb"(?<![A-Za-z0-9_])dla_reg_(write|read): addr\((%s), %s\), ([wr])val"
                    rb"\((%s)\)" % (_HEX, _HEX, _HEX)).search


class _Piece(typing.NamedTuple):
    """A line, or the rest of one."""
    line: bytes
    number: int
    cut: bool


def likely(head: bytes) -> int:
    return 95 if _PRINT(head) else 60 if b"Probe NVDLA config" in head else 0


def _parse(rest: bytes, is_write: bool) -> tuple[bytes, tuple[int, int] | None]:
    """Takes "addr(0xADDRESS, 0xWORD), wval(0xVALUE)" off: the rest, address and value."""
    numbers = []
    for before in (b" addr(", b", ", b"), wval(" if is_write else b"), rval("):
        if not rest.startswith(before):
            return rest, None
        run = _RUN(rest, len(before))
        assert run
        rest = rest[run.end():]
        if not _NUMBER(run[0]):
            return rest, None
        numbers.append(int(run[0], 16))
    if not rest.startswith(b")"):
        return rest, None
    return rest[1:], (numbers[0], numbers[2]) if numbers[2] <= WORD else None


def _begins_new(line: bytes) -> bool:
    """A line begins a new message: prefix of the kernel, a serial console or a journal."""
    return not line or line[:1] in (b"[", b"<") or b" kernel:" in line


def _dropped(line: bytes) -> int | None:
    """ "** N printk messages dropped **" """
    before, found, _ = line.partition(b"printk messages dropped")
    fields = before.partition(b"** ")[2].split(None, 1) if found else []
    return number(fields[0]) if fields else None


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source, self.lines = source, source.lines()
        self.kept: _Piece | None = None  # read ahead

    def next(self) -> _Piece | None:
        kept, self.kept = self.kept, None
        if kept:
            return kept
        line = next(self.lines, None)
        return None if line is None else _Piece(line, self.source.at, self.source.cut)

    def complete(self, first: _Piece) -> None:
        """An incomplete register print: the next line may be the rest of it."""
        whole, line, cut = first
        for pieces in range(1, _PIECES + 1):
            found = _PRINT(whole)
            if found:
                rest, access = _parse(whole[found.end():], found[1] == b"write")
                another = _PRINT(rest)  # a line feed is lost
                if another:
                    self.kept = _Piece(rest, line, cut)
                if access:
                    self.source.access(b"W" if found[1] == b"write" else b"R", *access, line)
                    return
                if another:
                    cut = False
                    break
            more = None
            if not cut and pieces < _PIECES and len(whole) <= _LONGEST:
                more = self.next()
            if more is None:
                break
            cut = more.cut
            if _begins_new(more.line):
                self.kept = more
                break
            whole += more.line
        what = b"the file ends inside this line" if cut else \
            b"a register access that is truncated or mixed with other text"
        self.source.drop(what + b": dropped (a truncated number would be wrong)", line)

    def join(self, first: _Piece) -> bool:
        """Appends the next line to this one if that makes a print; then they are parsed again."""
        more = self.next()
        if more is None:
            return False
        whole = first.line + more.line
        if not _begins_new(more.line) and _PRINT(whole):
            more = _Piece(whole, first.number, more.cut)
        self.kept = more
        return True

    def other(self, piece: _Piece) -> None:
        """A line without a print."""
        line, at, cut = piece
        dropped = _dropped(line)
        if dropped is not None:
            self.source.hole(b"%d printk messages dropped" % dropped, at)
            return
        if not cut and _BROKEN(line) and self.join(piece):
            return
        if cut and _END(line):
            self.source.drop(b"the file ends inside this line: dropped", at)
        self.source.driver_line(line)


def read(source: Source) -> None:
    reader = _Reader(source)
    while piece := reader.next():
        line = piece.line
        if line.count(b"dla_reg_") == 1:
            match = _WHOLE(line)
            if match and match[1][:1] == match[3] and (value := int(match[4], 16)) <= WORD:
                source.access(match[3].upper(), int(match[2], 16), value, piece.number)
                continue
        if _NEAR(line):
            reader.complete(piece)
        else:
            reader.other(piece)
