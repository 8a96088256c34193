"""The binding: registers by name, memory as arrays, devices, traces. Worked layouts are those of
docs/nvdla/20-data-formats.md."""
import os
import pathlib
import tempfile
import unittest

try:
    import numpy
except ImportError:
    numpy = None  # what needs it is skipped, loudly

import nvcosim
from nvcosim import layout
from nvcosim.registers import Registers


class Names(unittest.TestCase):
    def setUp(self):
        self.registers = Registers("small")

    def word(self, name, value, before=0):
        return self.registers.word(name, value, lambda _: before)

    def test_registers_and_fields_are_found(self):
        self.assertEqual(self.word("SDP.D_CVT_SHIFT", 2), (0x90c8, 2))
        self.assertEqual(self.word("sdp.d_cvt_offset", -1), (0x90c0, 0xffffffff))
        self.assertEqual(self.word("SDP.D_DATA_FORMAT.OUT_PRECISION", "INT16", before=0x1), (0x90bc, 0x5))
        self.assertEqual(self.word("SDP.D_DP_BS_CFG", {"BS_BYPASS": "YES", "BS_ALU_ALGO": 2}), (0x9058, 9))
        self.assertEqual(self.word("SDP.D_DST_DMA_CFG", "MC"), (0x90b4, 1))
        self.assertEqual([self.word("SDP.D_DATA_FORMAT.OUT_PRECISION", value, before=0xff)[1] for value in (0, 1, -1, "INT16")],
                         [0xf3, 0xf7, 0xff, 0xf7])

    def test_what_is_wrong_is_told(self):
        for name, value, message in (
                ("SDP.D_CVT_SHFT", 1, "did you mean SDP.D_CVT_SHIFT?"),
                ("SDP.D_CVT_SHIFT.SHIFT", 1, "has no field 'SHIFT'; it has CVT_SHIFT"),
                ("SDP.D_CVT_SHIFT.CVT_SHIFT", 64, "found 64, expected a number of 6 bits"),
                ("SDP.D_DST_DMA_CFG", "XX", "found 'XX', expected a number or CV or MC"),
                ("SDP.D_CVT_SHIFT", 1 << 32, "expected a number of 32 bits"),
                ("SDP.D_DP_BS_CFG", "YES", "expected a number or a dict of fields")):
            with self.subTest(name), self.assertRaises((KeyError, ValueError)) as raised:
                self.word(name, value)
            self.assertIn(message, str(raised.exception))
        with self.assertRaisesRegex(KeyError, "expected one of .*full"):
            Registers("smal")


@unittest.skipUnless(numpy, "numpy is not installed: layouts are not tested")
class Layouts(unittest.TestCase):
    def test_places_of_the_chapter(self):
        def place(function, config, shape, index, dtype="int8"):
            array = numpy.zeros(shape, dtype)
            array[index] = 0x55
            return function(array, config).index(0x55)
        self.assertEqual(place(layout.weight_bytes, "full", (40, 100, 3, 3), (33, 70, 2, 1)), 35466)
        self.assertEqual(place(layout.weight_bytes, "small", (10, 12, 1, 2), (9, 9, 0, 1)), 237)
        self.assertEqual(len(layout.weight_bytes(numpy.zeros((40, 100, 3, 3), "int8"), "full")), 36096)
        for config, dtype, shape, index, offset in (
                ("full", "int16", (20, 2, 3), (17, 1, 2), 354), ("full", "int8", (20, 2, 3), (17, 1, 2), 177),
                ("small", "int8", (20, 2, 3), (17, 1, 2), 137), ("full", "float16", (40, 1, 1), (33, 0, 0), 66)):
            array = numpy.zeros(shape, dtype)
            array[index] = 1
            data = numpy.frombuffer(layout.cube_bytes(array, config), dtype)
            self.assertEqual(data.nonzero()[0].tolist(), [offset // array.itemsize])

    def test_there_and_back(self):
        random = numpy.random.default_rng(1)
        for shape, line, surface in (((13, 2, 3), 0, 0), ((8, 1, 1), 0, 0), ((20, 4, 5), 64, 512)):
            array = random.integers(-128, 128, shape).astype("int8")
            data = layout.cube_bytes(array, "small", line, surface)
            self.assertTrue((layout.cube_array(data, "small", shape, "int8", line, surface) == array).all())

    def test_what_does_not_fit_is_told(self):
        array = numpy.zeros((8, 2, 3), "int8")
        with self.assertRaisesRegex(ValueError, "expected at least 24 and"):
            layout.cube_bytes(array, "small", line=16)
        with self.assertRaisesRegex(ValueError, "ends behind the 10 bytes"):
            layout.cube_array(bytes(10), "small", (8, 2, 3))
        with self.assertRaisesRegex(ValueError, r"expected \[channel, y, x\]"):
            layout.cube_bytes(array[0], "small")


def convolution(nvdla, data, weights, memory):
    """Registers of a direct convolution of INT8, stride 1, without pads, results not scaled."""
    (c, h, w), (k, _, r, s) = data.shape, weights.shape
    oh, ow, atom = h - r + 1, w - s + 1, 8
    entries = w * -(-c // 8)
    put = {
        "CDMA": {"D_MISC_CFG": 0, "D_DATAIN_FORMAT": 0, "D_DATAIN_SIZE_0": {"DATAIN_WIDTH": w - 1, "DATAIN_HEIGHT": h - 1},
                 "D_DATAIN_SIZE_1": c - 1, "D_DATAIN_SIZE_EXT_0": {"DATAIN_WIDTH_EXT": w - 1, "DATAIN_HEIGHT_EXT": h - 1},
                 "D_DAIN_RAM_TYPE": "MCIF", "D_DAIN_ADDR_LOW_0": memory, "D_LINE_STRIDE": w * atom, "D_SURF_STRIDE": h * w * atom,
                 "D_DAIN_MAP": {"LINE_PACKED": "TRUE", "SURF_PACKED": "TRUE"}, "D_ENTRY_PER_SLICE": entries - 1,
                 "D_WEIGHT_SIZE_0": r * s * c - 1, "D_WEIGHT_SIZE_1": k - 1, "D_WEIGHT_RAM_TYPE": "MCIF",
                 "D_WEIGHT_ADDR_LOW": memory + 0x1000, "D_WEIGHT_BYTES": -(-weights.size // 128) * 128,
                 "D_BANK": {"DATA_BANK": 7, "WEIGHT_BANK": 7}},
        "CSC": {"D_MISC_CFG": 0, "D_DATAIN_SIZE_EXT_0": {"DATAIN_WIDTH_EXT": w - 1, "DATAIN_HEIGHT_EXT": h - 1},
                "D_DATAIN_SIZE_EXT_1": c - 1, "D_ENTRY_PER_SLICE": entries - 1,
                "D_WEIGHT_SIZE_EXT_0": {"WEIGHT_WIDTH_EXT": s - 1, "WEIGHT_HEIGHT_EXT": r - 1},
                "D_WEIGHT_SIZE_EXT_1": {"WEIGHT_CHANNEL_EXT": c - 1, "WEIGHT_KERNEL": k - 1},
                "D_WEIGHT_BYTES": -(-weights.size // 128) * 128, "D_DATAOUT_SIZE_0": {"DATAOUT_WIDTH": ow - 1, "DATAOUT_HEIGHT": oh - 1},
                "D_DATAOUT_SIZE_1": k - 1, "D_ATOMICS": oh * ow - 1, "D_RELEASE": h - 1, "D_BANK": {"DATA_BANK": 7, "WEIGHT_BANK": 7}},
        "CMAC_A": {"D_MISC_CFG": 0}, "CMAC_B": {"D_MISC_CFG": 0},
        "CACC": {"D_MISC_CFG": 0, "D_DATAOUT_SIZE_0": {"DATAOUT_WIDTH": ow - 1, "DATAOUT_HEIGHT": oh - 1}, "D_DATAOUT_SIZE_1": k - 1,
                 "D_LINE_STRIDE": ow * atom, "D_SURF_STRIDE": oh * ow * atom},
        "SDP": {"D_DATA_CUBE_WIDTH": ow - 1, "D_DATA_CUBE_HEIGHT": oh - 1, "D_DATA_CUBE_CHANNEL": k - 1,
                "D_DST_BASE_ADDR_LOW": memory + 0x3000, "D_DST_LINE_STRIDE": ow * atom, "D_DST_SURFACE_STRIDE": oh * ow * atom,
                "D_DP_BS_CFG": {"BS_BYPASS": 1}, "D_DP_BN_CFG": {"BN_BYPASS": 1}, "D_DP_EW_CFG": {"EW_BYPASS": 1},
                "D_FEATURE_MODE_CFG": {"FLYING_MODE": "ON"}, "D_DST_DMA_CFG": "MC", "D_DATA_FORMAT": 0, "D_CVT_SCALE": 1}}
    for unit, settings in put.items():
        for register, value in settings.items():
            nvdla[f"{unit}.{register}"] = value
    for unit in reversed(put):
        nvdla[f"{unit}.D_OP_ENABLE"] = 1


class Devices(unittest.TestCase):
    @unittest.skipUnless(numpy, "numpy is not installed: the convolution is not tested")
    def test_a_convolution_of_packed_weights(self):
        random = numpy.random.default_rng(3)
        data = random.integers(-4, 5, (12, 5, 6)).astype("int8")
        weights = random.integers(-1, 2, (10, 12, 3, 2)).astype("int8")
        expected = sum(numpy.einsum("kc,cyx->kyx", weights[:, :, r, s].astype(int), data[:, r:r + 3, s:s + 5])
                       for r in range(3) for s in range(2)).clip(-128, 127)
        with nvcosim.Device("small") as nvdla:
            memory = nvdla.memory(0x80000000, 0x4000)
            memory.put_cube(0, data)
            memory.put_weights(0x1000, weights)
            while not nvdla["CDMA.S_CBUF_FLUSH_STATUS"]:
                nvdla.clocks(1000)
            convolution(nvdla, data, weights, 0x80000000)
            nvdla["GLB.S_INTR_MASK"] = 0xfffffc
            self.assertEqual(nvdla.wait() & {"SDP_0"}, {"SDP_0"})
            self.assertTrue((memory.cube(0x3000, (10, 3, 5)) == expected).all())
            self.assertEqual(nvdla.findings(), [])

    def test_memory_registers_and_errors(self):
        with nvcosim.Device("small") as nvdla:
            memory = nvdla.memory(0x80000000, 100)
            memory[4:8] = b"abcd"
            self.assertEqual((memory.size, memory[4:8]), (4096, b"abcd"))
            nvdla["SDP.D_CVT_SHIFT"] = 5
            nvdla["SDP.D_DATA_FORMAT.PROC_PRECISION"] = 1
            self.assertEqual((nvdla["SDP.D_CVT_SHIFT"], nvdla["SDP.D_DATA_FORMAT.PROC_PRECISION"]), (5, 1))
            with self.assertRaises(nvcosim.DeviceError):
                nvdla.memory(0x80000000, 4096)
            with self.assertRaisesRegex(TimeoutError, "within 5 clocks"):
                nvdla.wait(5)
            memory.unmap()
        with self.assertRaisesRegex(nvcosim.DeviceError, "closed"):
            nvdla.read(0)
        with self.assertRaises(nvcosim.DeviceError):
            nvcosim.Device("small", "rtl:not_built_")


class Traces(unittest.TestCase):
    def test_a_trace_of_python_is_played(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = nvcosim.Trace("small")
            memory = trace.memory(0x80000000, 256)
            memory[16:] = bytes(range(32))
            memory.check(16, bytes(range(32)))
            memory.check_crc(20, bytes(range(4, 8)))
            trace["SDP.D_CVT_SHIFT"] = 3
            trace.check("SDP.D_CVT_SHIFT.CVT_SHIFT", 3)
            for name in ("t.nvt", "t.nvt.gz"):
                path = trace.save(pathlib.Path(folder, name))
                result = nvcosim.play(path, dut="model", options=["--out=" + folder])
                self.assertEqual((result["verdict"], result["checks"]), ("PASS", 3), result)
            trace.check("SDP.D_CVT_SHIFT", 4)
            self.assertEqual(nvcosim.play(trace.save(path), dut="model", options=["--out=" + folder])["verdict"], "FAIL")
            self.assertEqual(sorted(os.listdir(folder))[-2:], ["t.nvt", "t.nvt.gz"])
            with self.assertRaisesRegex(ValueError, "inside the 256 bytes"):
                memory[250:] = bytes(20)
            with self.assertRaisesRegex(nvcosim.Failure, "no name of a trace"):
                trace.save("t.txt")
            with self.assertRaisesRegex(nvcosim.Failure, "not_there"):
                nvcosim.play("not_there.nvt")

    @unittest.skipUnless(numpy, "numpy is not installed: outputs of networks are not tested")
    def test_a_network_has_outputs(self):
        digits = pathlib.Path(__file__).resolve().parents[2] / "traces/networks/digits"
        result, outputs = nvcosim.run_network(digits / "digits.nvdla", [digits / "3.png"], dut="model")
        self.assertEqual((result["verdict"], outputs["digit"].shape), ("PASS", (1, 10, 1, 1)))
        self.assertEqual(outputs["digit"].argmax(), 3)
