#!/usr/bin/python3
"""Clock gates of the RTL: open or closed, a trace gives the same bytes, clocks and beats, and the gates do close.

usage: clock_gates.py BUILD [CONFIG [COUNT]]     CONFIG small by default; COUNT random mix layers (24) beside the project's own traces,
of which every fourth is played without NIGHTLY=1 in the environment

Plays everything with the gates free to close, with global_clk_ovr_on=1 and with tmc2slcg_disable_clock_gating=1, memory by default and with
random stalls. The edges are counted in waves of small, of an SDP layer and of a convolution.
"""
import collections
import glob
import json
import os
import subprocess
import sys

from counts import check, finish
from vcd import signals

OPEN = {"global_clk_ovr_on=1": ["--pin", "global_clk_ovr_on=1"], "tmc2slcg_disable_clock_gating=1": ["--pin", "tmc2slcg_disable_clock_gating=1"]}
MEMORIES = {"default memory": [], "random stalls": "--stall 300 --latency-kind uniform --latency-max 90 --reorder --seed 5".split()}
# Members of a result that belong to the process, not to the design.
OF_THE_PROCESS = {"cpu_seconds", "eval_share", "memory_peak", "seconds", "command", "report", "notes", "page"}
# Of each trace: clocks that have nothing to do in it but the zero fill and an access now and then, and those that work.
WAVES = {
    "rand_sdp_000": (["u_pdp.clk", "u_cdp.clk", "u_cdma.clk", "u_cbuf.clk", "conv_clk"], ["u_sdp.clk", "u_mif.u_mcif.clk"]),
    "rand_dc_004": (["u_pdp.clk", "u_cdp.clk"], ["u_cdma.clk", "u_cbuf.clk", "conv_clk", "u_sdp.clk", "u_mif.u_mcif.clk"]),
}


def plain(value):
    """A result without what belongs to the process."""
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items() if name not in OF_THE_PROCESS}
    return [plain(item) for item in value] if isinstance(value, list) else value


def play(nvcosim, folder, config, options, traces):
    results = os.path.join(folder, "results.jsonl")
    subprocess.run([nvcosim, "run", "-q", "-j", str(os.cpu_count()), "--config", config, "--out", folder, "--results", results, *options, *traces],
                   stdout=subprocess.DEVNULL, check=False)
    with open(results, encoding="utf-8") as lines:
        return {result["path"]: plain(result) for result in map(json.loads, lines)}


def rising_edges(wave, names):
    """Of signals of a wave, by name; the testbench's clock last."""
    lines = iter(subprocess.run(["fst2vcd", wave], check=True, capture_output=True, text=True).stdout.splitlines())
    codes = signals(lines)
    edges = collections.Counter(line[1:] for line in lines if line.startswith("1"))
    return [edges[codes[name]] for name in names + ["TOP.tb_top.clk"]]


def main(build, config="small", count="24"):
    nvcosim = os.environ.get("NVCOSIM", os.path.join(build, "nvcosim"))
    folder = os.path.join(build, "tests", f"clock_gates-{config}")
    os.makedirs(folder, exist_ok=True)
    subprocess.run([nvcosim, "gen", "--config", config, "--engine", "mix", "--seed", "71", "--count", count, "--out", os.path.join(folder, "mix")],
                   stdout=subprocess.DEVNULL, check=True)
    own = sorted(glob.glob(f"traces/conformance/{config}/*.nvt.gz"))
    traces = own[::1 if os.environ.get("NIGHTLY") else 4] + sorted(glob.glob(f"{folder}/mix/*.nvt.gz"))
    for memory, options in MEMORIES.items():
        closed = play(nvcosim, folder, config, options, traces)
        wrong = [path for path in traces if closed.get(path, {}).get("verdict") != "PASS"]
        check(f"{config}, {memory}: {len(traces)} traces pass with gates that close {wrong[:3] or ''}", not wrong)
        for pin, setting in OPEN.items():
            opened = play(nvcosim, folder, config, options + setting, traces)
            wrong = [path for path in traces if path not in opened or opened[path] != closed.get(path)]
            check(f"{config}, {memory}: the same with {pin} {wrong[:3] or ''}", not wrong)
    for trace, (idle, at_work) in WAVES.items() if config == "small" else ():
        for setting in [[], *OPEN.values()]:
            wave = os.path.join(folder, f"{trace}.fst")
            subprocess.run([nvcosim, "run", "-q", "--dut", "rtl", "--out", folder, "--wave", wave, *setting, f"traces/conformance/small/{trace}.nvt.gz"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            gates = idle + at_work
            *edges, clocks = rising_edges(wave, [f"TOP.tb_top.dut.{gate}" for gate in gates])
            told = ", ".join(f"{gate} {n}" for gate, n in zip(gates, edges))
            if setting:
                check(f"{trace}: {setting[-1]} opens every gate ({clocks} clocks: {told})", all(n == clocks for n in edges))
                continue
            filling = {"u_cdma.clk", "u_cbuf.clk"}  # they are at work until CBUF is filled with zeros
            check(f"{trace}: gates are closed where there is nothing to do ({clocks} clocks: {told})",
                  all(n < clocks and (n < clocks / 10 or gate in filling) for gate, n in zip(idle, edges)))
            check(f"{trace}: and open where there is", all(n > 50 for n in edges[len(idle):]))
    finish()


main(*sys.argv[1:])
