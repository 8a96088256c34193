"""The tests of a night as jobs of a cluster: arrays of jobs that last some minutes each, whose
results come by files in a folder that all nodes share (chunk.py). The runner reads these files as
they grow, asks for the state of the jobs, and submits again what a job left undone when it, or its
node, ended. The words of the cluster's commands are those of slurm.py.

No result is lost, whatever happens to the job, the controller or the runner: results come from the
files alone, each once; a runner that resumes the night reads all its files first and cancels what
an earlier one had submitted. Jobs are known by their names, NAME.FIRST, where NAME is made once for
the folder of a night and FIRST is the chunk of the array's first task: so jobs are found even if
the answer with their number got lost."""
import dataclasses
import os
import secrets
import select
import time
import typing

from nvcosim.engine.chunk import GONE, Chunk, Task, cut, make_folders, write_file
from nvcosim.engine.guard import Guard
from nvcosim.engine.launcher import Done, Ended, Launcher, Message, Play, Progress, Started
from nvcosim.engine.slurm import Slurm
from nvcosim.store.results import Result
from nvcosim.text import plural, quoted, shown
from nvcosim.tool import EXIT_CRASH, Failure, program

TICK_SECONDS = 0.1
READ_SECONDS = 1  # between looks at the files
GRACE_SECONDS = 4  # until what an ended job has reported is seen for certain
ARRAY_MOST = 1000  # tasks of one array: Slurm's own default for MaxArraySize is 1001
CHUNK_SECONDS = 300
GUESSED_SECONDS = 10  # of a test without a history
GIVE_UP_SECONDS = 1800  # without an answer of the controller
QUEUE_SHORTEST, QUEUE_LONGEST = 2, 15  # seconds between questions about the queue
RETRY_SHORTEST, RETRY_LONGEST = 2, 60  # before what failed is tried again, doubled each time
COMMAND_SECONDS, CANCEL_SECONDS = 90, 20  # for a command, and for one at the end
MISSING = 127  # exit status
ATTEMPTS = 3  # jobs that may end under one test
FRUITLESS = 4  # jobs that may end one after the other before any of their tests starts

_SCRIPT = """#!/bin/sh
# A job of `nvcosim regress --engine`: runs chunk FIRST + number of the task in its array.
# usage: job.sh FIRST
program={}
if [ ! -x "$program" ]; then
    echo "$program is missing on this node: it has to be in a folder that all nodes share" >&2
    exit 127
fi
exec "$program" regress --worker={} $(($1 + {}))
"""


class Command:
    """A command of the cluster that runs in the background: it hangs while that is busy. When
    it has ended: status (MISSING: there is no such program), text (stdout), complaint (what stderr
    has, as one line)."""
    status, text, complaint = 0, "", ""

    def __init__(self, guard: Guard, words: list[str],
                 seconds: float = COMMAND_SECONDS) -> None:
        # Of a job that this runs in; sbatch would hand it on.
        environment = {k: v for k, v in os.environ.items() if k != "SLURM_CPUS_PER_TASK"}
        self.words, self.guard, self.over = words, guard, False
        self.errors = os.memfd_create("errors")
        self.child = guard.start(words, seconds, stderr=self.errors, env=environment)

    def has_ended(self) -> bool:
        """Whether it has; one that takes too long is made to."""
        if not self.over and self.child.has_ended():
            self.over = True
            self.status, self.text = self.guard.end(self.child)
            errors = os.pread(self.errors, os.fstat(self.errors).st_size, 0)
            os.close(self.errors)
            lines = errors.decode("utf-8", "replace").split("\n")
            self.complaint = "; ".join(line.partition("error: ")[2] or line
                                       for line in lines if line)
            if self.child.late:
                self.complaint = f"no answer for {COMMAND_SECONDS} seconds"
            self.complaint = self.complaint or f"it ended with status {self.status}"
        return self.over

    def says(self) -> str:
        return f"{self.words[0]}: {self.complaint}"


T = typing.TypeVar("T")
Asking = typing.Generator[Command | None, None, T]  # yields what is waited for, None: for a moment


def _name(folder: str) -> str:
    """Of the jobs of a night, made by its first runner."""
    path = f"{folder}/slurm/name"
    if not os.path.exists(path):
        write_file(path, f"nvcosim-{secrets.token_hex(4)}\n")
    with open(path, encoding="utf-8") as file:
        name = file.readline().rstrip("\n")
    if not name:
        raise Failure(f"{path}: found nothing, expected the name of the night's jobs")
    return name


class ClusterLauncher(Launcher):
    """folder: of the night. chunk_seconds: wall time that one job is to take, 0: the default."""

    def __init__(self, cluster: Slurm, folder: str, chunk_seconds: float = 0,
                 end: float = 0) -> None:
        super().__init__(end)
        self.cluster, self.folder = cluster, folder
        self.chunk_seconds = chunk_seconds or CHUNK_SECONDS
        self.exclude = cluster.excluded()  # nodes that get no job
        self.old = self.submitted = make_folders(folder)
        self.chunks = [Chunk(folder, i, over=True, followed=True) for i in range(self.old)]
        self.name = _name(folder)
        write_file(f"{folder}/slurm/job.sh",
                   _SCRIPT.format(quoted(program()), quoted(folder), cluster.index))
        self.plays: dict[int, Play] = {}  # without a result, in their order
        self.failures: dict[int, int] = {}  # jobs that ended under a test
        self.jobs: list[str] = []  # numbers of arrays
        self.to_cancel: list[str] = []  # numbers of jobs
        self.to_exclude: list[str] = []  # arrays that are to keep off the bad nodes
        self.bad: list[str] = []  # nodes whose jobs never reached a test
        self.batch, self.batch_most = 0, ARRAY_MOST  # chunks of the last array, and of any
        self.unsure = False  # whether that was submitted: the queue knows
        self.silent = 0.0  # since when the controller has not answered, 0: it does
        self.rejected = 0.0  # since when no job is taken, 0: they are
        self.waiting = ""  # reason that all jobs wait for, if it was reported
        self.start = time.monotonic()
        self.next_read = self.next_queue = self.next_submit = self.retry = 0.0
        self.failed = ""  # why no more can be submitted
        self.guard = Guard()
        self.manager = self._manage()
        self.command: Command | None = None

    # ---- as any launcher ----

    def submit(self, play: Play) -> None:
        self.plays[play.number] = play

    def finish(self) -> None:
        """The tests are divided among jobs as soon as the cluster has said how large it is."""

    def stop(self) -> int:
        self.stopped = True
        return 0

    def kill(self) -> None:
        self.stopped = self.killed = True

    def turn(self, seconds: float, wake: int) -> bool:
        self._step()
        if self.events or self.over:
            return False
        seconds = min(seconds, TICK_SECONDS)
        return bool(select.select([wake] if wake >= 0 else [], [], [], seconds)[0])

    def close(self) -> None:
        if not self.over:
            self._end()
        self.guard.close()

    def _step(self) -> None:
        """One turn of the loop."""
        try:
            if self.stopped or (not self.plays and len(self.chunks) > self.old):
                self._end()
                return
            if time.monotonic() >= self.next_read:
                self._read_all()
                self._settle()
            if not self.command or self.command.has_ended():
                self.command = next(self.manager)
        except StopIteration:
            self._end()
        except Failure as failure:
            self._fail(str(failure))
            self._end()
        except OSError as error:
            self._fail(f"{error.filename or self.folder}: {error.strerror}")
            self._end()

    def _end(self) -> None:
        self._cancel_all()
        self._read_all()
        self.over = True
        how = "killed" if self.killed else "done" if not self.plays else \
            "failed" if self.failed and not self.stopped else "stopped"
        self.events.append(Ended(how, self.failed if how == "failed" else ""))

    def _say(self, text: str) -> None:
        self.events.append(Message(shown(text)))

    def _fail(self, text: str) -> None:
        """Nothing more is submitted. The first failure is the one that is reported."""
        self.failed = self.failed or text

    def _jobs(self, count: int) -> str:
        return f"{plural(count, 'job')} of {self.cluster.name}"

    def _live(self) -> list[Chunk]:
        """Those whose jobs are with the cluster."""
        return [chunk for chunk in self.chunks[self.old:self.submitted] if not chunk.over]

    def _more(self) -> bool:
        """Whether something is to be submitted."""
        return self.submitted < len(self.chunks) and not self.failed and not self.time_is_over()

    # ---- what is asked of the cluster, one command after the other ----

    def _ask(self, words: list[str]) -> Asking[Command]:
        command = Command(self.guard, words)
        yield command
        if command.status == MISSING:
            name = self.cluster.name
            raise Failure(f"{words[0]}: command not found; --engine {name.lower()} needs {name}'s "
                          f"commands in PATH (Debian: {self.cluster.package}), --engine local does "
                          "not")
        return command

    def _rest(self, seconds: float) -> Asking[None]:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            yield None

    def _manage(self) -> Asking[None]:
        """All of it. Failure: nothing more can be asked."""
        answer = yield from self._ask(self.cluster.size())
        processors = self.cluster.processors(answer.text)
        yield from self._end_leftovers()
        for plays in cut(list(self.plays.values()), lambda play: play.seconds or GUESSED_SECONDS,
                         self.chunk_seconds, processors):
            self._add(plays)
        may_begin = True  # jobs that wait
        while self.plays and (self._live() or self._more()):
            if may_begin and self.time_is_over() and self.jobs:
                may_begin = False
                self._say(f"the night is over: jobs of {self.cluster.name} that have not begun are "
                          "cancelled")
                yield from self._ask(self.cluster.cancel("--state=PENDING", *self.jobs))
            if self.to_cancel:
                jobs, self.to_cancel = self.to_cancel, []
                yield from self._ask(self.cluster.cancel(*jobs))
            while self.to_exclude:  # of tasks that run already it is refused
                yield from self._ask(self.cluster.exclude(self.to_exclude.pop(), self.exclude))
            if time.monotonic() >= self.next_queue and (self._live() or self.unsure):
                self._take_queue((yield from self._queue()))
            if self._more() and not self.unsure and time.monotonic() >= self.next_submit:
                yield from self._submit()
            else:
                yield None

    def _end_leftovers(self) -> Asking[None]:
        """Cancels what an earlier call submitted, and waits until its jobs have ended."""
        first = True
        while self.old and (left := [task for task in (yield from self._queue()) if
                                     task.chunk < self.old and not task.ended and
                                     task.state != "COMPLETING"]):
            if first:
                self._say(f"{self._jobs(len(left))} that an earlier call submitted "
                          f"{'is' if len(left) == 1 else 'are'} cancelled")
            first = False
            yield from self._ask(self.cluster.cancel(*sorted({task.job for task in left})))
            yield from self._rest(QUEUE_SHORTEST)
        self._read_all()
        for chunk in self.chunks:
            chunk.followed = False
            chunk.give_up()

    # ---- the queue ----

    def _queue(self) -> Asking[list[Task]]:
        """The tasks of this night. Asks until there is an answer."""
        pause = RETRY_SHORTEST
        while (answer := (yield from self._ask(self.cluster.queue()))).status:
            if not self.silent:
                self._say(f"{answer.says()}; results of jobs that run still come in, "
                          "and it is tried again")
                self.silent = time.monotonic()
            if time.monotonic() - self.silent > GIVE_UP_SECONDS:
                raise Failure(f"{self.cluster.name} has not answered for {GIVE_UP_SECONDS // 60} "
                              f"minutes, {answer.says()}; --resume continues where this ended")
            yield from self._rest(pause)
            pause = min(2 * pause, RETRY_LONGEST)
        if self.silent:
            self._say(f"{self.cluster.name} answers again")
        self.silent, now = 0.0, time.monotonic()
        self.next_queue = now + min(max((now - self.start) / 20, QUEUE_SHORTEST), QUEUE_LONGEST)
        tasks = (self.cluster.task(line, self.name) for line in answer.text.split("\n"))
        return [task for task in tasks if task]

    def _take_queue(self, tasks: list[Task]) -> None:
        if self.unsure and any(task.first == self.submitted for task in tasks):
            self._have_submitted(next(task.job for task in tasks if task.first == self.submitted))
        self.unsure = False
        tasks = [task for task in tasks if self.old <= task.chunk < self.submitted]
        for task in tasks:
            self.chunks[task.chunk].take(task)
        seen = {task.chunk for task in tasks}
        for chunk in self._live():
            if chunk.number not in seen:
                chunk.take(dataclasses.replace(chunk.task, state=GONE))
        pending = [task for task in tasks if task.waits]
        running = any(not task.waits and not task.ended for task in tasks)
        reason = pending[-1].reason if pending and not running else ""
        # A person should know if every job waits for something that may never come.
        if reason not in ("None", "Resources", "Priority", "BeginTime", "", self.waiting):
            self.waiting = reason
            self._say(f"{self._jobs(len(pending))} wait"
                      f"{'s' if len(pending) == 1 else ''}, and none runs: {reason}")

    # ---- submitting ----

    def _add(self, plays: list[Play], fruitless: int = 0) -> None:
        self.chunks.append(Chunk(self.folder, len(self.chunks), plays, fruitless))

    def _submit(self) -> Asking[None]:
        batch = self.chunks[self.submitted:self.submitted + self.batch_most]
        for chunk in batch:
            chunk.write(time.time() + self.end - time.monotonic() if self.end else 0)
        self.batch, self.unsure = len(batch), True
        answer = yield from self._ask(self.cluster.submit(
            self.folder, f"{self.name}.{self.submitted}", self.submitted, self.batch, self.exclude))
        now = time.monotonic()
        job = self.cluster.job(answer.text)
        if answer.status == 0 and job:
            self.next_queue = min(self.next_queue, now + QUEUE_SHORTEST)
            self._have_submitted(job)
        elif self.cluster.is_too_large(answer.complaint) and self.batch > 1:
            self.batch_most, self.unsure = self.batch // 2, False
        elif answer.child.late or self.cluster.will_pass(answer.complaint):
            self._hear_rejection(answer.says(), now)
        else:
            self.unsure = False
            self._fail(answer.says() + (
                "; nodes left out because jobs end there before they begin a test: "
                + ",".join(self.exclude) if self.bad else ""))

    def _hear_rejection(self, why: str, now: float) -> None:
        if not self.rejected:
            self._say(f"{why}; it is tried again")
            self.rejected = now
        if now - self.rejected > GIVE_UP_SECONDS and not self._live():
            raise Failure(f"{self.cluster.name} has taken no job for {GIVE_UP_SECONDS // 60} "
                          f"minutes, {why}; --resume continues where this ended")
        self.retry = min(2 * self.retry, RETRY_LONGEST) or RETRY_SHORTEST
        self.next_queue, self.next_submit = now, now + self.retry

    def _have_submitted(self, job: str) -> None:
        """The last array was submitted, as the job of that number."""
        first, self.submitted = self.submitted, self.submitted + self.batch
        self.jobs.append(job)
        for chunk in self.chunks[first:self.submitted]:
            chunk.task = Task(job, first, chunk.number)
        tests = sum(len(chunk.plays) for chunk in self.chunks[first:self.submitted])
        self._say(f"job {job} of {self.cluster.name}: {plural(self.batch, 'task')} with "
                  f"{plural(tests, 'test')}")
        self.unsure, self.rejected, self.retry = False, 0.0, 0.0

    def _cancel_all(self) -> None:
        """Cancels every job that may still run or begin."""
        if self.command:  # if it submits: the job is cancelled by its name
            self.command.child.end = min(self.command.child.end, time.monotonic() + CANCEL_SECONDS)
            self._finish(self.command)
        jobs = sorted({chunk.task.job for chunk in self.chunks[self.old:self.submitted] if
                       not chunk.task.ended and not chunk.closed and self._left(chunk)})
        if jobs:
            answer = self._finish(Command(self.guard, self.cluster.cancel(*jobs), CANCEL_SECONDS))
            if answer.status:
                self._say(f"{answer.says()}; the jobs continue, `{answer.words[0]} "
                          f"{' '.join(jobs)}` ends them, and --resume takes in what they have done")
        if self.unsure:
            name = f"--name={self.name}.{self.submitted}"
            self._finish(Command(self.guard, self.cluster.cancel(name), CANCEL_SECONDS))

    @staticmethod
    def _finish(command: Command) -> Command:
        while not command.has_ended():
            time.sleep(TICK_SECONDS)
        return command

    # ---- what jobs report ----

    def _left(self, chunk: Chunk) -> list[Play]:
        """Its plays without a result."""
        return [play for play in chunk.plays if play.number in self.plays]

    def _keep(self, number: int, host: str, result: Result | None) -> None:
        """The first result of a test counts."""
        if result and self.plays.pop(number, None):
            self.events.append(Done(number, host, result, False))

    def _read(self, chunk: Chunk) -> None:
        for news in chunk.news():
            match news:
                case {"begun": str(node)}:
                    chunk.node = node
                case {"refused": str(why)}:
                    chunk.refused = why
                case {"ended": _}:
                    chunk.closed = True
                case {"started": int(number)}:
                    chunk.started.add(number)
                    if number in self.plays and not chunk.over:
                        self.events.append(Started(number, chunk.node))
                case {"progress": int(number), "part": float(part)} if number in self.plays:
                    self.events.append(Progress(number, part))
                case {"done": int(number), "result": members}:
                    chunk.started.add(number)
                    self._keep(number, chunk.node, Result.of(members))

    def _read_all(self) -> None:
        """The same of all jobs in whose files something may be."""
        for chunk in self.chunks[:self.submitted]:
            if chunk.followed or not (chunk.over or (chunk.task.waits and not self.silent)):
                self._read(chunk)
        self.next_read = time.monotonic() + READ_SECONDS

    # ---- jobs that have ended ----

    def _settle(self) -> None:
        """Judges all jobs by what they have reported and what the cluster shows."""
        for chunk in self._live():
            if not self._left(chunk):
                if chunk.task.state == "PENDING":  # a job that was believed lost did it
                    self.to_cancel.append(f"{chunk.task.job}_{chunk.number - chunk.task.first}")
                chunk.over = True
            elif chunk.ended and (chunk.closed or
                                  time.monotonic() - chunk.ended > GRACE_SECONDS):
                self._read(chunk)
                chunk.over = True
                if self._left(chunk) and not self.time_is_over():
                    self._replace(chunk)

    def _replace(self, chunk: Chunk) -> None:
        """Its job has ended with tests undone: they go to others."""
        cause, task, left = chunk.cause(), chunk.task, len(self._left(chunk))
        chunk.followed = not chunk.closed
        chunk.give_up()
        self._say(f"job {task.job}_{chunk.number - task.first} of {self.cluster.name} ended with "
                  f"{left} of {plural(len(chunk.plays), 'test')} undone: {cause}")
        if not chunk.started and task.state == "FAILED" and task.node not in (*self.bad, ""):
            self.bad.append(task.node)
            self._say(f"node {task.node} gets no further jobs: the one there ended before it "
                      f"began a test: {cause}")
            self.exclude.append(task.node)
            self.to_exclude += self.jobs
        at_fault = task.state != "PREEMPTED"
        fruitless = 0 if chunk.started else chunk.fruitless + at_fault
        if fruitless > FRUITLESS:
            self._fail(f"{fruitless} jobs ended one after the other before they began a test, the "
                       f"last one: {cause}")
        else:
            self._again(chunk, cause, at_fault, fruitless)

    def _again(self, chunk: Chunk, cause: str, at_fault: bool, fruitless: int) -> None:
        """Each test that had begun alone, for it may be the one that ends jobs, the others
        together."""
        others = []
        for play in self._left(chunk):
            if play.number not in chunk.started:
                others.append(play)
                continue
            failures = self.failures[play.number] = self.failures.get(play.number, 0) + at_fault
            if failures < ATTEMPTS:
                self._add([play])
            else:
                self._give_up(chunk, play, f"{self._jobs(failures)} ended while it ran, the last "
                              f"one: {cause}")
        if others:
            self._add(others, fruitless)

    def _give_up(self, chunk: Chunk, play: Play, reason: str) -> None:
        """A result for a test under which every job that began it has ended."""
        dut = next((word[6:] for word in play.options if word.startswith("--dut=")), "both")
        self._keep(play.number, chunk.node or chunk.task.node, Result.of({
            "verdict": "CRASH", "status": EXIT_CRASH, "trace": play.name, "path": play.trace,
            "config": play.config, "dut": "rtl+model" if dut == "both" else dut, "seed": play.seed,
            "reason": reason, "exit_status": 0, "seconds": 0.0, "cpu_seconds": 0.0, "findings": [],
            "devices": [], "command": play.command, "output": chunk.log_end(4096)}))
