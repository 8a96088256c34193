"""Adapters for wrappers of NVDLA: how ports are found by their names, and what is refused."""
import os
import pathlib
import tempfile
import unittest

from nvcosim.rtl import adapter
from nvcosim.tool import Failure

WRAPPER = """`define X 1
module other #(parameter int W = (1 + 2)) (input a);
endmodule
// module wrapper (commented, out);
module wrapper #(parameter int W = (3)) (
    input  logic clk, // with, a comment
`ifdef SRAM
    output logic [W-1:0] extra,
`endif
    input [31:0] paddr, pwdata, /* both, of them */
    input psel, penable, pwrite,
    output [31:0] prdata [0:1], output pready, irq
);
endmodule
"""
AXI = [f"nvdla_core2dbb_{name.partition('_')[2]}" for _, _, name in adapter._AXI]
APB = ["psel", "penable", "pwrite", "paddr", "pwdata", "prdata", "pready"]
CSB = [name for _, _, name in adapter._CSB]


class Header(unittest.TestCase):
    def test_ports(self) -> None:
        self.assertEqual(adapter.header_ports(WRAPPER, "wrapper"),
                         ["clk", "extra", "paddr", "pwdata", "psel", "penable", "pwrite", "prdata",
                          "pready", "irq"])
        self.assertEqual(adapter.header_ports("module m (a,\n b);\ninput a;\n", "m"), ["a", "b"])

    def test_errors(self) -> None:
        for text, message in (("module m;", "no list of ports"), ("module n (a);", "no module m"),
                              ("module m (a, b", "no closing bracket")):
            with self.assertRaisesRegex(Failure, message):
                adapter.header_ports(text, "m")


class Connect(unittest.TestCase):
    def connect(self, ports: list[str], bus: str = "apb", text: str | None = None,
                pins: dict[str, str] | None = None) -> adapter.Adapter:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ports.map")
            if text is not None:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            return adapter.connect("w", ports, bus, False, path if text is not None else None,
                                   pins or {})

    def test_names(self) -> None:
        found = self.connect(["clk", "presetn", "irq", "s_apb_psel_i", "test_mode", "scan",
                              *APB[1:], *AXI])
        self.assertEqual(found.open, ["scan"])
        names = found.connections
        self.assertEqual((names["clk"], names["presetn"], names["irq"], names["s_apb_psel_i"]),
                         ("dla_core_clk", "dla_reset_rstn", "dla_intr", "psel"))
        self.assertEqual(names["nvdla_core2dbb_rdata"], "nvdla_core2dbb_r_rdata")

    def test_pins_and_maps(self) -> None:
        axi = [name.replace("nvdla_core2dbb", "m") for name in AXI]
        text = "# a map\n\ndla_intr done  # the interrupt\nnvdla_core2dbb_* m_*\npsel select\n"
        found = self.connect(["clk", "rstn", "done", "mode", "select", *APB[1:], *axi], text=text,
                             pins={"mode": "3"})
        self.assertEqual((found.connections["done"], found.connections["m_wdata"],
                          found.connections["mode"], found.connections["select"]),
                         ("dla_intr", "nvdla_core2dbb_w_wdata", "3", "psel"))
        self.assertEqual(found.open, [])

    def test_csb(self) -> None:
        found = self.connect(["clk", "rstn", "irq", *CSB, *AXI], "csb")
        self.assertEqual(found.connections["csb2nvdla_valid"], "csb2nvdla_valid")
        self.assertNotIn("u_bus", adapter.text_of(found, False))

    def test_refused(self) -> None:
        good = ["clk", "rstn", "irq", *APB, *AXI]
        for ports, text, pins, message in (
                (good[1:2] + good[3:], None, None, r"no port for .*dla_intr.* \(1 signals"),
                (["clk", "rstn", "irq", *APB], None, None, r"nvdla_core2dbb_aw_awvalid, .*--port-map"),
                (good, "dla_intr\n", None, "ports.map:1: found 'dla_intr', expected the name"),
                (good, "\nnothing irq\n", None, "ports.map:2: found nothing, expected a port of NVDLA"),
                (good, "csb2nvdla_valid irq\n", None, "ports.map:1: found csb2nvdla_valid"),
                (good, "dla_intr absent\n", None, "ports.map:1: the wrapper has no port absent; its ports: clk"),
                (good, "other_* m_*\n", None, "ports.map:1: found other_"),
                (good, None, {"absent": "1"}, "--pin absent: w has no such port")):
            with self.subTest(message=message), self.assertRaisesRegex(Failure, message):
                self.connect(ports, text=text, pins=pins)
        with self.assertRaisesRegex(Failure, "/no/such: No such file"):
            adapter.read_map("/no/such", [], [])


class Text(unittest.TestCase):
    def test_second_memory(self) -> None:
        sram = [name.replace("dbb", "cvsram") for name in AXI]
        found = adapter.connect("w", ["clk", "rstn", "irq", *CSB, *AXI, *sram], "csb", True, None, {})
        text = adapter.text_of(found, True)
        self.assertIn("output logic [`TB_SRAM_DW-1:0] nvdla_core2cvsram_w_wdata", text)
        self.assertIn(".nvdla_core2cvsram_wdata(nvdla_core2cvsram_w_wdata)", text)

    def test_gates_of_branch_master(self) -> None:
        ports = ", ".join(["clk", "rstn", "irq", *APB, *AXI])
        with tempfile.TemporaryDirectory() as folder:
            for other, bypassed in (("NV_NVDLA_nocif.v", True), ("NV_NVDLA_mcif.v", False)):
                names = ["w.v", other]
                for name, text in zip(names, (f"module w ({ports});\nendmodule\n", "module m ();\nendmodule\n")):
                    with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                        file.write(text)
                rtl = os.path.join(folder, "vmod.f")
                with open(rtl, "w", encoding="ascii") as file:
                    file.write("".join(f"{folder}/{name}\n" for name in names))
                adapter.write(pathlib.Path(folder, "adapter.f"), rtl, "w", "apb", "small", None, {})
                with open(os.path.join(folder, "adapter.f"), encoding="ascii") as file:
                    self.assertEqual("+define+VLIB_BYPASS_POWER_CG\n" in file.readlines(), bypassed)
