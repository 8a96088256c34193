"""Runs of nvcosim doctor --output on the RTL: what each fault of a bus makes of the same output."""
import concurrent.futures
import os
import subprocess
import tempfile

from nvcosim import tool
from nvcosim.doctor.compiled import Check, Compiled
from nvcosim.doctor.likeness import TRIALS, Fault, Ranking, trial
from nvcosim.doctor.pattern import Output

# Rounds that are played after the first run that left the same bytes: they show which other kinds
# do.
_ROUNDS_BEHIND = 3
_FEWEST = 12  # runs that rank the kinds


def _left_by(folder: str, number: int, fault: Fault) -> bytes | None:
    """The bytes of the output that a run leaves; None: it hangs."""
    out = f"{folder}/out{number}"
    subprocess.run([tool.program(), "run", "--dut=rtl", f"--bus-fault={fault}", f"--outputs={out}",
                    f"--out={out}", "--", f"{folder}/case.nvt"], check=False,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with open(f"{out}/cube.bin", "rb") as file:
            return file.read()
    except OSError:
        return None


def play(compiled: Compiled, check: Check, output: Output, clocks: int, ranking: Ranking) -> int:
    """Plays the trace as far as the check with --bus-fault, kind after kind, and takes the bytes
    that each run leaves into the ranking. Continues with other parameters (of a right output: does
    not) until a few rounds after a run left the very bytes that were found, or the runs are worth
    that many clocks. Returns how many there were; 0 if the simulator of the configuration is not
    built or the network is too large."""
    simulator = tool.run_json("simulators", "--known", f"--config={compiled.config}")["path"]
    runs, number, last = 0, 0, None if output.wrong else 1
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        most = clocks // compiled.play_part(f"{folder}/case.nvt", check)
        if most < _FEWEST or not simulator or not os.access(simulator, os.X_OK):
            return 0
        while number != last:
            faults = [fault for kind in TRIALS if (fault := trial(kind, number))][:most - runs]
            if not faults:
                break
            numbers = range(runs, runs + len(faults))
            for fault, left in zip(faults, pool.map(_left_by, [folder] * len(faults), numbers,
                                                    faults)):
                if left is not None and len(left) == check.extent:
                    ranking.by_run(output, check.over(output.expected, left), fault)
            runs, number = runs + len(faults), number + 1
            if ranking.is_exact() and (last is None or last > number - 1 + _ROUNDS_BEHIND):
                last = number - 1 + _ROUNDS_BEHIND
    return runs
