/* Registers, groups, interrupts and the order of layers (chapters 10, 55 section 3, 64 section 5). */
#include <stdarg.h>

#include "naive.h"

/* ---- common helpers -------------------------------------------------------------------------- */

bool naive_unsupported(struct naive *m, const char *format, ...) {
    if (m->failed)
        return false;
    m->failed = true;
    const int n = snprintf(m->message, sizeof m->message, "UNSUPPORTED: ");
    va_list args;
    va_start(args, format);
    vsnprintf(m->message + n, sizeof m->message - (size_t)n, format, args);
    va_end(args);
    return false;
}

int naive_divide_up(int a, int b) {
    return (a + b - 1) / b;
}

bool naive_has_16(const struct naive *m) {
    return m->config->int16 || m->config->fp16;
}

int naive_element_bytes(enum nvdla_precision precision) {
    return precision == NVDLA_INT8 ? 1 : 2;
}

uint32_t naive_register(const struct naive *m, enum nvdla_unit unit, uint32_t offset) {
    return m->units[unit].words[m->units[unit].consumer][offset / 4];
}

void naive_set_register(struct naive *m, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    m->units[unit].words[m->units[unit].consumer][offset / 4] = value;
}

static const struct {
    enum nvdla_unit unit;
    uint32_t offset;
} computed[] = {
    {NVDLA_CDMA, CDMA_D_NAN_INPUT_DATA_NUM},
    {NVDLA_CDMA, CDMA_D_NAN_INPUT_WEIGHT_NUM},
    {NVDLA_CDMA, CDMA_D_INF_INPUT_DATA_NUM},
    {NVDLA_CDMA, CDMA_D_INF_INPUT_WEIGHT_NUM},
    {NVDLA_CACC, CACC_D_OUT_SATURATION},
    {NVDLA_SDP_RDMA, SDP_RDMA_D_STATUS_NAN_INPUT_NUM},
    {NVDLA_SDP_RDMA, SDP_RDMA_D_STATUS_INF_INPUT_NUM},
    {NVDLA_SDP, SDP_D_STATUS},
    {NVDLA_SDP, SDP_D_STATUS_NAN_INPUT_NUM},
    {NVDLA_SDP, SDP_D_STATUS_INF_INPUT_NUM},
    {NVDLA_SDP, SDP_D_STATUS_NAN_OUTPUT_NUM},
    {NVDLA_SDP, SDP_D_PERF_OUT_SATURATION},
    {NVDLA_CDP, CDP_D_PERF_LUT_UFLOW},
    {NVDLA_CDP, CDP_D_PERF_LUT_OFLOW},
    {NVDLA_CDP, CDP_D_PERF_LUT_HYBRID},
    {NVDLA_CDP, CDP_D_PERF_LUT_LE_HIT},
    {NVDLA_CDP, CDP_D_PERF_LUT_LO_HIT},
};

bool naive_computes(enum nvdla_unit unit, uint32_t offset) {
    for (size_t i = 0; i < sizeof computed / sizeof computed[0]; i++)
        if (computed[i].unit == unit && computed[i].offset == offset)
            return true;
    return false;
}

uint64_t naive_address(const struct naive *m, enum nvdla_unit unit, uint32_t low, uint32_t high) {
    const uint64_t top = m->config->addr_bits > 32 ? naive_register(m, unit, high) : 0;
    return top << 32 | naive_register(m, unit, low);
}

uint64_t naive_align(const struct naive *m, uint64_t address) {
    return address / (uint64_t)m->config->mem_atom * (uint64_t)m->config->mem_atom;
}

struct memory *naive_memory(struct naive *m, int ram_type) {
    struct memory *mem = m->memory[ram_type ? SPACE_PRIMARY : SPACE_SECONDARY];
    if (!mem)
        naive_unsupported(m, "RAM_TYPE 0 without a secondary memory");
    return mem;
}

int32_t naive_get(const uint8_t *bytes, int index, enum nvdla_precision precision) {
    if (precision == NVDLA_INT8)
        return (int8_t)bytes[index];
    const uint32_t half = (uint32_t)bytes[2 * index] | (uint32_t)bytes[2 * index + 1] << 8;
    return precision == NVDLA_INT16 ? (int16_t)half : (int32_t)half;
}

void naive_put(uint8_t *bytes, int index, enum nvdla_precision precision, int32_t value) {
    if (precision == NVDLA_INT8) {
        bytes[index] = (uint8_t)value;
    } else {
        bytes[2 * index] = (uint8_t)value;
        bytes[2 * index + 1] = (uint8_t)((uint32_t)value >> 8);
    }
}

int32_t naive_load(const struct memory *mem, uint64_t address, enum nvdla_precision precision) {
    uint8_t bytes[2];
    memory_read(mem, address, bytes, (size_t)naive_element_bytes(precision));
    return naive_get(bytes, 0, precision);
}

void naive_store(struct naive *m, struct memory *mem, enum nvdla_unit unit, uint64_t address, const void *bytes,
                 size_t n) {
    const struct memory_origin origin = {.unit = (int16_t)unit, .axi_id = -1, .ordinal = m->units[unit].layers};
    memory_write(mem, address, bytes, n, NULL, &origin);
}

/* ---- construction ---------------------------------------------------------------------------- */

struct naive *naive_new(const struct nvdla_config *config) {
    struct naive *m = xcalloc(1, sizeof *m);
    m->config = config;
    m->memory[SPACE_PRIMARY] = memory_new();
    if (config->secondary_memory)
        m->memory[SPACE_SECONDARY] = memory_new();
    m->cbuf.csc_mode = -1;
    const struct nvdla_register_map *map = &nvdla_register_maps[config->map];
    for (size_t i = 0; i < map->count; i++) {
        const struct nvdla_register *reg = &map->registers[i];
        if (nvdla_has_unit(config, reg->unit))
            for (int group = 0; group < 2; group++)
                m->units[reg->unit].words[group][(reg->address & 0xfff) / 4] = reg->reset;
    }
    return m;
}

void naive_free(struct naive *m) {
    if (!m)
        return;
    memory_free(m->memory[SPACE_PRIMARY]);
    memory_free(m->memory[SPACE_SECONDARY]);
    naive_cbuf_free(&m->cbuf);
    free(m);
}

/* ---- table access (chapter 55 section 3) ----------------------------------------------------- */

static bool has_tables(const struct naive *m, enum nvdla_unit unit) {
    return unit == NVDLA_CDP || (unit == NVDLA_SDP && m->config->sdp_lut);
}

static uint16_t *table_entry(struct naive *m, enum nvdla_unit unit) {
    struct naive_tables *tables = unit == NVDLA_SDP ? &m->sdp_tables : &m->cdp_tables;
    const uint32_t cfg = m->units[unit].words[0][SDP_S_LUT_ACCESS_CFG / 4];
    const bool lo = cfg & SDP_S_LUT_ACCESS_CFG__LUT_TABLE_ID_MASK;
    const uint32_t count = lo ? NAIVE_LO_ENTRIES : NAIVE_LE_ENTRIES;
    return tables->pointer >= count ? NULL : (lo ? tables->lo : tables->le) + tables->pointer;
}

/* An access to S_LUT_ACCESS_DATA: SDP's pointer moves with every one, CDP's with those in the programmed direction and
 * not beyond the last entry. */
static void move_pointer(struct naive *m, enum nvdla_unit unit, bool write) {
    const uint32_t cfg = m->units[unit].words[0][SDP_S_LUT_ACCESS_CFG / 4];
    if (unit == NVDLA_SDP) {
        m->sdp_tables.pointer = (m->sdp_tables.pointer + 1) & 1023;
        return;
    }
    const uint32_t last = (cfg & SDP_S_LUT_ACCESS_CFG__LUT_TABLE_ID_MASK ? NAIVE_LO_ENTRIES : NAIVE_LE_ENTRIES) - 1;
    if (((cfg & SDP_S_LUT_ACCESS_CFG__LUT_ACCESS_TYPE_MASK) != 0) == write && m->cdp_tables.pointer < last)
        m->cdp_tables.pointer++;
}

static void table_write(struct naive *m, enum nvdla_unit unit, uint32_t value) {
    uint16_t *entry = table_entry(m, unit);
    if (entry && m->units[unit].words[0][SDP_S_LUT_ACCESS_CFG / 4] & SDP_S_LUT_ACCESS_CFG__LUT_ACCESS_TYPE_MASK)
        *entry = (uint16_t)value;
    move_pointer(m, unit, true);
}

static uint32_t table_read(struct naive *m, enum nvdla_unit unit) {
    const uint16_t *entry = table_entry(m, unit);
    const uint32_t value = entry ? *entry : 0;
    move_pointer(m, unit, false);
    return value;
}

/* ---- BDMA queue (chapter 64) ----------------------------------------------------------------- */

static void bdma_write(struct naive *m, uint32_t offset, uint32_t value) {
    struct naive_bdma *bdma = &m->bdma;
    if (!(value & 1))
        return;
    if (offset == BDMA_CFG_OP) {
        if (bdma->queued > NAIVE_BDMA_QUEUE) {
            naive_unsupported(m, "BDMA: queue overflow");
            return;
        }
        memcpy(bdma->queue[bdma->queued++].words, m->units[NVDLA_BDMA].words[0], sizeof bdma->queue[0].words);
    } else if (offset == BDMA_CFG_LAUNCH0 || offset == BDMA_CFG_LAUNCH1) {
        const int group = offset == BDMA_CFG_LAUNCH1;
        if (bdma->launched[group] || bdma->queued == 0) {
            naive_unsupported(m, "BDMA: launch of group %d %s", group, bdma->queued ? "again" : "without a descriptor");
            return;
        }
        memcpy(bdma->group[group], bdma->queue, sizeof bdma->queue);
        bdma->count[group] = bdma->queued;
        bdma->queued = 0;
        bdma->launched[group] = true;
        if (!bdma->launched[!group])
            bdma->first = group;
    }
}

/* ---- register access ------------------------------------------------------------------------- */

static bool is_enable(const struct nvdla_register *reg) {
    return reg->grouped && strcmp(reg->name, "D_OP_ENABLE") == 0;
}

static int producer(const struct naive_unit *unit) {
    return (int)(unit->words[0][SDP_S_POINTER / 4] & 1);
}

void naive_write(struct naive *m, uint32_t address, uint32_t value) {
    const struct nvdla_register *reg = nvdla_register_at(m->config, address);
    if (!reg)
        return;
    struct naive_unit *unit = &m->units[reg->unit];
    const uint32_t offset = address & 0xfff, stored = nvdla_stored_mask(m->config, reg);
    uint32_t *words[2] = {&unit->words[0][offset / 4], &unit->words[1][offset / 4]};
    if (reg->grouped) {
        const int group = producer(unit);
        if (unit->armed[group])
            return;
        if (is_enable(reg)) {
            unit->armed[group] = value & 1;
            for (uint32_t word = 0; unit->armed[group] && word < NAIVE_WINDOW_WORDS; word++)
                if (naive_computes(reg->unit, 4 * word))
                    unit->words[group][word] = 0;
        } else
            *words[group] = (*words[group] & ~stored) | (value & stored);
        return;
    }
    if (reg->unit == NVDLA_GLB && offset == GLB_S_INTR_SET)
        m->interrupts |= value & (m->config->bdma ? 0x003F03FFu : 0x003F003Fu);
    else if (reg->unit == NVDLA_GLB && offset == GLB_S_INTR_STATUS)
        m->interrupts &= ~value;
    *words[0] = *words[1] = (*words[0] & ~stored) | (value & stored);
    if (reg->unit == NVDLA_BDMA)
        bdma_write(m, offset, value);
    if (!has_tables(m, reg->unit))
        return;
    if (offset == SDP_S_LUT_ACCESS_CFG)
        (reg->unit == NVDLA_SDP ? &m->sdp_tables : &m->cdp_tables)->pointer = value & 1023;
    else if (offset == SDP_S_LUT_ACCESS_DATA)
        table_write(m, reg->unit, value);
}

static uint32_t group_status(const struct naive_unit *unit, int group) {
    return !unit->armed[group] ? 0 : unit->consumer == group ? 1 : 2;
}

uint32_t naive_read(struct naive *m, uint32_t address) {
    const struct nvdla_register *reg = nvdla_register_at(m->config, address);
    if (!reg)
        return 0;
    const struct naive_unit *unit = &m->units[reg->unit];
    const uint32_t offset = address & 0xfff;
    if (is_enable(reg))
        return unit->armed[producer(unit)];
    if (reg->grouped)
        return unit->words[producer(unit)][offset / 4];
    if (strcmp(reg->name, "S_STATUS") == 0)
        return group_status(unit, 0) | group_status(unit, 1) << 16;
    if (strcmp(reg->name, "S_POINTER") == 0)
        return (uint32_t)producer(unit) | (uint32_t)unit->consumer << 16;
    if (reg->unit == NVDLA_CDMA && offset == CDMA_S_CBUF_FLUSH_STATUS)
        return 1;
    if (reg->unit == NVDLA_GLB && offset == GLB_S_INTR_STATUS)
        return m->interrupts;
    if (reg->unit == NVDLA_BDMA && offset == BDMA_STATUS) {
        const struct naive_bdma *bdma = &m->bdma;
        const bool busy = bdma->launched[0] || bdma->launched[1] || bdma->queued;
        const int used = bdma->queued > 0 ? bdma->queued - 1 : 0;
        return (uint32_t)(NAIVE_BDMA_QUEUE - used) | (busy ? 0 : 1u << 8) | (uint32_t)bdma->launched[0] << 9 |
               (uint32_t)bdma->launched[1] << 10;
    }
    if (has_tables(m, reg->unit) && offset == SDP_S_LUT_ACCESS_DATA)
        return table_read(m, reg->unit);
    if (reg->unit == NVDLA_CDP && offset == CDP_S_LUT_ACCESS_CFG)
        return (unit->words[0][offset / 4] & ~CDP_S_LUT_ACCESS_CFG__LUT_ADDR_MASK) | m->cdp_tables.pointer;
    return unit->words[0][offset / 4];
}

/* ---- layers ---------------------------------------------------------------------------------- */

static bool armed(const struct naive *m, enum nvdla_unit unit) {
    return m->units[unit].armed[m->units[unit].consumer];
}

/* The unit's layer is over; bit: first interrupt bit of the unit, -1 none. */
static void finish(struct naive *m, enum nvdla_unit unit, int bit) {
    struct naive_unit *state = &m->units[unit];
    if (bit >= 0)
        m->interrupts |= 1u << (bit + state->consumer);
    state->armed[state->consumer] = false;
    state->consumer ^= 1;
    state->layers++;
}

enum {
    BIT_SDP = 0,
    BIT_CDP = 2,
    BIT_PDP = 4,
    BIT_BDMA = 6,
    BIT_RUBIK = 8,
    BIT_CDMA_DAT = 16,
    BIT_CDMA_WT = 18,
    BIT_CACC = 20
};

static bool step_bdma(struct naive *m) {
    struct naive_bdma *bdma = &m->bdma;
    if (!bdma->launched[0] && !bdma->launched[1])
        return false;
    const int group = bdma->launched[0] && bdma->launched[1] ? bdma->first : bdma->launched[1];
    if (!naive_bdma_copy(m, group))
        return false;
    bdma->launched[group] = false;
    bdma->first = !group;
    m->units[NVDLA_BDMA].layers++;
    m->interrupts |= 1u << (BIT_BDMA + group);
    return true;
}

/* CDMA starts a layer with changed banks only together with CSC (chapter 30 section 3). */
static bool step_cdma(struct naive *m) {
    if (!armed(m, NVDLA_CDMA))
        return false;
    const uint32_t banks = naive_register(m, NVDLA_CDMA, CDMA_D_BANK);
    if (!m->cbuf.cdma_ran || banks != m->cbuf.cdma_banks) {
        if (!armed(m, NVDLA_CSC) || m->units[NVDLA_CSC].layers != m->units[NVDLA_CDMA].layers)
            return false;
        if (NAIVE_FIELD(m, CSC, D_BANK, DATA_BANK) != NAIVE_FIELD(m, CDMA, D_BANK, DATA_BANK) ||
            NAIVE_FIELD(m, CSC, D_BANK, WEIGHT_BANK) != NAIVE_FIELD(m, CDMA, D_BANK, WEIGHT_BANK))
            return naive_unsupported(m, "CDMA and CSC have different banks");
    }
    if (!naive_cdma(m))
        return false;
    m->interrupts |= 1u << (BIT_CDMA_DAT + m->units[NVDLA_CDMA].consumer);
    finish(m, NVDLA_CDMA, BIT_CDMA_WT);
    return true;
}

static void finish_sdp_rdma(struct naive *m) {
    naive_set_register(m, NVDLA_SDP_RDMA, SDP_RDMA_D_STATUS_NAN_INPUT_NUM, m->counters.sdp_nan_input);
    naive_set_register(m, NVDLA_SDP_RDMA, SDP_RDMA_D_STATUS_INF_INPUT_NUM, m->counters.sdp_inf_input);
    finish(m, NVDLA_SDP_RDMA, -1);
}

/* SDP_RDMA armed with nothing to do is done at once (chapter 50 section 11). */
static bool step_idle_rdma(struct naive *m) {
    const bool idle = armed(m, NVDLA_SDP_RDMA) && NAIVE_FIELD(m, SDP_RDMA, D_FEATURE_MODE_CFG, FLYING_MODE) &&
                      NAIVE_FIELD(m, SDP_RDMA, D_BRDMA_CFG, BRDMA_DISABLE) &&
                      NAIVE_FIELD(m, SDP_RDMA, D_NRDMA_CFG, NRDMA_DISABLE) &&
                      (!m->config->sdp_ew_throughput || NAIVE_FIELD(m, SDP_RDMA, D_ERDMA_CFG, ERDMA_DISABLE));
    if (idle)
        finish_sdp_rdma(m);
    return idle;
}

/* SDP with what is before (the convolution) and behind it (PDP). */
static bool step_sdp(struct naive *m) {
    if (!armed(m, NVDLA_SDP))
        return false;
    const bool flying = NAIVE_FIELD(m, SDP, D_FEATURE_MODE_CFG, FLYING_MODE);
    const bool to_pdp = NAIVE_FIELD(m, SDP, D_FEATURE_MODE_CFG, OUTPUT_DST);
    const bool rdma = naive_sdp_needs_rdma(m);
    if (rdma && !armed(m, NVDLA_SDP_RDMA))
        return false;
    if (to_pdp && (!armed(m, NVDLA_PDP) || NAIVE_FIELD(m, PDP, D_OPERATION_MODE_CFG, FLYING_MODE)))
        return false;
    if (flying && (!armed(m, NVDLA_CSC) || !armed(m, NVDLA_CMAC_A) || !armed(m, NVDLA_CMAC_B) ||
                   !armed(m, NVDLA_CACC) || m->units[NVDLA_CDMA].layers <= m->units[NVDLA_CSC].layers))
        return false;
    struct naive_stream results = {0}, pooled = {0};
    bool done = true, ready = true;
    if (flying)
        done = naive_conv(m, &results, &ready);
    if (done)
        done = naive_sdp(m, flying ? &results : NULL, to_pdp ? &pooled : NULL);
    if (done && to_pdp)
        done = naive_pdp(m, &pooled);
    free(results.values);
    free(pooled.values);
    if (!done)
        return false;
    if (flying) {
        finish(m, NVDLA_CSC, -1);
        finish(m, NVDLA_CMAC_A, -1);
        finish(m, NVDLA_CMAC_B, -1);
        finish(m, NVDLA_CACC, BIT_CACC);
    }
    if (rdma)
        finish_sdp_rdma(m);
    finish(m, NVDLA_SDP, BIT_SDP);
    if (to_pdp)
        finish(m, NVDLA_PDP, BIT_PDP);
    return true;
}

static bool step_pdp(struct naive *m) {
    if (!armed(m, NVDLA_PDP) || !armed(m, NVDLA_PDP_RDMA) || !NAIVE_FIELD(m, PDP, D_OPERATION_MODE_CFG, FLYING_MODE) ||
        !naive_pdp(m, NULL))
        return false;
    finish(m, NVDLA_PDP_RDMA, -1);
    finish(m, NVDLA_PDP, BIT_PDP);
    return true;
}

static bool step_cdp(struct naive *m) {
    if (!armed(m, NVDLA_CDP) || !armed(m, NVDLA_CDP_RDMA) || !naive_cdp(m))
        return false;
    finish(m, NVDLA_CDP_RDMA, -1);
    finish(m, NVDLA_CDP, BIT_CDP);
    return true;
}

static bool step_rubik(struct naive *m) {
    if (!armed(m, NVDLA_RBK) || !naive_rubik(m))
        return false;
    finish(m, NVDLA_RBK, BIT_RUBIK);
    return true;
}

bool naive_step(struct naive *m) {
    static bool (*const steps[])(struct naive *) = {step_bdma,      step_rubik, step_cdp, step_pdp,
                                                    step_idle_rdma, step_sdp,   step_cdma};
    for (size_t i = 0; !m->failed && i < sizeof steps / sizeof steps[0]; i++)
        if (steps[i](m))
            return true;
    return false;
}

enum nvdla_unit naive_stuck(const struct naive *m) {
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (m->units[unit].armed[0] || m->units[unit].armed[1])
            return (enum nvdla_unit)unit;
    return NVDLA_UNIT_COUNT;
}
