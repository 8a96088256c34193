#!/usr/bin/python3
"""Ends of networks: raw inputs in the type of the file (int8, uint8, float32), as INT8 codes and as the bytes of the memory; labels of an
ArgMax; networks in the folder of the reports, and several of one name.

usage: ends.py NVCOSIM      Ends with "N passed, N failed".
"""
import os
import pathlib
import random
import struct
import sys

from counts import check, finish, run, scratch
from onnx_graph import INT8, Graph
from tflite import FLOAT, INT64, UINT8, Network

NVCOSIM = str(pathlib.Path(sys.argv[1]).resolve())
SHAPE, COUNT = (1, 3, 4, 2), 24
CODES = random.Random(45).sample(range(-128, 128), COUNT)
REALS = [(code - 3) * 0.25 + 0.1 for code in CODES]  # rounded back to the codes


def relu(kind):
    """RELU of an input of that type."""
    net = Network()
    at = net.tensor(SHAPE, 0.25, 131 if kind == UINT8 else 3, None, kind)
    net.inputs = [at]
    if kind != 9:
        at = net.node("QUANTIZE", [at], net.tensor(SHAPE, 0.25, 3))
    net.outputs = [net.node("RELU", [at], net.tensor(SHAPE, 0.25, 3))]
    return net.bytes()


def qdq(shape):
    """The same with channels first."""
    g = Graph(13)
    q = [g.constant([], [0.25]), g.constant([], [3], INT8)]
    x = g.add("DequantizeLinear", [g.add("QuantizeLinear", [g.input(shape, REALS)] + q)] + q)
    return g.bytes(g.add("DequantizeLinear", [g.add("QuantizeLinear", [g.add("Relu", [x])] + q)] + q))


def arg_max():
    net = Network()
    net.inputs = [net.tensor((1, 5), 0.1, 0)]
    axis = net.tensor((1,), 1.0, 0, [-1], 2)
    net.outputs = [net.node("ARG_MAX", [*net.inputs, axis], net.tensor((1,), 1.0, 0, None, INT64))]
    return net.bytes()


def nv(*words):
    done = run(NVCOSIM, *words)
    return done.returncode, done.stdout + done.stderr


def packed(form, values):
    return struct.pack(f"<{len(values)}{form}", *values)


def inputs():
    """Reasons why a raw input fails."""
    files = {"int8": packed("b", CODES), "uint8": packed("B", [code + 128 for code in CODES]), "float": packed("f", REALS)}
    files["far"] = packed("f", [1e9, float("inf")] + REALS[2:])
    files["nan"] = packed("f", [*REALS[:5], float("nan"), *REALS[6:]])
    files["short"] = files["int8"][1:]
    for name, data in files.items():
        pathlib.Path(name).write_bytes(data)
    tables = {"a.tflite": (relu(9), "int8"), "b.tflite": (relu(UINT8), "uint8"), "c.tflite": (relu(FLOAT), "float"),
              "d.onnx": (qdq([1, 2, 3, 4]), "float"), "e.onnx": (qdq([1, 8, 1, 3]), "float")}  # whose memory has one byte for each element
    for name, (data, kind) in tables.items():
        pathlib.Path(name).write_bytes(data)
        made = {}
        for source in (f"raw:{kind}", "int8:int8", *(["raw:int8"] if kind == "float" else [])):
            yield f"{name} {source}", nv("compile", name, "--input", source, "-o", "out.nvt")[0] == 0
            made[source] = pathlib.Path("out.nvt").read_bytes().replace(source.encode(), b"")
        yield f"{name}: the same input", len(set(made.values())) == 1
        as_type = "" if kind == "int8" else " as uint8" if kind == "uint8" else " as float32"
        size = COUNT * (4 if kind == "float" else 1)
        status, text = nv("compile", name, "--input", "raw:short", "-o", "no.nvt")
        yield f"{name}: a size {text}", status == 2 and f"found 23 bytes; expected {size}, the elements of the input{as_type} in" in text
    status, text = nv("compile", "c.tflite", "--input", "raw:nan", "-o", "no.nvt")
    yield f"NaN {text}", status == 2 and "nan: found no number as element 5, expected numbers of float32" in text
    status, text = nv("run", "-q", "--dut=model", "--out=far.out", "--outputs=far.bin", "c.tflite", "--input", "raw:far")
    yield f"beyond {text}", status == 0 and next(pathlib.Path("far.bin").iterdir()).read_bytes()[:2] == b"\x7f\x7f"
    yield "bytes of the memory", nv("compile", "a.tflite", "--input", "raw:memory", "-o", "out.nvt")[0] == 0
    status, text = nv("compile", "b.tflite", "--input", "raw:/nonexistent", "-o", "no.nvt")
    yield "a missing file", status == 2 and "cannot open" in text


def labels():
    pathlib.Path("max.tflite").write_bytes(arg_max())
    pathlib.Path("labels").write_text("zero\none\ntwo\nthree\n")
    pathlib.Path("three").write_bytes(packed("b", [1, 2, 3, 4, 0]))
    pathlib.Path("four").write_bytes(packed("b", [1, 2, 3, 4, 5]))
    words = ["run", "--dut=model", "--labels=labels", "max.tflite", "--input"]
    status, text = nv(*words, "raw:three")
    yield f"a label {text}", status == 0 and "\n     0  three  3\n" in text
    status, text = nv(*words, "raw:four")
    yield f"no label {text}", status == 0 and "\n     0         4\n" in text
    status, text = nv("compile", "--values", "max.tflite")
    yield f"values of classes {text}", status == 2 and "found an output of indices, of an ArgMax" in text


def names():
    folder = pathlib.Path("here")
    (folder / "other").mkdir(parents=True)
    (folder / "net.onnx").write_bytes(qdq([1, 2, 3, 4]))
    (folder / "net.tflite").write_bytes(relu(9))
    (folder / "other" / "net.tflite").write_bytes(arg_max())
    status, text = nv("run", "--dut=model", "--out=here", "here/net.onnx", "--input=zero")
    yield f"in the folder of reports {text}", status == 0 and (folder / "net.nvt.gz").exists()
    nets = ["here/net.onnx", "here/net.tflite", "here/other/net.tflite"]
    status, text = nv("run", "--dut=model", "--out=here", *nets, "--input=zero")
    yield f"several of one name {text}", status == 0 and all((folder / f"{name}.nvt.gz").exists() for name in ("net", "net-2", "net-3"))
    yield "each its own", [len(list((folder / "outputs" / name).iterdir())) for name in ("net", "net-2", "net-3")] == [1, 1, 1] and \
        len(next((folder / "outputs" / "net-3").iterdir()).read_bytes()) == 2
    (folder / "a").write_text("")
    (folder / "a.onnx").write_bytes(qdq([1, 2, 3, 4]))
    status, text = nv("run", "--dut=model", "--out=here", "here/a.onnx", "--input=zero")
    yield f"a file where the report goes {text}", status == 2 and "here/a: found a file, expected a folder" in text


with scratch() as work:
    os.chdir(work)
    memory = bytearray(12 * 8)
    for number in range(12):
        memory[8 * number:8 * number + 2] = packed("b", CODES[2 * number:2 * number + 2])
    pathlib.Path("memory").write_bytes(memory)
    for part in (inputs, labels, names):
        for title, fine in part():
            first, *more = title.split("\n")
            check(first, fine, "\n    ".join(more))
finish()
