"""Writes a loadable (docs/nvdla/87-loadables.md): the FlatBuffers container of section 2, and in it a network for `small` as tasks for the
accelerator and the processor, with the structures of sections 4 and 8. Imported by train.py.
"""
import struct

ATOM = 8  # channels of an atom, bytes of an atom, kernels of a group in INT8
BANK = 4096  # bytes of a CBUF bank
COMPLETED, PROGRAMMED, ARMED = 1, 2, 3  # events
CONV, SDP, PDP = 1, 2, 3  # types of operations
WEIGHTS, CUBES, INPUT, OUTPUT = 1, 2, 3, 4  # list positions of the memories, which are those of the task's address list
PAGE = 4096


# ---- container -------------------------------------------------------------------------------------------------------------------

class Flat:
    """A FlatBuffers file, written front to back: tables first, what they refer to behind them."""

    def __init__(self):
        self.bytes = bytearray(8)

    def refer(self, place, target):
        struct.pack_into("<I", self.bytes, place, target - place)

    def table(self, fields):
        """fields: (kind, value) each; kind: a struct format, "bytes" (inline), or "text", "vector FORMAT", "texts", "tables"."""
        size, places = 4, []
        for kind, value in fields:
            n = len(value) if kind == "bytes" else struct.calcsize("<" + kind) if len(kind) == 1 else 4
            size += -size % (n if n in (1, 2, 4, 8) else 1)
            places.append(size)
            size += n
        vtable = struct.pack(f"<HH{len(places)}H", 4 + 2 * len(places), size, *places)
        # The table begins at a multiple of 8, its vtable right before it.
        self.bytes += bytes(-(len(self.bytes) + len(vtable)) % 8) + vtable
        start = len(self.bytes)
        self.bytes += struct.pack("<i", len(vtable)) + bytes(size - 4)
        for (kind, value), place in zip(fields, places):
            if kind == "bytes":
                self.bytes[start + place:start + place + len(value)] = value
            elif len(kind) == 1:
                struct.pack_into("<" + kind, self.bytes, start + place, value)
            else:
                self.refer(start + place, self.target(kind, value))
        return start

    def target(self, kind, value):
        """Appends what a field refers to: its length, and what is in it."""
        form = {"text": "s", "texts": "I", "tables": "I"}.get(kind, kind[-1])
        self.bytes += bytes(-(len(self.bytes) + 4) % max(struct.calcsize(form), 4))
        start = len(self.bytes)
        self.bytes += struct.pack("<I", len(value))
        if kind == "text":
            self.bytes += value.encode() + b"\0"
        elif kind in ("texts", "tables"):
            self.bytes += bytes(4 * len(value))
            for i, item in enumerate(value):
                self.refer(start + 4 + 4 * i, self.target("text", item) if kind == "texts" else self.table(item))
        else:
            self.bytes += struct.pack(f"<{len(value)}{form}", *value)
        return start

    def finish(self, root):
        struct.pack_into("<I4s", self.bytes, 0, self.table(root), b"NVDA")
        return bytes(self.bytes)


# ---- structures ------------------------------------------------------------------------------------------------------------------

def surface(kind=0, position=0, offset=0, size=0, width=0, height=0, channels=0, line=0, plane=0):
    """A cube as an operation has it; position: of its memory. Without arguments: none."""
    return struct.pack("<HhIIHHHHIII", kind, position, offset, size, width, height, channels, 0, line, plane, 0)


class Cube:
    """A feature cube of INT8: width, height, channels, its place (memory's list position and offset, or None: on the fly)."""

    def __init__(self, width, height, channels, memory=None, offset=0):
        self.width, self.height, self.channels, self.memory, self.offset = width, height, channels, memory, offset
        self.atoms = -(-channels // ATOM)
        self.line, self.plane = width * ATOM, width * height * ATOM
        self.size = self.atoms * self.plane

    def packed(self):
        kind, position = (2, -1) if self.memory is None else (0, self.memory)
        return surface(kind, position, self.offset, self.size, self.width, self.height, self.channels, self.line, self.plane)


def convertor(scale=1, truncate=0, enable=1, offset=0):
    return struct.pack("<hBBi", scale, truncate, enable, offset)


class Task:
    """The lists of a task for the accelerator: operations, their surfaces, who waits for whom."""

    def __init__(self):
        self.operations, self.surfaces, self.edges, self.types = [], [], [], []
        self.weights = bytearray()

    def put(self, data):
        """Places data in the memory of weights. Returns its offset."""
        self.weights += bytes(-len(self.weights) % 256)
        self.weights += data
        return len(self.weights) - len(data)

    def add(self, kind, operation, surfaces):
        number = len(self.types)
        earlier = [i for i, other in enumerate(self.types) if other == kind]
        if earlier:
            self.edges.append((earlier[-1], kind, number, PROGRAMMED))
        self.types.append(kind)
        self.operations.append(operation.ljust(116, b"\0"))
        self.surfaces.append(surfaces.ljust(644, b"\0"))
        return number

    def after(self, first, number):
        self.edges.append((first, self.types[number], number, COMPLETED))

    def convolution(self, source, weights, bias, bias_shift, relu, scale, shift, offset):
        """A convolution and the SDP layer behind it: bias by kernel (INT16, shifted left), ReLU, convertor to INT8. weights int8[k][c][r][s];
        the result lies in CUBES at offset. Returns it."""
        kernels, channels, rows, columns = weights.shape
        assert channels == source.channels
        target = Cube(source.width - columns + 1, source.height - rows + 1, kernels, CUBES, offset)
        stream = b"".join(weights[group:group + ATOM, block:block + ATOM].transpose(2, 3, 0, 1).astype("int8").tobytes()
                          for group in range(0, kernels, ATOM) for block in range(0, channels, ATOM))
        stream += bytes(-len(stream) % 8)
        place, bias_place = self.put(stream), self.put(bias.astype("<i2").tobytes())
        between = Cube(target.width, target.height, kernels).packed()  # on the fly
        conv = self.add(CONV, self.conv_operation(source, target, weights, len(stream)),
                        surface(0, WEIGHTS, place, len(stream), columns, rows, channels) + surface() * 2 + source.packed() + between)
        unit = struct.pack("<8Bii", 1, 2, 2, 1, 1 if relu else 0, bias_shift, 0, 1, 0, 1) + bytes(16)
        operation = struct.pack("<BBh", 0, 0, -1) + convertor(scale, shift) + struct.pack("<BBHI", 0, 1, 0, 0) + unit + bytes(64)
        bias_cube = surface(0, WEIGHTS, bias_place, 2 * kernels, 1, 1, kernels, 2 * ATOM, 2 * ATOM)
        sdp = self.add(SDP, operation, between + bias_cube + surface() * 2 + target.packed())
        self.edges += [(conv, SDP, sdp, PROGRAMMED), (sdp, None, conv, ARMED)]
        return target

    @staticmethod
    def conv_operation(source, target, weights, size):
        _, channels, rows, columns = weights.shape
        entries = source.width * source.atoms  # of CBUF, for a line
        banks = -(-entries * source.height * ATOM // BANK)
        weight_banks = min(-(-size // BANK), 32 - banks)
        return b"".join([
            bytes(6), struct.pack("<H", entries),
            struct.pack("<BBH", 36, 0, 1), bytes(8),  # feature data, grain 1
            struct.pack("<BBBBI", 1, 0, banks, weight_banks, 0),  # one batch, plain weights
            struct.pack("<BBH", 0, 0, source.height),  # release
            struct.pack("<6H", source.width, source.height, channels, columns, rows, channels),
            struct.pack("<HHI", target.width, target.height, rows * columns * channels),
            bytes(9), struct.pack("<BB", 1, 1), bytes(4), struct.pack("<BB", 1, 1),  # no mean; stride 1, no padding, dilation 1
            bytes(2), struct.pack("<BBBh", 0, 0, 0, 0), convertor(enable=0), convertor(enable=1),
        ])

    def pool(self, source, offset):
        """Greatest of 2 x 2. The result lies in CUBES at offset. Returns it."""
        target = Cube(source.width // 2, source.height // 2, source.channels, CUBES, offset)
        self.add(PDP, bytes(12) + struct.pack("<11B", 1, 1, 1, 1, 2, 2, 0, 0, 0, 0, 0), source.packed() + target.packed())
        return target

    def dependencies(self):
        entries = []
        for number, kind in enumerate(self.types):
            counter = sum(second == number for _, _, second, _ in self.edges)
            slots = {slot: (second, event) for first, slot, second, event in self.edges if first == number}  # None: its parent
            entries.append(struct.pack("<hbBB3x", number, 0, kind, counter) +
                           b"".join(struct.pack("<hBB", *slots.get(slot, (-1, COMPLETED)), 0) for slot in [*range(6), None]))
        return b"".join(entries)

    def descriptor(self, positions):
        """positions: of the lists of operations, surfaces, dependencies."""
        heads = [self.types.index(kind) if kind in self.types else -1 for kind in range(6)]
        return struct.pack("<8h6hHHHHhBB", positions[0], positions[1], positions[2], -1, -1, -1, -1, 0, *heads, 1, len(self.types), 0, 9, 0, 0, 0)


def write(task, cubes_size, picture, result, names, scale_in, scale_out):
    """The file: `task`, then one for the processor, a softmax over the channels of `result` into an output of the same size. picture: the
    input's cube."""
    output = Cube(1, 1, result.channels, OUTPUT)
    buffers = b"".join(struct.pack("<hIIHHHHII", cube.memory, cube.offset, cube.size, 1, cube.width, cube.height, cube.channels, cube.line,
                                   cube.plane).ljust(256, b"\0") for cube in (result, output))
    lists = [("task-0-addr0", 1, 1, task.descriptor((6, 7, 8))), ("task-0-op_list", 1, 3, b"".join(task.operations)),
             ("task-0-surf_list", 1, 4, b"".join(task.surfaces)), ("task-0-dep_graph", 1, 2, task.dependencies()),
             ("task-1-addr0", 2, 1, struct.pack("<hhH", 6, 7, 1).ljust(256, b"\0")),
             ("task-1-op_list", 2, 3, struct.pack("<B3xffB11x", 1, scale_in, scale_out, 1)), ("task-1-op_buf_list", 2, 4, buffers)]

    def memory(number, flags, size, content=None, tensor=0):
        return [("H", number), ("B", 0), ("H", flags), ("Q", size), ("I", PAGE), ("texts", [content] if content else []),
                ("vector Q", [0] if content else []), ("H", 0), ("H", tensor)]

    # Memory 0 is a page that is not used; 1 to 4; then one for each list: 5 to 8 of task 0, 9 to 11 of task 1. Address number = memory number.
    sizes = [PAGE, len(task.weights), cubes_size, picture.size, output.size] + [len(data) for _, _, _, data in lists]
    memories = [memory(0, 1, sizes[0]), memory(WEIGHTS, 3, sizes[1], "weights"), memory(CUBES, 1, sizes[2]), memory(INPUT, 5, sizes[3], tensor=0),
                memory(OUTPUT, 9, sizes[4], tensor=1)]
    memories += [memory(5 + i, 3, len(data), name) for i, (name, _, _, data) in enumerate(lists)]
    addresses = [[("H", i), ("H", i), ("Q", 0), ("Q", size)] for i, size in enumerate(sizes)]

    def tensor(number, name, cube):
        strides = [("I", s) for s in (1, cube.line, cube.plane, 0, 0, 0, 0, 0)]
        return [("text", name), ("H", number), ("H", cube.memory), ("Q", cube.size), ("Q", 0), ("B", 3), ("B", 4), ("B", 2), ("B", 37), ("B", 0),
                ("i", 1), ("i", cube.channels), ("i", cube.height), ("i", cube.width)] + strides

    def blob(name, interface, kind, data):
        version = bytes((0, 12, 5)) if interface == 1 else bytes((0, 0, 1)) if interface == 2 else bytes(3)
        return [("text", name), ("Q", len(data)), ("I", interface), ("I", kind), ("bytes", version), ("vector B", data)]

    def event(number, value, operation):
        return [("H", number), ("B", 0), ("H", 0), ("I", value), ("B", operation)]

    # The order of positions 5 to 8: descriptor at 0, then operations 6, surfaces 7, dependencies 8.
    tasks = [
        [("H", 0), ("I", 1), ("h", -1), ("vector H", [5, 1, 2, 3, 4, 5, 6, 7, 8]), ("vector H", []), ("vector H", [0])],
        [("H", 1), ("I", 2), ("h", -1), ("vector H", [9, 1, 2, 3, 4, 9, 10, 11]), ("vector H", [1]), ("vector H", [2])],
    ]
    events = [event(0, 1, 1), event(1, 1, 0), event(2, 2, 1)]
    blobs = [blob(*b) for b in [("weights", 0, 0, bytes(task.weights)), *lists]]
    tensors = [tensor(0, names[0], picture), tensor(1, names[1], output)]
    last = [[("H", 0), ("vector H", [0])], [("H", 1), ("vector H", [1])]]
    parts = [tasks, memories, addresses, events, blobs, tensors, [], last]
    return Flat().finish([("bytes", bytes((0, 7, 0))), *(("tables", part) for part in parts)])
