"""The tests of a night as jobs of a Slurm cluster: arrays of jobs that last some minutes each,
whose results come by files in a folder that all nodes share (slurm_chunk.py). The runner reads
these files as they grow, asks squeue for the state of the jobs, and submits again what a job left
undone when it, or its node, ended.

No result is lost, whatever happens to the job, the controller or the runner: results come from the
files alone, each once; a runner that resumes the night reads all its files first and cancels what
an earlier one had submitted. Jobs are known by their names, NAME.FIRST, where NAME is made once for
the folder of a night and FIRST is the chunk of the array's first task: so jobs are found even if
the answer with their number got lost."""
import argparse
import dataclasses
import os
import secrets
import select
import time
import typing

from nvcosim.engine.guard import Guard
from nvcosim.engine.launcher import Done, Ended, Launcher, Message, Play, Progress, Started
from nvcosim.engine.slurm_chunk import Chunk, cut, make_folders, write_file
from nvcosim.engine.slurm_commands import GONE, MISSING, SQUEUE, Command, Task, split_words
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
CANCEL_SECONDS = 20  # for a command at the end
ATTEMPTS = 3  # jobs that may end under one test
FRUITLESS = 4  # jobs that may end one after the other before any of their tests starts
T = typing.TypeVar("T")
Asking = typing.Generator[Command | None, None, T]  # yields what is waited for, None: for a moment

_SCRIPT = """#!/bin/sh
# A job of `nvcosim regress --engine slurm`: runs chunk FIRST + number of the task in its array.
# usage: job.sh FIRST
program={}
if [ ! -x "$program" ]; then
    echo "$program is missing on this node: it has to be in a folder that all nodes share" >&2
    exit 127
fi
exec "$program" regress --worker={} $(($1 + SLURM_ARRAY_TASK_ID))
"""


def _excluded(words: list[str]) -> list[str]:
    """Nodes that the user leaves out: of several lists sbatch takes the last one alone."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("-x", "--exclude", action="append", default=[])
    try:
        return list(parser.parse_known_args(words)[0].exclude)
    except argparse.ArgumentError:  # sbatch refuses it
        return []


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


class SlurmLauncher(Launcher):
    """folder: of the night. options: words for sbatch, as a shell has them. chunk_seconds: wall
    time that one job is to take, 0: the default. end: time.monotonic() after which nothing starts,
    0: never."""

    def __init__(self, folder: str, options: str = "", chunk_seconds: float = 0,
                 end: float = 0) -> None:
        self.options = split_words(options)
        super().__init__(end)
        self.folder = folder
        self.chunk_seconds = chunk_seconds or CHUNK_SECONDS
        self.exclude = _excluded(self.options)  # nodes that get no job
        self.old = self.submitted = make_folders(folder)
        self.chunks = [Chunk(folder, i, over=True, followed=True) for i in range(self.old)]
        self.name = _name(folder)
        self.script = f"{folder}/slurm/job.sh"
        write_file(self.script, _SCRIPT.format(quoted(program()), quoted(folder)))
        self.plays: dict[int, Play] = {}  # without a result, in their order
        self.failures: dict[int, int] = {}  # jobs that ended under a test
        self.jobs: list[str] = []  # numbers of arrays
        self.to_cancel: list[str] = []  # numbers of jobs
        self.to_exclude: list[str] = []  # arrays that are to keep off the bad nodes
        self.bad: list[str] = []  # nodes on which jobs do not come to a test
        self.batch, self.batch_most = 0, ARRAY_MOST  # chunks of the last sbatch, and of one array
        self.unsure = False  # whether sbatch has done its work: squeue knows
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
        """The tests are divided among jobs as soon as Slurm has said how many processors it has."""

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

    def _live(self) -> list[Chunk]:
        """Those whose jobs are with Slurm."""
        return [chunk for chunk in self.chunks[self.old:self.submitted] if not chunk.over]

    def _more(self) -> bool:
        """Whether something is to be submitted."""
        return self.submitted < len(self.chunks) and not self.failed and not self.time_is_over()

    # ---- what is asked of Slurm, one command after the other ----

    def _ask(self, *words: str) -> Asking[Command]:
        command = Command(self.guard, *words)
        yield command
        if command.status == MISSING:
            raise Failure(f"{words[0]}: command not found; --engine slurm needs Slurm's commands "
                          "in PATH (Debian: slurm-client), --engine local does not")
        return command

    def _rest(self, seconds: float) -> Asking[None]:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            yield None

    def _manage(self) -> Asking[None]:
        """All of it. Failure: nothing more can be asked."""
        answer = yield from self._ask("sinfo", "--noheader", "--format=%C")
        counts = [line.strip().split("/") for line in answer.text.splitlines()]
        processors = sum(int(count[3]) - int(count[2])  # allocated/idle/other/total
                         for count in counts if len(count) == 4 and "".join(count).isdecimal())
        yield from self._end_leftovers()
        for plays in cut(list(self.plays.values()), lambda play: play.seconds or GUESSED_SECONDS,
                         self.chunk_seconds, processors):
            self._add(plays)
        may_begin = True  # jobs that wait
        while self.plays and (self._live() or self._more()):
            if may_begin and self.time_is_over() and self.jobs:
                may_begin = False
                self._say("the night is over: jobs of Slurm that have not begun are cancelled")
                yield from self._ask("scancel", "--quiet", "--state=PENDING", *self.jobs)
            if self.to_cancel:
                jobs, self.to_cancel = self.to_cancel, []
                yield from self._ask("scancel", "--quiet", *jobs)
            while self.to_exclude:  # of tasks that run already scontrol says that it is too late
                yield from self._ask("scontrol", "update", f"JobId={self.to_exclude.pop()}",
                                     f"ExcNodeList={','.join(self.exclude)}")
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
                self._say(f"{plural(len(left), 'job')} of Slurm that an earlier call submitted "
                          f"{'is' if len(left) == 1 else 'are'} cancelled")
            first = False
            yield from self._ask("scancel", "--quiet", *sorted({task.job for task in left}))
            yield from self._rest(QUEUE_SHORTEST)
        self._read_all()
        for chunk in self.chunks:
            chunk.followed = False
            chunk.give_up()

    # ---- the queue ----

    def _queue(self) -> Asking[list[Task]]:
        """The tasks of this night. Asks until Slurm answers."""
        pause = RETRY_SHORTEST
        while (answer := (yield from self._ask(*SQUEUE))).status:
            if not self.silent:
                self._say(f"squeue: {answer.complaint}; results of jobs that run still come in, "
                          "and it is tried again")
                self.silent = time.monotonic()
            if time.monotonic() - self.silent > GIVE_UP_SECONDS:
                raise Failure(f"Slurm has not answered for {GIVE_UP_SECONDS // 60} minutes, squeue:"
                              f" {answer.complaint}; --resume continues where this ended")
            yield from self._rest(pause)
            pause = min(2 * pause, RETRY_LONGEST)
        if self.silent:
            self._say("Slurm answers again")
        self.silent, now = 0.0, time.monotonic()
        self.next_queue = now + min(max((now - self.start) / 20, QUEUE_SHORTEST), QUEUE_LONGEST)
        tasks = (Task.read(line, self.name) for line in answer.text.split("\n"))
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
            self._say(f"{plural(len(pending), 'job')} of Slurm wait"
                      f"{'s' if len(pending) == 1 else ''}, and none runs: {reason}")

    # ---- submitting ----

    def _add(self, plays: list[Play], fruitless: int = 0) -> None:
        self.chunks.append(Chunk(self.folder, len(self.chunks), plays, fruitless))

    def _submit(self) -> Asking[None]:
        batch = self.chunks[self.submitted:self.submitted + self.batch_most]
        for chunk in batch:
            chunk.write(time.time() + self.end - time.monotonic() if self.end else 0)
        self.batch, self.unsure = len(batch), True
        logs = self.folder.replace("%", "%%")  # which begins a pattern there
        exclude = [f"--exclude={','.join(self.exclude)}"] if self.exclude else []
        answer = yield from self._ask(
            "sbatch", "--parsable", "--nodes=1", "--ntasks=1", *self.options, *exclude,
            "--no-requeue",  # what is undone is seen here, and goes to a new job
            f"--job-name={self.name}.{self.submitted}", f"--array=0-{self.batch - 1}",
            f"--chdir={self.folder}/slurm", f"--output={logs}/slurm/logs/{self.submitted}.%a.log",
            self.script, str(self.submitted))
        now = time.monotonic()
        if answer.status == 0 and answer.text.strip():
            self.next_queue = min(self.next_queue, now + QUEUE_SHORTEST)
            self._have_submitted(answer.text.split("\n")[0].split(";")[0])  # JOB or JOB;CLUSTER
        elif "Invalid job array specification" in answer.complaint and self.batch > 1:
            self.batch_most, self.unsure = self.batch // 2, False  # MaxArraySize is smaller here
        elif answer.will_pass():
            self._hear_rejection(answer.complaint, now)
        else:
            self.unsure = False
            self._fail(f"sbatch: {answer.complaint}" + (
                "; nodes left out because jobs end there before they begin a test: "
                + ",".join(self.exclude) if self.bad else ""))

    def _hear_rejection(self, why: str, now: float) -> None:
        if not self.rejected:
            self._say(f"sbatch: {why}; it is tried again")
            self.rejected = now
        if now - self.rejected > GIVE_UP_SECONDS and not self._live():
            raise Failure(f"Slurm has taken no job for {GIVE_UP_SECONDS // 60} minutes, sbatch: "
                          f"{why}; --resume continues where this ended")
        self.retry = min(2 * self.retry, RETRY_LONGEST) or RETRY_SHORTEST
        self.next_queue, self.next_submit = now, now + self.retry

    def _have_submitted(self, job: str) -> None:
        """The last sbatch has done its work, as the job of that number."""
        first, self.submitted = self.submitted, self.submitted + self.batch
        self.jobs.append(job)
        for chunk in self.chunks[first:self.submitted]:
            chunk.task = Task(job, first, chunk.number)
        tests = sum(len(chunk.plays) for chunk in self.chunks[first:self.submitted])
        self._say(f"job {job} of Slurm: {plural(self.batch, 'task')} with {plural(tests, 'test')}")
        self.unsure, self.rejected, self.retry = False, 0.0, 0.0

    def _cancel_all(self) -> None:
        """Cancels every job that may still run or begin."""
        if self.command:  # if it is sbatch: the job is cancelled by its name
            self.command.child.end = min(self.command.child.end, time.monotonic() + CANCEL_SECONDS)
            self._finish(self.command)
        jobs = sorted({chunk.task.job for chunk in self.chunks[self.old:self.submitted] if
                       not chunk.task.ended and not chunk.closed and self._left(chunk)})
        if jobs:
            answer = self._finish(Command(self.guard, "scancel", "--quiet", *jobs,
                                          seconds=CANCEL_SECONDS))
            if answer.status:
                self._say(f"scancel: {answer.complaint}; the jobs continue, `scancel "
                          f"{' '.join(jobs)}` ends them, and --resume takes in what they have done")
        if self.unsure:
            self._finish(Command(self.guard, "scancel", "--quiet",
                                 f"--name={self.name}.{self.submitted}", seconds=CANCEL_SECONDS))

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
        """Judges all jobs by what they have reported and what Slurm has."""
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
        self._say(f"job {task.job}_{chunk.number - task.first} of Slurm ended with {left} of "
                  f"{plural(len(chunk.plays), 'test')} undone: {cause}")
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
                self._give_up(chunk, play, f"{failures} jobs of Slurm ended while it ran, the last "
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
