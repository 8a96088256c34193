"""Chunks of a night's tests, each played by a job of a cluster, and the files by which the
runner and its jobs communicate. They are in the folder of the night, which all machines share. Each
has one writer, and a job's file of news only grows by whole lines, so that the file system has to
do no more than show what was synced (NFS does).

    slurm/chunks/N    what job N is to do: a line {"end": SECONDS} (since 1970, no test starts
                      later; 0: never), then a line for each play. Written before it is submitted,
                      and removed when the runner has given the job up, which is the only way to
                      stop it if the cluster has lost a node that still works.
    slurm/results/N   the news of job N, line by line; made empty together with chunks/N:
                      {"begun": NODE}  {"started": 12}  {"progress": 12, "part": 0.5}
                      {"done": 12, "result": {...}}  {"refused": WHY}  {"ended": ""}
    slurm/logs/       what the jobs printed.
"""
import contextlib
import dataclasses
import json
import math
import os
import time
import typing

from nvcosim.engine.launcher import Play
from nvcosim.tool import Failure

COMPLETING_SECONDS = 90  # after which processes that do not end count as ended
CHUNK_SHORTEST = 60  # seconds: more chunks than by length only if they take at least that
_ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL",
          "DEADLINE", "OUT_OF_MEMORY", "REVOKED")
GONE = "gone from Slurm"  # so long ago that it has forgotten it, or with its controller's memory


def make_folders(folder: str) -> int:
    """Those below FOLDER/slurm. Returns how many chunks there have been."""
    for name in ("chunks", "results", "logs"):
        os.makedirs(f"{folder}/slurm/{name}", exist_ok=True)
    names = os.listdir(f"{folder}/slurm/results")
    return max((int(name) + 1 for name in names if name.isdecimal()), default=0)


def write_file(name: str, text: str) -> None:
    """On the disk as a whole, or not at all."""
    with open(f"{name}.new", "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{name}.new", name)


def to_line(members: dict[str, typing.Any]) -> str:
    return json.dumps(members, ensure_ascii=False, separators=(",", ":")) + "\n"


def _play(line: str) -> Play:
    members = json.loads(line)
    return Play(**members | {"options": tuple(members["options"]),
                             "layer": tuple(members["layer"] or ()) or None})


@dataclasses.dataclass
class Task:
    """One task of an array of jobs, as the cluster shows it: chunk FIRST + task of the job that is
    named NAME.FIRST. state: in Slurm's words, "": not shown yet, or GONE. status: of wait()."""
    job: str = ""
    first: int = 0
    chunk: int = 0
    state: str = ""
    reason: str = ""
    node: str = ""
    status: int = 0

    @property
    def waits(self) -> bool:
        return self.state in ("", "PENDING")

    @property
    def ended(self) -> bool:
        return self.state in (*_ENDED, GONE)

    def end(self) -> str:
        """Why it ended: "NODE_FAIL (NodeDown) on node n1"."""
        text = self.state
        if os.WIFEXITED(self.status) and os.WEXITSTATUS(self.status):
            text += f", exit status {os.WEXITSTATUS(self.status)}"
        elif os.WIFSIGNALED(self.status):
            text += f", signal {os.WTERMSIG(self.status)}"
        if self.reason and self.reason not in ("None", "NonZeroExitCode"):
            text += f" ({self.reason})"
        return text + (f" on node {self.node}" if self.node else "")


@dataclasses.dataclass
class Chunk:
    """Some tests of the night in a folder, and the job that plays them."""
    folder: str
    number: int
    plays: list[Play] = dataclasses.field(default_factory=list)
    fruitless: int = 0  # jobs that ended before a test started, one after the other, until this one
    task: Task = dataclasses.field(default_factory=Task)  # as the cluster showed it last
    completing: float = 0  # time.monotonic(), since when its processes are being ended; 0: not
    ended: float = 0  # time.monotonic() of the end, as the cluster has it
    over: bool = False  # no one waits for it any longer
    followed: bool = False  # but it may report: its node was lost, or its runner was killed
    node: str = ""  # by its own words, as the following
    refused: str = ""  # why it did not continue
    closed: bool = False  # it reported its end
    started: set[int] = dataclasses.field(default_factory=set)  # tests
    at: int = 0  # place in its file after the last whole line

    @property
    def order(self) -> str:
        return f"{self.folder}/slurm/chunks/{self.number}"

    @property
    def results(self) -> str:
        return f"{self.folder}/slurm/results/{self.number}"

    def write(self, end: float) -> None:
        """Makes its files, once: where it is not known whether sbatch has failed, its job may
        report already. end: time.time() after which no test starts, 0: never."""
        if not os.path.exists(self.results):
            write_file(self.order, to_line({"end": round(end)})
                       + "".join(to_line(dataclasses.asdict(play)) for play in self.plays))
            write_file(self.results, "")

    def read_order(self) -> float:
        """Reads what write() has written: the plays; returns `end`. Failure: it cannot be read."""
        number, line = 1, ""
        try:
            with open(self.order, encoding="utf-8", errors="surrogateescape") as file:
                line = file.readline()
                end = float(json.loads(line)["end"])
                for number, line in enumerate(file, 2):
                    self.plays.append(_play(line))
        except OSError as error:
            raise Failure(f"{self.order}: {error.strerror}") from None
        except (ValueError, TypeError, LookupError):
            raise Failure(f"{self.order}:{number}: found '{line.rstrip()}', expected "
                          + ("a test" if number > 1 else "the end of the night")) from None
        return end

    def give_up(self) -> None:
        """Its job ends as soon as it sees that."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.order)

    def news(self) -> typing.Iterator[typing.Any]:
        """What its job has reported since the last call. The file is opened anew each time: then,
        and only then, NFS asks its server what there is."""
        try:
            with open(self.results, "rb") as file:
                file.seek(self.at)
                *lines, rest = file.read().split(b"\n")
                self.at = file.tell() - len(rest)
        except OSError:
            return
        for line in lines:
            with contextlib.suppress(ValueError):  # what a lost node or a full disk leaves
                yield json.loads(line)

    def take(self, task: Task) -> None:
        """Takes in what the cluster shows of its job."""
        now = time.monotonic()
        self.task = task
        if task.state == "COMPLETING":
            self.completing = self.completing or now
        stuck = self.completing and (self.closed or now - self.completing > COMPLETING_SECONDS)
        if task.ended or stuck:
            self.ended = self.ended or now

    def log_end(self, most: int) -> str:
        """The end of what its job has printed, at most so many bytes; "" where there is no log."""
        try:
            with open(f"{self.folder}/slurm/logs/{self.task.first}."
                      f"{self.number - self.task.first}.log", "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - most))
                return file.read().decode("utf-8", "replace")
        except OSError:
            return ""

    def cause(self) -> str:
        """Why its job has ended with tests undone."""
        end, log = self.task.end(), self.log_end(512).rstrip("\n")
        if self.refused:
            return f"{end}: {self.refused}"
        if not self.started and not self.node and self.task.node and not log:
            return f"{end}, without a word: does the node see {self.folder}?"
        return end if self.started or not log else end + ": " + log.rpartition("\n")[2]


def cut(plays: list[Play], seconds: typing.Callable[[Play], float], chunk_seconds: float,
        processors: int) -> list[list[Play]]:
    """Divides plays among chunks: the longest first, each to the chunk that has least; in a chunk
    they stay in their order. There are at least as many chunks as processors, unless these took
    less than CHUNK_SHORTEST seconds."""
    total = sum(map(seconds, plays))
    wanted = max(math.ceil(total / chunk_seconds), int(min(processors, total / CHUNK_SHORTEST)), 1)
    chunks: list[list[int]] = [[] for _ in range(min(wanted, len(plays)))]
    loads = [0.0] * len(chunks)
    for index in sorted(range(len(plays)), key=lambda i: -seconds(plays[i])):
        least = loads.index(min(loads))
        loads[least] += seconds(plays[index])
        chunks[least].append(index)
    return [[plays[index] for index in sorted(chunk)] for chunk in chunks]
