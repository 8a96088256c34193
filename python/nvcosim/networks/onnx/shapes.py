"""Operators that move elements of what is computed: transposes, other sides, padding, side by
side."""
import math

from nvcosim.networks.graph import (
    AXES, BATCH, ELEMENTS_MAX, HEIGHT, SIDE_MAX, axis_of, shown, text_of, windows)
from nvcosim.networks.onnx.constants import INT8, UINT8, Value, type_name
from nvcosim.networks.onnx.reading import DIMS_MAX, Reading


def read_order(at: Reading, rank: int) -> list[int]:
    """Which dimension of the input comes to each place."""
    perm = at.attribute(b"perm")
    order = list(perm.get("ints", ())) if perm else list(reversed(range(rank)))
    if rank > DIMS_MAX or len(order) != rank:
        at.refuse(f"found another number of dimensions in perm than the {rank} of its input, "
                  "expected as many")
    for i, place in enumerate(order):
        if not 0 <= place < rank or place in order[:i]:
            at.refuse(f"found {place} in perm, expected each of 0 to {rank - 1} once")
    return order


def transpose(at: Reading) -> None:
    source = at.graph.tensors[at.input]
    perm = read_order(at, source.rank)
    to, order = list(source.sides), list(range(AXES))
    for i in range(source.rank):
        axis = axis_of(source.rank, i)
        order[axis] = axis_of(source.rank, perm[i])
        to[axis] = source.sides[order[axis]]
    if order[BATCH] != BATCH:
        at.refuse(f"found dimension {perm[0]} at place 0, expected the batch first")
    node = at.new_node("TRANSPOSE", at.input, to, source.rank)
    node.order = order
    at.keep_scale(node)


# ---- other sides: Flatten, Reshape, Squeeze, Unsqueeze ----

def _new_shape(at: Reading, old: list[int], elements: int) -> list[int]:
    dims, known = at.listed("shape", 1), 1
    for i, side in enumerate(dims):
        if i < len(old) and side == 0 and not at.whole(b"allowzero", 0):
            dims[i] = old[i]
        known *= dims[i] if dims[i] > 0 and known <= ELEMENTS_MAX else 1
    return [elements // known if side == -1 else side for side in dims]


def _new_sides(at: Reading, old: list[int], more: bool) -> list[int]:
    """Sides of 1 at the places of a list: taken away, all of them if there is no list, or put
    in."""
    count = len(old) + (len(at.listed("axes", 1)) if more else 0)
    bits, listed = at.axes(count)
    value = at.operand(0)
    batch = 0 if value and value.constant else 1  # dimensions that stay
    if count > DIMS_MAX:
        at.refuse(f"found {count} dimensions, expected at most {DIMS_MAX}")
    rest, dims = iter(old), []
    for i in range(count):
        here = bits >> i & 1
        if more:
            dims.append(1 if here else next(rest, 1))
        elif not here and not (not listed and old[i] == 1 and i >= batch):
            dims.append(old[i])
        elif old[i] != 1:
            at.refuse(f"found a side of {old[i]} to be taken away, expected 1")
    return dims


def new_dimensions(at: Reading, old: list[int], elements: int) -> list[int]:
    """The dimensions that the node makes of others."""
    kind = at.node["op_type"]
    if kind == b"Reshape":
        return _new_shape(at, old, elements)
    if kind != b"Flatten":
        return _new_sides(at, old, kind == b"Unsqueeze")
    axis = max(at.axis(1, len(old)), 0)
    return [math.prod(old[:axis]), math.prod(old[axis:])]


def _reshape(at: Reading, to: list[int], rank: int) -> None:
    """A tensor with the same elements: a row of n, or n x h x w of a row."""
    source = at.graph.tensors[at.input]
    h, w, c = to[HEIGHT:]
    old_h, old_w, old_c = source.size
    if h * w * c != source.count:
        at.refuse(f"found {h} x {w} x {c} (h, w, c) elements, expected the {source.count} of its "
                  "input")
    cube = source.cube if source.flat else source.size
    flat, same = rank == 2 and source.rank > 2, c == old_c or source.flat
    back = source.flat and c == cube[2] and h * w == cube[0] * cube[1]
    plain = source.rank == 2 and not source.flat and (c == 1 or h * w == 1)
    if not flat and not back and not (same and h * w == old_h * old_w) and not plain:
        at.refuse(f"found {old_h} x {old_w} x {old_c} (h, w, c) made {h} x {w} x {c}, expected a "
                  "row of it: another order of elements is not supported")
    node = at.new_node("RESHAPE", at.input, to, rank)
    made = at.output_of(node)
    made.flat, made.cube = flat or (source.flat and rank == 2), cube
    at.keep_scale(node)


def sides(at: Reading) -> None:
    tensor = at.graph.tensors[at.input]
    old = [1] + [tensor.count if tensor.rank == 2 else tensor.sides[axis_of(tensor.rank, i)]
                 for i in range(1, tensor.rank)]
    dims = new_dimensions(at, old, tensor.count)
    rank = len(dims)
    if not 2 <= rank <= AXES or dims[0] != 1:
        at.refuse(f"found {rank} dimensions of its output and a batch of {dims[0] if rank else 0}, "
                  "expected 2 to 4 and 1")
    to = [1] * AXES
    for i in range(1, rank):
        if not 1 <= dims[i] <= ELEMENTS_MAX:
            at.refuse(f"found a size of {dims[i]}, expected -1 or 1 to {ELEMENTS_MAX}")
        to[axis_of(rank, i)] = dims[i]
    _reshape(at, to, rank)


# ---- more elements ----

def pad(at: Reading) -> None:
    source = at.graph.tensors[at.input]
    axes = at.listed("axes", 3) or list(range(AXES))
    mode = at.word(b"mode") if at.attribute(b"mode") else b"constant"
    if (source.rank != AXES or len(numbers := at.listed("pads", 1)) != 2 * len(axes) or
            mode != b"constant"):
        at.refuse("found padding of another form, expected constants around 4 dimensions")
    number, value = at.number_at(b"value", 2, 0), at.operand(0)
    zero = 0 if value and value.real else source.zero + (128 if source.shifted else 0)
    if number != zero:
        at.refuse(f"found padding with {number:g}, expected what stands for 0")
    pads = windows()
    for i, dimension in enumerate(axes):
        dimension += AXES if dimension < 0 else 0
        before, after = numbers[i], numbers[len(axes) + i]
        if not 0 <= dimension < AXES:
            at.refuse(f"found axis {dimension}, expected one of 4")
        axis = axis_of(AXES, dimension)
        if (not 0 <= before <= SIDE_MAX or not 0 <= after <= SIDE_MAX or
                (axis == BATCH and (before or after))):
            at.refuse(f"found padding of {before} and {after} in dimension {dimension}, expected 0 "
                      f"to {SIDE_MAX}, 0 in the batch")
        pads[axis].before, pads[axis].after = before, after
    to = [side + window.before + window.after for side, window in zip(source.sides, pads)]
    node = at.new_node("PAD", at.input, to, AXES)
    node.windows = pads
    at.keep_scale(node)


def _constant_input(at: Reading, value: Value, rank: int) -> int:
    """A constant of int8 or uint8 as a tensor, its sides those of the last dimensions of a tensor
    of that rank."""
    found = value.constant
    assert found and value.scale
    count, rank = len(found.dims), min(rank, AXES)
    if found.kind not in (INT8, UINT8) or count > rank:
        at.refuse(f"found a constant of {type_name(found.kind)} with {count} dimensions, expected "
                  f"uint8 or int8 with at most {rank}")
    to, strides, stride = [1] * AXES, [0] * AXES, 1
    for i in reversed(range(count)):
        axis = axis_of(rank, rank - count + i)
        to[axis], strides[axis] = found.dims[i], stride
        stride *= found.dims[i]
    if to[BATCH] != 1:
        at.refuse(f"found a batch of {to[BATCH]} in a constant, expected 1")
    index = at.new_integers(shown(value.name), found, to, strides)
    at.set_scale(index, value.scale, value.zero)
    at.graph.tensors[index].sides = to
    return index


def addend(at: Reading, i: int, takes: str, rank: int) -> int:
    """A tensor that an operator reads, which may be a constant beside one of that rank."""
    value = at.operand(i)
    if not value or not value.constant:
        return at.activation(i, takes)
    if value.scale:
        return _constant_input(at, value, rank)
    at.refuse(f"found constant \"{text_of(value.name)}\" not behind DequantizeLinear, expected it "
              "there")


def concatenation(at: Reading) -> None:
    tensors, inputs, along = at.graph.tensors, [], 0
    to: list[int] = []
    for i, value in enumerate(at.operands):
        rank = len(value.constant.dims) if value and value.constant else 0
        inputs.append(addend(at, i, "UNSCALED", rank))
        tensor = tensors[inputs[-1]]
        axis = at.axis(1, tensor.rank)
        if not 1 <= axis < tensor.rank:
            at.refuse(f"found axis {axis}, expected channels, height or width")
        along = axis_of(tensor.rank, axis)
        if not to:
            to = list(tensor.sides)
        else:
            to[along] += tensor.sides[along]
    if not inputs:
        at.refuse("found no inputs, expected some")
    node = at.new_node("CONCATENATION", inputs[0], to, tensors[inputs[0]].rank)
    node.inputs, node.axis = inputs, along
