"""nvcosim linux: a Linux guest in QEMU, with a driver of NVDLA, whose NVDLA is `nvcosim serve`:
starts both, and reads what the guest says on its serial line. `make guest` makes the guest,
scripts/linux/init is what it does. Both processes end with this one, however that ends (setpriv):
the server by SIGTERM, QEMU by SIGKILL, as it obeys no other signal while it waits for a device that
is gone."""
import collections
import contextlib
import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import types
import typing

from nvcosim import tool
from nvcosim.options import Parser, Wrong, text
from nvcosim.plan.facts import configurations
from nvcosim.text import shown
from nvcosim.tool import EXIT_BAD_INPUT, EXIT_DIFFERENT, EXIT_OK, Failure

DOC = ("Starts an unmodified Linux for arm64 in QEMU (10.1 or later) whose NVDLA is the RTL or the "
       "model, and runs a compiled network there by NVIDIA's driver and runtime.")
AFTER = """\
Without NET: a shell in the guest. `make guest` makes the guest, with --selftest's programs; \
`make guest SW=CHECKOUT` adds NVIDIA's driver and runtime (docs/live.md).

Examples:
  nvcosim linux --selftest
  nvcosim linux --dut model --selftest --record session.nvt.gz
  nvcosim linux --config small net.nvdla --input picture.pgm

Exit status: 0 all well; 1 a program of the self-test failed, or the device had findings; 2 bad \
input or usage, or the guest could not do its work."""
TICK_SECONDS, GRACE_SECONDS = 0.05, 3
LAST_LINES, LINE_BYTES = 10, 4096
_QEMU, _LEAST = "qemu-system-aarch64", (10, 1)  # the first with the vfio-user client
_TERM_WITH_PARENT, _KILL_WITH_PARENT = (
    ["setpriv", "--pdeathsig", name, "--"] for name in ("TERM", "KILL"))
Given = types.SimpleNamespace  # the options, and network: "": none


# ---- QEMU


def _version(words: list[str]) -> tuple[int, ...]:
    with contextlib.suppress(OSError):
        done = subprocess.run([*words, "--version"], capture_output=True, text=True, check=False)
        found = re.match(r"QEMU emulator version (\d+)\.(\d+)", done.stdout)
        if found and done.returncode == 0:
            return tuple(map(int, found.groups()))
    return ()


def find_qemu() -> list[str]:
    """The words that start a QEMU that is new enough: that in PATH, or that of a chroot that
    scripts/on_debian.sh made, by the chroot's own loader and libraries, which needs no root."""
    cache = os.environ.get("XDG_CACHE_HOME") or f"{os.environ.get('HOME') or '/root'}/.cache"
    chroot = f"{os.environ.get('DEBIAN_CHROOTS') or f'{cache}/nvcosim/debian'}/13"
    in_chroot = [f"{chroot}/lib64/ld-linux-x86-64.so.2", "--library-path",
                 f"{chroot}/usr/lib/x86_64-linux-gnu", f"{chroot}/usr/bin/{_QEMU}", "-L",
                 f"{chroot}/usr/share/qemu"]
    found = ""
    for words in [_QEMU], in_chroot:
        version = _version(words)
        if version >= _LEAST:
            return words
        if version and not found:
            found = f"QEMU {version[0]}.{version[1]} in {words[0]}"
    raise Failure(f"found {found or f'no {_QEMU}'}, expected {_QEMU} {_LEAST[0]}.{_LEAST[1]} or "
                  f"later in PATH or in the chroot {chroot}; Debian 13 has it in its backports "
                  "(apt-get install -t trixie-backports qemu-system-arm), and `make guest` on an "
                  "older Debian makes a chroot with it")


def _machine(given: Given, folder: str, initrd: str, socket: str) -> list[str]:
    config = given.config
    platform = "nv_large" if config.startswith("large") else \
        "nvdla_os_initial" if config == "full" else "nv_small"
    what = "selftest" if given.selftest else "run" if given.network else "shell"
    device = {"driver": "vfio-user-pci", "socket": {"type": "unix", "path": socket},
              "x-msg-timeout": 3600000}
    return [*"-M virt,memory-backend=ram -cpu cortex-a57 -accel tcg -nodefaults -no-reboot "
            "-display none -serial stdio -m 1024M "
            "-object memory-backend-memfd,id=ram,size=1024M,share=on".split(),
            "-kernel", f"{folder}/vmlinuz", "-initrd", initrd, "-append",
            f"console=ttyAMA0 panic=-1 quiet cma=512M nvdla={what} nvdla_config={platform}",
            "-device", json.dumps(device)]


# ---- what the guest is made of


def archived(name: str, data: bytes | None) -> bytes:
    """A file, or a folder (None), in cpio's form newc, as Linux's buffer-format.rst has it."""
    path, content = os.fsencode(name) + b"\0", data or b""
    mode = 0o40755 if data is None else 0o100644
    # inode, mode, uid, gid, links, time, size, device (4), length of the name, check
    numbers = (0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(path), 0)
    head = b"070701" + b"".join(b"%08x" % number for number in numbers) + path
    return b"".join(part + bytes(-len(part) % 4) for part in (head, content))


def job(network: str, picture: str) -> bytes:
    """The network and its picture in the guest's /job. The picture keeps the end of its name: the
    runtime knows its form by that."""
    name = f"picture{pathlib.Path(picture).suffix}"
    try:
        files = [pathlib.Path(path).read_bytes() for path in (network, picture)]
    except OSError as error:
        raise Failure(f"{error.filename}: cannot open: {error.strerror}") from None
    return b"".join(archived(*entry) for entry in (
        ("job", None), ("job/picture_name", os.fsencode(name)), ("job/net.nvdla", files[0]),
        (f"job/{name}", files[1]), ("TRAILER!!!", b"")))


def _make_initrd(given: Given, folder: str, work: str) -> str:
    initrd = f"{folder}/initrd.gz"
    if given.network:
        more = job(given.network, given.input)
        try:
            initrd = shutil.copyfile(initrd, f"{work}/initrd")
            with open(initrd, "ab") as file:
                file.write(bytes(-file.tell() % 4) + more)
        except OSError as error:
            raise Failure(f"{error.filename or initrd}: {error.strerror}") from None
    return initrd


# ---- playing


def _start_server(given: Given, socket: str) -> "subprocess.Popen[bytes]":
    words = [tool.program(), "serve", "--once", f"--socket={socket}", f"--config={given.config}"]
    words += [f"--dut={given.dut}"] if given.dut else []
    server = subprocess.Popen([*_TERM_WITH_PARENT, *words, *given.server], process_group=0)
    while not os.path.exists(socket):  # it may build a simulator first
        if server.poll() is not None:
            raise Failure("the server ended before the guest began")
        time.sleep(TICK_SECONDS)
    return server


class Guest:
    """What the guest says. Lines that begin with "guest: " are for the user; the last ones are
    kept, for when something goes wrong."""

    def __init__(self) -> None:
        self.last: collections.deque[str] = collections.deque(maxlen=LAST_LINES)
        self.failed = False  # a program of the self-test
        self.broken = False  # the guest could not do its work
        self.done = False
        self.rest = b""  # of a line that has not ended

    def take(self, more: bytes) -> None:
        *lines, self.rest = (self.rest + more).split(b"\n")
        if len(self.rest) >= LINE_BYTES:  # no line is that long
            lines, self.rest = [*lines, self.rest], b""
        for line in lines:
            self.take_line(line.partition(b"\r")[0].decode("utf-8", "surrogateescape"))

    def take_line(self, line: str) -> None:
        self.last.append(line)
        said = line.removeprefix("guest: ")
        if said == line:
            return
        error = said.startswith("error: ")
        self.broken |= error
        self.failed |= "FAILED: " in said
        if said == "done":
            self.done = True
        else:
            print(shown(said), file=sys.stderr if error else sys.stdout, flush=True)

    def follow(self, qemu: "subprocess.Popen[bytes]", server: "subprocess.Popen[bytes]") -> None:
        """To its end. A server that ends first leaves it waiting for ever: QEMU is ended then."""
        assert qemu.stdout
        alone = 0.0  # time.monotonic() from which on there is no server
        while True:
            if select.select([qemu.stdout], [], [], TICK_SECONDS)[0]:
                more = os.read(qemu.stdout.fileno(), LINE_BYTES)
                if not more:
                    break
                self.take(more)
            if server.poll() is not None:
                alone = alone or time.monotonic()
                if time.monotonic() - alone > GRACE_SECONDS:
                    raise Failure("the server ended while the guest ran")

    def play(self, words: list[str], server: "subprocess.Popen[bytes]", shell: bool) -> None:
        """Runs QEMU to its end; its serial line is read here, or is the terminal."""
        ends: dict[str, typing.Any] = {} if shell else {"stdin": subprocess.DEVNULL,
                                                        "stdout": subprocess.PIPE}
        with subprocess.Popen([*_KILL_WITH_PARENT, *words], **ends) as qemu:
            try:
                if not shell:
                    self.follow(qemu, server)
            except BaseException:  # also of output that cannot be written
                qemu.kill()
                raise
        if qemu.returncode:
            raise Failure(f"QEMU ended with status {tool.shell_status(qemu.returncode)}")
        if not shell and not self.done and not self.broken:
            for line in self.last:
                print(f"guest: {shown(line)}", file=sys.stderr)
            raise Failure("the guest ended early; its last lines are above")


def play(given: Given) -> int:
    """Runs the guest to its end. Returns the exit status: 0 all well, 1 a program of the self-test
    failed or the device had findings, 2 the guest could not do its work. Failure."""
    folder = given.guest or f"{tool.build_folder()}/guest"
    try:
        os.close(os.open(f"{folder}/vmlinuz", os.O_RDONLY))
    except OSError as error:
        raise Failure(f"{error.filename}: {error.strerror}; `make guest` makes it") from None
    qemu, guest = find_qemu(), Guest()
    with tempfile.TemporaryDirectory(prefix="nvcosim-linux-", dir="/tmp") as work, \
            contextlib.ExitStack() as ending:
        initrd = _make_initrd(given, folder, work)
        server = _start_server(given, f"{work}/socket")
        ending.callback(server.wait)
        ending.callback(server.terminate)
        guest.play([*qemu, *_machine(given, folder, initrd, f"{work}/socket")], server,
                   not given.network and not given.selftest)
        ending.pop_all()  # the server ends with its client
        served = server.wait()
    if guest.broken:
        return EXIT_BAD_INPUT
    if served not in (EXIT_OK, EXIT_DIFFERENT):  # the guest may end by itself without its device
        raise Failure(f"the server ended with status {tool.shell_status(served)}")
    return EXIT_DIFFERENT if guest.failed or served else EXIT_OK


# ---- the command


def _config(given: str) -> str:
    if given not in configurations():
        raise Wrong(f"found '{given}', expected a configuration such as small or full")
    return given


def _parser() -> Parser:
    parser = Parser("linux", "[NET.nvdla]", doc=DOC, after=AFTER)
    serve = {"dest": "server", "repeat": True, "passed": True}
    parser.add("config", arg="NAME", kind=_config, default="small",
               help="NVDLA configuration (default small); an unknown NAME lists them")
    parser.add("dut", arg="DUT", kind=text("rtl, model or rtl:NAME"),
               help="Device: rtl (default), model or rtl:NAME, as for nvcosim serve")
    parser.add("input", arg="PICTURE", kind=text("a picture"),
               help="The network's input, a .pgm or .jpg that NVIDIA's runtime reads")
    parser.add("record", arg="FILE", **serve,
               help="Write each session as a trace that replays it, .nvt or .nvt.gz")
    parser.add("last", arg="N", **serve,
               help="With --record: keep only the last N layers, or a few more")
    parser.add("judge", **serve,
               help="The model follows: tell each layer that the RTL computes otherwise")
    parser.add("stop", arg="hold", optional=True, **serve,
               help="With --judge: end at the first wrong layer; hold: stand still there")
    parser.add("debug", **serve, help="With --judge and --record: run nvcosim debug on a recording "
                                      "with a wrong layer")
    parser.add("selftest", help="Play the programs of the self-test, which are of small, by MSI "
                                "and by INTx")
    parser.add("guest", arg="FOLDER", kind=text("a folder"),
               help="What `make guest` wrote (default: guest/ in the build folder)")
    parser.add("verbose", short="v", **serve, help="Print each launch as it is armed and done")
    return parser


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    parser = _parser()
    given = parser.parse(argv)
    if len(given.words) > 1:
        parser.error(f"found a second network '{given.words[1]}', expected one")
    given.network = "".join(given.words)
    if given.network and given.selftest:
        parser.error("--selftest has programs of its own; expected no network with it")
    if given.selftest and given.config != "small":
        parser.error(f"--selftest: found --config {given.config}, expected small, of which its "
                     "programs are")
    if given.network and not given.input:
        parser.error(f"--input is missing; expected the picture that {given.network} reads")
    if given.input and not given.network:
        parser.error("--input: expected a network with it")
    return play(given)
