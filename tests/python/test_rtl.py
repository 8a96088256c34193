"""The RTL of others before it is built (nvcosim/rtl): which files a tree needs, on folders of the
shapes that people keep, and what becomes of Verilator's messages."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

from nvcosim.rtl import cfgrom, filelist, ports, tree, verilate
from nvcosim.tool import Failure

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOP = "nvdla/top/NV_nvdla.v"
# A vmod, as small as it can be: a module in a file of another name, two RAM models, a header.
VMOD = {
    TOP: '`include "defs.vh"\nmodule NV_nvdla;\nNV_NVDLA_cmac c();\nnv_ram_rws_8x8 r();\nendmodule\n',
    "nvdla/cmac/NV_NVDLA_cmac.v": "module NV_NVDLA_cmac;\nsync3d s();\nendmodule\n",
    "fifos/lib.v": "module a_fifo;\nendmodule\nmodule sync3d;\nendmodule\n",
    "vlibs/unused.vlib": "module unused;\nendmodule\n",
    "include/defs.vh": '`include "more.vh"\n', "spec/more.vh": "",
    "rams/synth/nv_ram_rws_8x8.v": "module nv_ram_rws_8x8;\nendmodule\n",
    "rams/fpga/model/nv_ram_rws_8x8.v": "module nv_ram_rws_8x8;\n// for FPGAs\nendmodule\n",
}
GENERATED = [*(f"+define+{name}" for name in tree._DEFINES), "+incdir+VMOD/include", "+incdir+VMOD/spec", f"VMOD/{TOP}",
             "VMOD/nvdla/cmac/NV_NVDLA_cmac.v", "VMOD/fifos/lib.v", "VMOD/rams/fpga/model/nv_ram_rws_8x8.v"]
MASTER = {"nvdla/cfgrom/rom.v": "module NV_NVDLA_CFGROM_rom;\nendmodule\n", "nvdla/nocif/NV_NVDLA_mcif.v": "module NV_NVDLA_mcif;\nendmodule\n"}
NVDLAV1 = "NV_NVDLA_partition_o"  # the module by which that branch is recognised; its body here is a stand-in
FULL = {"nvdla/top/marked.v": f"module {NVDLAV1};\r\n#ifdef STAND_IN\nstand_in kept();\n#endif\nendmodule\n",
        TOP: VMOD[TOP].replace("endmodule", f"{NVDLAV1} marked();\nendmodule")}

# The values of a generated tree of small.
VALUES = """`define NVDLA_SDP_BS_ENABLE
`define NVDLA_SDP_BN_ENABLE
`define NVDLA_PDP_ENABLE
`define NVDLA_CDP_ENABLE
`define NVDLA_CBUF_BANK_NUMBER 32
`define NVDLA_CBUF_BANK_DEPTH 512
"""


class Case(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()

    def put(self, path, text=""):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
        return path

    def put_vmod(self, vmod, *more):
        for name, text in {k: v for files in (VMOD, *more) for k, v in files.items()}.items():
            self.put(f"{vmod}/{name}", text)


class Trees(Case):
    def found(self, folder, config="small", rams="", top="NV_nvdla"):
        rams = rams and str(self.root / rams)
        return tree.file_list(tree.Request("--vmod", config, str(self.root / folder), self.root / "out", rams, top))

    def lines(self, folder, vmod, **more):
        return [line.replace(str(self.root / vmod), "VMOD") for line in self.found(folder, **more).lines]

    def refused(self, text, folder, **more):
        with self.assertRaises(Failure) as caught:
            self.found(folder, **more)
        self.assertIn(text, str(caught.exception).replace(str(self.root), "ROOT"))

    def test_shapes(self):
        for vmod, given in (("hw/outdir/nv_small/vmod", "hw"), ("hw/outdir/nv_small/vmod", "hw/outdir/nv_small/vmod"), ("copy/vmod", "copy"),
                            ("copy/vmod", "copy/vmod"), ("ip/small/any/name", "ip")):
            with self.subTest(vmod, given=given):
                self.put_vmod(vmod)
                self.assertEqual(self.lines(given, vmod), GENERATED)

    def test_flat_folder(self):
        for name, text in VMOD.items():
            if "synth" not in name:
                self.put(f"flat/{name.rpartition('/')[2]}", text)
        flat = [line.rpartition("/")[2] for line in GENERATED if not line.startswith("+incdir")]
        self.assertEqual([line.rpartition("/")[2] for line in self.found("flat").lines if not line.startswith("+incdir")], flat)
        self.assertIn(f"+incdir+{self.root}/flat", self.found("flat").lines)

    def test_gates_without_their_cell(self):
        self.put_vmod("fpga", MASTER, {"vlibs/NV_CLK_gate_power.v": "module NV_CLK_gate_power;\nCKLNQD12 g();\nendmodule\n"})
        self.assertNotIn("+define+VLIB_BYPASS_POWER_CG", self.found("fpga").lines)

    def test_one_file(self):
        self.put("one/all.v", "".join(text for name, text in VMOD.items() if "synth" not in name and "vh" not in name).replace('`include "defs.vh"', ""))
        self.assertEqual(self.found("one").lines[-1], f"{self.root}/one/all.v")

    def test_several_trees(self):
        self.put_vmod("v/small/vmod")
        self.put_vmod("v/large/vmod")
        self.assertIn("ROOT/v/large/vmod", self.found("v", config="large").title.replace(str(self.root), "ROOT"))
        self.refused("has 2 trees of RTL; expected one of ROOT/v/large/vmod, ROOT/v/small/vmod", "v", config="small_256")

    def test_values_of_a_generated_tree(self):
        self.put_vmod("hw/outdir/nv_small/vmod")
        self.put("hw/outdir/nv_small/spec/defs/project.vh", VALUES)
        self.assertEqual(self.lines("hw", "hw/outdir/nv_small/vmod"), GENERATED)
        self.put("hw/outdir/mine/spec/defs/project.vh", VALUES.replace("BANK_NUMBER 32", "BANK_NUMBER 16"))
        self.refused("ROOT/hw/outdir has no RTL of small+banks-16; there is RTL of nv_small; write its values (nvcosim info --config small+banks-16 "
                     "--spec >ROOT/hw/spec/defs/NAME.spec), generate it on branch master, with a tree.make that names project NAME:",
                     "hw", config="small+banks-16")
        self.put_vmod("hw/outdir/mine/vmod")
        self.assertEqual(self.lines("hw", "hw/outdir/mine/vmod", config="small+banks-16"), GENERATED)
        self.assertEqual(self.lines("hw/outdir", "hw/outdir/mine/vmod", config="small+banks-16"), GENERATED)
        self.refused("ROOT/hw/outdir/mine/vmod was generated for another configuration than small; build it with --config small+banks-16",
                     "hw/outdir/mine")
        self.put("hw/outdir/other/spec/defs/project.vh", VALUES.replace("`define NVDLA_CDP_ENABLE", "`define NVDLA_CDP_THROUGHPUT 0"))
        self.put_vmod("hw/outdir/other/vmod")
        self.refused("build it with --config small+cdp-0", "hw/outdir/other")
        self.put("hw/outdir/odd/spec/defs/project.vh", VALUES.replace("BANK_DEPTH 512", "BANK_DEPTH 100"))
        self.put_vmod("hw/outdir/odd/vmod")
        [warning] = self.found("hw/outdir/odd").warnings
        self.assertTrue(warning.startswith(f"{self.root}/hw/outdir/odd/spec/defs/project.vh: bank_depth=100 (entries of a bank, which cbuf sets): expected 128"), warning)

    def test_a_wrapper_beside_several_trees(self):
        self.put_vmod("soc/hw/large/vmod")
        self.put_vmod("soc/hw/small/vmod", {"nvdla/cmac/NV_NVDLA_cmac.v": "module NV_NVDLA_cmac;\nendmodule\n"})
        self.put("soc/wrapper.v", "module wrapper;\nNV_nvdla u();\nendmodule\n")
        found = self.found("soc", top="wrapper")
        self.assertEqual([line for line in found.lines if "large" in line], [])
        self.assertEqual((found.lines[-1], found.warnings), (f"{self.root}/soc/hw/small/vmod/rams/fpga/model/nv_ram_rws_8x8.v", []))
        self.refused("has 2 trees of RTL", "soc", top="wrapper", config="small_256")

    def test_the_file_of_a_modules_name_counts(self):
        self.put_vmod("vmod", {"nvdla/cacc/copy.v": "module NV_NVDLA_cmac;\nwire other;\nendmodule\n"})
        self.assertIn(f"{self.root}/vmod/nvdla/cmac/NV_NVDLA_cmac.v is used, {self.root}/vmod/nvdla/cacc/copy.v is not", self.found("vmod").warnings[0])

    def test_another_top(self):
        self.put_vmod("vmod")
        self.assertEqual(self.found("vmod", top="NV_NVDLA_cmac").lines[-1], f"{self.root}/vmod/fifos/lib.v")
        self.refused("no file below ROOT/vmod has a module wrapper", "vmod", top="wrapper")

    def test_generations(self):
        self.put_vmod("old", {"nvdla/cfgrom/rom.v": MASTER["nvdla/cfgrom/rom.v"]})
        self.assertIn("branch nv_small (2017, 2018): 4 files below", self.found("old").title)
        self.assertIn("+define+NV_FPGA_FIFOGEN", self.found("old").lines)
        self.put_vmod("new", MASTER)
        self.assertIn("branch master", self.found("new").title)
        self.refused("ROOT/new is RTL of branch master; full is on branch nvdlav1", "new", config="full")
        self.put_vmod("full/vmod", FULL)
        self.refused("is RTL of branch nvdlav1, which is full", "full")
        self.assertIn("+define+VLIB_BYPASS_POWER_CG", self.found("full", config="full").lines)

    def test_a_fifo_with_its_clock_gate(self):
        fifo = "nvdla/nocif/NV_NVDLA_MCIF_WRITE_cq.v"
        self.put_vmod("new", MASTER, {fifo: "module NV_NVDLA_MCIF_WRITE_cq;\nendmodule\n", TOP: VMOD[TOP].replace("endmodule", "NV_NVDLA_MCIF_WRITE_cq q();\nendmodule")})
        lines = self.found("new").lines
        at = lines.index(f"{self.root}/new/{fifo}")
        self.assertEqual(lines[at - 1:at + 2:2], [f"{self.root}/out/gates_on.v", f"{self.root}/out/gates_off.v"])
        self.assertEqual(pathlib.Path(lines[at - 1]).read_text(), "`undef FIFOGEN_MASTER_CLK_GATING_DISABLED\n")
        self.assertNotIn(f"{self.root}/out/gates_on.v", self.found("new", config="large").lines)

    def test_missing_pieces_are_named(self):
        self.refused("ROOT/hw: No such file or directory; expected a checkout", "hw")
        self.put("hw/vmod/" + TOP, '#include "NV_HWACC_NVDLA_tick_defines.vh"\nmodule NV_nvdla;\n')
        self.refused("ROOT/hw/outdir/nv_small/vmod/nvdla/top/NV_nvdla.v does not exist; generate it on branch master", "hw")
        self.put_vmod("hw/outdir/nv_large/vmod")
        self.refused("; there is RTL of nv_large; generate it", "hw")
        self.refused("full is on branch nvdlav1: git -C ROOT/hw checkout nvdlav1", "hw", config="full")
        self.refused("not a folder", "hw/vmod/" + TOP)

    def test_folders_without_rtl(self):
        (self.root / "none").mkdir()
        self.refused("--vmod: ROOT/none holds no file *.v, *.sv or *.vlib; expected a checkout of NVIDIA's repository (git clone", "none")
        self.put("soc/a.v", "module a;\nendmodule\n")
        self.refused("ROOT/soc has 1 source, but no module NV_nvdla; expected", "soc")
        self.put("soc/.gitmodules")
        self.refused("no module NV_nvdla, perhaps because its submodules are missing (git -C ROOT/soc submodule update --init); expected", "soc")
        self.put("part/" + TOP, '#include "a.vh"\nmodule NV_nvdla;\n')
        self.refused("ROOT/part holds the source of RTL that is still to be generated (#include in it)", "part")

    def test_files_named_as_systemverilog(self):
        for name, text in VMOD.items():
            self.put("sv/" + re.sub(r"\.v$", ".sv", name), text)
        self.assertEqual([line.replace(".sv", ".v") for line in self.lines("sv", "sv")], GENERATED)

    def test_ram_models(self):
        self.put_vmod("vmod", FULL)
        (self.root / "vmod/rams/fpga/model/nv_ram_rws_8x8.v").unlink()
        self.refused("the RAM models in ROOT/vmod/rams/synth do not work under Verilator; use --nvidia-rams DIR", "vmod", config="full")
        self.refused("--nvidia-rams: ROOT/nowhere: No such file", "vmod", config="full", rams="nowhere")
        self.refused("holds no RAM models", "vmod", config="full", rams="vmod/include")
        self.put("master/vmod/rams/fpga/model/nv_ram_rws_8x8.v", VMOD["rams/fpga/model/nv_ram_rws_8x8.v"])
        self.assertIn(f"{self.root}/master/vmod/rams/fpga/model/nv_ram_rws_8x8.v", self.found("vmod", config="full", rams="master").lines)
        os.renames(self.root / "vmod/rams/synth/nv_ram_rws_8x8.v", self.root / "vmod/nvdla/nv_ram_rws_8x8.v")  # a flat folder
        found = self.found("vmod", config="full", rams="master")
        self.assertIn(f"{self.root}/master/vmod/rams/fpga/model/nv_ram_rws_8x8.v", found.lines)
        self.assertEqual(found.warnings, [])  # the models of the option are meant to be used

    def test_a_module_twice(self):
        self.put_vmod("vmod", {"nvdla/sdp/copy.v": "module sync3d;\nendmodule\n"})
        self.assertEqual(self.found("vmod").warnings, [])  # the same words
        self.put("vmod/nvdla/sdp/copy.v", "module sync3d;\nwire other;\nendmodule\n")
        self.assertEqual([w.replace(str(self.root), "ROOT") for w in self.found("vmod").warnings],
                         ["1 module sync3d: ROOT/vmod/fifos/lib.v is used, ROOT/vmod/nvdla/sdp/copy.v is not"])

    def test_conditional_lines(self):
        for text, resolved in (("a\n#ifdef A\nb\n#else\nc\n#endif\nd", "a\nb\nd"),
                               ("#ifndef A\na\n#else\nb\n#endif\n", "b\n"),
                               ("#ifndef A\n#ifdef B\na\n#else\nx\n#endif\n#endif\nc\n", "c\n"),
                               ("#ifdef A\n#ifndef B\na\n#else\nx\n#endif\n#endif\n", "x\n"),
                               ("#ifdef A\na\n#endif\n#endif\n", 4), ("#ifdef A\n", 1), ("#if A > 1\n#endif\n", 1)):
            with self.subTest(text):
                path = pathlib.Path("NV_nvdla.v")
                if isinstance(resolved, int):
                    self.assertRaisesRegex(Failure, f"NV_nvdla.v:{resolved}: expected #ifdef NAME", tree.resolve, text.encode(), path)
                else:
                    self.assertEqual(tree.resolve(text.encode(), path), resolved.encode())

    def test_resolved_copy_and_times(self):
        self.put_vmod("vmod", FULL)
        copy = self.root / "out/resolved/marked.v"
        self.assertIn(str(copy), self.found("vmod", config="full").lines)
        self.assertEqual(copy.read_bytes(), f"module {NVDLAV1};\r\nstand_in kept();\nendmodule\n".encode())
        os.utime(copy, (1, 1))
        self.found("vmod", config="full")
        self.assertEqual(copy.stat().st_mtime, 1)  # nothing has changed, so nothing is built again

    def test_spaces_are_refused(self):
        self.put_vmod("with a space/vmod")
        self.refused("take no path with spaces; rename or link ROOT/with a space", "with a space")


class Messages(Case):
    AT = "%Warning-WIDTH: tb/tb_top.sv:260:10: "

    def ports(self, config, *lines):
        found = ports.Ports("NV_nvdla", config)
        self.assertTrue(all(map(found.take, lines)))
        return found

    def width(self, name, rtl, config):
        return f"{self.AT}Output port connection '{name}' expects {rtl} bits on the pin connection, but pin connection's VARREF '{name}' generates {config} bits."

    def test_widths(self):
        self.assertEqual(self.ports("small", self.width("nvdla_core2dbb_ar_araddr", 64, 32)).wrong(), [])
        wide = self.ports("small", self.width("nvdla_core2dbb_w_wdata", 256, 64), f"{self.AT}Cell has missing pin: 'nvdla_core2cvsram_r_rdata'")
        self.assertEqual(wide.wrong(), ["port nvdla_core2dbb_w_wdata of NV_nvdla has 256 bits, configuration small 64",
                                        "NV_nvdla has ports of a second memory (nvdla_core2cvsram_...), configuration small has none",
                                        "configurations with such ports: medium_1024_full, large, large_compressed"])
        second = self.ports("small", f"{self.AT}Cell has missing pin: 'nvdla_core2cvsram_r_rdata'")
        self.assertEqual(second.wrong()[-1], "configurations with such ports: small_256_full")
        narrow = self.ports("full", self.width("nvdla_core2dbb_r_rdata", 64, 512), "%Error-PINNOTFOUND: tb/tb_top.sv:260:10: Pin not found: 'nvdla_core2cvsram_w_wdata'")
        self.assertEqual(narrow.wrong(), ["port nvdla_core2dbb_r_rdata of NV_nvdla has 64 bits, configuration full 512",
                                          "NV_nvdla has no ports of a second memory (nvdla_core2cvsram_...), configuration full has them",
                                          "configurations with such ports: small, small_256, medium_512"])

    def test_another_top(self):
        lines = [f"%Error-PINNOTFOUND: tb/tb_top.sv:260:10: Pin not found: 'pin{n}'" for n in range(30)]
        wrapper = self.ports("small", *lines, f"{self.AT}Cell has missing pin: 'psel'", f"{self.AT}Instance has missing pin: 'penable'")
        self.assertIn("missing are pin0 and 29 more; it has psel, penable: an APB wrapper", wrapper.wrong()[0])

    def test_doubtful_ports(self):
        found = self.ports("small", f"{self.AT}Cell has missing pin: 'mux'", f"{self.AT}Cell has missing pin: 'seen'", self.width("nvdla_core2dbb_aw_awlen", 8, 4))
        self.assertEqual(found.wrong(), [])
        self.assertEqual(found.doubtful("module NV_nvdla(a, mux, seen);\ninput a; input [3:0] mux; output seen;"),
                         ["port nvdla_core2dbb_aw_awlen of NV_nvdla has 8 bits, configuration small 4", "input mux of NV_nvdla is driven by nothing: it is 0"])

    def log(self, text, *lines):
        self.put("list.f", text)
        log = verilate.Log(ports.Ports("NV_nvdla", "small"), str(self.root / "list.f"))
        for line in "".join(lines).splitlines():
            log.take(line)
        return log

    def test_warnings_are_counted(self):
        log = self.log("", "%Warning-TIMESCALEMOD: a.v:1:1: no\n   1 | module\n" * 3, "%Warning-WIDTH: a.v:1:1: no\n", "%Error: a.v:7:3: syntax error\n    7 | x\n")
        self.assertEqual(log.errors, ["%Error: a.v:7:3: syntax error", "    7 | x"])
        self.assertEqual(log.counted(), "not shown: 3 TIMESCALEMOD warnings")

    def test_what_is_missing(self):
        self.put("a.v", "module a;")
        self.put("lib/b.v")
        log = self.log("a.v\n-y lib // more\nnone.v\n", f"%Error: {self.root}/a.v:2:1: Cannot find file containing module: 'gone'\n"
                       f"%Error: {self.root}/a.v:2:1: This may be because there's no search path specified with -I<dir>.\n ... Looked in:\n   x\n",
                       f"%Error: Cannot find file containing module: {self.root}/none.v\n", "%Error: Exiting due to 2 error(s)\n")
        self.assertEqual([line.replace(str(self.root), "ROOT") for line in log.errors],
                         ["ROOT/a.v:2: there is no module gone; ROOT/list.f:1 names that file; looked for gone.v, gone.sv and such in 1 folder of the list (-y)",
                          "ROOT/list.f:3: ROOT/none.v: no such file"])

    def test_a_missing_header(self):
        self.put("a.v", "module a;")
        lines = "".join(f"%Error: {self.root}/a.v:{n}:10: Cannot find include file: defs.vh\n   25 | x\n ... Looked in:\n   y\n" for n in (1, 9))
        self.assertEqual([*self.log("// x\na.v\n", lines).headers.values()], [f"{self.root}/a.v:1: there is no header defs.vh; {self.root}/list.f:2 names that file; "
                         "+incdir+DIR, or a tree with this header, is needed"])

    def test_another_name_of_the_top(self):
        self.put("a.v", "// board\nmodule board;\nchip c();\nendmodule\nmodule chip;\nendmodule\n")
        log = self.log("a.v\n", "%Error: tb/tb_top.sv:243:5: Cannot find file containing module: 'NV_nvdla'\n")
        self.assertEqual(log.errors, [f"{self.root}/list.f: none of its files has the top module NV_nvdla; name it by --top (no other module uses board)"])

    def test_modules_twice(self):
        first, same, other = (self.put(f"{name}.v", f"module m;\nwire {wire};\nendmodule\n") for name, wire in (("a", "x"), ("b", "x"), ("c", "y")))
        log = self.log("", *(f"%Warning-MODDUP: {second}:1:8: Duplicate declaration of module: 'm'\n    1 | module m\n"
                             f"      {first}:1:8: ... Location of original declaration\n" for second in (same, other, "tb/nvidia/NV_DW02_tree.sv")))
        self.assertEqual(list(log.warnings()), [f"module m: {first}:1 is used, {other}:1 is not"])

    def verilated(self, script):
        """Status, output, log and seconds of a Verilator that is a script."""
        self.put("bin/verilator", f"#!/bin/bash\n{script}\n").chmod(0o755)
        begin = time.monotonic()
        done = subprocess.run([sys.executable, "-m", "nvcosim.rtl.verilate", "small", "NV_nvdla", self.put("none.f"), self.root / "log", "--cc"],
                              env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "PATH": f"{self.root}/bin:{os.environ['PATH']}"},
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout, (self.root / "log").read_text(), time.monotonic() - begin

    def test_how_verilator_ends(self):
        self.assertEqual(self.verilated("true")[:3], (0, "", ""))
        self.assertEqual(self.verilated("exit 3")[:3], (1, "", "verilator ended with status 3\n"))
        self.assertRegex(self.verilated("echo \"  what(): std::bad_alloc\"; exit 1")[2], r"^Verilator needs more than [0-9.]+ GB of memory, which is all that is free")
        self.verilated(f"ulimit -v >{self.root}/limit")
        self.assertTrue((self.root / "limit").read_text().strip().isdigit())  # "unlimited" without

    def test_wrong_ports_end_it_early(self):
        status, said, log, seconds = self.verilated(f"echo \"{self.width('nvdla_core2dbb_r_rdata', 256, 64)}\"; sleep 60; exit 1")
        self.assertEqual((status, said, log.splitlines()[0]), (1, "", "port nvdla_core2dbb_r_rdata of NV_nvdla has 256 bits, configuration small 64"))
        self.assertLess(seconds, 30)

    def test_configurations_of_the_same_ports(self):
        files = 'S 1 2 "/a/nv_ram_rws_128x64.v"'
        self.assertEqual(verilate.other_configuration("small", files), ["the CBUF of this RTL is that of small_256 (nv_ram_rws_128x64.v), not of small: "
                                                                        "build it with --config small_256"])
        self.assertEqual(verilate.other_configuration("small_256", files) + verilate.other_configuration("large", files), [])

    def test_values_of_cfgrom(self):
        large = {"CDMA_BASE_ATOMIC_C": 64, "CDMA_BASE_ATOMIC_K": 32, "CDMA_BASE_ATOMIC_M": 32, "CDMA_BASE_CBUF_BANK_NUM": 16,
                 "CDMA_BASE_CBUF_BANK_WIDTH": 64, "PDP_BASE_THROUGHPUT": 8, "CDP_BASE_THROUGHPUT": 8, "CIF_BASE_WIDTH": 32}
        for config, other, end in (("small", {}, None), ("large", {}, None), ("large", large, None), ("small", large, "--config large"),
                                   ("small", {"CIF_BASE_WIDTH": 16}, "than small (bus=128); if they are true, build it with --config small,bus=128"),
                                   ("large", {"CIF_BASE_WIDTH": 16}, "--config small,bus=128")):
            with self.subTest(config=config, other=other):
                said = cfgrom.warning(config, other)
                self.assertTrue(said.endswith(end) if end else not said, said)

    def test_lists_in_lists(self):
        self.put("sub/more.f", "b.v\n")
        self.put("list.f", "+define+X // c.v\n-F sub/more.f\n-v a.v\n")
        self.assertEqual([(e.path, e.place, e.kind) for e in filelist.read(str(self.root / "list.f"))],
                         [(f"{self.root}/sub/b.v", f"{self.root}/sub/more.f:1", ""), (f"{self.root}/a.v", f"{self.root}/list.f:3", "-v")])

    def prepared(self, *words):
        program = ("import sys; from nvcosim import tool; from nvcosim.rtl import prepare\n"
                   "try: prepare.prepare(prepare.Request(*sys.argv[1:]))\n"
                   "except tool.Failure as failure: sys.exit(str(failure))")
        return subprocess.run([sys.executable, "-c", program, *map(str, words)], env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
                              capture_output=True, text=True, check=False, preexec_fn=lambda: verilate.resource.setrlimit(verilate.resource.RLIMIT_AS, (4 * 10**9,) * 2))

    def test_memory_and_models_of_a_list(self):
        self.put("rams/synth/r.v", "module r;\nendmodule\n")
        self.put("m.v", "module NV_NVDLA_partition_m;\nendmodule\n")
        path = self.put("list.f", "m.v\n-y rams/synth\n")
        done = self.prepared("--filelist", "full", path, self.root, "NV_nvdla")
        self.assertEqual((done.returncode, done.stderr), (1, "--filelist: found a limit of 4.0 GB of memory, expected 8.5 GB; raise it (ulimit -v)\n"))
        self.assertIn("list.f:2: the RAM models in", done.stdout)
        self.assertIn("NVIDIA's full needs 8.5 GB of memory\n", done.stdout)
        self.put("rams/synth/r.v", "module r;\nendmodule\nmodule RAMPDP_80X256_GL_M1_D2;\nendmodule\n")
        done = self.prepared("--filelist", "full", path, self.root, "NV_nvdla")
        self.assertIn("expected 13.3 GB", done.stderr)
        self.assertIn("NVIDIA's full needs 13.3 GB of memory, because its RAMs are macros; 8.5 GB with --vmod", done.stdout)
        self.assertEqual(self.prepared("--filelist", "small", path, self.root, "NV_nvdla").returncode, 0)
