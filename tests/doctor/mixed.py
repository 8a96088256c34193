#!/usr/bin/python3
"""Logs of two or three devices or runs in one file, one of which fails: nvcosim doctor names its cause first or says unknown, and never good.

usage: mixed.py NVCOSIM [--seeds N] [--first SEED] [--keep DIR]

The driver of driver_model.py prints each log; they are merged line by line, in bursts, or one behind the other; one of them, or the file, may lack
its beginning or its end. Also a few that people paste.
Prints the verdicts of each way to mix them, and "N passed, N failed".
"""
import argparse
import collections
import pathlib
import random
import sys

from in_process import ROOT, diagnose
from driver_model import read_tasks
from logs_made import Log, alike, faults

NETWORKS = ["own_res_small_int8", "own_concat_small_int8"]
RUN = "creating new runtime context...\nEmulator starting\nsubmitting tasks...\n"
TOO_FEW = 30  # lines of a log that a cut leaves: its failure is not in the file
PASS = "Shutdown signal received, exiting\nTest pass\n"
# name, verdicts that are right, causes of which one comes first, text
POSTS = [
    ("two runs end", ["good"], ["good"], (RUN + PASS) * 2),
    ("the third run has no end", ["unknown"], [], (RUN + PASS) * 2 + RUN),
    ("the second of three runs has no end", ["unknown"], [], RUN + PASS + RUN + RUN + PASS),
    ("two at once, one ends", ["unknown"], [], RUN + RUN + PASS),
]


class Line(str):
    """A line that knows the number of its log."""

    def __new__(cls, text, log):
        made = str.__new__(cls, text)
        made.log = log
        return made


def texts(log, number=0):
    return [Line(text, number) for _, text in log.lines]


def split(lines):
    """The lines of the probe, and those of the task; without both beginnings all are of the task."""
    first = next((i for i, text in enumerate(lines) if text.startswith("Enter:dla_read_network")), 0)
    return lines[:first], lines[first:]


def merged(parts, rng, burst):
    """The order of each part is kept; a part continues for `burst` lines on average."""
    parts, out = [list(part) for part in parts], []
    while any(parts):
        part = rng.choice([part for part in parts if part])
        for _ in range(min(len(part), 1 + int(rng.expovariate(1 / burst)) if burst > 1 else 1)):
            out.append(part.pop(0))
    return out


def mixtures(logs, rng):
    """(name, lines) of the ways in which the logs of several devices or runs get into one file."""
    probes, tasks = zip(*map(split, logs))
    devices = [Line(line.replace("minor 0", f"minor {n}"), line.log) for n, probe in enumerate(probes) for line in probe]
    for name, burst in ("lines", 1), ("bursts", 40), ("rounds", 400):
        yield name, devices + merged(tasks, rng, burst)
    yield "devices in turn", devices + sum(tasks, [])
    yield "boots in turn", sum(logs, [])


def cut(lines, kind, share):
    """Without a share of the lines, at one end."""
    count = int(share * len(lines))
    return lines[count:] if kind == "begin" else lines[:len(lines) - count]


def alternating(hangs):
    """Two devices with the same network: line by line until both wait, then the rounds of one, then those of the other unless it hangs."""
    lines = texts(Log("good", {}, [], lambda: read_tasks(ROOT / "traces/loadables" / NETWORKS[0] / "net.nvdla")[0], 1, False))
    probe, task = split(lines)
    waits = next(i for i, text in enumerate(task) if text.startswith("Exit: dla_initiate")) + 1
    start = [line for line in task[:waits] for _ in range(2)]
    return "\n".join(probe * 2 + start + task[waits:] + ([] if hangs else task[waits:])) + "\n"


def wrong(answer, verdicts, causes, most=1):
    found = [cause["cause"] for cause in answer["causes"]]
    if answer["verdict"] == "unknown" and "unknown" in verdicts:
        return [f"certain {found}" for cause in answer["causes"] if cause["certainty"] == "certain"]
    if answer["verdict"] not in verdicts:
        return [f"verdict {answer['verdict']}, expected {' or '.join(verdicts)}"]
    return [] if set(found[:most]) & set(causes) else [f"causes {found}, expected one of {sorted(causes)} first"]


def examine(nvcosim, name, seed, counts, keep):
    rng = random.Random(f"{name} {seed}")
    tasks = read_tasks(ROOT / "traces/loadables" / name / "net.nvdla")
    read = lambda of: lambda: read_tasks(of)[0]
    path, beside = (ROOT / "traces/loadables" / n / "net.nvdla" for n in (name, rng.choice(NETWORKS)))
    made = [Log(cause, device, extra, read(path), seed, False) for cause, device, extra in faults(tasks[0][1], True, rng)]
    for log in made:
        good = log.driver.finished and "unarmed" not in log.driver.outcome
        if good and log.cause not in ("good", "harmless"):
            continue
        same = {o.cause for o in made if o.mark == log.mark} | {log.cause} | alike(log)
        logs = [log] + [Log("good", {}, [], read(beside), seed + k, False) for k in range(1, rng.choice([2, 3]))]
        rng.shuffle(logs)
        lines = [texts(entry, n) for n, entry in enumerate(logs)]
        kind, of = rng.choice([("", ""), ("begin", "one"), ("end", "one"), ("begin", "all"), ("end", "all")])
        if of == "one":
            one = rng.randrange(len(lines))
            lines[one] = cut(lines[one], kind, rng.uniform(0.1, 0.6))
        ways = [(way, cut(text, kind, rng.uniform(0, 0.3)) if of == "all" else text) for way, text in mixtures(lines, rng)]
        for way, text in ways if seed == 0 else [rng.choice(ways)]:
            rest = [line for line in text if line.log == logs.index(log)]
            if len(rest) < TOO_FEW:
                continue
            alone = [diagnose(nvcosim, ("\n".join(part) + "\n").encode())["causes"][:1] for part in (rest, texts(log))]
            alike_alone = {entry["cause"] for causes in alone for entry in causes}  # mixing makes it no worse
            text = "\n".join(f"[{100 + n / 1000:12.6f}] {line}" for n, line in enumerate(text)) + "\n"
            answer = diagnose(nvcosim, text.encode())
            verdicts = ["good", "unknown"] + ["hang"] * (kind == "end") if good else ["hang", "error", "data", "unknown"]
            found = [] if good and answer["verdict"] == "hang" and kind == "end" else \
                wrong(answer, verdicts, same | alike_alone | ({"good", "harmless"} if good else set()), 2 if kind else 1)
            counts["failed" if found else "passed"] += 1
            counts[f"{way}: {'good' if good else 'failing'} {answer['verdict']}"] += 1
            if found:
                print(f"FAIL {name} seed {seed} {log.cause}, {len(logs)} logs, {way} {kind} {of}: {'; '.join(found)} ({answer['verdict']})")
            if found and keep:
                pathlib.Path(keep, f"{name}-{seed}-{log.cause}-{way.replace(' ', '-')}-{counts['failed']}.txt").write_text(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nvcosim")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    counts = collections.Counter()
    posts = POSTS + [("equal devices", ["good"], ["good"], alternating(False)),
                     ("equal devices, one hangs", ["hang", "unknown"], ["interrupt-never"], alternating(True))]
    for name, verdicts, causes, text in posts:
        found = wrong(diagnose(arguments.nvcosim, text.encode()), verdicts, causes)
        counts["failed" if found else "passed"] += 1
        if found:
            print(f"FAIL {name}: {'; '.join(found)}")
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        for name in NETWORKS:
            examine(arguments.nvcosim, name, seed, counts, arguments.keep)
    for key in sorted(k for k in counts if ":" in k):
        print(f"{counts[key]:5} {key}")
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return counts["failed"] > 0 or counts["passed"] == 0


if __name__ == "__main__":
    sys.exit(main())
