"""The work on a cluster: chunks of plays, the jobs that run them, what these say and leave undone.
Questions to the controller are slurm.py's."""
import dataclasses
import enum
import os
import time
import typing

from nvcosim.engine import slurm_files
from nvcosim.engine.launcher import Done, Event, Message, Play, Progress, Started
from nvcosim.engine.slurm_commands import Task
from nvcosim.store.results import Result
from nvcosim.text import plural, shown
from nvcosim.tool import EXIT_CRASH

READ_SECONDS = 1  # between looks at the files
GRACE_SECONDS = 4  # until what an ended job has said is seen for certain
COMPLETING_SECONDS = 90  # after which processes that do not end count as ended
ATTEMPTS = 3  # jobs that may end under one test
FRUITLESS = 4  # jobs that may end one after the other before any of their tests starts


class State(enum.Enum):
    WAITING = "to be submitted"
    SUBMITTED = "submitted"
    RUNNING = "running"
    ENDED = "says Slurm: what its job has said may not have been seen yet"
    OVER = "over"


@dataclasses.dataclass
class Work:
    """A chunk, and the job that runs it."""
    plays: list[Play]
    fruitless: int = 0  # jobs that ended before a test started, one after the other, until this one
    state: State = State.WAITING
    started: set[int] = dataclasses.field(default_factory=set)
    followed: bool = False  # it is over, but may still report: Slurm lost its node, which may work
    closed: bool = False  # it reported its end
    any: bool = False  # it said anything of a test
    reported: int = 0  # results
    at: int = 0  # place in its file after the last whole line
    node: str = ""
    refused: str = ""  # why it did not continue, in its own words
    task: Task = dataclasses.field(default_factory=Task)  # as Slurm showed it last
    ended: float = 0  # time.monotonic() of the end, as Slurm has it
    completing: float = 0  # since when its processes are being ended, 0: they are not

    @property
    def live(self) -> bool:
        """Its job is with Slurm."""
        return self.state in (State.SUBMITTED, State.RUNNING, State.ENDED)

    def end(self) -> None:
        self.state, self.ended = State.ENDED, time.monotonic()

    def take_task(self, task: Task) -> None:
        """Takes in what Slurm says of its job."""
        now = time.monotonic()
        self.task = task
        if self.state in (State.OVER, State.ENDED):
            return
        if task.state == "completing" and not self.completing:
            self.completing = now
        stuck = task.state == "completing" and (
            self.closed or now - self.completing > COMPLETING_SECONDS)
        if task.state == "ended" or stuck:
            self.end()
        elif task.state != "pending":
            self.state = State.RUNNING


class SlurmWork:
    """All chunks of a night; the first `old` ones are an earlier runner's."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.plays: dict[int, Play] = {}  # without a result, in their order
        self.failures: dict[int, int] = {}  # jobs that ended under a test
        slurm_files.make_folders(folder)
        self.old = self.submitted = slurm_files.chunk_count(folder)
        self.work = [Work([], state=State.OVER) for _ in range(self.old)]
        self.leftovers = False  # jobs of an earlier runner may be there
        self.silent = 0.0  # since when the controller has not answered, 0: it does
        self.next_read = 0.0
        self.events: list[Event] = []
        self.failed = ""  # why no more can be submitted
        self.bad: list[str] = []  # nodes on which jobs do not come to a test
        self.to_cancel: list[str] = []  # numbers of jobs

    def say(self, text: str) -> None:
        self.events.append(Message(shown(text)))

    def fail(self, text: str) -> None:
        """Nothing more is submitted. The first failure is the one that is reported."""
        self.failed = self.failed or text

    def any_live(self) -> bool:
        return any(work.live for work in self.work[self.old:self.submitted])

    def open_plays(self, work: Work) -> list[Play]:
        return [play for play in work.plays if play.number in self.plays]

    def night_is_over(self) -> bool:
        raise NotImplementedError

    def leave_out(self, node: str) -> None:
        raise NotImplementedError

    # ---- what jobs say ----

    def keep_result(self, number: int, host: str, result: Result | None) -> None:
        """The first result of a test counts."""
        if result and self.plays.pop(number, None):
            self.events.append(Done(number, host, result, False))

    def _take_news(self, number: int, news: dict[str, typing.Any]) -> None:
        work = self.work[number]
        work.node = news.get("begun", work.node)
        work.refused = news.get("refused", work.refused)
        work.closed = work.closed or "ended" in news
        test = next((news[key] for key in ("started", "progress", "done") if key in news), None)
        if test is None:
            return
        work.any = True
        if "started" in news:
            work.started.add(test)
        if "done" in news:
            work.reported += 1
            self.keep_result(test, work.node, Result.of(news.get("result")))
        elif test in self.plays and number >= self.old:
            self.events.append(Started(test, work.node) if "started" in news
                               else Progress(test, float(news.get("part", 0))))

    def read_news(self, number: int) -> None:
        """What a job has said since the last look. The file is opened anew each time: then, and
        only then, NFS asks its server what there is."""
        work = self.work[number]
        try:
            with open(slurm_files.path(self.folder, "results", number), "rb") as file:
                file.seek(work.at)
                text = file.read()
        except OSError:
            return
        whole = text[:text.rfind(b"\n") + 1]
        work.at += len(whole)
        for line in whole.split(b"\n")[:-1]:
            news = slurm_files.read_news(line)
            if news:
                self._take_news(number, news)

    def read_all(self) -> None:
        """The same of all jobs in whose files something may be."""
        for number, work in enumerate(self.work[:self.submitted]):
            if work.state in (State.RUNNING, State.ENDED) or work.followed or (
                    work.state == State.SUBMITTED and self.silent) or (
                    number < self.old and self.leftovers):
                self.read_news(number)
        self.next_read = time.monotonic() + READ_SECONDS

    # ---- jobs that have ended ----

    def log_end(self, task: Task, most: int) -> str:
        """The end of what a job has printed, at most so many bytes; "" where there is no log."""
        if not task.name:
            return ""
        try:
            with open(f"{self.folder}/slurm/logs/{task.first}.{task.chunk - task.first}.log",
                      "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - most))
                return file.read().decode("utf-8", "replace")
        except OSError:
            return ""

    def _cause(self, work: Work) -> str:
        """Why a job has ended with tests undone."""
        end, log = work.task.end(), self.log_end(work.task, 512).rstrip("\n")
        if work.refused:
            return f"{end}: {work.refused}"
        if not work.any and not work.node and work.task.name and work.task.node and not log:
            return f"{end}, without a word: does the node see {self.folder}?"
        return end if work.any or not log else end + ": " + log.rpartition("\n")[2]

    def _give_up_test(self, work: Work, play: Play, cause: str) -> None:
        """A result for a test that every job which began it has ended under."""
        dut = next((word[6:] for word in play.options if word.startswith("--dut=")), "both")
        self.keep_result(play.number, work.node or work.task.node, Result.of({
            "verdict": "CRASH", "status": EXIT_CRASH, "trace": play.name, "path": play.trace,
            "config": play.config, "dut": "rtl+model" if dut == "both" else dut, "seed": play.seed,
            "reason": f"{self.failures[play.number]} jobs of Slurm ended while it ran, the last "
                      f"one: {cause}",
            "exit_status": 0, "seconds": 0.0, "cpu_seconds": 0.0, "findings": [], "devices": [],
            "command": play.command, "output": self.log_end(work.task, 4096)}))

    def _again(self, work: Work, cause: str) -> None:
        """What a job has left undone is submitted again: each test that had begun alone, for it may
        be the one that ends jobs, the others together."""
        at_fault = work.task.name != "PREEMPTED"
        fruitless = 0 if work.any else work.fruitless + at_fault
        if fruitless > FRUITLESS:
            self.fail(f"{fruitless} jobs ended one after the other before they began a test, the "
                      f"last one: {cause}")
            return
        left = self.open_plays(work)
        for play in left:
            if play.number not in work.started:
                continue
            self.failures[play.number] = self.failures.get(play.number, 0) + at_fault
            if self.failures[play.number] >= ATTEMPTS:
                self._give_up_test(work, play, cause)
            else:
                self.work.append(Work([play]))
        others = [play for play in left if play.number not in work.started]
        if others:
            self.work.append(Work(others, fruitless))

    def _finish_work(self, number: int) -> None:
        work = self.work[number]
        left = len(self.open_plays(work))
        work.state = State.OVER
        if left == 0 or self.night_is_over():
            return
        cause = self._cause(work)
        work.followed = not work.closed
        slurm_files.give_up_chunk(self.folder, number)
        self.say(f"job {work.task.job}_{number - work.task.first} of Slurm ended with {left} of "
                 f"{plural(len(work.plays), 'test')} undone: {cause}")
        if not work.any and work.task.name == "FAILED" and work.task.node not in (*self.bad, ""):
            self.bad.append(work.task.node)
            self.say(f"node {work.task.node} gets no further jobs: the one there ended before it "
                     f"began a test: {cause}")
            self.leave_out(work.task.node)
        self._again(work, cause)

    def settle(self) -> None:
        """Judges all jobs by what they have said and what Slurm has."""
        for number in range(self.old, self.submitted):
            work = self.work[number]
            if not work.live:
                continue
            if not self.open_plays(work):
                if work.task.state == "pending" and work.task.job:
                    # a job that was believed lost did it
                    self.to_cancel.append(f"{work.task.job}_{number - work.task.first}")
                work.state = State.OVER
            elif work.state == State.ENDED and (
                    work.closed or time.monotonic() - work.ended > GRACE_SECONDS):
                self.read_news(number)
                self._finish_work(number)
