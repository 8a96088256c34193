"""Operators on constants, which are computed when they are read. A dequantised constant stays
integers with their scales as long as its elements are only moved."""
import array
import dataclasses
import itertools
import math
import operator

from nvcosim.networks.onnx.constants import (
    CODES, FLOAT, INT32, INT8, RANGES, UINT8, Constant, Value, along, element_bytes, held, in_range,
    moved, quotient, strides_of, type_name)
from nvcosim.networks.onnx.reading import DIMS_MAX, Reading
from nvcosim.networks.onnx.shapes import new_dimensions, read_order


def _first(at: Reading) -> tuple[Value, Constant]:
    """The node's first input."""
    value = at.operand(0)
    assert value and value.constant
    return value, value.constant


def _check_scales(at: Reading, scale: Constant, zero: Constant | None, axis: int,
                  of: str = "", fits: bool = True) -> None:
    found, scales = _first(at)[1], scale.count
    rank = len(found.dims)
    along_axis = scales == 1 or (0 <= axis < rank and found.dims[axis] == scales)
    if not fits or not along_axis or (zero and zero.count != scales):
        at.refuse(f"found {scales} scales {of}along dimension {axis} of a constant with {rank}, "
                  "expected one, or one for each element along it")


def quantize(at: Reading) -> None:
    value, found = _first(at)
    scale, zero = at.constant(1), at.optional(2)
    axis = at.axis(1, len(found.dims))
    kind = zero.kind if zero else at.whole(b"output_dtype", UINT8)
    _check_scales(at, scale, zero, axis, f"of {type_name(kind)} ",
                  scale.kind == FLOAT and kind in (INT8, UINT8, INT32) and
                  at.whole(b"block_size", 0) == 0)
    at.room(kind, found.dims)
    inner = math.prod(found.dims[axis + 1:])
    divide = operator.truediv if all(scale.elements) else quotient
    reals = found.elements if found.kind == FLOAT else array.array("f", value.reals())
    steps = array.array("f", map(divide, reals, along(scale.elements, inner)))
    zeros = zero.elements if zero else [0]
    at.plain(Constant(kind, found.dims, in_range(kind, lambda: iter(steps), round, zeros, inner)))


def dequantize(at: Reading) -> None:
    value, found = _first(at)
    scale, zero = at.constant(1), at.optional(2)
    if (value.scale or found.kind == FLOAT or scale.kind != FLOAT or
            at.whole(b"block_size", 0) != 0):
        at.refuse("found no constant of integers with scales of float32, expected one")
    axis = at.axis(1, len(found.dims))
    _check_scales(at, scale, zero, axis)
    at.result(dataclasses.replace(value, scale=scale, zero=zero, axis=axis, real=True))


def identity(at: Reading) -> None:
    at.result(_first(at)[0])


def cast(at: Reading) -> None:
    value, found = _first(at)
    kind = at.whole(b"to", 0)
    if not element_bytes(kind):
        at.refuse(f"found a constant made {type_name(kind)}, expected float32, uint8, int8, int32 "
                  "or int64")
    at.room(kind, found.dims)
    data = (array.array("f", value.reals()).tobytes() if kind == FLOAT else
            in_range(kind, value.reals, int))
    at.plain(Constant(kind, found.dims, data))


def clip(at: Reading) -> None:
    value, found = _first(at)
    kind = value.kind
    low, high = at.limits()
    at.room(kind, found.dims)
    if kind == FLOAT:
        inside = held(value.reals(), itertools.repeat(low), itertools.repeat(high))
        data = array.array("f", inside).tobytes()
    else:
        least, most = RANGES[kind]
        low, high = (int(min(max(least, limit), most)) for limit in (low, high))
        if kind in (INT8, UINT8):
            codes = array.array(CODES[kind], bytes(range(256)))
            table = array.array(CODES[kind], (min(max(low, v), high) for v in codes)).tobytes()
            data = bytes(found.data).translate(table)
        else:
            inside = held(found.elements, itertools.repeat(low), itertools.repeat(high))
            data = array.array(CODES[kind], inside).tobytes()
    at.plain(Constant(kind, found.dims, data))


def _joined_scales(at: Reading, axis: int, side: int, values: list[Value]) -> Value | None:
    """The scales of dequantised constants side by side: the one that all have, or one for each
    element along the axis. None: they have others, and become real numbers."""
    first, pairs = values[0], []
    for value in values:
        assert value.constant and first.constant
        if (not value.scale or value.constant.kind != first.constant.kind or
                (value.scale.count > 1 and value.axis != axis)):
            return None
        n = value.constant.dims[axis]
        zeros = value.zero.elements if value.zero else [0]
        pairs.append((value.scale.elements, zeros, n))
    if all(len(s) == 1 and (s[0], z[0]) == (pairs[0][0][0], pairs[0][1][0]) for s, z, _ in pairs):
        return first
    assert first.constant
    for kind in (FLOAT, first.constant.kind):
        at.room(kind, [side])
    scales = array.array("f", (s[k % len(s)] for s, _, n in pairs for k in range(n)))
    zeros = array.array(CODES[first.constant.kind],
                        (z[k % len(z)] for _, z, n in pairs for k in range(n)))
    return Value(scale=Constant(FLOAT, (side,), scales.tobytes()),
                 zero=Constant(first.constant.kind, (side,), zeros.tobytes()), axis=axis, real=True)


def concat(at: Reading) -> None:
    first, found = _first(at)
    rank = len(found.dims)
    axis = at.axis(1, rank)
    if rank > DIMS_MAX or not 0 <= axis < rank:
        at.refuse(f"found axis {axis} of {rank}, expected one of them")
    values = [value for value in at.operands if value and value.constant]
    constants = [value.constant for value in values if value.constant]
    for value, constant in zip(values, constants):
        others = len(constant.dims) != rank or any(
            a != b for d, (a, b) in enumerate(zip(constant.dims, found.dims)) if d != axis)
        if others or value.kind != first.kind or len(values) != len(at.operands):
            at.refuse("found constants of other sides or types, expected the same except along its "
                      "axis")
    dims = list(found.dims)
    dims[axis] = sum(constant.dims[axis] for constant in constants)
    joined = _joined_scales(at, axis, dims[axis], values) if first.scale else None
    kind = found.kind if joined else first.kind
    at.room(kind, dims)
    outer = math.prod(dims[:axis])
    parts = [memoryview(constant.data) if constant.kind == kind else
             memoryview(array.array("f", value.reals()).tobytes())
             for value, constant in zip(values, constants)]
    sizes = [len(part) // outer if outer else 0 for part in parts]
    data = b"".join(part[o * size:(o + 1) * size]
                    for o in range(outer) for part, size in zip(parts, sizes))
    out = Constant(kind, tuple(dims), data)
    if joined:
        at.result(dataclasses.replace(joined, constant=out))
    else:
        at.plain(out)


# ---- moves ----

def _move(at: Reading, sides: list[int], strides: list[int], start: int, axis: int) -> None:
    """The first input with elements in another order. axis: where its scales are then."""
    value, found = _first(at)
    at.room(found.kind, sides)
    data = moved(found.data, element_bytes(found.kind), sides, strides, start)
    at.result(dataclasses.replace(value, constant=Constant(found.kind, tuple(sides), data),
                                  axis=axis))


def cut(at: Reading) -> None:
    """Slice."""
    value, found = _first(at)
    rank = len(found.dims)
    starts, axes, steps = (at.listed(name, i) for name, i in
                           (("starts", 1), ("axes", 3), ("steps", 4)))
    count = len(starts)
    lengths = rank <= DIMS_MAX and len(ends := at.listed("ends", 2)) == count
    if (not lengths or len(axes) not in (0, count) or len(steps) not in (0, count) or
            (value.scale and value.scale.count > 1)):
        at.refuse("found starts, ends, axes and steps of different lengths, or a constant with "
                  "several scales, expected as many of each, and one")
    sides, strides, start = list(found.dims), strides_of(found.dims), 0
    seen = set()
    for i in range(count):
        axis = axes[i] + (rank if axes[i] < 0 else 0) if axes else i
        n, step = found.dims[axis] if 0 <= axis < rank else -1, steps[i] if steps else 1
        if n < 0 or axis in seen or step == 0 or not -n - 1 <= step <= n + 1:
            at.refuse(f"found axis {axis} with step {step}, expected one of {rank}")
        seen.add(axis)
        least, most = (-1, n - 1) if step < 0 else (0, n)
        first, end = (v + n if v < 0 else v for v in (starts[i], ends[i]))
        first = min(max(first, 0), most)
        end = min(max(end, least), n)
        length = end - first + step - 1 if step > 0 else first - end - step - 1
        sides[axis] = max(length, 0) // abs(step)
        start += first * strides[axis]
        strides[axis] *= step
    _move(at, sides, strides, start, value.axis)


def transpose(at: Reading) -> None:
    value, found = _first(at)
    perm = read_order(at, len(found.dims))
    strides = strides_of(found.dims)
    axis = perm.index(value.axis) if value.axis in perm else value.axis
    _move(at, [found.dims[p] for p in perm], [strides[p] for p in perm], 0, axis)


def sides(at: Reading) -> None:
    """The same elements in order with other sides; several scales stay along the side with as many
    elements before it."""
    value, found = _first(at)
    dims = new_dimensions(at, list(found.dims), found.count)
    at.room(found.kind, dims)
    if math.prod(dims) != found.count:
        at.refuse(f"found {found.count} elements made {math.prod(dims)}, expected as many")
    axis = value.axis
    if value.scale and value.scale.count > 1:
        before, now, side = math.prod(found.dims[:axis]), 1, 0
        while side < len(dims) and (now < before or dims[side] == 1):
            now *= dims[side]
            side += 1
        if side == len(dims) or now != before or dims[side] != found.dims[axis]:
            at.refuse(f"found a constant with {value.scale.count} scales in other sides, expected "
                      "their side to stay")
        axis = side
    at.result(dataclasses.replace(value, constant=Constant(found.kind, tuple(dims), found.data),
                                  axis=axis))
