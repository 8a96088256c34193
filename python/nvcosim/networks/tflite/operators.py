"""The operators of TFLite files as nodes of the graph."""
import math
import struct
import typing

from nvcosim.networks.graph import (
    AXES, BATCH, CHANNELS, HEIGHT, INPUTS_MAX, NODES_MAX, SIDE_MAX, WIDTH, Node, shown,
    strangers, windows)
from nvcosim.networks.tflite.flat import Table, Vector
from nvcosim.networks.tflite.reading import NONE, Reading, axis_of, general

_SAME, _VALID = 0, 1
_CLIPS = ((-math.inf, math.inf), (0, math.inf), (-1, 1), (0, 6))  # limits of activations
_RELU, _RELU_1, _RELU6 = 1, 2, 3
_NAMES = """
ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE
EMBEDDING_LOOKUP FLOOR FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D
LOCAL_RESPONSE_NORMALIZATION LOGISTIC LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU RELU_N1_TO_1 RELU6
RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH SVDF TANH CONCAT_EMBEDDINGS SKIP_GRAM CALL CUSTOM
EMBEDDING_LOOKUP_SPARSE PAD UNIDIRECTIONAL_SEQUENCE_RNN GATHER BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND
TRANSPOSE MEAN SUB DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE BIDIRECTIONAL_SEQUENCE_RNN
EXP TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM ARG_MAX
MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV
SPARSE_TO_DENSE TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE POW ARG_MIN FAKE_QUANT
REDUCE_PROD REDUCE_MAX PACK LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT UNPACK REDUCE_MIN FLOOR_DIV
REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD RANGE RESIZE_NEAREST_NEIGHBOR LEAKY_RELU
SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL REVERSE_V2 ADD_N GATHER_ND COS WHERE RANK ELU
REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE MATRIX_SET_DIAG ROUND HARD_SWISH IF WHILE
NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM BATCH_MATMUL
PLACEHOLDER CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D IMAG REAL COMPLEX_ABS HASHTABLE
HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL CONV_3D_TRANSPOSE VAR_HANDLE READ_VARIABLE
ASSIGN_VARIABLE BROADCAST_ARGS RANDOM_STANDARD_NORMAL BUCKETIZE RANDOM_UNIFORM MULTINOMIAL GELU
""".split()
"""In the order of their codes. Of newer ones, messages have the number."""


# ---- options ----

def _steps(at: Reading, dilation: int, node: Node) -> None:
    """Strides, dilation from a field of the options on (0: none), and padding."""
    padding = at.option(0, 1, "padding")
    for i, side in enumerate((WIDTH, HEIGHT)):
        axis = node.windows[side]
        axis.stride = at.option(1 + i, 4, "stride")
        if dilation and at.flat.has(at.options, dilation + i):
            axis.dilation = at.option(dilation + i, 4, "dilation")
        if padding == _SAME and min(axis.stride, axis.size, axis.dilation) >= 1:
            axis.pad_same(at.tensor(node.inputs[0]).sides[side])
    if padding > _VALID:
        at.refuse(f"found padding {padding}, expected 0 (SAME) or 1 (VALID)")


def _pool(at: Reading, node: Node) -> None:
    node.windows[WIDTH].size = at.option(3, 4, "width of windows")
    node.windows[HEIGHT].size = at.option(4, 4, "height of windows")
    _steps(at, 0, node)


def _convolution(at: Reading, node: Node) -> None:
    weights, whole = at.tensor(node.inputs[1]), node.kind == "CONV_2D"
    if weights.rank != AXES:
        at.refuse(f"found weights of {weights.rank} dimensions, expected 4")
    node.windows[HEIGHT].size, node.windows[WIDTH].size = weights.dims[1:3]
    if whole:
        node.groups = at.tensor(node.inputs[0]).sides[CHANNELS] // weights.dims[3]
    _steps(at, 4 if whole else 5, node)


def _fully_connected(at: Reading, node: Node) -> None:
    source, weights = at.tensor(node.inputs[0]), at.tensor(node.inputs[1])
    form = at.option(1, 1, "format of weights")
    if form != 0:
        at.refuse(f"found format {form} of its weights, expected 0 (plain)")
    # With keep_num_dims, and weights for the last dimension: for each pixel.
    if not (at.option(2, 1, "keep_num_dims") != 0 and weights.rank == 2 and
            weights.dims[1] == source.sides[CHANNELS]):
        for i in (HEIGHT, WIDTH):
            node.windows[i].size = source.sides[i]


def _taken(at: Reading, node: Node) -> None:
    """MEAN and ARG_MAX: the axes that become one element."""
    source, out = at.tensor(node.inputs[0]), at.tensor(node.output)
    for axis in at.constant(node.inputs, 1, "axes"):
        dimension = axis + source.rank if axis < 0 else axis
        if not 0 <= dimension < source.rank:
            at.refuse(f"found axis {axis} of {source.rank}, expected one of them")
        node.axis = axis_of(source.rank, dimension)
        node.windows[node.axis].size = source.sides[node.axis]
        node.taken |= 1 << node.axis
    if node.kind == "ARG_MAX" and out.type == "int32" and out.data is None:
        out.type = "index"


def _transpose(at: Reading, node: Node) -> None:
    source, out = at.tensor(node.inputs[0]), at.tensor(node.output)
    rank = source.rank
    order = at.constant(node.inputs, rank, "order")
    if source.data is not None:
        at.refuse("found a constant, expected a tensor that is computed")
    node.order = list(range(AXES))
    for i, old in enumerate(order[:rank]):
        if (not 0 <= old < rank or old in order[:i].tolist() or (i == 0) != (old == 0) or
                out.rank != rank or out.dims[i] != source.dims[old]):
            at.refuse(f"found dimension {old} at place {i}, expected each once, the batch first, "
                      "and the output's sides")
        node.order[axis_of(rank, i)] = axis_of(rank, old)


def _pad(at: Reading, node: Node) -> None:
    rank = at.tensor(node.inputs[0]).rank
    pads = at.constant(node.inputs, 2 * rank, "padding")
    for i in range(rank):
        before, after = pads[2 * i:2 * i + 2]
        place = axis_of(rank, i)
        most = 0 if place == BATCH else SIDE_MAX
        if not (0 <= before <= most and 0 <= after <= most):
            at.refuse(f"found padding of {before} and {after} in dimension {i}, expected 0 to "
                      f"{SIDE_MAX}, 0 in the batch")
        node.windows[place].before, node.windows[place].after = before, after


def _concatenation(at: Reading, node: Node) -> None:
    given, rank = at.option(0, 4, "axis"), at.tensor(node.output).rank
    axis = given + rank if given < 0 else given
    if not 1 <= axis < rank:
        at.refuse(f"found axis {axis} of {rank}, expected height, width or channels")
    node.axis = axis_of(rank, axis)


def _softmax(at: Reading, node: Node) -> None:
    node.beta, = struct.unpack("<f", struct.pack("<i", at.option(0, 4, "beta")))
    if not (math.isfinite(node.beta) and node.beta > 0):
        at.refuse(f"found beta {general(node.beta)}, expected a finite number above 0")


# ---- operators ----

class _Operator(typing.NamedTuple):
    """version: the last whose INT8 form is the one of chapter 88. inputs: that are needed. field:
    of the options, that has an activation; NONE: it is always `activation`."""
    kind: str
    version: int
    inputs: int = 1
    read: typing.Callable[[Reading, Node], None] | None = None
    field: int = NONE
    activation: int = 0


_OPERATORS = {
    0: _Operator("ADD", 3, 2, None, 0),
    1: _Operator("AVERAGE_POOL_2D", 3, 1, _pool, 5),
    2: _Operator("CONCATENATION", 3, 1, _concatenation, 1),
    3: _Operator("CONV_2D", 6, 2, _convolution, 3),
    4: _Operator("DEPTHWISE_CONV_2D", 6, 2, _convolution, 4),
    6: _Operator("DEQUANTIZE", 5),
    9: _Operator("FULLY_CONNECTED", 12, 2, _fully_connected, 0),
    14: _Operator("LOGISTIC", 3),
    17: _Operator("MAX_POOL_2D", 3, 1, _pool, 5),
    19: _Operator("RELU", 3, activation=_RELU),
    20: _Operator("CLIP", 1, activation=_RELU_1),
    21: _Operator("RELU6", 3, activation=_RELU6),
    22: _Operator("RESHAPE", 1),
    25: _Operator("SOFTMAX", 3, 1, _softmax),
    34: _Operator("PAD", 4, 1, _pad),
    39: _Operator("TRANSPOSE", 4, 1, _transpose),
    40: _Operator("MEAN", 3, 1, _taken),
    50: _Operator("LOG_SOFTMAX", 2),
    56: _Operator("ARG_MAX", 3, 1, _taken),
    114: _Operator("QUANTIZE", 3),
}


def _code(at: Reading, entry: Table) -> tuple[int, int, str]:
    """An operator's code, version and name."""
    flat, index = at.flat, at.flat.number(entry, 0, 4, "operator code")
    if index >= at.codes.count:
        flat.fail(entry.at, f"node {entry.index}: found operator code {index}, expected one of the "
                            f"file's {at.codes.count}")
    table = flat.entry(at.codes, index, "operator code")
    code = max(flat.number(table, 0, 1, "code", True), flat.number(table, 3, 4, "code", True))
    custom = flat.numbers(table, 1, "B", "custom code")
    version = flat.number(table, 2, 4, "version") if flat.has(table, 2) else 1
    name = _NAMES[code] if 0 <= code < len(_NAMES) else f"operator {code}"
    return code, version, shown(custom) if custom else name


def _output_name(at: Reading, subgraph: Table, entry: Table) -> str:
    """Of the tensor that a node computes."""
    tensors = at.flat.vector(subgraph, 0, 4, "tensors")
    outputs = at.flat.vector(entry, 2, 4, "outputs")
    index = at.flat.load(outputs.at, 4) if outputs.count else tensors.count
    if index >= tensors.count:
        return "?"
    return shown(at.flat.numbers(at.flat.entry(tensors, index, "tensor"), 3, "B", "name"))


def _kind_of_network(names: str) -> str:
    """What a network with some operators is, for whom its refusal surprises."""
    if "ethos-u" in names:
        return ". Vela has compiled this file for an Ethos-U: take the file that it was made from"
    if "VAR_HANDLE" in names or "READ_VARIABLE" in names:
        return ". It is a streaming network, which keeps variables from one call to the next"
    if "LSTM" in names or "SVDF" in names or "RNN" in names:
        return (". It is a recurrent network, which keeps a state, of int16, from one step to the "
                "next")
    return ""


def check(at: Reading, subgraphs: Vector) -> None:
    """Refuses a file with operators that are not supported, before anything else is judged: all of
    them, in one message."""
    strange: list[str] = []
    count = place = 0
    first = ""
    for subgraph in at.flat.tables(subgraphs, "subgraph"):
        for entry in at.flat.tables(at.flat.vector(subgraph, 3, 4, "operators"), "node"):
            count += 1
            code, version, name = _code(at, entry)
            if code in _OPERATORS:
                continue
            if not strange:
                place, output = entry.at, _output_name(at, subgraph, entry)
                first = f"node {entry.index}, {name} version {version}, tensor \"{output}\""
            strange.append(name)
    if strange:
        names = strangers(strange, count)
        at.flat.fail(place, f"{first}: {names}{_kind_of_network(names)}")


def _check_inputs(at: Reading, node: Node, known: _Operator, outputs: int) -> None:
    if node.output == NONE or len(node.inputs) < known.inputs:
        at.refuse(f"found {len(node.inputs)} inputs and {outputs} outputs, expected at least "
                  f"{known.inputs} and 1")
    needed = node.inputs if node.kind == "CONCATENATION" else node.inputs[:known.inputs]
    if NONE in needed:
        at.refuse(f"found input {needed.index(NONE)} absent, expected a tensor")
    for tensor in map(at.tensor, needed):
        if tensor.rank > 1 and tensor.dims[0] != 1 and tensor.data is None:
            at.refuse(f"found a batch of {tensor.dims[0]} in input \"{tensor.name}\", expected 1")


def _read_node(at: Reading, entry: Table) -> Node:
    at.entry, at.options = entry, at.flat.table(entry, 4, "options")
    inputs = at.indices(entry, 1, "inputs", INPUTS_MAX)
    outputs = at.indices(entry, 2, "outputs", 1)
    code, version, _ = _code(at, entry)
    known = _OPERATORS[code]
    node = Node(known.kind, entry.index, inputs, outputs[0] if outputs else NONE, axis=CHANNELS,
                beta=1.0, windows=windows())
    name = at.tensor(node.output).name if outputs and outputs[0] != NONE else "?"
    at.where = f"node {entry.index}, {node.kind}, tensor \"{name}\": "
    if not 1 <= version <= known.version:
        at.refuse(f"found version {version}, expected 1 to {known.version}")
    _check_inputs(at, node, known, len(outputs))
    if known.read:
        known.read(at, node)
    if known.inputs == 1 and known.kind != "CONCATENATION":
        del node.inputs[1:]  # what else there is has been read
    activation = known.activation
    if known.field != NONE:
        activation = at.option(known.field, 1, "activation")
    if activation >= len(_CLIPS):
        at.refuse(f"found activation {activation}, expected 0 (none), 1 (RELU), 2 "
                  "(RELU_N1_TO_1) or 3 (RELU6)")
    node.low, node.high = _CLIPS[activation]
    return node


def read(at: Reading, subgraph: Table) -> None:
    nodes = at.flat.vector(subgraph, 3, 4, "operators")
    if nodes.count > NODES_MAX:
        at.flat.fail(nodes.at, f"found {nodes.count} nodes, expected at most {NODES_MAX}")
    for entry in at.flat.tables(nodes, "node"):
        at.graph.nodes.append(_read_node(at, entry))
