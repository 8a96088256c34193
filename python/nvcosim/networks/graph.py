"""What the readers of networks share: the graph that a file becomes, and its description, which
csrc/quantised/described.c reads: a line of JSON, then the bytes of scales and constants. Layout is
height, width, channels."""
import array
import dataclasses
import json
import math
import typing

from nvcosim import text

Data = bytes | bytearray | memoryview
Scales: typing.TypeAlias = "array.array[float]"
"""Of float32."""

BATCH, HEIGHT, WIDTH, CHANNELS = range(4)
AXES = 4
SIDE_MAX, TENSORS_MAX, NODES_MAX, INPUTS_MAX, ENDS_MAX = 8192, 16384, 4096, 64, 64
ELEMENTS_MAX, ALL_ELEMENTS_MAX = 1 << 24, 1 << 26  # of a tensor, of all

PRODUCTS = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
OF_PROCESSOR = ("SOFTMAX", "LOG_SOFTMAX", "ARG_MAX", "LOGISTIC")
KEEP_SCALE = ("RESHAPE", "MAX_POOL_2D", "TRANSPOSE")  # whose results have that of their input

_NAMES_MAX = 16  # of operators in a message


class Refused(Exception):
    """The message has place, what was found, what was expected."""


def text_of(name: Data) -> str:
    return bytes(name).decode("utf-8", "surrogateescape")


def shown(name: Data) -> str:
    """As it may be shown, cut at 63 bytes but not inside a character."""
    out = ""
    for character in text_of(name):
        more = out + text.shown(character)
        if len(more.encode()) > 63:
            break
        out = more
    return out


def strangers(names: list[str], nodes: int) -> str:
    """Of a file whose nodes have operators that are not supported: their names."""
    named = list(dict.fromkeys(names))[:_NAMES_MAX]
    return ("found an operator that is not supported; docs/networks.md lists those that are. "
            f"Such are {len(names)} of {nodes} nodes: {', '.join(named)}")


def axis_of(rank: int, dimension: int) -> int:
    """The axis of a dimension of the file, which has channels before height and width."""
    if dimension == 0 and rank > 1:
        return BATCH
    return CHANNELS if dimension == 1 else dimension + AXES - rank - 1


@dataclasses.dataclass
class Window:
    """Of a convolution or of pooling along one axis; before, after: padding."""
    size: int = 1
    stride: int = 1
    dilation: int = 1
    before: int = 0
    after: int = 0

    def pad_same(self, n: int) -> None:
        """As many windows in n elements as there are strides; the end has one more."""
        total = (-(-n // self.stride) - 1) * self.stride + (self.size - 1) * self.dilation + 1 - n
        total = total if 0 < total <= SIDE_MAX else 0
        self.before, self.after = total // 2, total - total // 2

    @property
    def reach(self) -> int:
        return (self.size - 1) * self.dilation + 1

    def results(self, n: int) -> int:
        return (n + self.before + self.after - self.reach) // self.stride + 1


def windows() -> list[Window]:
    return [Window() for _ in range(AXES)]


@dataclasses.dataclass
class Tensor:
    """dims: as in the file; those of tensors that are computed may be 0. The rest below is for the
    reader only: quantised: its scale is known. integer: an input of the file with integers.
    shifted: uint8 in the file. cube: height, width and channels of the elements it has, in the
    order channels, height, width; flat: a row of them."""
    name: str
    rank: int
    sides: list[int]
    count: int
    type: str = "int8"
    in_file: str = "int8"
    dims: list[int] = dataclasses.field(default_factory=lambda: [0] * AXES)
    scales: Scales = dataclasses.field(default_factory=lambda: scales_of([1]))
    sliced: int = 0
    zero: int = 0
    data: Data | None = None
    quantised: bool = False
    integer: bool = False
    shifted: bool = False
    cube: tuple[int, int, int] = (0, 0, 0)
    flat: bool = False
    producer: "Node | None" = None

    @property
    def size(self) -> tuple[int, int, int]:
        return self.sides[HEIGHT], self.sides[WIDTH], self.sides[CHANNELS]

    def described(self) -> dict[str, typing.Any]:
        return {name: getattr(self, name) for name in (
            "name", "type", "in_file", "rank", "sides", "dims", "sliced", "zero")}


@dataclasses.dataclass
class Node:
    """taken: a bit for each axis that becomes one element. order: of a transpose, for each axis of
    the output that of the input."""
    kind: str
    number: int
    inputs: list[int]
    output: int
    low: float = -math.inf
    high: float = math.inf
    real_bias: bool = False
    groups: int = 1
    axis: int = 0
    taken: int = 0
    order: list[int] = dataclasses.field(default_factory=lambda: [0] * AXES)
    beta: float = 0.0
    windows: list[Window] = dataclasses.field(
        default_factory=lambda: [Window(0, 0, 0)] + [Window() for _ in range(AXES - 1)])

    def described(self) -> dict[str, typing.Any]:
        members = {name: getattr(self, name) for name in (
            "kind", "number", "inputs", "output", "real_bias", "groups", "axis", "taken", "order",
            "beta")}
        members["windows"] = [n for w in self.windows for n in dataclasses.astuple(w)]
        members.update({name: limit for name, limit in (("low", self.low), ("high", self.high))
                        if math.isfinite(limit)})
        return members


@dataclasses.dataclass
class Graph:
    """channels_first: in the file, before height and width."""
    channels_first: bool
    tensors: list[Tensor] = dataclasses.field(default_factory=list)
    nodes: list[Node] = dataclasses.field(default_factory=list)
    inputs: list[int] = dataclasses.field(default_factory=list)
    outputs: list[int] = dataclasses.field(default_factory=list)

    def write(self, out: typing.BinaryIO) -> None:
        tensors, parts, place = [], [], 0
        for tensor in self.tensors:
            tensors.append(tensor.described())
            for name, data in (("scales", tensor.scales.tobytes()), ("data", tensor.data)):
                if data is not None:
                    tensors[-1][name] = [place, len(data)]
                    parts.append(data)
                    place += len(data)
        description = {"tensors": tensors, "nodes": [node.described() for node in self.nodes],
                       "inputs": self.inputs, "outputs": self.outputs,
                       "channels_first": self.channels_first}
        out.write(json.dumps(description, allow_nan=False, separators=(",", ":")).encode() + b"\n")
        for data in parts:
            out.write(data)


def scales_of(values: typing.Iterable[float]) -> Scales:
    return array.array("f", values)


def integers(values: typing.Iterable[int]) -> bytearray:
    """Elements of int32."""
    return bytearray(array.array("i", values).tobytes())
