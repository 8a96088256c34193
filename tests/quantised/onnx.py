#!/usr/bin/python3
"""Random networks as TFLite, as ONNX in its form QDQ, in its form QOperator, and with values of uint8: all give the same loadable.

usage: onnx.py NVCOSIM COUNT
Ends with "N passed, N failed".
"""
import sys

from counts import check, finish, run, scratch
from graphs import CONFIG, Maker
from onnx_form import NotInForm, Writer
from played import NVCOSIM

COUNT = int(sys.argv[2])


def compile_to(path):
    out = path.with_suffix(path.suffix + ".nvdla")
    done = run(NVCOSIM, "compile", path, "--config", CONFIG, "-o", out)
    return out.read_bytes() if done.returncode == 0 else done.stderr


def play(seed, work):
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
        path = work / (f"g{seed}.tflite" if form == "tflite" else f"g{seed}-{form}.onnx")
        path.write_bytes(data)
        results[form] = compile_to(path)
    for form, found in results.items():
        if isinstance(found, str) or found != results["tflite"]:
            return f"{form}: {found if isinstance(found, str) else 'another loadable than that of the TFLite file'}"
    return None


without = 0
with scratch() as folder:
    for number in range(1, COUNT + 1):
        reason = play(number, folder)
        without += reason is NotInForm
        if reason is not NotInForm:
            check(f"network of seed {number}", not reason, reason)
print(f"{without} of {COUNT} have no such form: pooling with an activation, RESHAPE to other channels, uint8 ...")
check("half of them have one", without <= COUNT / 2, without)
finish()
