"""A job of the cluster: its tests run like those of a night on one machine, and their results go
into a file, line by line, each on the disk before the next one is taken."""
import contextlib
import os
import signal
import time
import typing

from nvcosim.engine.chunk import Chunk, to_line
from nvcosim.engine.launcher import Done, Ended, Event, Message, Play, Progress, Started
from nvcosim.engine.local import LocalLauncher
from nvcosim.engine.signals import Signals
from nvcosim.tool import EXIT_BAD_INPUT, EXIT_OK, Failure, complain

TICK_SECONDS = 0.25
PROGRESS_SECONDS = 3  # how often a test says how far it is
LOOK_SECONDS = 5  # how often a job checks whether the runner has given it up


class Worker:
    """Runs chunk `number` of the night in a folder."""

    def __init__(self, folder: str, number: int) -> None:
        self.folder, self.chunk = folder, Chunk(folder, number)
        self.reported: dict[int, float] = {}  # time.monotonic() of the last progress of each test
        self.looked = 0.0

    def run(self) -> int:
        """Returns the exit status."""
        try:
            self.file = os.open(self.chunk.results, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        except OSError as error:
            complain(f"{self.chunk.results}: {error.strerror} on this node; the folder of the "
                     "night (--out) has to be one that all nodes share")
            return EXIT_BAD_INPUT
        try:
            end = self.chunk.read_order()
            self._add({"begun": os.environ.get("SLURMD_NODENAME") or os.uname().nodename})
            self._check_node(self.chunk.plays)
            return self._play(self.chunk.plays, end)
        except Failure as failure:
            complain(str(failure))
            with contextlib.suppress(Failure):
                self._add({"refused": str(failure)})
        return EXIT_BAD_INPUT

    def _add(self, news: dict[str, typing.Any], sync: bool = True) -> None:
        """Adds a line to the results: whole or not at all; sync: it is on the disk then. Failure:
        it cannot be kept."""
        line = to_line(news).encode("utf-8", "replace")
        end = os.lseek(self.file, 0, os.SEEK_END)
        try:
            if os.write(self.file, line) < len(line):
                os.ftruncate(self.file, end)
                raise OSError(0, "no space for a whole line")
            if sync:
                os.fsync(self.file)
        except OSError as error:
            raise Failure(f"{self.chunk.results}: {error.strerror}; a result could not be kept") \
                from None

    def _check_node(self, plays: list[Play]) -> None:
        """Everything that the tests need has to be here: a node that misses the shared folder must
        not judge them."""
        needed = {play.trace: os.R_OK for play in plays if not play.layer} | {
            f"{self.folder}/simulators/{play.simulator}": os.X_OK
            for play in plays if play.simulator}
        for path, mode in needed.items():
            if not os.access(path, mode):
                why = "Permission denied" if os.path.exists(path) else "No such file or directory"
                raise Failure("traces and simulators have to be on a folder that all nodes share, "
                              f"and this one lacks {path}: {why}")

    def _play(self, plays: list[Play], end: float) -> int:
        jobs = os.environ.get("SLURM_CPUS_PER_TASK", "")
        launcher = LocalLauncher(
            min(int(jobs), 1024) if jobs.isdecimal() and int(jobs) else 1, progress=True,
            simulators=f"{self.folder}/simulators",
            end=max(time.monotonic() + end - time.time(), 1e-9) if end else 0)
        with Signals() as signals, contextlib.closing(launcher):
            for play in plays:
                launcher.submit(play)
            launcher.finish()
            return self._take_all(launcher, signals)

    def _take_all(self, launcher: LocalLauncher, signals: Signals) -> int:
        last = 0  # signal
        while True:
            for event in launcher.wait(TICK_SECONDS, signals.fileno()):
                if isinstance(event, Ended):
                    if event.how == "failed":
                        raise Failure(event.why)
                    if not last:
                        self._add({"ended": ""})
                    return 128 + last if last else EXIT_OK
                self._take(event)
            number = signals.take() or self._look()
            if number and number != signal.SIGTERM and not last:
                launcher.stop()
            elif number:
                launcher.kill()
            last = number or last

    def _take(self, event: Event) -> None:
        now = time.monotonic()
        match event:
            case Started():
                self._add({"started": event.number})
            case Progress() if now - self.reported.get(event.number, 0) >= PROGRESS_SECONDS:
                self.reported[event.number] = now
                with contextlib.suppress(Failure):
                    self._add({"progress": event.number, "part": round(event.part, 4)}, sync=False)
            case Done() if event.result:
                self._add({"done": event.number, "result": event.result.members})
            case Message():
                complain(event.text)

    def _look(self) -> int:
        """A job that its cluster has lost, with its node, may work all the same. Its tests run
        elsewhere now: it ends as if it was cancelled."""
        now = time.monotonic()
        if now - self.looked < LOOK_SECONDS:
            return 0
        self.looked = now
        try:
            os.stat(self.chunk.order)
        except FileNotFoundError:
            complain(f"{self.chunk.order} is gone: the runner has given this job up")
            return signal.SIGTERM
        except OSError:
            pass
        return 0
