"""The guest of `nvcosim linux`: its archive, what it says, what it is given; a server and a QEMU that are scripts."""
import contextlib
import functools
import io
import os
import pathlib
import signal
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest
import unittest.mock

from nvcosim.commands import linux
from nvcosim.guest import job
from nvcosim.guest.console import Guest, Layers
from nvcosim.tool import Failure

# It stands for `nvcosim serve`, and the other commands that are asked for facts.
SERVER = """#!/usr/bin/python3
import json, os, socket, sys, time
if sys.argv[1] == "info":
    print({facts!r})
    sys.exit()
print("SDP #0 done at clock 5")
print("session: layers=1", flush=True)
server = socket.socket(socket.AF_UNIX)
path = next(word for word in sys.argv if word.startswith("--socket="))[9:]
server.bind(path)
server.listen()
client = server.accept()[0]
if {first}:
    time.sleep(0.2)
    client.close()
    sys.exit({status})
client.recv(1)
sys.exit({status})
"""
QEMU = """#!/usr/bin/python3
import json, os, socket, sys, time
if "--version" in sys.argv:
    print("QEMU emulator version {version}")
    sys.exit()
device = socket.socket(socket.AF_UNIX)
device.connect(json.loads(sys.argv[sys.argv.index("-device") + 1])["socket"]["path"])
print({says!r}, end="", flush=True)
if {aborts}:
    if {first}:
        device.recv(1)
    print("error_setv: Assertion", file=sys.stderr, flush=True)
    os.abort()
if {waits}:
    time.sleep(600)
"""


class Guests(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("vmlinuz", "initrd.gz"):
            (self.folder / name).write_bytes(b"abc")
        self.environment = {"NVCOSIM_PROGRAM": str(self.folder / "nvcosim"), "DEBIAN_CHROOTS": str(self.folder),
                            "PATH": f"{self.folder}:{os.environ['PATH']}"}

    def put(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        (self.folder / name).chmod(0o755)

    def scripts(self, says, status=0, version="10.1.0", first=False, aborts=False, waits=False, facts="{}"):
        self.put("nvcosim", SERVER.format(status=status, first=first, facts=facts))
        self.put("qemu-system-aarch64", QEMU.format(says=says, version=version, first=first, aborts=aborts, waits=waits))

    def play(self, says, status=0, server=(), script=None, get="", **how):
        self.scripts(says, status, **how)
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        options = types.SimpleNamespace(config="small", dut="model", guest=str(self.folder), network=None, server=list(server), put=[], get=get,
                                        selftest=script is None, script=script, shell=False, driver=types.SimpleNamespace(fits=lambda config: True))
        with unittest.mock.patch.dict(os.environ, self.environment), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                result = linux.play(options)
            except Failure as failure:
                result = str(failure)
        return result, out.buffer.getvalue().decode().replace("session: layers=1\n", "")

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
        with unittest.mock.patch.dict(os.environ, self.environment):
            words = linux._server_words(types.SimpleNamespace(config="small", dut=None, server=[]), "s")
            session = linux.Session(words, Guest(), Layers(set(), False), False)
            with self.assertRaisesRegex(Failure, "the server ended before the guest began"):
                session.wait_for(str(self.folder / "none"))
            session.end()

    def test_a_server_that_ends_by_itself(self):
        """--stop at a wrong layer or one that hangs: its status, without the noise of the QEMU that it leaves."""
        for status in (1, 3):
            for aborts in (True, False):
                how = {"first": True, "aborts": aborts, "waits": not aborts}
                self.assertEqual(self.play("", status, ["--judge", "--stop"], **how), (status, ""), (status, aborts))
        self.assertEqual(self.play("", 2, first=True, aborts=True), ("the server ended with status 2", ""))
        self.assertEqual(self.play("", 0, aborts=True), ("QEMU ended with status 134", "QEMU: error_setv: Assertion\n"))

    def test_a_script(self):
        for says, output in (("a\tb\r\n\r\n", "a\tb\n"), ("a\n\nb\n", "a\n\nb\n"), ("\n", ""), ("guest: a\n\n", "guest: a\n")):
            said = f"boot\nguest: Linux\nguest: script\n{says}guest: script ended with status 0\nguest: done\n"
            self.assertEqual(self.play(said, script=b"x"), (0, f"Linux\n{output}"))
        self.assertEqual(self.play("guest: script\nguest: script ended with status 7\nguest: done\n", script=b"exit 7"),
                         (1, "nvcosim linux: the script ended with status 7\n"))

    def test_layers(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            layers = Layers({("SDP", 0), ("SDP", 1)}, False)
            layers.hear(b"SDP #0 armed at clock 1\nSDP #0 done at clock 5, after 4\nPDP #0 done at clock 9\nrec")
            layers.hear(b"orded: x\n")
            layers.show()
            layers.reported -= 100
            layers.show()
            guest = Guest(layers)
            guest.hear(b"guest: runtime: execution time = 459211.000000 s\n")
        self.assertRegex(out.getvalue(), r"^recorded: x\nnvcosim linux: 1 of 2 launches, \d+:\d\d left\n"
                         r"runtime: execution time = 459211.000000 s \(0.459211 s: the runtime prints microseconds\)\n$")

    def test_signals(self):
        """Temporary folder and processes are gone, and all is said, when the command has ended."""
        facts = '{"configurations": [{"name": "small", "map": "small"}], "folders": {}}'
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.scripts("guest: hello\n", facts=facts, waits=True)
            before = set(pathlib.Path("/tmp").glob("nvcosim-linux-*"))
            program = f"import sys; sys.path.insert(0, {str(pathlib.Path(linux.__file__).parents[2])!r})\n" \
                      "from nvcosim.commands import main\nsys.exit(main(sys.argv[1], 'linux', sys.argv[2:]))"
            words = [sys.executable, "-c", program, str(self.folder / "nvcosim"), "--selftest", "--guest", str(self.folder)]
            with subprocess.Popen(words, env=os.environ | self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  preexec_fn=functools.partial(signal.signal, number, signal.SIG_DFL)) as process:  # nohup ignores it
                while "hello" not in (line := process.stdout.readline()) and line:
                    pass
                process.send_signal(number)
                try:
                    process.communicate(timeout=300)
                finally:
                    process.kill()
                self.assertEqual(process.returncode, -number)
            self.assertEqual(set(pathlib.Path("/tmp").glob("nvcosim-linux-*")) - before, set())
            self.assertEqual(self.processes(), [])

    def test_the_job_is_an_archive(self):
        archive = job.job({"net.nvdla": b"network", "picture.jpg": b"pic"})
        self.assertEqual(len(archive) % 4, 0)
        entries = {}
        while archive:
            size, length = int(archive[54:62], 16), int(archive[94:102], 16)
            begin = (110 + length + 3) // 4 * 4
            entries[archive[110:110 + length - 1].decode()] = archive[begin:begin + size]
            self.assertEqual(archive[:6], b"070701")
            archive = archive[(begin + size + 3) // 4 * 4:]
        self.assertEqual(entries, {"job": b"", "job/net.nvdla": b"network", "job/picture.jpg": b"pic", "TRAILER!!!": b""})

    def test_what_the_guest_sends(self):
        """Files, below the folder only."""
        sent = self.folder / "sent"
        with tarfile.open(sent, "w") as tar:
            for name in ("./a", "b/c", "../evil", "/d"):
                member = tarfile.TarInfo(name)
                member.size = len(name)
                tar.addfile(member, io.BytesIO(name.encode()))
            link = tarfile.TarInfo("link")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
            tar.addfile(link)
        self.assertEqual(job.unpack(str(sent), str(self.folder / "got")), ["a", "b/c", "d"])
        found = sorted(str(path.relative_to(self.folder / "got")) for path in (self.folder / "got").rglob("*") if path.is_file())
        self.assertEqual(found, ["a", "b/c", "d"])
        sent.write_bytes(b"x" * 600)
        with self.assertRaisesRegex(Failure, "--get: what the guest has sent is no archive"):
            job.unpack(str(sent), str(self.folder / "got"))

    def test_the_driver_of_the_guest(self):
        """It, network and configuration agree, or the network is refused."""
        maps = {"small": {"map": "small"}, "large": {"map": "small"}, "full": {"map": "full"}}
        with unittest.mock.patch.object(job, "configurations", return_value=maps):
            for about, config, cubes, says in (
                    ("with NVIDIA's driver", "large", 28, ""), ("with NVIDIA's driver for full", "full", 32, ""),
                    ("with NVIDIA's driver for small, cubes of 32 bytes", "small", 32, ""),
                    ("with NVIDIA's driver", "full", 32, "found NVIDIA's driver built for small, expected one for full"),
                    ("with NVIDIA's driver for full", "small", 32, "CONFIG=small` makes it"),
                    ("without NVIDIA's driver", "small", 32, "found a guest without NVIDIA's driver and runtime"),
                    ("with NVIDIA's driver for full, cubes of 32 bytes", "full", 28, "net: found descriptors with cubes of 28 bytes, expected 32")):
                (self.folder / "about").write_text(f"Linux 6.12, {about}\n")
                network = job.Network("net", config, 1, cubes, set())
                try:
                    job.check_driver("guest", job.read_driver(str(self.folder)), network)
                    said = ""
                except Failure as failure:
                    said = str(failure)
                self.assertEqual(bool(said), bool(says), said)
                self.assertIn(says, said)
        self.assertEqual(job.read_driver("none"), job.Driver())

    def test_a_network_without_an_input(self):
        facts = '{"config": "small", "cube_bytes": 32, "tensors": [{"name": "x", "nchw": [1, 3, 8, 8]}], "layers": [{"launch": {"unit": "SDP", ' \
                '"number": 0}}, {}], "memories": [{"input": true, "tensor": "x"}]}'
        for given, channels in ((facts, 3), (facts.replace("true", "false"), 0)):
            self.scripts("", facts=given)
            with unittest.mock.patch.dict(os.environ, self.environment):
                network = job.read_network("net", "", "small")
            self.assertEqual(network, job.Network("net", "small", channels, 32, {("SDP", 0)}))
        self.put("net", "abc")
        network = job.Network(str(self.folder / "net"), "small", 0, 32, set())
        options = types.SimpleNamespace(put=[str(self.folder / "nvcosim")], network=network, script=None, input=None)
        self.assertEqual(sorted(linux._files(options, str(self.folder))), ["net.nvdla", "nvcosim"])

    def test_nothing_is_left_behind(self):
        self.play("guest: done\n")
        self.assertEqual(self.processes(), [])

    def processes(self):
        lines = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                lines.append((process / "cmdline").read_text(errors="replace"))
        return [line for line in lines if str(self.folder) in line]
