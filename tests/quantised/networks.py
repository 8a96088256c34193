#!/usr/bin/python3
"""The networks of MLPerf Tiny: the interpreter against the reference outputs of every layer, each node on the model, the outputs, RTL.

usage: networks.py NVCOSIM REFERENCE FOLDER [CONFIG...]     REFERENCE: the program of reference.c; CONFIG: model (default small)
FOLDER: *.tflite with *.npz, as 88-quantised-networks section 5 describes them. RTL of small plays one input of each network, in
fewer clocks than chapter 88 gives for its layers one after the other.
Ends with "N passed, N failed".
"""
import pathlib
import re
import struct
import sys

from arrays import ATOMS, clocks_of, cube, unpack
from counts import check, finish, run, scratch

NVCOSIM, REFERENCE, FOLDER = (str(pathlib.Path(p).resolve()) for p in sys.argv[1:4])
CONFIGS = sys.argv[4:] or ["small"]
CHAPTER = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/nvdla/88-quantised-networks.md"
SUMS = dict(re.findall(r"^\*\*(\w+)\*\* \(.* (\d+) clocks on small", CHAPTER.read_text(), re.MULTILINE))


def test(net, work):
    arrays = unpack(net.with_suffix(".npz"))
    shape, data = arrays["input"]
    folder = work / net.stem
    folder.mkdir()
    for name, (_, values) in arrays.items():
        (folder / f"{name}.bin").write_bytes(values)
    done = run(REFERENCE, net, folder, shape[0])
    check(f"{net.stem}: interpreter", done.returncode == 0, done.stdout + done.stderr)
    size = len(data) // shape[0]
    last = max((name for name in arrays if name.startswith("cpu_t")), key=lambda name: int(name[5:]))
    for config in CONFIGS:
        atom = ATOMS.get(config, 8)
        for i in range(shape[0]):
            raw = folder / "raw.bin"
            raw.write_bytes(cube(shape[1:], data[i * size:(i + 1) * size], atom))
            how = ["--config", config, "--input", f"raw:{raw}"]
            done = run(NVCOSIM, "compile", net, "--check", "--threads=1", *how)
            check(f"{net.stem}, {config}, input {i}: nodes", done.returncode == 0 and "pass node" in done.stdout, done.stdout + done.stderr)
            dut = "both" if config == "small" and i == 0 else "model"
            done = run(NVCOSIM, "run", "-q", "--html", "--dut", dut, "--out", work, "--outputs", folder, net, *how)
            check(f"{net.stem}, {config}, input {i}: {dut}", done.returncode == 0, done.stdout + done.stderr)
            if dut == "both" and net.stem in SUMS:
                clocks = clocks_of(work / net.stem / "report.json")
                check(f"{net.stem}: clocks", clocks and clocks <= int(SUMS[net.stem]), f"found {clocks}, expected at most {SUMS[net.stem]}")
            expected = arrays[last][1][i * len(arrays[last][1]) // shape[0]:(i + 1) * len(arrays[last][1]) // shape[0]]
            signed = struct.unpack(f"{len(expected)}b", expected)
            outputs = [path for path in folder.glob("*.bin") if path.stem.startswith("Identity")]
            found = struct.unpack(f"{len(expected)}b", outputs[0].read_bytes()[:len(expected)]) if outputs else ()
            if sorted(signed)[-1] - sorted(signed)[-2] > 8:
                check(f"{net.stem}, {config}, input {i}: greatest output", found and found.index(max(found)) == signed.index(max(signed)),
                      f"found {found}, expected {signed}")


with scratch() as place:
    nets = sorted(pathlib.Path(FOLDER).glob("*.tflite"))
    for one in nets:
        test(one, place)
    check("networks", nets, f"found none in {FOLDER}")
    check("sums of clocks", len(SUMS) == 4, f"found {SUMS} in {CHAPTER}; expected four")
finish()
