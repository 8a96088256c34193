/* Registers of layers whose fields no loadable at hand uses, or whose wrong values a layer survives: each field of the
 * descriptor has a value of its own, and must come out where 87-loadables section 6 has it. */
#include "loadable/emit.h"
#include "loadable/loadable.h"
#include "tests/unit/register_text.h"
#include "tests/unit/test.h"

static struct emitter emitter;
TEST_KEEPS(keep_program, struct program, program_free)

static void emit_begin(void) {
    emitter.config = nvdla_config_find("full");
    emitter.prog = keep_program(program_new(emitter.config, "test"));
    program_stream(emitter.prog, "main");
}

/* What has been written to a register, once. */
static uint32_t written(enum nvdla_unit unit, uint32_t offset) {
    const uint32_t address = nvdla_unit_base(emitter.config, unit) + offset;
    const struct op *found = NULL;
    for (size_t i = 0; i < emitter.prog->count; i++)
        if (emitter.prog->ops[i].kind == OP_WRITE && emitter.prog->ops[i].address == address) {
            assert_null(found);
            found = &emitter.prog->ops[i];
        }
    if (!found)
        fail_msg("%s 0x%x has not been written", nvdla_unit_names[unit], offset);
    return found->value;
}

static void check_written(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    (void)context;
    const uint32_t got = written(unit, offset);
    if (got != value)
        fail_msg("%s 0x%x is 0x%x, expected 0x%x", nvdla_unit_names[unit], offset, got, value);
}

/* These registers have been written with these values (register_text.h). */
static void written_all(const char *text) {
    register_text(emitter.config, text, check_written, NULL);
}

TEST(convolution) {
    struct operation op = {
        .type = TYPE_CONV,
        .conv =
            {
                .mode = 0,
                .data_reuse = 1,
                .skip_weight_rls = 1,
                .entry_per_slice = 12,
                .data_format = 36,
                .fetch_grain = 5,
                .batch = 3,
                .data_bank = 4,
                .weight_bank = 7,
                .batch_stride = 0x3000,
                .post_extension = 2,
                .release = 9,
                .w_csc = 21,
                .h_csc = 22,
                .c_csc = 23,
                .kw_csc = 4,
                .kh_csc = 5,
                .kc_csc = 23,
                .w_cmac = 11,
                .h_cmac = 12,
                .bytes_per_kernel = 0x1cc,
                .stride_x = 2,
                .stride_y = 3,
                .pad_left = 1,
                .pad_right = 2,
                .pad_top = 3,
                .pad_bottom = 4,
                .dilation_x = 5,
                .dilation_y = 6,
                .pra_truncate = 2,
                .in_precision = 0,
                .out_precision = 1,
                .pad_value = -2,
                .in_cvt = {.scale = 7, .truncate = 6, .enable = true, .offset = -5},
                .out_cvt = {.scale = 1, .truncate = 13},
                .weight = {.size = 0x480, .address = 0x90000000},
            },
        .src = {.width = 21,
                .height = 22,
                .channel = 23,
                .line_stride = 0x2a0,
                .surface_stride = 0x39c0,
                .address = 0x180000000},
        .dst = {.width = 11,
                .height = 12,
                .channel = 13,
                .line_stride = 0x160,
                .surface_stride = 0x1080,
                .type = CUBE_ON_THE_FLY},
    };
    emit_begin();
    emit_conv(&emitter, &op);
    written_all(
        "CACC: D_MISC_CFG=0x1000 D_DATAOUT_SIZE_0=0x000b000a D_DATAOUT_SIZE_1=12 D_BATCH_NUMBER=2 D_CLIP_CFG=13 "
        "CSC: D_MISC_CFG=0x10011100 D_POST_Y_EXTENSION=2 D_WEIGHT_SIZE_EXT_0=0x00040003 "
        "D_WEIGHT_SIZE_EXT_1=0x000c0016 D_DATAOUT_SIZE_0=0x000b000a D_ATOMICS=131 D_RELEASE=8 "
        "D_CONV_STRIDE_EXT=0x00020001 D_DILATION_EXT=0x00050004 D_ZERO_PADDING=0x00030001 "
        "D_ZERO_PADDING_VALUE=0xfffe D_BANK=0x00060003 D_PRA_CFG=2 CDMA: D_MISC_CFG=0x10011000 "
        "D_DAIN_ADDR_HIGH_0=1 D_DAIN_ADDR_LOW_0=0x80000000 D_DAIN_MAP=0x00010001 D_BATCH_STRIDE=0x3000 "
        "D_ENTRY_PER_SLICE=11 D_FETCH_GRAIN=4 D_WEIGHT_SIZE_0=0x1cb D_CVT_CFG=0x61 D_CVT_OFFSET=0xfffb "
        "D_CVT_SCALE=7 D_CONV_STRIDE=0x00020001 D_ZERO_PADDING=0x04030201 D_ZERO_PADDING_VALUE=0xfffe");

    op.conv.mode = 1; /* Winograd: CSC has neither strides nor padding */
    emit_begin();
    emit_conv(&emitter, &op);
    written_all("CSC: D_CONV_STRIDE_EXT=0 D_ZERO_PADDING=0 CDMA: D_CONV_STRIDE=0x00020001 D_ZERO_PADDING=0x04030201");
}

TEST(third_stage) {
    struct operation op = {
        .type = TYPE_SDP,
        .sdp = {.src_precision = 1,
                .dst_precision = 1,
                .lut = -1,
                .batch = 1,
                .out_cvt = {.scale = 3, .truncate = 4, .offset = -6},
                .units[SDP_Y] = {.enable = true,
                                 .alu_type = 1,
                                 .type = 3,
                                 .mode = 2,
                                 .act = 3,
                                 .truncate = 17,
                                 .precision = 1,
                                 .alu_cvt = {.scale = 21, .truncate = 22, .enable = true, .offset = 23},
                                 .mul_cvt = {.scale = 31, .truncate = 32, .enable = false, .offset = -33}}},
        .src = {.width = 1, .height = 1, .channel = 16, .address = 0x1000},
        .dst = {.width = 1, .height = 1, .channel = 16, .address = 0x2000},
    };
    emit_begin();
    emit_sdp(&emitter, &op);
    written_all(
        "SDP: D_DP_EW_CFG=0x64 D_DP_EW_ALU_CFG=1 D_DP_EW_ALU_CVT_OFFSET_VALUE=23 D_DP_EW_ALU_CVT_SCALE_VALUE=21 "
        "D_DP_EW_ALU_CVT_TRUNCATE_VALUE=22 D_DP_EW_MUL_CFG=3 D_DP_EW_MUL_CVT_OFFSET_VALUE=0xffffffdf "
        "D_DP_EW_MUL_CVT_SCALE_VALUE=31 D_DP_EW_MUL_CVT_TRUNCATE_VALUE=32 D_DP_EW_TRUNCATE_VALUE=17 "
        "D_CVT_OFFSET=0xfffffffa D_CVT_SCALE=3 D_CVT_SHIFT=4");
}

TEST(pooling_and_normalisation) {
    struct operation op = {.type = TYPE_PDP,
                           .pdp = {.split = 1,
                                   .pool_width = 2,
                                   .pool_height = 1,
                                   .stride_x = 3,
                                   .stride_y = 2,
                                   .pad_left = 1,
                                   .pad_right = 2,
                                   .pad_top = 3,
                                   .pad_bottom = 4,
                                   .padding_value = {11, 12, 13, 14, 15, 16, -17}},
                           .src = {.width = 9, .height = 8, .channel = 7},
                           .dst = {.width = 3, .height = 4, .channel = 7}};
    emit_begin();
    emit_pdp(&emitter, &op);
    written_all("PDP: D_POOLING_KERNEL_CFG=0x00120102 D_POOLING_PADDING_CFG=0x4231");
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(written(NVDLA_PDP, PDP_D_POOLING_PADDING_VALUE_1_CFG + 4 * i), 11 + i);
    written_all("PDP: D_POOLING_PADDING_VALUE_7_CFG=0x7ffef");

    op = (struct operation){.type = TYPE_CDP,
                            .cdp = {.lut = -1,
                                    .in_cvt = {.scale = 2, .truncate = 3, .offset = 4},
                                    .out_cvt = {.scale = 5, .truncate = 6, .offset = 7},
                                    .local_size = 7,
                                    .bypass_mul = true},
                            .src = {.width = 9, .height = 8, .channel = 7},
                            .dst = {.width = 9, .height = 8, .channel = 7}};
    emit_begin();
    emit_cdp(&emitter, &op);
    written_all(
        "CDP: D_LRN_CFG=2 D_DATIN_OFFSET=4 D_DATIN_SCALE=2 D_DATIN_SHIFTER=3 D_DATOUT_OFFSET=7 D_DATOUT_SCALE=5 "
        "D_DATOUT_SHIFTER=6 D_FUNC_BYPASS=2");
}

/* Slopes: numbers and shifts of integers, halves of FP16. */
TEST(tables) {
    const struct lut_param lut = {.le_offset = -3,
                                  .lo_select = 4,
                                  .le_start = 0x1122334455,
                                  .lo_end = 0x66,
                                  .le_underflow = {.fp16 = 0x1111, .scale = -2, .shift = -1},
                                  .le_overflow = {.fp16 = 0x2222, .scale = 3, .shift = 5},
                                  .lo_underflow = {.fp16 = 0x3333, .scale = 4, .shift = 6},
                                  .lo_overflow = {.fp16 = 0x4444, .scale = 5, .shift = 7},
                                  .hybrid = 1,
                                  .overflow = 1,
                                  .method = 1};
    emit_begin();
    emit_table(&emitter, NVDLA_CDP, &lut, NVDLA_INT8);
    written_all("CDP: S_LUT_CFG=0x61 S_LUT_INFO=0x0004fd00 S_LUT_LE_START_LOW=0x22334455 S_LUT_LE_START_HIGH=0x11 "
                "S_LUT_LO_END_LOW=0x66 S_LUT_LE_SLOPE_SCALE=0x0003fffe S_LUT_LE_SLOPE_SHIFT=0xbf "
                "S_LUT_LO_SLOPE_SCALE=0x00050004 S_LUT_LO_SLOPE_SHIFT=0xe6");
    emit_begin();
    emit_table(&emitter, NVDLA_SDP, &lut, NVDLA_FP16);
    written_all("SDP: S_LUT_LE_SLOPE_SCALE=0x22221111 S_LUT_LO_SLOPE_SCALE=0x44443333");
}
