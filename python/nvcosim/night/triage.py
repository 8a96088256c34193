"""What `nvcosim debug` and `nvcosim shrink` find out about failures of a night, several at a time.

A look at a failure is a generator: it yields what is to run next, gets its result, and returns a
Discovery. Discoveries are kept line by line in a file of the night's folder, as soon as they are
known, so that a night that is killed meanwhile resumes where it was."""
import contextlib
import dataclasses
import errno
import json
import math
import os
import select
import time
import typing

from nvcosim.engine import builds
from nvcosim.engine.guard import Child, Guard
from nvcosim.engine.launcher import Done, Ended, Play
from nvcosim.progress import Progress
from nvcosim.store.signature import likeness
from nvcosim.tool import EXIT_CRASH, EXIT_DIFFERENT, EXIT_HANG, EXIT_OK, Failure, program

if typing.TYPE_CHECKING:
    from nvcosim.engine.builds import Builds
    from nvcosim.engine.launcher import Launcher
    from nvcosim.engine.signals import Signals
    from nvcosim.plan.read import Settings
    from nvcosim.plan.test import Test
    from nvcosim.store.database import Store
    from nvcosim.store.results import Members, Result

TICK_SECONDS = 0.25
SHRINK_ATTEMPTS = 100000
SHRINK_GRACE = 30  # seconds beyond its own limit in which shrink may write its trace
SHRINK_MEMORY = 256 << 20  # bytes that shrink needs beside those of the run
DEBUG_MEMORY = 2  # memory of debug, with waves and copies of the process, in runs


@dataclasses.dataclass
class Discovery:
    """kind: "debug" or "shrink". test: number of the test that was looked at. spent: seconds of
    wall time that all looks of this kind have taken up to its end. signature: of debug: of the
    failure from now on; of shrink: of the bucket whose smallest case was shrunk. note: what went
    wrong, a clause for the user. Of debug: engine, tap, what ("value", "hang", "check"), sentence,
    page. Of shrink: trace, cycles (core clocks, 0: not known). Paths are relative to the folder of
    the night."""
    kind: str
    test: int
    spent: float = 0
    cycles: int = 0
    signature: str | None = None
    note: str | None = None
    engine: str | None = None
    tap: str | None = None
    what: str | None = None
    sentence: str | None = None
    page: str | None = None
    trace: str | None = None


class Discoveries:
    """Those of a night, in the order of their file, without lines that a full disk or a power cut
    has left incomplete."""

    def __init__(self, folder: str) -> None:
        self.path = f"{folder}/buckets/found.jsonl"
        self.found: list[Discovery] = []
        try:
            os.makedirs(f"{folder}/buckets", exist_ok=True)
            with contextlib.suppress(FileNotFoundError), open(self.path, "rb") as file:
                for line in file:
                    with contextlib.suppress(ValueError, TypeError):
                        self.found.append(Discovery(**json.loads(line)))
        except OSError as error:
            raise Failure(_why(error)) from None

    def add(self, discovery: Discovery) -> str:
        """Keeps a discovery, on the disk too; what the user should know if that is not possible: it
        is known until the program ends."""
        self.found.append(discovery)
        members = {name: value for name, value in dataclasses.asdict(discovery).items()
                   if value is not None and (name != "cycles" or value)}
        # A line end before it too: the file may end in a line that was cut.
        line = ("\n" + json.dumps(members, separators=(",", ":")) + "\n").encode()
        try:
            with open(self.path, "ab", buffering=0) as file:
                if file.write(line) < len(line):
                    raise OSError(errno.ENOSPC, "no space for a whole line")
                os.fdatasync(file)
        except OSError as error:
            return f"{self.path}: {error.strerror}; a night that is resumed will look at test " \
                f"{discovery.test} again"
        return ""

    def find(self, kind: str, test: int, signature: str | None = None) -> Discovery | None:
        """The discovery about a test. signature: of a shrunk trace; None: whichever."""
        return next((each for each in self.found if each.kind == kind and each.test == test
                     and signature in (None, each.signature)), None)

    def spent(self, kind: str) -> float:
        """Seconds that all looks of a kind have taken."""
        return max((each.spent for each in self.found if each.kind == kind), default=0)


@dataclasses.dataclass(frozen=True)
class Job:
    """folder: of the night. jobs: processes at a time. report: takes a line for the user. launch:
    makes what plays on this machine, so many at a time, with the simulators of the night."""
    store: "Store"
    night: int
    folder: str
    tests: "list[Test]"
    builds: "Builds"
    jobs: int
    settings: "Settings"
    report: typing.Callable[[str], None]
    launch: "typing.Callable[[], Launcher]"
    signals: "Signals"


@dataclasses.dataclass(frozen=True)
class Target:
    """A failure to look at. number: of its test. cycles: of the run that failed, 0: not known.
    debugged: the signature is nvcosim debug's, which has to give the same for a shrunk trace."""
    number: int
    signature: str
    cycles: int = 0
    debugged: bool = False


Awaited = int | Child  # a play by its number in the launcher, nvcosim shrink
Look = typing.Generator[Awaited, typing.Any, Discovery]


class Triage:
    """Looks of one kind at failures."""

    def __init__(self, job: Job, kind: str, discoveries: Discoveries) -> None:
        self.job, self.kind, self.discoveries = job, kind, discoveries
        self.before, self.began = discoveries.spent(kind), time.monotonic()
        self.open: dict[Awaited, tuple[Target, Look]] = {}  # by what they wait for
        self.played = self.done = 0

    # ---- a look ----

    def spent(self) -> float:
        return self.before + time.monotonic() - self.began

    def time_left(self) -> float:
        """Seconds in which nvcosim debug may still start."""
        return self.job.settings.debug_seconds - self.spent()

    def _play(self, target: Target, trace: str, seconds: float | None = None) -> int:
        """Plays the trace as the test does; seconds: by nvcosim debug, with that limit."""
        test = self.job.tests[target.number]
        debug = seconds is not None
        name = test.file_name() + ("-shrunk" if trace != test.trace_path(self.job.folder) else "")
        options = [word for word in test.played_options() if not word.startswith("--seed=")]
        options.append(f"--out={self.job.folder}/buckets/{'debug' if debug else 'shrunk'}")
        self.played += 1
        self.launcher.submit(Play(
            self.played, trace, name, test.config,
            tuple(options + ["--debug"] if debug else options), test.seed,
            max_seconds=test.max_seconds if seconds is None else seconds,
            max_memory=test.max_memory * (DEBUG_MEMORY if debug else 1)))
        return self.played

    def _verdict(self, number: int, result: "Result") -> Discovery:
        """What nvcosim debug says, in its report; if there is none, the note says why."""
        found = Discovery("debug", number)
        verdict = _verdict_of_report(result)
        kind, engine, tap, sentence = (verdict.get(name) for name in (
            "kind", "engine", "tap", "sentence"))
        if kind and engine and result.verdict in ("FAIL", "HANG"):
            found.engine, found.tap, found.what = engine, tap, kind
            found.sentence = sentence or result.reason
            before = " or before" if verdict.get("or_before") is True else ""
            found.signature = f"hang:{engine}" if kind == "hang" else \
                f"{engine}{before}:{tap}" if tap else engine
        elif result.verdict == "PASS":
            found.note = "nvcosim debug sees it pass"
        elif kind and sentence:
            found.note = f"nvcosim debug: {sentence}"
        else:
            found.note = f"nvcosim debug: {result.verdict}: {result.reason}"
        page = result.text("page") or ""
        if page.startswith(self.job.folder + "/"):
            found.page = page[len(self.job.folder) + 1:]
        return found

    def _debug(self, target: Target) -> Look:
        trace = self.job.tests[target.number].trace_path(self.job.folder)
        result = yield self._play(target, trace, max(self.time_left(), 1))
        return self._verdict(target.number, result)

    def _shrink_words(self, test: "Test", shrunk: str) -> list[str]:
        return [program(), "shrink", "--quiet", "--keep-options",
                f"--seconds={math.ceil(self.job.settings.shrink_seconds)}",
                f"--attempts={SHRINK_ATTEMPTS}", f"--simulators={self.job.folder}/{builds.FOLDER}",
                f"--out={shrunk}", *test.played_options(), "--", test.trace_path(self.job.folder)]

    def _shrink(self, target: Target) -> Look:
        """nvcosim shrink, and a check that its trace is one of the bucket, and of use."""
        test = self.job.tests[target.number]
        found = Discovery("shrink", target.number, signature=target.signature)
        shrunk = f"{self.job.folder}/buckets/{test.file_name()}.nvt"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(shrunk)
        status, said = yield self.guard.start(
            self._shrink_words(test, shrunk),
            math.ceil(self.job.settings.shrink_seconds) + SHRINK_GRACE,
            test.max_memory and test.max_memory + SHRINK_MEMORY)
        last = said.rstrip("\n").rpartition("\n")[2].lstrip(" \t")
        fails = status in (EXIT_DIFFERENT, EXIT_HANG, EXIT_CRASH)
        if not fails or not os.access(shrunk, os.R_OK):
            found.note = "nvcosim shrink sees it pass" if status == EXIT_OK else \
                f"nvcosim shrink ended with status {status}" + (f": {last}" if last else "")
            return found
        result = yield self._play(target, shrunk)
        cycles, signature = result.clocks("cycles") or 0, likeness(result)
        if target.debugged and result.verdict in ("FAIL", "HANG"):
            result = yield self._play(target, shrunk, self.job.settings.debug_seconds)
            signature = self._verdict(target.number, result).signature
        if signature != target.signature:
            found.note = (f"the shrunk trace fails differently: {signature}" if signature else
                          "the shrunk trace does not fail in the same way")
        elif 0 < target.cycles <= cycles:
            os.unlink(shrunk)
            found.note = "nvcosim shrink cannot make it smaller"
        else:
            found.trace, found.cycles = shrunk[len(self.job.folder) + 1:], cycles
        return found

    # ---- all of them ----

    def _go_on(self, target: Target, look: Look, value: typing.Any) -> None:
        """Hands a look what it waits for (None: it begins)."""
        try:
            awaited = look.send(value)
            if isinstance(awaited, Child):
                self.wake.register(awaited, select.EPOLLIN)
            self.open[awaited] = target, look
        except StopIteration as end:
            self._keep(end.value)
        except OSError as error:
            self._keep(Discovery(
                self.kind, target.number, note=f"nvcosim {self.kind}: {_why(error)}",
                signature=target.signature if self.kind == "shrink" else None))

    def _keep(self, discovery: Discovery) -> None:
        self.done += 1
        discovery.spent = self.spent()
        complaint = self.discoveries.add(discovery)
        if complaint:
            self.job.report(complaint)

    def _take(self) -> str:
        """Waits for what happens next, and handles it. Returns why nothing more can be played."""
        why = ""
        for event in self.launcher.wait(TICK_SECONDS, self.wake.fileno()):
            if isinstance(event, Done) and event.number in self.open and event.result:
                self._go_on(*self.open.pop(event.number), event.result)
            elif isinstance(event, Ended):
                why = event.why or f"nothing more is played: {event.how}"
        for child in [child for child in self._children() if child.has_ended()]:
            self._go_on(*self.open.pop(child), self.guard.end(child))
        return why

    def _children(self) -> list[Child]:
        return [awaited for awaited in self.open if isinstance(awaited, Child)]

    def _run(self, targets: list[Target]) -> int:
        progress, waiting = Progress(), targets[::-1]
        doing = f"{'debugg' if self.kind == 'debug' else 'shrink'}ing failures"
        while True:
            while waiting and len(self.open) < self.job.jobs:
                if self.kind == "debug" and self.time_left() <= 0:
                    waiting.clear()
                    break
                target = waiting.pop()
                self._go_on(target, self._debug(target) if self.kind == "debug" else
                            self._shrink(target), None)
            if not self.open:
                break
            progress.show(f"{doing}: {self.done} of {len(targets)} done, {len(self.open)} running")
            why = self._take()
            number = self.job.signals.take()
            if number or why:  # what is not done is looked at again when the night is resumed
                progress.clear()
                if why:
                    self.job.report(why)
                return number
        progress.clear()
        return 0

    def look_at(self, targets: list[Target]) -> int:
        """Looks at the targets, in their order. Each adds a discovery, except those that a signal
        ended or that were not begun in time: debug ends after debug_seconds, those of earlier
        calls included; each shrink has shrink_seconds. Returns the signal that ended it, or 0."""
        if not targets:
            return 0
        try:
            with Guard() as self.guard, contextlib.closing(self.job.launch()) as self.launcher, \
                    select.epoll() as self.wake:
                self.wake.register(self.job.signals.fileno(), select.EPOLLIN)
                try:
                    return self._run(targets)
                finally:
                    for child in self._children():
                        self.guard.end(child)
        except OSError as error:
            raise Failure(_why(error)) from None


def _why(error: OSError) -> str:
    return f"{error.filename or 'a process cannot be started'}: {error.strerror}"


def _verdict_of_report(result: "Result") -> "Members":
    """Whom nvcosim debug blames in its report; {} if it has none: a crash leaves another
    report."""
    try:
        with open(result.text("report") or "", encoding="utf-8", errors="surrogateescape") as file:
            verdict = json.load(file)["verdict"]
    except (OSError, ValueError, LookupError, TypeError):
        return {}
    return verdict if isinstance(verdict, dict) else {}
