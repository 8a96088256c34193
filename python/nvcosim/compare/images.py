"""Two memory images, by byte or by the elements of a feature cube (csrc/nvdla/cube.h)."""
import dataclasses
import re
import typing

from nvcosim.text import plural

_PIECE = 1 << 16


def changes(a: bytes | memoryview, b: bytes | memoryview) -> bytes:
    """A byte that is not 0 wherever two texts of equal length differ; b"": nowhere."""
    if a == b:
        return b""
    word = int.from_bytes(a, "little") ^ int.from_bytes(b, "little")
    return word.to_bytes(len(a), "little")


@dataclasses.dataclass(frozen=True)
class Cube:
    """A feature cube: base and strides in bytes, sizes in elements, atom and element in bytes."""
    base: int
    width: int
    height: int
    channels: int
    line: int
    surface: int
    atom: int
    element: int
    batches: int
    batch: int

    @property
    def surfaces(self) -> int:
        return -(-self.channels * self.element // self.atom)

    @property
    def extent(self) -> int:
        """Bytes from the first atom to the end of the last one."""
        return ((self.surfaces - 1) * self.surface + (self.height - 1) * self.line
                + (self.width - 1) * self.atom + (self.batches - 1) * self.batch + self.atom)

    def place(self, address: int) -> str | None:
        """Where the element is that a byte belongs to; None: in none. If atoms overlap, it is the
        last one in the order batch, surface, line, column."""
        for batch in range(self.batches - 1, -1, -1):
            for surface in range(self.surfaces - 1, -1, -1):
                offset = address - self.base - batch * self.batch - surface * self.surface
                if offset < 0:
                    continue
                line = min(offset // self.line, self.height - 1) if self.line else self.height - 1
                offset -= line * self.line
                if offset < self.width * self.atom:
                    return self._name(batch, surface, line, offset)
        return None

    def _name(self, batch: int, surface: int, line: int, offset: int) -> str:
        column, lane = divmod(offset, self.atom)
        channel = surface * (self.atom // self.element) + lane // self.element
        return ((f"batch {batch}, " if self.batches > 1 else "")
                + f"surface {surface}, line {line}, column {column}, channel {channel}"
                + (f", byte {lane % self.element}" if self.element > 1 else "")
                + (" (padding of the last atom)" if channel >= self.channels else ""))


def _different(images: typing.Sequence[bytes]) -> typing.Iterator[tuple[int, bytes]]:
    """The pieces that differ: their place, and a byte that is not 0 for each that differs."""
    a, b = memoryview(images[0]), memoryview(images[1])
    for at in range(0, min(len(a), len(b)), _PIECE):
        size = min(_PIECE, len(a) - at, len(b) - at)
        if differ := changes(a[at:at + size], b[at:at + size]):
            yield at, differ


def compare(names: typing.Sequence[str], images: typing.Sequence[bytes], base: int,
            cube: Cube | None) -> bool:
    """Prints the first difference of two images from address `base` on, and how many bytes differ.
    cube: only its bytes count. Returns whether some do."""
    first, count = 0, 0
    for at, differ in _different(images):
        if cube is None:
            found = at + len(differ) - len(differ.lstrip(b"\0"))
            number = len(differ) - differ.count(0)
        else:
            inside = [at + byte.start() for byte in re.finditer(rb"[^\0]", differ)
                      if cube.place(base + at + byte.start()) is not None]
            found, number = inside[0] if inside else 0, len(inside)
        if not count:
            first = found
        count += number
    if count:
        print(f"first difference at 0x{base + first:08x}: {names[0]} has "
              f"0x{images[0][first]:02x}, {names[1]} has 0x{images[1][first]:02x}"
              + (f"; {cube.place(base + first)}" if cube else ""))
        print(plural(count, "byte differs", "bytes differ"))
    return count > 0
