"""Builds TFLite files of quantised networks for tests (88-quantised-networks section 1)."""
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "loadable"))
from builder import Container  # noqa: E402

FLOAT, INT32, UINT8, INT64, INT8 = 0, 2, 3, 4, 9
SAME, VALID = 0, 1
CODES = {"ADD": 0, "AVERAGE_POOL_2D": 1, "CONCATENATION": 2, "CONV_2D": 3, "DEPTHWISE_CONV_2D": 4, "DEQUANTIZE": 6, "FULLY_CONNECTED": 9,
         "LOGISTIC": 14, "MAX_POOL_2D": 17, "RELU": 19, "RELU_N1_TO_1": 20, "RELU6": 21, "RESHAPE": 22, "SOFTMAX": 25, "TANH": 28, "PAD": 34,
         "TRANSPOSE": 39, "MEAN": 40, "LOG_SOFTMAX": 50, "ARG_MAX": 56, "QUANTIZE": 114}
FORMS = {INT8: "b", INT32: "i", INT64: "q", FLOAT: "f"}


class Network:
    """Tensors and nodes; bytes() writes them."""

    def __init__(self):
        self.tensors, self.nodes, self.buffers, self.inputs, self.outputs = [], [], [b""], [], []
        self.versions, self.custom = {}, None

    def tensor(self, shape, scale=1.0, zero=0, data=None, kind=INT8, dimension=0):
        """scale: a number, or one for each slice of a dimension. Returns its index."""
        buffer = 0
        if data is not None:
            self.buffers.append(struct.pack(f"<{len(data)}{FORMS[kind]}", *data))
            buffer = len(self.buffers) - 1
        scales = scale if isinstance(scale, list) else [scale]
        self.tensors.append((tuple(shape), kind, buffer, scales, zero, dimension))
        return len(self.tensors) - 1

    def node(self, name, inputs, output, options=None):
        """options: {number: (form, value)}. Returns the output."""
        self.nodes.append((name, inputs, output, options or {}))
        return output

    def shape(self, tensor):
        return self.tensors[tensor][0]

    def bytes(self):
        c = Container()
        c.bytes = bytearray(8)

        def table(fields):
            return lambda: c.table(fields)

        names = sorted({node[0] for node in self.nodes})
        codes = [table({0: ("b", min(CODES[n], 127)), 2: ("i", self.versions.get(n, 1)), 3: ("i", CODES[n]),
                        **({1: c.string(self.custom)} if n == "CUSTOM" else {})}) for n in names]
        tensors = [table({0: c.numbers("i", shape), 1: ("b", kind), 2: ("I", buffer), 3: c.string(f"t{i}"),
                          4: table({2: c.numbers("f", scales), 3: c.numbers("q", [zero] * len(scales)), 6: ("i", dimension)})})
                   for i, (shape, kind, buffer, scales, zero, dimension) in enumerate(self.tensors)]
        nodes = [table({0: ("I", names.index(name)), 1: c.numbers("i", inputs), 2: c.numbers("i", [output]),
                        **({4: table(options)} if options else {})}) for name, inputs, output, options in self.nodes]
        subgraph = table({0: c.tables(tensors), 1: c.numbers("i", self.inputs), 2: c.numbers("i", self.outputs), 3: c.tables(nodes)})
        buffers = [table({0: c.blob(data)} if data else {}) for data in self.buffers]
        root = c.table({0: ("I", 3), 1: c.tables(codes), 2: c.tables([subgraph]), 4: c.tables(buffers)})
        c.place(0, root, "I")
        c.bytes[4:8] = b"TFL3"
        return bytes(c.bytes)


def windows(padding, stride, activation, pool=None, dilation=(1, 1), depthwise=False):
    """Options of a convolution, or of pooling with a window (width, height)."""
    fields = {0: ("b", padding), 1: ("i", stride[0]), 2: ("i", stride[1])}
    if pool:
        return {**fields, 3: ("i", pool[0]), 4: ("i", pool[1]), 5: ("b", activation)}
    if depthwise:
        return {**fields, 3: ("i", 1), 4: ("b", activation), 5: ("i", dilation[0]), 6: ("i", dilation[1])}
    return {**fields, 3: ("b", activation), 4: ("i", dilation[0]), 5: ("i", dilation[1])}


def result(n, size, stride, dilation, padding):
    return -(-n // stride) if padding == SAME else (n - (size - 1) * dilation - 1) // stride + 1
