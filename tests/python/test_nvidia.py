"""The file list for NVIDIA's own RTL (scripts/nvidia_list.py), on folder trees of the same shape."""
import importlib.util
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts/nvidia_list.py"
SPEC = importlib.util.spec_from_file_location("nvidia_list", SCRIPT)
nvidia_list = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(nvidia_list)
FILES = ("nvdla/top/NV_nvdla.v", "nvdla/cmac/NV_NVDLA_cmac.v", "nvdla/nocif/NV_NVDLA_XXIF_libs.v", "rams/fpga/model/ram.v",
         "vlibs/RANDFUNC.vlib", "vlibs/nv_assert_no_x.vlib", "include/defs.vh", "fifos/two.v", "fifos/one.v")


class Lists(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()

    def put(self, path, text="// empty\n"):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def put_vmod(self, vmod):
        for name in FILES:
            self.put(f"{vmod}/{name}")

    def words(self, config, rams):
        return [config, str(self.root / "checkout"), str(self.root / "out"), *([str(self.root / rams)] if rams else [])]

    def lines(self, config, rams=None):
        nvidia_list.main(*self.words(config, rams))
        return (self.root / "out/vmod.f").read_text().replace(str(self.root), "ROOT").splitlines()

    def refused(self, config, rams, text):
        with self.assertRaises(nvidia_list.Failure) as caught:
            nvidia_list.main(*self.words(config, rams))
        self.assertIn(text, str(caught.exception))

    def test_as_a_program(self):
        done = subprocess.run([SCRIPT, *self.words("small", None)], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, f"--nvidia: {self.root}/checkout: No such file or directory; expected a checkout of NVIDIA's "
                                      "repository\n")

    def test_generated_project(self):
        vmod = "ROOT/checkout/outdir/nv_small/vmod"
        self.put_vmod("checkout/outdir/nv_small/vmod")
        units = [line for unit in ("cmac", "nocif", "top") for line in (f"-y {vmod}/nvdla/{unit}", f"+incdir+{vmod}/nvdla/{unit}")]
        self.assertEqual(self.lines("small"), [
            f"-v {SCRIPT.parents[1]}/tb/nvidia/NV_DW02_tree.sv", *units, f"-y {vmod}/rams/fpga/model", f"-y {vmod}/vlibs",
            f"+incdir+{vmod}/include", "+libext+.v+.vlib", f"-v {vmod}/fifos/one.v", f"-v {vmod}/fifos/two.v",
            f"-v {vmod}/nvdla/nocif/NV_NVDLA_XXIF_libs.v", f"-v {vmod}/vlibs/RANDFUNC.vlib", f"-v {vmod}/vlibs/nv_assert_no_x.vlib",
            "+define+NO_PLI_OR_EMU", "+define+NO_PLI", "+define+DESIGNWARE_NOEXIST", "+define+SYNTHESIS", "+define+FPGA",
            f"{vmod}/nvdla/top/NV_nvdla.v"])

    def test_missing_pieces_are_named(self):
        self.refused("small", None, "/checkout: No such file or directory; expected a checkout")
        self.put("checkout/tree.make")
        self.refused("small", None, "outdir/nv_small/vmod/nvdla/top/NV_nvdla.v does not exist; generate it on branch master")
        self.put_vmod("checkout/outdir/nv_large/vmod")
        self.refused("small", None, "; there is RTL of nv_large; generate it")
        for names, text in ((["vlibs/RANDFUNC.vlib"], "vlibs/RANDFUNC.vlib does not exist; the RTL was not generated completely"),
                            (["nvdla/nocif/NV_NVDLA_XXIF_libs.v"], "NV_NVDLA_XXIF_libs.v does not exist"),
                            (["rams/fpga/model/ram.v"], "rams/fpga/model holds no RAM models"),
                            (["fifos/one.v", "fifos/two.v"], "fifos holds no *.v")):
            self.put_vmod("checkout/outdir/nv_small/vmod")
            for name in names:
                (self.root / "checkout/outdir/nv_small/vmod" / name).unlink()
            self.refused("small", None, text)

    def test_full_of_its_branch(self):
        self.put("checkout/README.md")
        self.refused("full", None, "full is on branch nvdlav1: git -C ")
        self.put_vmod("checkout/vmod")
        for name in ("one.v", "two.v"):  # that branch has no such folder
            (self.root / "checkout/vmod/fifos" / name).unlink()
        self.put("checkout/vmod/nvdla/top/units.v", "module o;\r\n#ifdef NVDLA_BDMA_ENABLE\nbdma b();\n#endif\nendmodule\n")
        self.refused("full", None, "--nvidia-rams DIR")
        self.refused("full", "nowhere", "--nvidia-rams: ")
        self.refused("full", "checkout/vmod/include", "holds no RAM models")
        self.put("master/vmod/rams/fpga/model/ram.v")
        lines = self.lines("full", "master")
        self.assertIn("-y ROOT/master/vmod/rams/fpga/model", lines)
        self.assertIn("+define+VLIB_BYPASS_POWER_CG", lines)
        self.assertLess(lines.index("-y ROOT/out/resolved"), lines.index("-y ROOT/checkout/vmod/nvdla/top"))
        self.assertEqual((self.root / "out/resolved/units.v").read_bytes(), b"module o;\r\nbdma b();\nendmodule\n")

    def test_conditional_lines(self):
        self.put_vmod("checkout/vmod")
        for text, resolved in (("a\n#ifdef A\nb\n#else\nc\n#endif\nd", "a\nb\nd"),
                               ("#ifndef A\na\n#else\nb\n#endif\n", "b\n"),
                               ("#ifndef A\n#ifdef B\na\n#else\nx\n#endif\n#endif\nc\n", "c\n"),
                               ("#ifdef A\n#ifndef B\na\n#else\nx\n#endif\n#endif\n", "x\n"),
                               ("#ifdef A\na\n#endif\n#endif\n", 4), ("#ifdef A\n", 1), ("#if A > 1\n#endif\n", 1)):
            with self.subTest(text):
                self.put("checkout/vmod/nvdla/top/NV_nvdla.v", text)
                if isinstance(resolved, int):
                    self.refused("full", "checkout", f"NV_nvdla.v:{resolved}: expected #ifdef NAME")
                    continue
                self.assertEqual(self.lines("full", "checkout")[-1], "ROOT/out/resolved/NV_nvdla.v")
                self.assertEqual((self.root / "out/resolved/NV_nvdla.v").read_text(), resolved)

    def test_spaces_are_refused(self):
        self.root = self.root / "with a space"
        self.put_vmod("checkout/outdir/nv_small/vmod")
        self.refused("small", None, "take no path with spaces")


if __name__ == "__main__":
    unittest.main()
