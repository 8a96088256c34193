#!/usr/bin/python3
"""Makes two quantised networks that recognise digits, as TFLite files: trains them on drawn digits, then quantises weights by kernel and
activations to INT8, as TensorFlow's converter does.

digits_conv: convolutions, greatest of 2 x 2, fully connected. digits_residual: depth-wise and 1 x 1 convolutions, two additions, mean.

usage: quantised.py [--seed N] [--pictures N] [--epochs N] OUT     writes OUT/NAME.tflite; OUT/NAME.npz with `input` and `label`: 20 pictures
                                                                   that it was not trained with, as int8, and their digits

Needs Debian's python3-numpy. The same seed gives the same files, as for train.py. The accuracy that it prints is that before rounding;
scripts/zoo.py measures that of the integers.
"""
import argparse
import pathlib
import sys

import train  # first: it sets the order of sums before numpy is there
import numpy

import draw

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tests" / "quantised"))
from tflite import INT32, SAME, Network, windows  # noqa: E402

INPUTS = 20


class Convolution(train.Convolution):
    def sums(self, dy):
        return dy.sum((0, 1, 2))

    def write(self, net, x, out):
        """The node, from tensor x with its scale; out: (scale, zero)."""
        scale_in = net.tensors[x][3][0]
        _, height, width, channels = net.shape(x)
        whole = not self.same  # the window is the whole input
        most = numpy.abs(self.w).max() if whole else numpy.abs(self.w).max((1, 2, 3))
        scales = numpy.maximum(numpy.atleast_1d(most), 1e-6).astype(numpy.float64) / 127
        weights = numpy.clip(numpy.rint(self.w / scales[:, None, None, None]), -127, 127).astype(int)
        bias = numpy.rint(self.b / (scales * scale_in)).astype(int)
        kernels, size = len(self.w), self.size
        if self.depthwise:
            weights, shape = weights[:, 0].transpose(1, 2, 0), (1, size, size, kernels)
        else:
            weights, shape = weights.transpose(0, 2, 3, 1), (kernels, height * width * channels) if whole else (kernels, size, size, channels)
        inputs = [x, net.tensor(shape, scales.tolist(), 0, weights.reshape(-1).tolist(), dimension=3 if self.depthwise else 0),
                  net.tensor((kernels,), (scales * scale_in).tolist(), 0, bias.tolist(), INT32)]
        if whole:
            return net.node("FULLY_CONNECTED", inputs, net.tensor((1, kernels), *out), {0: ("b", 0), 1: ("b", 0)})
        result = net.tensor((1, -(-height // self.stride), -(-width // self.stride), kernels), *out)
        name = "DEPTHWISE_CONV_2D" if self.depthwise else "CONV_2D"
        return net.node(name, inputs, result, windows(SAME, (self.stride,) * 2, int(self.relu), None, (1, 1), self.depthwise))


class Pool(train.Pool):
    def write(self, net, x, _):
        _, height, width, channels = net.shape(x)
        result = net.tensor((1, height // 2, width // 2, channels), net.tensors[x][3], net.tensors[x][4])
        return net.node("MAX_POOL_2D", [x], result, windows(SAME, (2, 2), 0, (2, 2)))


class Mean:
    """Over height and width."""

    def forward(self, x):
        self.shape = x.shape
        return x.mean((2, 3), keepdims=True)

    def backward(self, dy):
        return numpy.broadcast_to(dy / (self.shape[2] * self.shape[3]), self.shape)

    def convolutions(self):
        return []

    @staticmethod
    def write(net, x, out):
        axes = net.tensor((2,), 1.0, 0, [1, 2], INT32)
        return net.node("MEAN", [x, axes], net.tensor((1, 1, 1, net.shape(x)[3]), *out))


class Residual:
    """Layers whose result is added to their input, then ReLU."""

    def __init__(self, *layers):
        self.layers = layers

    def forward(self, x):
        self.values = [x]
        for layer in self.layers:
            self.values.append(layer.forward(self.values[-1]))
        y = x + self.values[-1]
        self.on = y > 0
        return y * self.on

    def backward(self, dy):
        dy = d = dy * self.on
        for layer in reversed(self.layers):
            d = layer.backward(d)
        return dy + d

    def convolutions(self):
        return [layer for layer in self.layers if isinstance(layer, Convolution)]

    def write(self, net, x, out):
        last = x
        for layer, value in zip(self.layers, self.values[1:]):
            last = layer.write(net, last, range_of(value))
        return net.node("ADD", [x, last], net.tensor(net.shape(x), *out), {0: ("b", 1)})


def networks(rng):
    def same(*args, **options):
        return Convolution(rng, *args, same=True, **options)

    def block(channels):
        return Residual(same(channels, None, 3), same(channels, channels, 1, relu=False))

    return {
        "digits_conv": [same(8, 1, 3, 2), same(16, 8, 3), Pool(), same(32, 16, 3, 2), Convolution(rng, 10, 32, 4, relu=False)],
        "digits_residual": [same(16, 1, 3, 2), block(16), same(16, None, 3, 2), same(32, 16, 1), block(32), Mean(),
                            Convolution(rng, 10, 32, 1, relu=False)],
    }


def range_of(values):
    """Scale and zero point of a tensor: 0 is exact, few values are cut off."""
    low, high = min(float(numpy.quantile(values, 0.0001)), 0.0), max(float(numpy.quantile(values, 0.9999)), 1e-6)
    scale = (high - low) / 255
    return scale, int(round(-128 - low / scale))


def tflite(layers, x):
    """The file. x: pictures that choose the scales."""
    net = Network()
    last = net.tensor((1, draw.SIZE, draw.SIZE, 1), 1 / 255, -128)
    net.inputs = [last]
    for layer in layers:
        x = layer.forward(x)
        last = layer.write(net, last, range_of(x))
    net.outputs = [net.node("SOFTMAX", [last], net.tensor(net.shape(last), 1 / 256, -128), {0: ("f", 1.0)})]
    return net.bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pictures", type=int, default=4000)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("out", type=pathlib.Path)
    args = parser.parse_args()
    if args.pictures < train.BATCH:
        parser.error(f"--pictures: found {args.pictures}, expected at least {train.BATCH}")
    rng = numpy.random.default_rng(args.seed)
    pictures, digits = draw.dataset(args.seed, args.pictures)
    others, answers = draw.dataset(args.seed + train.HELD_OUT, 500)

    def real(pictures):
        return pictures[:, None].astype(numpy.float32) / 255

    args.out.mkdir(parents=True, exist_ok=True)
    for name, layers in networks(rng).items():
        train.fit(rng, layers, real(pictures), digits, args.epochs, 0.005)
        right = (train.forward(layers, real(others)).argmax(1) == answers).mean()
        data = tflite(layers, real(pictures[:500]))
        (args.out / f"{name}.tflite").write_bytes(data)
        inputs = (others[:INPUTS, :, :, None].astype(int) - 128).astype(numpy.int8)
        numpy.savez_compressed(args.out / f"{name}.npz", input=inputs, label=answers[:INPUTS].astype(numpy.int8))
        print(f"{name}.tflite: {len(data)} bytes; {right:.1%} of {len(others)} drawn digits that it has not seen are recognised, before rounding")


if __name__ == "__main__":
    main()
