"""Registers whose value cannot matter in a launch: settings of what is bypassed, disabled or not
used. Spec: the register tables of the chapters 30 to 66. A register that is in no table counts as
mattering."""
import functools
import typing

from nvcosim.compare.program import Launch
from nvcosim.regmap.model import Field, Register

# Of the values in the conditions below.
_VALUES = {"REG": 0, "MEM": 1, "FEATURE": 0, "PIXEL": 1, "DIRECT": 0, "WINOGRAD": 1, "FP16": 2,
           "UNCOMPRESSED": 0, "DISABLE": 0, "ENABLE": 1, "FALSE": 0, "ON": 1, "PDP": 1, "MAX": 1,
           "MIN": 2, "SPLIT": 1, "MERGE": 2}

# Unit, beginning of the names of registers or REGISTER.FIELD: the columns of configurations.csv
# without all of which they have no function (-: no configuration has one), and why.
_UNUSED = """
CDMA D_MISC_CFG.IN_PRECISION: int16|fp16 INT8 only
CDMA D_BATCH_STRIDE: batch_max no batches
CDMA D_DATAIN_FORMAT.PIXEL_MAPPING: - has no function
CDMA D_PIXEL_OFFSET.PIXEL_Y_OFFSET: - has no function
CDMA D_ZERO_PADDING.PAD_BOTTOM: - follows from the height
CSC D_MISC_CFG.IN_PRECISION: - has no function
CSC D_MISC_CFG.PROC_PRECISION: int16|fp16 INT8 only
CSC D_BATCH_NUMBER: batch_max no batches
CSC D_DATAOUT_SIZE_1: - has no function
CMAC_A D_MISC_CFG: int16|fp16 INT8 only
CMAC_B D_MISC_CFG: int16|fp16 INT8 only
CACC D_MISC_CFG: int16|fp16 INT8 only
CACC D_DATAOUT_MAP: - has no function
CACC D_DATAOUT_: batch_max no batches
CACC D_BATCH_NUMBER: batch_max no batches
CACC D_LINE_STRIDE: batch_max no batches
CACC D_SURF_STRIDE: batch_max no batches
SDP_RDMA D_BS_BATCH_STRIDE: - has no function
SDP_RDMA D_BN_BATCH_STRIDE: - has no function
SDP_RDMA D_EW_BATCH_STRIDE: - has no function
PDP D_SRC_: - PDP_RDMA has its own
PDP D_DATA_FORMAT: int16|fp16 INT8 only
PDP_RDMA D_FLYING_MODE: - has no function
PDP_RDMA D_POOLING_PADDING_CFG: - has no function
PDP_RDMA D_DATA_FORMAT: int16|fp16 INT8 only
CDP D_DATA_FORMAT: int16|fp16 INT8 only
CDP_RDMA D_DATA_FORMAT: int16|fp16 INT8 only
"""

# Unit, beginning of the names of registers or REGISTER.FIELD: REGISTER.FIELD=VALUE, all of which
# must hold in the launch. Rows with * are for each stage of SDP. BS and BN shift although their
# multiplier is bypassed; EW does not.
_IDLE = """
SDP D_DP_*_: D_DP_*_CFG.*_BYPASS=1
SDP D_DP_*_ALU_: D_DP_*_CFG.*_ALU_BYPASS=1
SDP D_DP_*_CFG.*_ALU_ALGO: D_DP_*_CFG.*_ALU_BYPASS=1
SDP D_DP_*_MUL_SRC_VALUE: D_DP_*_CFG.*_MUL_BYPASS=1
SDP D_DP_*_MUL_CFG.*_MUL_SRC: D_DP_*_CFG.*_MUL_BYPASS=1
SDP D_DP_*_CFG.*_MUL_PRELU: D_DP_*_CFG.*_MUL_BYPASS=1
SDP D_DP_*_ALU_SRC_VALUE: D_DP_*_ALU_CFG.*_ALU_SRC=MEM
SDP D_DP_*_MUL_SRC_VALUE: D_DP_*_MUL_CFG.*_MUL_SRC=MEM
SDP D_DP_EW_MUL_: D_DP_EW_CFG.EW_MUL_BYPASS=1
SDP D_DP_EW_TRUNCATE_VALUE: D_DP_EW_CFG.EW_MUL_BYPASS=1
SDP D_DP_BS_ALU_CFG.BS_ALU_SHIFT_VALUE: D_DATA_FORMAT.PROC_PRECISION=FP16
SDP D_DP_BS_MUL_CFG.BS_MUL_SHIFT_VALUE: D_DATA_FORMAT.PROC_PRECISION=FP16
SDP D_DP_BN_ALU_CFG.BN_ALU_SHIFT_VALUE: D_DATA_FORMAT.PROC_PRECISION=FP16
SDP D_DP_BN_MUL_CFG.BN_MUL_SHIFT_VALUE: D_DATA_FORMAT.PROC_PRECISION=FP16
SDP D_DP_EW_TRUNCATE_VALUE: D_DATA_FORMAT.PROC_PRECISION=FP16
SDP D_DP_EW_ALU_CVT_: D_DP_EW_ALU_CFG.EW_ALU_CVT_BYPASS=1
SDP D_DP_EW_MUL_CVT_: D_DP_EW_MUL_CFG.EW_MUL_CVT_BYPASS=1
SDP D_DP_EW_ALU_CVT_: D_DP_EW_ALU_CFG.EW_ALU_SRC=REG
SDP D_DP_EW_MUL_CVT_: D_DP_EW_MUL_CFG.EW_MUL_SRC=REG
SDP D_DP_EW_ALU_CFG.EW_ALU_CVT_BYPASS: D_DP_EW_ALU_CFG.EW_ALU_SRC=REG
SDP D_DP_EW_MUL_CFG.EW_MUL_CVT_BYPASS: D_DP_EW_MUL_CFG.EW_MUL_SRC=REG
SDP S_LUT_: D_DP_EW_CFG.EW_BYPASS=1
SDP S_LUT_: D_DP_EW_CFG.EW_LUT_BYPASS=1
SDP D_DST_: D_FEATURE_MODE_CFG.OUTPUT_DST=PDP
SDP D_DST_BATCH_STRIDE: D_FEATURE_MODE_CFG.BATCH_NUMBER=0
SDP_RDMA D_SRC_: D_FEATURE_MODE_CFG.FLYING_MODE=ON
SDP_RDMA D_BS_: D_BRDMA_CFG.BRDMA_DISABLE=1
SDP_RDMA D_BRDMA_CFG: D_BRDMA_CFG.BRDMA_DISABLE=1
SDP_RDMA D_BN_: D_NRDMA_CFG.NRDMA_DISABLE=1
SDP_RDMA D_NRDMA_CFG: D_NRDMA_CFG.NRDMA_DISABLE=1
SDP_RDMA D_EW_: D_ERDMA_CFG.ERDMA_DISABLE=1
SDP_RDMA D_ERDMA_CFG: D_ERDMA_CFG.ERDMA_DISABLE=1
CDMA D_MEAN_GLOBAL_: D_MEAN_FORMAT.MEAN_FORMAT=DISABLE
CDMA D_MEAN_: D_DATAIN_FORMAT.DATAIN_FORMAT=FEATURE
CDMA D_PIXEL_OFFSET: D_DATAIN_FORMAT.DATAIN_FORMAT=FEATURE
CDMA D_DATAIN_FORMAT: D_DATAIN_FORMAT.DATAIN_FORMAT=FEATURE
CDMA D_DAIN_ADDR_HIGH_1: D_DATAIN_FORMAT.DATAIN_FORMAT=FEATURE
CDMA D_DAIN_ADDR_LOW_1: D_DATAIN_FORMAT.DATAIN_FORMAT=FEATURE
CDMA D_LINE_UV_STRIDE: D_DATAIN_FORMAT.DATAIN_FORMAT=FEATURE
CDMA D_SURF_STRIDE: D_DATAIN_FORMAT.DATAIN_FORMAT=PIXEL
CDMA D_DAIN_MAP: D_DATAIN_FORMAT.DATAIN_FORMAT=PIXEL
CDMA D_FETCH_GRAIN: D_DATAIN_FORMAT.DATAIN_FORMAT=PIXEL
CDMA D_FETCH_GRAIN: D_MISC_CFG.CONV_MODE=WINOGRAD
CDMA D_FETCH_GRAIN: D_DAIN_MAP.LINE_PACKED=FALSE
CDMA D_CVT_OFFSET: D_CVT_CFG.CVT_EN=DISABLE
CDMA D_CVT_SCALE: D_CVT_CFG.CVT_EN=DISABLE
CDMA D_CVT_CFG.CVT_TRUNCATE: D_CVT_CFG.CVT_EN=DISABLE
CDMA D_WGS_: D_WEIGHT_FORMAT.WEIGHT_FORMAT=UNCOMPRESSED
CDMA D_WMB_: D_WEIGHT_FORMAT.WEIGHT_FORMAT=UNCOMPRESSED
CDMA D_BATCH_STRIDE: D_BATCH_NUMBER.BATCHES=0
CDMA D_DATAIN_SIZE_EXT_0: D_MISC_CFG.CONV_MODE=DIRECT
CDMA D_CONV_STRIDE: D_MISC_CFG.CONV_MODE=DIRECT
CDMA D_ZERO_PADDING.PAD_TOP: D_MISC_CFG.CONV_MODE=DIRECT
CDMA D_ZERO_PADDING: D_MISC_CFG.CONV_MODE=DIRECT D_DATAIN_FORMAT.DATAIN_FORMAT=FEATURE
CSC D_PRA_CFG: D_MISC_CFG.CONV_MODE=DIRECT
CSC D_WMB_BYTES: D_WEIGHT_FORMAT.WEIGHT_FORMAT=UNCOMPRESSED
CSC D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT: D_DATAIN_FORMAT.DATAIN_FORMAT=PIXEL
CSC D_DATAIN_SIZE_EXT_1: D_DATAIN_FORMAT.DATAIN_FORMAT=FEATURE
CSC D_DATAOUT_SIZE_0.DATAOUT_HEIGHT: D_DATAIN_FORMAT.DATAIN_FORMAT=FEATURE
CSC D_ATOMICS: D_DATAIN_FORMAT.DATAIN_FORMAT=PIXEL
CSC D_DILATION_EXT: D_DATAIN_FORMAT.DATAIN_FORMAT=PIXEL
CSC D_ZERO_PADDING.PAD_LEFT: D_DATAIN_FORMAT.DATAIN_FORMAT=PIXEL
CSC D_ZERO_PADDING: D_MISC_CFG.CONV_MODE=WINOGRAD
CSC D_WEIGHT_SIZE_EXT_0: D_MISC_CFG.CONV_MODE=WINOGRAD
CSC D_CONV_STRIDE_EXT: D_MISC_CFG.CONV_MODE=WINOGRAD
CSC D_DILATION_EXT: D_MISC_CFG.CONV_MODE=WINOGRAD
CACC D_DATAOUT_: D_BATCH_NUMBER.BATCHES=0
CACC D_LINE_STRIDE: D_BATCH_NUMBER.BATCHES=0
CACC D_SURF_STRIDE: D_BATCH_NUMBER.BATCHES=0
PDP D_RECIP_: D_OPERATION_MODE_CFG.POOLING_METHOD=MAX
PDP D_RECIP_: D_OPERATION_MODE_CFG.POOLING_METHOD=MIN
PDP D_POOLING_PADDING_VALUE_: D_OPERATION_MODE_CFG.POOLING_METHOD=MAX
PDP D_POOLING_PADDING_VALUE_: D_OPERATION_MODE_CFG.POOLING_METHOD=MIN
PDP D_POOLING_PADDING_VALUE_: D_POOLING_PADDING_CFG=0
PDP D_PARTIAL_WIDTH_: D_OPERATION_MODE_CFG.SPLIT_NUM=0
PDP_RDMA D_PARTIAL_WIDTH_: D_OPERATION_MODE_CFG.SPLIT_NUM=0
PDP_RDMA D_POOLING_KERNEL_CFG: D_OPERATION_MODE_CFG.SPLIT_NUM=0
CDP S_LUT_: D_FUNC_BYPASS.MUL_BYPASS=ENABLE
RBK D_CONTRACT_STRIDE_: D_MISC_CFG.RUBIK_MODE=SPLIT
RBK D_CONTRACT_STRIDE_: D_MISC_CFG.RUBIK_MODE=MERGE
RBK D_DECONV_STRIDE: D_MISC_CFG.RUBIK_MODE=SPLIT
RBK D_DECONV_STRIDE: D_MISC_CFG.RUBIK_MODE=MERGE
"""
_PADDING = {"D_POOLING_PADDING_CFG=0": "no padding"}  # what is said instead of FIELD=VALUE


class Condition(typing.NamedTuple):
    """A field of a register of the unit has a value; field "": all its fields have."""
    register: str
    field: str
    value: int


class Row(typing.NamedTuple):
    """Registers, or one field of them, that do not matter if the conditions hold. needs: see
    _UNUSED."""
    unit: str
    prefix: str
    field: str
    why: str
    when: list[Condition]
    needs: str = ""

    def fits(self, register: Register, field: Field) -> bool:
        """Whether it is about that field, and that is none that decides."""
        decides = self.when and register.name == self.when[0].register and \
            self.when[0].field in ("", field.name)
        return self.unit == register.unit and register.name.startswith(self.prefix) and \
            self.field in ("", field.name) and not decides


def _rows(table: str) -> typing.Iterator[tuple[str, str, str, str]]:
    """Unit, prefix, field, and what follows the colon."""
    for line in table.strip().split("\n"):
        for stage in ("BS", "BN", "EW") if "*" in line else ("",):
            names, _, rest = line.replace("*", stage).partition(": ")
            unit, _, name = names.partition(" ")
            prefix, _, field = name.partition(".")
            yield unit, prefix, field, rest


def _condition(text: str) -> Condition:
    name, _, value = text.partition("=")
    register, _, field = name.partition(".")
    return Condition(register, field, int(_VALUES.get(value, value)))


@functools.cache
def _unused() -> list[Row]:
    return [Row(unit, prefix, field, why, [], needs) for unit, prefix, field, rest in _rows(_UNUSED)
            for needs, _, why in [rest.partition(" ")]]


@functools.cache
def _idle() -> list[Row]:
    return [Row(unit, prefix, field,
                ", ".join(_PADDING.get(text) or text.rpartition(".")[2] for text in rest.split()),
                [_condition(text) for text in rest.split()])
            for unit, prefix, field, rest in _rows(_IDLE)]


class Effects:
    """Of the registers of one configuration. parameters: its columns of configurations.csv;
    registers: by unit and name."""

    def __init__(self, parameters: typing.Mapping[str, str],
                 registers: typing.Mapping[tuple[str, str], Register]) -> None:
        self._parameters = parameters
        self._registers = registers
        self._known: dict[tuple[str, str, str], tuple[str, list[Row]]] = {}

    def _always(self, register: Register, field: Field) -> str:
        """Why a field has no effect in any launch: counters, and fields that no function of the
        configuration is tied to."""
        if register.name == "D_PERF_ENABLE":
            return "counts only"
        if register.name == "D_CYA" or register.name.startswith("D_RESERVED_"):
            return "has no function"
        if "address_high" in register.kinds and int(self._parameters["addr_bits"]) <= 32:
            return "addresses have 32 bits"
        if "NAN_FLUSH" in register.name and not int(self._parameters["fp16"]):
            return "no FP16"
        return next((row.why for row in _unused() if row.fits(register, field)
                     and (row.needs == "-"
                          or all(int(self._parameters[column]) <= (column == "batch_max")
                                 for column in row.needs.split("|")))), "")

    def _holds(self, launch: Launch, when: Condition) -> bool:
        register = self._registers.get((launch.unit, when.register))
        fields = [f for f in register.fields if when.field in ("", f.name)] if register else []
        return register is not None and fields != [] and all(
            field.of(launch.word(register.offset)) == when.value for field in fields)

    def none(self, launch: Launch, register: Register, field: Field) -> str:
        """Why a field of a register has no effect in a launch ("BS_BYPASS=1"); "": it can have
        one."""
        key = register.unit, register.name, field.name
        if key not in self._known:
            self._known[key] = self._always(register, field), [
                row for row in _idle() if row.fits(register, field)]
        always, rows = self._known[key]
        return always or next((row.why for row in rows if all(
            self._holds(launch, when) for when in row.when)), "")
