"""What all operators of ONNX need: names and what they stand for, the inputs and attributes of the
node that is being read, tensors and nodes of the graph, refusals."""
import dataclasses
import math
import os
import stat
import typing

from nvcosim.networks.graph import (
    ALL_ELEMENTS_MAX, AXES, ELEMENTS_MAX, HEIGHT, KEEP_SCALE, TENSORS_MAX, WIDTH, Data, Graph, Node,
    Refused, Tensor, Window, shown, text_of)
from nvcosim.networks.onnx.constants import (
    FLOAT, INT32, INT64, INT8, UINT8, Constant, Value, element_bytes, moved, type_name)
from nvcosim.networks.onnx.wire import Message

DIMS_MAX = 8
_BYTES_MAX = 1 << 29  # of constants that are made or in other files
_FLIP = bytes(i ^ 128 for i in range(256))  # uint8 as int8
_INT64_MAX = 2**63 - 1


class Reading:
    """operands: the node's inputs in one form: of an operator on integers, those of the same
    operator on real numbers. input: tensor of the first of them, if the operator's row says what it
    takes. readers: of a name, the inputs of nodes that have it."""

    def __init__(self, path: str, opset: int, file: Message) -> None:
        self.path, self.opset, self.file = path, opset, file
        self.graph = Graph(channels_first=True)
        self.values: dict[bytes, Value] = {}
        self.last = Value()  # of the values, the one that was defined last
        self.node: Message = {}
        self.number = -1  # of the node; -1: none is being read
        self.operands: list[Value | None] = []
        self.kind = ""
        self.input = 0
        self.elements = self.bytes = 0
        self.readers: dict[bytes, int] = {}
        for node in file.get("node", ()):
            for name in node.get("input", ()):
                self.readers[name] = self.readers.get(name, 0) + 1

    def refuse(self, what: str) -> typing.NoReturn:
        where = ""
        if self.number >= 0:
            output = self.node.get("output", [b"?"])[0]
            where = (f"node {self.number}, {shown(self.node.get('op_type', b'?'))}, "
                     f"tensor \"{shown(output)}\": ")
        raise Refused(f"{self.path}: {where}{what}")

    # ---- names ----

    def define(self, name: bytes, value: Value) -> Value:
        if not name or name in self.values:
            self.refuse(f"found a name that is {'taken' if name else 'empty'}, expected a new one")
        self.values[name] = self.last = dataclasses.replace(value, name=name)
        return self.last

    def result(self, value: Value) -> Value:
        """What the node's output stands for."""
        if not self.node.get("output"):
            self.refuse("found no output, expected one")
        return self.define(self.node["output"][0], value)

    def alias(self, tensor: int, real: bool) -> None:
        """A new name for a tensor."""
        self.result(Value(tensor=tensor, real=real))

    def plain(self, constant: Constant) -> None:
        """The output is elements that stand for themselves."""
        self.result(Value(constant=constant, real=constant.kind == FLOAT))

    def operand(self, i: int) -> Value | None:
        """Input i of the node; None if it is absent."""
        return self.operands[i] if i < len(self.operands) else None

    def constant(self, i: int) -> Constant:
        found = self.optional(i)
        return found if found else self.refuse_input(i)

    def optional(self, i: int) -> Constant | None:
        value = self.operand(i)
        if value and not value.constant:
            self.refuse_input(i)
        return value.constant if value else None

    def refuse_input(self, i: int) -> typing.NoReturn:
        self.refuse(f"found its input {i} not to be a constant, expected one")

    # ---- attributes ----

    def attribute(self, name: bytes) -> Message | None:
        return next((a for a in self.node.get("attribute", ()) if a.get("name") == name), None)

    def whole(self, name: bytes, none: int) -> int:
        found = self.attribute(name)
        return int(found.get("i", 0)) if found else none

    def word(self, name: bytes) -> bytes:
        return bytes((self.attribute(name) or {}).get("s", b""))

    def listed(self, name: str, i: int) -> list[int]:
        """Whole numbers: an attribute in files of old operators, input i in others."""
        found = self.attribute(name.encode())
        constant = None if found else self.optional(i)
        count = len(found.get("ints", ())) if found else constant.count if constant else 0
        kind = constant.kind if constant else INT64
        if count > DIMS_MAX or kind not in (INT64, INT32):
            self.refuse(f"found {count} {type_name(kind)} as its {name}, expected at most "
                        f"{DIMS_MAX} of int64")
        return list(found.get("ints", ())) if found else list(constant.elements if constant else ())

    def number_at(self, name: bytes, i: int, none: float) -> float:
        """The same of one number; NAN if the input is not one constant."""
        found, value = self.attribute(name), self.operand(i)
        if found:
            return float(found.get("f", 0))
        if not value:
            return none
        one = value.constant and value.constant.count == 1
        return next(value.reals()) if one else math.nan

    def limits(self) -> tuple[float, float]:
        """Of Clip: infinite where there are none."""
        low, high = self.number_at(b"min", 1, -math.inf), self.number_at(b"max", 2, math.inf)
        if math.isnan(low) or math.isnan(high):
            self.refuse("found limits that are not one constant each, expected such")
        return low, high

    def axis(self, none: int, rank: int) -> int:
        """The attribute `axis`, counted from the first dimension."""
        axis = self.whole(b"axis", none)
        return axis + rank if axis < 0 else axis

    def axes(self, rank: int) -> tuple[int, int]:
        """The list `axes` as bits, and its length."""
        listed = self.listed("axes", 1)
        bits = 0
        for axis in listed:
            bits |= 1 << ((axis + rank if axis < 0 else axis) & 31)
        return bits, len(listed)

    # ---- constants ----

    def add_bytes(self, n: int) -> None:
        self.bytes += n
        if self.bytes > _BYTES_MAX:
            self.refuse(f"found {self.bytes} bytes of constants, expected at most {_BYTES_MAX}")

    def check_sides(self, dims: typing.Sequence[int]) -> int:
        """The number of elements."""
        product = 1  # sides of 0 left out
        for side in dims:
            product *= side or 1
            if side < 0 or side > ELEMENTS_MAX or product > ELEMENTS_MAX:
                self.refuse(f"found a constant with a size of {side}, expected at most "
                            f"{ELEMENTS_MAX} elements")
        return math.prod(dims)

    def room(self, kind: int, dims: typing.Sequence[int]) -> None:
        """Before a constant is made."""
        self.add_bytes(self.check_sides(dims) * element_bytes(kind))

    def file_constant(self, tensor: Message) -> Constant:
        """Of a tensor of the file, or of one beside it."""
        kind, dims = tensor.get("data_type", 0), tuple(tensor.get("dims", ()))
        size = element_bytes(kind)
        if not size:
            self.refuse(f"found a constant of {type_name(kind)}, expected float32, uint8, int8, "
                        "int32 or int64")
        count = self.check_sides(dims)
        raw: Data | None = tensor.get("raw_data")
        if tensor.get("data_location", 0):
            raw = self.far_bytes(tensor, count * size)
        if raw is None:
            numbers = tensor.get({FLOAT: "float_data", INT64: "int64_data"}.get(kind, "int32_data"),
                                 ())
            if len(numbers) != count:
                self.refuse(f"found a constant with {len(numbers)} elements, expected {count}")
            raw = numbers.tobytes() if count else b""
            raw = raw[::4] if kind in (UINT8, INT8) else raw
        elif len(raw) != count * size:
            self.refuse(f"found a constant with {len(raw)} bytes, expected {count * size}")
        return Constant(kind, dims, raw)

    def far_bytes(self, tensor: Message, n: int) -> bytes:
        """Of a constant in another file of the same folder."""
        about = {b"location": b"", b"offset": b"0", b"length": str(n).encode()}
        about.update({entry["key"]: entry["value"] for entry in tensor.get("external_data", ())
                      if "key" in entry and "value" in entry})
        numbers = []
        for key in (b"offset", b"length"):
            value = about[key]
            short = value.isdigit() and len(value.lstrip(b"0")) < 20
            if not short or int(value) > _INT64_MAX:
                self.refuse(f"found \"{text_of(value[:20])}\" as the {text_of(key)} of a constant "
                            "in a file of its own, expected a number")
            numbers.append(int(value))
        offset, length = numbers
        location = about[b"location"]
        if not location or b"/" in location or b"\\" in location or b".." in location:
            self.refuse(f"found a constant in file \"{text_of(location[:64])}\", expected a name "
                        "in the network's folder")
        if length != n:
            self.refuse(f"found a constant with {length} bytes in \"{text_of(location)}\", "
                        f"expected {n}")
        self.add_bytes(n)
        folder, slash, _ = os.fsencode(self.path).rpartition(b"/")
        size, found, data = 0, "no file", b""
        try:
            path = folder + slash + location
            if stat.S_ISREG(os.stat(path).st_mode):
                with open(path, "rb") as file:
                    size, found = os.fstat(file.fileno()).st_size, "a file"
                    file.seek(min(offset, size))
                    data = file.read(n)
        except OSError:
            pass
        if found == "no file" or len(data) != n or offset > size:
            self.refuse(f"found {found} \"{text_of(location)}\" with {size} bytes, expected {n} "
                        f"from byte {offset} on: the constants of this network")
        return data

    # ---- tensors ----

    def add_tensor(self, tensor: Tensor) -> int:
        self.elements += tensor.count
        index = len(self.graph.tensors)
        if (index >= TENSORS_MAX or tensor.count > ELEMENTS_MAX or
                self.elements > ALL_ELEMENTS_MAX):
            self.refuse(f"found {index + 1} tensors with {self.elements} elements, expected at "
                        f"most {TENSORS_MAX} with {ALL_ELEMENTS_MAX}, {ELEMENTS_MAX} in one")
        self.graph.tensors.append(tensor)
        return index

    def new_tensor(self, name: str, sides: typing.Sequence[int], rank: int) -> int:
        """rank: as in the file."""
        h, w, c = sides[HEIGHT:]
        if not all(1 <= side <= ELEMENTS_MAX for side in (h, w, c)):
            self.refuse(f"found a tensor of {h} x {w} x {c} (h, w, c), expected 1 to "
                        f"{ELEMENTS_MAX}")
        return self.add_tensor(Tensor(name, rank, [1, h, w, c], h * w * c))

    def new_constant(self, name: str, kind: str, dims: typing.Sequence[int], data: Data) -> int:
        rank = len(dims)
        return self.add_tensor(Tensor(
            name, rank, [1] * AXES, math.prod(dims), kind, dims=[*dims] + [0] * (AXES - rank),
            data=data))

    def new_integers(self, name: str, source: Constant, sides: typing.Sequence[int],
                     strides: typing.Sequence[int]) -> int:
        """Elements of int8, or of uint8 less 128, in another order."""
        data = moved(source.data, 1, sides, strides)
        if source.kind == UINT8:
            data = bytes(data).translate(_FLIP)
        return self.new_constant(name, "int8", sides, data)

    def set_scale(self, index: int, scale: Constant, zero: Constant | None) -> None:
        """Of a tensor, or compares it with the one it has; and of those that have the same."""
        waiting = [(index, False)]
        while waiting:
            index, once = waiting.pop()
            tensor = self.graph.tensors[index]
            if once and tensor.quantised:
                continue
            self.set_one_scale(tensor, scale, zero)
            node = tensor.producer
            if node and node.kind == "CONCATENATION":
                waiting += [(i, True) for i in reversed(node.inputs)]
            elif node and node.kind in KEEP_SCALE:
                waiting.append((node.inputs[0], False))

    def set_one_scale(self, tensor: Tensor, scale: Constant, zero: Constant | None) -> None:
        point, shifted = zero_point(zero)
        name = tensor.name
        if (scale.kind != FLOAT or scale.count != 1 or
                (zero and (zero.count != 1 or zero.kind not in (INT8, UINT8)))):
            self.refuse(f"found scales and zero points of \"{name}\" that are not one float32 and "
                        "one int8 or uint8")
        value = scale.elements[0]
        if not (math.isfinite(value) and value > 0) or not -128 <= point <= 127:
            self.refuse(f"found scale {value:g} and zero point {point} of \"{name}\", expected a "
                        "finite number above 0")
        if tensor.quantised and (tensor.scales[0], tensor.zero) != (value, point):
            self.refuse(f"found \"{name}\" with scale {value:g} and zero point {point}, expected "
                        f"its {tensor.scales[0]:g} and {tensor.zero}")
        tensor.scales[0], tensor.zero = value, point
        tensor.quantised, tensor.shifted = True, shifted

    # ---- nodes ----

    def activation(self, i: int, takes: str) -> int:
        """A tensor that an operator reads. takes: CUBES; ROWS: also a cube made a row; UNSCALED:
        also a cube whose scale becomes known with that of the result; ANY."""
        value = self.operand(i)
        if not value or value.tensor is None:
            self.refuse(f"found its input {i} to be no result of a node before, expected one")
        tensor, name = self.graph.tensors[value.tensor], text_of(value.name)
        if not tensor.quantised and takes not in ("ANY", "UNSCALED"):
            self.refuse(f"found its input \"{name}\" as float32, expected it quantised: "
                        "QuantizeLinear and DequantizeLinear before it")
        h, w, c = tensor.cube
        if tensor.flat and takes == "CUBES" and c > 1 and h * w > 1:
            self.refuse(f"found its input \"{name}\" to be a cube made a row, expected that only "
                        "before Gemm and MatMul")
        return value.tensor

    def add_node(self, kind: str, source: int, output: int) -> Node:
        node = Node(kind, self.number, [source], output)
        self.graph.nodes.append(node)
        self.graph.tensors[output].producer = node
        return node

    def new_node(self, kind: str, source: int, sides: typing.Sequence[int], rank: int) -> Node:
        """A node that computes the output, a new tensor."""
        value = self.result(Value(real=True))
        value.tensor = self.new_tensor(shown(value.name), sides, rank)
        return self.add_node(kind, source, value.tensor)

    def node_like(self, kind: str, source: int) -> Node:
        """The same of an output with the sides of the input."""
        tensor = self.graph.tensors[source]
        return self.new_node(kind, source, tensor.sides, tensor.rank)

    def output_of(self, node: Node) -> Tensor:
        return self.graph.tensors[node.output]

    def copy_scale(self, source: int, index: int) -> None:
        of, to = self.graph.tensors[source], self.graph.tensors[index]
        to.scales, to.zero = of.scales[:1], of.zero
        to.quantised, to.shifted = of.quantised, of.shifted

    def keep_scale(self, node: Node) -> None:
        """The result has the scale of the input."""
        value = self.operand(0)
        assert value
        self.copy_scale(node.inputs[0], node.output)
        self.last.real = value.real

    def pad_input(self, axes: list[Window]) -> None:
        """A node before it that pads its input, as the axes say, instead of itself."""
        tensor = self.graph.tensors[self.input]
        sides = [side + axis.before + axis.after if i in (HEIGHT, WIDTH) else side
                 for i, (side, axis) in enumerate(zip(tensor.sides, axes))]
        padded = self.new_tensor(tensor.name, sides, tensor.rank)
        pad = self.add_node("PAD", self.input, padded)
        for i in (HEIGHT, WIDTH):
            pad.windows[i] = Window(before=axes[i].before, after=axes[i].after)
            axes[i].before = axes[i].after = 0
        self.copy_scale(self.input, padded)
        self.input = padded

    def unfinished(self, value: Value | None) -> Node | None:
        """The node that computes real results which nothing quantised yet, if an operator may
        change them: nothing else reads them."""
        if not value or value.tensor is None:
            return None
        tensor = self.graph.tensors[value.tensor]
        node = tensor.producer
        if tensor.quantised or not node or self.readers.get(value.name, 0) != 1:
            return None
        if node.kind in ("TRANSPOSE", "RESHAPE"):
            return None
        return node if math.isinf(node.low) and math.isinf(node.high) else None


def zero_point(zero: Constant | None) -> tuple[int, bool]:
    """As one of int8, and whether it was one of uint8."""
    shifted = not zero or zero.kind == UINT8
    value = int(zero.elements[0]) if zero and zero.count and zero.kind != FLOAT else 0
    return value - 128 if shifted else value, shifted
