"""The whole of an ONNX file: its ends, its nodes in order."""
from nvcosim.networks.graph import (
    AXES, ELEMENTS_MAX, ENDS_MAX, KEEP_SCALE, NODES_MAX, OF_PROCESSOR, Graph, Refused, Tensor,
    axis_of, scales_of, shown, text_of)
from nvcosim.networks.onnx import operators, wire
from nvcosim.networks.onnx.constants import FLOAT, INT8, UINT8, Value, type_name
from nvcosim.networks.onnx.reading import Reading
from nvcosim.networks.onnx.wire import Message

_NEWEST = 2**63 - 1
_FILE_TYPES = {FLOAT: "float", UINT8: "uint8", INT8: "int8"}


def _read_initializers(at: Reading) -> None:
    for tensor in at.file.get("initializer", ()):
        constant = at.file_constant(tensor)
        at.define(tensor.get("name", b""), Value(constant=constant, real=constant.kind == FLOAT))


def _read_input(at: Reading, end: Message) -> None:
    about = end.get("type", {}).get("tensor_type", {})
    dims = about.get("shape", {}).get("dim", ())
    rank = len(dims)
    if "name" not in end or not 2 <= rank <= AXES:
        at.refuse("found an input without a shape of 2 to 4 dimensions, expected one")
    name, sides = text_of(end["name"]), [1] * AXES
    for i, dimension in enumerate(dims):
        side = dimension.get("dim_value", 0 if i else 1)
        if not 1 <= side <= (ELEMENTS_MAX if i else 1):
            at.refuse(f"found a size of {side} in dimension {i} of input \"{name}\", expected "
                      f"{'a number above 0' if i else 'a batch of 1'}")
        sides[axis_of(rank, i)] = side
    kind = about.get("elem_type", 0)
    value = at.define(end["name"], Value(real=kind == FLOAT))
    value.tensor = at.new_tensor(shown(value.name), sides, rank)
    if kind not in _FILE_TYPES:
        at.refuse(f"found input \"{name}\" of {type_name(kind)}, expected float32, uint8 or int8")
    tensor = at.graph.tensors[value.tensor]
    tensor.integer, tensor.shifted = not value.real, kind == UINT8
    tensor.in_file = _FILE_TYPES[kind]
    at.graph.inputs.append(value.tensor)


def _set_processor_scale(tensor: Tensor, kind: str) -> None:
    """That of TFLite's results of an operator of the processor."""
    tensor.type = "int8"
    tensor.scales = scales_of([1 / 16 if kind == "LOG_SOFTMAX" else 1 / 256])
    tensor.zero = 127 if kind == "LOG_SOFTMAX" else -128


def _read_output(at: Reading, end: Message) -> None:
    name = end.get("name", b"")
    value = at.values.get(name)
    if not value or value.tensor is None:
        at.refuse(f"found output \"{text_of(name)}\", which no node computes; expected one that "
                  "does")
    tensor = at.graph.tensors[value.tensor]
    kind = tensor.producer.kind if tensor.producer else ""
    if not tensor.quantised:
        if kind not in OF_PROCESSOR:
            at.refuse(f"found output \"{text_of(name)}\" as float32, expected it quantised: "
                      "QuantizeLinear before it")
        _set_processor_scale(tensor, kind)
    at.graph.outputs.append(value.tensor)


def _settle_scales(graph: Graph) -> None:
    """Integers that are only moved need no scale."""
    tensors = graph.tensors
    for index in graph.inputs:
        tensors[index].quantised |= tensors[index].integer
    for node in graph.nodes:
        if node.kind in KEEP_SCALE:
            tensors[node.output].quantised |= tensors[node.inputs[0]].quantised


def _read_graph(at: Reading) -> None:
    nodes, inputs, outputs = (at.file.get(name, []) for name in ("node", "input", "output"))
    if len(nodes) > NODES_MAX or not inputs or not 1 <= len(outputs) <= ENDS_MAX:
        at.refuse(f"found {len(nodes)} nodes, {len(inputs)} inputs and {len(outputs)} outputs, "
                  f"expected at most {NODES_MAX}, and 1 to {ENDS_MAX} each")
    operators.check(at)
    _read_initializers(at)
    for end in inputs:
        if end.get("name") not in at.values:  # old files list constants there too
            _read_input(at, end)
    if not 1 <= len(at.graph.inputs) <= ENDS_MAX:
        at.refuse(f"found {len(at.graph.inputs)} inputs, expected 1 to {ENDS_MAX}")
    for at.number, at.node in enumerate(nodes):
        operators.read(at)
    at.number = -1
    _settle_scales(at.graph)
    for index in at.graph.inputs:
        tensor = at.graph.tensors[index]
        if not tensor.quantised:
            at.refuse(f"found input \"{tensor.name}\" that is not quantised, expected "
                      "QuantizeLinear behind it")
    for end in outputs:
        _read_output(at, end)


def _opset_of(model: Message) -> int:
    """Version of the standard operators: of a file that does not say it, the newest."""
    for found in model.get("opset_import", ()):
        if found.get("domain", b"") in (b"", b"ai.onnx"):
            return int(found.get("version", 0))
    return _NEWEST


def parse(path: str, data: bytes) -> Graph:
    """path: for messages, and where constants in files of their own are searched. Refused."""
    try:
        model = wire.read(data)
    except wire.Damaged:
        model = {}
    if "graph" not in model:
        raise Refused(f"{path}: found no ONNX model, or one cut short, expected one with a graph")
    at = Reading(path, _opset_of(model), model["graph"])
    _read_graph(at)
    return at.graph
