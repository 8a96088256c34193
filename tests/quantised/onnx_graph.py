"""ONNX graphs that compute themselves: each operator is written into the file and computed in real numbers, as ONNX describes it. Nothing
here is the compiler's.
"""
import itertools
import math
import struct

from onnx_form import attribute, block, external_tensor, number, tensor

FLOAT, UINT8, INT8, INT32, INT64 = 1, 2, 3, 6, 7
FORMS = {FLOAT: "f", UINT8: "B", INT8: "b", INT32: "i", INT64: "q"}
RANGES = {UINT8: (0, 255), INT8: (-128, 127), INT32: (-2**31, 2**31 - 1)}


def single(value):
    """The nearest number of float32."""
    return struct.unpack("f", struct.pack("f", value))[0]


def places(shape):
    return itertools.product(*map(range, shape))


class Array:
    """Elements in the order of the last dimension first."""

    def __init__(self, shape, data, kind=FLOAT):
        self.shape, self.data, self.kind = tuple(shape), data, kind
        self.strides = [math.prod(self.shape[i + 1:]) for i in range(len(self.shape))]

    def at(self, *index):
        return self.data[sum(i * s for i, s in zip(index, self.strides))]


class Graph:
    """values: by name, what each stands for, on the input that was given."""

    def __init__(self, opset, file=None):
        self.used = set()  # operators
        self.opset, self.nodes, self.constants, self.values, self.ends = opset, [], [], {}, {11: b"", 12: b""}
        self.external, self.file = b"", file

    def name(self):
        return f"v{len(self.values)}"

    def end(self, field, name):
        value = self.values[name]
        dims = b"".join(block(1, number(1, side)) for side in value.shape)
        self.ends[field] += block(field, block(1, name) + block(2, block(1, number(1, value.kind) + block(2, dims))))

    def input(self, shape, data):
        self.values["input"] = Array(shape, data)
        self.end(11, "input")
        return "input"

    def constant(self, shape, data, kind=FLOAT):
        name, data = self.name(), [single(v) for v in data] if kind == FLOAT else list(data)
        self.values[name] = Array(shape, data, kind)
        raw = struct.pack(f"<{len(data)}{FORMS[kind]}", *data)
        if self.file is None or len(data) < 8:
            self.constants.append(tensor(name, kind, shape, raw))
        else:
            self.constants.append(external_tensor(name, kind, shape, raw, self.file, len(self.external)))
            self.external += raw
        return name

    def add(self, kind, inputs, **attributes):
        """An operator; returns the name of its output."""
        name = self.name()
        self.used.add(kind)
        domain = block(7, "com.microsoft") if self.opset < 10 and kind in ("QuantizeLinear", "DequantizeLinear") else b""
        self.nodes.append(b"".join(block(1, i) for i in inputs) + block(2, name) + block(4, kind) + domain +
                          b"".join(block(5, attribute(n, v)) for n, v in attributes.items()))
        self.values[name] = getattr(self, "of_" + kind)(*[self.values[i] if i else None for i in inputs], **attributes)
        return name

    def bytes(self, output):
        self.end(12, output)
        graph = b"".join(block(1, node) for node in self.nodes) + block(2, "network") + b"".join(block(5, c) for c in self.constants)
        return number(1, 8) + block(7, graph + self.ends[11] + self.ends[12]) + block(8, block(1, "") + number(2, self.opset)) + (
            block(8, block(1, "com.microsoft") + number(2, 1)))

    # ---- operators ----

    @staticmethod
    def along(array, scales, axis):
        """For each element, which scale is its."""
        if len(scales.data) == 1:
            return [0] * len(array.data)
        return [i // array.strides[axis] % array.shape[axis] for i in range(len(array.data))]

    def of_QuantizeLinear(self, x, scale, zero, axis=1):
        low, high = RANGES[zero.kind]
        which = self.along(x, scale, axis % max(len(x.shape), 1))
        return Array(x.shape, [min(max(round(single(v / scale.data[k])) + zero.data[k], low), high) for v, k in zip(x.data, which)], zero.kind)

    def of_DequantizeLinear(self, x, scale, zero=None, axis=1):
        which = self.along(x, scale, axis % max(len(x.shape), 1))
        return Array(x.shape, [(v - (zero.data[k] if zero else 0)) * scale.data[k] for v, k in zip(x.data, which)])

    def of_Clip(self, x, low=None, high=None, min=-math.inf, max=math.inf):  # noqa: A002
        low, high = low.data[0] if low else min, high.data[0] if high else max
        return Array(x.shape, [low if v < low else high if v > high else v for v in x.data], x.kind)

    def of_Relu(self, x):
        return self.of_Clip(x, min=0)

    def of_Identity(self, x):
        return x

    def of_Constant(self, value_ints=None, value_float=None):
        return Array([len(value_ints)], value_ints, INT64) if value_ints else Array([], [value_float])

    def of_Dropout(self, x, *_, ratio=0.5):
        return x

    def of_Cast(self, x, to):
        return Array(x.shape, [float(v) if to == FLOAT else int(v) for v in x.data], to)

    def of_Transpose(self, x, perm):
        shape = [x.shape[p] for p in perm]
        back = [perm.index(i) for i in range(len(perm))]
        return Array(shape, [x.at(*[index[b] for b in back]) for index in places(shape)], x.kind)

    def of_Reshape(self, x, shape):
        known = [x.shape[i] if side == 0 else side for i, side in enumerate(shape.data)]
        return Array([len(x.data) // -math.prod(known) if side == -1 else side for side in known], x.data, x.kind)

    def of_Flatten(self, x, axis=1):
        return Array([math.prod(x.shape[:axis]), math.prod(x.shape[axis:])], x.data, x.kind)

    def of_Squeeze(self, x, listed=None, axes=()):
        gone = [a % len(x.shape) for a in (listed.data if listed else axes)]
        return Array([s for i, s in enumerate(x.shape) if i not in gone], x.data, x.kind)

    def of_Unsqueeze(self, x, listed=None, axes=()):
        shape = list(x.shape)
        for a in listed.data if listed else axes:
            shape.insert(a, 1)
        return Array(shape, x.data, x.kind)

    def of_Slice(self, x, starts, ends, axes):
        ranges = [range(s) for s in x.shape]
        for start, end, axis in zip(starts.data, ends.data, axes.data):
            ranges[axis] = range(x.shape[axis])[start:end]
        return Array([len(r) for r in ranges], [x.at(*i) for i in itertools.product(*ranges)], x.kind)

    def of_Concat(self, *parts, axis):
        shape = list(parts[0].shape)
        shape[axis] = sum(p.shape[axis] for p in parts)
        rows = [(p, i) for p in parts for i in range(p.shape[axis])]
        out = []
        for index in places(shape):
            part, i = rows[index[axis]]
            out.append(part.at(*index[:axis], i, *index[axis + 1:]))
        return Array(shape, out, parts[0].kind)

    def of_Pad(self, x, listed=None, value=None, axes=None, pads=()):
        pads, axes = listed.data if listed else pads, axes.data if axes else range(4)
        before, after = [0] * 4, [0] * 4
        for i, axis in enumerate(axes):
            before[axis], after[axis] = pads[i], pads[len(axes) + i]
        shape = [s + b + a for s, b, a in zip(x.shape, before, after)]
        out = []
        for index in places(shape):
            inside = [i - b for i, b in zip(index, before)]
            out.append(x.at(*inside) if all(0 <= i < s for i, s in zip(inside, x.shape)) else 0)
        return Array(shape, out)

    def of_Add(self, a, b):
        rank = max(len(a.shape), len(b.shape))
        a, b = (Array([1] * (rank - len(v.shape)) + list(v.shape), v.data) for v in (a, b))
        shape = [max(s, t) for s, t in zip(a.shape, b.shape)]

        def value(array, index):
            return array.at(*[0 if s == 1 else i for i, s in zip(index, array.shape)])
        return Array(shape, [value(a, index) + value(b, index) for index in places(shape)])

    def of_BatchNormalization(self, x, scale, bias, mean, variance, epsilon=1e-5, spatial=1):
        assert spatial == 1
        out = []
        for i, v in enumerate(x.data):
            k = i // x.strides[1] % x.shape[1]
            out.append((v - mean.data[k]) * scale.data[k] / math.sqrt(variance.data[k] + epsilon) + bias.data[k])
        return Array(x.shape, out)

    def windows(self, x, size, strides, pads):
        """For each output position: the positions of its window that are inside, with the tap."""
        sides = [(x.shape[2 + i] + pads[i] + pads[2 + i] - size[i]) // strides[i] + 1 for i in range(2)]
        lists = []
        for oy, ox in places(sides):
            top, left = oy * strides[0] - pads[0], ox * strides[1] - pads[1]
            lists.append([(r, s, top + r, left + s) for r, s in places(size)
                          if 0 <= top + r < x.shape[2] and 0 <= left + s < x.shape[3]])
        return sides, lists

    def of_Conv(self, x, w, bias=None, group=1, kernel_shape=None, strides=(1, 1), pads=(0, 0, 0, 0)):
        kernels, depth = w.shape[:2]
        sides, lists = self.windows(x, w.shape[2:], strides, pads)
        out = []
        for k in range(kernels):
            first = k // (kernels // group) * depth
            for taps in lists:
                out.append(sum(w.at(k, c, r, s) * x.at(0, first + c, y, v) for c in range(depth) for r, s, y, v in taps) +
                           (bias.data[k] if bias else 0))
        return Array([1, kernels, *sides], out)

    def of_MaxPool(self, x, kernel_shape, strides=(1, 1)):
        sides, lists = self.windows(x, kernel_shape, strides, (0, 0, 0, 0))
        return Array([1, x.shape[1], *sides], [max(x.at(0, c, y, v) for _, _, y, v in taps) for c in range(x.shape[1]) for taps in lists])

    def of_AveragePool(self, x, kernel_shape, strides=(1, 1), pads=(0, 0, 0, 0), count_include_pad=0):
        sides, lists = self.windows(x, kernel_shape, strides, pads)
        whole = math.prod(kernel_shape) if count_include_pad else 0
        return Array([1, x.shape[1], *sides], [sum(x.at(0, c, y, v) for _, _, y, v in taps) / (whole or len(taps))
                                               for c in range(x.shape[1]) for taps in lists])

    def of_GlobalAveragePool(self, x):
        n = x.shape[2] * x.shape[3]
        return Array([1, x.shape[1], 1, 1], [sum(x.data[c * n:c * n + n]) / n for c in range(x.shape[1])])

    def of_ReduceMean(self, x, listed=None, axes=(), keepdims=1):
        taken = [a % len(x.shape) for a in (listed.data if listed else axes)]
        sums = {}
        for index, v in zip(places(x.shape), x.data):
            sums.setdefault(tuple(i for d, i in enumerate(index) if d not in taken), []).append(v)
        shape = [1 if d in taken else s for d, s in enumerate(x.shape) if keepdims or d not in taken]
        return Array(shape, [sum(v) / len(v) for _, v in sorted(sums.items())])

    def of_MatMul(self, a, b):
        return Array([1, b.shape[1]], [sum(a.at(0, i) * b.at(i, k) for i in range(b.shape[0])) for k in range(b.shape[1])])

    def of_Gemm(self, a, b, bias=None, transB=0):
        done = self.of_MatMul(a, self.of_Transpose(b, [1, 0]) if transB else b)
        return self.of_Add(done, bias) if bias else done

    def groups(self, x, axis):
        """Lists of elements along an axis, by the rest of their place."""
        rows = {}
        for index, v in zip(places(x.shape), x.data):
            rows.setdefault(index[:axis] + index[axis + 1:], []).append(v)
        return rows

    def of_LogSoftmax(self, x, axis=None):
        axis = (axis if axis is not None else -1 if self.opset >= 13 else 1) % len(x.shape)
        if self.opset < 13:  # over all that follows
            assert math.prod(x.shape[:axis]) == 1
            return Array(x.shape, [v - max(x.data) - math.log(sum(math.exp(u - max(x.data)) for u in x.data)) for v in x.data])
        rest = {at: max(row) + math.log(sum(math.exp(v - max(row)) for v in row)) for at, row in self.groups(x, axis).items()}
        return Array(x.shape, [v - rest[index[:axis] + index[axis + 1:]] for index, v in zip(places(x.shape), x.data)])

    def of_Softmax(self, x, axis=None):
        return Array(x.shape, [math.exp(v) for v in self.of_LogSoftmax(x, axis).data])

    def of_ArgMax(self, x, axis=0, keepdims=1):
        axis %= len(x.shape)
        shape = [1 if d == axis else s for d, s in enumerate(x.shape) if keepdims or d != axis]
        return Array(shape, [row.index(max(row)) for _, row in sorted(self.groups(x, axis).items())], INT64)
