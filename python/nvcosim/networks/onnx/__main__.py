"""`python3 -m nvcosim.networks.onnx NET.onnx`: the description of its graph (graph.py) on stdout,
or a message, and exit status 2."""
import sys

from nvcosim import files, text, tool
from nvcosim.networks.onnx import model, reading


def main(path: str) -> int:
    out = sys.stdout.buffer
    try:
        model.parse(path, files.read(path)).write(out)
        return tool.EXIT_OK
    except (reading.Refused, tool.Failure) as refused:
        message = str(refused)
    except MemoryError:
        message = f"{path}: found no memory for its constants, expected some"
    out.write(text.shown(message).encode() + b"\n")
    return tool.EXIT_BAD_INPUT


sys.exit(main(sys.argv[1]))
