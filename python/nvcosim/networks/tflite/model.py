"""The whole of a TFLite file."""
from nvcosim.networks.graph import Graph
from nvcosim.networks.tflite import operators
from nvcosim.networks.tflite.reading import Reading

_VERSION = 3


def parse(path: str, data: bytes) -> Graph:
    """path: for messages. Refused."""
    at = Reading(path, data)
    flat = at.flat
    if data[4:8] != b"TFL3":
        flat.fail(4, "found no identifier TFL3, expected a TFLite file")
    root = flat.root("TFLite file")
    version = flat.number(root, 0, 4, "version", True)
    if version != _VERSION:
        flat.fail(root.at, f"found version {version} of the format, expected {_VERSION}")
    at.codes = flat.vector(root, 1, 4, "operator codes")
    at.buffers = flat.vector(root, 4, 4, "buffers")
    subgraphs = flat.vector(root, 2, 4, "subgraphs")
    operators.check(at, subgraphs)
    if subgraphs.count != 1:
        flat.fail(root.at, f"found {subgraphs.count} subgraphs, expected 1")
    subgraph = flat.entry(subgraphs, 0, "subgraph")
    at.read_tensors(subgraph)
    at.graph.inputs = at.ends(subgraph, 1, "inputs")
    at.graph.outputs = at.ends(subgraph, 2, "outputs")
    operators.read(at, subgraph)
    return at.graph
