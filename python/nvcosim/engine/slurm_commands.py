"""Slurm's commands: run in the background, because they hang while the controller is busy or gone,
and their output parsed."""
import dataclasses
import os
import shlex
import signal
import subprocess
import time

from nvcosim.engine.signals import end_with_parent
from nvcosim.tool import Failure

COMMAND_SECONDS = 90  # after which a command is ended
MISSING = 127
SQUEUE = ["squeue", "--me", "--noheader", "--array", "--states=all",
          "--Format=ArrayJobID:|,ArrayTaskID:|,State:|,exit_code:|,Reason:|,Name:|,NodeList:|"]
_PASSING = ("contact slurm controller", "not connected", "timed out", "temporarily", "try again",
            "connection refused", "connection reset", "zero bytes", "standby", "submit limit",
            "unavailable", "authentication", "unable to resolve", "no route to host",
            "unexpected message", "queue is full")
_ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL",
          "DEADLINE", "OUT_OF_MEMORY", "REVOKED")


class Command:
    """One command at a time. Of the last one that has ended: status, text (stdout), complaint (what
    stderr has, as one line)."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.status, self.text, self.complaint, self.late = 0, "", "", False

    def start(self, words: list[str]) -> None:
        """A program that is missing ends with the status MISSING."""
        self.out, self.errors = (os.memfd_create(name) for name in ("stdout", "stderr"))
        self.begun, self.late = time.monotonic(), False
        # Of a job that this runs in; sbatch would hand it on.
        environment = {k: v for k, v in os.environ.items() if k != "SLURM_CPUS_PER_TASK"}
        try:
            self.process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.errors,
                env=environment, preexec_fn=end_with_parent)
        except OSError as error:
            os.write(self.errors, f"{words[0]}: {error.strerror}".encode())
            self._finish(MISSING)

    def _finish(self, status: int) -> None:
        self.process, self.status = None, status if status >= 0 else 128 - status
        texts = []
        for file in (self.out, self.errors):
            texts.append(os.pread(file, os.fstat(file).st_size, 0).decode("utf-8", "replace"))
            os.close(file)
        self.text, errors = texts
        self.complaint = "; ".join(line.partition("error: ")[2] or line
                                   for line in errors.split("\n") if line)
        if self.late and status:
            self.complaint = f"no answer for {COMMAND_SECONDS} seconds"
        self.complaint = self.complaint or f"it ended with status {self.status}"

    def ended(self) -> bool:
        """Whether it has ended since the last look."""
        if not self.process:
            return False
        if time.monotonic() - self.begun > COMMAND_SECONDS:
            self.process.send_signal(signal.SIGKILL if self.late else signal.SIGTERM)
            self.late = True
        status = self.process.poll()
        if status is not None:
            self._finish(status)
        return status is not None

    def wait(self, seconds: float) -> bool:
        """Until it has ended; at most so long, then it is ended. False: there was none."""
        if not self.process:
            return False
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._finish(self.process.wait())
        return True

    def will_pass(self) -> bool:
        """Whether it failed by a passing state of the cluster: the controller does not answer, a
        limit on the number of jobs is reached. Anything else is an error of the call."""
        return self.late or any(sign in self.complaint.lower() for sign in _PASSING)


@dataclasses.dataclass
class Task:
    """One task of an array of jobs, as squeue shows it. Its job is named NAME.FIRST, and it runs
    chunk FIRST + task. state: "pending", "running", "completing" (its processes are being ended),
    "ended", "" (not shown yet). name: of the state, by Slurm. status: of wait()."""
    job: str = ""
    first: int = 0
    chunk: int = 0
    state: str = ""
    name: str = ""
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
        base, dot, first = full_name.rpartition(".")
        if base != name or not first.isdecimal():
            return None
        kind = "ended" if state in _ENDED else \
            state.lower() if state in ("PENDING", "COMPLETING") else "running"
        return cls(job, int(first), int(first) + int(index), kind, state, reason, node,
                   int(status) if status.isdecimal() else 0)

    def end(self) -> str:
        """Why it ended: "NODE_FAIL (NodeDown) on node n1"."""
        text = self.name or "gone from Slurm"
        if os.WIFEXITED(self.status) and os.WEXITSTATUS(self.status):
            text += f", exit status {os.WEXITSTATUS(self.status)}"
        elif os.WIFSIGNALED(self.status):
            text += f", signal {os.WTERMSIG(self.status)}"
        if self.reason and self.reason not in ("None", "NonZeroExitCode"):
            text += f" ({self.reason})"
        return text + (f" on node {self.node}" if self.node else "")


def split_words(text: str) -> list[str]:
    """Words as a shell has them. Failure if a quote is not closed."""
    try:
        return shlex.split(text)
    except ValueError:
        quote = next((q for q in "'\"" if _is_open(text, q)), "\\")
        raise Failure(f"--slurm-options: {text}: the quote {quote} is not closed") from None


def _is_open(text: str, quote: str) -> bool:
    """Whether another quote of that kind would close the last word."""
    try:
        shlex.split(text + quote)
        return True
    except ValueError:
        return False
