"""Builds loadables for tests: the container, and the driver's structures in both layouts (87-loadables sections 2, 4 and 8)."""
import struct

BDMA, CONV, SDP, PDP, CDP, RUBIK = range(6)
DONE, PROGRAMMED, ARMED, WEIGHTS_FETCHED, DATA_FETCHED = range(1, 6)
ALLOCATE, CONTENT, INPUT, OUTPUT = 1, 2, 4, 8


class Container:
    """A FlatBuffer, written from the root on: a table first, what it refers to behind it."""

    def __init__(self):
        self.bytes = bytearray(4)

    def place(self, at, value, form):
        struct.pack_into("<" + form, self.bytes, at, value)

    def align(self, n):
        self.bytes.extend(bytes(-len(self.bytes) % n))

    def table(self, fields):
        """fields: {number: ("B", 5)} scalars by struct letter, or a function that appends a thing and returns its offset."""
        self.align(8)
        sizes = {k: struct.calcsize(v[0]) if isinstance(v, tuple) else 4 for k, v in fields.items()}
        count = max(fields) + 1 if fields else 0
        vtable = len(self.bytes)
        self.bytes.extend(bytes(4 + 2 * count))
        self.align(8)
        at = len(self.bytes)
        offset, places = 4, {}
        for k in sorted(fields, key=lambda key: -sizes[key]):
            offset += -(at + offset) % min(sizes[k], 8) if sizes[k] in (2, 4, 8) else 0
            places[k] = offset
            offset += sizes[k]
        self.bytes.extend(bytes(offset))
        self.place(at, at - vtable, "i")
        self.place(vtable, 4 + 2 * count, "H")
        self.place(vtable + 2, offset, "H")
        for k, v in fields.items():
            self.place(vtable + 4 + 2 * k, places[k], "H")
            if isinstance(v, tuple):
                self.place(at + places[k], *reversed(v)) if len(v) == 2 else struct.pack_into("<" + v[0], self.bytes, at + places[k], *v[1:])
        for k, v in fields.items():
            if not isinstance(v, tuple):
                self.place(at + places[k], v() - at - places[k], "I")
        return at

    def raw(self, data, count, alignment=4):
        self.align(alignment)
        if alignment == 8:
            self.bytes.extend(bytes(4))
        at = len(self.bytes)
        self.bytes.extend(struct.pack("<I", count) + data)
        return at

    def string(self, text):
        return lambda: self.raw(text.encode() + b"\0", len(text))

    def numbers(self, form, values):
        return lambda: self.raw(struct.pack(f"<{len(values)}{form}", *values), len(values), 8 if form == "Q" else 4)

    def blob(self, data):
        return lambda: self.raw(data, len(data))

    def tables(self, things):
        def write():
            at = self.raw(bytes(4 * len(things)), len(things)) + 4
            for i, thing in enumerate(things):
                self.place(at + 4 * i, thing() - at - 4 * i, "I")
            return at - 4
        return write

    def strings(self, texts):
        return self.tables([self.string(text) for text in texts])


class Loadable:
    def __init__(self):
        self.memories, self.addresses, self.blobs, self.tensors, self.tasks = [], [], [], [], []

    def memory(self, size=None, content=None, flags=ALLOCATE, domain=0, tensor=0, bind=0, version=(0, 12, 5)):
        """Returns the id of an address of its first byte."""
        contents = []
        if content is not None:
            name = f"blob-{len(self.blobs)}"
            self.blobs.append((name, content, version))
            flags |= CONTENT
            contents = [name]
            size = size or len(content)
        self.memories.append((size, flags, domain, tensor, bind, contents))
        return self.address(len(self.memories) - 1)

    def address(self, memory, offset=0):
        self.addresses.append((memory, offset))
        return len(self.addresses) - 1

    def tensor(self, name, memory, size, nchw, strides, data_type=4, pixel_format=37):
        self.tensors.append((name, memory, size, nchw, strides, data_type, pixel_format))
        return len(self.tensors) - 1

    def task(self, interface, addresses):
        self.tasks.append((interface, addresses))

    def cpu(self, operations, buffers, addresses, old=False):
        """operations: packed; buffers: (position, offset, format, w, h, c, line, surface) with positions 2 ... of `addresses`."""
        packed = b"".join(operations)
        cubes = b"".join((struct.pack("<hIHHHHII", p, 0, f, w, h, c, line, surface) if old else
                          struct.pack("<hIIHHHHII", p, offset, 0, f, w, h, c, line, surface)).ljust(256, b"\0")
                         for p, offset, f, w, h, c, line, surface in buffers)
        lists = [self.memory(content=packed, version=(0, 0, 1)), self.memory(content=cubes, version=(0, 0, 1))]
        head = self.memory(content=struct.pack("<hhH", 1, 2, len(operations)).ljust(256, b"\0"), version=(0, 0, 1))
        self.task(2, [head] + lists + addresses)

    def dla(self, layers, addresses, tables=(), heads=None, old=False, counters=None):
        """layers: dictionaries type, op, surface, consumers {type: (layer, event)}, parent (layer, event). Positions of `addresses` begin
        at 5 in the surfaces."""
        count = len(layers)
        edges = [0] * count
        for layer in layers:
            for edge in list(layer.get("consumers", {}).values()) + [layer.get("parent", (-1, 0))]:
                if edge[0] >= 0:
                    edges[edge[0]] += 1
        dependencies = b""
        for i, layer in enumerate(layers):
            dependencies += struct.pack("<hbBB3x", i, 0, layer["type"], (counters or edges)[i])
            for kind in range(6):
                dependencies += struct.pack("<hBx", *layer.get("consumers", {}).get(kind, (-1, 0)))
            dependencies += struct.pack("<hBx", *layer.get("parent", (-1, 0)))
        if heads is None:
            heads = [next((i for i, layer in enumerate(layers) if layer["type"] == kind), -1) for kind in range(6)]
        version = (0, 10, 0) if old else (0, 12, 5)
        lists = [self.memory(content=data, version=version) for data in (
            b"".join(layer.get("op", b"").ljust(116, b"\0") for layer in layers),
            b"".join(layer["surface"].ljust(644, b"\0") for layer in layers), dependencies, b"".join(tables) or bytes(700))]
        head = struct.pack("<7hxx6h4HhBx", 1, 2, 3, 4, -1, -1, -1, *heads, 1, count, len(tables), 5 + len(addresses), 0, 0)
        self.task(1, [self.memory(content=head, version=version)] + lists + addresses)

    def bytes(self):
        c = Container()

        def table(fields):
            return lambda: c.table(fields)
        memories = [table({0: ("H", i), 1: ("B", domain), 2: ("H", flags), 3: ("Q", size), 4: ("I", 4096), 5: c.strings(contents),
                           6: c.numbers("Q", [0] * len(contents)), 7: ("H", bind), 8: ("H", tensor)})
                    for i, (size, flags, domain, tensor, bind, contents) in enumerate(self.memories)]
        addresses = [table({0: ("H", i), 1: ("H", memory), 2: ("Q", offset), 3: ("Q", 0)})
                     for i, (memory, offset) in enumerate(self.addresses)]
        blobs = [table({0: c.string(name), 1: ("Q", len(data)), 2: ("I", 0), 3: ("I", 0), 4: ("BBB", *version), 5: c.blob(data)})
                 for name, data, version in self.blobs]
        tensors = [table({0: c.string(name), 1: ("H", i), 2: ("H", memory), 3: ("Q", size), 4: ("Q", 0), 5: ("B", 3), 6: ("B", data_type),
                          7: ("B", 2), 8: ("B", pixel_format), 9: ("B", 0), **{10 + k: ("i", v) for k, v in enumerate(nchw)},
                          **{14 + k: ("I", v) for k, v in enumerate(strides)}})
                   for i, (name, memory, size, nchw, strides, data_type, pixel_format) in enumerate(self.tensors)]
        tasks = [table({0: ("H", i), 1: ("I", interface), 2: ("h", -1), 3: c.numbers("H", addresses)})
                 for i, (interface, addresses) in enumerate(self.tasks)]
        submits = [table({0: ("H", i), 1: c.numbers("H", [i])}) for i in range(len(self.tasks))]
        root = c.table({0: ("BBB", 0, 7, 0), 1: c.tables(tasks), 2: c.tables(memories), 3: c.tables(addresses), 4: c.tables([]),
                        5: c.tables(blobs), 6: c.tables(tensors), 7: c.tables([]), 8: c.tables(submits)})
        c.place(0, root, "I")
        return bytes(c.bytes)


def cube(kind, position, width, height, channels, line=0, surface=0, offset=0, size=0, plane=0, old=False):
    middle = b"" if old else struct.pack("<I", offset)
    return struct.pack("<Hh", kind, position) + middle + struct.pack("<IHHHHIII", size, width, height, channels, 0, line, surface, plane)


def packed(position, width, height, channels, atom=8, element=1, offset=0, old=False, kind=0):
    """A feature cube with nothing between its atoms."""
    line = width * atom
    return cube(kind, position, width, height, channels, line, line * height, offset,
                line * height * -(-channels * element // atom), old=old)


def flying(width, height, channels, old=False):
    return cube(2, -1, width, height, channels, old=old)


def nothing(old=False):
    return cube(0, -1, 0, 0, 0, old=old)


def cvt(scale=1, truncate=0, enable=0, offset=0):
    return struct.pack("<hBBi", scale, truncate, enable, offset)


def unit(enable=0, alu=2, kind=0, mode=0, act=0, shift=0, truncate=0, precision=0, alu_operand=0, mul_operand=0, alu_cvt=cvt(),
         mul_cvt=cvt()):
    return struct.pack("<8Bii", enable, alu, kind, mode, act, shift, truncate, precision, alu_operand, mul_operand) + alu_cvt + mul_cvt


def sdp(source=0, destination=0, lut=-1, out=cvt(), x1=unit(), x2=unit(), y=unit(), batch=1, batch_stride=0):
    return struct.pack("<BBh", source, destination, lut) + out + struct.pack("<BBHI", 0, batch, 0, batch_stride) + x1 + x2 + y


def conv(width, height, channels, kernel, kernels, out_width, out_height, data_bank, weight_bank, pad=0, atom=8, precision=0, element=1,
         truncate=0, entries=None, stride=1, dilation=1, batch=1, batch_stride=0, compressed=False, pixels=None):
    """Direct. pixels: None for features, else a dictionary of format, sign, in_precision, mean (four numbers), offset, scale, shift of the
    convertor; `kernel` columns of pixels are then in one."""
    entries = entries or -(-width * channels * element // atom)
    op = bytearray(92)
    columns, depth = (kernel, channels) if pixels is None else (1, kernel * channels)
    struct.pack_into("<HBBH", op, 6, entries, 36 if pixels is None else pixels["format"], 0, 1)
    struct.pack_into("<BBBBI", op, 20, batch, compressed, data_bank, weight_bank, batch_stride)
    struct.pack_into("<BH", op, 29, 0 if pixels is None else pixels.get("sign", 0), height)
    struct.pack_into("<8HI", op, 32, width, height, channels, columns, kernel, depth, out_width, out_height,
                     kernel * kernel * channels * element)
    struct.pack_into("<8B", op, 61, stride, stride, pad, pad, pad, pad, dilation, dilation)
    struct.pack_into("<BB", op, 72, precision if pixels is None else pixels.get("in_precision", precision), precision)
    op[76:84] = cvt()
    if pixels is not None:
        struct.pack_into("<4hB", op, 52, *pixels.get("mean", (0, 0, 0, 0)), "mean" in pixels)
        op[76:84] = cvt(pixels.get("scale", 1), pixels.get("shift", 0), "scale" in pixels, pixels.get("offset", 0))
    op[84:92] = cvt(1, truncate)
    return bytes(op)


def pdp(mode, size, stride=1, pad=0, precision=0, split=1, parts=(0, 0, 0, 0, 0, 0), values=(0,) * 7):
    """parts: widths of the first, the middle and the last piece, in and out."""
    return struct.pack("<6H11B1x7i", *parts, split, mode, size - 1, size - 1, stride, stride, pad, pad, pad, pad, precision, *values)
