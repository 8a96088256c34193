"""Operators on elements, and changes between integers and what they stand for."""
import array
import math

from nvcosim.networks.graph import CHANNELS, PRODUCTS, Node, Tensor, axis_of, shown
from nvcosim.networks.onnx.constants import FLOAT, INT64, INT8, Constant, Value, type_name
from nvcosim.networks.onnx.products import add_to_bias
from nvcosim.networks.onnx.reading import Reading, zero_point
from nvcosim.networks.onnx.shapes import addend

_NO_ZERO = Constant(INT8, (), b"\0")


def _rank_of_input(at: Reading, i: int) -> int:
    """Dimensions of the tensor that a node computes and that an input stands for; 0: it is none."""
    value = at.operand(i)
    return at.graph.tensors[value.tensor].rank if value and value.tensor is not None else 0


def _for_channels(constant: Constant, tensor: Tensor) -> bool:
    """Whether a constant has one value for all elements of a tensor, or one for each channel."""
    after, rank, count = tensor.rank - 2, len(constant.dims), constant.count
    return count == 1 or (count == tensor.sides[CHANNELS] and after < rank <= tensor.rank and
                          constant.dims[rank - 1 - after] == count)


def add(at: Reading) -> None:
    for i in range(2):
        value, beside = at.operand(i), at.operand(1 - i)
        node = at.unfinished(beside) if value and value.constant else None
        if (node and node.kind in PRODUCTS and value and value.constant and
                _for_channels(value.constant, at.output_of(node))):
            add_to_bias(at, node, value)
            at.alias(node.output, True)
            return
    ranks = _rank_of_input(at, 0), _rank_of_input(at, 1)
    a, b = (addend(at, i, "CUBES", ranks[1 - i]) if ranks[1 - i] else at.activation(i, "CUBES")
            for i in range(2))
    first, second = at.graph.tensors[a], at.graph.tensors[b]
    sides = [max(pair) for pair in zip(first.sides, second.sides)]
    node = at.new_node("ADD", a, sides, first.rank if first.data is None else second.rank)
    node.inputs.append(b)


def _limited(at: Reading, value: Value) -> Node | None:
    """The node that computes a tensor, if limits of integers can be its: it has stages for limits,
    and nothing reads the tensor by another name."""
    assert value.tensor is not None
    node = at.graph.tensors[value.tensor].producer
    names = [v.name for v in at.values.values() if v.tensor == value.tensor]
    readers = sum(at.readers.get(name, 0) for name in names)
    readers += sum(output.get("name") in names for output in at.file.get("output", ()))
    # Each name but the last is read by the operator that made the next one.
    return node if node and readers == len(names) and node.kind in (*PRODUCTS, "ADD") else None


def _make_limits(at: Reading, low: float, high: float) -> None:
    """Limits of real values, or of the integers that stand for them: of the node before, or a node
    of their own."""
    value = at.operand(0)
    if not low <= high:
        at.refuse(f"found limits {low:g} and {high:g}, expected two in order")
    integers = value and value.tensor is not None and not value.real
    node = _limited(at, value) if integers and value else at.unfinished(value)
    if node and value:
        node.low, node.high = max(node.low, low), min(node.high, high)
        at.alias(node.output, value.real)
        return
    source = at.activation(0, "CUBES")
    relu = "RELU" if math.isinf(high) else "RELU6" if high == 6 else "CLIP"
    node = at.node_like("CLIP" if low != 0 else relu, source)
    node.low, node.high = low, high
    if value and not value.real:
        at.keep_scale(node)


def relu(at: Reading) -> None:
    value = at.operand(0)
    if value and not value.real:
        at.refuse("found it on integers, expected DequantizeLinear before it")
    _make_limits(at, 0, math.inf)


def clip(at: Reading) -> None:
    value = at.operand(0)
    low, high = at.limits()
    if value and value.tensor is not None and not value.real:
        tensor = at.graph.tensors[value.tensor]
        zero, scale = tensor.zero + (128 if tensor.shifted else 0), tensor.scales[0]
        least, most = (0, 255) if tensor.shifted else (-128, 127)
        if low <= least and high >= most:
            at.alias(value.tensor, False)
            return
        if not tensor.quantised:
            at.refuse("found it on integers without a scale, expected QuantizeLinear before it")
        low, high = (max(low, least) - zero) * scale, (min(high, most) - zero) * scale
    elif high >= 3e38:
        high = math.inf
    elif abs(high - 6) < 1e-6:
        high = 6
    _make_limits(at, low, high)


def curve(at: Reading) -> None:
    at.node_like("LOGISTIC", at.input)


def softmax(at: Reading) -> None:
    tensor = at.graph.tensors[at.input]
    rank, old = tensor.rank, at.opset < 13  # old: over all elements from an axis on
    axis = at.axis(1 if old else -1, rank)
    row = axis == 1 and tensor.count == tensor.sides[CHANNELS]
    if not 1 <= axis < rank or (old and axis != rank - 1 and not row):
        others = " with those behind it, as before opset 13" if old else ""
        at.refuse(f"found axis {axis}{others}, expected 1, the channels")
    node = at.node_like(at.kind, at.input)
    node.axis, node.beta = axis_of(rank, axis), 1.0


# ---- quantisation ----

def quantize(at: Reading) -> None:
    value, scale, zero = at.operand(0), at.constant(1), at.optional(2)
    if not value or value.tensor is None or not value.real:
        at.refuse("found its input to be no float32 that a node computes, expected such")
    tensor = at.graph.tensors[value.tensor]
    same = (scale.count == 1 and scale.kind == FLOAT and
            (tensor.scales[0], tensor.zero) == (scale.elements[0], zero_point(zero)[0]))
    if tensor.quantised and not same:
        node = at.node_like("QUANTIZE", value.tensor)
        at.last.real = False
        at.set_scale(node.output, scale, zero)
        return
    at.set_scale(value.tensor, scale, zero)
    at.alias(value.tensor, False)
    if tensor.producer or at.readers.get(value.name, 0) == 1:
        tensor.name = shown(at.last.name)


def dequantize(at: Reading) -> None:
    value, scale, zero = at.operand(0), at.constant(1), at.optional(2)
    if not value:
        at.refuse("found no input, expected one that a node computes")
    if value.tensor is None:
        at.refuse("found no input that a node computes, expected one")
    # Without a zero point, that of its input's type.
    shifted = at.graph.tensors[value.tensor].shifted
    at.set_scale(value.tensor, scale, zero if zero or shifted else _NO_ZERO)
    at.alias(value.tensor, True)


def constant(at: Reading) -> None:
    """A tensor, or since version 12 a number or a list of numbers."""
    value = at.attribute(b"value")
    for name, member in (() if value else (
            (b"value_float", "f"), (b"value_floats", "floats"),
            (b"value_int", "i"), (b"value_ints", "ints"))):
        found = at.attribute(name)
        if found:
            kind, code = (FLOAT, "f") if member.startswith("f") else (INT64, "q")
            many = member.endswith("s")
            numbers = array.array(code, found.get(member, ()) if many else [found.get(member, 0)])
            dims = (len(numbers),) if many else ()
            at.room(kind, dims)
            at.plain(Constant(kind, dims, numbers.tobytes()))
            return
    if not value or "t" not in value:
        at.refuse("found no tensor as its value, expected one")
    at.plain(at.file_constant(value["t"]))


def identity(at: Reading) -> None:
    """Also Dropout, which does nothing when it does not train, and Cast of float32 to float32."""
    value, trains = at.operand(0), at.operand(2)
    kind = at.whole(b"to", FLOAT)
    if not value or value.tensor is None:
        at.refuse("found no input that a node computes, expected one")
    index = at.graph.tensors[value.tensor].type == "index"
    if at.node["op_type"] == b"Cast" and not index and (not value.real or kind != FLOAT):
        at.refuse(f"found {'float32' if value.real else 'integers'} made {type_name(kind)}, "
                  "expected float32 to stay so")
    if trains and (not trains.constant or trains.constant.count != 1 or next(trains.reals()) != 0):
        at.refuse("found training_mode, expected that of inference")
    at.alias(value.tensor, value.real)
