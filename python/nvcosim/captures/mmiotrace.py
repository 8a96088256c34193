"""Linux mmiotrace (80-trace-formats section 6.3): register accesses by physical address, of all
devices."""
import re
import typing

from nvcosim.captures.source import HEX, NUMBER, Source, WINDOW, WORD, hexadecimal, number

_MAPS = 256
# R|W width ts id phys value pc pid
_ACCESS = re.compile(rb"\s*([RW])\s+(%s)\s+\S+\s+(%s)\s+(%s)\s+(%s)(?!\S)"
                     % (NUMBER, NUMBER, HEX, HEX)).match
# What takes a line, its least fields, and which numbers after the id.
_Taker = tuple[typing.Callable[..., None], int, tuple[int, ...]]


def likely(head: bytes) -> int:
    if head.startswith(b"VERSION "):
        return 100
    return 80 if b"\nMAP " in head and (b"\nW 4 " in head or b"\nR 4 " in head) else 0


class _Maps:
    """The current mappings, as (id, physical, length)."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.maps: list[tuple[int, int, int]] = []
        self.found: dict[bytes, tuple[int, int] | None] = {}  # by the word for the id
        self.guessed = False

    def cut_line(self) -> None:
        """A malformed line of a known type."""
        if self.source.cut:
            self.source.drop_end()
        else:
            self.source.refuse(b"a line of mmiotrace that cannot be read")

    def map(self, one: int, physical: int, length: int) -> None:
        """MAP ts id phys virt len pc pid"""
        if len(self.maps) == _MAPS:
            raise self.source.error(b"more than %d mappings at a time" % _MAPS)
        self.maps.append((one, physical, length))
        self.found.clear()

    def unmap(self, one: int) -> None:
        """UNMAP ts id pc pid"""
        i = 0
        while i < len(self.maps):
            if self.maps[i][0] == one:
                self.maps[i] = self.maps[-1]
                self.maps.pop()
            else:
                i += 1
        self.found.clear()

    def window(self, one: int) -> tuple[int, int] | None:
        """Base and size of the register window for accesses to this mapping; None: not NVDLA's."""
        source = self.source
        if source.base is not None:
            return source.base, source.size
        large = [mapping for mapping in self.maps if mapping[2] >= WINDOW]
        mine = [mapping for mapping in large if mapping[0] == one]
        if not mine:
            return None
        if len(large) > 1:
            raise source.error(
                b"%d mappings are large enough for the registers (at %s): give the physical "
                b"address of the register window with --base"
                % (len(large), b", ".join(b"0x%x" % physical for _, physical, _ in large)))
        if not self.guessed:
            source.guess(b"the registers are at 0x%x, the only mapping that is large enough"
                         % mine[0][1])
        self.guessed = True
        return mine[0][1:]

    def unknown(self, one: int, physical: int) -> None:
        """UNKNOWN ts id phys bytes pc pid"""
        window = self.window(one)
        offset = self.source.inside(*window, physical) if window else None
        if offset is not None:
            self.source.hole(b"UNKNOWN access to the registers, at 0x%05x: its value is not in the "
                             b"file" % offset)

    def mark(self, line: bytes) -> None:
        lost = line.partition(b"Lost ")[2].split(None, 1)
        count = number(lost[0]) if lost else None
        if count is not None:
            self.source.hole(b"Lost %d events (of all devices; the mark comes later than the hole)"
                             % count)

    def access(self, fields: tuple[bytes, ...]) -> None:
        source = self.source
        kind, width_word, word, physical, value_word = fields
        width = 4 if width_word == b"4" else number(width_word)
        if word not in self.found:
            one = number(word)
            if one is None or width is None:
                self.cut_line()
                return
            self.found[word] = self.window(one)
        window = self.found[word]
        if width is None:
            self.cut_line()
        elif not window:
            source.outside += 1
        elif (offset := source.inside(*window, int(physical, 16))) is not None:
            value = int(value_word, 16)
            if width not in (4, 8):
                source.refuse(b"an access of %d bytes to the registers, expected 4 (or 8, which "
                              b"are two)" % width)
                return
            source.access(kind, offset, value & WORD)
            if width == 8:
                source.access(kind, offset + 4, value >> 32)


def read(source: Source) -> None:
    maps = _Maps(source)
    takers: dict[bytes, _Taker] = {
        b"MAP": (maps.map, 6, (3, 5)), b"UNMAP": (maps.unmap, 3, ()),
        b"UNKNOWN": (maps.unknown, 4, (3,))}
    for line in source.lines():
        match = _ACCESS(line)
        if match and not (source.cut and len(line.split()) < 8):
            maps.access(match.groups())
            continue
        fields = line.split(None, 8)[:8]
        kind = fields[0] if fields else b"VERSION"
        if kind in takers:
            take, least, places = takers[kind]
            values = [number(fields[2]), *(hexadecimal(fields[i]) for i in places)] \
                if len(fields) >= least else [None]
            if None in values:
                maps.cut_line()
            else:
                take(*values)
        elif kind == b"MARK":
            maps.mark(line)
        elif kind not in (b"VERSION", b"PCIDEV", b"LSPCI"):
            maps.cut_line()
