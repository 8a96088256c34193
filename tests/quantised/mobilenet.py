#!/usr/bin/python3
"""A network of the form of MobileNetV2 as PyTorch's converter writes it: channels first at the input, a TRANSPOSE, then inverted residuals with
depth-wise convolutions, additions, a mean and a product; 65 nodes with random weights. The interpreter's output is that of the integers here,
which are TFLite's with one rounding; each node is compared on the model.

usage: mobilenet.py NVCOSIM REFERENCE     Ends with "N passed, N failed".
"""
import math
import random
import struct
import subprocess
import sys

from counts import check, finish, scratch
from played import compiled
from tflite import INT32, SAME, Network, windows

BLOCKS = [(1, 4, 1, 1), (6, 6, 2, 2), (6, 8, 3, 2), (6, 16, 4, 2), (6, 24, 3, 1), (6, 40, 3, 2), (6, 80, 1, 1)]  # expansion, channels, times, stride
SIDE, FIRST, LAST, CLASSES, RELU6 = 16, 8, 160, 10, 3


def single(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def multiplier(factor):
    mantissa, exponent = math.frexp(factor)
    return round(mantissa * 2**31), 31 - exponent


def scaled(value, factor):
    """One rounding, halves up."""
    mantissa, shift = factor
    return (value * mantissa + (1 << shift - 1)) >> shift


def scaled_twice(value, factor):
    """As TFLite's additions: halves up, then away from zero."""
    mantissa, shift = factor
    high, right = (value * mantissa + (1 << 30)) >> 31, shift - 31
    return (high + (1 << right >> 1) - (high < 0) * (right > 0)) >> right if right > 0 else high << -right


class Tensor:
    """Pixels are lists of channels."""

    def __init__(self, index, h, w, pixels, scale, zero):
        self.index, self.h, self.w, self.pixels, self.scale, self.zero = index, h, w, pixels, scale, zero
        self.c = len(pixels[0])


class Maker:
    def __init__(self, seed):
        self.random, self.net = random.Random(seed), Network()

    def sums(self, x, kernels, size, stride, weights, biases, depthwise):
        """Sums of the products, pixel by pixel; SAME."""
        h, w = -(-x.h // stride), -(-x.w // stride)
        top, left = (max((n - 1) * stride + size - m, 0) // 2 for n, m in ((h, x.h), (w, x.w)))
        out = []
        for oy in range(h):
            for ox in range(w):
                taps = []
                for r in range(size):
                    for s in range(size):
                        y, v = oy * stride - top + r, ox * stride - left + s
                        if 0 <= y < x.h and 0 <= v < x.w:
                            taps.append((r * size + s, [a - x.zero for a in x.pixels[y * x.w + v]]))
                if depthwise:
                    out.append([biases[k] + sum(weights[t * kernels + k] * p[k] for t, p in taps) for k in range(kernels)])
                else:
                    out.append([biases[k] + sum(sum(map(int.__mul__, weights[(k * size * size + t) * x.c:(k * size * size + t + 1) * x.c], p))
                                                for t, p in taps) for k in range(kernels)])
        return h, w, out

    def convolution(self, x, kernels, size, stride, activation, depthwise=False):
        r, taps = self.random, size * size * (1 if depthwise else x.c)
        weights = [r.randint(-127, 127) for _ in range(kernels * taps)]
        biases = [r.randint(-2000, 2000) for _ in range(kernels)]
        scales = [single(r.uniform(0.5, 1.5) / 100 / math.sqrt(taps)) for _ in range(kernels)]
        h, w, sums = self.sums(x, kernels, size, stride, weights, biases, depthwise)
        reals = [v * scales[k] * x.scale for pixel in sums for k, v in enumerate(pixel)]
        low, high = (0, min(max(reals), 6)) if activation == RELU6 else (min(0, *reals), max(reals))
        scale = single(max(high - low, 0.01) / 255)
        zero = max(min(round(-128 - low / scale), 127), -128)
        least, most = (max(zero, -128), min(127, zero + math.floor(6 / scale + 0.5))) if activation == RELU6 else (-128, 127)
        factors = [multiplier(x.scale * s / scale) for s in scales]
        pixels = [[min(max(zero + scaled(v, factors[k]), least), most) for k, v in enumerate(p)] for p in sums]
        net, kind = self.net, "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D"
        shape = (1, size, size, kernels) if depthwise else (kernels, size, size, x.c)
        operands = [net.tensor(shape, scales, 0, weights, dimension=3 if depthwise else 0), net.tensor((kernels,), 1.0, 0, biases, INT32)]
        index = net.node(kind, [x.index, *operands], net.tensor((1, h, w, kernels), scale, zero),
                         windows(SAME, (stride, stride), activation, None, (1, 1), depthwise))
        return Tensor(index, h, w, pixels, scale, zero)

    def add(self, a, b):
        reals = [(v - a.zero) * a.scale + (u - b.zero) * b.scale for p, q in zip(a.pixels, b.pixels) for v, u in zip(p, q)]
        low, high = min(0, *reals), max(0, *reals)
        scale = single(max(high - low, 0.01) / 255)
        zero = max(min(round(-128 - low / scale), 127), -128)
        twice = 2 * max(a.scale, b.scale)
        of_a, of_b, of_sum = multiplier(a.scale / twice), multiplier(b.scale / twice), multiplier(twice / (2**20 * scale))
        pixels = [[min(max(zero + scaled_twice(scaled_twice(v - a.zero << 20, of_a) + scaled_twice(u - b.zero << 20, of_b), of_sum), -128), 127)
                   for v, u in zip(p, q)] for p, q in zip(a.pixels, b.pixels)]
        index = self.net.node("ADD", [a.index, b.index], self.net.tensor((1, a.h, a.w, a.c), scale, zero), {0: ("b", 0)})
        return Tensor(index, a.h, a.w, pixels, scale, zero)

    def mean(self, x):
        n = x.h * x.w
        factor = multiplier(1 / n)
        row = [min(max(x.zero + scaled(sum(p[c] for p in x.pixels) - n * x.zero, factor), -128), 127) for c in range(x.c)]
        axes = self.net.tensor((2,), 1.0, 0, [1, 2], INT32)
        return Tensor(self.net.node("MEAN", [x.index, axes], self.net.tensor((1, x.c), x.scale, x.zero)), 1, 1, [row], x.scale, x.zero)

    def product(self, x):
        weights = [self.random.randint(-127, 127) for _ in range(CLASSES * x.c)]
        _, _, sums = self.sums(x, CLASSES, 1, 1, weights, [0] * CLASSES, False)
        scale = single(max(map(abs, sums[0])) * 0.01 * x.scale / 127)
        factor = multiplier(single(x.scale * single(0.01)) / scale)
        row = [min(max(scaled(v, factor), -128), 127) for v in sums[0]]
        index = self.net.node("FULLY_CONNECTED", [x.index, self.net.tensor((CLASSES, x.c), 0.01, 0, weights)],
                              self.net.tensor((1, CLASSES), scale, 0), {0: ("b", 0), 1: ("b", 0)})
        return Tensor(index, 1, 1, [row], scale, 0)

    def grow(self):
        net, codes = self.net, [self.random.randint(-128, 127) for _ in range(3 * SIDE * SIDE)]
        self.raw = bytes(v & 255 for v in codes)  # channels first
        net.inputs = [net.tensor((1, 3, SIDE, SIDE), 1 / 64, -3)]
        index = net.node("TRANSPOSE", [*net.inputs, net.tensor((4,), 1.0, 0, [0, 2, 3, 1], INT32)], net.tensor((1, SIDE, SIDE, 3), 1 / 64, -3))
        x = Tensor(index, SIDE, SIDE, [codes[i::SIDE * SIDE] for i in range(SIDE * SIDE)], 1 / 64, -3)
        x = self.convolution(x, FIRST, 3, 2, RELU6)
        for expansion, channels, times, stride in BLOCKS:
            for i in range(times):
                before, step = x, stride if i == 0 else 1
                x = self.convolution(x, x.c * expansion, 1, 1, RELU6) if expansion > 1 else x
                x = self.convolution(self.convolution(x, x.c, 3, step, RELU6, True), channels, 1, 1, 0)
                x = self.add(before, x) if i else x
        x = self.product(self.mean(self.convolution(x, LAST, 1, 1, RELU6)))
        net.outputs = [x.index]
        return x.pixels[0]


reference, maker = sys.argv[2], Maker(45)
expected = maker.grow()
with scratch() as work:
    path, raw, cube = (work / name for name in ("net.tflite", "first.bin", "last.bin"))
    path.write_bytes(maker.net.bytes())
    raw.write_bytes(maker.raw)
    cube.write_bytes(bytes(b for i in range(SIDE * SIDE) for b in maker.raw[i::SIDE * SIDE]))
    done = subprocess.run([reference, path, cube], capture_output=True)
    found = list(struct.unpack(f"{len(done.stdout)}b", done.stdout))
    check("65 nodes, and their output", len(maker.net.nodes) == 65 and found == expected,
          f"{len(maker.net.nodes)}: found {found} {done.stderr.decode()}, expected {expected}")
    nodes = compiled(path, "--input", f"raw:{raw}")
    check("each node on the model", nodes.returncode == 0 and nodes.stdout.count("pass node") == 64, nodes.stdout + nodes.stderr)
finish()
