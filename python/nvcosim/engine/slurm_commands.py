"""Slurm's commands and what they print."""
import dataclasses
import os
import shlex
import typing

from nvcosim.engine.guard import Guard
from nvcosim.tool import Failure

COMMAND_SECONDS = 90  # after which a command is ended
MISSING = 127
SQUEUE = ("squeue", "--me", "--noheader", "--array", "--states=all",
          "--Format=ArrayJobID:|,ArrayTaskID:|,State:|,exit_code:|,Reason:|,Name:|,NodeList:|")
_PASSING = ("contact slurm controller", "not connected", "timed out", "temporarily", "try again",
            "connection refused", "connection reset", "zero bytes", "standby", "submit limit",
            "unavailable", "authentication", "unable to resolve", "no route to host",
            "unexpected message", "queue is full")
_ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL",
          "DEADLINE", "OUT_OF_MEMORY", "REVOKED")
GONE = "gone from Slurm"  # so long ago that it has forgotten it, or with its controller's memory


class Command:
    """A command that runs in the background: it hangs while the controller is busy or gone. When
    it has ended: status (MISSING: there is no such program), text (stdout), complaint (what stderr
    has, as one line)."""
    status, text, complaint = 0, "", ""

    def __init__(self, guard: Guard, *words: str, seconds: float = COMMAND_SECONDS) -> None:
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

    def will_pass(self) -> bool:
        """Whether it failed by a passing state of the cluster: the controller does not answer, a
        limit on the number of jobs is reached. Anything else is an error of the call."""
        return self.child.late or any(sign in self.complaint.lower() for sign in _PASSING)


@dataclasses.dataclass
class Task:
    """One task of an array of jobs, as squeue shows it: chunk FIRST + task of the job that is named
    NAME.FIRST. state: as Slurm names it, "": not shown yet, or GONE. status: of wait()."""
    job: str = ""
    first: int = 0
    chunk: int = 0
    state: str = ""
    reason: str = ""
    node: str = ""
    status: int = 0

    @classmethod
    def read(cls, line: str, name: str) -> "Task | None":
        """Of a line of SQUEUE's output; None for the jobs of others and for anything else. name:
        the beginning of the names of jobs."""
        fields = line.split("|")
        if len(fields) < 7 or not fields[0] or not fields[1].isdecimal():
            return None
        job, index, state, status, reason, full_name, node = fields[:7]
        base, _, first = full_name.rpartition(".")
        if base != name or not first.isdecimal():
            return None
        return cls(job, int(first), int(first) + int(index), state, reason, node,
                   int(status) if status.isdecimal() else 0)

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


def split_words(text: str) -> list[str]:
    """Words as a shell has them. Failure if a quote is not closed."""
    reader: typing.Any = shlex.shlex(text, posix=True)
    reader.whitespace_split, reader.commenters = True, ""
    try:
        return list(reader)
    except ValueError:
        raise Failure(f"--slurm-options: {text}: the quote {reader.state} is not closed") from None
