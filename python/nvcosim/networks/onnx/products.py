"""Convolutions and products, and what becomes a part of their weights and bias."""
import dataclasses
import math

from nvcosim.networks.graph import (
    AXES, CHANNELS, HEIGHT, PRODUCTS, WIDTH, Node, Scales, axis_of, integers, scales_of, windows)
from nvcosim.networks.onnx.constants import (
    FLOAT, INT32, INT8, UINT8, Constant, Value, nearest, quotient, single, type_name)
from nvcosim.networks.onnx.pooling import window
from nvcosim.networks.onnx.reading import Reading

_BIAS_MOST = 2**31 - 1


@dataclasses.dataclass
class _Operands:
    weights: Constant
    scale: Constant
    zero: Constant | None
    axis: int  # of the weights, along which there are several scales; -1: the kernels
    bias: Value | None


def _operands(at: Reading) -> _Operands:
    weights, bias = at.operand(1), at.operand(2)
    if not weights or not weights.constant or not weights.scale:
        at.refuse("found its weights not to be a constant behind DequantizeLinear, expected such")
    if bias and not bias.constant:
        at.refuse("found its bias not to be a constant, expected one")
    return _Operands(weights.constant, weights.scale, weights.zero, weights.axis, bias)


def _check_weights(at: Reading, o: _Operands, kernels: int, axis: int) -> None:
    """axis: of the file's weights, along which the kernels are."""
    kind, none = o.weights.kind, 128 if o.weights.kind == UINT8 else 0
    scales, points = o.scale.elements, o.zero.elements if o.zero else ()
    if kind not in (INT8, UINT8) or o.scale.kind != FLOAT:
        at.refuse(f"found weights of {type_name(kind)}, expected uint8 or int8 with scales of "
                  "float32")
    if len(scales) not in (1, kernels):
        at.refuse(f"found {len(scales)} scales of its weights, expected 1 or {kernels}, one for "
                  "each kernel")
    if len(scales) > 1 and o.axis not in (axis, -1):
        at.refuse(f"found its weights quantised along dimension {o.axis}, expected {axis}")
    for i in range(max(len(scales), len(points))):
        point = points[i] if i < len(points) else 0
        if point != none or (o.zero and o.zero.kind not in (INT8, UINT8)):
            at.refuse(f"found a zero point of {point} of its weights, expected {none}: quantise "
                      "weights symmetrically")
        if i < len(scales) and not (math.isfinite(scales[i]) and scales[i] > 0):
            at.refuse(f"found scale {scales[i]:g} of its weights, expected a finite number above 0")
    if o.bias and o.bias.constant and (
            o.bias.constant.count != kernels or
            (not o.bias.real and o.bias.constant.kind != INT32)):
        at.refuse(f"found a bias of {o.bias.constant.count} values, expected {kernels} of int32 or "
                  "float32")


def _bias_of(at: Reading, node: Node) -> memoryview:
    """The bias of a convolution, made of zeros if there is none."""
    if len(node.inputs) < 3:
        kernels = at.output_of(node).sides[CHANNELS]
        node.inputs.append(at.new_constant("bias", "int32", [kernels], integers([0] * kernels)))
    data = at.graph.tensors[node.inputs[2]].data
    assert isinstance(data, bytearray)
    return memoryview(data).cast("i")


def _kernel_scale(scales: Scales, k: int) -> float:
    return scales[0 if len(scales) == 1 else k]


def _add_to_bias(at: Reading, node: Node, values: list[float]) -> None:
    """Adds real values to the bias of a convolution, in steps of its sums. ONNX Runtime's rule:
    divided in float32, rounded to the nearest, ties to even."""
    bias = _bias_of(at, node)
    source, weights = (at.graph.tensors[i] for i in node.inputs[:2])
    for k, real in enumerate(values):
        step = single(source.scales[0] * _kernel_scale(weights.scales, k))
        value = bias[k] + nearest(single(quotient(single(real), step)))
        if not abs(value) <= _BIAS_MOST:
            at.refuse(f"found a bias of {value:g} steps, expected one of 32 bits")
        bias[k] = int(value)
    node.real_bias = True


def add_to_bias(at: Reading, node: Node, value: Value) -> None:
    """Adds a constant to the bias of a convolution: one value for each kernel, or one."""
    kernels, values = at.output_of(node).sides[CHANNELS], list(value.reals())
    _add_to_bias(at, node, values * kernels if len(values) == 1 else values)


def _add_weights(at: Reading, node: Node, o: _Operands, sides: list[int],
                 strides: list[int]) -> None:
    """A bias of int32 is in steps of the sums already."""
    index = at.new_integers("weights", o.weights, sides, strides)
    tensor = at.graph.tensors[index]
    tensor.scales = o.scale.elements
    tensor.sliced = AXES - 1 if node.kind == "DEPTHWISE_CONV_2D" else 0
    node.inputs.append(index)
    if not o.bias:
        return
    assert o.bias.constant
    if o.bias.constant.kind != INT32:
        add_to_bias(at, node, o.bias)
    else:
        _bias_of(at, node)[:] = memoryview(o.bias.constant.data).cast("i")


def convolution(at: Reading) -> None:
    o = _operands(at)
    source, w = at.graph.tensors[at.input], o.weights
    rank, channels = source.rank, source.sides[CHANNELS]
    if rank < 3 or len(w.dims) != rank or w.count == 0:
        at.refuse(f"found weights of {len(w.dims)} dimensions, expected the {rank} of its input")
    group = at.whole(b"group", 1)
    if not 1 <= group <= channels or channels % group:
        at.refuse(f"found {group} groups of {channels} channels, expected as many channels in each")
    apart, depth = group > 1 and group == channels, channels // group
    if w.dims[1] != depth:
        at.refuse(f"found weights of {w.dims[1]} channels, expected {depth}")
    axes = windows()
    for i in range(2, rank):
        axes[axis_of(rank, i)].size = w.dims[i]
    sides = window(at, at.input, axes)
    rows, columns = axes[HEIGHT].size, axes[WIDTH].size
    taps, kernels = rows * columns, w.dims[0]
    sides[CHANNELS] = kernels
    if kernels * depth * taps != w.count:
        at.refuse(f"found {w.count} weights, expected those of its kernel_shape")
    _check_weights(at, o, kernels, 0)
    node = at.new_node("DEPTHWISE_CONV_2D" if apart else "CONV_2D", at.input, sides, rank)
    node.windows = axes
    node.groups = 1 if apart else group
    if apart:
        _add_weights(at, node, o, [1, rows, columns, kernels], [0, columns, 1, taps])
    else:
        _add_weights(at, node, o, [kernels, rows, columns, depth], [depth * taps, columns, 1, taps])


def product(at: Reading) -> None:
    """MatMul and Gemm."""
    factors = [(at.attribute(name) or {"f": 1.0}).get("f", 0.0) for name in (b"alpha", b"beta")]
    transposed = at.whole(b"transB", 0) != 0
    if factors != [1.0, 1.0] or at.whole(b"transA", 0) != 0:
        at.refuse("found alpha, beta or transA, expected 1, 1 and 0")
    o = _operands(at)
    source, w = at.graph.tensors[at.input], o.weights
    if (source.rank != 2 or len(w.dims) != 2 or w.dims[transposed] != source.count or
            w.count == 0):
        at.refuse(f"found an input of {source.rank} dimensions and {source.count} elements and "
                  f"weights of {len(w.dims)} dimensions, expected 2 and 2 of the same length")
    kernels = w.dims[not transposed]
    h, columns, c = source.cube if source.flat else (1, 1, source.sides[CHANNELS])
    step = 1 if transposed else kernels  # in the file: from element to element of a kernel
    _check_weights(at, o, kernels, int(not transposed))
    node = at.new_node("FULLY_CONNECTED", at.input, [1, 1, 1, kernels], 2)
    node.windows[WIDTH].size, node.windows[HEIGHT].size = source.sides[WIDTH], source.sides[HEIGHT]
    _add_weights(at, node, o, [kernels, h, columns, c],
                 [source.count if transposed else 1, columns * step, step, h * columns * step])


def _clear(at: Reading, node: Node, k: int, kernels: int) -> None:
    """A kernel without weights and bias."""
    tensor = at.graph.tensors[node.inputs[1]]
    assert tensor.data is not None
    tensor.data = data = bytearray(tensor.data)
    taps = len(data) // kernels
    if node.kind == "DEPTHWISE_CONV_2D":
        data[k::kernels] = bytes(taps)
    else:
        data[k * taps:(k + 1) * taps] = bytes(taps)
    if len(node.inputs) > 2:
        _bias_of(at, node)[k] = 0


def normalisation(at: Reading) -> None:
    """(x - mean) * scale / sqrt(variance + epsilon) + bias of the kernels before it: another scale
    of their weights, which may be below 0, and a part of their bias."""
    node = at.unfinished(at.operand(0))
    epsilon = (at.attribute(b"epsilon") or {"f": single(1e-5)}).get("f", 0.0)
    if not node or node.kind not in PRODUCTS:
        at.refuse("found it not behind a convolution, expected one whose result nothing else reads:"
                  " fold it into the weights before quantising")
    if at.whole(b"training_mode", 0) != 0 or at.whole(b"spatial", 1) != 1:
        at.refuse("found it as in training, expected that of inference")
    kernels, lists = at.output_of(node).sides[CHANNELS], []
    for i in range(1, 5):
        value = at.operand(i)
        if at.constant(i).count != kernels or not value:
            at.refuse(f"found its input {i} not to be one number for each of {kernels} channels")
        lists.append(list(value.reals()))
    weights = at.graph.tensors[node.inputs[1]]
    scales, bias = [], []
    for k, (scale, offset, mean, variance) in enumerate(zip(*lists)):
        spread = variance + epsilon
        factor = quotient(scale, math.sqrt(spread) if spread >= 0 else math.nan)
        scales.append(single(_kernel_scale(weights.scales, k) * (single(factor) if factor else 1)))
        bias.append(offset - mean * factor)
        if not math.isfinite(factor) or not math.isfinite(scales[-1]) or scales[-1] == 0:
            at.refuse(f"found a factor of {factor:g} for kernel {k}, expected a finite one")
        if factor == 0:
            _clear(at, node, k, kernels)
    weights.scales = scales_of(scales)
    _add_to_bias(at, node, bias)
    at.alias(node.output, True)
