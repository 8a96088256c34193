"""A network that `nvcosim compile` has turned into a trace (traces/FORMAT.md, "Networks"): what its
outputs and layers leave in memory."""
import contextlib
import dataclasses
import re
import subprocess
import sys
import tempfile
import typing

from nvcosim import configurations
from nvcosim.tool import Failure, program

_TYPES = {"int8": 1, "int16": 2, "half": 0}  # bytes of an integer
_CHECK = re.compile(r"mem_check (\w+) (0x[0-9a-f]+) blob=(\d+)")
_LOAD = re.compile(r"mem_load \w+ 0x[0-9a-f]+ blob=(\d+)")
_LAYER = re.compile(r"# network layer ([0-9.]+ [A-Z]+)")
_OUTPUT = re.compile(
    r"# network output (\S+) (\w+) (0x[0-9a-f]+) (0x[0-9a-f]+)(?: (\w+) format (\d+) atom (\d+) "
    r"nchw (\d+) (\d+) (\d+) (\d+) line (\d+) surface (\d+))?")
_RESET_CLOCKS = 10000


@dataclasses.dataclass
class Check:
    """line: of the trace. parts: (offset, bytes) of what the model leaves."""
    line: int
    space: str
    base: int
    parts: list[tuple[int, bytes]]

    @property
    def extent(self) -> int:
        return max((at + len(part) for at, part in self.parts), default=0)

    def over(self, found: bytes, source: bytes | None = None) -> bytes:
        """Bytes with those of the model, or of a source of the same extent, in their places."""
        whole = bytearray(found)
        for at, part in self.parts:
            whole[at:at + len(part)] = part if source is None else source[at:at + len(part)]
        return bytes(whole)


@dataclasses.dataclass
class Tensor:
    """An output. element: bytes of an integer, 0: FP16, or the format is not known (sizes ())."""
    name: str
    space: str
    base: int
    size: int
    type: str = ""
    format: int = 0
    atom: int = 0
    sizes: tuple[int, ...] = ()  # n, c, h, w
    line: int = 0
    surface: int = 0

    @property
    def element(self) -> int:
        return _TYPES.get(self.type, 0)

    def place(self, c: int, y: int, x: int, atom: int = 0) -> int:
        """Offset of an element of the first picture. atom: channels, 0: as the memory has it."""
        atom = atom or self.atom
        return (c // atom * self.surface + y * self.line
                + (x * atom + c % atom) * (self.element or 2))


def _bytes(lines: typing.Sequence[str]) -> list[tuple[int, bytes]]:
    """The parts of a blob."""
    parts: list[tuple[int, bytearray]] = [(0, bytearray())]
    for word in " ".join(lines).split():
        if word.startswith("@"):
            parts.append((int(word[1:], 0), bytearray()))
        else:
            digits, _, times = word.partition("*")
            parts[-1][1].extend(bytes.fromhex(digits) * int(times or "1"))
    return [(at, bytes(part)) for at, part in parts if part]


def _size(lines: typing.Sequence[str]) -> int:
    """Bytes of a blob."""
    words = (word.partition("*") for word in " ".join(lines).split() if not word.startswith("@"))
    return sum(len(digits) // 2 * int(times or "1") for digits, _, times in words)


class Compiled:
    """outputs: in the order of the network. layers: (number and type, its check or None), in the
    order of the trace."""

    def __init__(self, network: str, options: typing.Sequence[str]) -> None:
        self.outputs: list[Tensor] = []
        self.layers: list[tuple[str, Check | None]] = []
        self._checks: list[Check] = []
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/net.nvt"
            words = [program(), "compile", *options, f"--output={path}", "--", network]
            done = subprocess.run(words, capture_output=True, check=False, encoding="utf-8",
                                  errors="surrogateescape")
            if done.returncode:
                raise Failure(done.stderr.strip().removeprefix("nvcosim: "))
            self.warnings = done.stderr
            with open(path, encoding="utf-8") as file:
                self._lines = file.read().split("\n")
        self.config = self._lines[1].split(" ")[1]
        self._blobs: dict[str, tuple[int, int]] = {}
        self._read()
        row = configurations.row(self.config)
        self.atom, self.beat = int(row["mem_atom"]), int(row["dbb_data_bits"]) // 8

    def _read(self) -> None:
        label, start = "", 0
        for number, line in enumerate(self._lines):
            if line.startswith(" "):
                continue
            if line.startswith("blob "):
                label, start = line.split(" ")[1], number + 1
            elif line == "end":
                self._blobs[label] = start, number
            elif found := _CHECK.match(line):
                check = Check(number, found[1], int(found[2], 16), _bytes(self._blob(found[3])))
                self._checks.append(check)
                if self.layers and self.layers[-1][1] is None:
                    self.layers[-1] = self.layers[-1][0], check
            elif found := _LAYER.match(line):
                self.layers.append((found[1], None))
            elif found := _OUTPUT.match(line):
                name, space, base, size, kind, *numbers = found.groups()
                output = Tensor(name, space, int(base, 16), int(size, 16))
                if kind:
                    form, atom, n, c, h, w, row, surface = map(int, numbers)
                    output = dataclasses.replace(output, type=kind, format=form, atom=atom,
                                                 sizes=(n, c, h, w), line=row, surface=surface)
                self.outputs.append(output)

    def _blob(self, label: str) -> list[str]:
        start, end = self._blobs[label]
        return self._lines[start:end]

    def layer(self, name: str) -> Check | None:
        """The check of the cube that a layer, TASK.OPERATION, wrote."""
        return next((check for layer, check in self.layers
                     if layer.startswith(f"{name} ") and check), None)

    def at(self, space: str, base: int) -> Check | None:
        """The last check at an address: that of the final content."""
        return next((check for check in reversed(self._checks)
                     if (check.space, check.base) == (space, base)), None)

    def play_part(self, path: str, check: Check) -> int:
        """Writes the trace as far as the check, without checks, and with the bytes of that check as
        its only output, "cube". Returns the clocks that a play takes, by the bytes it loads."""
        lines = [line for line in self._lines[:check.line]
                 if not line.startswith(("mem_check ", "mem_crc ", "# network output "))]
        lines.append(f"# network output cube {check.space} {check.base:#x} {check.extent:#x}")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        loaded = sum(_size(self._blob(found[1])) for line in lines if (found := _LOAD.match(line)))
        return loaded // self.beat + _RESET_CLOCKS

    def say_warnings(self) -> None:
        """Of the compiler, on stderr."""
        with contextlib.suppress(BrokenPipeError):
            sys.stderr.write(self.warnings)
            sys.stderr.flush()
