#!/usr/bin/python3
"""Mistakes that a strict SystemVerilog front end refuses, each planted in a copy of rtl/common/nvdla_fifo.sv: scripts/strict.sh has to name
it, by file and line or by the name of the net. The module without one has to pass. A module that is a box in what is around it has a
mistake of its own.

usage: planted.py BUILD     NIGHTLY=1: all mistakes, else every second one
"""
import os
import re
import shutil
import subprocess
import sys

FILE = "common/nvdla_fifo.sv"
# What goes before `endmodule`, and what has to be in the output.
MISTAKES = {
    "use before declaration": ("  wire early = late;\n  logic late;\n  assign late = clk_i;", r"nvdla_fifo.sv:\d+:.*error: .*'late'.*before"),
    "a range beyond its word": ("  logic [3:0] word;\n  assign word = '0;\n  wire [1:0] beyond = word[5:4];", r"nvdla_fifo.sv:\d+:.*cannot select range"),
    "a bit beyond its word": ("  logic [3:0] word;\n  assign word = '0;\n  wire beyond = word[4];", r"nvdla_fifo.sv:\d+:.*cannot refer to element"),
    "a latch in combinational logic": ("  logic held;\n  always_comb if (in_valid_i) held = clk_i;", r"logic loop in module[^\0]*nvdla_fifo.sv:\d+"),
    "a latch of its own": ("  logic held;\n  always_latch if (in_valid_i) held = clk_i;", r"Assertion failed|nvdla_fifo.sv:\d+:.*latch"),
    "two drivers of a variable": ("  logic twice;\n  assign twice = clk_i;\n  assign twice = rst_ni;", r"conflicting drivers for .*twice"),
    "two drivers of a net": ("  wire twice;\n  assign twice = clk_i;\n  assign twice = rst_ni;", r"conflicting drivers for .*twice"),
    "a loop of logic": ("  wire here, there;\n  assign here = there ^ clk_i;\n  assign there = here;", r"[Ll]oop"),
    "an instance of a module that does not exist": ("  nvdla_nothing u_nothing (.clk_i);", r"nvdla_fifo.sv:\d+:.*nvdla_nothing"),
    "a static variable with a value": ("  function int one(input int a);\n    int n = a;\n    one = n;\n  endfunction\n  wire [31:0] n = one(1);",
                                      r"nvdla_fifo.sv:\d+:.*static"),
    "a name declared twice": ("  logic again;\n  assign again = clk_i;\n  if (1) begin : again end", r"nvdla_fifo.sv:\d+:.*again"),
}


def strict(build, folder, top="nvdla_fifo"):
    settings = {"RTL": folder, "TOP": top, "CHECKS": "", "LOGS": os.path.join(build, "tests", "strict", "logs")}
    done = subprocess.run(["scripts/strict.sh", build, "small"], env={**os.environ, **settings},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode == 3:
        print(f"SKIPPED: {done.stdout.strip()}\n0 passed, 0 failed, 1 skipped")
        sys.exit(0)
    return done.returncode, done.stdout


def planted(build, folder, title, name, change, expected, top):
    """Is a mistake named? change: of the file's text; the copy is whole again afterwards."""
    with open(os.path.join("rtl", name), encoding="utf-8") as f:
        good = f.read()
    text = change(good)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(text)
    status, output = strict(build, folder, top)
    shutil.copy(os.path.join("rtl", name), os.path.join(folder, name))
    fine = status == 0 if expected is None else text != good and status == 1 and re.search(expected, output)
    print("ok    " + title if fine else f"FAIL  {title}: status {status}\n{output}", flush=True)
    return bool(fine)


def main():
    build = sys.argv[1]
    folder = os.path.join(build, "tests", "strict", "rtl")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree("rtl", folder)
    include = re.compile(r"^`include .*\n", re.M)
    fifo = [("no mistake", lambda good: good, None), ("a missing include", lambda good: include.sub("", good), r"nvdla_fifo.sv:\d+:.*NVDLA_")]
    fifo += [(title, lambda good, text=text: good.replace("\nendmodule", f"\n{text}\nendmodule"), expected)
             for title, (text, expected) in list(MISTAKES.items())[::1 if os.environ.get("NIGHTLY") else 2]]
    results = [planted(build, folder, title, FILE, change, expected, "nvdla_fifo") for title, change, expected in fifo]
    results.append(planted(build, folder, "a way through a box", "cmac/nvdla_cmac_cell.sv",
                           lambda good: good.replace("sum_o = one_clock_sum;", "sum_o = one_clock_sum ^ ConvSumBits'(data_i);"), r"cell/data_i", "nvdla_cmac"))
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
