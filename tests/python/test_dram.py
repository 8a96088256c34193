"""Parameters of memories (nvcosim/dram.py): what their line holds, and what is said of those that cannot be used."""
import pathlib
import tempfile
import unittest

from nvcosim import dram
from nvcosim.tool import Failure

HERE = pathlib.Path(__file__).resolve().parent
ZCU102 = (HERE.parent.parent / "csrc/dram/zcu102.yml").read_bytes()


class Memories(unittest.TestCase):
    def refuses(self, argument: str, message: str) -> None:
        with self.subTest(argument), self.assertRaises(Failure) as failure:
            dram.line(argument)
        self.assertEqual(str(failure.exception), message)

    def test_what_is_wrong_is_told_with_its_place(self) -> None:
        rows = [row.split("\t") for row in (HERE / "memories.txt").read_text(encoding="utf-8").splitlines()[2:]]
        files = {case[5:].encode().decode("unicode_escape").encode("latin-1"): message for case, message in rows if case.startswith("file ")}
        files[b"[" * 16385] = ": found more than 16384 bytes, expected the parameters of a memory (docs/memory.md)"
        files[ZCU102.replace(b"  tRC:", b"  # ")] = ": the parameter timing.tRC is missing (docs/memory.md)"
        files[ZCU102 + b"---\na: 1\n"] = ":42:1: found a second document, expected one"
        for case, message in rows:
            if not case.startswith("file "):
                self.refuses(case, message)
        with tempfile.NamedTemporaryFile(suffix=".yml") as file:
            for data, message in files.items():
                pathlib.Path(file.name).write_bytes(data)
                self.refuses(file.name, file.name + message)

    def test_times_are_rounded_up_and_texts_have_lengths(self) -> None:
        numbers = dram.line("zcu102,tREFI=0x1p13 ns,tRC=99,tWR=.5 us,core_mhz=33.3335").split(b" ")
        self.assertEqual([numbers[i] for i in (1, 25, 34, 37)], [b"33334", b"99", b"600", b"9831"])
        self.assertEqual(dram.line("zcu102,library=./\udcff,library_parameters=a b")[-10:], b"3:./\xff3:a b")
