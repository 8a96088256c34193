/* Sizes of the buffers of a configuration, and what they hold. Spec: 30-cdma-cbuf sections 4 and 5, 60-pdp section 9.
 */
#pragma once

#include "nvdla/config.h"
#include "nvdla/sizes.h"

/* Bytes of an entry of CBUF, which feeds all lanes of the MAC array: AtomicC elements of the widest type. */
static inline size_t cbuf_entry_bytes(const struct nvdla_config *config) {
    return (size_t)config->atomic_c * (nvdla_has_16_bits(config) ? 2 : 1);
}

/* Elements to whose multiple CDMA fills the lines of an image. With 16-bit types it writes two atoms at a time. Spec:
 * 30-cdma-cbuf section 5.4, 10-system section 1.1. */
static inline size_t cdma_fill_elements(const struct nvdla_config *config, enum nvdla_precision precision) {
    const size_t lanes = (size_t)config->atomic_c, two = 2 * (size_t)config->mem_atom;
    return nvdla_has_16_bits(config) && (two < lanes || precision == NVDLA_INT8) ? two : lanes;
}

static inline size_t cbuf_bank_bytes(const struct nvdla_config *config) {
    return (size_t)config->cbuf_bank_bytes * (size_t)config->cbuf_bank_depth;
}

static inline size_t cbuf_bank_entries(const struct nvdla_config *config) {
    return cbuf_bank_bytes(config) / cbuf_entry_bytes(config);
}

/* Entries of a line of a feature cube: an entry has `slots` atoms. */
static inline size_t cbuf_line_entries(const struct nvdla_config *config, size_t w, size_t surfaces) {
    const size_t slots = cbuf_entry_bytes(config) / (size_t)config->mem_atom, rest = surfaces % slots;
    const size_t tail = rest == 0 ? 0 : rest <= 2 ? ceil_div(w, slots / rest) : w;
    return surfaces / slots * w + tail;
}

/* Output columns that PDP's line buffer holds for windows of several lines, `stride` apart. */
static inline int pdp_buffer_columns(int64_t window, int64_t stride) {
    const int64_t lines = stride >= window ? 1
                          : stride == 1    ? window
                          : stride == 2    ? (window + 1) / 2
                          : stride == 3    ? (window <= 6 ? 2 : 3)
                                           : 2;
    return lines == 1 ? 128 : lines == 2 ? 64 : lines <= 4 ? 32 : 16;
}

/* Rows of CACC's delivery buffer, the credits that CSC starts with. Spec: 10-system section 1.1. */
static inline unsigned cacc_rows(const struct nvdla_config *config) {
    const int stripes = (nvdla_has_16_bits(config) ? 8 : 4) * config->atomic_k, batches = 8 * config->batch_max;
    return (unsigned)(config->batch_max > 1 && batches > stripes ? batches : stripes);
}
