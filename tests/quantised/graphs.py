#!/usr/bin/python3
"""Random quantised networks of all operators: compiled, played on the model, each node compared with the reference interpreter
(nvcosim compile --check); some also on RTL.

usage: graphs.py NVCOSIM COUNT [RTL [FIRST]]     RTL: how many of them are played on RTL too; FIRST: the first seed (default 1)
CONFIG in the environment: the configuration (default small). Ends with "N passed, N failed".
"""
import math
import os
import random
import sys

from counts import check, finish, scratch
from played import wrong
from tflite import FLOAT, INT32, SAME, UINT8, VALID, Network, result, windows

CONFIG = os.environ.get("CONFIG", "small")
LIMITS = ("; the accelerator has at most ", " which do not fit the ")  # of the compiler, listed in docs/networks.md
PRIMES = [1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41]
MOST = 40000  # elements of a tensor


class Maker:
    """Grows a network by nodes whose scales suit the values that reach them."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.net = Network()
        r = self.random
        shape = (1, r.choice([1, 2, 5, 8, 9, 16, 23]), r.choice([1, 3, 6, 8, 11, 16, 32]), r.choice([1, 3, 4, 8, 12, 16, 24, 40]))
        self.sound = seed % 8 == 0  # the first node: a convolution with a tall window of few channels
        if self.sound:
            shape = (1, r.randint(20, 49), r.randint(5, 20), r.choice([1, 1, 2, 3]))
        elif seed % 2:
            shape = (1, r.choice(PRIMES), r.choice(PRIMES), r.choice(PRIMES + [4, 8, 16, 24, 32, 40, 64]))
        self.extreme = seed % 5 == 0  # scales and zero points at their limits
        # Scales are powers of two, or decimal fractions: many results lie half way between two integers, or nearly.
        self.powers = seed % 7 == 0
        self.decimal = seed % 7 == 1
        self.at = self.net.tensor(shape, self.scale(), self.zero())
        self.net.inputs = [self.at]
        if seed % 11 == 0:
            self.at = self.unsigned(self.at)
        self.spread = 73.0  # of a tensor's values around the zero point, in steps
        self.old = []

    def unsigned(self, tensor):
        """A new input of uint8, from which QUANTIZE makes the tensor."""
        _, _, _, scales, zero, _ = self.net.tensors[tensor]
        self.net.inputs = [self.net.tensor(self.net.shape(tensor), scales, zero + 128, None, UINT8)]
        return self.net.node("QUANTIZE", self.net.inputs, tensor)

    def scale(self):
        if self.powers:
            return 2.0 ** self.random.randint(-8, -2)
        if self.decimal:
            return self.random.choice([0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5])
        return self.random.choice([1e-6, 1e-3, 1.0, 40.0]) if self.extreme else self.random.uniform(0.003, 0.2)

    def zero(self):
        if self.extreme:
            return self.random.choice([-128, 127])
        return self.random.choice([-128, 127, 0, self.random.randint(-128, 127), self.random.randint(-20, 20)])

    def scale_of(self, tensor):
        return self.net.tensors[tensor][3][0]

    def convolution(self, name):
        r, net = self.random, self.net
        _, h, w, c = net.shape(self.at)
        depthwise, whole = name == "DEPTHWISE_CONV_2D", name == "FULLY_CONNECTED"
        kh, kw = (1, 1) if whole else (r.choice([1, 2, 3, 5]), r.choice([1, 2, 3, 4]))
        stride, dilation = (r.choice([1, 1, 2, 3]),) * 2, (1, 1)
        if r.random() < 0.2 and not whole:
            kh, kw, stride = r.choice([7, 9, 11, 13]), r.choice([1, 5, 7, 31]), (r.randint(1, 11), r.randint(1, 11))
        if stride == (1, 1) and r.random() < 0.25 and kw < 31:
            dilation = (r.choice([1, 2, 5]), r.choice([1, 2, 3]))
        if self.sound:
            kh, kw, stride, dilation = r.randint(3, 10), r.randint(1, 4), (r.choice([1, 2]), r.choice([1, 2, 2, 3])), (1, 1)
        padding = r.choice([SAME, VALID])
        if padding == VALID and ((kh - 1) * dilation[1] >= h or (kw - 1) * dilation[0] >= w):
            padding = SAME
        k = c * r.choice([1, 1, 1, 2, 3]) if depthwise else r.choice([1, 2, 7, 8, 10, 16, 33])
        if self.sound:
            k, self.sound = r.choice([16, 33, 64]), False
        taps = kh * kw * (1 if depthwise else c) * (h * w if whole else 1)
        while not depthwise and taps * k > 200000 and k > 1:
            k //= 2
        activation = r.choice([0, 1, 1, 3])
        weights = [r.randint(-127, 127) for _ in range(taps * k)]
        dead = [r.random() < 0.1 for _ in range(k)]
        for i in range(taps * k):
            if dead[i % k if depthwise else i // taps]:
                weights[i] = 0
        mean = 0.4 * self.spread * 73 * taps ** 0.5  # of the sums
        scale_in, scale_out = self.scale_of(self.at), self.scale()
        if self.powers:
            scales = [2.0 ** round(math.log2(scale_out * 60 / mean / scale_in))]
        elif self.decimal:
            exact = scale_out * 60 / mean / scale_in
            scales = [round(exact, 1 - math.floor(math.log10(exact)))]
        elif r.random() < 0.3 or whole:
            scales = [scale_out * r.uniform(30, 90) / mean / scale_in] * (1 if whole or r.random() < 0.5 else k)
        elif r.random() < 0.2:
            scales = [scale_out * 60 / mean / scale_in * 2 ** r.uniform(-12, 1) for _ in range(k)]
        else:
            scales = [scale_out * r.uniform(3, 100) / mean / scale_in * 2 ** r.uniform(-4, 0) for _ in range(k)]
        if r.random() < 0.2 and len(scales) == k:
            scales[r.randrange(k)] *= 0.001
        bias = [int(r.gauss(0, mean)) if not d else r.randint(-2**30, 2**30) for d in dead]
        shape = (k, h * w * c) if whole else (1, kh, kw, k) if depthwise else (k, kh, kw, c)
        w_tensor = net.tensor(shape, scales if len(scales) > 1 else scales[0], 0, weights, dimension=3 if depthwise else 0)
        b_tensor = net.tensor((k,), 1.0, 0, bias, INT32)
        size = (1, k) if whole else (1, result(h, kh, stride[1], dilation[1], padding), result(w, kw, stride[0], dilation[0], padding), k)
        zero = -128 if activation == 1 and r.random() < 0.6 else self.zero()
        out = net.tensor(size, scale_out, zero)
        options = {0: ("b", activation), 1: ("b", 0)} if whole else windows(padding, stride, activation, None, dilation, depthwise)
        self.spread = 60.0
        return net.node(name, [self.at, w_tensor, b_tensor], out, options)

    def pool(self, name):
        r, net = self.random, self.net
        _, h, w, c = net.shape(self.at)
        size = (r.choice([1, 2, 3, 4, 9, 13]), r.choice([1, 2, 3, 5, 8, 17]))
        stride, padding = (r.choice([1, 2, 3, 9]), r.choice([1, 2])), r.choice([SAME, VALID])
        if size[0] > w or size[1] > h:
            padding = SAME
        _, _, _, scales, zero, _ = net.tensors[self.at]
        out = net.tensor((1, result(h, size[1], stride[1], 1, padding), result(w, size[0], stride[0], 1, padding), c), scales, zero)
        return net.node(name, [self.at], out, windows(padding, stride, r.choice([0, 0, 1, 3]), size))

    def mean(self):
        net = self.net
        _, h, w, c = net.shape(self.at)
        axes = net.tensor((2,), 1.0, 0, self.random.choice([[1, 2], [2, 1], [-3, -2]]), INT32)
        shape = self.random.choice([(1, 1, 1, c), (1, c)])
        return net.node("MEAN", [self.at, axes], net.tensor(shape, self.scale_of(self.at) * self.random.uniform(0.3, 1.2), self.zero()))

    def add(self):
        r, net = self.random, self.net
        shape = net.shape(self.at)
        same = [t for t in self.old + [self.at] if net.shape(t) == shape]
        other = r.choice(same)
        if r.random() < 0.3:  # a constant, maybe with sides that are repeated
            sides = r.choice([shape, (1, 1, 1, shape[3]), (1, 1, 1, 1), (1, shape[1], 1, shape[3])])
            other = net.tensor(sides, self.scale(), self.zero(), [r.randint(-128, 127) for _ in range(math.prod(sides))])
        scale = max(self.scale_of(self.at), self.scale_of(other)) * (r.choice([0.5, 1, 2, 4]) if self.powers or self.decimal else r.uniform(0.5, 3))
        out = net.tensor(net.shape(self.at), scale, self.zero())
        return net.node("ADD", r.sample([self.at, other], 2), out, {0: ("b", r.choice([0, 1]))})

    def concatenate(self):
        r, net = self.random, self.net
        _, h, w, c = net.shape(self.at)
        axis = r.choice([1, 2, 3])
        others = [t for t in self.old + [self.at] if len(net.shape(t)) == 4 and
                  all(axis == i or net.shape(t)[i] == net.shape(self.at)[i] for i in (1, 2, 3))]
        inputs = [r.choice(others) for _ in range(r.choice([1, 1, 2, 3]))] + [self.at]
        shape = list(net.shape(self.at))
        shape[axis] = sum(net.shape(t)[axis] for t in inputs)
        same = r.random() < 0.5
        source = net.tensors[self.at]
        out = net.tensor(shape, source[3] if same else source[3][0] * 1.3, source[4] if same else self.zero())
        return net.node("CONCATENATION", inputs, out, {0: ("i", r.choice([axis, axis - 4])), 1: ("b", 0)})

    def pad(self):
        r, net = self.random, self.net
        _, h, w, c = net.shape(self.at)
        pads = [0, 0] + [r.randint(0, 2) for _ in range(4)] + (r.choice([[0, 0], [0, r.randint(1, 9)], [r.randint(1, 9), 8]])
                                                              if r.random() < 0.3 else [0, 0])
        p = net.tensor((4, 2), 1.0, 0, pads, INT32)
        source = net.tensors[self.at]
        out = net.tensor((1, h + pads[2] + pads[3], w + pads[4] + pads[5], c + pads[6] + pads[7]), source[3], source[4])
        return net.node("PAD", [self.at, p], out)

    def rescale(self, name):
        net, r = self.net, self.random
        return net.node(name, [self.at], net.tensor(net.shape(self.at), self.scale_of(self.at) * r.uniform(0.4, 2), self.zero()))

    def logistic(self):
        self.spread = 128.0
        return self.net.node("LOGISTIC", [self.at], self.net.tensor(self.net.shape(self.at), 1 / 256, -128))

    def reshape(self):
        net = self.net
        _, h, w, c = net.shape(self.at)
        source = net.tensors[self.at]
        shape = (1, w, h, c)
        if self.random.random() < 0.5:  # any other sides
            count = h * w * c
            h = self.random.choice([n for n in range(1, count + 1) if count % n == 0])
            w = self.random.choice([n for n in range(1, count // h + 1) if count // h % n == 0])
            shape = (1, h, w, count // h // w)
        return net.node("RESHAPE", [self.at], net.tensor(shape, source[3], source[4]))

    def one(self, makers):
        """A node whose output has a size that is computed quickly."""
        net, before = self.net, self.at
        while True:
            sizes = [len(net.nodes), len(net.tensors), len(net.buffers)]
            self.at = self.random.choice(makers)()
            if math.prod(net.shape(self.at)) <= MOST and max(net.shape(self.at)) <= 2000:
                return
            del net.nodes[sizes[0]:], net.tensors[sizes[1]:], net.buffers[sizes[2]:]
            self.at = before

    def grow(self):
        r = self.random
        makers = [lambda: self.convolution("CONV_2D")] * 4 + [lambda: self.convolution("DEPTHWISE_CONV_2D")] * 3 + [
            lambda: self.pool("AVERAGE_POOL_2D"), lambda: self.pool("MAX_POOL_2D"), self.add, self.add, self.concatenate, self.pad,
            lambda: self.rescale("RELU"), lambda: self.rescale("RELU6"), lambda: self.rescale("QUANTIZE"), self.reshape, self.logistic]
        for _ in range(r.randint(1, 6)):
            self.old.append(self.at)
            self.one(makers[:1] if self.sound else makers)
        end = r.random()
        if end < 0.3:
            self.at = self.mean()
        if end < 0.5 and end > 0.1:
            self.at = self.convolution("FULLY_CONNECTED") if len(self.net.shape(self.at)) == 4 else self.at
            if r.random() < 0.4:
                self.at = self.net.node("SOFTMAX", [self.at], self.net.tensor(self.net.shape(self.at), 1 / 256, -128),
                                        {0: ("f", r.choice([1.0, 1.0, 0.5]))})
        elif 0.85 < end < 0.9 and math.prod(self.net.shape(self.at)[1:3]) <= 1024:
            self.at = self.net.node("SOFTMAX", [self.at], self.net.tensor(self.net.shape(self.at), 1 / 256, -128), {0: ("f", 1.0)})
        elif end > 0.95:
            self.at = self.net.node("LOGISTIC", [self.at], self.net.tensor(self.net.shape(self.at), 1 / 256, -128))
        elif end > 0.9:
            self.at = self.net.node("DEQUANTIZE", [self.at], self.net.tensor(self.net.shape(self.at), 1.0, 0, None, FLOAT))
        self.net.outputs = [self.at]
        if r.random() < 0.2:
            self.net.outputs.append(r.choice([node[2] for node in self.net.nodes if node[0] not in ("SOFTMAX", "LOGISTIC", "DEQUANTIZE")]
                                             or [self.at]))
            self.net.outputs = sorted(set(self.net.outputs))
        return self.net.bytes()


def main(count, rtl=0, first=1):
    refused = 0
    with scratch() as work:
        for seed in range(first, first + count):
            path, source = work / f"g{seed}.tflite", ("--config", CONFIG, "--input", f"random:{seed}")
            path.write_bytes(Maker(seed).grow())
            reason = wrong(path, *source, dut="both" if seed < first + rtl else None)
            if any(text in reason for text in LIMITS):
                refused += 1
            else:
                check(f"network of seed {seed}", not reason, reason)
    print(f"{refused} refused: beyond the limits of the compiler")
    check("at most one in 50 networks is refused", refused * 50 <= count, refused)
    finish()


if __name__ == "__main__":
    main(*map(int, sys.argv[2:]))
