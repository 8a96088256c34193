#!/usr/bin/python3
"""Random networks as TFLite, as ONNX in its form QDQ, in its form QOperator, and with values of uint8: all give the same loadable.

usage: onnx.py NVCOSIM COUNT
Ends with "N passed, N failed".
"""
import pathlib
import subprocess
import sys
import tempfile

from graphs import CONFIG, NVCOSIM, Maker
from onnx_form import NotInForm, Writer

COUNT = int(sys.argv[2])


def compile_to(path):
    out = path.with_suffix(path.suffix + ".nvdla")
    done = subprocess.run([NVCOSIM, "compile", str(path), "--config", CONFIG, "-o", str(out)], capture_output=True, text=True)
    return out.read_bytes() if done.returncode == 0 else done.stderr


def play(seed, scratch):
    """The reason why a network fails, None, or NotInForm."""
    maker = Maker(seed)
    files = {"tflite": maker.grow()}
    try:
        files.update({"qdq": Writer(maker.net, False).bytes(), "qoperator": Writer(maker.net, True).bytes(),
                      "unsigned": Writer(maker.net, True, True).bytes()})
    except NotInForm:
        return NotInForm
    results = {}
    for form, data in files.items():
        path = scratch / (f"g{seed}.tflite" if form == "tflite" else f"g{seed}-{form}.onnx")
        path.write_bytes(data)
        results[form] = compile_to(path)
    for form, found in results.items():
        if isinstance(found, str) or found != results["tflite"]:
            return f"{form}: {found if isinstance(found, str) else 'another loadable than that of the TFLite file'}"
    return None


def main():
    passed = failed = without = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(1, COUNT + 1):
            reason = play(seed, pathlib.Path(scratch))
            if reason is NotInForm:
                without += 1
            elif reason:
                failed += 1
                print(f"FAIL network of seed {seed}: {reason}")
            else:
                passed += 1
    print(f"{without} of {COUNT} have no such form: pooling with an activation, RESHAPE to other channels, uint8 ...")
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed < COUNT / 2


if __name__ == "__main__":
    sys.exit(main())
