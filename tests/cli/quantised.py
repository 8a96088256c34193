#!/usr/bin/python3
"""Writes a network of one operator.

usage: quantised.py NET.tflite OPERATOR
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "quantised"))
from tflite import Network  # noqa: E402

net = Network()
a = net.tensor((1, 4, 4, 8), 0.1)
net.inputs = [a]
net.outputs = [net.node(sys.argv[2], [a], net.tensor((1, 4, 4, 8), 0.1))]
pathlib.Path(sys.argv[1]).write_bytes(net.bytes())
