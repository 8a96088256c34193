"""Reading of ONNX and TFLite files: protocol buffers, elements in other orders, rounding; files that are damaged or made to take time and memory."""
import array
import itertools
import math
import os
import pathlib
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "quantised"))

from nvcosim.networks.graph import Refused  # noqa: E402
from nvcosim.networks.onnx import constants, model, wire  # noqa: E402
from nvcosim.networks.tflite import model as tflite  # noqa: E402
from onnx_form import block, number, tensor, varint  # noqa: E402
from tflite import Network  # noqa: E402

FLOAT, INT8, INT64 = 1, 3, 7


def file(nodes, values=()):
    """A model with an input of 4 elements and an output "y"; nodes: (kind, inputs, output)."""
    kind = block(2, block(1, number(1, FLOAT) + block(2, block(1, number(1, 1)) + block(1, number(1, 4)))))
    graph = b"".join(block(1, b"".join(block(1, i) for i in inputs) + block(2, output) + block(4, name)) for name, inputs, output in nodes)
    return block(7, graph + b"".join(block(5, v) for v in values) + block(11, block(1, "x") + kind) + block(12, block(1, "y") + kind))


class Wire(unittest.TestCase):
    def test_numbers_in_either_form_and_parts_of_a_message(self):
        data = block(7, block(5, number(1, -1) + block(1, varint(300) + varint(2)))) + block(7, block(5, block(4, struct.pack("<f", 2))))
        first, second = wire.read(data)["graph"]["initializer"]
        self.assertEqual(list(first["dims"]), [-1, 300, 2])
        self.assertEqual(list(second["float_data"]), [2.0])

    def test_what_is_cut_or_has_another_type_is_no_message(self):
        for data in (b"\x3a\x05", b"\x3a", b"\x80", b"\x38\x01", b"\x00\x01", b"\x3b", varint(7 << 3 | 2) + b"\xff" * 10,
                     block(7, block(5, block(4, b"123")))):
            with self.subTest(data), self.assertRaises(wire.Damaged):
                wire.read(data)


class Elements(unittest.TestCase):
    def test_any_order(self):
        r = random.Random(1)
        for _ in range(300):
            sides = [r.randint(1, 4) for _ in range(r.randint(0, 5))]
            perm = r.sample(range(len(sides)), len(sides))
            size = r.choice([1, 4, 8])
            data = bytes(r.randrange(256) for _ in range(math.prod(sides) * size))
            strides = constants.strides_of(sides)
            start = sum((sides[d] - 1) * strides[d] for d in range(len(sides)) if d % 2)
            steps = [strides[p] * (-1 if p % 2 else 1) for p in perm]
            places = [start + sum(map(int.__mul__, steps, at)) for at in itertools.product(*[range(sides[p]) for p in perm])]
            self.assertEqual(bytes(constants.moved(data, size, [sides[p] for p in perm], steps, start)),
                             b"".join(data[p * size:p * size + size] for p in places))

    def test_ties_to_even_and_what_is_outside(self):
        def codes(*values, zeros=(0,)):
            steps = array.array("f", values)
            return list(array.array("b", constants.in_range(INT8, lambda: iter(steps), round, zeros)))
        self.assertEqual(codes(0.5, 1.5, -0.5, -2.5, 127.4), [0, 2, 0, -2, 127])
        self.assertEqual(codes(127.5, 1e30, -math.inf, math.inf, math.nan), [127, 127, -128, 127, -128])
        self.assertEqual(codes(120, 120, -200, zeros=(1, 100)), [121, 127, -128])


class Damage(unittest.TestCase):
    def test_each_byte(self):
        for path in sorted((HERE.parent / "quantised").glob("x.*")):
            parse = tflite.parse if path.suffix == ".tflite" else model.parse
            data = path.read_bytes()
            refused, start, step = 0, time.process_time(), 35 if "UNIT_WALKS" in os.environ else 7
            for i in range(0, len(data), step):
                for damaged in (data[:i], data[:i] + bytes([data[i] ^ 255]) + data[i + 1:], data[:i] + bytes([data[i] ^ 1 << i % 8]) + data[i + 1:]):
                    try:
                        parse("damaged", damaged)
                    except Refused as message:
                        refused += 1
                        self.assertRegex(str(message), "^damaged: .*(found|begins past|hold) ")
            self.assertGreater(refused, len(data) // step)
            self.assertLess(time.process_time() - start, len(data) / 20)

    def test_a_tflite_file_that_shares_its_constants_without_limit(self):
        net = Network()
        net.inputs = [net.tensor((1, 4))]
        net.outputs = [net.node("RELU", net.inputs, net.tensor((1, 4)))]
        whole = net.tensor((1, 1000), data=[0] * 1000)
        net.tensors += [net.tensors[whole]] * 100
        with self.assertRaisesRegex(Refused, "^net: offset 0x[0-9a-f]+: vectors and strings hold more than twice the [0-9]+ bytes of the file"):
            tflite.parse("net", net.bytes())

    def test_sizes_that_are_told(self):
        huge = number(1, 1 << 40) + number(2, FLOAT) + block(8, "c") + block(9, b"")
        row = [("Concat", ["c"] * 8, "c1"), *((("Concat", [f"c{i}"] * 8, f"c{i + 1}")) for i in range(1, 30))]
        square = number(1, 1 << 13) * 2 + number(2, FLOAT) + block(8, "c") + block(9, b"")
        far = number(1, 1 << 20) + number(2, FLOAT) + block(8, "c") + number(14, 1) + block(13, block(1, "location") + block(2, "net.onnx"))
        cases = (
            (file([("Relu", ["x"], "y")], [huge]), "found a constant with a size of 1099511627776, expected at most"),
            (file([("Relu", ["x"], "y")], [square]), "found a constant with a size of 8192, expected at most"),
            (file(row, [tensor("c", FLOAT, [1, 4], bytes(16))]), "found a constant with a size of 67108864, expected at most"),
            (file([("Relu", ["x"], "y")], [far]), "found a file \"net.onnx\" with"),
            (block(7, b"\x0a\x00" * (1 << 21)), "found no ONNX model, or one cut short"),
            (file([("Relu", ["x"], "y")] * 4097), "found 4097 nodes, 1 inputs and 1 outputs"),
            (file([("Relu", ["b"], "a"), ("Relu", ["a"], "b")]), "node 0, Relu, tensor \"a\": found its input 0 to be no result"),
            (file([("Relu", ["x"], "\x1b[2J\n")]), "tensor \"\\x1b[2J\\n\": found its input \"x\" as float32"),
            (b"", "found no ONNX model"),
        )
        for data, text in cases:
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "net.onnx").write_bytes(data)
                done = subprocess.run([sys.executable, "-m", "nvcosim.networks", folder + "/net.onnx"], capture_output=True, text=True, timeout=60,
                                      env={"PYTHONPATH": "python"}, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))
                self.assertEqual((done.returncode, done.stderr, done.stdout.count("\n")), (2, "", 1), done.stdout[:300])
                self.assertIn(text, done.stdout)
