"""The commands of Slurm for a night, and what their answers mean."""
import argparse
import shlex
import typing

from nvcosim.engine.chunk import Task
from nvcosim.tool import Failure

_QUEUE = ["squeue", "--me", "--noheader", "--array", "--states=all",
          "--Format=ArrayJobID:|,ArrayTaskID:|,State:|,exit_code:|,Reason:|,Name:|,NodeList:|"]
_PASSING = ("contact slurm controller", "not connected", "timed out", "temporarily", "try again",
            "connection refused", "connection reset", "zero bytes", "standby", "submit limit",
            "unavailable", "authentication", "unable to resolve", "no route to host",
            "unexpected message", "queue is full")


class Slurm:
    """options: words for sbatch, as a shell has them."""
    name, package = "Slurm", "slurm-client"
    index = "SLURM_ARRAY_TASK_ID"  # in the environment of a job

    def __init__(self, options: str) -> None:
        self.options = _split(options)

    def excluded(self) -> list[str]:
        """Nodes that the user leaves out: of several lists sbatch takes the last one alone."""
        parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
        parser.add_argument("-x", "--exclude", action="append", default=[])
        try:
            return list(parser.parse_known_args(self.options)[0].exclude)
        except argparse.ArgumentError:  # sbatch refuses it
            return []

    # ---- words of commands ----

    def size(self) -> list[str]:
        """Its answer: processors()."""
        return ["sinfo", "--noheader", "--format=%C"]

    def queue(self) -> list[str]:
        """Its answer: a task() in each line."""
        return _QUEUE

    def submit(self, folder: str, name: str, first: int, count: int,
               excluded: list[str]) -> list[str]:
        """Submits an array of `count` tasks with that name, which run FOLDER/slurm/job.sh FIRST on
        any nodes but some. Its answer: job()."""
        logs = folder.replace("%", "%%")  # which begins a pattern there
        return ["sbatch", "--parsable", "--nodes=1", "--ntasks=1", *self.options,
                *([f"--exclude={','.join(excluded)}"] if excluded else []),
                "--no-requeue",  # what is undone is seen by the runner, and goes to a new job
                f"--job-name={name}", f"--array=0-{count - 1}", f"--chdir={folder}/slurm",
                f"--output={logs}/slurm/logs/{first}.%a.log", f"{folder}/slurm/job.sh", str(first)]

    def exclude(self, job: str, nodes: list[str]) -> list[str]:
        """Keeps what waits of a job off nodes."""
        return ["scontrol", "update", f"JobId={job}", f"ExcNodeList={','.join(nodes)}"]

    def cancel(self, *which: str) -> list[str]:
        """which: jobs, tasks (JOB_TASK), or an option of scancel."""
        return ["scancel", "--quiet", *which]

    # ---- answers ----

    @staticmethod
    def processors(text: str) -> int:
        """Those that may be used."""
        counts = [line.strip().split("/") for line in text.splitlines()]
        return sum(int(count[3]) - int(count[2])  # allocated/idle/other/total
                   for count in counts if len(count) == 4 and "".join(count).isdecimal())

    @staticmethod
    def job(text: str) -> str:
        """The number of a job, "": there is none."""
        return text.strip().split("\n")[0].split(";")[0]  # JOB or JOB;CLUSTER

    @staticmethod
    def task(line: str, name: str) -> Task | None:
        """None: of another job than NAME.FIRST, or not a task at all."""
        fields = line.split("|")
        if len(fields) < 7 or not fields[0] or not fields[1].isdecimal():
            return None
        job, index, state, status, reason, full_name, node = fields[:7]
        base, _, first = full_name.rpartition(".")
        if base != name or not first.isdecimal():
            return None
        return Task(job, int(first), int(first) + int(index), state, reason, node,
                    int(status) if status.isdecimal() else 0)

    @staticmethod
    def is_too_large(complaint: str) -> bool:
        """Whether submit() failed for the size of the array."""
        return "Invalid job array specification" in complaint  # MaxArraySize

    @staticmethod
    def will_pass(complaint: str) -> bool:
        """Whether a command failed by a passing state of the cluster: the controller does not
        answer, a limit on the number of jobs is reached. Anything else is an error of the call."""
        return any(sign in complaint.lower() for sign in _PASSING)


def _split(text: str) -> list[str]:
    """Words as a shell has them. Failure if a quote is not closed."""
    reader: typing.Any = shlex.shlex(text, posix=True)
    reader.whitespace_split, reader.commenters = True, ""
    try:
        return list(reader)
    except ValueError:
        raise Failure(f"--slurm-options: {text}: the quote {reader.state} is not closed") from None
