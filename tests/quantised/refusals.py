#!/usr/bin/python3
"""Networks that are refused, and what the message names: the operators before anything else, all of them, types by their names, files of
constants that are missing, short or elsewhere, transposes that would move elements.

usage: refusals.py NVCOSIM      Ends with "N passed, N failed".
"""
import pathlib
import sys

from counts import check, finish, run, scratch
from onnx_form import block, number, tensor
from onnx_graph import FLOAT, INT8, INT64, Graph
from tflite import CODES, Network

NVCOSIM = str(pathlib.Path(sys.argv[1]).resolve())
INT16 = 7
CODES.update({"CUSTOM": 32, "LSTM": 16, "SVDF": 27, "VAR_HANDLE": 142, "READ_VARIABLE": 143})


def tflite(*names, kind=9):
    """Nodes in a row."""
    net = Network()
    at = net.tensor((1, 4), 0.1, 0, None, kind)
    net.inputs = [at]
    for name in names:
        at = net.node(name, [at], net.tensor((1, 4), 0.1, 0, None, kind))
    net.outputs = [at]
    return net


def batch_of_constants():
    net = tflite("RELU")
    beside = net.tensor((2, 4), 0.1, 0, [1] * 8)
    net.outputs = [net.node("ADD", [net.outputs[0], beside], net.tensor((1, 4), 0.1))]
    return net.bytes()


def custom(name):
    net = tflite("CUSTOM")
    net.custom = name
    return net.bytes()


def onnx(*kinds, external=None):
    """Nodes in a row, and a constant that none of them reads."""
    constants = [tensor("half", 10, [1], b"\0\0")]
    if external:
        constants = [number(1, 4) + number(2, FLOAT) + block(8, "far") + number(14, 1) +
                     b"".join(block(13, block(1, k) + block(2, v)) for k, v in external.items())]
    at, nodes = "input", []
    for i, kind in enumerate(kinds):
        nodes.append(block(1, block(1, at) + block(2, f"x{i}") + block(4, kind)))
        at = f"x{i}"
    return model(nodes, constants, at, FLOAT)


def model(nodes, constants, output, element):
    kind = block(1, number(1, element) + block(2, block(1, number(1, 1)) + block(1, number(1, 4))))
    ends = [block(field, block(1, name) + block(2, kind)) for field, name in ((11, "input"), (12, output))]
    graph = b"".join(nodes) + b"".join(block(5, c) for c in constants) + b"".join(ends)
    return number(1, 8) + block(7, graph) + block(8, number(2, 13))


def product(scales, zeros):
    """A product with a constant that has so many scales and zero points."""
    inputs = ["input", "scale", "zero", "b", "scales", "zeros", "scale", "zero"]
    half = b"\0\0\0\x3f"
    constants = [tensor("scale", FLOAT, [1], half), tensor("scales", FLOAT, [scales], half * scales), tensor("zero", INT8, [1], b"\0"),
                 tensor("zeros", INT8, [zeros], bytes(zeros)), tensor("b", INT8, [4, 4], bytes(16))]
    node = block(1, b"".join(block(1, name) for name in inputs) + block(2, "y") + block(4, "QLinearMatMul"))
    return model([node], constants, "y", INT8)


def moved():
    """A transpose between two convolutions."""
    g = Graph(13)
    q = [g.constant([], [0.5]), g.constant([], [0], INT8)]
    x = g.input([1, 3, 3, 3], [0.0] * 27)

    def quantised(x):
        return g.add("DequantizeLinear", [g.add("QuantizeLinear", [x] + q)] + q)

    for perm in ([0, 1, 2, 3], [0, 3, 2, 1], None):
        weights = g.add("DequantizeLinear", [g.constant([3, 3, 1, 1], [1] * 9, INT8)] + q)
        x = quantised(g.add("Conv", [quantised(x), weights]))
        x = g.add("Transpose", [x], perm=perm) if perm else x
    return g.bytes(x)


def mean_of_channels():
    g = Graph(18)
    q = [g.constant([], [0.5]), g.constant([], [0], INT8)]
    x = g.add("DequantizeLinear", [g.add("QuantizeLinear", [g.input([1, 3, 2, 2], [0.0] * 12)] + q)] + q)
    return g.bytes(g.add("ReduceMean", [x, g.constant([1], [1], INT64)]))


FAR = {"location": "net.data", "offset": "0", "length": "16"}
CASES = [  # suffix, file, bytes of net.data or None, texts of the message
    ("tflite", tflite("RELU", "TANH", "LSTM", "TANH", kind=INT16).bytes(), None,
     ["node 1, TANH", "Such are 3 of 4 nodes: TANH, LSTM.", "recurrent network"]),
    ("tflite", tflite("SVDF").bytes(), None, ["node 0, SVDF", "state, of int16"]),
    ("tflite", tflite("VAR_HANDLE", "READ_VARIABLE").bytes(), None, ["VAR_HANDLE, READ_VARIABLE.", "a streaming network"]),
    ("tflite", custom("ethos-u"), None, ["node 0, ethos-u", "Vela has compiled this file"]),
    ("tflite", batch_of_constants(), None, ["node 1, ADD", "found 8 elements of its input \"t2\", expected 1 x 1 x 4 (h, w, c)"]),
    ("tflite", tflite("RELU", kind=INT16).bytes(), None, ["tensor 0 \"t0\": found int16, expected int8"]),
    ("onnx", onnx("LSTM", "Relu", "Gather", "LSTM"), None, ["node 0, LSTM", "Such are 3 of 4 nodes: LSTM, Gather"]),
    ("onnx", onnx("Relu"), None, ["found a constant of float16, expected float32"]),
    ("onnx", onnx("Relu", external=FAR), None, ["found no file \"net.data\""]),
    ("onnx", onnx("Relu", external=FAR | {"location": "../net.data"}), b"\0" * 16, ["found a constant in file \"../net.data\""]),
    ("onnx", onnx("Relu", external=FAR | {"location": "/etc/passwd"}), None, ["found a constant in file \"/etc/passwd\""]),
    ("onnx", onnx("Relu", external=FAR | {"offset": "1"}), b"\0" * 16, ["with 16 bytes, expected 16 from byte 1 on"]),
    ("onnx", onnx("Relu", external=FAR | {"length": "12"}), b"\0" * 16, ["found a constant with 12 bytes"]),
    ("onnx", onnx("Relu", external=FAR | {"offset": "-4"}), b"\0" * 16, ["found \"-4\" as the offset"]),
    ("onnx", moved(), None, ["found its inputs transposed by a node before", "node"]),
    ("onnx", product(0, 1), None, ["found 0 scales and 1 zero points of its input 3, expected float32, as many of both"]),
    ("onnx", product(4, 2), None, ["found 4 scales and 2 zero points of its input 3"]),
    ("onnx", mean_of_channels(), None, ["found a mean over other axes"]),
]


with scratch() as work:
    for suffix, file, far, texts in CASES:
        path, beside = work / f"net.{suffix}", work / "net.data"
        path.write_bytes(file)
        beside.unlink(missing_ok=True)
        if far is not None:
            beside.write_bytes(far)
        done = run(NVCOSIM, "compile", path, "-o", work / "out.nvdla")
        check(f"refused: {texts[0]}", done.returncode == 2 and all(text in done.stderr for text in texts),
              f"expected {texts}, found status {done.returncode}: {done.stderr}")
finish()
