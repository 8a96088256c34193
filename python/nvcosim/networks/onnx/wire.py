"""Protocol buffers: the messages of an ONNX file as dictionaries, with the fields that are read.
Others are skipped."""
import array
import struct
import typing

Message = dict[str, typing.Any]
"""A field that is absent has no key. Lists of numbers are arrays, bytes are views of the file."""

_VARINT, _DOUBLE, _BLOCK, _SINGLE = 0, 1, 2, 5
_CODES = {"float": "f", "int32": "i", "int64": "q"}
_FIELDS = {kind: {int(number): (name, of.removesuffix("*"), of.endswith("*"))
                  for number, name, of in (field.split() for field in fields.split(", "))}
           for kind, fields in {
    "Attribute": "1 name text, 2 f float, 3 i int64, 4 s bytes, 5 t Tensor, 7 floats float*, "
                 "8 ints int64*",
    "Node": "1 input text*, 2 output text*, 4 op_type text, 5 attribute Attribute*",
    "Entry": "1 key text, 2 value text",
    "Tensor": "1 dims int64*, 2 data_type int32, 4 float_data float*, 5 int32_data int32*, "
              "7 int64_data int64*, 8 name text, 9 raw_data bytes, 13 external_data Entry*, "
              "14 data_location int32",
    "Dimension": "1 dim_value int64",
    "Shape": "1 dim Dimension*",
    "TensorType": "1 elem_type int32, 2 shape Shape",
    "Type": "1 tensor_type TensorType",
    "Value": "1 name text, 2 type Type",
    "Graph": "1 node Node*, 5 initializer Tensor*, 11 input Value*, 12 output Value*",
    "OperatorSet": "1 domain text, 2 version int64",
    "Model": "7 graph Graph, 8 opset_import OperatorSet*"}.items()}

# In dictionaries and lists: some, and one for so many bytes.
_ENTRIES, _BYTES_OF_ENTRY = 1 << 20, 64


class Damaged(Exception):
    """The bytes are no such message, or one cut short, or one of many small parts."""


def _varint(data: memoryview, at: int, most: int = 10) -> tuple[int, int]:
    """A number and the place after it."""
    value = 0
    for i in range(most):
        byte = data[at + i]
        value |= (byte & 127) << 7 * i
        if byte < 128:
            return value, at + i + 1
    raise Damaged


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (value >> bits - 1 << bits)


def _split(data: memoryview) -> typing.Iterator[tuple[int, int, typing.Any]]:
    """Number of the field, form and value: a number, or a view."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at, 5)
        number, wire, size = tag >> 3, tag & 7, {_DOUBLE: 8, _SINGLE: 4}.get(tag & 7, -1)
        value: typing.Any
        if wire == _VARINT:
            value, at = _varint(data, at)
        else:
            if wire == _BLOCK:
                size, at = _varint(data, at, 5)
            if size < 0 or size > len(data) - at:
                raise Damaged
            value, at = data[at:at + size], at + size
        if number == 0:
            raise Damaged
        yield number, wire, value


def _extend(numbers: "array.array[typing.Any]", wire: int, value: typing.Any) -> None:
    """Adds one number, or a block of them."""
    if numbers.typecode == "f":
        if wire not in (_SINGLE, _BLOCK) or len(value) % 4:
            raise Damaged
        numbers.frombytes(value)
        return
    bits = 8 * numbers.itemsize
    if wire == _VARINT:
        numbers.append(_signed(value, bits))
    elif wire != _BLOCK:
        raise Damaged
    elif bytes(value).isascii():  # one byte each
        numbers.extend(iter(value))
    else:
        at = 0
        while at < len(value):
            number, at = _varint(value, at)
            numbers.append(_signed(number, bits))


class _Reader:
    def __init__(self, size: int) -> None:
        self.room = _ENTRIES + size // _BYTES_OF_ENTRY

    def message(self, kind: str, data: memoryview, found: Message | None = None) -> Message:
        """One message, or (found) the rest of one."""
        found = {} if found is None else found
        for number, wire, value in _split(data):
            if number in _FIELDS[kind]:
                self.put(found, number, kind, wire, value)
        return found

    def put(self, found: Message, number: int, kind: str, wire: int, value: typing.Any) -> None:
        name, of, many = _FIELDS[kind][number]
        code = _CODES.get(of)
        if many and code:
            _extend(found.setdefault(name, array.array(code)), wire, value)
            return
        self.room -= 1
        if wire != {"f": _SINGLE, None: _BLOCK}.get(code, _VARINT) or self.room < 0:
            raise Damaged
        one: typing.Any = value
        if code == "f":
            one, = struct.unpack("<f", value)
        elif code:
            one = _signed(value, int(of[3:]))
        elif of == "text":
            one = bytes(value).partition(b"\0")[0]
        elif of != "bytes":
            one = self.message(of, value, None if many else found.get(name))
        if many:
            found.setdefault(name, []).append(one)
        else:
            found[name] = one


def read(data: bytes) -> Message:
    """The model of a file. Damaged."""
    try:
        return _Reader(len(data)).message("Model", memoryview(data))
    except IndexError:
        raise Damaged from None
