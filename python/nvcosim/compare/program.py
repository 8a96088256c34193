"""What a trace or a capture programs, as `nvcosim programming` prints it
(csrc/compare/programming.h)."""
import bisect
import dataclasses
import typing

from nvcosim.compare.images import changes


@dataclasses.dataclass
class Launch:
    """at: the operation that arms it. line: of that, 0: unknown. registers: by offset / 4. blocks:
    the same of the descriptors of BDMA. reads: [space, address, size]."""
    unit: str
    ordinal: int
    at: int
    line: int
    registers: list[int]
    blocks: list[list[int]]
    reads: list[list[int]]

    def word(self, offset: int, block: int | None = None) -> int:
        """A register of its unit when it was armed; of BDMA that of a descriptor, as long as the
        launch has one of that number."""
        words, at = self.registers, offset // 4
        if block is not None and block < len(self.blocks) and at < len(self.blocks[block]):
            words = self.blocks[block]
        return words[at] if at < len(words) else 0


class Memory:
    """Bytes at addresses. loaded: [address, bytes in hex], ascending, without overlaps."""

    def __init__(self, loaded: typing.Iterable[tuple[int, str]]) -> None:
        self._pieces = [(address, bytes.fromhex(text)) for address, text in loaded]
        self._starts = [address for address, _ in self._pieces]

    def parts(self, address: int, size: int) -> typing.Iterator[tuple[int, bytes]]:
        """What was loaded of a range: offset and bytes."""
        at = max(bisect.bisect_right(self._starts, address) - 1, 0)
        for start, content in self._pieces[at:]:
            if start >= address + size:
                break
            content = content[max(address - start, 0):max(address + size - start, 0)]
            if content:
                yield max(start - address, 0), content


def different(memories: typing.Sequence[Memory], starts: typing.Sequence[int],
              size: int) -> tuple[int, int]:
    """How many bytes of two ranges differ, as far as both are loaded, and the offset of the first
    one."""
    count, first = 0, 0
    for at, content in memories[0].parts(starts[0], size):
        for offset, other in memories[1].parts(starts[1] + at, len(content)):
            differ = changes(content[offset:offset + len(other)], other)
            if differ and not count:
                first = at + offset + len(differ) - len(differ.lstrip(b"\0"))
            count += len(differ) - differ.count(0)
    return count, first


@dataclasses.dataclass
class Program:
    """launches: in order of arming. writes: of registers, [operation, address, value]. memory: of
    each space, what is loaded."""
    config: str
    launches: list[Launch]
    writes: list[list[int]]
    memory: list[Memory]

    @classmethod
    def of(cls, found: dict[str, typing.Any]) -> "Program":
        """From the JSON."""
        return cls(found["config"], [Launch(**launch) for launch in found["launches"]],
                   found["writes"], [Memory(space) for space in found["memory"]])
