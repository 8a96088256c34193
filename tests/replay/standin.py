#!/usr/bin/python3
"""Prints a module STANDIN with the ports of another RTL that only has a file of registers behind CSB; all other outputs are 0.

usage: standin.py TB_TOP.sv     tb_top after preprocessing: what it drives is an input
"""
import re
import sys

BODY = """  logic [31:0] words [65536];
  assign csb2nvdla_ready = 1'b1;
  always_ff @(posedge dla_core_clk) begin
    if (csb2nvdla_valid && csb2nvdla_write) words[csb2nvdla_addr] <= csb2nvdla_wdat;
    nvdla2csb_valid <= dla_reset_rstn && csb2nvdla_valid && !csb2nvdla_write;
    nvdla2csb_wr_complete <= dla_reset_rstn && csb2nvdla_valid && csb2nvdla_write && csb2nvdla_nposted;
    nvdla2csb_data <= words[csb2nvdla_addr];
  end"""

with open(sys.argv[1], encoding="utf-8") as f:
    text = f.read()
ports = re.findall(r"\.(\w+) *\(", text[text.index("STANDIN dut ("):])
declared = {name: (width or "", driven) for width, name, driven in re.findall(r"wire *(\[[^;=]*?\])? *(\w+) *(=)?", text)}
lines, idle = [], []
for name in ports:
    width, driven = declared.get(name, ("", "="))
    lines.append(f"  {'input ' if driven else 'output'} logic {width} {name}")
    if not driven and "csb" not in name:
        idle.append(f"  assign {name} = '0;")
print("module STANDIN (\n" + ",\n".join(lines) + "\n);", BODY, *idle, "endmodule", sep="\n")
