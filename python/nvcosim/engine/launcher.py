"""What plays tests. A launcher takes plays and answers with events; night and campaigns do not know
whether it is this machine (local.LocalLauncher), a cluster (slurm.SlurmLauncher), or a script of a
unit test (MockLauncher). Another cluster is another class with these six methods."""
import collections
import dataclasses
import typing

if typing.TYPE_CHECKING:
    from nvcosim.plan.test import Test
    from nvcosim.store.results import Members, Result


@dataclasses.dataclass(frozen=True)
class Play:
    """One trace to play, as `nvcosim play-list` takes it. options: of nvcosim run, without the
    trace, --seed and --name. layer: generator and seed of a random layer, which is written to
    `trace` if that does not exist. seconds: wall time that is expected, 0: not known. clean: its
    folder of reports holds none of an earlier run. simulator: file name of the one that it needs.
    noted: it plays nothing, and completes the result that the process of the test has noted in the
    ledger."""
    number: int
    trace: str
    name: str
    config: str
    options: tuple[str, ...]
    seed: int
    command: str = ""
    max_seconds: float = 0  # wall time, 0: no limit
    max_memory: int = 0  # bytes, 0: no limit
    layer: tuple[str, int] | None = None
    seconds: float = 0
    clean: bool = False
    simulator: str = ""
    noted: "Members | None" = None

    @classmethod
    def of(cls, number: int, test: "Test", folder: str, clean: bool = False,
           simulator: str = "") -> "Play":
        """Test `number` of the night in that folder. It leaves a report only if it fails."""
        options = (*(word for word in test.words(folder)
                     if not word.startswith(("--seed=", "--name="))), "--only-failed")
        return cls(number, test.trace_path(folder), test.file_name(), test.config, options,
                   test.seed, test.command(), test.max_seconds, test.max_memory,
                   (test.generator, test.layer_seed) if test.generator else None,
                   max(test.expected_seconds, 0), clean, simulator)


@dataclasses.dataclass(frozen=True)
class Started:
    """host: where it is played."""
    number: int
    host: str


@dataclasses.dataclass(frozen=True)
class Progress:
    """part: of its work that is done, 0 to 1."""
    number: int
    part: float


@dataclasses.dataclass(frozen=True)
class Done:
    """Of each play once at most. noted: it is in the ledger already. result: None if what
    was noted was none."""
    number: int
    host: str
    result: "Result | None"
    noted: bool


@dataclasses.dataclass(frozen=True)
class Message:
    """A line for a person."""
    text: str


@dataclasses.dataclass(frozen=True)
class Ended:
    """The last event. how: "done", "stopped" or "killed": not all plays have a result; "failed":
    neither, and why."""
    how: str
    why: str = ""


Event = Started | Progress | Done | Message | Ended


class Launcher(typing.Protocol):
    """Everything that it starts ends with it, and with this process, however that ends."""

    def submit(self, play: Play) -> None:
        """Plays it, after those before it."""

    def finish(self) -> None:
        """No more plays come: Ended follows the last result."""

    def stop(self) -> int:
        """Starts nothing more. Returns how many run and get their results; Ended follows them."""

    def kill(self) -> None:
        """Ends what runs, without results; Ended follows."""

    def wait(self, seconds: float, wake: int = -1) -> list[Event]:
        """What has happened; waits for it so long, less if the descriptor `wake` is readable."""

    def close(self) -> None:
        """Ends the rest. Nothing runs when this returns."""


class MockLauncher:
    """script: the result of a play, or None if it does not end. Each wait() brings one result of
    the oldest of `jobs` plays that run; what was asked for is in `plays`, `stopped`, `killed`."""

    def __init__(self, script: "typing.Callable[[Play], Result | None]", jobs: int = 1) -> None:
        self.script, self.jobs = script, jobs
        self.plays: list[Play] = []
        self.waiting: collections.deque[Play] = collections.deque()
        self.running: list[Play] = []
        self.finished = self.stopped = self.killed = self.ended = False

    def submit(self, play: Play) -> None:
        self.plays.append(play)
        self.waiting.append(play)

    def finish(self) -> None:
        self.finished = True

    def stop(self) -> int:
        self.stopped = True
        return len(self.running)

    def kill(self) -> None:
        self.stopped = self.killed = True
        self.running.clear()

    def wait(self, seconds: float, wake: int = -1) -> list[Event]:
        events: list[Event] = []
        while not self.stopped and self.waiting and len(self.running) < self.jobs:
            self.running.append(self.waiting.popleft())
            events.append(Started(self.running[-1].number, "mock"))
        for play in self.running:
            result = self.script(play)
            if result:
                self.running.remove(play)
                events.append(Done(play.number, "mock", result, play.noted is not None))
                break
        if not self.running and not self.ended and (
                self.stopped or (self.finished and not self.waiting)):
            self.ended = True
            events.append(Ended("killed" if self.killed else
                                "stopped" if self.stopped else "done"))
        return events

    def close(self) -> None:
        self.kill()
