/* Exchanges register groups. See exchange.h. */
#include "trace/exchange.h"

#include "nvdla/engines.h"
#include "nvdla_offsets.h"

bool unit_has_groups(const struct nvdla_config *config, enum nvdla_unit unit) {
    const struct nvdla_register *enable =
        nvdla_has_unit(config, unit) ? nvdla_register_find(config, unit, "D_OP_ENABLE") : NULL;
    return enable && enable->grouped;
}

static uint32_t exchange_interrupts(uint32_t units, uint32_t bits) {
    for (int i = 0; i < INTERRUPT_COUNT; i++) {
        if ((units >> nvdla_interrupts[i].unit & 1) == 0)
            continue;
        const unsigned low = nvdla_interrupts[i].bit;
        const uint32_t pair = bits >> low & 3;
        bits = (bits & ~(UINT32_C(3) << low)) | (pair >> 1 | (pair & 1) << 1) << low;
    }
    return bits;
}

static uint32_t exchange_status(uint32_t bits) {
    return bits << 16 | bits >> 16;
}

static bool is_check(const struct op *op) {
    return op->kind == OP_READ_CHECK || op->kind == OP_POLL;
}

bool exchange_groups(const struct nvdla_config *config, uint32_t units, struct op *op) {
    enum { OFFSET = 0xfff };
    if (units == 0 || (op->kind != OP_WRITE && !is_check(op)))
        return true;
    const enum nvdla_unit unit = nvdla_unit_at(config, op->address);
    const uint32_t offset = op->address & OFFSET;
    uint32_t value = op->value, mask = op->mask;
    if (unit == NVDLA_GLB && (offset == GLB_S_INTR_MASK || offset == GLB_S_INTR_SET || offset == GLB_S_INTR_STATUS)) {
        value = exchange_interrupts(units, value);
        mask = exchange_interrupts(units, mask);
    } else if (unit < NVDLA_UNIT_COUNT && (units >> unit & 1) && offset == SDP_S_POINTER) {
        value ^= SDP_S_POINTER__PRODUCER_MASK | (is_check(op) ? SDP_S_POINTER__CONSUMER_MASK : 0);
    } else if (unit < NVDLA_UNIT_COUNT && (units >> unit & 1) && offset == SDP_S_STATUS) {
        value = exchange_status(value);
        mask = exchange_status(mask);
    }
    const bool same = value == op->value && mask == op->mask;
    op->value = value;
    op->mask = mask;
    return same || !is_check(op) || op->relation == RELATION_EQUAL;
}
