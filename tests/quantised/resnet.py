#!/usr/bin/python3
"""Writes ResNet-50 or ResNet-18 as a quantised TFLite network whose weights are all 1: for clocks, which do not depend on values.

usage: resnet.py 18|50 NET.tflite [SIDE]     SIDE: of the picture (default 224)
"""
import pathlib
import sys

from tflite import INT32, SAME, VALID, Network, result, windows

RELU, STEM = 1, 64
BLOCKS = {18: (2, 2, 2, 2), 50: (3, 4, 6, 3)}


class Maker:
    def __init__(self):
        self.net = Network()

    def convolution(self, at, kernels, size, stride, activation):
        _, h, w, c = self.net.shape(at)
        padding = SAME if size > 1 else VALID
        self.net.buffers.append(b"\1" * (kernels * size * size * c))
        weights = self.net.tensor((kernels, size, size, c), 0.01)
        shape, kind, _, scales, zero, dimension = self.net.tensors[weights]
        self.net.tensors[weights] = shape, kind, len(self.net.buffers) - 1, scales, zero, dimension
        bias = self.net.tensor((kernels,), 0.0005, 0, [0] * kernels, INT32)
        out = self.net.tensor((1, result(h, size, stride, 1, padding), result(w, size, stride, 1, padding), kernels), 0.05)
        return self.net.node("CONV_2D", [at, weights, bias], out, windows(padding, (stride, stride), activation))

    def block(self, at, channels, stride, deep):
        out = 4 * channels if deep else channels
        shortcut = at
        if stride > 1 or self.net.shape(at)[3] != out:
            shortcut = self.convolution(at, out, 1, stride, 0)
        if deep:
            inner = self.convolution(at, channels, 1, stride, RELU)
            inner = self.convolution(inner, channels, 3, 1, RELU)
            inner = self.convolution(inner, out, 1, 1, 0)
        else:
            inner = self.convolution(self.convolution(at, channels, 3, stride, RELU), out, 3, 1, 0)
        return self.net.node("ADD", [inner, shortcut], self.net.tensor(self.net.shape(inner), 0.05), {0: ("b", RELU)})

    def network(self, depth, side):
        at = self.net.tensor((1, side, side, 3), 0.05)
        self.net.inputs = [at]
        at = self.convolution(at, STEM, 7, 2, RELU)
        _, h, w, c = self.net.shape(at)
        pooled = self.net.tensor((1, result(h, 3, 2, 1, SAME), result(w, 3, 2, 1, SAME), c), 0.05)
        at = self.net.node("MAX_POOL_2D", [at], pooled, windows(SAME, (2, 2), 0, (3, 3)))
        for stage, count in enumerate(BLOCKS[depth]):
            for i in range(count):
                at = self.block(at, STEM << stage, 2 if stage and not i else 1, depth == 50)
        _, h, w, c = self.net.shape(at)
        at = self.net.node("AVERAGE_POOL_2D", [at], self.net.tensor((1, 1, 1, c), 0.05), windows(VALID, (1, 1), 0, (w, h)))
        self.net.outputs = [self.convolution(at, 1000, 1, 1, 0)]
        return self.net.bytes()


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in ("18", "50"):
        sys.exit(__doc__)
    side = int(sys.argv[3]) if len(sys.argv) > 3 else 224
    pathlib.Path(sys.argv[2]).write_bytes(Maker().network(int(sys.argv[1]), side))


if __name__ == "__main__":
    main()
