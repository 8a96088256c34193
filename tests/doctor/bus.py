#!/usr/bin/python3
"""Faults of a bus: each kind that changes an output is ranked first from the output alone; what the monitor sees, what
hangs, and which options are refused.

usage: bus.py NVCOSIM

Prints "N passed, N failed".
"""
import json
import pathlib
import sys

from counts import check, finish, run, scratch

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NET = ROOT / "traces/loadables/own_res_small_int8"
TRACES = ROOT / "traces/conformance/small"
KINDS = ["same-id", "early-response", "lost-beat", "repeated-beat:8", "strobes", "address", "wrap", "stale", "narrow", "swapped"]


def nvcosim(*words):
    done = run(sys.argv[1], *words, timeout=300)
    return done.returncode, done.stdout, done.stderr


def output_of(folder, *options):
    out = pathlib.Path(folder)
    nvcosim("run", NET / "net.nvdla", "--input", NET / "input.ppm", "--dut", "rtl", "--outputs", out, "--out", out, *options)
    return out / "prob.bin"


def doctor(output, *options):
    status, text, error = nvcosim("doctor", "--json", "--output", output, "--loadable", NET / "net.nvdla", "--input",
                                  NET / "input.ppm", *options)
    return status, json.loads(text) if text else error


def ranking(scratch):
    right = output_of(f"{scratch}/right").read_bytes()
    check("the processor's result of a right run", right == (NET / "output.bin").read_bytes()[:len(right)], right.hex())
    for kind in KINDS:
        output = output_of(f"{scratch}/{kind}", "--bus-fault", kind)
        status, said = doctor(output, *([] if ":" in kind else ["--run-clocks", "200000"]))
        best = said["faults"][0]
        check(f"{kind} is first", best["fault"] == kind.split(":")[0] and best["likeness"] == 1 and best["from"] == "run", said["faults"][:3])
        check(f"{kind} has a wrong output", (status == 1) == (kind != "strobes") == (output.read_bytes() != right), status)
    status, said = doctor(f"{scratch}/swapped/prob.bin", "--run-clocks", "0")
    check("without runs the atlas ranks", status == 1 and said["runs"] == 0 and {f["from"] for f in said["faults"]} == {"atlas"}, said)
    status, text, _ = nvcosim("doctor", "--output", f"{scratch}/wrap/prob.bin", "--loadable", NET / "net.nvdla", "--input", NET / "input.ppm")
    check("the ranking in words", status == 1 and "100 %  wrap:256: the same bytes" in text, text)


def lenet(scratch):
    """The digits' network is right with every picture, and with hardly any behind a bus that reorders answers, which is named."""
    net = ROOT / "traces/networks/digits"
    right = {}
    for kind in ([], ["--bus-fault", "same-id"]):
        right[len(kind)] = 0
        for digit in range(0, 10, 2):
            out = pathlib.Path(scratch, f"{digit}-{len(kind)}")
            nvcosim("run", net / "digits.nvdla", "--input", net / f"{digit}.png", "--dut", "rtl", "--outputs", out, "--out", out, *kind)
            values = [v - 256 if v > 127 else v for v in (out / "digit.bin").read_bytes()[:10]]
            right[len(kind)] += values.index(max(values)) == digit
    check("digits on a right bus, of 5", right[0] == 5, right)
    check("digits behind a bus that reorders, of 5", right[2] <= 2, right)
    status, text, _ = nvcosim("doctor", "--output", out / "digit.bin", "--loadable", net / "digits.nvdla", "--input", net / "8.png",
                              "--run-clocks", "500000")
    check("the bus that reorders is named", status == 1 and "100 %  same-id:4: the same bytes" in text, text)


def visible(scratch):
    trace = TRACES / "rand_sdp_000.nvt.gz"
    nvcosim("run", "--dut", "rtl", "--out", scratch, "--bus-fault", "early-response", "--stall-w", "900", trace)
    text = pathlib.Path(scratch, "rand_sdp_000/report.txt").read_text()
    check("the monitor sees an early response", "axi-b-early" in text, text)
    _, text, _ = nvcosim("run", "--dut", "rtl", "--out", scratch, "--bus-fault", "lost-beat:2", trace)
    check("and not a lost beat", "axi-" not in text and text.startswith("FAIL"), text)
    status, text, _ = nvcosim("run", "--dut", "rtl", "--out", scratch, "--bus-fault", "interrupt-edge", TRACES / "rand_multi_004.nvt.gz")
    check("an interrupt that is taken as an edge hangs", status == 3 and "interrupts" in text, text)


def refused():
    log = ROOT / "traces/driver-logs/no-interrupt/log.txt"
    for option, value in (("--mean", "3"), ("--norm", "2"), ("--scale", "2"), ("--channels", "rgb"), ("--input", "zero"), ("--run-clocks", "1")):
        status, _, error = nvcosim("doctor", log, option, value)
        check(f"a log with {option}", status == 2 and option in error and "--output" in error, error)
    hung = ROOT / "traces/driver-logs/sdp-rdma-not-armed/log.txt"
    status, text, _ = nvcosim("doctor", hung, "--loadable", ROOT / "traces/loadables/own_concat_small_int8/net.nvdla", "--clock", "25")
    check("the clock of the board", status == 1 and "at 25 MHz\n" in text, text)
    status, _, error = nvcosim("doctor", log, "--clock", "fast")
    check("a clock that is none", status == 2 and "megahertz" in error, error)


with scratch() as folder:
    ranking(folder)
    lenet(folder)
    visible(folder)
refused()
finish()
