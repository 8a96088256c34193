/* The look-up table of SDP's EW stage: its access port and its use on lines of elements. Spec: 55-lut sections 3.1, 4
 * to 6 and 9. */
#pragma once

#include "nvdla/lut.h"

struct sdp_table {
    struct lut_entries entries;
    unsigned address; /* of the next access, 10 bits; S_LUT_ACCESS_CFG does not show it */
};

/* The access port. A write of S_LUT_ACCESS_CFG loads the address; every access of S_LUT_ACCESS_DATA uses the entry
 * there, in the table that S_LUT_ACCESS_CFG names, and increments the address, from 1023 to 0. Addresses beyond the
 * table read 0 and ignore writes; writes in read direction are ignored, too.
 *
 * access_cfg  value of S_LUT_ACCESS_CFG Section 3.1; the clock gating of the port is not modelled. */
void sdp_table_select(struct sdp_table *table, uint32_t access_cfg);
void sdp_table_write(struct sdp_table *table, uint32_t access_cfg, uint32_t value);
uint32_t sdp_table_read(struct sdp_table *table, uint32_t access_cfg);

/* Number of elements by answer of the tables, each element counted once. Section 9. */
struct sdp_table_counters {
    uint64_t underflow, overflow, hybrid; /* the selected answer is underflow, overflow, a hit */
    uint64_t le_hit, lo_hit;              /* this table hits, selected or not */
};

/* Looks up `count` elements in place, FP32 patterns or integers, and counts them. */
void sdp_table_apply(const struct lut_settings *settings, const struct lut_entries *entries, bool floating_point,
                     int32_t *data, size_t count, struct sdp_table_counters *counters);
