"""Inputs and reference outputs of quantised networks, and how they lie in memory."""
import ast
import json
import struct
import zipfile

ATOMS = {"large": 32, "full": 32}  # channels of an atom where it is not 8


def unpack(path):
    """Arrays of int8 of an .npz: {name: (shape, bytes)}."""
    arrays = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            length = struct.unpack_from("<H", data, 8)[0]
            head = ast.literal_eval(data[10:10 + length].decode())
            assert head["descr"] == "|i1" and not head["fortran_order"], name
            arrays[name.removesuffix(".npy")] = head["shape"], data[10 + length:]
    return arrays


def cube(shape, values, atom):
    """A feature cube in memory: atoms of channels, then columns, lines, surfaces."""
    h, w, c = ([1, 1] + list(shape))[-3:]
    out = bytearray(-(-c // atom) * h * w * atom)
    for i, value in enumerate(values):
        place, channel = divmod(i, c)
        out[(channel // atom * h * w + place) * atom + channel % atom] = value
    return bytes(out)


def clocks_of(report):
    """The clocks of a network, from the start of the first layer to the end of the last one, from its report.json; None if a layer has none.
    (`op_cycles` ends at the last edge of the interrupt line, which may come before that.)"""
    layers = json.loads(report.read_text())["layers"]
    if not layers or not all("end" in layer for layer in layers):
        return None
    return max(layer["end"] for layer in layers) - min(layer["start"] for layer in layers)
