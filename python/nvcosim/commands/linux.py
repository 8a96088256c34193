"""nvcosim linux: a Linux guest in QEMU, with a driver of NVDLA, whose NVDLA is `nvcosim serve`:
starts both, and reads what the guest says on its serial line. `make guest` makes the guest,
scripts/linux/init is what it does. Both processes end with this one, however that ends (setpriv):
the server by SIGTERM, QEMU by SIGKILL, as it obeys no other signal while it waits for a device that
is gone."""
import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time
import types
import typing

from nvcosim import tool
from nvcosim.guest import job
from nvcosim.guest.console import LINE_BYTES, Guest, Layers
from nvcosim.guest.qemu import find_qemu, machine
from nvcosim.options import Parser, Wrong, text
from nvcosim.plan.facts import configurations
from nvcosim.text import plural, shown
from nvcosim.tool import EXIT_BAD_INPUT, EXIT_DIFFERENT, EXIT_HANG, EXIT_OK, Failure

DOC = ("Starts an unmodified Linux for arm64 in QEMU (10.1 or later) whose NVDLA is the RTL or the "
       "model, and runs a compiled network there by NVIDIA's driver and runtime.")
AFTER = """\
Without NET: a shell in the guest, or, if stdin is no terminal, the commands that it has. \
`make guest` makes the guest, with --selftest's programs; \
`make guest SW=CHECKOUT` adds NVIDIA's driver and runtime (docs/live.md).

Examples:
  nvcosim linux --selftest
  nvcosim linux --dut model --selftest --record session.nvt.gz
  nvcosim linux net.nvdla --input picture.png
  echo 'dmesg | tail' | nvcosim linux --put my.ko

Exit status: 0 all well; 1 a program of the self-test or the script failed, or the device had \
findings or wrong layers; 2 bad input or usage, or the guest could not do its work; 3 a layer never\
 ended; 128 + N: ended by signal N."""
TICK_SECONDS, GRACE_SECONDS = 0.05, 3
_TERM_WITH_PARENT, _KILL_WITH_PARENT = (
    ["setpriv", "--pdeathsig", name, "--"] for name in ("TERM", "KILL"))
_NO_CORE = ["prlimit", "--core=0", "--"]  # QEMU aborts if its device goes away
_OWN_FILES = ("script", "net.nvdla", "picture_name", "picture.pgm", "picture.jpg")
Given = types.SimpleNamespace  # the options, and network: "": none
Process = subprocess.Popen[bytes]


# ---- playing


def _server_words(given: Given, socket: str) -> list[str]:
    words = [tool.program(), "serve", "--once", f"--socket={socket}", f"--config={given.config}"]
    words += [f"--dut={given.dut}"] if given.dut else []
    words += [] if "--verbose" in given.server else ["--verbose"]  # to count them
    return [*_TERM_WITH_PARENT, *words, *given.server]


class Session:
    """Server, which it starts, and QEMU. shell: the terminal is the guest's."""

    def __init__(self, words: list[str], guest: Guest, layers: Layers, shell: bool) -> None:
        self.server = subprocess.Popen(words, process_group=0, stdout=subprocess.PIPE)
        self.guest, self.layers, self.shell = guest, layers, shell

    def wait_for(self, socket: str) -> None:
        """Until the server listens; it may build a simulator first. Failure."""
        assert self.server.stdout
        while not os.path.exists(socket):
            if self.server.poll() is not None:
                raise Failure("the server ended before the guest began")
            if select.select([self.server.stdout], [], [], TICK_SECONDS)[0]:
                self.layers.hear(os.read(self.server.stdout.fileno(), LINE_BYTES))

    def _hear(self, qemu: Process) -> bool:
        """What has arrived within a tick. False once QEMU has closed its output."""
        assert self.server.stdout
        streams = {self.server.stdout: self.layers.hear} if self.server.poll() is None else {}
        if qemu.stdout:
            streams[qemu.stdout] = self.guest.hear
        elif qemu.poll() is not None:
            return False
        open_ = True
        for stream in select.select(list(streams), [], [], TICK_SECONDS)[0]:
            more = os.read(stream.fileno(), LINE_BYTES)
            streams[stream](more)
            if not more and stream is qemu.stdout:
                open_ = False
            elif not more:
                time.sleep(TICK_SECONDS)  # it is about to end
        return open_

    def _follow(self, qemu: Process) -> None:
        """To its end. A server that ends first would leave QEMU waiting for ever, or let it abort:
        QEMU is ended then, at once if the server has something to say."""
        alone = 0.0  # time.monotonic() from which on there is no server
        while self._hear(qemu):
            self.layers.show()
            if self.server.poll() is None:
                continue
            alone = alone or time.monotonic()
            ending = self.guest.done or self.guest.broken or (
                self.shell and self.server.returncode == EXIT_OK)
            if not ending or time.monotonic() - alone > GRACE_SECONDS:
                break

    def play(self, words: list[str], said: typing.IO[bytes]) -> int:
        """Runs QEMU to its end. said: gets its stderr. Returns its exit status, EXIT_OK if it was
        ended because the server had ended."""
        streams: dict[str, typing.Any] = {} if self.shell else {"stdin": subprocess.DEVNULL,
                                                                "stdout": subprocess.PIPE}
        with subprocess.Popen([*_NO_CORE, *_KILL_WITH_PARENT, *words], stderr=said,
                              **streams) as qemu:
            try:
                self._follow(qemu)
                if qemu.poll() is None and self.server.poll() is not None:
                    qemu.kill()
                    qemu.wait()
                    return EXIT_OK
            except BaseException:  # also of output that cannot be written
                qemu.kill()
                raise
        return qemu.returncode

    def end(self) -> int:
        """Ends the server, unless it has ended or is about to; prints the rest of what it says.
        Returns its exit status."""
        assert self.server.stdout
        while more := os.read(self.server.stdout.fileno(), LINE_BYTES):
            self.layers.hear(more)
        self.layers.clear()
        return self.server.wait()


def _verdict(given: Given, guest: Guest, qemu: int, served: int, said: str) -> int:
    """The exit status from those of QEMU and of the server. said: by QEMU. Failure."""
    if "--stop" in given.server and served in (EXIT_DIFFERENT, EXIT_HANG):
        return served  # it has ended the session, and said why
    if served not in (EXIT_OK, EXIT_DIFFERENT, EXIT_HANG):
        raise Failure(f"the server ended with status {tool.shell_status(served)}")
    if qemu:
        for line in said.splitlines():
            print(f"QEMU: {shown(line)}", file=sys.stderr)
        raise Failure(f"QEMU ended with status {tool.shell_status(qemu)}")
    if guest.broken:
        return EXIT_BAD_INPUT
    if not given.shell and not guest.done:
        for line in guest.last:
            print(f"guest: {shown(line)}", file=sys.stderr)
        raise Failure("the guest ended early; its last lines are above")
    return EXIT_HANG if served == EXIT_HANG else \
        EXIT_DIFFERENT if guest.failed or served else EXIT_OK


def _files(given: Given, work: str) -> dict[str, bytes]:
    """What goes into the guest's /job, by name. Failure."""
    files = {os.path.basename(path): job.read_file(path) for path in given.put}
    if given.network:
        files["net.nvdla"] = job.read_file(given.network.path)
        if given.network.channels:
            picture = job.convert(given.network, given.input, work)
            name = os.path.basename(picture)
            files |= {name: job.read_file(picture), "picture_name": os.fsencode(name)}
    if given.script is not None:
        files["script"] = given.script
    return files


@contextlib.contextmanager
def _terminal() -> typing.Iterator[None]:
    """Leaves the terminal as it was: a QEMU that is killed does not."""
    try:
        before = termios.tcgetattr(sys.stdin.fileno())
    except (termios.error, ValueError, OSError):
        yield
        return
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, before)


def play(given: Given) -> int:
    """Runs the guest to its end. Returns the exit status; Failure."""
    folder = given.guest
    try:
        os.close(os.open(f"{folder}/vmlinuz", os.O_RDONLY))
    except OSError as error:
        raise Failure(f"{error.filename}: {error.strerror}; `make guest` makes it") from None
    what = "selftest" if given.selftest else "run" if given.network else \
        "script" if given.script is not None else "shell"
    options = (f"nvdla={what} nvdla_config={job.platform(given.config)} "
               f"nvdla_driver={int(given.driver.fits(given.config))}")
    with tempfile.TemporaryDirectory(prefix="nvcosim-linux-", dir="/tmp") as work, _terminal():
        sent = f"{work}/sent" if given.get else ""
        words = [*find_qemu(), *machine(f"{folder}/vmlinuz",
                                        job.make_initrd(folder, work, _files(given, work)),
                                        f"{work}/socket", options, sent)]
        layers = Layers(given.network.launches if given.network else set(),
                        "--verbose" in given.server)
        guest = Guest(layers)
        with open(f"{work}/qemu", "w+b") as said, contextlib.ExitStack() as ending:
            session = Session(_server_words(given, f"{work}/socket"), guest, layers, given.shell)
            ending.callback(session.end)
            ending.callback(session.server.terminate)
            session.wait_for(f"{work}/socket")
            ended = session.play(words, said)
            ending.pop_all()  # the server ends with its client
            served = session.end()
            said.seek(0)
            text_said = said.read().decode("utf-8", "surrogateescape")
        if sent and os.path.exists(sent) and os.path.getsize(sent):
            print(f"got: {plural(len(job.unpack(sent, given.get)), 'file')} in {given.get}")
        return _verdict(given, guest, ended, served, text_said)


# ---- the command


class _Ended(BaseException):
    """By a signal."""


def _end(number: int, _frame: types.FrameType | None) -> None:
    for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(other, signal.SIG_IGN)  # until all is cleared away
    raise _Ended(number)


def _config(given: str) -> str:
    if given not in configurations():
        raise Wrong(f"found '{given}', expected one of {', '.join(configurations())}; "
                    "NVIDIA's driver knows none by values")
    return given


def _parser() -> Parser:
    parser = Parser("linux", "[NET.nvdla]", doc=DOC, after=AFTER)
    serve = {"dest": "server", "repeat": True, "passed": True}
    parser.add("config", arg="NAME", kind=_config, default="",
               help="NVDLA configuration (default: the network's, else that of the guest's driver, "
                    "else small); an unknown NAME lists them")
    parser.add("dut", arg="DUT", kind=text("rtl, model or rtl:NAME"),
               help="Device: rtl (default), model or rtl:NAME, as for nvcosim serve")
    parser.add("input", arg="PICTURE", kind=text("a picture"),
               help="The network's input: PGM, PPM, PNG or JPEG; one in colour must be a JPEG")
    parser.add("put", arg="FILE", kind=text("a file"), repeat=True,
               help="Copy FILE to /job of the guest")
    parser.add("get", arg="FOLDER", kind=text("a folder"),
               help="Copy what the guest has in /out at its end to FOLDER")
    parser.add("record", arg="FILE", **serve,
               help="Write each session as a trace that replays it, .nvt or .nvt.gz")
    parser.add("last", arg="N", **serve,
               help="With --record: keep only the last N layers, or a few more")
    parser.add("judge", **serve,
               help="The model follows: report each layer that the RTL computes differently")
    parser.add("stop", arg="hold", optional=True, **serve,
               help="End at a layer that never ends; with --judge also at the first wrong one, or "
                    "(hold) stop there")
    parser.add("debug", **serve, help="With --judge and --record: run nvcosim debug on a recording "
                                      "with a wrong layer")
    parser.add("selftest", help="Play the programs of the self-test, which are of small, by MSI "
                                "and by INTx")
    parser.add("guest", arg="FOLDER", kind=text("a folder"), default="",
               help="What `make guest` wrote (default: guest/ in the build folder)")
    parser.add("verbose", short="v", **serve, help="Print each launch as it is armed and done")
    return parser


def _check_words(parser: Parser, given: Given) -> None:
    """Ends the program with a usage error."""
    if len(given.words) > 1:
        parser.error(f"found a second network '{given.words[1]}', expected one")
    if given.words and given.selftest:
        parser.error("--selftest has programs of its own; expected no network with it")
    if given.selftest and given.config not in ("", job.DEFAULT_CONFIG):
        parser.error(f"--selftest: found --config {given.config}, expected small, of which its "
                     "programs are")
    if given.input and not given.words:
        parser.error("--input: expected a network with it")
    names = [*_OWN_FILES, *(os.path.basename(path) for path in given.put)]
    for name in names:
        if names.count(name) > 1:
            parser.error(f"--put: found two files for /job/{name}, expected one")


def _read_network(parser: Parser, given: Given, path: str) -> job.Network:
    """A network and an input that fit each other, the device and the guest. Failure, or a usage
    error."""
    missing = f"--input is missing; expected the picture that {path} reads"
    if not given.input and not os.path.exists(path):
        parser.error(missing)
    network = job.read_network(path, given.config, given.driver.config or job.DEFAULT_CONFIG)
    if network.channels and not given.input:
        parser.error(missing)
    if given.input and not network.channels:
        parser.error(f"--input: found a picture, expected none: {path} has no input")
    return network


def _stdin() -> bytes:
    return sys.stdin.buffer.read() if sys.stdin else b""


def main(argv: list[str]) -> int:
    """Returns the exit status."""
    parser = _parser()
    given = parser.parse(argv)
    _check_words(parser, given)
    given.guest = given.guest or f"{tool.build_folder()}/guest"
    given.driver = job.read_driver(given.guest)
    given.network = _read_network(parser, given, given.words[0]) if given.words else None
    given.config = given.config or (
        given.network.config if given.network else
        not given.selftest and given.driver.config or job.DEFAULT_CONFIG)
    if given.network and os.path.exists(f"{given.guest}/vmlinuz"):
        job.check_driver(given.guest, given.driver, given.network)
    plain = not given.network and not given.selftest
    given.shell = plain and os.isatty(0)
    given.script = None if given.shell or not plain else _stdin()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)
    try:
        return play(given)
    except _Ended as end:
        sys.stdout.flush()
        signal.signal(end.args[0], signal.SIG_DFL)
        os.kill(os.getpid(), end.args[0])
        raise
