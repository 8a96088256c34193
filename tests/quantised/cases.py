#!/usr/bin/python3
"""Small networks at the borders of what the compiler does: results half way between integers, layers that wait for others, elements that
move to other channels, sides that are repeated, values of uint8 at the ends. Each is compared with the reference interpreter and played.

usage: cases.py NVCOSIM [CONFIG]     CONFIG: default small, whose RTL plays them too; others are played on the model
Ends with "N passed, N failed".
"""
import math
import random
import sys

from counts import check, finish, scratch
from played import wrong
from tflite import FLOAT, INT8, INT32, INT64, SAME, UINT8, VALID, Network, result, windows

CONFIG = sys.argv[2] if len(sys.argv) > 2 else "small"


class Case(Network):
    def __init__(self, shape, scale=0.05, zero=5):
        super().__init__()
        self.random = random.Random(math.prod(shape))
        self.at = self.tensor(shape, scale, zero)
        self.inputs = [self.at]

    def constant(self, shape, scale=0.05, zero=0, limit=127, kind=9):
        return self.tensor(shape, scale, zero, [self.random.randint(-limit, limit) for _ in range(math.prod(shape))], kind)

    def then(self, name, shape, scale, zero, options=None, others=(), kind=INT8):
        self.at = self.node(name, [self.at, *others], self.tensor(shape, scale, zero, None, kind), options)
        self.outputs = [self.at]
        return self

    def convolution(self, k, scale_of_weights, scale, zero, size=1, stride=1, dilation=1):
        _, h, w, c = self.shape(self.at)
        weights = self.constant((k, size, size, c), scale_of_weights, limit=9)
        bias = self.constant((k,), 1.0, limit=500, kind=INT32)
        sides = [result(n, size, stride, dilation, SAME) for n in (h, w)]
        options = windows(SAME, (stride, stride), 0, dilation=(dilation, dilation))
        return self.then("CONV_2D", (1, *sides, k), scale, zero, options, [weights, bias])

    def groups(self, count, k, size=3):
        _, h, w, c = self.shape(self.at)
        weights = self.constant((k, size, size, c // count), 0.01, limit=9)
        others = [weights, self.constant((k,), 1.0, limit=500, kind=INT32)]
        return self.then("CONV_2D", (1, h, w, k), 0.3, -3, windows(SAME, (1, 1), 1), others)

    def transpose(self, *order):
        shape = self.shape(self.at)
        return self.then("TRANSPOSE", [shape[i] for i in order], *self.quantised(), None, [self.tensor((4,), 1.0, 0, order, INT32)])

    def average(self, width, height, stride, padding):
        _, h, w, c = self.shape(self.at)
        size = (1, result(h, height, stride, 1, padding), result(w, width, stride, 1, padding), c)
        return self.then("AVERAGE_POOL_2D", size, *self.quantised(), windows(padding, (stride, stride), 0, (width, height)))

    def each_pixel(self, k):
        """FULLY_CONNECTED with keep_num_dims."""
        *sides, c = self.shape(self.at)
        weights, bias = self.constant((k, c), 0.01, limit=9), self.constant((k,), 1.0, limit=500, kind=INT32)
        return self.then("FULLY_CONNECTED", (*sides, k), 0.3, -3, {0: ("b", 0), 1: ("b", 0), 2: ("b", 1)}, [weights, bias])

    def processor(self, name):
        scale, zero = (1 / 16, 127) if name == "LOG_SOFTMAX" else (1 / 256, -128)
        return self.then(name, self.shape(self.at), scale, zero, {0: ("f", 1.0)} if name == "SOFTMAX" else None)

    def arg_max(self, axis=-1, keep=False, kind=INT64):
        """The index of the greatest along an axis."""
        shape = list(self.shape(self.at))
        shape[axis:axis % len(shape) + 1] = [1] if keep else []
        return self.then("ARG_MAX", shape, 1.0, 0, None, [self.tensor((1,), 1.0, 0, [axis], kind)], kind)

    def same(self, name, scale, zero):
        return self.then(name, self.shape(self.at), scale, zero)

    def reshape(self, *sides):
        return self.then("RESHAPE", (1, *sides), *self.quantised())

    def quantised(self):
        _, _, _, scales, zero, _ = self.tensors[self.at]
        return scales[0], zero

    def pool(self, width, height, stride, padding):
        _, h, w, c = self.shape(self.at)
        size = (1, result(h, height, stride, 1, padding), result(w, width, stride, 1, padding), c)
        return self.then("MAX_POOL_2D", size, *self.quantised(), windows(padding, (stride, stride), 0, (width, height)))

    def concatenate(self, others, channels):
        _, h, w, _ = self.shape(self.at)
        return self.then("CONCATENATION", (1, h, w, channels), 0.07, -9, {0: ("i", -1), 1: ("b", 0)}, others)


def addition(a, b, out, other=None, shape=(1, 32, 32, 8)):
    """Tensors with these scales. other: the sides of a constant."""
    net = Case(shape, a)
    second = net.constant(other, b, -7) if other else net.tensor(shape, b, -7)
    net.inputs += [] if other else [second]
    return net.then("ADD", shape, out, 9, {0: ("b", 0)}, [second])


def after_pool():
    """A convolution reads what PDP wrote; a copy of that lies between the two."""
    net = Case((1, 12, 13, 16)).pool(2, 2, 2, VALID)
    pooled = net.at
    net.same("QUANTIZE", 0.03, 1)
    copy, net.at = net.at, pooled
    net.convolution(24, 0.01, 0.4, -3, 3)
    net.outputs = [copy, net.at]
    return net


def logistic_read():
    """Two results of the processor in a concatenation; one is an output as well."""
    net = Case((1, 4, 5, 8)).processor("LOGISTIC")
    first = net.at
    net.same("QUANTIZE", 0.01, -3).processor("LOGISTIC")
    net.then("CONCATENATION", (1, 4, 5, 16), 1 / 256, -128, {0: ("i", -1), 1: ("b", 0)}, [first])
    net.outputs = [first, net.at]
    return net


def unsigned():
    net = Case((1, 5, 6, 7))
    source = net.tensor(net.shape(net.at), 0.05, 5 + 128, None, UINT8)
    net.inputs = [source]
    net.node("QUANTIZE", [source], net.at)
    net.convolution(6, 0.01, 0.2, -3)
    net.outputs = [net.node("QUANTIZE", [net.at], net.tensor(net.shape(net.at), 0.2, -3 + 128, None, UINT8))]
    return net


def same_twice():
    net = Case((1, 9, 9, 5), 0.1173)
    return net.then("ADD", (1, 9, 9, 5), 0.25, 9, {0: ("b", 1)}, [net.at])


CASES = {
    "factor 1/2": lambda: Case((1, 16, 16, 8), 2**-4).same("QUANTIZE", 2**-3, -3),
    "factor 1/4, less than 0": lambda: Case((1, 16, 16, 8), 2**-4, 127).same("QUANTIZE", 2**-2, 0),
    "convolution, factor 1/64": lambda: Case((1, 32, 32, 8), 1.0).convolution(16, 2**-6, 1.0, -3),
    "convolution, factor 3/1024": lambda: Case((1, 32, 32, 8), 1.0).convolution(16, 3 * 2**-10, 1.0, -3),
    "addition, factor 1/2": lambda: addition(2**-3, 2**-3, 2**-2),
    "addition, factors 1/4 and 1/2": lambda: addition(2**-4, 2**-3, 2**-2),
    "addition of a column's channels": lambda: addition(0.04, 0.05, 0.11, (1, 32, 1, 8)),
    "addition of one number": lambda: addition(0.04, 0.05, 0.11, (1,)),
    "addition of small tensors": lambda: addition(0.1642, 0.1488, 0.1752, None, (1, 13, 25, 8)),
    "addition of small tensors, last atom not full": lambda: addition(0.1642, 0.1488, 0.1752, None, (1, 13, 5, 43)),
    "addition of a tensor to itself": same_twice,
    "mean of 2 x 2": lambda: (net := Case((1, 2, 2, 64))).then("MEAN", (1, 64), 0.05, 5, None, [net.tensor((2,), 1.0, 0, [1, 2], INT32)]),
    "logistic, last atom not full": lambda: Case((1, 3, 5, 19)).then("LOGISTIC", (1, 3, 5, 19), 1 / 256, -128),
    "softmax of each pixel": lambda: Case((1, 6, 7, 19)).then("SOFTMAX", (1, 6, 7, 19), 1 / 256, -128, {0: ("f", 1.0)}),
    "softmax of each pixel of an atom": lambda: Case((1, 6, 7, 5)).then("SOFTMAX", (1, 6, 7, 5), 1 / 256, -128, {0: ("f", 1.0)}),
    "softmax, beta 0.5": lambda: Case((1, 19)).then("SOFTMAX", (1, 19), 1 / 256, -128, {0: ("f", 0.5)}),
    "two layers after a PDP": after_pool,
    "maximum of 40 x 33": lambda: Case((1, 33, 40, 9)).pool(40, 33, 1, VALID),
    "maximum of 9 x 20, padding": lambda: Case((1, 33, 17, 9)).pool(9, 20, 3, SAME),
    "uint8 at both ends": unsigned,
    "flattened, then a convolution": lambda: Case((1, 6, 5, 11)).same("QUANTIZE", 0.06, 5).reshape(1, 1, 330).convolution(9, 0.01, 0.4, 0),
    "channels become pixels": lambda: Case((1, 3, 5, 40)).convolution(24, 0.01, 0.3, 0).reshape(12, 15, 2).convolution(9, 0.01, 0.05, 0),
    "channels padded": lambda: (net := Case((1, 4, 5, 11))).then(
        "PAD", (1, 5, 7, 24), 0.05, 5, None, [net.tensor((4, 2), 1.0, 0, [0, 0, 0, 1, 2, 0, 3, 10], INT32)]),
    "padding of a row": lambda: (net := Case((1, 6, 7))).then("PAD", (1, 9, 7), 0.05, 5, None, [net.tensor((3, 2), 1.0, 0, [0, 0, 1, 2, 0, 0], INT32)]),
    "padding of 40": lambda: Case((1, 50, 47, 3)).convolution(4, 0.01, 0.4, -3, 5, dilation=20),
    "stride 9": lambda: Case((1, 40, 31, 3)).convolution(4, 0.01, 0.4, -3, 9, stride=9),
    "stride 11, windows of 3": lambda: Case((1, 40, 31, 3)).convolution(12, 0.01, 0.4, -3, 3, stride=11),
    "average, stride 9": lambda: Case((1, 40, 31, 11)).average(9, 10, 9, SAME),
    "average of 40 x 2": lambda: Case((1, 4, 50, 11)).average(40, 2, 3, VALID),
    "average of 3 x 35, padding": lambda: Case((1, 40, 7, 11)).average(3, 35, 9, SAME),
    "maximum, stride 9": lambda: Case((1, 40, 31, 11)).pool(9, 9, 9, SAME),
    "maximum of 2 x 2, stride 16": lambda: Case((1, 40, 31, 11)).pool(2, 2, 16, VALID),
    "fully connected, each pixel": lambda: Case((1, 3, 4, 24)).each_pixel(10),
    "fully connected, each pixel of a reshaped row": lambda: Case((1, 6, 4, 10)).same("QUANTIZE", 0.06, 5).reshape(12, 20).each_pixel(9),
    "logistic in the middle": lambda: Case((1, 4, 5, 10)).processor("LOGISTIC").convolution(9, 0.01, 0.002, 0).processor("LOGISTIC"),
    "logistic, also an output": logistic_read,
    "softmax in the middle": lambda: (net := Case((1, 4, 5, 19))).processor("SOFTMAX").then("ADD", (1, 4, 5, 19), 0.06, 1, {0: ("b", 0)}, net.inputs),
    "softmax reshaped, then read": lambda: Case((1, 1, 1, 24)).processor("SOFTMAX").reshape(2, 3, 4).convolution(9, 0.01, 0.002, 0),
    "2 groups of whole atoms": lambda: Case((1, 6, 5, 16)).groups(2, 32),
    "4 groups inside atoms": lambda: Case((1, 6, 5, 12)).groups(4, 20),
    "2 groups of an atom and a part of one": lambda: Case((1, 6, 5, 24)).groups(2, 26, 1),
    "groups of one kernel": lambda: Case((1, 6, 5, 24)).groups(6, 6),
    "limits -1 and 1": lambda: Case((1, 6, 5, 12)).then("RELU_N1_TO_1", (1, 6, 5, 12), 0.01, 3),
    "channels first at both ends": lambda: Case((1, 12, 6, 5)).transpose(0, 2, 3, 1).convolution(9, 0.01, 0.4, 0, 3).transpose(0, 3, 1, 2),
    "channels first inside": lambda: Case((1, 6, 5, 12)).transpose(0, 3, 1, 2).same("RELU", 0.04, -128).transpose(0, 2, 3, 1).convolution(
        9, 0.01, 0.4, 0, 3),
    "softmax of float behind DEQUANTIZE": lambda: Case((1, 19)).then("DEQUANTIZE", (1, 19), 1.0, 0, kind=FLOAT).then(
        "SOFTMAX", (1, 19), 1.0, 0, {0: ("f", 1.0)}, kind=FLOAT),
    "log softmax": lambda: Case((1, 19)).processor("LOG_SOFTMAX"),
    "log softmax of each pixel": lambda: Case((1, 6, 7, 19)).processor("LOG_SOFTMAX"),
    "log softmax in the middle": lambda: Case((1, 4, 5, 10)).processor("LOG_SOFTMAX").convolution(9, 0.01, 0.05, 0),
    "arg max": lambda: Case((1, 300), 0.01).same("QUANTIZE", 0.011, 3).arg_max(),
    "arg max of each pixel": lambda: Case((1, 6, 7, 19)).arg_max(),
    "arg max of each pixel of an atom": lambda: Case((1, 6, 7, 5)).arg_max(-1, True, INT32),
    "arg max of channels first": lambda: Case((1, 6, 7, 12)).convolution(9, 0.01, 0.4, 0, 3).transpose(0, 3, 1, 2).arg_max(1),
    "arg max of float behind DEQUANTIZE": lambda: Case((1, 19)).then("DEQUANTIZE", (1, 19), 1.0, 0, kind=FLOAT).arg_max(),
    "mean of channels first": lambda: (net := Case((1, 6, 5, 12))).transpose(0, 3, 1, 2).then(
        "MEAN", (1, 12), 0.04, 1, None, [net.tensor((2,), 1.0, 0, [2, 3], INT32)]),
    "concatenation inside an atom": lambda: (net := Case((1, 4, 5, 11))).concatenate([net.constant((1, 4, 5, 3)), net.at, net.at], 36),
}


with scratch() as work:
    for name, make in CASES.items():
        path = work / "case.tflite"
        path.write_bytes(make().bytes())
        reason = wrong(path, "--config", CONFIG, "--input", "random:3", dut="both" if CONFIG == "small" else "model")
        check(name, not reason, reason)
finish()
