#!/usr/bin/python3
"""Operators whose form or defaults depend on the version of the operators, in each of the versions 7 to 23, as onnx_graph.py computes them.

usage: opsets.py REFERENCE     Ends with "N passed, N failed".
"""
import random
import subprocess
import sys

from counts import check, finish, scratch
from exports import Maker, distances
from onnx_graph import INT8, INT64, Graph

ENDS = ["Softmax", "LogSoftmax", "ArgMax", "Softmax of a cube", "Flatten", "Reshape"]


class Border(Maker):
    def __init__(self, opset, end):
        self.r, self.end = random.Random(opset), end
        self.graph = Graph(opset)
        self.forms, self.per_axis, self.unsigned, self.kind, self.last_kind = set(), opset >= 13, False, INT8, None
        self.grow()

    def shape_of_row(self):
        if self.graph.opset < 12:
            return self.graph.constant([2], [0, -1], INT64)
        return self.graph.add("Constant", [], value_ints=[0, -1])

    def grow(self):
        g, r = self.graph, self.r
        codes = [r.randint(-128, 127) for _ in range(8 * 36)]
        self.raw = bytes(codes[k * 36 + i] & 255 for i in range(36) for k in range(8))
        x = self.quantised(g.input([1, 8, 6, 6], [v * 0.05 for v in codes]), [g.constant([], [0.05]), g.constant([], [0], INT8)])
        x = g.add("Conv", [x, self.weights([8, 8, 1, 1])])
        lists = [[r.uniform(-1.5, 1.5) for _ in range(8)], [r.gauss(0, 1) for _ in range(8)], [0.1] * 8, [r.uniform(0.5, 2) for _ in range(8)]]
        x = g.add("BatchNormalization", [x] + [g.constant([8], values) for values in lists], **({"spatial": 1} if g.opset < 9 else {}))
        x = self.quantised(self.clip(x, 0, 6))
        x = g.add("Dropout", [x, g.add("Constant", [], value_float=0.5)] if g.opset >= 12 else [x])
        x = self.pad(x)
        x = self.quantised(g.add("MaxPool", [x], kernel_shape=[2, 2]) if self.end == "Flatten" else x)
        if self.end in ("Flatten", "Reshape"):
            x = g.add("Flatten", [x]) if self.end == "Flatten" else g.add("Reshape", [x, self.shape_of_row()])
            n = g.values[x].shape[1]
            x = self.quantised(g.add("Gemm", [x, self.weights([n, 5], 1), self.bias(5)]))
        else:
            x = self.quantised(self.listed("ReduceMean", [x], "axes", [2, 3], 18))
            if "cube" not in self.end:
                x = self.listed("Unsqueeze", [self.listed("Squeeze", [x], "axes", [3], 13)], "axes", [3], 13)
                x = self.listed("Squeeze", [x], "axes", [2, 3], 13)
            self.logits, self.last_kind = g.values[x], self.end.split()[0]
            x = g.add(self.last_kind, [x], **({"axis": 1} if self.end == "ArgMax" else {}))
        self.output = x
        self.file = g.bytes(x)


def play(opset, end, path):
    """The reason why a network fails, or None."""
    maker = Border(opset, end)
    path.write_bytes(maker.file)
    raw = path.with_suffix(".bin")
    raw.write_bytes(maker.raw)
    done = subprocess.run([sys.argv[1], path, raw], capture_output=True)
    if end == "Softmax of a cube" and opset >= 13:
        return None if b"expected along the channels" in done.stderr else f"found {done.stderr.decode()}, expected its axis to be refused"
    off = distances(maker, done.stdout) if done.returncode == 0 else None
    return None if off and max(off) <= 1 else f"{max(off):.1f} steps off" if off else done.stderr.decode()


with scratch() as work:
    for version in range(7, 24):
        for last in ENDS:
            reason = play(version, last, work / "net.onnx")
            check(f"opset {version}, {last}", not reason, reason)
finish()
