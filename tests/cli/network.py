#!/usr/bin/python3
"""Files for network.sh, and what it checks of files that are not text.

usage: network.py npy            o/digit.npy has the ten values of the network's output
       network.py dimg           o/digit.dimg has the bytes of o/digit.bin
       network.py info           stdout has the description of the network as JSON
       network.py pictures PNG   writes a picture of 28 x 28 pixels as 5.pgm, 5.wide.pgm, 5.plain.pgm, 5.cube, and another, small.pgm
       network.py damage         writes wrong.nvt: png.nvt with another byte in the check that follows the pooling of layer 0.5
"""
import json
import struct
import sys
import zlib


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def npy():
    b = read("o/digit.npy")
    assert b[:10] == b"\x93NUMPY\x01\x00\x76\x00" and len(b) == 128 + 40 and b[127:128] == b"\n"
    assert eval(b[10:128]) == {"descr": "<f4", "fortran_order": False, "shape": (1, 10, 1, 1)}
    v = struct.unpack("<10f", b[128:])
    assert abs(v[1] - 1) < 1e-6 and sum(v) < 1.1, v


def dimg():
    b = read("o/digit.dimg")
    assert b[:4] == b"DIMG" and struct.unpack("<8I", b[4:36]) == (0, 41, 1, 1, 10, 8, 8, 16) and b[36:] == read("o/digit.bin")[:10]


def info():
    net = json.loads(read("stdout"))
    layer = net["layers"][4]
    assert layer["from"] == [{"task": 0, "layer": 3, "on_the_fly": True}] and layer["in"] == [8, 8, 16] and layer["clocks"] == 5000, layer
    assert net["layers"][0]["inputs"] == [m["id"] for m in net["memories"] if m["input"]], net["memories"]
    assert [m["tensor"] for m in net["memories"] if m["output"]] == [net["tensors"][1]["name"]], net["memories"]


def pictures(png):
    b = read(png)
    at = b.index(b"IDAT")
    rows = zlib.decompress(b[at + 4:at + 4 + struct.unpack(">I", b[at - 4:at])[0]])
    pixels = b"".join(rows[29 * y + 1:29 * y + 29] for y in range(28))
    write("5.pgm", b"P5 28 28 255\n" + pixels)
    write("5.wide.pgm", b"P5 28 28 65535\n" + b"".join(bytes((p, p)) for p in pixels))
    write("5.plain.pgm", b"P2 28 28 255\n" + "\n".join(map(str, pixels)).encode())
    write("5.cube", b"".join(bytes(((2 * p * 127 + 255) // 510, 0, 0, 0, 0, 0, 0, 0)) for p in pixels))
    write("small.pgm", b"P5 2 2 255\nabcd")


def damage():
    lines = read("png.nvt").decode().split("\n")
    note = lines.index("# network layer 0.5 PDP PDP#1")
    at = next(i for i in range(note, len(lines)) if lines[i].startswith("mem_check "))
    start = next(i for i in range(at, 0, -1) if lines[i].startswith("blob "))
    lines[start + 1] = "  " + ("01" if lines[start + 1].split()[0][:2] != "01" else "02") + lines[start + 1].strip()[2:]
    write("wrong.nvt", "\n".join(lines).encode())


{"npy": npy, "dimg": dimg, "info": info, "pictures": pictures, "damage": damage}[sys.argv[1]](*sys.argv[2:])
