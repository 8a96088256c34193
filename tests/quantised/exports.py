#!/usr/bin/python3
"""Networks in the forms that tools write: constants that have to be computed first, layouts that change at the ends and inside, groups,
constants in a file of their own, opsets 7 to 23. What the compiler reads, as its interpreter computes it, is compared with onnx_graph.py, to
within one step; the first MODEL of them are compiled and each node is compared on the model. An element half way between two codes may become
the other one, which the next layer multiplies: one network in 50 may have elements off by more.

usage: exports.py NVCOSIM REFERENCE COUNT MODEL [FIRST]
       exports.py COUNT --page FILE [--write]    the table of what occurs in them, compared with that of a page, or put there
Ends with "N passed, N failed".
"""
import math
import pathlib
import random
import struct
import subprocess
import sys

from counts import check, finish, run, scratch
from onnx_graph import FLOAT, INT8, INT32, INT64, UINT8, Graph, single

HEAD = ["| operator or form | opsets | networks |", "|---|---|---|"]


class Maker:
    """A random network. forms: what occurs in it."""

    def __init__(self, seed, file):
        self.r = r = random.Random(seed)
        self.graph = Graph(r.choice([7, 8, 9, 10, 11, 12, 13, 17, 18, 21, 23]), file if r.random() < 0.3 else None)
        self.forms = set()
        self.last_kind = None  # of the processor
        self.per_axis = self.graph.opset >= 13
        self.unsigned = r.random() < 0.2
        self.kind = UINT8 if self.unsigned else INT8
        if self.graph.file:
            self.forms.add("external data")
        self.grow()

    def listed(self, kind, inputs, name, numbers, since, **attributes):
        """An operator with a list: an attribute, or an input since an opset."""
        if self.graph.opset >= since:
            return self.graph.add(kind, inputs + [self.graph.constant([len(numbers)], numbers, INT64)], **attributes)
        return self.graph.add(kind, inputs, **{name: numbers}, **attributes)

    def clip(self, x, low, high, kind=FLOAT):
        if self.graph.opset >= 11:
            return self.graph.add("Clip", [x, self.graph.constant([], [low], kind), self.graph.constant([], [high], kind)])
        return self.graph.add("Clip", [x], min=float(low), max=float(high))

    def scale(self, x, margin=1.0):
        """Scale and zero point that hold a value's range."""
        data = self.graph.values[x].data
        low, high = min(0, *data), max(0, *data)
        scale = single(max((high - low) / 255 * margin, 1e-4))
        zero = min(max(round(-128 - low / scale), -128), 127) + (128 if self.unsigned else 0)
        return [self.graph.constant([], [scale]), self.graph.constant([], [zero], self.kind)]

    def quantised(self, x, scale=None):
        """Q and DQ; between them a Clip of integers, as Brevitas writes it."""
        self.last = scale = scale or self.scale(x)
        x = self.graph.add("QuantizeLinear", [x] + scale)
        if self.r.random() < 0.2 and self.graph.opset >= 12 and not self.unsigned:
            self.forms.add("QCDQ")
            x = self.clip(x, -127, 127, self.kind)
        return self.graph.add("DequantizeLinear", [x] + scale)

    def weights(self, shape, axis=0):
        """Weights behind DequantizeLinear; of float32 behind QuantizeLinear too; or two constants of them side by side."""
        g, r = self.graph, self.r
        kernels = shape[axis]
        if kernels > 1 and self.per_axis and r.random() < 0.15:
            self.forms.add("weights: Concat")
            return g.add("Concat", [self.weights(shape[:axis] + [n] + shape[axis + 1:], axis) for n in (1, kernels - 1)], axis=axis)
        many = self.per_axis and r.random() < 0.6
        scales = [single(r.uniform(0.004, 0.02)) for _ in range(kernels if many else 1)]
        dims = [kernels] if many else []
        q = [g.constant(dims, scales), g.constant(dims, [0] * len(scales), INT8)]
        axes = {"axis": axis} if many else {}
        form = r.choice(["int8", "float", "QCDQ", "Cast"] if g.opset >= 12 else ["int8", "float", "Cast"])
        self.forms.add(f"weights: {form}")
        count = math.prod(shape)
        if form == "float":
            most = 127 * min(scales)
            x = g.constant(shape, [min(max(r.gauss(0, 0.5), -most), most) for _ in range(count)])
            x = g.add("QuantizeLinear", [x] + q, **axes)
        else:
            clipped = form == "QCDQ"
            x = g.constant(shape, [r.randint(-128, 127) for _ in range(count)], INT32 if form == "Cast" else INT8)
            if form == "Cast":
                x = g.add("Cast", [x], to=INT8)
            x = self.clip(x, -127, 127, INT8) if clipped else x
        return g.add("DequantizeLinear", [x] + q, **axes)

    def bias(self, kernels, shape=None):
        return self.graph.constant(shape or [kernels], [self.r.gauss(0, 1) for _ in range(kernels)])

    def convolution(self, x):
        g, r = self.graph, self.r
        _, c, h, w = g.values[x].shape
        group = r.choice([n for n in range(1, c + 1) if c % n == 0] + [1, 1]) if c > 1 else 1
        kernels = group * r.randint(1, max(1, 16 // group))
        size, stride = r.choice([1, 3, 3]), r.choice([1, 1, 2])
        name = self.weights([kernels, c // group, size, size])
        behind = r.random()
        inputs = [x, name] + ([self.bias(kernels)] if behind < 0.4 else [])
        pads = [size // 2] * 4
        x = g.add("Conv", inputs, group=group, kernel_shape=[size, size], strides=[stride, stride], pads=pads)
        self.forms.add("groups" if 1 < group < c else "depth-wise" if group > 1 else "one group")
        if behind > 0.7:
            self.forms.add("Add of a float bias")
            x = g.add("Add", [x, self.bias(kernels, r.choice([[1, kernels, 1, 1], [kernels, 1, 1]]))])
        if r.random() < 0.25:
            self.forms.add("BatchNormalization")
            lists = [[r.uniform(-1.5, 1.5) for _ in range(kernels)], [r.gauss(0, 1) for _ in range(kernels)],
                     [r.gauss(0, 1) for _ in range(kernels)], [r.uniform(0.5, 2) for _ in range(kernels)]]
            x = g.add("BatchNormalization", [x] + [g.constant([kernels], values) for values in lists])
        form = r.choice(["Relu", "Clip", "none"])
        if form == "Relu":
            x = g.add("Relu", [x])
        elif form == "Clip":
            x = self.clip(x, *r.choice([(0, 6), (-1, 1), (-2, 3)]))
        return self.quantised(self.before_scale(x) if r.random() < 0.3 else x)

    def before_scale(self, x):
        """What may come before the one QuantizeLinear."""
        g = self.graph
        if self.r.random() < 0.3:
            self.forms.add("Concat before a scale")
            return g.add("Concat", [x, g.add("Identity", [x])], axis=1)
        self.forms.add("MaxPool before a scale")
        return self.pool(x)

    def transposes(self, x):
        """Two that cancel, with something between them."""
        self.forms.add("transposes that cancel")
        g = self.graph
        x = g.add("Transpose", [x], perm=[0, 2, 3, 1])
        if self.r.random() < 0.5:
            x = self.quantised(g.add("Relu", [x]))
        if self.r.random() < 0.3:
            x = self.quantised(g.add("Concat", [x, x], axis=3))
        return g.add("Transpose", [x], perm=[0, 3, 1, 2])

    def constant_beside(self, x):
        """Channels that are constants."""
        g = self.graph
        self.forms.add("Concat with a constant")
        _, _, h, w = g.values[x].shape
        beside = g.constant([1, 2, h, w], [self.r.gauss(0, 1) for _ in range(2 * h * w)])
        return self.quantised(g.add("Concat", [x, self.quantised(beside)][::self.r.choice([1, -1])], axis=1))

    def nothing(self, x):
        """Operators without work."""
        if self.r.random() < 0.2:
            self.forms.add("a row and back")
            shape = self.graph.values[x].shape
            return self.graph.add("Reshape", [self.graph.add("Flatten", [x], axis=1), self.graph.constant([4], shape, INT64)])
        if self.graph.opset >= 12:
            return self.graph.add("Dropout", [x, self.graph.constant([], [0.5])])
        return self.graph.add("Identity", [self.graph.add("Dropout", [x], ratio=0.5)])

    def pad(self, x):
        """Height and width; with a list of the axes where there is one."""
        g, pads = self.graph, [self.r.randint(0, 1) for _ in range(4)]
        if g.opset >= 18:
            return g.add("Pad", [x, g.constant([4], pads, INT64), "", g.constant([2], [2, 3], INT64)])
        return self.listed("Pad", [x], "pads", [0, 0, *pads[:2], 0, 0, *pads[2:]], 11)

    def pool(self, x):
        g = self.graph
        if min(g.values[x].shape[2:]) < 2:
            return x
        return g.add("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])

    def average(self, x):
        """With padding that counts, as in PyTorch: of 9 elements, so none is half way between two codes."""
        self.forms.add("padding that counts")
        x = self.graph.add("AveragePool", [x], kernel_shape=[3, 3], strides=[self.r.choice([1, 2])] * 2, pads=[1] * 4, count_include_pad=1)
        return self.quantised(x, self.last)

    def product(self, x):
        """A row, by one of the ways there are, and a product with a constant."""
        g, r = self.graph, self.r
        _, c, h, w = g.values[x].shape
        way = r.choice(["Flatten", "Reshape", "Mean", "ReduceMean", "NHWC", "NHWC mean"])
        if way == "Mean":
            x = self.quantised(g.add("GlobalAveragePool", [x]))
            x = self.listed("Squeeze", [x], "axes", [2, 3], 13)
        elif way == "ReduceMean":
            x = self.quantised(self.listed("ReduceMean", [x], "axes", [2, 3], 18, keepdims=0))
        elif way == "NHWC mean":
            self.forms.add("mean of channels last")
            x = g.add("Transpose", [x], perm=[0, 2, 3, 1])
            keep = r.randint(0, 1)
            x = self.quantised(self.listed("ReduceMean", [x], "axes", [1, 2], 18, keepdims=keep))
            x = g.add("Flatten", [x], axis=1) if keep else x
        elif way == "NHWC":
            self.forms.add("a row of channels last")
            x = g.add("Flatten", [g.add("Transpose", [x], perm=[0, 2, 3, 1])], axis=1)
        else:
            x = g.add("Flatten", [x], axis=1) if way == "Flatten" else g.add("Reshape", [x, g.constant([2], [1, -1], INT64)])
        n, k = g.values[x].shape[1], r.randint(2, 12)
        form = r.choice(["Gemm", "MatMul", "transposed"])
        if form == "Gemm":
            name = self.weights([k, n])
            return self.quantised(g.add("Gemm", [x, name, self.bias(k)], transB=1))
        self.forms.add("product of a constant" if form == "MatMul" else "product of a transposed constant")
        name = self.weights([n, k], 1) if form == "MatMul" else self.weights([k, n])
        name = name if form == "MatMul" else g.add("Transpose", [name], perm=[1, 0])
        return self.quantised(g.add("Add", [g.add("MatMul", [x, name]), self.bias(k)]))

    def grow(self):
        g, r = self.graph, self.r
        c, h, w = r.choice([1, 3, 4, 8, 12]), r.randint(3, 7), r.randint(3, 7)
        last = r.random() < 0.4
        count = c * h * w
        self.step = single(0.05)
        self.codes = [r.randint(-128, 127) for _ in range(count)]  # in the order of the file
        self.raw = bytes(v & 255 for v in self.codes)
        shape = [1, h, w, c] if last else [1, c, h, w]
        x = g.input(shape, [v * self.step for v in self.codes])
        self.shape = (h, w, c)
        if last:
            at = Graph.of_Transpose(g, g.values[x], [0, 3, 1, 2]).data
            self.codes = [round(v / self.step) for v in at]
        scale = [g.constant([], [self.step]), g.constant([], [128 if self.unsigned else 0], self.kind)]
        if last and r.random() < 0.5:
            x = self.quantised(g.add("Transpose", [x], perm=[0, 3, 1, 2]), scale)
        elif last:
            x = g.add("Transpose", [self.quantised(x, scale)], perm=[0, 3, 1, 2])
        else:
            x = self.quantised(x, scale)
        if last:
            self.forms.add("input with channels last")
        for _ in range(r.randint(1, 3)):
            x = r.choice([self.convolution, self.convolution, self.transposes, self.pool, self.average, self.pad, self.constant_beside,
                          self.nothing])(x)
        x = self.convolution(x)
        end = r.random()
        if end < 0.6:
            x = self.product(x)
        elif end < 0.8:
            self.forms.add("output with channels last")
            x = g.add("Transpose", [x], perm=[0, 2, 3, 1])
        x = self.processor(x) if r.random() < 0.3 else x
        self.output = x
        self.file = g.bytes(x)

    def processor(self, x):
        """An operator on channels at the end; its input is kept."""
        g, r = self.graph, self.r
        self.logits = g.values[x]
        rank = len(self.logits.shape)
        last = "output with channels last" in self.forms or rank == 2
        axis = rank - 1 if last else 1
        kind = r.choice(["ArgMax", "Softmax", "LogSoftmax"] if g.opset >= 13 or rank == 2 else ["ArgMax"])
        self.last_kind = kind
        if kind == "ArgMax":
            return g.add(kind, [x], axis=axis - rank * r.randint(0, g.opset >= 11), **({"keepdims": 0} if r.random() < 0.5 else {}))
        return g.add(kind, [x], **({} if last and r.random() < 0.5 else {"axis": axis}))


def distances(maker, found, own=False):
    """How far each element of the first output is from the exact one, in steps; None if there are others than expected. own: in the file's
    order, otherwise with channels last."""
    expected, kind = maker.graph.values[maker.output], maker.last_kind
    scale, zero = (maker.graph.values[name].data[0] for name in maker.last)
    zero -= 128 if maker.unsigned else 0
    first = "output with channels last" not in maker.forms
    if kind == "ArgMax":  # of nearly equal ones, any
        rank = len(maker.logits.shape)
        rows = [row for _, row in sorted(maker.graph.groups(maker.logits, 1 if first or rank == 2 else rank - 1).items())]
        indices = struct.unpack(f"<{len(found) // 2}H", found)
        return [(max(row) - row[i]) / scale if i < len(row) else 999 for row, i in zip(rows, indices)] if len(indices) == len(rows) else None
    near = 1.0
    if kind:  # a step of its input more or less
        near += {"Softmax": 64, "LogSoftmax": 32}[kind] * scale
        scale, zero = (1 / 16, 127) if kind == "LogSoftmax" else (1 / 127, 0) if own else (1 / 256, -128)  # 127: of the processor
    if len(expected.shape) == 4 and first and not own:
        expected = maker.graph.of_Transpose(expected, [0, 2, 3, 1])
    wanted = [min(max(round(v / scale) + zero, -128), 127) for v in expected.data]
    return [abs((a ^ 128) - 128 - b) / near for a, b in zip(found, wanted)] if len(found) == len(wanted) else None


def play(seed, work, seen, doubtful):
    """The reason why a network fails, or None."""
    maker = Maker(seed, f"g{seed}.data")
    path, raw = work / f"g{seed}.onnx", work / "in.bin"
    path.write_bytes(maker.file)
    (work / f"g{seed}.data").write_bytes(maker.graph.external)
    h, w, c = maker.shape
    raw.write_bytes(bytes(maker.codes[k * h * w + i] & 255 for i in range(h * w) for k in range(c)))
    done = subprocess.run([REFERENCE, path, raw], capture_output=True)
    if done.returncode:
        return f"{done.stderr.decode()} {sorted(maker.forms)}"
    seen |= maker.forms
    off = distances(maker, done.stdout)
    if off is None:
        return f"{len(done.stdout)} bytes, expected other ones; {sorted(maker.forms)}"
    if max(off) > 1 and len(doubtful) < COUNT // 50:
        doubtful.append(seed)
    elif max(off) > 1:
        return f"{sum(o > 1 for o in off)} of {len(off)} are off by up to {max(off):.1f} steps; {sorted(maker.forms)}"
    if seed >= FIRST + MODEL:
        return None
    raw.write_bytes(maker.raw)  # as the file has it, and so the output
    source = [path, "--input", f"raw:{raw}"]
    nodes, out = run(NVCOSIM, "compile", "--check", "--threads=1", *source), work / f"out{seed}"
    done = run(NVCOSIM, "run", "-q", "--dut", "model", "--out", work / "run", "--outputs", out, *source)
    if nodes.returncode or done.returncode:
        return nodes.stdout + nodes.stderr + done.stderr
    off = distances(maker, next(out.glob("*.bin")).read_bytes(), True)
    worst = max(off) if off else 999
    return None if worst <= 1 or seed in doubtful else f"{worst:.1f} steps off in the file's order"


def table(count):
    """What occurs in the networks."""
    rows = {}
    for seed in range(1, count + 1):
        maker = Maker(seed, f"g{seed}.data")
        for name in maker.graph.used | maker.forms:
            rows.setdefault(name, []).append(maker.graph.opset)
    operators = sorted(name for name in rows if name[0].isupper() and " " not in name and name != "QCDQ")
    return HEAD + [f"| {name} | {min(rows[name])} to {max(rows[name])} | {len(rows[name])} |"
                   for name in operators + sorted(set(rows) - set(operators))]


def compare_page(count, page, write):
    lines, wanted = page.read_text().splitlines(), table(count)
    first = lines.index(HEAD[0])
    last = next(i for i in range(first, len(lines) + 1) if i == len(lines) or not lines[i].startswith("|"))
    if write:
        page.write_text("\n".join(lines[:first] + wanted + lines[last:]) + "\n")
    check(f"{page}:{first + 1}: the table of the tests", write or lines[first:last] == wanted,
          "found another one; exports.py --write puts it there")


def compare_networks():
    seen, doubtful = set(), []
    with scratch() as work:
        for seed in range(FIRST, FIRST + COUNT):
            reason = play(seed, work, seen, doubtful)
            check(f"network of seed {seed}", not reason, reason)
    print("forms:", ", ".join(sorted(seen)))
    print("off by more than one step in some elements:", doubtful)


if __name__ == "__main__":
    if sys.argv[2:3] == ["--page"]:
        compare_page(int(sys.argv[1]), pathlib.Path(sys.argv[3]), "--write" in sys.argv)
    else:
        NVCOSIM, REFERENCE = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
        COUNT, MODEL, FIRST = int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]) if sys.argv[5:] else 1
        compare_networks()
    finish()
