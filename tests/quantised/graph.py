#!/usr/bin/python3
"""Writes a small random network for tests of damaged files, as TFLite and in both forms of ONNX.

usage: graph.py SEED NET.tflite     and NET.qdq.onnx, NET.qoperator.onnx, NET.external.onnx beside it, the last with NET.data
"""
import pathlib
import random
import sys

from onnx_form import Writer
from tflite import INT32, SAME, Network, windows


def main():
    r, net = random.Random(int(sys.argv[1])), Network()
    a = net.tensor((1, 6, 5, 4), 0.05, r.randint(-128, 127))
    net.inputs = [a]

    def constant(shape, scale, count, low, high, kind=9, dimension=0):
        return net.tensor(shape, scale, 0, [r.randint(low, high) for _ in range(count)], kind, dimension)

    out = net.tensor((1, 6, 5, 4), 0.06, -128)
    net.node("CONV_2D", [a, constant((4, 1, 1, 4), [0.01] * 4, 16, -127, 127), constant((4,), 1.0, 4, -999, 999, INT32)], out,
             windows(SAME, (1, 1), 1))
    deep = net.tensor((1, 3, 3, 4), 0.05, 3)
    net.node("DEPTHWISE_CONV_2D", [out, constant((1, 3, 3, 4), [0.01] * 4, 36, -127, 127, 9, 3), constant((4,), 1.0, 4, -999, 999, INT32)], deep,
             windows(SAME, (2, 2), 0, None, (1, 1), True))
    pooled = net.tensor((1, 3, 3, 4), 0.05, 3)
    net.node(r.choice(["AVERAGE_POOL_2D", "MAX_POOL_2D"]), [deep], pooled, windows(SAME, (1, 1), 0, (2, 2)))
    total = net.tensor((1, 3, 3, 4), 0.09, -5)
    net.node("ADD", [pooled, deep], total, {0: ("b", 1)})
    last = net.tensor((1, 3), 0.2, 0)
    net.node("FULLY_CONNECTED", [total, constant((3, 36), 0.01, 108, -127, 127)], last, {0: ("b", 0), 1: ("b", 0)})
    net.outputs = [net.node("SOFTMAX", [last], net.tensor((1, 3), 1 / 256, -128), {0: ("f", 1.0)})]
    path = pathlib.Path(sys.argv[2])
    path.write_bytes(net.bytes())
    path.with_suffix(".qdq.onnx").write_bytes(Writer(net, False).bytes())
    path.with_suffix(".qoperator.onnx").write_bytes(Writer(net, True).bytes())
    external = Writer(net, False, file=path.stem + ".data")
    path.with_suffix(".external.onnx").write_bytes(external.bytes())
    path.with_suffix(".data").write_bytes(external.external)


if __name__ == "__main__":
    main()
