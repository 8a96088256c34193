"""Sizes of configurations: what is kept, what is mapped again, and the rows that are read."""
import contextlib
import io
import os
import tempfile
import unittest
from unittest import mock

from nvcosim import sizes, tool
from nvcosim.tool import Failure


class Kept(unittest.TestCase):
    def setUp(self):
        self.mapped, self.work = [], self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(mock.patch.object(tool, "build_folder", lambda: self.work))
        self.enterContext(mock.patch.object(sizes, "_map", self.map))

    def map(self, config, engine):
        self.mapped.append(engine)
        if len(self.mapped) == 3:
            raise Failure("--size: ended")
        return [10, 20, 1, 2]

    def make(self, config):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            return sizes.make(config), said.getvalue()

    def test_engines_are_mapped_once_and_an_end_loses_none(self):
        self.assertIsNone(sizes.kept("small"))
        with self.assertRaises(Failure):
            self.make("small")
        self.assertIsNone(sizes.kept("small"))
        size, said = self.make("small")
        self.assertEqual(size, sizes.Size(110, 220, 11, 22))
        self.assertEqual(self.mapped, ["cdma", "cbuf", "csc", "csc", "cmac", "cacc", "sdp", "pdp", "cdp", "mif", "csb", "glb"])
        self.assertIn("mapping small to Xilinx 7: csc, 1 of 9, about ", said)
        self.assertEqual((self.make("small"), sizes.kept("small")), ((size, ""), size))
        self.assertEqual(len(self.mapped), 12)
        self.assertIsNone(sizes.kept("small+macs-16x16"))

    def test_another_rtl_is_another_size(self):
        self.mapped = [""] * 3
        self.make("small")
        path = os.path.join(self.work, "more.sv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("module more; endmodule\n")
        files = sizes._files() + [path]
        with mock.patch.object(sizes, "_files", lambda: files):
            self.assertIsNone(sizes.kept("small"))
        self.assertIsNotNone(sizes.kept("small"))

    def test_rows_are_those_of_make_synth(self):
        with open(f"{tool.sources()}/rtl/README.md", encoding="utf-8") as file:
            rows = [line for line in file if line.startswith("| `nvdla_") and "| xilinx7," in line]
        self.assertTrue(rows)
        for row in rows:
            self.assertIsNotNone(sizes._ROW.match(row), row)
