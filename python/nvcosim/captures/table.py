"""Tables of bus and logic analysers (80-trace-formats section 6.5): one row per access; the first
row or --columns names the columns."""
import re

from nvcosim.captures.source import BLANKS, Source, WORD, hexadecimal, number, shown, wrong_option

_CELLS = 64
_NAMES = (b"time", b"type", b"address", b"data")
_WRITES, _READS = (b"w", b"wr", b"write", b"1", b"mwr"), (b"r", b"rd", b"read", b"0", b"mrd")
_TYPES = {**dict.fromkeys(_WRITES, b"W"), **dict.fromkeys(_READS, b"R")}
# What names of columns contain, in the order in which they are tried.
_HEADERS = ((b"address", (b"addr",)), (b"data", (b"data", b"value")),
            (b"type", (b"r/w", b"type", b"dir", b"op", b"rw", b"write")), (b"time", (b"time",)))
_HEAD = re.compile(rb"(?:#[^\n]*\n)*([^\n]*)").match


def likely(head: bytes) -> int:
    match = _HEAD(head)
    assert match
    row = b"" if match[1].startswith(b"#") else match[1]
    commas = row.count(b",") + row.count(b";") + row.count(b"\t")
    return 30 if 2 <= commas < _CELLS else 0


def _cells(line: bytes, separator: bytes) -> list[bytes]:
    """The cells of a row, without quotes and blanks around them; "" in quotes is one quote."""
    if b'"' not in line:
        return [cell.strip(BLANKS) for cell in line.split(separator)[:_CELLS]]
    cells, cell, quoted, i = [], bytearray(), False, 0
    while i < len(line):
        c = line[i:i + 1]
        if c == b'"' and quoted and line[i + 1:i + 2] == b'"':
            cell += c
            i += 1
        elif c == b'"':
            quoted = not quoted
        elif c == separator and not quoted:
            cells.append(bytes(cell).strip(BLANKS))
            cell.clear()
        else:
            cell += c
        i += 1
    return [*cells, bytes(cell).strip(BLANKS)][:_CELLS]


class _Table:
    def __init__(self, source: Source) -> None:
        self.source = source
        words = source.options.words
        separator = words.get("separator")
        tab = separator in (b"\\t", b"tab")
        if separator is not None and not tab and len(separator) != 1:
            raise wrong_option(b"--separator: found '%s', expected one character, or tab"
                               % separator)
        self.separator = b"\t" if tab else separator
        self.at: dict[bytes, int] = {}  # index of the cell
        self.known = False
        self.most = 0  # cells of a row that the columns need
        self.any = False  # a row with an access has been read
        self.digits = 0  # of the data of the last row
        if "columns" in words:
            self.take_columns(words["columns"])

    def take_columns(self, text: bytes) -> None:
        """ "time:1,type:2,address:3,data:4" """
        for word in text.removesuffix(b",").split(b",") if text else ():
            name, colon, digits = word.partition(b":")
            index = number(digits) if colon and name in _NAMES else None
            if index is None or not 1 <= index <= _CELLS:
                raise wrong_option(b"--columns: found '%s', expected time:N, type:N, address:N or "
                                   b"data:N, N from 1 to %d" % (word, _CELLS))
            self.at[name] = index - 1
        if not all(name in self.at for name in _NAMES[1:]):
            raise wrong_option(b"--columns: found '%s', expected columns for type, address and data"
                               % text)
        self.known = True

    def take_header(self, cells: list[bytes]) -> bool:
        """Takes the columns from the first row, if that consists of names."""
        for i, cell in enumerate(cells):
            lower = cell.lower()
            for name, words in _HEADERS:
                if name not in self.at and any(word in lower for word in words):
                    self.at[name] = i
                    break
        return all(name in self.at for name in _NAMES[1:])

    def take_first(self, cells: list[bytes]) -> bool:
        """Determines the columns from the first row with cells; whether it is a row of data."""
        is_row = False
        if self.known:
            data, kind = self.at[b"data"], self.at[b"type"]
            is_row = (max(data, kind) < len(cells) and hexadecimal(cells[data]) is not None
                      and cells[kind].lower() in _TYPES)
        elif not self.take_header(cells):
            # No names: time, type, address, data, or without time.
            first = 1 if len(cells) >= 4 else 0
            if len(cells) < 3 or cells[first].lower() not in _TYPES:
                raise self.source.error(b"the columns are unknown: found no row of names (type, "
                                        b"address, data); give --columns")
            self.at.update(zip(_NAMES[1:], range(first, first + 3)))
            self.source.guess(b"columns type:%d,address:%d,data:%d"
                              % (first + 1, first + 2, first + 3))
            is_row = True
        self.known = True
        self.most = max(self.at[name] for name in _NAMES[1:]) + 1
        return is_row

    def wrong(self, cells: list[bytes]) -> bytes:
        """What is wrong with a row; nothing if nothing is."""
        if len(cells) < self.most:
            return b"found %d column%s, expected at least %d" % (
                len(cells), b"" if len(cells) == 1 else b"s", self.most)
        for name in (b"address", b"data"):
            cell = cells[self.at[name]]
            if hexadecimal(cell) is None:
                return b"%s: found %s, expected a hexadecimal number" % (name, shown(cell))
        kind = cells[self.at[b"type"]]
        return b"" if kind.lower() in _TYPES else b"type: found %s, expected R or W" % shown(kind)

    def bad_row(self, what: bytes) -> None:
        """The last one may be truncated; any other is an error."""
        if self.source.cut:
            self.source.drop_end()
        else:
            self.source.refuse(what[:159])

    def take_row(self, cells: list[bytes]) -> None:
        source = self.source
        wrong = self.wrong(cells)
        if wrong:
            self.bad_row(wrong)
            return
        text = cells[self.at[b"data"]]
        address, value = int(cells[self.at[b"address"]], 16), int(text, 16)
        offset = source.inside(source.base or 0, source.size, address)
        if offset is None:
            return
        is_last = source.cut and self.at[b"data"] == len(cells) - 1
        if value > WORD or (is_last and len(text) < self.digits):
            self.bad_row(b"data: found more than 32 bits")
            return
        self.digits = len(text)
        self.any = True
        source.access(_TYPES[cells[self.at[b"type"]].lower()], offset, value)


def _separator(line: bytes) -> bytes:
    return max((b",", b";", b"\t", b"|"), key=line.count)


def read(source: Source) -> None:
    table = _Table(source)
    for line in source.lines():
        trimmed = line.strip(BLANKS)
        if not trimmed or trimmed.startswith(b"#"):
            continue
        table.separator = table.separator or _separator(line)
        cells = _cells(line, table.separator)
        if table.most > 0 or table.take_first(cells):
            table.take_row(cells)
    if not table.any and source.outside > 0:
        raise source.error(b"none of its %d accesses is in the register window of 0x%x bytes at "
                           b"0x%x; give --base and --size"
                           % (source.outside, source.size, source.base or 0), 0)
