/* The table of EW: its access port and its counters. See sdp_table.h. */
#include "model/sdp_table.h"

#include "nvdla/registers.h"
#include "nvdla_offsets.h"

/* ---- access port ---- */

enum { ADDRESSES = 1024 };

/* The entry at the address, NULL if it is outside the table. */
static int16_t *entry(struct sdp_table *table, uint32_t access_cfg) {
    bool lo = REGISTER_FIELD(access_cfg, SDP_S_LUT_ACCESS_CFG__LUT_TABLE_ID);
    unsigned count = lo ? LUT_LO_ENTRIES : LUT_LE_ENTRIES;
    int16_t *first = lo ? table->entries.lo : table->entries.le;
    return table->address < count ? first + table->address : NULL;
}

static void step(struct sdp_table *table) {
    table->address = (table->address + 1) % ADDRESSES;
}

void sdp_table_select(struct sdp_table *table, uint32_t access_cfg) {
    table->address = REGISTER_FIELD(access_cfg, SDP_S_LUT_ACCESS_CFG__LUT_ADDR);
}

void sdp_table_write(struct sdp_table *table, uint32_t access_cfg, uint32_t value) {
    int16_t *at = entry(table, access_cfg);
    if (at && REGISTER_FIELD(access_cfg, SDP_S_LUT_ACCESS_CFG__LUT_ACCESS_TYPE))
        *at = (int16_t)REGISTER_FIELD(value, SDP_S_LUT_ACCESS_DATA__LUT_DATA);
    step(table);
}

uint32_t sdp_table_read(struct sdp_table *table, uint32_t access_cfg) {
    const int16_t *at = entry(table, access_cfg);
    uint32_t value = at ? (uint16_t)*at : 0;
    step(table);
    return value;
}

/* ---- use ---- */

static inline void count_answers(struct sdp_table_counters *counters, const struct lut_result *result) {
    enum lut_answer selected = result->answer[result->selected];
    counters->underflow += selected == LUT_UNDER;
    counters->overflow += selected == LUT_OVER;
    counters->hybrid += selected == LUT_HIT;
    counters->le_hit += result->answer[LUT_LE] == LUT_HIT;
    counters->lo_hit += result->answer[LUT_LO] == LUT_HIT;
}

void sdp_table_apply(const struct lut_settings *settings, const struct lut_entries *entries, bool floating_point,
                     int32_t *data, size_t count, struct sdp_table_counters *counters) {
    enum { SOME = 64 };
    for (size_t at = 0; at < count; at += SOME) {
        const size_t some = count - at < SOME ? count - at : SOME;
        struct lut_result results[SOME];
        if (floating_point)
            lut_look_up_fp16(settings, entries, true, (const uint32_t *)data + at, results, some);
        for (size_t i = 0; i < some; i++) {
            if (!floating_point)
                results[i] = lut_look_up(&lut_sdp, settings, entries, data[at + i]);
            data[at + i] = results[i].value;
            count_answers(counters, &results[i]);
        }
    }
}
