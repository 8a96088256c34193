"""The tests of a night as jobs of a Slurm cluster: arrays of jobs that last some minutes each,
whose results come by files in a folder that all nodes share (slurm_files.py). The runner reads
these files as they grow, asks squeue for the state of the jobs, and submits again what a job left
undone when it, or its node, ended.

No result is lost, whatever happens to the job, the controller or the runner: results come from the
files alone, each once; a runner that resumes the night reads all its files first and cancels what
an earlier one had submitted. Jobs are known by their names, NAME.FIRST, where NAME is made once for
the folder of a night and FIRST is the chunk of the array's first task: so jobs are found even if
the answer with their number got lost."""
import os
import secrets
import select
import time
import typing

from nvcosim.engine import slurm_files
from nvcosim.engine.launcher import Ended, Event, Play
from nvcosim.engine.slurm_commands import MISSING, SQUEUE, Command, Task, split_words
from nvcosim.engine.slurm_work import SlurmWork, State, Work
from nvcosim.text import plural, quoted
from nvcosim.tool import Failure, program

TICK_SECONDS = 0.1
ARRAY_MOST = 1000  # tasks of one array: Slurm's own default for MaxArraySize is 1001
CHUNK_SECONDS = 300
GUESSED_SECONDS = 10  # of a test without a history
GIVE_UP_SECONDS = 1800  # without an answer of the controller
QUEUE_SHORTEST, QUEUE_LONGEST = 2, 15  # seconds between questions about the queue
RETRY_SHORTEST, RETRY_LONGEST = 2, 60  # before what failed is tried again, doubled each time
CANCEL_SECONDS = 20  # for a command at the end

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
    lists = []
    for word, following in zip(words, [*words[1:], ""]):
        if word in ("--exclude", "-x"):
            lists.append(following)
        elif word.startswith("--exclude="):
            lists.append(word[len("--exclude="):])
        elif word.startswith("-x"):
            lists.append(word[2:])
    return lists


class SlurmLauncher(SlurmWork):
    """folder: of the night. options: words for sbatch, as a shell has them. chunk_seconds: wall
    time that one job is to take, 0: the default. end: time.monotonic() after which nothing starts,
    0: never."""

    def __init__(self, folder: str, options: str = "", chunk_seconds: float = 0,
                 end: float = 0) -> None:
        self.options = split_words(options)
        super().__init__(folder)
        self.chunk_seconds, self.end = chunk_seconds or CHUNK_SECONDS, end
        self.exclude = _excluded(self.options)  # nodes that get no job
        self._find_name()
        self.script = f"{folder}/slurm/job.sh"
        slurm_files.write_file(self.script, _SCRIPT.format(quoted(program()), quoted(folder)))
        self.written = self.old  # chunks below have their files
        self.submissions: list[tuple[str, int, int]] = []  # number of the job, chunks from, to
        self.processors = 0
        self.command = Command()
        self.answer: typing.Callable[[], None] | None = None  # takes what the command has said
        self.batch = 0  # chunks of the sbatch that runs, or that failed and may have done its work
        self.batch_most = ARRAY_MOST  # of one array
        self.unsure = False  # whether it has: squeue knows
        self.leftovers_said = self.pending_cancelled = False
        self.to_exclude: list[str] = []  # jobs that are to keep off the bad nodes
        self.start = time.monotonic()
        self.next_queue = self.next_submit = self.retry = 0.0
        self.rejected = 0.0  # since when no job is taken, 0: they are
        self.waiting = ""  # reason that all jobs wait for, if it was reported
        self.gone = False  # the controller is: jobs cannot be asked about
        self.is_cut = self.stopped = self.killed = self.over = False

    def _find_name(self) -> None:
        """Of the jobs of this night, made by the first runner."""
        path = f"{self.folder}/slurm/name"
        self.leftovers = os.path.exists(path)
        if not self.leftovers:
            slurm_files.write_file(path, f"nvcosim-{secrets.token_hex(4)}\n")
        with open(path, encoding="utf-8") as file:
            self.name = file.readline().rstrip("\n")
        if not self.name:
            raise Failure(f"{path}: found nothing, expected the name of the night's jobs")

    # ---- as any launcher ----

    def submit(self, play: Play) -> None:
        self.plays[play.number] = play

    def finish(self) -> None:
        self.read_all()
        self._ask(["sinfo", "--noheader", "--format=%C"], self._take_processors)

    def stop(self) -> int:
        self.stopped = True
        return 0

    def kill(self) -> None:
        self.stopped = self.killed = True

    def wait(self, seconds: float, wake: int = -1) -> list[Event]:
        end = time.monotonic() + seconds
        poll = select.poll()
        if wake >= 0:
            poll.register(wake, select.POLLIN)
        while not self.events and not self.over:
            if self._is_over():
                self._end()
                break
            if poll.poll(1000 * TICK_SECONDS):
                break
            self._step()
            if time.monotonic() >= end:
                break
        events, self.events = self.events, []
        return events

    def close(self) -> None:
        if not self.over:
            self._cancel_all()
        self.command.wait(CANCEL_SECONDS)

    def _is_over(self) -> bool:
        if self.stopped or (self.is_cut and not self.plays):
            return True
        if not self.is_cut:
            waits = self.command.process or self.leftovers or self.to_cancel
            if waits and not self.failed:
                return False
            self.is_cut = True
            if self.plays and not self.failed:
                self._cut()
            return self._is_over()
        more = self.submitted < len(self.work) and not self.failed and not self.night_is_over()
        asked_submit = self.command.process and self.answer == self._take_submit
        return self.gone or not (self.any_live() or more or asked_submit)

    def _end(self) -> None:
        self._cancel_all()
        self.read_all()
        self.over = True
        how = "killed" if self.killed else "done" if not self.plays else \
            "failed" if self.failed and not self.stopped else "stopped"
        self.events.append(Ended(how, self.failed if how == "failed" else ""))

    def night_is_over(self) -> bool:
        return self.end != 0 and time.monotonic() >= self.end

    def _step(self) -> None:
        """One turn of the loop."""
        if time.monotonic() >= self.next_read:
            self.read_all()
        if self.command.ended():
            self._take_answer()
        self.settle()
        if not self.command.process and not self.gone:
            self._ask_next()

    def _cut(self) -> None:
        """Divides the open tests among chunks."""
        for plays in slurm_files.cut(list(self.plays.values()),
                                     lambda play: play.seconds or GUESSED_SECONDS,
                                     self.chunk_seconds, self.processors):
            self.work.append(Work(plays))

    # ---- questions to the controller, one at a time ----

    def _ask(self, words: list[str], answer: typing.Callable[[], None] | None) -> None:
        self.answer = answer
        self.command.start(words)
        if not self.command.process:
            self._take_answer()

    def _take_answer(self) -> None:
        answer, self.answer = self.answer, None
        if answer:
            answer()

    def _ask_next(self) -> None:
        now, live = time.monotonic(), self.any_live()
        jobs = [job for job, _, _ in self.submissions]
        if self.night_is_over() and not self.pending_cancelled and jobs and live:
            self.pending_cancelled = True
            self.say("the night is over: jobs of Slurm that have not begun are cancelled")
            self._ask(["scancel", "--quiet", "--state=PENDING", *jobs], None)
        elif self.to_cancel:
            cancelled, self.to_cancel = self.to_cancel, []
            self._ask(["scancel", "--quiet", *cancelled], None)
        elif self.to_exclude:  # of tasks that run already scontrol says that it is too late
            self._ask(["scontrol", "update", f"JobId={self.to_exclude.pop()}",
                       f"ExcNodeList={','.join(self.exclude)}"], None)
        elif now >= self.next_queue and (live or self.leftovers or self.unsure):
            self._ask(SQUEUE, self._take_queue)
        elif self.submitted < len(self.work) and now >= self.next_submit and not self.unsure \
                and not self.failed and not self.night_is_over():
            self._submit()

    def _is_missing(self, name: str) -> bool:
        if self.command.status != MISSING:
            return False
        self.gone = True
        self.fail(f"{name}: command not found; --engine slurm needs Slurm's commands in PATH "
                  "(Debian: slurm-client), --engine local does not")
        return True

    def _try_again(self) -> float:
        """time.monotonic() when what was not answered is tried again."""
        self.retry = min(2 * self.retry, RETRY_LONGEST) or RETRY_SHORTEST
        return time.monotonic() + self.retry

    def _take_processors(self) -> None:
        if self._is_missing("sinfo"):
            return
        for line in self.command.text.split("\n"):  # allocated/idle/other/total
            counts = line.strip().split("/")
            if len(counts) == 4 and all(count.isdecimal() for count in counts):
                self.processors += int(counts[3]) - int(counts[2])

    def leave_out(self, node: str) -> None:
        """Jobs that wait, and those to come, keep off the node."""
        self.exclude.append(node)
        self.to_exclude += [job for job, _, _ in self.submissions if job]

    # ---- the queue ----

    def _take_queue(self) -> None:
        now = time.monotonic()
        if self._is_missing("squeue"):
            return
        if self.command.status:
            self._hear_nothing(now)
            return
        if self.silent:
            self.say("Slurm answers again")
        self.silent = 0.0
        self.retry = self.retry if self.rejected else 0.0
        self.next_queue = now + min(max((now - self.start) / 20, QUEUE_SHORTEST), QUEUE_LONGEST)
        tasks = [task for line in self.command.text.split("\n")
                 if (task := Task.read(line, self.name))]
        seen = self._take_tasks(tasks)
        self.unsure = False
        for number in range(self.old, self.submitted):
            work = self.work[number]
            if number not in seen and work.state in (State.SUBMITTED, State.RUNNING):
                # so long ago that Slurm has forgotten it, or with its controller's memory
                work.end()
                work.task.name, work.task.state = "", "ended"

    def _hear_nothing(self, now: float) -> None:
        if not self.silent:
            self.say(f"squeue: {self.command.complaint}; results of jobs that run still come in, "
                     "and it is tried again")
        self.silent = self.silent or now
        self.next_queue = self._try_again()
        if now - self.silent > GIVE_UP_SECONDS:
            self.fail(f"Slurm has not answered for {GIVE_UP_SECONDS // 60} minutes, squeue: "
                      f"{self.command.complaint}; --resume continues where this ended")
            self.gone = True

    def _take_tasks(self, tasks: list[Task]) -> set[int]:
        """Takes in what squeue shows of this night. The chunks whose jobs are there."""
        seen: set[int] = set()
        for task in tasks:
            if task.chunk >= self.old and self.unsure and task.first == self.submitted:
                self._have_submitted(task.job)
            if self.old <= task.chunk < self.submitted:
                seen.add(task.chunk)
                self.work[task.chunk].take_task(task)
        pending = [task for task in tasks if task.state == "pending" and task.chunk in seen]
        if pending and not any(task.state == "running" for task in tasks if task.chunk in seen):
            self._say_waiting(pending[-1].reason, len(pending))
        left = [task for task in tasks if task.chunk < self.old
                and task.state in ("pending", "running")]
        self.to_cancel += sorted({task.job for task in left} - set(self.to_cancel))
        if self.leftovers and not left:
            self.read_all()
            self.leftovers = False
            for number in range(self.old):
                slurm_files.give_up_chunk(self.folder, number)
        elif self.leftovers and not self.leftovers_said:
            self.leftovers_said = True
            self.say(f"{plural(len(left), 'job')} of Slurm that an earlier call submitted "
                     f"{'is' if len(left) == 1 else 'are'} cancelled")
        return seen

    def _say_waiting(self, reason: str, count: int) -> None:
        """A person should know if every job waits for something that may never come."""
        if reason in ("None", "Resources", "Priority", "BeginTime", "", self.waiting):
            return
        self.waiting = reason
        self.say(f"{plural(count, 'job')} of Slurm wait{'s' if count == 1 else ''}, and none runs: "
                 f"{reason}")

    # ---- submitting ----

    def _submit(self) -> None:
        self.batch = min(len(self.work) - self.submitted, self.batch_most)
        end = time.time() + self.end - time.monotonic() if self.end else 0
        # Each chunk is written once: where it is not known whether sbatch has failed, its job may
        # speak already.
        try:
            while self.written < self.submitted + self.batch:
                slurm_files.write_chunk(self.folder, self.written,
                                        self.work[self.written].plays, end)
                self.written += 1
        except OSError as error:
            self.fail(f"{error.filename or self.folder}: {error.strerror}")
            return
        logs = self.folder.replace("%", "%%")  # which begins a pattern there
        self._ask(["sbatch", "--parsable", "--nodes=1", "--ntasks=1", *self.options,
                   *([f"--exclude={','.join(self.exclude)}"] if self.exclude else []),
                   "--no-requeue",  # what is undone is seen here, and goes to a new job
                   f"--job-name={self.name}.{self.submitted}", f"--array=0-{self.batch - 1}",
                   f"--chdir={self.folder}/slurm",
                   f"--output={logs}/slurm/logs/{self.submitted}.%a.log",
                   self.script, str(self.submitted)], self._take_submit)

    def _take_submit(self) -> None:
        command, now = self.command, time.monotonic()
        if command.status == 0 and command.text.strip():
            self.next_queue = min(self.next_queue, now + QUEUE_SHORTEST)
            self._have_submitted(command.text.split("\n")[0].split(";")[0])  # JOB or JOB;CLUSTER
        elif self._is_missing("sbatch"):
            pass
        elif "Invalid job array specification" in command.complaint and self.batch > 1:
            self.batch_most, self.batch = self.batch // 2, 0  # MaxArraySize is smaller here
        elif not command.will_pass():
            self.batch = 0
            self.fail(f"sbatch: {command.complaint}" + (
                "; nodes left out because jobs end there before they begin a test: "
                + ",".join(self.exclude) if self.bad else ""))
        else:
            if not self.rejected:
                self.say(f"sbatch: {command.complaint}; it is tried again")
            self.rejected = self.rejected or now
            self.next_submit, self.next_queue, self.unsure = self._try_again(), now, True
            if now - self.rejected > GIVE_UP_SECONDS and not self.any_live():
                self.fail(f"Slurm has taken no job for {GIVE_UP_SECONDS // 60} minutes, sbatch: "
                          f"{command.complaint}; --resume continues where this ended")

    def _have_submitted(self, job: str) -> None:
        """The sbatch of the first chunks that wait has done its work, as the job of that number."""
        first, tests = self.submitted, 0
        self.submitted += self.batch
        self.submissions.append((job, first, self.submitted))
        for number in range(first, self.submitted):
            work = self.work[number]
            work.state = State.SUBMITTED
            work.task = Task(job, first, number)
            tests += len(work.plays)
        self.say(f"job {job} of Slurm: {plural(self.batch, 'task')} with {plural(tests, 'test')}")
        self.batch, self.unsure, self.rejected, self.retry = 0, False, 0.0, 0.0

    # ---- the end ----

    def _cancel_all(self) -> None:
        """Cancels every job that may still run or begin."""
        if self.command.wait(CANCEL_SECONDS) and self.answer == self._take_submit and self.batch:
            self._take_answer()
        jobs = [job for job, first, end in self.submissions if job and any(
            work.task.state != "ended" and not work.closed and work.reported < len(work.plays)
            for work in self.work[first:end])]
        if jobs:
            self.command.start(["scancel", "--quiet", *jobs])
            self.command.wait(CANCEL_SECONDS)
            if self.command.status:
                self.say(f"scancel: {self.command.complaint}; the jobs continue, `scancel "
                         f"{' '.join(jobs)}` ends them, and --resume takes in what they have done")
        if self.unsure:  # whether sbatch has made that job
            self.command.start(["scancel", "--quiet", f"--name={self.name}.{self.submitted}"])
            self.command.wait(CANCEL_SECONDS)
