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


def windows(x, r, s):
    """x[n][c][h][w] as rows of windows: [n][h'][w'][c * r * s]."""
    view = numpy.lib.stride_tricks.sliding_window_view(x, (r, s), axis=(2, 3))
    return numpy.ascontiguousarray(view.transpose(0, 2, 3, 1, 4, 5)).reshape(x.shape[0], view.shape[2], view.shape[3], -1)


class Convolution:
    def __init__(self, rng, kernels, channels, r, s):
        self.w = (rng.standard_normal((kernels, channels, r, s)) * numpy.sqrt(2 / (channels * r * s))).astype(numpy.float32)
        self.b = numpy.zeros(kernels, numpy.float32)
        self.moments = [[numpy.zeros_like(p), numpy.zeros_like(p)] for p in (self.w, self.b)]

    def forward(self, x):
        self.shape, (_, _, r, s) = x.shape, self.w.shape
        self.rows = windows(x, r, s)
        return (self.rows @ self.w.reshape(len(self.w), -1).T + self.b).transpose(0, 3, 1, 2)

    def backward(self, dy):
        k, c, r, s = self.w.shape
        flat = dy.transpose(0, 2, 3, 1).reshape(-1, k)
        self.gradients = [(flat.T @ self.rows.reshape(len(flat), -1)).reshape(self.w.shape), flat.sum(0)]
        d = (flat @ self.w.reshape(k, -1)).reshape(*dy.shape[:1], *dy.shape[2:], c, r, s)
        dx = numpy.zeros(self.shape, numpy.float32)
        for i in range(r):
            for j in range(s):
                dx[:, :, i:i + dy.shape[2], j:j + dy.shape[3]] += d[:, :, :, :, i, j].transpose(0, 3, 1, 2)
        return dx

    def step(self, rate, count):
        """Adam."""
        for value, gradient, moment in zip((self.w, self.b), self.gradients, self.moments):
            moment[0] += 0.1 * (gradient - moment[0])
            moment[1] += 0.001 * (gradient * gradient - moment[1])
            value -= (rate * (moment[0] / (1 - 0.9**count)) / (numpy.sqrt(moment[1] / (1 - 0.999**count)) + 1e-8)).astype(numpy.float32)


class Relu:
    def forward(self, x):
        self.on = x > 0
        return x * self.on

    def backward(self, dy):
        return dy * self.on


class Pool:
    def forward(self, x):
        n, c, h, w = x.shape
        self.parts = x.reshape(n, c, h // 2, 2, w // 2, 2)
        y = self.parts.max((3, 5))
        self.on = self.parts == y[:, :, :, None, :, None]
        return y

    def backward(self, dy):
        d = self.on * dy[:, :, :, None, :, None]
        return d.reshape(d.shape[0], d.shape[1], d.shape[2] * 2, d.shape[4] * 2)


def network(rng):
    return [Convolution(rng, 8, 1, 5, 5), Relu(), Pool(), Convolution(rng, 16, 8, 5, 5), Relu(), Pool(), Convolution(rng, 64, 16, 4, 4), Relu(),
            Convolution(rng, 10, 64, 1, 1)]


def levels(pictures):
    """Pictures as the network sees them, 87-loadables section 9: 0 to 127."""
    return numpy.floor(pictures.astype(numpy.float32) * 127 / 255 + 0.5)[:, None]


def train(seed, count, epochs):
    rng = numpy.random.default_rng(seed)
    pictures, digits = draw.dataset(seed, count)
    x = levels(pictures) / 127
    layers = network(rng)
    steps, total = 0, epochs * (count // BATCH)
    for epoch in range(epochs):
        order, loss = rng.permutation(count), 0.0
        for i in range(0, count - BATCH + 1, BATCH):
            part = order[i:i + BATCH]
            y = x[part]
            for layer in layers:
                y = layer.forward(y)
            y = y[:, :, 0, 0]
            e = numpy.exp(y - y.max(1, keepdims=True))
            e /= e.sum(1, keepdims=True)
            loss -= float(numpy.log(e[numpy.arange(BATCH), digits[part]] + 1e-12).mean())
            e[numpy.arange(BATCH), digits[part]] -= 1
            d = (e / BATCH).astype(numpy.float32)[:, :, None, None]
            for layer in reversed(layers):
                d = layer.backward(d)
            steps += 1
            for layer in layers:
                if isinstance(layer, Convolution):
                    layer.step(0.002 * (1 - steps / total) + 1e-5, steps)
        print(f"epoch {epoch + 1} of {epochs}: loss {loss / (count // BATCH):.4f}", file=sys.stderr, flush=True)
    return layers, x[:2000]


# ---- integers --------------------------------------------------------------------------------------------------------------------

def rounded(v, shift):
    """v / 2^shift to the nearest, ties away from zero."""
    return numpy.sign(v) * ((numpy.abs(v) + (1 << (shift - 1))) >> shift)


class Quantised:
    """A convolution as CMAC, CACC and SDP compute it: weights INT8, bias INT16 shifted left, convertor scale / 2^shift to INT8."""

    def __init__(self, layer, scale_in, scale_out, relu):
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
        self.scale, self.relu = int(round(factor * 2**self.shift)), relu

    def forward(self, x):
        _, _, r, s = self.w.shape
        # Sums of products stay below 2^53, so the product of doubles is exact.
        y = (windows(x, r, s).astype(numpy.float64) @ self.w.reshape(len(self.w), -1).T.astype(numpy.float64)).astype(numpy.int64)
        y += self.b << self.bias_shift
        if self.relu:
            y = numpy.maximum(y, 0)
        return numpy.clip(rounded(y * self.scale, self.shift), -128, 127).transpose(0, 3, 1, 2)


def quantise(layers, x):
    """The network in integers, and the scale of its result. x: pictures that choose the scales."""
    out, scale_in, convolution = [], 1 / 127, None
    y = x
    for i, layer in enumerate(layers):
        y = layer.forward(y)
        if isinstance(layer, Convolution):
            convolution = layer
        last = i == len(layers) - 1
        if isinstance(layer, Relu) or last:
            scale_out = float(numpy.abs(y).max() if last else numpy.quantile(y, 0.9998)) / 127
            out.append(Quantised(convolution, scale_in, scale_out, not last))
            scale_in = scale_out
        elif isinstance(layer, Pool):
            out.append(layer)
    return out, scale_in


def logits(layers, pictures):
    x = levels(pictures).astype(numpy.int64)
    for layer in layers:
        x = layer.forward(x)
    return x[:, :, 0, 0]


def loadable(layers, scale):
    task = container.Task()
    picture = cube = container.Cube(draw.SIZE, draw.SIZE, 1, container.INPUT)
    offset, before = 0, None
    for layer in layers:
        first = len(task.types)
        if isinstance(layer, Pool):
            cube = task.pool(cube, offset)
        else:
            cube = task.convolution(cube, layer.w, layer.b, layer.bias_shift, layer.relu, layer.scale, layer.shift, offset)
        if before is not None:
            task.after(before, first)
        before = len(task.types) - 1
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
    layers, sample = train(args.seed, args.pictures, args.epochs)
    layers, scale = quantise(layers, sample)
    pictures, digits = draw.dataset(args.seed + HELD_OUT, 5000)
    found = logits(layers, pictures).argmax(1)
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
