"""`python3 -m nvcosim.networks NET`, of a TFLite or ONNX file: the description of its graph
(graph.py) on stdout, or a message, and exit status 2."""
import importlib
import sys

from nvcosim import files, text, tool
from nvcosim.networks import graph


def main(path: str) -> int:
    out = sys.stdout.buffer
    reader = "tflite" if path.endswith(".tflite") else "onnx"
    try:
        model = importlib.import_module(f"nvcosim.networks.{reader}.model")
        model.parse(path, files.read(path)).write(out)
        return tool.EXIT_OK
    except (graph.Refused, tool.Failure) as refused:
        message = str(refused)
    except MemoryError:
        message = f"{path}: found no memory for its constants, expected some"
    out.write(text.shown(message).encode() + b"\n")
    return tool.EXIT_BAD_INPUT


sys.exit(main(sys.argv[1]))
