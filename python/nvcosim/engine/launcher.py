"""What plays tests. A launcher takes plays and answers with events; night and campaigns do not know
whether it is this machine (local.LocalLauncher), a cluster (cluster.ClusterLauncher), or a script
of a unit test (tests/python/mock_launcher.py).

Another cluster, such as LSF, needs a class like slurm.Slurm: the words of the commands that submit
an array of jobs, list those of this user, and cancel some, and what their answers mean. All else is
done already: jobs get their tests and report results by files (chunk.py), and what a job leaves
undone goes to another one (cluster.py). Then add its name to `--engine` in commands/regress.py and
to Night._launcher(), and its test beside tests/regress/slurm.sh."""
import abc
import dataclasses
import time
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
    """A line for the user."""
    text: str


@dataclasses.dataclass(frozen=True)
class Ended:
    """The last event. how: "done", "stopped" or "killed": not all plays have a result; "failed":
    neither, and why."""
    how: str
    why: str = ""


Event = Started | Progress | Done | Message | Ended


class Launcher(abc.ABC):
    """Everything that it starts ends with it, and with this process, however that ends. end:
    time.monotonic() after which nothing starts, 0: never."""

    def __init__(self, end: float = 0) -> None:
        self.end = end
        self.events: list[Event] = []  # to be handed on
        self.stopped = self.killed = self.over = False

    def time_is_over(self) -> bool:
        return self.end != 0 and time.monotonic() >= self.end

    @abc.abstractmethod
    def submit(self, play: Play) -> None:
        """Plays it, after those before it."""

    @abc.abstractmethod
    def finish(self) -> None:
        """No more plays come: Ended follows the last result."""

    @abc.abstractmethod
    def stop(self) -> int:
        """Starts nothing more. Returns how many run and get their results; Ended follows them."""

    @abc.abstractmethod
    def kill(self) -> None:
        """Ends what runs, without results; Ended follows."""

    @abc.abstractmethod
    def turn(self, seconds: float, wake: int) -> bool:
        """Looks at what has happened, for which it may wait so long, and adds events. Returns
        whether the descriptor `wake` is readable (-1: none)."""

    @abc.abstractmethod
    def close(self) -> None:
        """Ends the rest. Nothing runs when this returns."""

    def wait(self, seconds: float, wake: int = -1) -> list[Event]:
        """What has happened; waits for it so long, less if the descriptor `wake` is readable."""
        end = time.monotonic() + seconds
        while not self.events and not self.over:
            if self.turn(max(0, end - time.monotonic()), wake) or time.monotonic() >= end:
                break
        events, self.events = self.events, []
        return events
