"""Functional coverage: the table, files of counts, and bits of tests. The bins that layers land in are cases of
tests/unit/coverage.txt."""
import pathlib
import tempfile
import unittest

from nvcosim import tool
from nvcosim.coverage import Coverage
from nvcosim.tool import Failure

TRACES = "traces/conformance"


def counted(*traces):
    return Coverage(tool.run_json("coverage-bins", "--", *(f"{TRACES}/{name}.nvt.gz" for name in traces)))


class Tables(unittest.TestCase):
    def test_what_a_configuration_lacks_is_left_out(self):
        small, full = counted("small/rand_sdp_000").text(), counted("full/rand_sdp_000").text()
        for words in ("\nbdma, ", "\nrubik, 0 layers\n", "\nsdp_lut, ", "winograd", "int16", "\n  pra_truncate "):
            self.assertEqual((words in small, words in full), (False, True), words)
        self.assertIn(f"\n  {'ew':44}   1 of    1\n", small)
        self.assertIn("of    9", next(line for line in small.splitlines() if " bs_alu*bs_mul " in line))  # no PReLU with an ALU function
        self.assertNotIn("\nvalues, ", full)

    def test_before_the_first_trace_everything_can_be_reached(self):
        text = counted().text()
        self.assertRegex(text, r"\n  memory +0 of +2  none of them\n")
        self.assertIn("\nvalues, 0 streams\n", text)
        self.assertRegex(text, r"\n0 of \d+ bins exercised, 0.0 %$")

    def test_facts_say_the_same(self):
        coverage = counted("small/rand_sdp_000", "small/rand_pdp_000")
        facts = coverage.facts(2)
        self.assertIn(f"\n{facts['covered']} of {facts['bins']} bins exercised", coverage.text())
        rows = [(group["engine"], row) for group in facts["groups"] for row in group["rows"]]
        self.assertEqual(sum(row["bins"] - row["covered"] for _, row in rows), sum(len(row["holes"]) for _, row in rows))
        for engine, row in rows:
            for hole in row["holes"]:
                self.assertEqual(coverage.counts[coverage.names[f"{engine}.{row['name']}={hole}"]], 0)


class Counts(unittest.TestCase):
    def setUp(self):
        self.file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()), "counts.txt")

    def count(self, coverage, name):
        return coverage.counts[coverage.names[name]]

    def test_files_add_up(self):
        coverage = counted("small/rand_sdp_000")
        layers = self.count(coverage, "sdp.layers")
        self.file.write_text(coverage.written())
        coverage.merge(str(self.file))
        self.assertEqual((self.count(coverage, "sdp.layers"), self.count(coverage, "trace.config=small")), (2 * layers, 2))
        coverage = counted()
        self.file.write_text("# comment\n\n  sdp.bs_alu=max \t 12 # more\nsdp.bs_alu=max 3")
        coverage.merge(str(self.file))
        self.assertEqual(self.count(coverage, "sdp.bs_alu=max"), 15)
        self.file.write_text(f"sdp.layers {'0' * 5000}{1 << 65}\n")
        coverage.merge(str(self.file))
        self.assertEqual(self.count(coverage, "sdp.layers"), (1 << 64) - 1)

    def test_bad_files_add_nothing(self):
        for text, message in (
                ("sdp.layers 1\nsdp.nonsense=1 2\n", "2: found the unknown bin 'sdp.nonsense=1'; the file may come from another version"),
                ("sdp.layers\n", "1: expected the name of a bin and a count"), ("sdp.layers 3 4\n", "1: expected"),
                ("sdp.layers 3\nsdp.layers x\n", "2: expected"), ("sdp.layers -3\n", "1: expected")):
            coverage = counted()
            self.file.write_text(text)
            with self.assertRaisesRegex(Failure, f"^{self.file}:{message}"):
                coverage.merge(str(self.file))
            self.assertEqual(self.count(coverage, "sdp.layers"), 0)

    def test_bits_of_this_list_of_bins_count(self):
        coverage, size = counted(), len(counted().counts)
        mark = coverage.mark.to_bytes(8)
        one, other = (mark + bytes(at) + b"\x81" + bytes((size + 7) // 8 - at - 1) for at in (0, 3))
        self.assertEqual(coverage.add_bits([one, other, one, one[:-1], bytes(8) + one[8:], b""]), 3)
        self.assertEqual([at for at, count in enumerate(coverage.counts) if count], [0, 7, 24, 31])
