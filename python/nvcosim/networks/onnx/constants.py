"""Constants of ONNX files: elements in memory, in other orders, and as what they stand for."""
import array
import dataclasses
import functools
import itertools
import math
import operator
import typing

from nvcosim.networks.graph import Data

FLOAT, UINT8, INT8, INT32, INT64 = 1, 2, 3, 6, 7
CODES = {FLOAT: "f", UINT8: "B", INT8: "b", INT32: "i", INT64: "q"}
RANGES = {UINT8: (0, 255), INT8: (-128, 127), INT32: (-2**31, 2**31 - 1), INT64: (-2**62, 2**62)}
_NAMES = ("nothing", "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "text",
          "bool", "float16", "float64", "uint32", "uint64", "complex", "complex128", "bfloat16")
# By bytes of an element.
_WORDS: dict[int, typing.Literal["B", "i", "q"]] = {1: "B", 4: "i", 8: "q"}


def type_name(kind: int) -> str:
    return _NAMES[kind] if 0 <= kind < len(_NAMES) else "a type of fewer than 8 bits"


def element_bytes(kind: int) -> int:
    """0: of a type that is not read."""
    return array.array(CODES[kind]).itemsize if kind in CODES else 0


def single(value: float) -> float:
    """The nearest number of float32."""
    return array.array("f", (value,))[0]


def quotient(a: float, b: float) -> float:
    """As the processor divides: by 0 too."""
    if b:
        return a / b
    return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)


def nearest(value: float) -> float:
    """Rounded, of two as near the even one."""
    return float(round(value)) if math.isfinite(value) else value


@dataclasses.dataclass
class Constant:
    """data: the elements, the last dimension first."""
    kind: int
    dims: tuple[int, ...]
    data: Data

    @property
    def count(self) -> int:
        return math.prod(self.dims)

    @functools.cached_property
    def elements(self) -> "array.array[typing.Any]":
        numbers: array.array[typing.Any] = array.array(CODES[self.kind])
        numbers.frombytes(self.data)
        return numbers


def strides_of(dims: typing.Sequence[int]) -> list[int]:
    return [math.prod(dims[i + 1:]) for i in range(len(dims))]


def moved(data: Data, size: int, sides: typing.Sequence[int], strides: typing.Sequence[int],
          start: int = 0) -> Data:
    """Elements of that many bytes in another order: element (i, j, ...) of those sides from start +
    i * strides[0] + j * strides[1] ..."""
    axes: list[tuple[int, int]] = []
    for side, stride in zip(sides, strides):
        if axes and axes[-1][1] == side * stride:
            axes[-1] = axes[-1][0] * side, stride
        elif side != 1:
            axes.append((side, stride))
    count = math.prod(sides)
    if count == 0 or not axes or axes == [(count, 1)]:
        return memoryview(data)[start * size:(start + count) * size]
    steps = strides_of([side for side, _ in axes])
    n = max(range(len(axes)), key=lambda i: axes[i][0])  # that axis is copied at once
    places = [(start, 0)]
    for i, (side, stride) in enumerate(axes):
        if i != n:
            places = [(a + k * stride, b + k * steps[i]) for a, b in places for k in range(side)]
    out = bytearray(count * size)
    source, target = (memoryview(bytes_).cast(_WORDS[size]) for bytes_ in (data, out))
    side, stride = axes[n]
    for a, b in places:
        end = a + side * stride
        row = source[a:end if end >= 0 else None:stride]
        target[b:b + side * steps[n]:steps[n]] = row
    return out


@dataclasses.dataclass
class Value:
    """What a name stands for: a constant, or a tensor of the graph.

    scale, zero: of a constant that was dequantised. axis: of the constant, along which there are
    several scales; -1: kernels. real: float32, before QuantizeLinear or behind DequantizeLinear.
    tensor: None for constants."""
    name: bytes = b""
    constant: Constant | None = None
    scale: Constant | None = None
    zero: Constant | None = None
    axis: int = 0
    real: bool = False
    tensor: int | None = None

    @property
    def kind(self) -> int:
        """Of the constant, as what it stands for."""
        assert self.constant
        return FLOAT if self.scale else self.constant.kind

    def reals(self) -> typing.Iterator[float]:
        """The elements of the constant as what they stand for."""
        assert self.constant
        if not self.scale:
            return map(float, self.constant.elements)
        inner = math.prod(self.constant.dims[self.axis + 1:])
        whole = self.constant.elements
        zeros = self.zero.elements if self.zero else ()
        if any(zeros):
            whole = typing.cast(typing.Any, map(operator.sub, whole, along(zeros, inner)))
        return map(operator.mul, along(self.scale.elements, inner), whole)


def along(numbers: typing.Sequence[typing.Any], inner: int) -> typing.Iterator[typing.Any]:
    """For each element, which of the numbers is its: one of all, or the next after `inner`."""
    if len(numbers) == 1:
        return itertools.repeat(numbers[0])
    if inner == 1:
        return itertools.cycle(numbers)
    return itertools.chain.from_iterable(map(itertools.repeat, itertools.cycle(numbers),
                                             itertools.repeat(inner)))


_least: typing.Callable[[typing.Any, typing.Any], typing.Any] = min
_greatest: typing.Callable[[typing.Any, typing.Any], typing.Any] = max


def held(values: typing.Iterable[float], low: typing.Iterable[float],
         high: typing.Iterable[float]) -> typing.Iterator[typing.Any]:
    """Values between limits; what is no number becomes the lower one."""
    return map(_least, map(_greatest, low, values), high)


def in_range(kind: int, values: typing.Callable[[], typing.Iterator[float]],
             whole: typing.Callable[[float], int], zeros: typing.Sequence[int] = (0,),
             inner: int = 1) -> bytes:
    """Values made whole, plus zero points, as integers of a type; those outside become the least or
    the greatest, and so does what is no number."""
    def shifted(numbers: typing.Iterator[int]) -> typing.Iterator[int]:
        return map(operator.add, numbers, along(zeros, inner)) if any(zeros) else numbers
    try:
        return array.array(CODES[kind], shifted(map(whole, values()))).tobytes()
    except (OverflowError, ValueError):
        low, high = ([limit - zero for zero in zeros] for limit in RANGES[kind])
        inside = held(values(), along(low, inner), along(high, inner))
        return array.array(CODES[kind], shifted(map(whole, inside))).tobytes()
