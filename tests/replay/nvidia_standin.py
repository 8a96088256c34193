#!/usr/bin/python3
"""A stand-in for NVIDIA's RTL: our own under another name, in one file, as instance u_partition_c of a top that has a link of NVIDIA's tables;
and the same in a wrapper, module wrapped.

usage: nvidia_standin.py BUILD DIR     writes DIR/standin.sv and DIR/standin.f, and DIR/late.csv, a table of taps with data that come two clocks late
"""
import pathlib
import re
import sys

LINKS = """
    wire cacc2sdp_valid = u_partition_c.cacc2sdp_valid, cacc2sdp_ready = u_partition_c.cacc2sdp_ready;
    wire [31:0] cacc2sdp_pd = u_partition_c.cacc2sdp_data;
    logic [7:0] out_q, out_qq;  // of SDP
    always_ff @(posedge dla_core_clk) {out_qq, out_q} <= {out_q, u_partition_c.u_sdp.out_data};
    standin u_partition_c (.*);
endmodule
"""
WRAPPED = """
    NV_nvdla u_core (.*);
endmodule
"""
LATE = """stream,valid,end,data,flags,late
stripes,specified
CSC_DAT,u_partition_c.atom_valid,u_partition_c.atom_stripe_end & u_partition_c.atom_layer_end,u_partition_c.atom_data,\
"{u_partition_c.atom_layer_end, u_partition_c.atom_channel_end, u_partition_c.atom_stripe_end, u_partition_c.atom_stripe_start}",
SDP_OUT,u_partition_c.u_sdp.out_valid & u_partition_c.u_sdp.out_ready,,out_qq,,2
"""


def main(build, folder):
    folder, rtl = pathlib.Path(folder), pathlib.Path("rtl")
    names = [line.split("//")[0].strip() for line in (rtl / "nvdla.f").read_text().splitlines()]
    files = [name for name in names if name.endswith((".sv", ".svh"))]
    text = (pathlib.Path(build) / "gen/small/nvdla_pkg.sv").read_text() + "".join((rtl / name).read_text() for name in files)
    head = re.search(r"^module NV_nvdla\b.*?^\);\n", text, re.M | re.S).group(0)
    text = re.sub(r"\bNV_nvdla\b", "standin", text)
    (folder / "standin.sv").write_text(text + head + LINKS + head.replace("NV_nvdla", "wrapped") + WRAPPED)
    (folder / "standin.f").write_text(f"+incdir+{rtl.resolve()}/common\nstandin.sv\n")
    (folder / "late.csv").write_text(LATE.replace("\\\n", ""))


main(*sys.argv[1:])
