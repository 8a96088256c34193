"""Writes networks of tflite.py as ONNX files, in either form: QDQ and QOperator (docs/networks.md). The protocol buffer is put together by
hand: field numbers as in python/nvcosim/networks/onnx/wire.py.
"""
import struct

from tflite import FLOAT, INT8, INT32, SAME

ONNX_TYPES = {INT8: 3, INT32: 6, FLOAT: 1}


class NotInForm(Exception):
    """The operator has no such form."""


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def tensor(name, kind, dims, data):
    return b"".join(number(1, d) for d in dims) + number(2, kind) + block(8, name) + block(9, data)


def external_tensor(name, kind, dims, data, file, offset):
    """A tensor whose bytes are in another file."""
    where = {"location": file, "offset": str(offset), "length": str(len(data))}
    return (b"".join(number(1, d) for d in dims) + number(2, kind) + block(8, name) +
            b"".join(block(13, block(1, k) + block(2, v)) for k, v in where.items()) + number(14, 1))


def attribute(name, value):
    head = block(1, name)
    if isinstance(value, float):
        return head + varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    if isinstance(value, int):
        return head + number(3, value) + number(20, 2)
    if isinstance(value, str):
        return head + block(4, value) + number(20, 3)
    return head + b"".join(number(8, v) for v in value) + number(20, 7)


class Writer:
    """One form of a network. unsigned: activations and weights as uint8. file: of the constants, whose bytes are `external` then."""

    def __init__(self, net, integer, unsigned=False, file=None):
        self.file, self.external = file, b""
        self.net, self.integer, self.unsigned = net, integer, unsigned
        self.nodes, self.constants, self.made = [], [], set()
        self.kind = 2 if unsigned else 3
        self.real = {}  # by tensor: its name behind DequantizeLinear

    def add(self, kind, inputs, output, **attributes):
        self.nodes.append(b"".join(block(1, i) for i in inputs) + block(2, output) + block(4, kind) +
                          b"".join(block(5, attribute(n, v)) for n, v in attributes.items()))
        return output

    def constant(self, name, kind, dims, data):
        if name not in self.made:
            self.made.add(name)
            if self.file:
                self.constants.append(external_tensor(name, kind, dims, data, self.file, len(self.external)))
                self.external += data
            else:
                self.constants.append(tensor(name, kind, dims, data))
        return name

    def quantisation(self, t):
        """Names of scale and zero point of a tensor."""
        _, _, _, scales, zero, _ = self.net.tensors[t]
        point = bytes([zero + 128]) if self.unsigned else struct.pack("b", zero)
        return [self.constant(f"t{t}_scale", 1, [], struct.pack("<f", scales[0])), self.constant(f"t{t}_zero", self.kind, [], point)]

    def dequantised(self, t):
        if t not in self.real:
            self.real[t] = self.add("DequantizeLinear", [f"t{t}"] + self.quantisation(t), f"t{t}_real")
        return self.real[t]

    def quantise(self, name, t):
        return self.add("QuantizeLinear", [name] + self.quantisation(t), f"t{t}")

    def constant_input(self, t):
        """A constant of the network as an initializer, channels first."""
        shape, _, buffer, _, _, _ = self.net.tensors[t]
        if buffer:
            h, w, c = ((1, 1, 1) + tuple(shape))[-3:]
            shift = 128 if self.unsigned else 0
            data = self.net.buffers[buffer]
            order = [y * c + ch for ch in range(c) for y in range(h * w)]
            self.constant(f"t{t}", self.kind, [1, c, h, w], bytes((data[i] + shift) % 256 for i in order))

    # ---- operators ----

    def activate(self, name, kind):
        if kind == 1:
            return self.add("Relu", [name], name + "_relu")
        if kind == 3:
            limits = [self.constant("limit_0", 1, [], struct.pack("<f", 0)), self.constant("limit_6", 1, [], struct.pack("<f", 6))]
            return self.add("Clip", [name] + limits, name + "_clip")
        if kind:
            raise NotInForm
        return name

    def pads(self, options, sizes, window, stride, dilation):
        """Padding of SAME as numbers, height and width first."""
        before, after = [], []
        for n, size, step, apart in zip(sizes, window, stride, dilation):
            total = max((-(-n // step) - 1) * step + (size - 1) * apart + 1 - n, 0) if options[0][1] == SAME else 0
            before.append(total // 2)
            after.append(total - total // 2)
        return before + after

    def convolution(self, name, inputs, output, options):
        net = self.net
        x, w, b = (list(inputs) + [None])[:3]
        _, _, buffer, scales, _, dimension = net.tensors[w]
        shape, data = net.shape(w), net.buffers[buffer]
        whole, depthwise = name == "FULLY_CONNECTED", name == "DEPTHWISE_CONV_2D"
        source = f"t{x}"
        attributes = {}
        if whole:
            _, h, width, c = ((1, 1, 1) + net.shape(x)[1:])[-4:] if len(net.shape(x)) < 4 else net.shape(x)
            k, activation = shape[0], options[0][1]
            order = [(i * h * width + y) * c + ch for i in range(k) for ch in range(c) for y in range(h * width)]
            dims, attributes["transB"] = [k, h * width * c], 1
            if len(net.shape(x)) == 4:
                source = source + "_flat"
                self.add("Flatten", [f"t{x}"], source)
        else:
            _, h, width, c = net.shape(x)
            if depthwise and c == 1:
                raise NotInForm
            rows, columns, k = shape[1], shape[2], shape[3] if depthwise else shape[0]
            activation = options[4 if depthwise else 3][1]
            dims = [k, 1 if depthwise else c, rows, columns]
            taps = rows * columns
            order = [(y * k + i) if depthwise else (i * taps + y) * c + ch
                     for i in range(k) for ch in range(dims[1]) for y in range(taps)]
            apart = (options[6][1], options[5][1]) if depthwise else (options[5][1], options[4][1])
            stride = (options[2][1], options[1][1])
            attributes = {"kernel_shape": [rows, columns], "strides": list(stride), "dilations": list(apart), "group": c if depthwise else 1,
                          "pads": self.pads(options, (h, width), (rows, columns), stride, apart)}
        shift = 128 if self.unsigned else 0
        weights = self.constant(f"t{w}", self.kind, dims, bytes((data[i] + shift) % 256 for i in order))
        per_kernel = [len(scales)] if len(scales) > 1 else []
        scale = self.constant(f"t{w}_scale", 1, per_kernel, struct.pack(f"<{len(scales)}f", *scales))
        zero = self.constant(f"t{w}_zero", self.kind, per_kernel, bytes([shift] * len(scales)))
        bias = [self.constant(f"t{b}", 6, [k], net.buffers[net.tensors[b][2]])] if b is not None else []
        exact = activation == 0 or (activation == 1 and net.tensors[output][4] == -128)
        if self.integer and exact:
            head = [source] + self.quantisation(x) + [weights, scale, zero]
            tail = self.quantisation(output)
            if whole:
                return self.add("QGemm", head + (bias or [""]) + tail, f"t{output}", **attributes)
            return self.add("QLinearConv", head + tail + bias, f"t{output}", **attributes)
        if source != f"t{x}":
            real = self.add("DequantizeLinear", [source] + self.quantisation(x), source + "_real")
        else:
            real = self.dequantised(x)
        reals = [real, self.add("DequantizeLinear", [weights, scale, zero], f"t{w}_real", axis=0)]
        if bias:
            reals.append(self.add("DequantizeLinear", bias + [self.constant(f"t{b}_scale", 1, [], struct.pack("<f", 1))], f"t{b}_real"))
        done = self.activate(self.add("Gemm" if whole else "Conv", reals, f"t{output}_sum", **attributes), activation)
        return self.quantise(done, output)

    def pool(self, name, x, output, options):
        if options[5][1]:
            raise NotInForm
        window, stride = (options[4][1], options[3][1]), (options[2][1], options[1][1])
        attributes = {"kernel_shape": list(window), "strides": list(stride),
                      "pads": self.pads(options, self.net.shape(x)[1:3], window, stride, (1, 1))}
        kind = "AveragePool" if name == "AVERAGE_POOL_2D" else "MaxPool"
        if self.integer and kind == "MaxPool":
            return self.add(kind, [f"t{x}"], f"t{output}", **attributes)
        if self.integer:
            return self.add("QLinearAveragePool", [f"t{x}"] + self.quantisation(x) + self.quantisation(output), f"t{output}", **attributes)
        return self.quantise(self.add(kind, [self.dequantised(x)], f"t{output}_pool", **attributes), output)

    def simple(self, integer, real, inputs, output, activation=0, **attributes):
        """An operator whose integer form has scales behind each input, then those of the output."""
        if self.integer and integer and not activation:
            operands = [word for t in inputs for word in [f"t{t}"] + self.quantisation(t)]
            tail = self.quantisation(output)
            operands = tail + operands if integer == "QLinearConcat" else operands + tail
            return self.add(integer, operands, f"t{output}", **attributes)
        done = self.add(real, [self.dequantised(t) for t in inputs], f"t{output}_sum", **attributes)
        return self.quantise(self.activate(done, activation), output)

    def node(self, name, inputs, output, options):
        net, rank = self.net, len(self.net.shape(output))
        x = inputs[0]
        if name in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"):
            self.convolution(name, inputs, output, options)
        elif name in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
            self.pool(name, x, output, options)
        elif name == "MEAN" and rank == 4:
            self.simple("QLinearGlobalAveragePool", "GlobalAveragePool", [x], output)
        elif name == "MEAN":
            self.simple(None, "ReduceMean", [x], output, axes=[2, 3], keepdims=0)
        elif name == "ADD":
            for t in inputs:
                self.constant_input(t)
            self.simple("QLinearAdd", "Add", inputs, output, options[0][1])
        elif name == "CONCATENATION":
            axis = options[0][1] % 4
            self.simple("QLinearConcat", "Concat", inputs, output, axis={1: 2, 2: 3, 3: 1}[axis])
        elif name == "RESHAPE":
            _, h, w, c = net.shape(output)
            if c != net.shape(x)[-1]:
                raise NotInForm  # another order of elements
            self.add("Reshape", [f"t{x}", self.constant(f"shape{output}", 7, [4], struct.pack("<4q", 1, c, h, w))], f"t{output}")
        elif name == "PAD":
            p = struct.unpack("<8i", net.buffers[net.tensors[inputs[1]][2]])
            numbers = struct.pack("<8q", 0, p[6], p[2], p[4], 0, p[7], p[3], p[5])
            done = self.add("Pad", [self.dequantised(x), self.constant(f"pads{output}", 7, [8], numbers)], f"t{output}_pad")
            self.quantise(done, output)
        elif name in ("RELU", "RELU6"):
            self.quantise(self.activate(self.dequantised(x), 1 if name == "RELU" else 3), output)
        elif name == "QUANTIZE" and net.tensors[x][1] == INT8:
            self.quantise(self.dequantised(x), output)
        elif name == "DEQUANTIZE":
            self.add("DequantizeLinear", [f"t{x}"] + self.quantisation(x), f"t{output}")
        elif name == "LOGISTIC" or (name == "SOFTMAX" and options[0][1] == 1):
            real = "Softmax" if name == "SOFTMAX" else "Sigmoid"
            self.simple("QLinear" + real, real, [x], output, **({"axis": 1} if real == "Softmax" else {}))
        else:
            raise NotInForm

    def ends(self, field, tensors):
        out = b""
        for t in tensors:
            shape = self.net.shape(t)
            sides = [shape[0], shape[-1], *shape[1:-1]]
            dims = b"".join(block(1, number(1, side)) for side in sides)
            kind = 1 if self.net.tensors[t][1] == FLOAT else self.kind
            out += block(field, block(1, f"t{t}") + block(2, block(1, number(1, kind) + block(2, dims))))
        return out

    def bytes(self):
        for node in self.net.nodes:
            self.node(*node)
        graph = b"".join(block(1, node) for node in self.nodes) + block(2, "network") + b"".join(block(5, c) for c in self.constants)
        graph += self.ends(11, self.net.inputs) + self.ends(12, self.net.outputs)
        return number(1, 8) + block(7, graph) + block(8, block(1, "") + number(2, 13)) + block(8, block(1, "com.microsoft") + number(2, 1))
