"""Traces written by Python, for `nvcosim run` (traces/FORMAT.md). A function that programs a layer
through registers by name and put_cube() works for a Device and for a Trace alike."""
import gzip
import pathlib
import typing
import zlib

from nvcosim import layout
from nvcosim.registers import Registers, Value
from nvcosim.tool import Failure


class TraceMemory:
    """Memory of a trace: what is put into it is loaded when the trace comes to that place."""

    def __init__(self, trace: "Trace", address: int, size: int) -> None:
        self.trace, self.address, self.size = trace, address, size

    def __setitem__(self, place: slice, data: typing.Any) -> None:
        data = bytes(data)
        start = place.start or 0
        if place.step or start < 0 or start + len(data) > self.size or \
                place.stop not in (None, start + len(data)):
            raise ValueError(f"found {len(data)} bytes for [{start}:{place.stop}], expected as many"
                             f" inside the {self.size} bytes of the memory")
        self.trace.lines.append(f"mem_load primary {self.address + start:#x} "
                                f"blob={self.trace.blob(data)}")

    def put_cube(self, offset: int, array: typing.Any, line: int = 0, surface: int = 0) -> None:
        """As of device.Memory."""
        self[offset:] = layout.cube_bytes(array, self.trace.config, line, surface)

    def put_weights(self, offset: int, array: typing.Any) -> int:
        """As of device.Memory."""
        data = layout.weight_bytes(array, self.trace.config)
        self[offset:] = data
        return len(data)

    def check(self, offset: int, data: bytes) -> None:
        """The memory must be these bytes when the trace comes to this place."""
        self.trace.lines.append(f"mem_check primary {self.address + offset:#x} "
                                f"blob={self.trace.blob(bytes(data))}")

    def check_cube(self, offset: int, array: typing.Any, line: int = 0, surface: int = 0) -> None:
        """The same for a feature cube, all bytes of it."""
        self.check(offset, layout.cube_bytes(array, self.trace.config, line, surface))

    def check_crc(self, offset: int, data: bytes) -> None:
        """The same by their CRC-32, which takes less room."""
        self.trace.lines.append(f"mem_crc primary {self.address + offset:#x} {len(data):#x} "
                                f"{zlib.crc32(data):#010x}")


class Trace:
    """Commands in order, each after the one before it."""

    def __init__(self, config: str = "small") -> None:
        self.config = config
        self.registers = Registers(config)
        self.lines: list[str] = []
        self._words: dict[int, int] = {}
        self._blobs = 0

    def blob(self, data: bytes) -> int:
        """Adds content; its label."""
        rows = (data[i:i + 32] for i in range(0, len(data), 32))
        self.lines += [f"blob {self._blobs}", *(f"  {row.hex()}" for row in rows), "end"]
        self._blobs += 1
        return self._blobs - 1

    def __setitem__(self, name: str, value: Value) -> None:
        """A register write, as of Device. Other bits of a field's register are those that the
        trace wrote last, or 0."""
        address, word = self.registers.word(name, value, lambda at: self._words.get(at, 0))
        self._words[address] = word
        register = self.registers.find(name)[0].full
        self.lines.append(f"reg_write {register} {word:#x}")

    def check(self, name: str, value: int) -> None:
        """A register, or a field of it, must have that value."""
        register, field = self.registers.find(name)
        mask = f" mask={field.mask:#x}" if field else ""
        self.lines.append(f"read_check {register.full} == {value << (field.lsb if field else 0):#x}"
                          f"{mask}")

    def memory(self, address: int, size: int) -> TraceMemory:
        """Declares primary memory that the design may use."""
        self.lines.append(f"mem_reserve primary {address:#x} {size:#x}")
        return TraceMemory(self, address, size)

    def wait(self) -> None:
        """Waits until the interrupt line is 1, then clears what is set in GLB.S_INTR_STATUS."""
        register, _ = self.registers.find("GLB.S_INTR_STATUS")
        self.lines += ["wait high", f"reg_write {register.full} {register.mask:#x}", "wait low"]

    def comment(self, words: str) -> None:
        """A comment of one line."""
        self.lines.append("# " + " ".join(words.split()))

    def save(self, path: str | pathlib.Path) -> pathlib.Path:
        """Writes it to a file NAME.nvt or NAME.nvt.gz, and returns the path."""
        path = pathlib.Path(path)
        if not path.name.endswith((".nvt", ".nvt.gz")):
            raise Failure(f"{path}: found no name of a trace, expected NAME.nvt or NAME.nvt.gz")
        head = ["nvt 1", f"config {self.config}", "mode sequential"]
        data = ("\n".join([*head, *self.lines]) + "\n").encode()
        part = path.with_name(path.name + ".part")
        part.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
        part.replace(path)
        return path
