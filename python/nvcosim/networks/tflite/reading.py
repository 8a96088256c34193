"""Of a TFLite file: the graph so far, tensors, lists of them, refusals."""
import math
import typing

from nvcosim.networks.graph import (
    ALL_ELEMENTS_MAX, AXES, BATCH, ELEMENTS_MAX, ENDS_MAX, TENSORS_MAX, Graph, Tensor,
    scales_of, shown)
from nvcosim.networks.tflite.flat import Flat, Table, Vector

_FLOAT, _INT32, _UINT8, _INT64, _INT8 = 0, 2, 3, 4, 9
_TYPE_NAMES = ("float32 float16 int32 uint8 int64 text bool int16 complex int8 float64 complex128 "
               "uint64 resource variant uint32 uint16 int4").split()
_KINDS = {_FLOAT: ("float32", 4), _INT32: ("int32", 4), _INT64: ("int32", 8), _UINT8: ("int8", 1),
          _INT8: ("int8", 1)}  # what they become, bytes in the file
_FILE_TYPES = {_FLOAT: "float", _UINT8: "uint8"}
_UNSIGNED_ZERO = 128  # of uint8 as int8

NONE = -1  # instead of a tensor


def axis_of(rank: int, dimension: int) -> int:
    """The axis of a dimension of the file, which has channels last."""
    return BATCH if dimension == 0 and rank > 1 else dimension + AXES - rank


def general(value: float) -> str:
    """As C writes it with %g."""
    return "-nan" if math.isnan(value) and math.copysign(1, value) < 0 else f"{value:g}"


class Reading:
    """computed: elements of tensors so far. entry: the tensor or node that is being read; where: it
    in messages; options: of the node."""

    def __init__(self, path: str, data: bytes) -> None:
        self.flat = Flat(path, data)
        self.graph = Graph(channels_first=False)
        self.codes = self.buffers = Vector()
        self.computed = 0
        self.entry = self.options = Table("", 0)
        self.where = ""

    def refuse(self, what: str) -> typing.NoReturn:
        self.flat.fail(self.entry.at, self.where + what)

    # ---- tensors ----

    def _read_shape(self, tensor: Tensor) -> None:
        shape = self.flat.numbers(self.entry, 0, "i", "shape")
        tensor.rank = len(shape)
        if tensor.rank > AXES:
            self.refuse(f"found {tensor.rank} dimensions, expected at most {AXES}")
        for i, side in enumerate(shape):
            if side < 1 or tensor.count * side > ELEMENTS_MAX:
                self.refuse(f"found a size of {side} in dimension {i}, expected 1 or more and at "
                            f"most {ELEMENTS_MAX} elements in all")
            axis = axis_of(tensor.rank, i)
            tensor.dims[i] = side
            tensor.count *= side
            tensor.sides[axis] = 1 if axis == BATCH else side

    def _read_quantisation(self, lowered: int, tensor: Tensor) -> None:
        about = self.flat.table(self.entry, 4, "quantisation")
        scales = self.flat.floats(about, 2, "scales")
        zeros = self.flat.numbers(about, 3, "q", "zero points")
        quantised = tensor.type == "int8"  # of others, nothing reads scales and zero points
        for scale in scales if quantised else ():
            if not (math.isfinite(scale) and scale > 0):
                self.refuse(f"found scale {general(scale)}, expected a finite number above 0")
        tensor.sliced = self.flat.number(about, 6, 4, "quantised dimension", True)
        low, high = -128 + lowered, 127 + lowered
        for zero in zeros if quantised else ():
            if not low <= zero <= high or zero != zeros[0]:
                self.refuse(f"found zero point {zero}, expected {low} to {high}, the same for all "
                            "slices")
        if quantised:
            tensor.zero = (zeros[0] if zeros else 0) - lowered
            tensor.scales = scales_of(scales or (1,))

    def _read_data(self, size: int, tensor: Tensor) -> None:
        """size: of an element."""
        index = self.flat.number(self.entry, 2, 4, "buffer")
        if index >= self.buffers.count:
            self.refuse(f"found buffer {index}, expected one of the file's {self.buffers.count}")
        buffer = self.flat.entry(self.buffers, index, "buffer")
        data = self.flat.numbers(buffer, 0, "B", "data")
        if data and len(data) != tensor.count * size:
            self.refuse(f"found {len(data)} bytes of data, expected {tensor.count * size}")
        if data:
            tensor.data = data.cast("i")[::2].tobytes() if size == 8 else data
            return
        self.computed += tensor.count
        if self.computed > ALL_ELEMENTS_MAX:
            self.flat.fail(self.entry.at, f"found more than {ALL_ELEMENTS_MAX} elements in all "
                                          "tensors, expected no more")

    def _read_tensor(self) -> None:
        name = shown(self.flat.numbers(self.entry, 3, "B", "name"))
        self.where = f"tensor {self.entry.index} \"{name}\": "
        kind = self.flat.number(self.entry, 1, 1, "type")
        if kind not in _KINDS:
            found = _TYPE_NAMES[kind] if kind < len(_TYPE_NAMES) else "an unknown type"
            self.refuse(f"found {found}, expected int8, uint8, int32 or float32: quantise the "
                        "whole network to INT8")
        of, size = _KINDS[kind]
        tensor = Tensor(name, 0, [1] * AXES, 1, of, _FILE_TYPES.get(kind, "int8"))
        self._read_shape(tensor)
        self._read_quantisation(_UNSIGNED_ZERO if kind == _UINT8 else 0, tensor)
        self._read_data(size, tensor)
        if kind == _UINT8 and tensor.data:
            self.refuse("found constants of uint8, expected int8")
        self.graph.tensors.append(tensor)

    def read_tensors(self, subgraph: Table) -> None:
        found = self.flat.vector(subgraph, 0, 4, "tensors")
        if found.count > TENSORS_MAX:
            self.flat.fail(found.at, f"found {found.count} tensors, expected at most {TENSORS_MAX}")
        for self.entry in self.flat.tables(found, "tensor"):
            self._read_tensor()

    # ---- lists of tensors ----

    def indices(self, entry: Table, k: int, what: str, most: int) -> list[int]:
        """NONE for absent ones."""
        found, count = self.flat.numbers(entry, k, "i", what), len(self.graph.tensors)
        if len(found) > most:
            self.flat.fail(entry.at, f"node {entry.index}: found {len(found)} {what}, expected at "
                                     f"most {most}")
        for index in found:
            if not NONE <= index < count:
                self.flat.fail(entry.at, f"{entry.what} {entry.index}: found tensor {index} in its "
                                         f"{what}, expected one of the {count}")
        return list(found)

    def ends(self, subgraph: Table, k: int, what: str) -> list[int]:
        found = self.indices(subgraph, k, what, ENDS_MAX)
        if not found:
            self.flat.fail(subgraph.at, f"found no {what} of the network, expected at least one")
        if NONE in found:
            self.flat.fail(subgraph.at, f"found an absent tensor in the {what} of the network")
        return found

    # ---- the node that is being read ----

    def option(self, k: int, size: int, what: str) -> int:
        return self.flat.number(self.options, k, size, what, size > 1)

    def tensor(self, index: int) -> Tensor:
        return self.graph.tensors[index]

    def constant(self, inputs: list[int], least: int, what: str) -> memoryview:
        """The int32 of the second input."""
        tensor = self.tensor(inputs[1]) if NONE not in inputs[1:2] and len(inputs) > 1 else None
        if not tensor or tensor.type != "int32" or tensor.data is None or tensor.count < least:
            self.refuse(f"found no constant int32 of at least {least} values as its {what}, "
                        "expected such")
        return memoryview(tensor.data).cast("i")
