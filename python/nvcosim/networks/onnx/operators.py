"""The operators, and the one form that their inputs are brought into."""
import dataclasses
import typing

from nvcosim.networks.graph import INPUTS_MAX, shown, strangers
from nvcosim.networks.onnx import elements, folding, pooling, products, shapes
from nvcosim.networks.onnx.constants import FLOAT, Value
from nvcosim.networks.onnx.reading import Reading

_Function = typing.Callable[[Reading], None]
_ALL = 1 << 30


class Operator(typing.NamedTuple):
    """read: of what is computed, fold: of constants alone. takes: what it takes as its first input,
    "": it finds out itself. kind: where a function serves several. Of an integer form: the first
    input, how many have a scale and a zero point behind them, which is the bias (0: none), and
    where the scale of the result is."""
    read: _Function | None
    fold: _Function | None = None
    takes: str = ""
    kind: str = ""
    first: int = 0
    scaled: int = 0
    bias: int = 0
    result: int = 0


OPERATORS = {
    b"Add": Operator(elements.add),
    b"ArgMax": Operator(pooling.arg_max, None, "CUBES"),
    b"AveragePool": Operator(pooling.pool, None, "CUBES", "AVERAGE_POOL_2D"),
    b"BatchNormalization": Operator(products.normalisation),
    b"Cast": Operator(elements.identity, folding.cast),
    b"Clip": Operator(elements.clip, folding.clip),
    b"Concat": Operator(shapes.concatenation, folding.concat),
    b"Constant": Operator(elements.constant),
    b"Conv": Operator(products.convolution, None, "ROWS"),
    b"DequantizeLinear": Operator(elements.dequantize, folding.dequantize),
    b"Dropout": Operator(elements.identity),
    b"Flatten": Operator(shapes.sides, folding.sides, "ANY"),
    b"Gemm": Operator(products.product, None, "ROWS"),
    b"GlobalAveragePool": Operator(pooling.global_average, None, "CUBES"),
    b"Identity": Operator(elements.identity, folding.identity),
    b"LogSoftmax": Operator(elements.softmax, None, "CUBES", "LOG_SOFTMAX"),
    b"MatMul": Operator(products.product, None, "ROWS"),
    b"MaxPool": Operator(pooling.pool, None, "UNSCALED", "MAX_POOL_2D"),
    b"Pad": Operator(shapes.pad, None, "CUBES"),
    b"QGemm": Operator(products.product, None, "ROWS", scaled=2, bias=6, result=7),
    b"QLinearAdd": Operator(elements.add, scaled=2, result=6),
    b"QLinearAveragePool": Operator(pooling.pool, None, "CUBES", "AVERAGE_POOL_2D", scaled=1,
                                    result=3),
    b"QLinearConcat": Operator(shapes.concatenation, first=2, scaled=_ALL),
    b"QLinearConv": Operator(products.convolution, None, "ROWS", scaled=2, bias=8, result=6),
    b"QLinearGlobalAveragePool": Operator(pooling.global_average, None, "CUBES", scaled=1,
                                          result=3),
    b"QLinearMatMul": Operator(products.product, None, "ROWS", scaled=2, result=6),
    b"QLinearSigmoid": Operator(elements.curve, None, "CUBES", scaled=1, result=3),
    b"QLinearSoftmax": Operator(elements.softmax, None, "CUBES", "SOFTMAX", scaled=1, result=3),
    b"QuantizeLinear": Operator(elements.quantize, folding.quantize),
    b"ReduceMean": Operator(pooling.mean, None, "CUBES"),
    b"Relu": Operator(elements.relu),
    b"Reshape": Operator(shapes.sides, folding.sides, "ANY"),
    b"Sigmoid": Operator(elements.curve, None, "CUBES"),
    b"Slice": Operator(None, folding.cut),
    b"Softmax": Operator(elements.softmax, None, "CUBES", "SOFTMAX"),
    b"Squeeze": Operator(shapes.sides, folding.sides, "ANY"),
    b"Transpose": Operator(shapes.transpose, folding.transpose, "ANY"),
    b"Unsqueeze": Operator(shapes.sides, folding.sides, "ANY"),
}


def check(at: Reading) -> None:
    """Refuses a file with operators that are not supported: all of them, in one message."""
    nodes = at.file.get("node", [])
    strange = [i for i, node in enumerate(nodes) if node.get("op_type") not in OPERATORS]
    if not strange:
        return
    at.number = strange[0]
    at.node = nodes[at.number]
    at.refuse(strangers([shown(nodes[i].get("op_type", b"?")) for i in strange], len(nodes)))


def _operand(at: Reading, i: int) -> Value | None:
    """What a name stands for, as an operand; None if it is empty or nothing."""
    names = at.node.get("input", ())
    return at.values.get(names[i]) if i < len(names) else None


def _scale_tensor(at: Reading, tensor: int, i: int) -> None:
    """Scale and zero point of a tensor, from two inputs of the node."""
    scale, zero = _operand(at, i), _operand(at, i + 1)
    if not scale or not scale.constant:
        at.refuse_input(i)
    if zero and not zero.constant:
        at.refuse_input(i + 1)
    at.set_scale(tensor, scale.constant, zero.constant if zero else None)


def _scaled_operand(at: Reading, i: int) -> Value | None:
    """Operand i of an integer form, with its scale and zero point, as one of real numbers."""
    value, scale, zero = (_operand(at, i + k) for k in range(3))
    if not value:
        return None
    if not value.constant:
        assert value.tensor is not None
        _scale_tensor(at, value.tensor, i + 1)
        return dataclasses.replace(value, axis=-1, real=True)
    factor, point = (v.constant if v else None for v in (scale, zero))
    scales, zeros = factor.count if factor else 0, point.count if point else 1
    if factor and (factor.kind != FLOAT or scales == 0 or zeros not in (1, scales)):
        at.refuse(f"found {scales} scales and {zeros} zero points of its input {i}, expected "
                  "float32, as many of both")
    return dataclasses.replace(value, scale=factor, zero=point, axis=-1, real=True)


def _settle_operands(at: Reading, known: Operator) -> None:
    """Brings the node's inputs into one form."""
    names = at.node.get("input", ())
    for i, name in enumerate(names):
        if name and name not in at.values:
            at.refuse(f"found its input {i} to be no result of a node before, expected one")
    step, most = (3, known.scaled) if known.scaled else (1, _ALL)
    places = range(known.first, len(names) - step + 1, step)[:most]
    at.operands = []
    for i in places:
        if len(at.operands) == INPUTS_MAX:
            at.refuse(f"found more than {INPUTS_MAX} inputs, expected no more")
        at.operands.append(_scaled_operand(at, i) if known.scaled else _operand(at, i))
    if known.bias:
        at.operands.append(_operand(at, known.bias))


def read(at: Reading) -> None:
    """Reads the node `at.node`."""
    known = OPERATORS[at.node["op_type"]]
    _settle_operands(at, known)
    constants = all(value.constant for value in at.operands if value)
    if known.fold and at.operand(0) and constants:
        known.fold(at)
        return
    if not known.read:
        at.refuse("found it on a tensor that is computed, expected a constant")
    at.kind = known.kind
    if known.takes:
        at.input = at.activation(0, known.takes)
    known.read(at)
    if known.scaled:
        at.last.real = False
        _scale_tensor(at, at.graph.nodes[-1].output, known.result)
