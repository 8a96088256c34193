#!/usr/bin/python3
"""Builds loadables with layer types that no published file has, and compares each with its plain definition: convolutions of features and of
every pixel format, batches, compressed weights, the stages of SDP, pooling in pieces, RUBIK, BDMA, events of CDMA, several inputs and outputs.

usage: engines.py NVCOSIM [RTL]     RTL: configurations whose RTL plays them too, separated by commas
Ends with "N passed, N failed".
"""
import pathlib
import random
import struct
import sys

from builder import (ALLOCATE, ARMED, BDMA, CONV, DATA_FETCHED, DONE, INPUT, OUTPUT, PDP, PROGRAMMED, RUBIK, SDP, WEIGHTS_FETCHED, Loadable,
                     conv, cube, cvt, flying, nothing, pdp, sdp, unit)
from counts import check, play_parts, run

NVCOSIM = str(pathlib.Path(sys.argv[1]).resolve())
RTL = sys.argv[2].split(",") if len(sys.argv) > 2 else []
ATOMS = {"small": 8, "large": 32, "full": 32}
INT8, INT16, FP16 = range(3)
FORMS = "bhe"
LEAST, MOST = (-128, -32768), (127, 32767)


class Cube:
    """A cube of numbers, [c][y][x], that lies in memory with a little room between its lines and surfaces."""

    def __init__(self, config, w, h, c, precision=INT8, gap=0):
        self.w, self.h, self.c, self.precision = w, h, c, precision
        self.bytes_each = 1 if precision == INT8 else 2
        self.atom = ATOMS[config]
        self.lanes = self.atom // self.bytes_each
        self.line = (w + gap) * self.atom
        self.surface = self.line * h + gap * self.atom
        self.size = self.surface * -(-c // self.lanes)

    def place(self, c, y, x):
        return c // self.lanes * self.surface + y * self.line + x * self.atom + c % self.lanes * self.bytes_each

    def pack(self, values):
        out = bytearray(self.size)
        for c in range(self.c):
            for y in range(self.h):
                for x in range(self.w):
                    struct.pack_into("<" + FORMS[self.precision], out, self.place(c, y, x), values[c][y][x])
        return bytes(out)

    def unpack(self, data):
        return [[[struct.unpack_from("<" + FORMS[self.precision], data, self.place(c, y, x))[0] for x in range(self.w)]
                 for y in range(self.h)] for c in range(self.c)]

    def at(self, position, offset=0, kind=0):
        return cube(kind, position, self.w, self.h, self.c, self.line, self.surface, offset, self.size)

    def passing(self):
        return flying(self.w, self.h, self.c)

    def random(self, low=None, high=None):
        low = (LEAST[self.precision] if self.precision != FP16 else -4) if low is None else low
        high = (MOST[self.precision] if self.precision != FP16 else 4) if high is None else high
        return [[[random.randint(low, high) for _ in range(self.w)] for _ in range(self.h)] for _ in range(self.c)]


class Network:
    """A loadable whose memories are named by the position that they have in the address list."""

    def __init__(self, config):
        self.net, self.config, self.addresses, self.inputs, self.outputs = Loadable(), config, [], [], []

    def position(self, **how):
        self.addresses.append(self.net.memory(**how))
        return 4 + len(self.addresses)

    def content(self, data):
        return self.position(content=data)

    def room(self, size, domain=0):
        return self.position(size=size, domain=domain)

    def bound(self, flags, name, size):
        self.net.tensor(name, len(self.net.memories), size, (1, 1, 1, 1), (1, 0, 0, 0, 0, 0, 0, 0), 0, 0)
        return self.position(size=size, flags=ALLOCATE | flags, tensor=len(self.net.tensors) - 1,
                             bind=len(self.inputs) if flags == INPUT else len(self.outputs))

    def input(self, data):
        position = self.bound(INPUT, f"in{len(self.inputs)}", len(data))
        self.inputs.append(data)
        return position

    def output(self, size):
        position = self.bound(OUTPUT, f"out{len(self.outputs)}", size)
        self.outputs.append(size)
        return position

    def run(self, name, work, layers, tables=(), more=()):
        """Compiles and plays it; returns the bytes of the outputs, None after a failure that is reported. more: further tasks of layers."""
        self.net.dla(layers, self.addresses, tables)
        for task in more:
            self.net.dla(task, self.addresses)
        path, trace, writes, folder = work / "net.nvdla", work / "net.nvt", work / "writes.txt", work / "out"
        path.write_bytes(self.net.bytes())
        command = [NVCOSIM, "compile", str(path), "--config", self.config, "-o", str(trace), "--writes", str(writes), "--threads=1"]
        for i, data in enumerate(self.inputs):
            (work / f"in{i}").write_bytes(data)
            command += ["--input", f"raw:{work / f'in{i}'}"]
        done = run(*command)
        if done.returncode or done.stderr:
            check(name, False, f"exit status {done.returncode}: {done.stderr}")
            return None
        self.accesses = writes.read_text().splitlines()
        dut = "both" if self.config in RTL else "model"
        done = run(NVCOSIM, "run", "-q", "--strict", "--dut", dut, "--out", work / "reports", "--outputs", folder, trace)
        if done.returncode:
            check(name, False, f"{dut}: {done.stdout}{done.stderr}")
            return None
        return [(folder / f"out{i}.bin").read_bytes() for i in range(len(self.outputs))]


def compare(name, result, expected, shape, most=0):
    """most: by which elements may differ."""
    if result is not None:
        found = shape.unpack(result)
        wrong = [(c, y, x, found[c][y][x], expected[c][y][x]) for c in range(shape.c) for y in range(shape.h) for x in range(shape.w)
                 if not abs(found[c][y][x] - expected[c][y][x]) <= most]
        check(name, not wrong, f"{len(wrong)} elements; first (c, y, x, found, expected): {wrong[:3]}")


def played(name, work, config, inputs, target, layers, expected, most=0):
    """Plays a network with one output: `layers` gets it, and the positions of the inputs (cube, values) and of the output."""
    net = Network(config)
    places = [net.input(cube_.pack(values)) for cube_, values in inputs]
    result = net.run(name, work, layers(net, *places, net.output(target.size)))
    compare(name, result and result[0], expected, target, most)


# ---- plain definitions ----

def rounded(value, shift):
    """value / 2^shift to nearest, ties away from zero."""
    if shift == 0:
        return value
    return (abs(value) + (1 << shift - 1) >> shift) * (1 if value >= 0 else -1)


def clamp(value, precision):
    return value if precision == FP16 else max(LEAST[precision], min(MOST[precision], value))


def convolve(source, weights, out_w, out_h, stride=1, pad=0, dilation=1, pad_value=0):
    h, w = len(source[0]), len(source[0][0])
    size = len(weights[0][0])

    def element(k, y, x):
        total = 0
        for c, plane in enumerate(source):
            for r in range(size):
                for s in range(size):
                    at_y, at_x = y * stride - pad + r * dilation, x * stride - pad + s * dilation
                    total += weights[k][c][r][s] * (plane[at_y][at_x] if 0 <= at_y < h and 0 <= at_x < w else pad_value)
        return total
    return [[[element(k, y, x) for x in range(out_w)] for y in range(out_h)] for k in range(len(weights))]


def mapped(function, *cubes):
    return [[[function(c, *(cube[c][y][x] for cube in cubes)) for x in range(len(cubes[0][0][0]))] for y in range(len(cubes[0][0]))]
            for c in range(len(cubes[0]))]


def drawn_weights(kernels, channels, size, limit, sparse=False):
    return [[[[0 if sparse and random.random() < 0.6 else random.randint(-limit, limit) for _ in range(size)] for _ in range(size)]
             for _ in range(channels)] for _ in range(kernels)]


def weight_bytes(weights, config, precision, pixels=False):
    """20-data-formats section 5.1, and 5.2 without extension of rows."""
    kernels, channels, size = len(weights), len(weights[0]), len(weights[0][0])
    group = 8 if config == "small" else 32 if precision == INT8 else 16
    block = 8 if config == "small" else 64
    if pixels:
        weights = [[[[one[j % channels][r][j // channels]] for r in range(size)] for j in range(size * channels)] for one in weights]
    rows, columns, depth = size, 1 if pixels else size, len(weights[0])
    order = [weights[k][c][r][s] for g in range(0, kernels, group) for b in range(0, depth, block) for r in range(rows)
             for s in range(columns) for k in range(g, min(g + group, kernels)) for c in range(b, min(b + block, depth))]
    return order, b"".join(struct.pack("<" + FORMS[precision], value) for value in order)


def padded(data, config="full"):
    """Of small whole atoms alone: what CDMA fetches beyond the weights stays in CBUF for the next layer."""
    return data + bytes(-len(data) % (8 if config == "small" else 128))


def entries_of(config, w, c, precision):
    atoms = -(-c * (1 if precision == INT8 else 2) // ATOMS[config])
    if config == "small":
        return w * atoms
    if config == "large":  # two atoms in an entry
        return atoms // 2 * w + atoms % 2 * -(-w // 2)
    return atoms // 4 * w + (0, -(-w // 4), -(-w // 2), w)[atoms % 4]


# ---- convolutions ----

def fused_pair(first, conv_layer, sdp_layer):
    """A convolution that SDP takes on the fly: numbers `first` and `first` + 1."""
    conv_layer.setdefault("consumers", {})[SDP] = (first + 1, PROGRAMMED)
    sdp_layer["parent"] = (first, ARMED)
    return [conv_layer, sdp_layer]


def convolution(name, work, config, w, h, c, size, kernels, precision=INT8, stride=1, pad=0, dilation=1, batch=1, compressed=False,
                sparse=False):
    out_w, out_h = ((n + 2 * pad - (size - 1) * dilation - 1) // stride + 1 for n in (w, h))
    gap = 0 if (w, h) == (1, 1) else 1
    source, target = Cube(config, w, h, c, precision, gap), Cube(config, out_w, out_h, kernels, precision, gap)
    limit = {INT8: 20, INT16: 300, FP16: 2}[precision]
    weights = drawn_weights(kernels, c, size, limit, sparse)
    bias = [random.randint(-limit * 9, limit * 9) for _ in range(kernels)]
    pictures = [source.random() for _ in range(batch)]
    shift = {INT8: 7, INT16: 11, FP16: 0}[precision]
    net = Network(config)
    order, stream = weight_bytes(weights, config, precision)
    masks = sizes = b""
    if compressed:
        each, group = (1, 32) if precision == INT8 else (2, 16)
        masks = padded(bytes(sum((order[i + b] != 0) << b for b in range(8) if i + b < len(order)) for i in range(0, len(order), 8)))
        per_group = group * size * size * c
        sizes = padded(b"".join(struct.pack("<I", each * sum(v != 0 for v in order[i:i + per_group]))
                                for i in range(0, len(order), per_group)))
        stream = b"".join(struct.pack("<" + FORMS[precision], v) for v in order if v != 0)
    stream = padded(stream, config)
    at_in, at_out = net.input(b"".join(map(source.pack, pictures))), net.output(batch * target.size)
    at_weights = net.content(stream)
    at_bias = net.content(padded(struct.pack(f"<{kernels}{'e' if precision == FP16 else 'h'}", *bias)))
    extra = nothing() * 2
    if compressed:
        at_masks, at_sizes = net.content(masks), net.content(sizes)
        extra = cube(0, at_masks, 0, 0, 0, size=len(masks)) + cube(0, at_sizes, 0, 0, 0, size=len(sizes))
    entries = entries_of(config, w, c, precision)
    op = conv(w, h, c, size, kernels, out_w, out_h, 4, 4, pad=pad, precision=precision, element=source.bytes_each, entries=entries,
              stride=stride, dilation=dilation, batch=batch, batch_stride=source.size if batch > 1 else 0, compressed=compressed)
    passing = cube(2, -1, out_w, out_h, kernels, target.atom if (out_w, out_h) == (1, 1) else target.line, target.surface)
    layers = fused_pair(0, {"type": CONV, "op": op, "surface": cube(0, at_weights, size, size, c, size=len(stream)) + extra +
                            source.at(at_in) + passing},
                        {"type": SDP, "op": sdp(precision, precision, out=cvt(1, shift), x1=unit(1, kind=2, mode=1, act=1, precision=1),
                                                batch=batch, batch_stride=target.size if batch > 1 else 0),
                         "surface": passing + Cube(config, 1, 1, kernels, INT16).at(at_bias) + nothing() * 2 + target.at(at_out)})
    result = net.run(name, work, layers)
    for i, picture in enumerate(pictures if result else []):
        expected = mapped(lambda k, v: clamp(rounded(max(0, v + bias[k]), shift), precision),
                          convolve(picture, weights, out_w, out_h, stride, pad, dilation))
        compare(name if batch == 1 else f"{name}_{i}", result[0][i * target.size:(i + 1) * target.size], expected, target)


def convolutions(work):
    for config in ("small", "large", "full"):
        convolution(f"convolution_{config}", work, config, 9, 7, 12, 3, 10, pad=1, stride=2)
        convolution(f"dilated_{config}", work, config, 9, 8, 5, 3, 9, pad=2, dilation=2)
        convolution(f"fully_connected_{config}", work, config, 1, 1, 70, 1, 41)
    convolution("convolution_int16", work, "full", 6, 5, 20, 3, 18, INT16, pad=1)
    convolution("convolution_fp16", work, "full", 6, 5, 20, 3, 18, FP16, pad=1)
    convolution("batch_of_3", work, "full", 5, 4, 33, 3, 34, pad=1, batch=3)
    convolution("batch_of_2_fp16", work, "full", 5, 4, 10, 3, 12, FP16, batch=2)
    convolution("compressed_int8", work, "full", 6, 5, 40, 3, 70, compressed=True, sparse=True)
    convolution("compressed_int16", work, "full", 4, 4, 18, 1, 33, INT16, compressed=True, sparse=True)


def groups(work):
    """A convolution of two groups: two layers, each of its part of the channels, in one cube. Then an addition, the first layer of SDP
    that reads memory: its group of SDP_RDMA is the first one, that of SDP the third."""
    for config in ("small", "full"):
        half = ATOMS[config]
        whole = Cube(config, 5, 4, 2 * half)
        part = Cube(config, 5, 4, half)
        values = whole.random()
        weights = drawn_weights(2 * half, half, 3, 30)
        net = Network(config)
        at_in, at_out = net.input(whole.pack(values)), net.output(whole.size)
        at_sum = net.room(whole.size)
        streams = [padded(weight_bytes(weights[g * half:(g + 1) * half], config, INT8)[1], config) for g in range(2)]
        at_weights = net.content(b"".join(streams))
        layers = []
        for g in range(2):
            op = conv(5, 4, half, 3, half, 5, 4, 2, 2, pad=1, entries=entries_of(config, 5, half, INT8))
            layers += fused_pair(2 * g, {"type": CONV, "op": op, "consumers": {CONV: (2, PROGRAMMED)} if g == 0 else {},
                                         "surface": cube(0, at_weights, 3, 3, half, offset=g * len(streams[0]), size=len(streams[g])) +
                                         nothing() * 2 + part.at(at_in, g * part.size) + part.passing()},
                                 sdp_layer(part.passing(), [], part.at(at_sum, g * part.size), out=cvt(1, 8)) |
                                 {"consumers": {SDP: (3, PROGRAMMED) if g == 0 else (4, DONE)}})
        layers.append(sdp_layer(whole.at(at_sum), [], whole.at(at_out), x1=unit(1, kind=2, alu_operand=7)))
        expected = [plane for g in range(2) for plane in mapped(lambda k, v: clamp(clamp(rounded(v, 8), INT8) + 7, INT8), convolve(
            values[g * half:(g + 1) * half], weights[g * half:(g + 1) * half], 5, 4, pad=1))]
        result = net.run(f"groups_{config}", work, layers)
        compare(f"groups_{config}", result and result[0], expected, whole)
        last = [line for line in getattr(net, "accesses", []) if line.startswith(("W SDP.S_POINTER", "W SDP_RDMA.S_POINTER"))][-2:]
        check(f"groups_{config}_pointers", last == ["W SDP.S_POINTER 0x00000000", "W SDP_RDMA.S_POINTER 0x00000000"], last)


# Number of a format: planes, components, bytes of a pixel in each plane, and where each component lies: bytes, or the lowest bit of ten.
def pixel_formats():
    formats = {0: ((1, 0), INT8, [0])}
    formats |= {n: ((2, 0), INT16, [0]) for n in range(1, 5)} | {5: ((2, 0), FP16, [0])}
    orders = {0x6: (0, 1, 2, 3), 0x7: (0, 1, 2, 3), 0x8: (0, 1, 2, 3), 0x9: (2, 1, 0, 3), 0xa: (1, 2, 3, 0), 0xb: (2, 1, 0, 3)}
    formats |= {n: ((8, 0), FP16 if n in (8, 0xb) else INT16, list(order)) for n, order in orders.items()}
    orders = {0xc: (0, 1, 2, 3), 0xd: (2, 1, 0, 3), 0xe: (1, 2, 3, 0), 0xf: (3, 2, 1, 0), 0x1a: (2, 1, 0, 3), 0x1b: (1, 2, 3, 0)}
    orders |= {n + 4: orders[n] for n in range(0xc, 0x10)}
    formats |= {n: ((4, 0), INT8, list(order)) for n, order in orders.items()}
    orders = {0x14: (0, 10, 20, 30), 0x15: (20, 10, 0, 30), 0x16: (2, 12, 22, 0), 0x17: (22, 12, 2, 0), 0x18: (20, 10, 0, 30),
              0x19: (2, 12, 22, 0)}
    formats |= {n: ((4, 0), INT16, [("bits", at) for at in order]) for n, order in orders.items()}
    formats |= {n: ((1, 2), INT8, ["y", 1 - n % 2, n % 2]) for n in (0x1c, 0x1d)}
    formats |= {n: ((2, 4), INT16, ["y", 1 - n % 2, n % 2]) for n in range(0x1e, 0x24)}
    return formats


def component(where, sizes, precision, planes, strides, y, x):
    """What a component of a pixel is before the convertor, unsigned if it is whole."""
    form = {INT8: "B", INT16: "H", FP16: "e"}[precision]
    each = struct.calcsize(form)
    if isinstance(where, tuple):
        word = struct.unpack_from("<I", planes[0], y * strides[0] + 4 * x)[0]
        two = where[1] == (30 if planes[2] else 0)
        return (word >> where[1] & 3) << 14 if two else (word >> where[1] & 1023) << 6
    if where == "y" or sizes[1] == 0:
        return struct.unpack_from("<" + form, planes[0], y * strides[0] + sizes[0] * x + (0 if where == "y" else each * where))[0]
    return struct.unpack_from("<" + form, planes[1], y * strides[1] + sizes[1] * x + each * where)[0]


def pixels(name, work, config, number, sizes, precision, order, mean=None):
    w, h, size, kernels = 6, 3, 2, 5
    atom, channels = ATOMS[config], len(order)
    strides = [-(-w * n // atom) * atom + atom if n else 0 for n in sizes]
    data = bytearray(random.randbytes(h * strides[0]) + random.randbytes(h * strides[1]))
    if precision == FP16:
        for at in range(0, len(data), 2):
            struct.pack_into("<e", data, at, random.randint(-8, 8))
    last_is_two = isinstance(order[-1], tuple) and order[-1][1] == 30
    planes = (data[:h * strides[0]], data[h * strides[0]:], last_is_two)
    means = mean or [0] * 4
    how = {"format": number, "in_precision": precision}
    converted = precision != FP16
    scale, shift, offset = 3, {INT8: 3, INT16: 5, FP16: 0}[precision], 100
    if converted:
        how |= {"scale": scale, "shift": shift, "offset": offset}
    if mean:
        how["mean"] = mean

    def value(z, y, x):
        raw = component(order[z], sizes, precision, planes, strides, y, x)
        return clamp(rounded((raw - (means[z] if mean else offset)) * scale, shift), precision) if converted else raw
    image = [[[value(z, y, x) for x in range(w)] for y in range(h)] for z in range(channels)]
    limit, down = {INT8: (20, 6), INT16: (20, 5), FP16: (2, 0)}[precision]
    weights = drawn_weights(kernels, channels, size, limit)
    net = Network(config)
    out_w, out_h = w - size + 1, h - size + 1
    target = Cube(config, out_w, out_h, kernels, precision)
    at_in, at_out = net.input(bytes(data)), net.output(target.size)
    stream = padded(weight_bytes(weights, config, precision, pixels=True)[1], config)
    at_weights = net.content(stream)
    entry = 8 if config == "small" else 128
    op = conv(w, h, channels, size, kernels, out_w, out_h, 2, 2, precision=precision, element=target.bytes_each, pixels=how,
              entries=-(-w * channels * target.bytes_each // entry))
    source = cube(0, at_in, w, h, channels, strides[0], size=len(data))
    behind = struct.pack("<qI", h * strides[0] if sizes[1] else 0, strides[1])
    layers = fused_pair(0, {"type": CONV, "op": op, "surface": cube(0, at_weights, 1, size, size * channels, size=len(stream)) +
                            nothing() * 2 + source + target.passing() + behind},
                        sdp_layer(target.passing(), [], target.at(at_out), source=precision, destination=precision, out=cvt(1, down)))
    result = net.run(name, work, layers)
    expected = mapped(lambda k, v: clamp(rounded(v, down), precision), convolve(image, weights, out_w, out_h))
    compare(name, result and result[0], expected, target)


def pictures(work):
    for number, (sizes, precision, order) in pixel_formats().items():
        pixels(f"pixels_{number:02x}_full", work, "full", number, sizes, precision, order)
        if precision == INT8:
            pixels(f"pixels_{number:02x}_small", work, "small", number, sizes, precision, order)
    every = pixel_formats()
    for number, config in ((0xf, "small"), (0x1c, "small"), (0, "small"), (0x1d, "full"), (0x23, "full"), (0xc, "large"), (0x1c, "large")):
        pixels(f"mean_{number:02x}_{config}", work, config, number, *every[number], mean=[7, -20, 130, 55])


# ---- SDP ----

def sdp_layer(before, operands, behind, **how):
    """operands: up to three cubes of x1, x2, y."""
    operands = list(operands) + [nothing()] * (3 - len(operands))
    return {"type": SDP, "op": sdp(**how), "surface": before + b"".join(operand or nothing() for operand in operands) + behind}


def stages(work):
    algorithms = {0: max, 1: min, 2: lambda a, b: a + b}
    for config in ("small", "large", "full"):
        shape = Cube(config, 5, 3, ATOMS[config] + 3, gap=1)
        data = shape.random()

        # x1: both operands per kernel, multiplied only below zero; x2: a constant times, then ReLU.
        operands = [(random.randint(-300, 300), random.randint(-30, 30)) for _ in range(shape.c)]
        packed = padded(b"".join(struct.pack("<hh", *pair) for pair in operands))

        def prelu(k, v):
            v += operands[k][0]
            v = v if v >= 0 else rounded(v * operands[k][1], 3)
            v = max(0, rounded(v * -3, 1))
            return clamp(rounded((v - 5) * 3, 4), INT8)
        played(f"prelu_{config}", work, config, [(shape, data)], shape, lambda net, at_in, at_out: [sdp_layer(
            shape.at(at_in), [cube(0, net.content(packed), 1, 1, shape.c)], shape.at(at_out), out=cvt(3, 4, 0, 5),
            x1=unit(1, kind=3, mode=1, act=3, truncate=3, precision=1), x2=unit(1, kind=1, mul_operand=-3, truncate=1, act=1))],
               mapped(prelu, data))

        # x1 with a second cube, by maximum, minimum and sum; x2 with a third in 16 bits.
        for number, algorithm in algorithms.items():
            wide = Cube(config, shape.w, shape.h, shape.c, INT8, gap=1)
            other = shape.random()
            third = [[[random.randint(-500, 500) for _ in range(shape.w)] for _ in range(shape.h)] for _ in range(shape.c)]
            halves = bytearray(2 * wide.size)
            for c in range(wide.c):
                for y in range(wide.h):
                    for x in range(wide.w):
                        struct.pack_into("<h", halves, 2 * wide.place(c, y, x), third[c][y][x])
            played(f"eltwise_{number}_{config}", work, config, [(shape, data), (shape, other)], shape, lambda net, at_in, at_other, at_out: [
                sdp_layer(shape.at(at_in), [shape.at(at_other), cube(0, net.content(bytes(halves)), shape.w, shape.h, shape.c, 2 * wide.line,
                                                                     2 * wide.surface)],
                          shape.at(at_out), out=cvt(1, 2), x1=unit(1, alu=number, kind=2, mode=2),
                          x2=unit(1, alu=2, kind=2, mode=2, precision=1))],
                   mapped(lambda c, a, b, t: clamp(rounded(algorithm(a, b) + t, 2), INT8), data, other, third))


def third_stage(work):
    """EW with its convertors, and layers that change the precision."""
    for precision in (INT8, INT16):
        shape = Cube("full", 4, 3, 21, precision)
        data, other = shape.random(), shape.random()
        played(f"third_stage_{precision}", work, "full", [(shape, data), (shape, other)], shape, lambda net, at_in, at_other, at_out: [
            sdp_layer(shape.at(at_in), [None, None, shape.at(at_other)], shape.at(at_out), source=precision, destination=precision, out=cvt(1, 1),
                      y=unit(1, alu=2, kind=2, mode=2, precision=precision, alu_cvt=cvt(5, 2, 1, 3)))],
               mapped(lambda c, a, b: clamp(rounded(a + rounded((b - 3) * 5, 2), 1), precision), data, other))
    source, target = Cube("full", 4, 3, 21, INT16), Cube("full", 4, 3, 21, INT8)
    data = source.random()
    played("int16_to_int8", work, "full", [(source, data)], target, lambda net, at_in, at_out: [
        sdp_layer(source.at(at_in), [], target.at(at_out), source=INT16, destination=INT8, out=cvt(2, 9, 0, -7))],
           mapped(lambda c, v: clamp(rounded((v + 7) * 2, 9), INT8), data))
    shape = Cube("full", 4, 3, 21, FP16)
    data, other = shape.random(-30, 30), shape.random(-30, 30)
    played("fp16_max", work, "full", [(shape, data), (shape, other)], shape, lambda net, at_in, at_other, at_out: [
        sdp_layer(shape.at(at_in), [None, shape.at(at_other)], shape.at(at_out), source=FP16, destination=FP16,
                  x2=unit(1, alu=0, kind=2, mode=2, precision=2))], mapped(lambda c, a, b: max(a, b), data, other))


# ---- PDP ----

def pooled(values, mode, size, stride, pad, out_w, out_h):
    def element(c, y, x):
        at = [(y * stride - pad + r, x * stride - pad + s) for r in range(size) for s in range(size)]
        inside = [values[c][j][i] for j, i in at if 0 <= j < len(values[c]) and 0 <= i < len(values[c][0])]
        if mode:
            return max(inside) if mode == 1 else min(inside)
        reciprocal = (0, 0x10000, 0x8000, 0x5555, 0x4000, 0x3333, 0x2aaa, 0x2492, 0x2000)[size]
        return rounded(rounded(sum(inside) * reciprocal, 16) * reciprocal, 16)
    return [[[element(c, y, x) for x in range(out_w)] for y in range(out_h)] for c in range(len(values))]


def pdp_layer(before, behind, *how, **more):
    return {"type": PDP, "op": pdp(*how, **more), "surface": before + behind}


def pools(work):
    for config in ("small", "large", "full"):
        for mode, size, stride, pad in ((0, 2, 2, 0), (1, 3, 2, 1), (2, 3, 1, 1), (0, 8, 8, 0)):
            w, h = 8 + 3 * (size == 3), 9 - (size == 8)
            out_w, out_h = ((n + 2 * pad - size) // stride + 1 for n in (w, h))
            source, target = Cube(config, w, h, ATOMS[config] + 5, gap=1), Cube(config, out_w, out_h, ATOMS[config] + 5, gap=1)
            data = source.random()
            # an average may be off by one: the order of the two roundings is PDP's affair
            played(f"pool_{mode}_{size}_{config}", work, config, [(source, data)], target, lambda net, at_in, at_out: [
                pdp_layer(source.at(at_in), target.at(at_out), mode, size, stride, pad)],
                   pooled(data, mode, size, stride, pad, out_w, out_h), most=mode == 0)
    # In three pieces: more columns than PDP has room for.
    for config in ("small", "full"):
        w, out_w = 300, 150
        source, target = Cube(config, w, 6, 9), Cube(config, out_w, 3, 9)
        data = source.random()
        first, middle = 60, 40
        parts = (2 * first, 2 * middle, w - 2 * first - 2 * middle, first, middle, out_w - first - middle)
        played(f"pool_in_pieces_{config}", work, config, [(source, data)], target, lambda net, at_in, at_out: [
            pdp_layer(source.at(at_in), target.at(at_out), 1, 2, 2, split=3, parts=parts)], pooled(data, 1, 2, 2, 0, out_w, 3))
        # What SDP gives on the fly.
        source, target = Cube(config, 8, 6, 9), Cube(config, 4, 3, 9)
        data = source.random()
        played(f"pool_on_the_fly_{config}", work, config, [(source, data)], target, lambda net, at_in, at_out: [
            sdp_layer(source.at(at_in), [], source.passing(), x1=unit(1, kind=2, alu_operand=9)) | {"consumers": {PDP: (1, PROGRAMMED)}},
            pdp_layer(source.passing(), target.at(at_out), 1, 2, 2) | {"parent": (0, ARMED)}],
               pooled(mapped(lambda c, v: clamp(v + 9, INT8), data), 1, 2, 2, 0, 4, 3))


# ---- RUBIK and BDMA ----

def rearranging(work):
    for precision in (INT8, INT16, FP16):
        shape = Cube("full", 21, 3, 37, precision)
        data = shape.random()
        line = -(-shape.w * shape.bytes_each // 64) * 64
        plane = line * shape.h + 64
        net = Network("full")
        at_in, at_out, at_planes = net.input(shape.pack(data)), net.output(shape.size), net.output(plane * shape.c)
        planes = struct.pack("<HhIIHHHHIII", 0, at_planes, 0, plane * shape.c, shape.w, shape.h, shape.c, 0, line, 0, plane)
        result = net.run(f"split_and_merge_{precision}", work, [
            {"type": RUBIK, "op": struct.pack("4B", 1, precision, 0, 0), "surface": shape.at(at_in) + planes,
             "consumers": {RUBIK: (1, DONE)}},
            {"type": RUBIK, "op": struct.pack("4B", 2, precision, 0, 0), "surface": planes + shape.at(at_out)}])
        compare(f"split_and_merge_{precision}", result and result[0], data, shape)
        good = result and all(struct.unpack_from("<" + FORMS[precision], result[1], c * plane + y * line + x * shape.bytes_each)[0] == data[c][y][x]
                              for c in range(shape.c) for y in range(shape.h) for x in range(shape.w))
        check(f"planes_{precision}", good, "other values than the cube's")

        # Contract: the outputs of a deconvolution, phases in channels, become pixels.
        step_x, step_y, lanes = 3, 2, shape.lanes
        phases, target = Cube("full", 4, 3, step_x * step_y * 2 * lanes, precision), Cube("full", 4 * step_x, 3 * step_y, lanes + 3, precision)
        data = phases.random()
        expected = [[[data[(y % step_y * step_x + x % step_x) * 2 * lanes + c][y // step_y][x // step_x] for x in range(target.w)]
                     for y in range(target.h)] for c in range(target.c)]
        played(f"contract_{precision}", work, "full", [(phases, data)], target, lambda net, at_in, at_out: [
            {"type": RUBIK, "op": struct.pack("4B", 0, precision, step_x, step_y), "surface": phases.at(at_in) + target.at(at_out)}], expected)


def bdma(source, destination, transfers, **links):
    return {"type": BDMA, "surface": struct.pack("<BBH", source, destination, len(transfers)) + b"".join(transfers), **links}


def transfer(source, destination, line, lines, source_line, destination_line, surfaces=1, source_surface=0, destination_surface=0):
    return struct.pack("<hhIIIIIII", source, destination, line, lines, source_line, destination_line, surfaces,
                       source_surface or source_line * lines, destination_surface or destination_line * lines)


def copies(work):
    """Through on-chip RAM and back, lines spread and gathered; an engine works there too."""
    data = random.randbytes(64 * 12)
    net = Network("full")
    at_in, at_out, at_chip = net.input(data), net.output(len(data)), net.room(4096, domain=1)
    result = net.run("copy_through_sram", work, [
        bdma(0, 1, [transfer(at_in, at_chip, 64, 4, 64, 128, 3, 256, 512)], consumers={BDMA: (1, DONE)}),
        bdma(1, 0, [transfer(at_chip, at_out, 64, 4, 128, 64, 3, 512, 256)])])
    check("copy_through_sram", result and result[0] == data, "other bytes")

    shape = Cube("full", 4, 3, 32)
    values = shape.random()
    net = Network("full")
    at_in, at_out, at_chip = net.input(shape.pack(values)), net.output(shape.size), net.room(4096, domain=1)
    first = sdp_layer(shape.at(at_in), [], shape.at(at_chip, 256, kind=1), x1=unit(1, kind=2, alu_operand=3))
    first["consumers"] = {SDP: (1, DONE)}
    second = sdp_layer(shape.at(at_chip, 256, kind=1), [], shape.at(at_out), x1=unit(1, kind=2, alu_operand=-50))
    result = net.run("layers_in_sram", work, [first, second])
    compare("layers_in_sram", result and result[0], mapped(lambda c, v: clamp(clamp(v + 3, INT8) - 50, INT8), values), shape)


# ---- schedules ----

def fetched(work):
    """A layer that may begin when CDMA is through with the data, or with the weights, of a convolution: here one that overwrites them."""
    for event in (WEIGHTS_FETCHED, DATA_FETCHED):
        for config in ("small", "full"):
            shape = Cube(config, 4, 4, ATOMS[config])
            values = shape.random()
            weights = drawn_weights(shape.c, shape.c, 1, 9)
            net = Network(config)
            stream = padded(weight_bytes(weights, config, INT8)[1], config)
            at_in, at_out, at_copy = net.input(shape.pack(values)), net.output(shape.size), net.output(shape.size)
            at_weights = net.content(stream)
            op = conv(4, 4, shape.c, 1, shape.c, 4, 4, 2, 2, entries=entries_of(config, 4, shape.c, INT8))
            layers = fused_pair(0, {"type": CONV, "op": op, "consumers": {PDP: (2, event)},
                                    "surface": cube(0, at_weights, 1, 1, shape.c, size=len(stream)) + nothing() * 2 + shape.at(at_in) +
                                    shape.passing()},
                                sdp_layer(shape.passing(), [], shape.at(at_out), out=cvt(1, 4)))
            layers.append(pdp_layer(shape.at(at_in), shape.at(at_copy), 1, 1))
            name = f"event_{event}_{config}"
            result = net.run(name, work, layers)
            if result:  # data, weights and the end itself, of group 0
                awaited = [line.split()[2] for line in net.accesses if line.startswith(("P GLB", "W GLB.S_INTR_STATUS"))][:2]
                check(f"{name}_awaited", awaited == ["0x00150000"] * 2, awaited)
                compare(name, result[0], mapped(lambda k, v: clamp(rounded(v, 4), INT8), convolve(values, weights, 4, 4)), shape)
                compare(f"{name}_copy", result[1], values, shape)


def several_ends(work):
    """Two inputs, two outputs, two tasks for the engines."""
    for config in ("small", "full"):
        shape = Cube(config, 3, 2, 5)
        one, two = shape.random(), shape.random()
        net = Network(config)
        at_one, at_two = net.input(shape.pack(one)), net.input(shape.pack(two))
        at_sum, at_less = net.output(shape.size), net.output(shape.size)
        add = sdp_layer(shape.at(at_one), [shape.at(at_two)], shape.at(at_sum), x1=unit(1, kind=2, mode=2))
        less = sdp_layer(shape.at(at_sum), [], shape.at(at_less), x1=unit(1, kind=2, alu_operand=-10))
        result = net.run(f"two_of_each_{config}", work, [add], more=[[less]])
        if result:
            total = mapped(lambda c, a, b: clamp(a + b, INT8), one, two)
            compare(f"first_of_two_{config}", result[0], total, shape)
            compare(f"second_of_two_{config}", result[1], mapped(lambda c, v: clamp(v - 10, INT8), total), shape)


play_parts(convolutions, groups, pictures, stages, third_stage, pools, rearranging, copies, fetched, several_ends)
