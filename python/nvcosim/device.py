"""NVDLA as a device of this program: the RTL or the model, in a process of its own (libnvcosim)."""
import ctypes
import ctypes.util
import functools
import os
import typing

from nvcosim import layout, tool
from nvcosim.registers import Registers, Value

Array: typing.TypeAlias = typing.Any  # numpy.ndarray

PAGE = 4096


class DeviceError(RuntimeError):
    """What libnvcosim says of a call that failed."""


class _Options(ctypes.Structure):
    _fields_ = [("config", ctypes.c_char_p), ("dut", ctypes.c_char_p),
                ("program", ctypes.c_char_p), ("options", ctypes.POINTER(ctypes.c_char_p))]


# Of each function what it returns, and its arguments behind the device (csrc/client/nvcosim.h).
_FUNCTIONS: dict[str, tuple[typing.Any, list[typing.Any]]] = {
    "close": (None, []),
    "error": (ctypes.c_char_p, []),
    "memory": (ctypes.c_void_p, [ctypes.c_uint64, ctypes.c_size_t]),
    "unmap": (ctypes.c_int, [ctypes.c_uint64]),
    "write": (ctypes.c_int, [ctypes.c_uint32, ctypes.c_uint32]),
    "read": (ctypes.c_int, [ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint32)]),
    "clocks": (ctypes.c_int, [ctypes.c_uint64, ctypes.c_int]),
    "time": (ctypes.c_int, [ctypes.POINTER(ctypes.c_uint64)]),
    "interrupt": (ctypes.c_int, []),
    "interrupt_fd": (ctypes.c_int, []),
    "reset": (ctypes.c_int, []),
    "findings": (ctypes.c_int, [ctypes.POINTER(ctypes.c_uint)]),
    "finding": (ctypes.c_int, [ctypes.c_uint, ctypes.c_char_p, ctypes.c_size_t]),
}


@functools.cache
def _library() -> ctypes.CDLL:
    """libnvcosim of the build tree (`make library`), else the installed one."""
    built = f"{tool.sources()}/build/library/libnvcosim.so.0"
    path = built if os.path.exists(built) else ctypes.util.find_library("nvcosim")
    if path is None:
        raise DeviceError(f"libnvcosim: neither {built} nor an installed one was found; make the "
                          "first with `make library`")
    library = ctypes.CDLL(path)
    library.nvcosim_open.restype = ctypes.c_void_p
    library.nvcosim_open.argtypes = [ctypes.POINTER(_Options), ctypes.c_char_p, ctypes.c_size_t]
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, f"nvcosim_{name}")
        function.restype, function.argtypes = result, [ctypes.c_void_p, *arguments]
    return library


class Memory:
    """Memory that the device sees, in the bytes of a memoryview: memory[0x40:0x44] = b"abcd".
    Offsets are from its address. It lasts until it is unmapped, or the device is closed."""

    def __init__(self, device: "Device", address: int, size: int) -> None:
        start = device._call("memory", address, size)
        self.device, self.address, self.size = device, address, size
        self.bytes = memoryview((ctypes.c_ubyte * size).from_address(start)).cast("B")

    def __getitem__(self, place: slice) -> bytes:
        return bytes(self.bytes[place])

    def __setitem__(self, place: slice, data: typing.Any) -> None:
        self.bytes[place] = memoryview(data).cast("B")

    def array(self, offset: int, shape: typing.Sequence[int], dtype: str = "int8") -> "Array":
        """A numpy array over bytes of the memory: what the device writes shows in it."""
        import numpy
        return numpy.ndarray(tuple(shape), numpy.dtype(dtype), self.bytes, offset)

    def put_cube(self, offset: int, array: typing.Any, line: int = 0, surface: int = 0) -> None:
        """Writes a feature cube from an array [channel, y, x] (layout.cube_bytes). line, surface:
        strides in bytes; 0: packed."""
        data = layout.cube_bytes(array, self.device.config, line, surface)
        self[offset:offset + len(data)] = data

    def cube(self, offset: int, shape: typing.Sequence[int], dtype: str = "int8", line: int = 0,
             surface: int = 0) -> "Array":
        """Reads one: an array of that shape, [channels, height, width]."""
        return layout.cube_array(self.bytes[offset:], self.device.config, shape, dtype, line,
                                 surface)

    def put_weights(self, offset: int, array: typing.Any) -> int:
        """Writes the weights of a direct convolution, [kernel, channel, r, s]. Returns
        WEIGHT_BYTES."""
        data = layout.weight_bytes(array, self.device.config)
        self[offset:offset + len(data)] = data
        return len(data)

    def unmap(self) -> None:
        """Takes it back; the bytes must not be used any longer."""
        self.bytes.release()
        self.device._call("unmap", self.address)


class Device:
    """A device after its reset. Use it in a `with` statement, or close it.

    config   name of a configuration: "small", "full", ...
    dut      "model", "rtl", or "rtl:NAME" of `nvcosim build`
    options  more options of `nvcosim serve`, such as "--latency=200"

    device["SDP.D_CVT_SHIFT"] = 2                      a register
    device["PDP.D_OPERATION_MODE_CFG.POOLING_METHOD"] = "POOLING_METHOD_MAX"     a field of one
    device["SDP.D_DATA_FORMAT"] = {"OUT_PRECISION": "INT8"}                       several fields
    """

    def __init__(self, config: str = "small", dut: str = "model",
                 options: typing.Sequence[str] = ()) -> None:
        self._device: int | None = None
        self.config = config
        self.registers = Registers(config)
        words = (ctypes.c_char_p * (len(options) + 1))(*(o.encode() for o in options), None)
        given = _Options(config.encode(), dut.encode(), tool.program().encode(),
                         ctypes.cast(words, ctypes.POINTER(ctypes.c_char_p)))
        error = ctypes.create_string_buffer(512)
        self._device = _library().nvcosim_open(ctypes.byref(given), error, len(error))
        if not self._device:
            raise DeviceError(error.value.decode(errors="replace"))

    def _call(self, name: str, *arguments: typing.Any) -> typing.Any:
        if not self._device:
            raise DeviceError("the device is closed")
        result = getattr(_library(), f"nvcosim_{name}")(self._device, *arguments)
        if result is None or result == -1:
            raise DeviceError(_library().nvcosim_error(self._device).decode(errors="replace"))
        return result

    def close(self) -> None:
        """Ends it. Its memory must not be used any longer."""
        if self._device:
            _library().nvcosim_close(self._device)
        self._device = None

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    # ---- registers and memory ----

    def read(self, address: int) -> int:
        """The register at a byte address."""
        value = ctypes.c_uint32()
        self._call("read", address, ctypes.byref(value))
        return value.value

    def write(self, address: int, value: int) -> None:
        """Writes the register at a byte address."""
        self._call("write", address, value)

    def __getitem__(self, name: str) -> int:
        register, field = self.registers.find(name)
        word = self.read(register.address)
        return (word & field.mask) >> field.lsb if field else word

    def __setitem__(self, name: str, value: Value) -> None:
        self.write(*self.registers.word(name, value, self.read))

    def memory(self, address: int, size: int) -> Memory:
        """New memory at that address of the device. The size is rounded up to pages of 4096."""
        return Memory(self, address, -(-size // PAGE) * PAGE)

    # ---- time ----

    def clocks(self, count: int, until_interrupt: bool = False) -> None:
        """Lets so many core clocks pass, or fewer if an interrupt comes. The model has no clocks:
        each lets a layer run."""
        self._call("clocks", count, int(until_interrupt))

    @property
    def time(self) -> int:
        """Core clocks since it was opened."""
        clocks = ctypes.c_uint64()
        self._call("time", ctypes.byref(clocks))
        return clocks.value

    @property
    def interrupt(self) -> bool:
        """The level of the interrupt line."""
        return bool(self._call("interrupt"))

    def fileno(self) -> int:
        """A descriptor that is readable while the interrupt line is 1, for select and poll."""
        return int(self._call("interrupt_fd"))

    def reset(self) -> None:
        """dla_reset_rstn. Memory stays."""
        self._call("reset")

    def wait(self, clocks: int = 10_000_000) -> set[str]:
        """Lets time pass until the interrupt line is 1, then clears GLB.S_INTR_STATUS. Returns the
        sources: {"SDP_0"}. TimeoutError after that many clocks."""
        self.clocks(clocks, until_interrupt=True)
        if not self.interrupt:
            raise TimeoutError(f"no interrupt within {clocks} clocks; armed layers wait for "
                               "something: `nvcosim debug` of the same trace says what")
        register, _ = self.registers.find("GLB.S_INTR_STATUS")
        status = self.read(register.address)
        self.write(register.address, status)
        return {field.name.replace("_DONE_STATUS", "_") for field in register.fields
                if status & field.mask}

    def findings(self) -> list[str]:
        """What no correct design does, such as an access outside its memory."""
        count, line = ctypes.c_uint(), ctypes.create_string_buffer(1024)
        self._call("findings", ctypes.byref(count))
        found = []
        for i in range(min(count.value, 100)):
            self._call("finding", i, line, len(line))
            found.append(line.value.decode(errors="replace"))
        return found
