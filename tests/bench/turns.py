"""Processor time of commands that alternate, so that a disturbance of the machine affects all of them. Imported by the benches."""
import resource
import statistics
import subprocess
import sys


def cost(command):
    """Seconds of processor time of a command and all that it starts and waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{sys.argv[0]}: the run fails: {' '.join(command)}\n{done.stdout.decode(errors='replace')}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def by_turns(commands, rounds):
    """A list of seconds for each command."""
    return list(zip(*([cost(command) for command in commands] for _ in range(rounds))))


def spread(values, form):
    """Median, and the quartiles around it."""
    values = list(values)
    if len(values) < 2:
        return f"{values[0]:{form}}"
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{middle:{form}} (quartiles {low:{form}} .. {high:{form}})"


def path_of(name, other):
    """A conformance trace, or one of this repository in its place."""
    path = subprocess.run(["tests/conformance_traces.sh", "small", name], stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
    return path or f"traces/conformance/small/{other}.nvt.gz"
