"""A bounded reader of FlatBuffers. Each offset, count and size is checked against the file before
it is used; the total that is read is bounded by the size of the file."""
import dataclasses
import typing

from nvcosim.networks.graph import Refused

_TEXT_MAX = 511  # bytes of a message behind its offset
_Code = typing.Literal["B", "i", "q"]
_SIZES: dict[_Code, int] = {"B": 1, "i": 4, "q": 8}


@dataclasses.dataclass(frozen=True)
class Table:
    """what, index: for messages. at: its offset, 0: absent, and all fields have default values.
    fields: offset of its vtable, which has that many bytes."""
    what: str
    index: int
    at: int = 0
    fields: int = 0
    size: int = 0


@dataclasses.dataclass(frozen=True)
class Vector:
    """at: offset of the first element."""
    at: int = 0
    count: int = 0


class Flat:
    def __init__(self, name: str, data: bytes) -> None:
        self.name, self.data, self.size = name, memoryview(data), len(data)
        self.bytes_of_file = f"the file (0x{self.size:x} bytes)"
        # Strings may be shared, but a file that has the same bytes again and again is damaged.
        self.budget = 2 * self.size

    def fail(self, at: int, what: str) -> typing.NoReturn:
        cut = what.encode("utf-8", "surrogateescape")[:_TEXT_MAX]
        raise Refused(f"{self.name}: offset 0x{at:x}: {cut.decode('utf-8', 'surrogateescape')}")

    def inside(self, at: int, size: int) -> bool:
        return 0 <= at <= self.size - size

    def load(self, at: int, size: int, signed: bool = False) -> int:
        return int.from_bytes(self.data[at:at + size], "little", signed=signed)

    def _table(self, at: int, what: str, index: int) -> Table:
        if not self.inside(at, 4):
            self.fail(at, f"{what} {index}: the table begins past the end of {self.bytes_of_file}; "
                          "the file is cut or damaged")
        fields = at - self.load(at, 4, True)
        if not self.inside(fields, 4):
            self.fail(at, f"{what} {index}: found its vtable at {fields}, expected an offset "
                          f"inside {self.bytes_of_file}")
        size = self.load(fields, 2)
        if size < 4 or not self.inside(fields, size):
            self.fail(fields, f"{what} {index}: found a vtable of {size} bytes, expected 4 or "
                              "more, inside the file")
        return Table(what, index, at, fields, size)

    def root(self, what: str) -> Table:
        at = self.load(0, 4)
        if not self.inside(at, 4):
            self.fail(0, f"found its first table at 0x{at:x}, expected it inside "
                         f"{self.bytes_of_file}: it is cut, or no {what}")
        return self._table(at, what, 0)

    def has(self, table: Table, k: int) -> bool:
        return (table.at != 0 and 6 + 2 * k <= table.size and
                self.load(table.fields + 4 + 2 * k, 2) != 0)

    def _place(self, table: Table, k: int, size: int, field: str) -> int:
        """Offset in the file of field k, 0 if the table does not have it."""
        if not self.has(table, k):
            return 0
        place = table.fields + 4 + 2 * k
        offset = self.load(place, 2)
        # The table's own size is not checked: some compilers write a smaller one.
        if not self.inside(table.at, offset + size):
            self.fail(place, f"{table.what} {table.index}: found its {field} {offset} bytes into "
                             f"the table, expected it inside {self.bytes_of_file}")
        return table.at + offset

    def number(self, table: Table, k: int, size: int, field: str, signed: bool = False) -> int:
        at = self._place(table, k, size, field)
        return self.load(at, size, signed) if at else 0

    def vector(self, table: Table, k: int, size: int, field: str) -> Vector:
        """Elements of that many bytes."""
        at = self._place(table, k, 4, field)
        if not at:
            return Vector()
        to, where = at + self.load(at, 4), f"{table.what} {table.index}"
        if not self.inside(to, 4):
            self.fail(at, f"{where}: found its {field} at 0x{to:x}, expected an offset inside "
                          f"{self.bytes_of_file}")
        count = self.load(to, 4)
        if not self.inside(to + 4, count * size):
            self.fail(to, f"{where}: found {count} elements of {size} bytes in its {field}, "
                          f"expected at most the {self.size - to - 4} bytes that the file has left")
        if count > self.budget:
            self.fail(to, f"vectors and strings hold more than twice the {self.size} bytes of the "
                          "file; expected them not to overlap")
        self.budget -= count
        return Vector(to + 4, count)

    def _elements(self, table: Table, k: int, size: int, field: str) -> memoryview:
        found = self.vector(table, k, size, field)
        return self.data[found.at:found.at + size * found.count]

    def numbers(self, table: Table, k: int, code: _Code, field: str) -> memoryview:
        return self._elements(table, k, _SIZES[code], field).cast(code)

    def floats(self, table: Table, k: int, field: str) -> typing.Sequence[float]:
        return self._elements(table, k, 4, field).cast("f")

    def entry(self, vector: Vector, i: int, what: str) -> Table:
        """Element i of a vector of tables."""
        at = vector.at + 4 * i
        return self._table(at + self.load(at, 4), what, i)

    def tables(self, vector: Vector, what: str) -> typing.Iterator[Table]:
        return (self.entry(vector, i, what) for i in range(vector.count))

    def table(self, table: Table, k: int, what: str) -> Table:
        """A field that is a table."""
        at = self._place(table, k, 4, what)
        if not at:
            return Table(what, table.index)
        return self._table(at + self.load(at, 4), what, table.index)
