#!/usr/bin/python3
"""Layers that do not fit CBUF, or have no window of the accelerator: each is split as expected, its result compared with the reference
interpreter (nvcosim compile --check), and played on RTL.

usage: splits.py NVCOSIM [CONFIG]     CONFIG: default small, which is played on RTL too
Ends with "N passed, N failed".
"""
import random
import sys

from counts import check, finish, run, scratch
from played import NVCOSIM, wrong
from tflite import INT32, SAME, VALID, Network, result, windows

CONFIG = sys.argv[2] if len(sys.argv) > 2 else "small"

# Operator, shape of the input, kernels, window (height, width, stride, padding), what --explain says on small.
CASES = [
    ("FULLY_CONNECTED", (1, 1, 37, 5), 7, None, "its 37 atoms as a window of 1 x 1 with 296 channels"),
    ("FULLY_CONNECTED", (1, 2, 509, 10), 9, None, "its 2036 atoms as a window of 1 x 2 with 8144 channels"),
    ("FULLY_CONNECTED", (1, 64, 64, 3), 3, None, "its 4096 atoms"),
    ("FULLY_CONNECTED", (1, 1031, 1, 8), 4, None, "its 1031 atoms"),
    ("FULLY_CONNECTED", (1, 4, 40, 100), 10, None, "kernels at a time"),
    ("FULLY_CONNECTED", (1, 5, 100, 100), 3, None, "1 kernel at a time"),
    ("MEAN", (1, 37, 1, 12), 0, None, "37 pixels in a row"),
    ("MEAN", (1, 53, 67, 9), 0, None, "kernels at a time"),
    ("MEAN", (1, 128, 101, 10), 0, None, "in parts"),
    ("AVERAGE_POOL_2D", (1, 40, 33, 9), 0, (40, 33, 1, VALID), "1320 pixels in a row"),
    ("AVERAGE_POOL_2D", (1, 90, 97, 3), 0, (90, 97, 1, VALID), "in parts"),
    ("CONV_2D", (1, 5, 1500, 40), 9, (3, 3, 2, SAME), "columns"),
    ("CONV_2D", (1, 3, 4, 1600), 10, (3, 3, 1, SAME), "kernels at a time"),
    ("CONV_2D", (1, 6, 40, 800), 11, (5, 5, 3, SAME), "kernels at a time"),
    ("DEPTHWISE_CONV_2D", (1, 3, 6000, 9), 9, (3, 3, 1, SAME), "columns"),
]


def make(number, name, shape, kernels, window):
    r, net = random.Random(number), Network()
    zero = r.choice([-128, 127, r.randint(-99, 99)])
    at = net.tensor(shape, 0.05, zero)
    net.inputs = [at]
    _, h, w, c = ((1, 1, 1) + shape[1:])[-4:] if len(shape) < 4 else shape
    if name == "MEAN":
        axes = net.tensor((2,), 1.0, 0, [1, 2], INT32)
        net.outputs = [net.node(name, [at, axes], net.tensor((1, c), 0.05 * r.uniform(0.02, 0.1), r.randint(-9, 9)))]
        return net.bytes()
    if name == "AVERAGE_POOL_2D":
        options = windows(window[3], (1, 1), 0, (window[1], window[0]))
        net.outputs = [net.node(name, [at], net.tensor((1, 1, 1, c), 0.05, zero), options)]
        return net.bytes()
    whole, depthwise = name == "FULLY_CONNECTED", name == "DEPTHWISE_CONV_2D"
    kh, kw, stride, padding = window or (h, w, 1, VALID)
    taps = kh * kw * (1 if depthwise else c)
    weights = [r.randint(-127, 127) for _ in range(taps * kernels)]
    bias = [r.randint(-30000, 30000) for _ in range(kernels)]
    scales = [r.uniform(10, 40) / taps ** 0.5 / 73 / 73 * 0.3 for _ in range(kernels)]
    w_shape = (kernels, h * w * c) if whole else (1, kh, kw, kernels) if depthwise else (kernels, kh, kw, c)
    inputs = [at, net.tensor(w_shape, scales, 0, weights, dimension=3 if depthwise else 0), net.tensor((kernels,), 1.0, 0, bias, INT32)]
    size = (1, kernels) if whole else (1, result(h, kh, stride, 1, padding), result(w, kw, stride, 1, padding), kernels)
    options = {0: ("b", 0), 1: ("b", 0)} if whole else windows(padding, (stride, stride), 1, None, (1, 1), depthwise)
    net.outputs = [net.node(name, inputs, net.tensor(size, 0.05, r.randint(-128, 127)), options)]
    return net.bytes()


def play(number, case, path):
    """The reason why a case fails, or ""."""
    *parts, expected = case
    path.write_bytes(make(number, *parts))
    explained = run(NVCOSIM, "compile", path, "--explain", "--config", CONFIG)
    if explained.returncode or (CONFIG == "small" and expected not in explained.stdout):
        return f"expected '{expected}' in:\n{explained.stdout}{explained.stderr}"
    return wrong(path, "--config", CONFIG, "--input", f"random:{number}", dut="both" if CONFIG == "small" else None)


with scratch() as work:
    for place, one in enumerate(CASES):
        reason = play(place, one, work / f"split{place}.tflite")
        check(one, not reason, reason)
finish()
