"""A network for `small` as a loadable (docs/nvdla/87-loadables.md): tasks for the accelerator and the processor. Imported by train.py."""
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tests" / "loadable"))
from builder import (ALLOCATE, ARMED, CONV, DONE, INPUT, OUTPUT, PDP, PROGRAMMED, SDP, Loadable, conv, cube, cvt, nothing,  # noqa: E402
                     packed, pdp, sdp, unit)

ATOM = 8  # channels of an atom, bytes of an atom, kernels of a group in INT8
BANK = 4096  # bytes of a CBUF bank
WEIGHTS, CUBES, PICTURE = 5, 6, 7  # list positions of the memories


class Cube:
    """A feature cube of INT8: width, height, channels, its place (memory's list position and offset)."""

    def __init__(self, width, height, channels, memory, offset=0):
        self.width, self.height, self.channels = width, height, channels
        self.line, self.plane = width * ATOM, width * height * ATOM
        self.atoms = -(-channels // ATOM)
        self.size = self.atoms * self.plane
        self.packed = packed(memory, width, height, channels, offset=offset)
        self.offset = offset

    def tensor(self, net, name):
        strides = (1, self.line, self.plane, 0, 0, 0, 0, 0)
        return net.tensor(name, len(net.memories), self.size, (1, self.channels, self.height, self.width), strides)


class Task:
    """The layers of a task for the accelerator, one after the other, and their weights."""

    def __init__(self):
        self.layers, self.weights = [], bytearray()

    def put(self, data):
        """Places data in the memory of weights. Returns its offset."""
        self.weights += bytes(-len(self.weights) % 256)
        self.weights += data
        return len(self.weights) - len(data)

    def add(self, kind, op, surface, parent=None):
        number = len(self.layers)
        earlier = [i for i, layer in enumerate(self.layers) if layer["type"] == kind]
        if earlier:
            self.layers[earlier[-1]]["consumers"][kind] = (number, PROGRAMMED)
        if parent is None and number:  # begins when the layer before is done
            self.layers[-1]["consumers"][kind] = (number, DONE)
        self.layers.append({"type": kind, "op": op, "surface": surface, "consumers": {}})
        if parent is not None:
            self.layers[parent]["consumers"][kind] = (number, PROGRAMMED)
            self.layers[number]["parent"] = (parent, ARMED)
        return number

    def convolution(self, source, weights, bias, bias_shift, relu, scale, shift, offset):
        """A convolution and the SDP layer behind it: bias by kernel (INT16, shifted left), ReLU, convertor to INT8. weights int8[k][c][r][s];
        the result lies in CUBES at offset. Returns it."""
        kernels, channels, rows, columns = weights.shape
        assert channels == source.channels and rows == columns
        target = Cube(source.width - columns + 1, source.height - rows + 1, kernels, CUBES, offset)
        stream = b"".join(weights[group:group + ATOM, block:block + ATOM].transpose(2, 3, 0, 1).astype("int8").tobytes()
                          for group in range(0, kernels, ATOM) for block in range(0, channels, ATOM))
        stream += bytes(-len(stream) % 8)
        place, bias_place = self.put(stream), self.put(bias.astype("<i2").tobytes())
        between = packed(-1, target.width, target.height, kernels, kind=2)
        entries = source.width * source.atoms  # of CBUF, for a line
        banks = -(-entries * source.height * ATOM // BANK)
        op = conv(source.width, source.height, channels, columns, kernels, target.width, target.height, banks,
                  min(-(-len(stream) // BANK), 32 - banks), entries=entries)
        first = self.add(CONV, op, cube(0, WEIGHTS, columns, rows, channels, offset=place, size=len(stream)) + nothing() * 2 +
                         source.packed + between)
        biases = cube(0, WEIGHTS, 1, 1, kernels, 2 * ATOM, 2 * ATOM, bias_place, 2 * kernels)
        stage = unit(1, kind=2, mode=1, act=1 if relu else 0, shift=bias_shift, precision=1, mul_operand=1)
        self.add(SDP, sdp(out=cvt(scale, shift, 1), x1=stage), between + biases + nothing() * 2 + target.packed, parent=first)
        return target

    def pool(self, source, offset):
        """Greatest of 2 x 2. The result lies in CUBES at offset. Returns it."""
        target = Cube(source.width // 2, source.height // 2, source.channels, CUBES, offset)
        self.add(PDP, pdp(1, 2, 2), source.packed + target.packed)
        return target


def write(task, cubes_size, picture, result, names, scale_in, scale_out):
    """The file: `task`, then one for the processor, a softmax over the channels of `result` into an output of the same size. picture: the
    input's cube."""
    net, output = Loadable(), Cube(1, 1, result.channels, 0)
    addresses = [net.memory(content=bytes(task.weights)), net.memory(cubes_size)]
    for name, at, flag in zip(names, (picture, output), (INPUT, OUTPUT)):
        number = at.tensor(net, name)
        addresses.append(net.memory(at.size, flags=ALLOCATE | flag, tensor=number))
    net.dla(task.layers, addresses)
    row = (1, 1, 1, result.channels, ATOM, ATOM)
    net.cpu([struct.pack("<B3xffB11x", 1, scale_in, scale_out, 1)], [(4, result.offset) + row, (6, 0) + row], addresses)
    return net.bytes()
