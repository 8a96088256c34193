#!/usr/bin/python3
"""Makes the network of the demonstration: draws digits, trains a small LeNet on them, quantises it to INT8 and writes it as a loadable for
`small`, with ten pictures that were not used in training.

usage: train.py [--seed N] [--pictures N] [--epochs N] OUT     writes OUT/digits.nvdla, OUT/0.png ... 9.png, OUT/labels.txt
       train.py --draw N [--seed N] OUT                        only draws N pictures of each digit: OUT/DIGIT-NUMBER.pgm

Needs Debian's python3-numpy. The same seed gives the same file with the same numpy on the same kind of processor (the order in which a
matrix product is summed is the library's). The accuracy that it prints is that of the integer network, computed as the accelerator does,
on drawn digits of another seed.
"""
import argparse
import os
import sys

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # sums in the same order every time
import numpy  # noqa: E402

import container  # noqa: E402
import draw  # noqa: E402

HELD_OUT = 1000003  # added to the seed for pictures that the training has not seen
EXAMPLES = 2000003
BATCH = 50


def windows(x, size, stride=1):
    """x[n][c][h][w] as windows: [n][h'][w'][c][size][size]."""
    view = numpy.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(2, 3))[:, :, ::stride, ::stride]
    return numpy.ascontiguousarray(view.transpose(0, 2, 3, 1, 4, 5))


class Convolution:
    """Convolution, and ReLU. channels: None if depth-wise; same: TFLite's SAME padding, else none."""

    def __init__(self, rng, kernels, channels, size, stride=1, same=False, relu=True):
        self.size, self.stride, self.same, self.relu, self.depthwise = size, stride, same, relu, channels is None
        shape = (kernels, channels or 1, size, size)
        self.w = (rng.standard_normal(shape) * numpy.sqrt(2 / (shape[1] * size * size))).astype(numpy.float32)
        self.b = numpy.zeros(kernels, numpy.float32)
        self.moments = [[numpy.zeros_like(p), numpy.zeros_like(p)] for p in (self.w, self.b)]

    def forward(self, x):
        h = x.shape[2]
        self.extra = max((-(-h // self.stride) - 1) * self.stride + self.size - h, 0) if self.same else 0
        x = numpy.pad(x, ((0, 0), (0, 0)) + ((self.extra // 2, self.extra - self.extra // 2),) * 2)
        self.shape = x.shape
        rows, flat = windows(x, self.size, self.stride), self.w.reshape(len(self.w), -1)
        self.rows = rows.reshape(*rows.shape[:4], -1) if self.depthwise else rows.reshape(*rows.shape[:3], -1)
        y = (self.rows * flat).sum(-1) if self.depthwise else self.rows @ flat.T
        y = (y + self.b).transpose(0, 3, 1, 2)
        self.on = y > 0
        return y * self.on if self.relu else y

    def backward(self, dy):
        dy = (dy * self.on if self.relu else dy).transpose(0, 2, 3, 1)
        flat = self.w.reshape(len(self.w), -1)
        if self.depthwise:
            gradient, d = (self.rows * dy[..., None]).sum((0, 1, 2)), dy[..., None] * flat
        else:
            gradient, d = dy.reshape(-1, len(flat)).T @ self.rows.reshape(-1, flat.shape[1]), dy @ flat
        self.gradients = [gradient.reshape(self.w.shape), self.sums(dy)]
        height, width = dy.shape[1:3]
        d = d.reshape(len(dy), height, width, self.shape[1], self.size, self.size).transpose(4, 5, 0, 3, 1, 2)
        dx = numpy.zeros(self.shape, numpy.float32)
        for i in range(self.size):
            for j in range(self.size):
                dx[:, :, i:i + height * self.stride:self.stride, j:j + width * self.stride:self.stride] += d[i, j]
        before, after = self.extra // 2, self.extra - self.extra // 2
        return dx[:, :, before:self.shape[2] - after, before:self.shape[3] - after]

    def sums(self, dy):
        """Of each kernel. The order of the sums decides the last bits, and so the bytes of the file."""
        return dy.reshape(-1, len(self.w)).sum(0)

    def step(self, rate, count):
        """Adam."""
        for value, gradient, moment in zip((self.w, self.b), self.gradients, self.moments):
            moment[0] += 0.1 * (gradient - moment[0])
            moment[1] += 0.001 * (gradient * gradient - moment[1])
            value -= (rate * (moment[0] / (1 - 0.9**count)) / (numpy.sqrt(moment[1] / (1 - 0.999**count)) + 1e-8)).astype(numpy.float32)

    def convolutions(self):
        return [self]


class Pool:
    """Greatest of 2 x 2."""

    def forward(self, x):
        n, c, h, w = x.shape
        self.parts = x.reshape(n, c, h // 2, 2, w // 2, 2)
        y = self.parts.max((3, 5))
        self.on = self.parts == y[:, :, :, None, :, None]
        return y

    def backward(self, dy):
        d = self.on * dy[:, :, :, None, :, None]
        return d.reshape(d.shape[0], d.shape[1], d.shape[2] * 2, d.shape[4] * 2)

    def convolutions(self):
        return []


def forward(layers, x):
    for layer in layers:
        x = layer.forward(x)
    return x[:, :, 0, 0]


def fit(rng, layers, x, digits, epochs, rate):
    """Trains the layers on pictures x[n][1][h][w]. Says how well they do after each epoch."""
    steps, parts = 0, len(x) // BATCH
    for epoch in range(epochs):
        order, loss = rng.permutation(len(x)), 0.0
        for i in range(0, parts * BATCH, BATCH):
            part = order[i:i + BATCH]
            y = forward(layers, x[part])
            e = numpy.exp(y - y.max(1, keepdims=True))
            e /= e.sum(1, keepdims=True)
            loss -= float(numpy.log(e[numpy.arange(BATCH), digits[part]] + 1e-12).mean())
            e[numpy.arange(BATCH), digits[part]] -= 1
            d = (e / BATCH).astype(numpy.float32)[:, :, None, None]
            for layer in reversed(layers):
                d = layer.backward(d)
            steps += 1
            for layer in layers:
                for convolution in layer.convolutions():
                    convolution.step(rate * (1 - steps / (epochs * parts)) + 1e-5, steps)
        print(f"epoch {epoch + 1} of {epochs}: loss {loss / parts:.4f}", file=sys.stderr, flush=True)


def levels(pictures):
    """Pictures as the network sees them, 87-loadables section 9: 0 to 127."""
    return numpy.floor(pictures.astype(numpy.float32) * 127 / 255 + 0.5)[:, None]


# ---- integers --------------------------------------------------------------------------------------------------------------------

def rounded(v, shift):
    """v / 2^shift to the nearest, ties away from zero."""
    return numpy.sign(v) * ((numpy.abs(v) + (1 << (shift - 1))) >> shift)


class Quantised:
    """A convolution as CMAC, CACC and SDP compute it: weights INT8, bias INT16 shifted left, convertor scale / 2^shift to INT8."""

    def __init__(self, layer, scale_in, scale_out):
        self.relu = layer.relu
        scale_w = float(numpy.abs(layer.w).max()) / 127
        self.w = numpy.clip(numpy.rint(layer.w / scale_w), -127, 127).astype(numpy.int64)
        bias = layer.b / (scale_in * scale_w)
        self.bias_shift = 0
        while numpy.abs(bias).max() / 2**self.bias_shift > 32767:
            self.bias_shift += 1
        self.b = numpy.rint(bias / 2**self.bias_shift).astype(numpy.int64)
        factor, self.shift = scale_in * scale_w / scale_out, 0
        while factor * 2**(self.shift + 1) <= 32767:
            self.shift += 1
        self.scale = int(round(factor * 2**self.shift))

    def forward(self, x):
        rows = windows(x, self.w.shape[2])
        # Sums of products stay below 2^53, so the product of doubles is exact.
        y = rows.reshape(*rows.shape[:3], -1).astype(numpy.float64) @ self.w.reshape(len(self.w), -1).T.astype(numpy.float64)
        y = y.astype(numpy.int64) + (self.b << self.bias_shift)
        if self.relu:
            y = numpy.maximum(y, 0)
        return numpy.clip(rounded(y * self.scale, self.shift), -128, 127).transpose(0, 3, 1, 2)


def quantise(layers, x):
    """The network in integers, and the scale of its result. x: pictures that choose the scales."""
    out, scale_in = [], 1 / 127
    for layer in layers:
        x = layer.forward(x)
        if isinstance(layer, Convolution):
            scale_out = float(numpy.quantile(x, 0.9998) if layer.relu else numpy.abs(x).max()) / 127
            layer = Quantised(layer, scale_in, scale_out)
            scale_in = scale_out
        out.append(layer)
    return out, scale_in


def loadable(layers, scale):
    task = container.Task()
    picture = cube = container.Cube(draw.SIZE, draw.SIZE, 1, container.PICTURE)
    offset = 0
    for layer in layers:
        if isinstance(layer, Pool):
            cube = task.pool(cube, offset)
        else:
            cube = task.convolution(cube, layer.w, layer.b, layer.bias_shift, layer.relu, layer.scale, layer.shift, offset)
        offset += -(-cube.size // 256) * 256
    return container.write(task, offset, picture, cube, ("picture", "digit"), scale, 1 / 127)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pictures", type=int, default=20000)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--draw", type=int, metavar="N")
    parser.add_argument("out")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)

    def put(name, data):
        with open(os.path.join(args.out, name), "wb") as f:
            f.write(data)

    if args.draw:
        rng = numpy.random.default_rng(args.seed + HELD_OUT)
        for number in range(args.draw):
            for digit in range(10):
                put(f"{digit}-{number}.pgm", draw.pgm(draw.draw(rng, digit)))
        return
    rng = numpy.random.default_rng(args.seed)
    pictures, digits = draw.dataset(args.seed, args.pictures)
    x = levels(pictures) / 127
    layers = [Convolution(rng, 8, 1, 5), Pool(), Convolution(rng, 16, 8, 5), Pool(), Convolution(rng, 64, 16, 4),
              Convolution(rng, 10, 64, 1, relu=False)]
    fit(rng, layers, x, digits, args.epochs, 0.002)
    layers, scale = quantise(layers, x[:2000])
    pictures, digits = draw.dataset(args.seed + HELD_OUT, 5000)
    found = forward(layers, levels(pictures).astype(numpy.int64)).argmax(1)
    print(f"{(found == digits).mean():.2%} of {len(digits)} drawn digits that it has not seen are recognised (in integers)")
    print("mistaken for another, by digit:", " ".join(f"{d}: {int((found[digits == d] != d).sum())}" for d in range(10)))
    net = loadable(layers, scale)
    put("digits.nvdla", net)
    rng = numpy.random.default_rng(args.seed + EXAMPLES)
    for digit in range(10):
        put(f"{digit}.png", draw.png(draw.draw(rng, digit)))
    put("labels.txt", "".join(f"{word}\n" for word in "zero one two three four five six seven eight nine".split()).encode())
    print(f"digits.nvdla: {len(net)} bytes, {sum(layer.w.size for layer in layers if isinstance(layer, Quantised))} weights")


if __name__ == "__main__":
    main()
