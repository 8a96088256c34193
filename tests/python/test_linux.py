"""The guest of `nvcosim linux`: its archive, what it says, and a QEMU that is new enough; a server and a QEMU that are scripts."""
import contextlib
import io
import os
import pathlib
import tempfile
import types
import unittest
import unittest.mock

from nvcosim.commands import linux
from nvcosim.tool import Failure

SERVER = """#!/usr/bin/python3
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(next(word for word in sys.argv if word.startswith("--socket="))[9:])
server.listen()
server.accept()[0].recv(1)
sys.exit({status})
"""
QEMU = """#!/usr/bin/python3
import json, socket, sys
if "--version" in sys.argv:
    print("QEMU emulator version {version}")
    sys.exit()
device = socket.socket(socket.AF_UNIX)
device.connect(json.loads(sys.argv[sys.argv.index("-device") + 1])["socket"]["path"])
print({says!r}, end="", flush=True)
"""


class Guests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("vmlinuz", "initrd.gz"):
            (self.folder / name).write_bytes(b"abc")
        self.environment = {"NVCOSIM_PROGRAM": str(self.folder / "nvcosim"), "DEBIAN_CHROOTS": str(self.folder),
                            "PATH": f"{self.folder}:{os.environ['PATH']}"}

    def put(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        (self.folder / name).chmod(0o755)

    def play(self, says, status=0, version="10.1.0"):
        self.put("nvcosim", SERVER.format(status=status))
        self.put("qemu-system-aarch64", QEMU.format(says=says, version=version))
        out = io.StringIO()
        options = types.SimpleNamespace(config="small", dut="model", guest=str(self.folder), network="", server=[], selftest=True)
        with unittest.mock.patch.dict(os.environ, self.environment), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                return linux.play(options), out.getvalue()
            except Failure as failure:
                return str(failure), out.getvalue()

    def test_what_it_says_is_the_status(self):
        self.assertEqual(self.play("boot\r\nguest: a\x1bb\r\nguest: done\r\n"), (0, "a\\x1bb\n"))
        self.assertEqual(self.play("guest: msi: FAILED: 1\nguest: done\n"), (1, "msi: FAILED: 1\n"))
        self.assertEqual(self.play("guest: done\n", status=1), (1, ""))
        self.assertEqual(self.play("guest: done\n", status=4), ("the server ended with status 4", ""))
        self.assertEqual(self.play("guest: error: no device\n"), (2, "error: no device\n"))
        self.assertEqual(self.play("".join(f"{i}\n" for i in range(12))),
                         ("the guest ended early; its last lines are above", "".join(f"guest: {i}\n" for i in range(2, 12))))

    def test_what_is_missing_is_named(self):
        says, _ = self.play("", version="7.2.1")
        self.assertTrue(says.startswith("found QEMU 7.2 in qemu-system-aarch64, expected qemu-system-aarch64 10.1 or later in PATH"))
        (self.folder / "vmlinuz").unlink()
        self.assertEqual(self.play("")[0], f"{self.folder}/vmlinuz: No such file or directory; `make guest` makes it")

    def test_a_server_that_does_not_begin(self):
        self.put("nvcosim", "#!/bin/sh\nexit 3\n")
        with unittest.mock.patch.dict(os.environ, self.environment), self.assertRaisesRegex(Failure, "the server ended before the guest began"):
            linux._start_server(types.SimpleNamespace(config="small", dut=None, server=[]), str(self.folder / "none"))

    def test_the_job_is_an_archive(self):
        for name, text in (("net", "network"), ("p.x.jpg", "pic")):
            self.put(name, text)
        job = linux.job(str(self.folder / "net"), str(self.folder / "p.x.jpg"))
        self.assertEqual(len(job) % 4, 0)
        entries = {}
        while job:
            size, length = int(job[54:62], 16), int(job[94:102], 16)
            begin = (110 + length + 3) // 4 * 4
            entries[job[110:110 + length - 1].decode()] = job[begin:begin + size]
            self.assertEqual(job[:6], b"070701")
            job = job[(begin + size + 3) // 4 * 4:]
        self.assertEqual(entries, {"job": b"", "job/picture_name": b"picture.jpg", "job/net.nvdla": b"network",
                                   "job/picture.jpg": b"pic", "TRAILER!!!": b""})

    def test_nothing_is_left_behind(self):
        self.play("guest: done\n")
        lines = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                lines.append((process / "cmdline").read_text(errors="replace"))
        self.assertEqual([line for line in lines if str(self.folder) in line], [])


if __name__ == "__main__":
    unittest.main()
