#include "model/cacc.h"

#include "nvdla/fixed.h"

enum { NARROW_BITS = 34, WIDE_BITS = 48, STICKY_BITS = 16 };

int cacc_width(const struct nvdla_config *config, enum nvdla_precision precision, size_t k) {
    bool wide = config->int16 || config->fp16;
    return wide && (precision != NVDLA_INT8 || k % 2 == 0) ? WIDE_BITS : NARROW_BITS;
}

int64_t cacc_add(int64_t accumulator, int64_t addend, int bits) {
    return fixed_saturate(accumulator + addend, bits);
}

static inline int32_t deliver(int64_t sum, unsigned truncate, bool *saturated) {
    int64_t floor = sum >> truncate;
    int64_t up = 0;
    if (truncate > 0) {
        int64_t rest = sum & ((INT64_C(1) << truncate) - 1), half = INT64_C(1) << (truncate - 1);
        unsigned ignored = truncate > STICKY_BITS ? truncate - STICKY_BITS : 0;
        up = rest >= half && (sum >= 0 || (rest - half) >> ignored > 0);
    }
    int64_t rounded = floor + up;
    *saturated = sum >= 0 ? rounded > INT32_MAX : floor < INT32_MIN;
    return (int32_t)fixed_saturate(rounded, 32);
}

int32_t cacc_deliver(int64_t sum, unsigned truncate, bool *saturated) {
    return deliver(sum, truncate, saturated);
}

uint64_t cacc_deliver_all(const int64_t *sums, int32_t *out, size_t count, unsigned truncate) {
    uint64_t flagged = 0;
    for (size_t i = 0; i < count; i++) {
        bool saturated;
        out[i] = deliver(sums[i], truncate, &saturated);
        flagged += saturated;
    }
    return flagged;
}
