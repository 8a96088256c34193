#!/usr/bin/python3
"""Measures what copies of the simulator cost (csrc/replay/copies.h), on a trace of a million cycles.

usage: copies.py BUILD [ROUNDS]      exit status 1 if they cost more than 2 % of the run; needs at least five rounds for that

The difference between a run with copies and one without is smaller than the noise on most machines. The run itself accounts for forks and for
the copies' own time, but not for pages that are copied after a fork. To calibrate that account, runs that make a hundred copies are measured:
the processor time of all processes, less that of a run without copies, divided by the account. The cost of copies as usually made is their
account times that ratio.
"""
import json
import os
import re
import statistics
import subprocess
import sys

from turns import cost, spread

LIMIT = 0.02
DENSE = 10000  # clocks from one copy to the next, where the account is checked


def main(build, rounds="7"):
    rounds = int(rounds)
    os.makedirs(f"{build}/bench", exist_ok=True)
    trace, results = f"{build}/bench/long.nvt", f"{build}/bench/one.jsonl"
    subprocess.run([sys.executable, "tests/replay/long_trace.py", "traces/conformance/small/rand_dc_019.nvt.gz", "160", trace], check=True)

    def play(*options):
        """Seconds of the run, copies made, and the seconds that they cost by its own account."""
        seconds = cost([f"{build}/nvcosim", "run", "-q", "--dut", "rtl", "--out", f"{build}/bench", "--results", results, *options, trace])
        with open(results, encoding="utf-8") as file:
            notes = " ".join(json.loads(file.read().splitlines()[-1])["notes"])
        copies = re.search(r"copies: (\d+) made, .* ms for forks, ([\d.]+) ms", notes)
        return seconds, int(copies[1]) if copies else 0, float(copies[2]) / 1000 if copies else 0

    runs = [(play(), play(f"--copies={DENSE}"), play("--copies")) for _ in range(rounds)]
    plain, dense, usual = zip(*runs)
    more = [d[0] - p[0] for p, d in zip(plain, dense)]
    worth = statistics.median(more) / statistics.median(d[2] for d in dense)
    shares = [worth * u[2] / p[0] for p, u in zip(plain, usual)]
    print(f"copies of the simulator, {rounds} rounds of a run without, a run with {dense[0][1]} copies and one with as many as are made")
    print(f"  processor time of a run without      {spread([p[0] for p in plain], '.3f')} s")
    print(f"  and with {dense[0][1]:4} copies more by          {spread(more, '.3f')} s")
    print(f"  by its own account                   {spread([d[2] for d in dense], '.3f')} s, so that account is to be taken {worth:.2f} times")
    print(f"  copies that are made, a copy         {min(u[1] for u in usual)} .. {max(u[1] for u in usual)}, {spread([1e3 * worth * u[2] / u[1] for u in usual], '.2f')} ms")
    print(f"  what they cost                       {spread([100 * s for s in shares], '.2f')} % (at most {100 * LIMIT:.0f} %)")
    return 1 if statistics.median(shares) > LIMIT and rounds >= 5 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
