/* Conformance traces with other data and settings: what a legal trace becomes when its values are shaken. */
#include "naive_shake.h"

#include <stddef.h>

#include "nvdla/random.h"
#include "nvdla/registers.h"
#include "nvdla_offsets.h"

/* Bits that may hold anything. */
static const struct {
    enum nvdla_unit unit;
    uint32_t offset, mask;
} free_bits[] = {
    {NVDLA_CDMA, CDMA_D_CVT_CFG, CDMA_D_CVT_CFG__CVT_TRUNCATE_MASK},
    {NVDLA_CDMA, CDMA_D_CVT_OFFSET, 0xffff},
    {NVDLA_CDMA, CDMA_D_CVT_SCALE, 0xffff},
    {NVDLA_CDMA, CDMA_D_MEAN_FORMAT, 1},
    {NVDLA_CDMA, CDMA_D_MEAN_GLOBAL_0, 0xffffffff},
    {NVDLA_CDMA, CDMA_D_MEAN_GLOBAL_1, 0xffffffff},
    {NVDLA_CDMA, CDMA_D_ZERO_PADDING_VALUE, 0xffff},
    {NVDLA_CDMA, CDMA_D_NAN_FLUSH_TO_ZERO, 1},
    {NVDLA_CSC, CSC_D_ZERO_PADDING_VALUE, 0xffff},
    {NVDLA_CSC, CSC_D_PRA_CFG, 3},
    {NVDLA_CACC, CACC_D_CLIP_CFG, 0x1f},
    {NVDLA_SDP, SDP_D_DP_BS_CFG, SDP_D_DP_BS_CFG__BS_ALU_ALGO_MASK | SDP_D_DP_BS_CFG__BS_MUL_PRELU_MASK},
    {NVDLA_SDP, SDP_D_DP_BS_CFG, SDP_D_DP_BS_CFG__BS_RELU_BYPASS_MASK},
    {NVDLA_SDP, SDP_D_DP_BS_ALU_CFG, SDP_D_DP_BS_ALU_CFG__BS_ALU_SHIFT_VALUE_MASK},
    {NVDLA_SDP, SDP_D_DP_BS_ALU_SRC_VALUE, 0xffff},
    {NVDLA_SDP, SDP_D_DP_BS_MUL_CFG, SDP_D_DP_BS_MUL_CFG__BS_MUL_SHIFT_VALUE_MASK},
    {NVDLA_SDP, SDP_D_DP_BS_MUL_SRC_VALUE, 0xffff},
    {NVDLA_SDP, SDP_D_DP_BN_CFG, SDP_D_DP_BN_CFG__BN_ALU_ALGO_MASK | SDP_D_DP_BN_CFG__BN_MUL_PRELU_MASK},
    {NVDLA_SDP, SDP_D_DP_BN_CFG, SDP_D_DP_BN_CFG__BN_RELU_BYPASS_MASK},
    {NVDLA_SDP, SDP_D_DP_BN_ALU_CFG, SDP_D_DP_BN_ALU_CFG__BN_ALU_SHIFT_VALUE_MASK},
    {NVDLA_SDP, SDP_D_DP_BN_ALU_SRC_VALUE, 0xffff},
    {NVDLA_SDP, SDP_D_DP_BN_MUL_CFG, SDP_D_DP_BN_MUL_CFG__BN_MUL_SHIFT_VALUE_MASK},
    {NVDLA_SDP, SDP_D_DP_BN_MUL_SRC_VALUE, 0xffff},
    {NVDLA_SDP, SDP_D_DP_EW_CFG, SDP_D_DP_EW_CFG__EW_MUL_PRELU_MASK},
    {NVDLA_SDP, SDP_D_DP_EW_ALU_CFG, SDP_D_DP_EW_ALU_CFG__EW_ALU_CVT_BYPASS_MASK},
    {NVDLA_SDP, SDP_D_DP_EW_MUL_CFG, SDP_D_DP_EW_MUL_CFG__EW_MUL_CVT_BYPASS_MASK},
    {NVDLA_SDP, SDP_D_DP_EW_ALU_CVT_OFFSET_VALUE, 0xffffffff},
    {NVDLA_SDP, SDP_D_DP_EW_ALU_CVT_SCALE_VALUE, 0xffff},
    {NVDLA_SDP, SDP_D_DP_EW_ALU_CVT_TRUNCATE_VALUE, 0x3f},
    {NVDLA_SDP, SDP_D_DP_EW_MUL_CVT_OFFSET_VALUE, 0xffffffff},
    {NVDLA_SDP, SDP_D_DP_EW_MUL_CVT_SCALE_VALUE, 0xffff},
    {NVDLA_SDP, SDP_D_DP_EW_MUL_CVT_TRUNCATE_VALUE, 0x3f},
    {NVDLA_SDP, SDP_D_DP_EW_TRUNCATE_VALUE, 0x3ff},
    {NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, SDP_D_FEATURE_MODE_CFG__NAN_TO_ZERO_MASK},
    {NVDLA_SDP, SDP_D_CVT_OFFSET, 0xffffffff},
    {NVDLA_SDP, SDP_D_CVT_SCALE, 0xffff},
    {NVDLA_SDP, SDP_D_CVT_SHIFT, 0x3f},
    {NVDLA_SDP, SDP_D_PERF_ENABLE, SDP_D_PERF_ENABLE__PERF_SAT_EN_MASK},
    {NVDLA_SDP_RDMA, SDP_RDMA_D_PERF_ENABLE, 3},
    {NVDLA_SDP, SDP_S_LUT_CFG, 0x71},
    {NVDLA_SDP, SDP_S_LUT_LE_SLOPE_SCALE, 0xffffffff},
    {NVDLA_SDP, SDP_S_LUT_LE_SLOPE_SHIFT, 0x3ff},
    {NVDLA_SDP, SDP_S_LUT_LO_SLOPE_SCALE, 0xffffffff},
    {NVDLA_SDP, SDP_S_LUT_LO_SLOPE_SHIFT, 0x3ff},
    {NVDLA_SDP, SDP_S_LUT_ACCESS_DATA, 0xffff},
    {NVDLA_PDP, PDP_D_NAN_FLUSH_TO_ZERO, 1},
    {NVDLA_PDP, PDP_D_RECIP_KERNEL_WIDTH, 0xffff},
    {NVDLA_PDP, PDP_D_RECIP_KERNEL_HEIGHT, 0xffff},
    {NVDLA_PDP, PDP_D_POOLING_PADDING_VALUE_1_CFG, 0x7ffff},
    {NVDLA_PDP, PDP_D_POOLING_PADDING_VALUE_2_CFG, 0x7ffff},
    {NVDLA_CDP, CDP_D_NAN_FLUSH_TO_ZERO, 1},
    {NVDLA_CDP, CDP_D_FUNC_BYPASS, 3},
    {NVDLA_CDP, CDP_D_LRN_CFG, 3},
    {NVDLA_CDP, CDP_D_DATIN_OFFSET, 0xffff},
    {NVDLA_CDP, CDP_D_DATIN_SCALE, 0xffff},
    {NVDLA_CDP, CDP_D_DATIN_SHIFTER, 0x1f},
    {NVDLA_CDP, CDP_D_DATOUT_OFFSET, 0xffffffff},
    {NVDLA_CDP, CDP_D_DATOUT_SCALE, 0xffff},
    {NVDLA_CDP, CDP_D_DATOUT_SHIFTER, 0x3f},
    {NVDLA_CDP, CDP_S_LUT_CFG, 0x71},
    {NVDLA_CDP, CDP_S_LUT_LE_SLOPE_SCALE, 0xffffffff},
    {NVDLA_CDP, CDP_S_LUT_LE_SLOPE_SHIFT, 0x3ff},
    {NVDLA_CDP, CDP_S_LUT_LO_SLOPE_SCALE, 0xffffffff},
    {NVDLA_CDP, CDP_S_LUT_LO_SLOPE_SHIFT, 0x3ff},
    {NVDLA_CDP, CDP_S_LUT_ACCESS_DATA, 0xffff},
};

static bool one_in(uint64_t *state, unsigned n) {
    return random_next(state) % n == 0;
}

/* An FP16 pattern: mostly ordinary numbers around one exponent, now and then one of each special kind. */
static uint16_t random_fp16(uint64_t *state, unsigned spread, bool special) {
    const uint64_t r = random_next(state);
    if (special && r % 16 == 0) {
        static const uint16_t kinds[] = {0x0000, 0x8000, 0x7c00, 0xfc00, 0x7bff, 0xfbff, 0x0001, 0x83ff, 0x0400};
        const uint64_t kind = r >> 8 & 15;
        return kind < sizeof kinds / sizeof kinds[0] ? kinds[kind] : (uint16_t)(r >> 16 | (kind < 11 ? 0x7c00 : 0));
    }
    return (uint16_t)((r >> 16 & 0x8000) | (15 - spread / 2 + (r >> 32) % (spread + 1)) << 10 | (r & 1023));
}

static void shake_bytes(uint8_t *bytes, size_t n, uint64_t *state) {
    const unsigned kind = (unsigned)(random_next(state) % 6), spread = (unsigned)(random_next(state) % 14);
    const bool special = one_in(state, 2);
    for (size_t i = 0; kind > 0 && i < n; i++) {
        if (kind < 3) { /* all bytes; bytes of few bits, so that products of many do not all saturate */
            bytes[i] = (uint8_t)random_next(state);
            if (kind == 2)
                bytes[i] = (uint8_t)((int8_t)bytes[i] >> 5);
        } else if (i % 2 == 0) {
            const uint16_t half = random_fp16(state, spread, special);
            bytes[i] = (uint8_t)half;
            if (i + 1 < n)
                bytes[i + 1] = (uint8_t)(half >> 8);
        }
    }
}

/* True if the operation loads what a register of that offset of CDMA points to. */
static bool is_target(const struct program *prog, const struct op *load, uint32_t offset) {
    const uint32_t address = nvdla_unit_base(prog->config, NVDLA_CDMA) + offset;
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        const uint64_t low = load->base & 0xffffffff;
        if (op->kind == OP_WRITE && op->address == address && op->value >= low && op->value < low + load->blob->extent)
            return true;
    }
    return false;
}

static void shake_register(const struct program *prog, struct op *op, uint64_t *state) {
    for (size_t i = 0; i < sizeof free_bits / sizeof free_bits[0]; i++) {
        const uint32_t mask = free_bits[i].mask;
        if (nvdla_unit_at(prog->config, op->address) != free_bits[i].unit ||
            (op->address & 0xfff) != free_bits[i].offset || !one_in(state, 3))
            continue;
        uint32_t value = (uint32_t)random_next(state);
        if (one_in(state, 2)) /* small */
            value = (uint32_t)((int32_t)value >> random_next(state) % 32);
        op->value = (op->value & ~mask) | (value & mask);
        const uint32_t lowest = mask & (~mask + 1);
        if (one_in(state, 2) && (mask & (lowest << 3))) /* shifts: small ones keep something to see */
            op->value = (op->value & ~mask) | (op->value & mask & (lowest * 15));
    }
}

void naive_shake(struct program *prog, uint64_t seed) {
    uint64_t state = seed;
    for (size_t i = 0; i < prog->count; i++) {
        struct op *op = &prog->ops[i];
        switch (op->kind) {
        case OP_MEM_LOAD:
            if (!is_target(prog, op, CDMA_D_WGS_ADDR_LOW) && !is_target(prog, op, CDMA_D_WMB_ADDR_LOW))
                shake_bytes(op->blob->bytes, op->blob->size, &state);
            break;
        case OP_WRITE:
            shake_register(prog, op, &state);
            break;
        case OP_MEM_CHECK:
        case OP_MEM_CRC:
            op->kind = op->after >= 0 ? OP_CHECK_EVENT : OP_NOTE;
            op->text = "";
            break;
        case OP_READ_CHECK:
            op->kind = OP_READ;
            break;
        default:
            break;
        }
    }
}
