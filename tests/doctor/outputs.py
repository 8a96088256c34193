#!/usr/bin/python3
"""Wrong outputs with a known pattern: nvcosim doctor --output names it, in dumps of a layer, in the runtime's own form of an output, and for
inputs that were prepared otherwise; of a folder of dumps the first wrong layer. Without RTL.

usage: outputs.py NVCOSIM        Prints "N passed, N failed".
"""
import json
import pathlib
import random
import sys

from counts import check, finish, run, scratch

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/import"))
from tracetext import TraceText  # noqa: E402

NET = ROOT / "traces/loadables/own_res_small_int8"
LAYER, ATOM, LINE, SURFACE = "0.1", 8, 128, 2048


def nvcosim(*words):
    return run(sys.argv[1], *words)


def doctor(output, *options):
    done = nvcosim("doctor", "--json", "--run-clocks", 0, "--loadable", NET / "net.nvdla", "--input", NET / "input.ppm", "--output", output, *options)
    return json.loads(done.stdout) if done.returncode < 2 else {"error": done.stderr}


def cubes(scratch):
    """{"TASK.OPERATION": bytes that the layer leaves}, in the order of the program."""
    path = scratch / "net.nvt"
    nvcosim("compile", NET / "net.nvdla", "--input", NET / "input.ppm", "-o", path)
    trace, found, layer, number = TraceText(path), {}, None, 0
    for words in trace.lines:
        if words[:3] == ["#", "network", "layer"]:
            layer = words[3]
        elif words[0] == "mem_check":
            if layer:
                chunks = trace.checks[number][1]
                found[layer] = bytearray(max(at + len(data) for at, data in chunks))
                for at, data in chunks:
                    found[layer][at:at + len(data)] = data
            layer, number = None, number + 1
    return {name: bytes(data) for name, data in found.items()}


def beats(data, size, change):
    return b"".join(change(k // size, data[k:k + size]) for k in range(0, len(data), size))


def patterns(scratch, cube, other):
    rng = random.Random(1)
    noise = bytes(rng.randrange(256) for _ in cube)
    cases = [
        ("an atom", cube[ATOM:] + cube[:ATOM], "shifted by an atom (8 bytes) to lower addresses"),
        ("an atom up", bytes(ATOM) + cube[:-ATOM], "shifted by an atom (8 bytes) to higher addresses"),
        ("a line", cube[LINE:] + bytes(LINE), "shifted by a line (128 bytes) to lower addresses"),
        ("a surface", cube[SURFACE:] + bytes(SURFACE), "shifted by a surface (2048 bytes) to lower addresses"),
        ("every 16th beat", beats(cube, ATOM, lambda i, b: b if i % 16 else bytes(v ^ 0x55 for v in b)), "only in every 16th beat of 8 bytes, from beat 0 on"),
        ("half a burst", beats(cube, 32, lambda i, b: bytes(v ^ 0x55 for v in b) if i % 2 else b), "only in the upper half of each block of 64 bytes"),
        ("words exchanged", beats(cube, 8, lambda i, b: b[4:] + b[:4]), "exchanged: neighbouring pieces of 4 bytes"),
        ("endianness", beats(cube, 4, lambda i, b: b[::-1]), "reversed: the bytes of each word of 4 bytes (endianness)"),
        ("saturated", bytes(rng.choice([0x7f, 0x80]) for _ in cube), "saturated: the largest or smallest integer (wrong table or scale?)"),
        ("zeros", bytes(len(cube)), "zeros"),
        ("stale", noise[:1000] + cube[1000:], "stale: what the memory held before the run"),
    ]
    (scratch / "before.bin").write_bytes(noise)
    for name, data, expected in cases:
        (scratch / "dump.bin").write_bytes(data)
        said = doctor(scratch / "dump.bin", "--layer", LAYER, *(["--before", scratch / "before.bin"] if name == "stale" else []))
        check(name, expected in [p["pattern"] for p in said.get("patterns", [])], said)
    (scratch / "dump.bin").write_bytes(other)
    said = doctor(scratch / "dump.bin", "--layer", LAYER)
    check("another layer", any("those of layer 0.3 SDP" in cause for cause in said["causes"]), said)


def dumps(scratch, found):
    folder = scratch / "dumps"
    folder.mkdir()
    for name, data in found.items():
        (folder / f"{name}.bin").write_bytes(data)
    said = doctor(folder)
    check("right dumps", said["wrong"] == 0 and said["dumps_compared"] == len(found), said)
    names = list(found)
    for name in names[2:]:
        (folder / f"{name}.bin").write_bytes(bytes(reversed(found[name])))
    said = doctor(folder)
    check("the first wrong dump", said["output"] == f"layer {names[2]}" and said["dumps_compared"] == 3, said)
    check("a folder without dumps", "expected files named TASK.OPERATION.bin" in doctor(scratch)["error"], "")
    check("a folder with --layer", "found the folder" in doctor(folder, "--layer", "0.1")["error"], "")


def runtime(scratch):
    nvcosim("run", NET / "net.nvdla", "--dut", "model", "-q", "--input", NET / "input.ppm", "--outputs", scratch / "out", "--dimg", "--out", scratch / "out")
    check("a DIMG", doctor(scratch / "out/prob.dimg")["wrong"] == 0, "")
    values = [v - 256 if v > 127 else v for v in (scratch / "out/prob.bin").read_bytes()[:10]]
    for name, numbers, wrong in (("raw numbers", values, 0), ("a wrong number", [values[0] ^ 1] + values[1:], 1)):
        (scratch / "raw.dimg").write_text(" ".join(map(str, numbers)) + "\n")
        said = doctor(scratch / "raw.dimg")
        check(name, said["wrong"] == wrong, said)
    (scratch / "raw.dimg").write_text("1 2 3 nan")
    check("too few numbers", "found 3 numbers, expected a DIMG, or 10 x 1 x 1" in doctor(scratch / "raw.dimg")["error"], "")
    (scratch / "raw.dimg").write_bytes(b"DIMG" + bytes(40))
    check("a DIMG of another size", "found a DIMG of 44 bytes" in doctor(scratch / "raw.dimg")["error"], "")


def inputs(scratch):
    for options in (["--channels", "rgb"], ["--mean", "128"], ["--scale", "1"], ["--mean", "128", "--scale", "1"]):
        nvcosim("run", NET / "net.nvdla", "--dut", "model", "-q", *options, "--input", NET / "input.ppm", "--outputs", scratch / "in", "--out", scratch / "in")
        said = doctor(scratch / "in/prob.bin")
        check(f"an input with {' '.join(options)}", any(cause.endswith(" ".join(options)) for cause in said["causes"]), said)


with scratch() as work:
    layers = cubes(work)
    patterns(work, layers[LAYER], layers["0.3"])
    dumps(work, layers)
    runtime(work)
    inputs(work)
finish()
