/* The device of the reference model: register decode, GLB, and the scheduling of armed layers.
 *
 * A layer runs in one piece inside advance() once every unit that takes part is armed with the group its CONSUMER
 * points at, the registers of the units fit together and every memory port that it needs answers. What the hardware
 * would wait for in vain simply never becomes ready: its units stay RUNNING and the device is idle.
 */
#include "model/model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "model/bdma.h"
#include "model/cacc.h"
#include "model/cbuf.h"
#include "model/cdma.h"
#include "model/cdp.h"
#include "model/checker.h"
#include "model/csc_run.h"
#include "model/dma.h"
#include "model/pdp.h"
#include "model/pool.h"
#include "model/register_group.h"
#include "model/rubik.h"
#include "model/sdp.h"
#include "nvdla_offsets.h"

static const struct model_limits own_limits = {
    .atoms = UINT64_C(1) << 24, .products = UINT64_C(1) << 37, .elements = UINT64_C(1) << 26};

/* AXI IDs of chapter 70 section 3. */
enum axi_id {
    AXI_BDMA = 0,
    AXI_SDP = 1,
    AXI_PDP = 2,
    AXI_CDP = 3,
    AXI_RUBIK = 4,
    AXI_SDP_B = 5,
    AXI_SDP_N = 6,
    AXI_SDP_E = 7,
    AXI_CDMA_DAT = 8,
    AXI_CDMA_WT = 9
};

/* Bits of GLB.S_INTR_STATUS; group 1 is the bit above. */
enum interrupt_bit {
    INTERRUPT_SDP = 0,
    INTERRUPT_CDP = 2,
    INTERRUPT_PDP = 4,
    INTERRUPT_BDMA = 6,
    INTERRUPT_RUBIK = 8,
    INTERRUPT_CDMA_DAT = 16,
    INTERRUPT_CDMA_WT = 18,
    INTERRUPT_CACC = 20
};

struct model {
    struct device dev;                             /* first member: the device is the model */
    struct register_group units[NVDLA_UNIT_COUNT]; /* those with a bit in dev.units */
    uint32_t interrupt_bits;                       /* bits of S_INTR_STATUS that exist */
    uint32_t interrupt_status;
    struct lut_entries lut; /* of CDP */
    struct sdp_table sdp_table;
    struct cdp_idle_units cdp_idle;
    struct histogram_set *histograms; /* see model_options */
    struct cbuf cbuf;
    struct cdma cdma;
    struct csc csc;
    struct csc_run *core;
    struct pool *pool; /* of threads for convolutions */
    struct bdma bdma;
    uint64_t cacc_saturation;      /* count of the last layer */
    struct sdp_result sdp_counted; /* each count is that of the last layer that counted it */
    bool rdma_stuck;               /* SDP_RDMA waits for ever with operands that nobody takes */
    struct checker checker;
    struct model_limits limits;
    bool reported[NVDLA_UNIT_COUNT]; /* the unit's running layer has been reported as too large */
    uint64_t steps;                  /* accesses and layers since reset */
    uint64_t read_beats[AXI_IDS], write_beats[AXI_IDS];
    clock_t busy; /* CPU time spent on layers */
};

static struct model *model_of(struct device *dev) {
    return (struct model *)dev;
}

static bool implements(const struct model *model, enum nvdla_unit unit) {
    return unit < NVDLA_UNIT_COUNT && (model->dev.units >> unit & 1);
}

static bool interrupt_line(const struct model *model) {
    return (model->interrupt_status & ~register_group_value(&model->units[NVDLA_GLB], GLB_S_INTR_MASK)) != 0;
}

/* ---- registers ---- */

static bool model_reset(struct device *dev, struct error *err) {
    (void)err;
    struct model *model = model_of(dev);
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        if (implements(model, unit)) {
            register_group_reset(&model->units[unit]);
        }
        model->reported[unit] = false;
    }
    checker_reset(&model->checker);
    model->interrupt_status = 0;
    model->lut = (struct lut_entries){0};
    cdp_idle_units_reset(&model->cdp_idle);
    cbuf_reset(&model->cbuf);
    cdma_reset(&model->cdma);
    csc_reset(&model->csc);
    bdma_reset(&model->bdma);
    register_group_load(&model->units[NVDLA_CDMA], CDMA_S_CBUF_FLUSH_STATUS, 1);
    model->cacc_saturation = 0;
    model->sdp_counted = (struct sdp_result){.saturated = 0};
    model->sdp_table = (struct sdp_table){.address = 0};
    model->rdma_stuck = false;
    if (model->histograms) {
        histogram_set_free(model->histograms);
    }
    model->steps = 0;
    dev->outside = 0;
    dev->refused = false;
    return true;
}

/* ---- accesses ---- */

enum { SPACE_MASK = 0x3fffc, WINDOW_MASK = 0xffc };

/* A write to a register that does nothing but store, or arm a group. */
static bool write_plain(struct model *model, enum nvdla_unit unit, uint32_t offset, uint32_t value, struct error *err) {
    switch (register_group_write(&model->units[unit], offset, value)) {
    case REGISTER_STORED:
        return true;
    case REGISTER_ARMED:
        return checker_launched(&model->checker, unit, err) && checker_started(&model->checker, err);
    case REGISTER_DROPPED:
        checker_dropped(&model->checker, unit, offset, value);
        return true;
    }
    return true;
}

/* True for the registers of a look-up table that there is. */
static bool table_register(const struct model *model, enum nvdla_unit unit, uint32_t offset) {
    return (unit == NVDLA_CDP && offset >= CDP_S_LUT_ACCESS_CFG && offset < CDP_D_OP_ENABLE) ||
           (unit == NVDLA_SDP && offset >= SDP_S_LUT_ACCESS_CFG && offset < SDP_D_OP_ENABLE &&
            sdp_has_ew(model->dev.config));
}

/* Entry that S_LUT_ACCESS_DATA is about to access. */
static unsigned table_address(const struct model *model, enum nvdla_unit unit) {
    return unit == NVDLA_SDP ? model->sdp_table.address
                             : REGISTER_FIELD(register_group_value(&model->units[unit], CDP_S_LUT_ACCESS_CFG),
                                              CDP_S_LUT_ACCESS_CFG__LUT_ADDR);
}

static bool write_table(struct model *model, enum nvdla_unit unit, uint32_t offset, uint32_t value, struct error *err) {
    struct register_group *regs = &model->units[unit];
    if (!checker_table_write(&model->checker, unit, offset, value, table_address(model, unit), err)) {
        return false;
    }
    if (unit == NVDLA_CDP && offset == CDP_S_LUT_ACCESS_DATA) {
        cdp_lut_write(regs, &model->lut, value);
    } else if (unit == NVDLA_SDP && offset == SDP_S_LUT_ACCESS_DATA) {
        sdp_table_write(&model->sdp_table, register_group_value(regs, SDP_S_LUT_ACCESS_CFG), value);
    } else {
        register_group_write(regs, offset, value);
        if (unit == NVDLA_SDP && offset == SDP_S_LUT_ACCESS_CFG) {
            sdp_table_select(&model->sdp_table, value);
        }
    }
    return true;
}

static bool model_write(struct device *dev, uint32_t address, uint32_t value, bool nposted, struct error *err) {
    (void)nposted;
    struct model *model = model_of(dev);
    enum nvdla_unit unit = nvdla_unit_at(dev->config, address & SPACE_MASK);
    uint32_t offset = address & WINDOW_MASK;
    model->steps++;
    if (!implements(model, unit)) {
        return true;
    }
    if (unit == NVDLA_GLB && offset == GLB_S_INTR_SET) {
        model->interrupt_status |= value & model->interrupt_bits;
        return true;
    }
    if (unit == NVDLA_GLB && offset == GLB_S_INTR_STATUS) {
        model->interrupt_status &= ~value;
        return true;
    }
    if (table_register(model, unit, offset)) {
        return write_table(model, unit, offset, value, err);
    }
    if (unit == NVDLA_BDMA) {
        register_group_write(&model->units[unit], offset, value);
        if (!checker_bdma_write(&model->checker, &model->bdma, offset, value, err)) {
            return false;
        }
        bdma_write(&model->bdma, dev->config, &model->units[unit], offset, value);
        return true;
    }
    return write_plain(model, unit, offset, value, err);
}

static bool model_read(struct device *dev, uint32_t address, uint32_t *value, struct error *err) {
    (void)err;
    struct model *model = model_of(dev);
    enum nvdla_unit unit = nvdla_unit_at(dev->config, address & SPACE_MASK);
    uint32_t offset = address & WINDOW_MASK;
    model->steps++;
    if (!implements(model, unit)) {
        *value = 0;
    } else if (unit == NVDLA_GLB && offset == GLB_S_INTR_STATUS) {
        *value = model->interrupt_status;
    } else if (unit == NVDLA_CDP && offset == CDP_S_LUT_ACCESS_DATA) {
        *value = cdp_lut_read(&model->units[unit], &model->lut);
    } else if (unit == NVDLA_SDP && offset == SDP_S_LUT_ACCESS_DATA && table_register(model, unit, offset)) {
        *value = sdp_table_read(&model->sdp_table, register_group_value(&model->units[unit], SDP_S_LUT_ACCESS_CFG));
    } else if (unit == NVDLA_BDMA && offset == BDMA_STATUS) {
        *value = bdma_status(&model->bdma);
    } else {
        *value = register_group_read(&model->units[unit], offset);
    }
    return true;
}

/* ---- memory ports ---- */

/* The arbiter weight of a client: MCIF and CVIF have the same layout. */
struct client {
    int axi_id;
    uint32_t weight; /* register offset */
    unsigned lsb;
};

static const struct client bdma_read = {AXI_BDMA, MCIF_CFG_RD_WEIGHT_0, MCIF_CFG_RD_WEIGHT_0__RD_WEIGHT_BDMA_LSB};
static const struct client sdp_read = {AXI_SDP, MCIF_CFG_RD_WEIGHT_0, MCIF_CFG_RD_WEIGHT_0__RD_WEIGHT_SDP_LSB};
static const struct client pdp_read = {AXI_PDP, MCIF_CFG_RD_WEIGHT_0, MCIF_CFG_RD_WEIGHT_0__RD_WEIGHT_PDP_LSB};
static const struct client cdp_read = {AXI_CDP, MCIF_CFG_RD_WEIGHT_0, MCIF_CFG_RD_WEIGHT_0__RD_WEIGHT_CDP_LSB};
static const struct client rubik_read = {AXI_RUBIK, MCIF_CFG_RD_WEIGHT_2, MCIF_CFG_RD_WEIGHT_2__RD_WEIGHT_RBK_LSB};
static const struct client operand_read[SDP_STAGES] = {
    {AXI_SDP_B, MCIF_CFG_RD_WEIGHT_1, MCIF_CFG_RD_WEIGHT_1__RD_WEIGHT_SDP_B_LSB},
    {AXI_SDP_N, MCIF_CFG_RD_WEIGHT_1, MCIF_CFG_RD_WEIGHT_1__RD_WEIGHT_SDP_N_LSB},
    {AXI_SDP_E, MCIF_CFG_RD_WEIGHT_1, MCIF_CFG_RD_WEIGHT_1__RD_WEIGHT_SDP_E_LSB},
};
static const struct client data_read = {AXI_CDMA_DAT, MCIF_CFG_RD_WEIGHT_1,
                                        MCIF_CFG_RD_WEIGHT_1__RD_WEIGHT_CDMA_DAT_LSB};
static const struct client weight_read = {AXI_CDMA_WT, MCIF_CFG_RD_WEIGHT_2,
                                          MCIF_CFG_RD_WEIGHT_2__RD_WEIGHT_CDMA_WT_LSB};
static const struct client bdma_store = {AXI_BDMA, MCIF_CFG_WR_WEIGHT_0, MCIF_CFG_WR_WEIGHT_0__WR_WEIGHT_BDMA_LSB};
static const struct client sdp_write = {AXI_SDP, MCIF_CFG_WR_WEIGHT_0, MCIF_CFG_WR_WEIGHT_0__WR_WEIGHT_SDP_LSB};
static const struct client pdp_write = {AXI_PDP, MCIF_CFG_WR_WEIGHT_0, MCIF_CFG_WR_WEIGHT_0__WR_WEIGHT_PDP_LSB};
static const struct client cdp_write = {AXI_CDP, MCIF_CFG_WR_WEIGHT_0, MCIF_CFG_WR_WEIGHT_0__WR_WEIGHT_CDP_LSB};
static const struct client rubik_write = {AXI_RUBIK, MCIF_CFG_WR_WEIGHT_1, MCIF_CFG_WR_WEIGHT_1__WR_WEIGHT_RBK_LSB};

/* The register of a port that keeps the client from being answered; its weight and the limit of data beats in flight
 * have different offsets. Chapter 70 sections 3.1 and 3.3. */
enum { NOT_BLOCKED = -1 };

static int blocked_by(const struct model *model, const struct client *client, bool primary) {
    const struct register_group *port = &model->units[primary ? NVDLA_MCIF : NVDLA_CVIF];
    const struct nvdla_config *config = model->dev.config;
    uint32_t limits = register_group_value(port, MCIF_CFG_OUTSTANDING_CNT);
    uint32_t limit = client->weight >= MCIF_CFG_WR_WEIGHT_0
                         ? REGISTER_FIELD(limits, MCIF_CFG_OUTSTANDING_CNT__WR_OS_CNT)
                         : REGISTER_FIELD(limits, MCIF_CFG_OUTSTANDING_CNT__RD_OS_CNT);
    if ((register_group_value(port, client->weight) >> client->lsb & 0xff) == 0) {
        return (int)client->weight;
    }
    /* Layers whose bursts are all short would get through; they are not told apart. */
    int burst = primary ? config->dbb_burst_beats : config->cvsram_burst_beats;
    return (int)limit + 1 < burst ? (int)MCIF_CFG_OUTSTANDING_CNT : NOT_BLOCKED;
}

/* True if requests of the client are answered: the port exists and lets them out. Chapter 70 section 7. */
static bool served(const struct model *model, const struct client *client, bool primary) {
    return model->dev.memory[primary ? SPACE_PRIMARY : SPACE_SECONDARY] &&
           blocked_by(model, client, primary) == NOT_BLOCKED;
}

/* Launch that the unit is working on. BDMA has no groups of registers. */
static int ordinal_of(const struct model *model, enum nvdla_unit unit) {
    return unit == NVDLA_BDMA ? model->bdma.ordinal : register_group_ordinal(&model->units[unit]);
}

static void open_read(struct model *model, struct dma *dma, const struct client *client, bool primary,
                      enum nvdla_unit unit) {
    dma_init(dma, &model->dev, primary, unit, client->axi_id, ordinal_of(model, unit),
             &model->read_beats[client->axi_id]);
}

static void open_write(struct model *model, struct dma *dma, const struct client *client, bool primary,
                       enum nvdla_unit unit) {
    dma_init(dma, &model->dev, primary, unit, client->axi_id, ordinal_of(model, unit),
             &model->write_beats[client->axi_id]);
}

/* ---- scheduling ---- */

enum action {
    ACTION_NONE,
    ACTION_CDMA,
    ACTION_CSC_START,
    ACTION_SDP_RDMA_EMPTY,
    ACTION_SDP,
    ACTION_SDP_PDP,
    ACTION_PDP,
    ACTION_CDP,
    ACTION_BDMA,
    ACTION_RUBIK
};

/* What can run next, with the layers that it consists of. */
struct work {
    const struct model_limits *limits;
    enum action action;
    struct sdp_layer sdp;
    struct pdp_layer pdp;
    struct cdp_layer cdp;
    struct rubik_layer rubik;
    enum nvdla_unit too_large; /* unit whose layer is ready but too large; NVDLA_UNIT_COUNT: none */
    uint64_t size, most;       /* of that layer, and the limit */
    const char *measure;       /* what they count */
};

static bool pdp_destination_ready(const struct model *model, const struct pdp_layer *layer) {
    return layer->valid && served(model, &pdp_write, layer->destination_primary);
}

/* Takes a layer that is ready, unless it is too large. */
static bool take(struct work *work, enum action action, enum nvdla_unit unit, uint64_t atoms) {
    if (atoms > work->limits->atoms) {
        work->too_large = unit;
        work->size = atoms;
        work->most = work->limits->atoms;
        work->measure = "atoms";
        return false;
    }
    work->action = action;
    return true;
}

/* Which clients of CDMA are answered, in the layer of group CONSUMER. */
static struct cdma_served cdma_served(const struct model *model) {
    struct cdma_layer layer;
    cdma_layer_decode(&layer, model->dev.config, &model->units[NVDLA_CDMA]);
    return (struct cdma_served){.data = served(model, &data_read, layer.data_primary),
                                .weights = served(model, &weight_read, layer.weight_primary)};
}

static bool find_cdma(const struct model *model, struct work *work) {
    const struct register_group *cdma = &model->units[NVDLA_CDMA];
    if (!cdma_can_step(&model->cdma, &model->cbuf, cdma, cdma_served(model))) {
        return false;
    }
    struct cdma_layer layer;
    cdma_layer_decode(&layer, model->dev.config, cdma);
    return take(work, ACTION_CDMA, NVDLA_CDMA, cdma_layer_atoms(&layer));
}

static bool find_csc(const struct model *model, struct work *work) {
    if (!csc_can_start(&model->csc, &model->cdma, &model->units[NVDLA_CSC])) {
        return false;
    }
    work->action = ACTION_CSC_START;
    return true;
}

/* The weight engine of CDMA has more to fetch for the layers that are armed, and is answered. */
static bool weights_come(const struct model *model) {
    return model->cdma.weights.phase == CDMA_BUSY && cdma_served(model).weights;
}

/* A convolution that is ready but for its size is not carried out if it has more than `most` of something. */
static bool small_enough(struct work *work, uint64_t size, uint64_t most, const char *measure) {
    if (size > most) {
        work->too_large = NVDLA_CSC;
        work->size = size;
        work->most = most;
        work->measure = measure;
    }
    return size <= most;
}

/* True if CMAC_A, CMAC_B and CACC are set to the mode and precision of the layer; else nothing is defined
 * (40-convolution-core section 12). Configurations with one mode and precision ignore these fields. */
static bool core_agrees(const struct model *model) {
    static const struct {
        enum nvdla_unit unit;
        uint32_t misc;
    } units[] = {{NVDLA_CMAC_A, CMAC_A_D_MISC_CFG}, {NVDLA_CMAC_B, CMAC_B_D_MISC_CFG}, {NVDLA_CACC, CACC_D_MISC_CFG}};
    const struct csc_layer *layer = &model->csc.layer;
    const struct nvdla_config *config = model->dev.config;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        uint32_t misc = register_group_value(&model->units[units[i].unit], units[i].misc);
        bool winograd = REGISTER_FIELD(misc, CACC_D_MISC_CFG__CONV_MODE);
        if ((config->winograd && winograd != (layer->mode == CSC_WINOGRAD)) ||
            (nvdla_has_16_bits(config) &&
             REGISTER_FIELD(misc, CACC_D_MISC_CFG__PROC_PRECISION) != (uint32_t)layer->precision)) {
            return false;
        }
    }
    return true;
}

/* True if SDP takes what the convolution core delivers. A kernel group is a surface of SDP; lines need not be the same
 * unless the order of delivery depends on them. */
static bool same_results(const struct csc_layer *layer, const struct sdp_layer *sdp) {
    bool by_lines = sdp->batches > 1 || sdp->winograd;
    return layer->precision == sdp->proc && layer->batches == (size_t)sdp->batches &&
           (layer->mode == CSC_WINOGRAD) == sdp->winograd &&
           layer->positions == (size_t)sdp->width * (size_t)sdp->height &&
           csc_layer_groups(layer) == (size_t)sdp->surfaces && !(by_lines && layer->out_width != (size_t)sdp->width);
}

/* True if the convolution core delivers what the SDP layer takes. */
static bool convolution_ready(const struct model *model, const struct sdp_layer *sdp, struct work *work) {
    const struct csc_layer *layer = &model->csc.layer;
    if (!model->csc.started || !layer->valid || !register_group_running(&model->units[NVDLA_CMAC_A]) ||
        !register_group_running(&model->units[NVDLA_CMAC_B]) || !register_group_running(&model->units[NVDLA_CACC]) ||
        !core_agrees(model)) {
        return false;
    }
    if (!same_results(layer, sdp)) {
        return false;
    }
    return small_enough(work, csc_layer_work(layer), work->limits->products, "products") &&
           small_enough(work, csc_layer_stored(layer, model->dev.config, &model->cbuf), work->limits->elements,
                        "input elements") &&
           csc_can_run(&model->csc, &model->cdma, &model->cbuf, weights_come(model));
}

/* All that an SDP layer needs but the destination. */
static bool sdp_source_ready(const struct model *model, const struct sdp_layer *layer, struct work *work) {
    if (!layer->valid) {
        return false;
    }
    if (layer->uses_rdma) {
        if (model->rdma_stuck || !register_group_running(&model->units[NVDLA_SDP_RDMA])) {
            return false;
        }
        for (int i = 0; i < SDP_STAGES; i++) {
            const struct sdp_operands *operands = &layer->operands[i];
            if (operands->enabled && !served(model, &operand_read[i], operands->primary)) {
                return false;
            }
        }
    }
    return layer->flying ? convolution_ready(model, layer, work) : served(model, &sdp_read, layer->source_primary);
}

static bool find_sdp(const struct model *model, struct work *work) {
    const struct register_group *sdp = &model->units[NVDLA_SDP], *rdma = &model->units[NVDLA_SDP_RDMA];
    const struct register_group *pdp = &model->units[NVDLA_PDP], *pdp_rdma = &model->units[NVDLA_PDP_RDMA];
    if (!model->rdma_stuck && register_group_running(rdma) && !sdp_rdma_busy(model->dev.config, rdma)) {
        work->action = ACTION_SDP_RDMA_EMPTY;
        return true;
    }
    if (!register_group_running(sdp)) {
        return false;
    }
    struct sdp_layer *layer = &work->sdp;
    sdp_layer_decode(layer, model->dev.config, sdp, rdma);
    if (!sdp_source_ready(model, layer, work)) {
        return false;
    }
    if (!layer->to_pdp) {
        bool ready = layer->compare || served(model, &sdp_write, layer->destination_primary);
        return ready && take(work, ACTION_SDP, NVDLA_SDP, sdp_layer_atoms(layer));
    }
    if (!register_group_running(pdp)) {
        return false;
    }
    pdp_layer_decode(&work->pdp, model->dev.config, pdp, pdp_rdma);
    bool same_cube = layer->width == work->pdp.width && layer->height == work->pdp.height &&
                     layer->surfaces == work->pdp.surfaces && layer->out == work->pdp.kernel.precision;
    return !work->pdp.from_memory && same_cube && pdp_destination_ready(model, &work->pdp) &&
           take(work, ACTION_SDP_PDP, NVDLA_SDP, sdp_layer_atoms(layer) + pdp_layer_atoms(&work->pdp));
}

static bool find_pdp(const struct model *model, struct work *work) {
    const struct register_group *pdp = &model->units[NVDLA_PDP], *rdma = &model->units[NVDLA_PDP_RDMA];
    if (!register_group_running(pdp) || !register_group_running(rdma)) {
        return false;
    }
    struct pdp_layer *layer = &work->pdp;
    pdp_layer_decode(layer, model->dev.config, pdp, rdma);
    return layer->from_memory && pdp_destination_ready(model, layer) &&
           served(model, &pdp_read, layer->source_primary) && take(work, ACTION_PDP, NVDLA_PDP, pdp_layer_atoms(layer));
}

static bool find_cdp(const struct model *model, struct work *work) {
    const struct register_group *cdp = &model->units[NVDLA_CDP], *rdma = &model->units[NVDLA_CDP_RDMA];
    if (!register_group_running(cdp) || !register_group_running(rdma)) {
        return false;
    }
    struct cdp_layer *layer = &work->cdp;
    cdp_layer_decode(layer, model->dev.config, cdp, rdma);
    return layer->valid && served(model, &cdp_read, layer->source_primary) &&
           served(model, &cdp_write, layer->destination_primary) &&
           take(work, ACTION_CDP, NVDLA_CDP, cdp_layer_atoms(layer));
}

/* Which clients of BDMA are answered, by port. */
static struct bdma_served bdma_served(const struct model *model) {
    struct bdma_served answered;
    for (int primary = 0; primary < 2; primary++) {
        answered.read[primary] = served(model, &bdma_read, primary);
        answered.write[primary] = served(model, &bdma_store, primary);
    }
    return answered;
}

static bool find_bdma(const struct model *model, struct work *work) {
    if (!implements(model, NVDLA_BDMA)) {
        return false;
    }
    struct bdma_served answered = bdma_served(model);
    return bdma_can_run(&model->bdma, &answered) && take(work, ACTION_BDMA, NVDLA_BDMA, bdma_atoms(&model->bdma));
}

static bool find_rubik(const struct model *model, struct work *work) {
    const struct register_group *rubik = &model->units[NVDLA_RBK];
    if (!register_group_running(rubik)) {
        return false;
    }
    struct rubik_layer *layer = &work->rubik;
    rubik_layer_decode(layer, model->dev.config, rubik);
    return layer->valid && served(model, &rubik_read, layer->source_primary) &&
           served(model, &rubik_write, layer->destination_primary) &&
           take(work, ACTION_RUBIK, NVDLA_RBK, rubik_layer_atoms(layer));
}

static void find_work(const struct model *model, struct work *work) {
    work->limits = &model->limits;
    work->action = ACTION_NONE;
    work->too_large = NVDLA_UNIT_COUNT;
    if (!find_cdma(model, work) && !find_csc(model, work) && !find_sdp(model, work) && !find_pdp(model, work) &&
        !find_cdp(model, work) && !find_bdma(model, work)) {
        find_rubik(model, work);
    }
}

static void raise_interrupt(struct model *model, enum interrupt_bit bit, unsigned group) {
    model->interrupt_status |= UINT32_C(1) << ((unsigned)bit + group);
}

/* The layer of a unit is done. Returns the group that is released. */
static unsigned end_layer(struct model *model, enum nvdla_unit unit) {
    int ordinal = register_group_ordinal(&model->units[unit]);
    unsigned group = register_group_done(&model->units[unit]);
    histogram_set_done(model->histograms, unit, ordinal, group);
    return group;
}

/* The histogram of a stream of the unit's layer, NULL if none are collected. */
static struct histogram *tap_of(struct model *model, enum nvdla_unit unit, enum tap tap, int width) {
    return model->histograms ? histogram_of(model->histograms, unit, ordinal_of(model, unit), tap, width) : NULL;
}

/* Bits of an integer element; 0: floating point. */
static int element_bits(enum nvdla_precision precision) {
    return precision == NVDLA_INT8 ? 8 : precision == NVDLA_INT16 ? 16 : 0;
}

/* Raises the interrupts of engines that were not done before, and ends the layer when both are. */
static void finish_cdma(struct model *model, enum cdma_phase data, enum cdma_phase weights) {
    struct register_group *group = &model->units[NVDLA_CDMA];
    if (data != CDMA_DONE && model->cdma.data == CDMA_DONE) {
        raise_interrupt(model, INTERRUPT_CDMA_DAT, group->consumer);
    }
    if (weights != CDMA_DONE && model->cdma.weights.phase == CDMA_DONE) {
        raise_interrupt(model, INTERRUPT_CDMA_WT, group->consumer);
    }
    if (cdma_layer_done(&model->cdma)) {
        register_group_load(group, CDMA_D_NAN_INPUT_DATA_NUM, model->cdma.data_specials.seen.nan);
        register_group_load(group, CDMA_D_NAN_INPUT_WEIGHT_NUM, model->cdma.weight_specials.seen.nan);
        register_group_load(group, CDMA_D_INF_INPUT_DATA_NUM, model->cdma.data_specials.seen.infinity);
        register_group_load(group, CDMA_D_INF_INPUT_WEIGHT_NUM, model->cdma.weight_specials.seen.infinity);
        cdma_end(&model->cdma);
        end_layer(model, NVDLA_CDMA);
    }
}

static bool run_cdma(struct model *model) {
    struct register_group *group = &model->units[NVDLA_CDMA];
    struct cdma_layer layer;
    cdma_layer_decode(&layer, model->dev.config, group);
    struct cdma_served answered = cdma_served(model);
    struct cdma_clients clients;
    if (answered.data) {
        open_read(model, &clients.data, &data_read, layer.data_primary, NVDLA_CDMA);
    }
    if (answered.weights) {
        open_read(model, &clients.weights, &weight_read, layer.weight_primary, NVDLA_CDMA);
    }
    model->cdma.tap = tap_of(model, NVDLA_CDMA, TAP_CDMA_CVT, layer.in == NVDLA_FP16 ? 0 : CDMA_CONVERTOR_BITS);
    enum cdma_phase data = model->cdma.data, weights = model->cdma.weights.phase;
    if (!cdma_step(&model->cdma, &model->cbuf, model->dev.config, group, answered, &clients)) {
        return false;
    }
    finish_cdma(model, data, weights);
    return true;
}

/* Ends the layer of the convolution core: status register, groups, interrupt. */
static void finish_convolution(struct model *model, struct csc_run *run) {
    struct register_group *cacc = &model->units[NVDLA_CACC];
    const struct csc_layer *layer = &model->csc.layer;
    /* A layer of one delivery does not restart the counter: 40-convolution-core section 9.7. */
    size_t windows = layer->positions * layer->batches / (layer->mode == CSC_WINOGRAD ? 4 : 1);
    bool single = windows * csc_layer_groups(layer) == 1;
    model->cacc_saturation = csc_run_saturated(run) + (single ? model->cacc_saturation : 0);
    csc_run_end(run);
    register_group_done(&model->units[NVDLA_CSC]);
    register_group_done(&model->units[NVDLA_CMAC_A]);
    register_group_done(&model->units[NVDLA_CMAC_B]);
    register_group_load(cacc, CACC_D_OUT_SATURATION, model->cacc_saturation);
    raise_interrupt(model, INTERRUPT_CACC, end_layer(model, NVDLA_CACC));
}

/* Releases the group of SDP_RDMA. */
static void finish_sdp_rdma(struct model *model) {
    struct register_group *rdma = &model->units[NVDLA_SDP_RDMA];
    register_group_load(rdma, SDP_RDMA_D_STATUS_NAN_INPUT_NUM, model->sdp_counted.input.nan);
    register_group_load(rdma, SDP_RDMA_D_STATUS_INF_INPUT_NUM, model->sdp_counted.input.infinity);
    register_group_done(rdma);
}

/* Loads the status registers of SDP and releases the groups of SDP and SDP_RDMA. What a layer does not count shows the
 * count of an earlier one: 50-sdp section 10. */
static void finish_sdp(struct model *model, const struct sdp_layer *layer, const struct sdp_result *result) {
    struct register_group *sdp = &model->units[NVDLA_SDP];
    struct sdp_result *counted = &model->sdp_counted;
    if (layer->count_saturation) {
        counted->saturated = result->saturated;
    }
    if (layer->count_table) {
        counted->table = result->table;
    }
    if (layer->count_specials) {
        counted->input = result->input;
    }
    register_group_load(sdp, SDP_D_STATUS, result->unequal && !layer->to_pdp);
    register_group_load(sdp, SDP_D_STATUS_NAN_OUTPUT_NUM, result->nan_outputs);
    register_group_load(sdp, SDP_D_PERF_OUT_SATURATION, counted->saturated);
    register_group_load(sdp, SDP_D_PERF_LUT_UFLOW, counted->table.underflow);
    register_group_load(sdp, SDP_D_PERF_LUT_OFLOW, counted->table.overflow);
    register_group_load(sdp, SDP_D_PERF_LUT_HYBRID, counted->table.hybrid);
    register_group_load(sdp, SDP_D_PERF_LUT_LE_HIT, counted->table.le_hit);
    register_group_load(sdp, SDP_D_PERF_LUT_LO_HIT, counted->table.lo_hit);
    raise_interrupt(model, INTERRUPT_SDP, end_layer(model, NVDLA_SDP));
    if (layer->leftover) {
        model->rdma_stuck = true;
    } else if (layer->uses_rdma) {
        finish_sdp_rdma(model);
    }
}

static void finish_pdp(struct model *model, bool from_memory) {
    raise_interrupt(model, INTERRUPT_PDP, end_layer(model, NVDLA_PDP));
    if (from_memory) {
        register_group_done(&model->units[NVDLA_PDP_RDMA]);
    }
}

/* A PDP layer whose output is counted. */
static struct pdp_layer with_tap(struct model *model, const struct pdp_layer *layer) {
    struct pdp_layer tapped = *layer;
    tapped.tap = tap_of(model, NVDLA_PDP, TAP_PDP_OUT, element_bits(layer->kernel.precision));
    return tapped;
}

static void next_line(void *context, uint8_t *bytes) {
    sdp_run_line(context, bytes);
}

/* The streams of an SDP layer to count. */
static struct sdp_taps sdp_taps(struct model *model, const struct sdp_layer *layer) {
    if (!model->histograms) {
        return (struct sdp_taps){.input = NULL};
    }
    bool integer = layer->proc != NVDLA_FP16;
    const struct sdp_stage *ew = &layer->stage[SDP_EW];
    int width = integer ? 32 : 0, operand = integer ? 16 : 0;
    struct sdp_taps taps = {
        .input = tap_of(model, NVDLA_SDP, TAP_SDP_IN, width),
        .ew_alu = ew->alu.from_memory ? tap_of(model, NVDLA_SDP, TAP_EW_ALU_CVT, operand) : NULL,
        .ew_mul = ew->mul.from_memory ? tap_of(model, NVDLA_SDP, TAP_EW_MUL_CVT, operand) : NULL,
        .convertor = tap_of(model, NVDLA_SDP, TAP_SDP_CVT_IN, width),
        .output = layer->compare ? NULL : tap_of(model, NVDLA_SDP, TAP_SDP_OUT, element_bits(layer->out)),
    };
    if (integer && !layer->compare && taps.convertor) {
        int bits = element_bits(layer->out);
        const struct convertor convertor = {.offset = layer->convertor.offset,
                                            .scale = layer->convertor.scale,
                                            .shift = layer->convertor.shift,
                                            .bits = bits ? bits : SDP_INTEGER_BITS};
        histogram_convertor(taps.convertor, &convertor, bits);
    }
    return taps;
}

/* Runs the SDP layer with its clients, into memory or through PDP. */
static bool run_sdp_from(struct model *model, const struct work *work, struct sdp_clients *clients,
                         struct sdp_result *result) {
    const struct sdp_layer *layer = &work->sdp;
    clients->taps = sdp_taps(model, layer);
    struct sdp_run *run = sdp_run_new(layer, clients);
    if (!run) {
        return false;
    }
    bool done = true;
    if (work->action == ACTION_SDP_PDP) {
        struct dma output;
        uint64_t nans;
        open_write(model, &output, &pdp_write, work->pdp.destination_primary, NVDLA_PDP);
        const struct pdp_layer pdp = with_tap(model, &work->pdp);
        done = pdp_run(&pdp, (struct pdp_source){next_line, run}, &output, &nans);
        register_group_load(&model->units[NVDLA_PDP], PDP_D_NAN_OUTPUT_NUM, nans);
    } else {
        if (!layer->compare) {
            open_write(model, &clients->output, &sdp_write, layer->destination_primary, NVDLA_SDP);
        }
        sdp_run_to_memory(run);
    }
    *result = sdp_run_result(run);
    sdp_run_free(run);
    return done;
}

static void next_results(void *context, int32_t *results, size_t atoms) {
    csc_run_next(context, results, atoms);
}

/* Counts the streams of CACC if histograms are collected. Returns false when memory is exhausted. */
static bool observe_convolution(struct model *model, struct csc_run *run) {
    if (!model->histograms) {
        return true;
    }
    enum nvdla_precision precision = model->csc.layer.precision;
    bool integer = precision != NVDLA_FP16;
    int width = cacc_width(model->dev.config, precision, 0);
    return csc_run_observe(run, integer ? tap_of(model, NVDLA_CACC, TAP_CACC_OUT, width) : NULL,
                           tap_of(model, NVDLA_CACC, TAP_CACC_SAT, integer ? 32 : 0));
}

/* Runs the convolution core and the SDP layer that takes its results. */
static bool run_flying(struct model *model, const struct work *work, struct sdp_clients *clients,
                       struct sdp_result *result) {
    struct dma weights;
    bool come = weights_come(model);
    if (come) {
        open_read(model, &weights, &weight_read, model->cdma.layer.weight_primary, NVDLA_CDMA);
    }
    uint32_t clip = register_group_value(&model->units[NVDLA_CACC], CACC_D_CLIP_CFG);
    struct csc_run *run = model->core;
    if (!csc_run_begin(run, &model->csc, &model->cdma, &model->cbuf, come ? &weights : NULL,
                       REGISTER_FIELD(clip, CACC_D_CLIP_CFG__CLIP_TRUNCATE)) ||
        !observe_convolution(model, run)) {
        return false;
    }
    enum cdma_phase data = model->cdma.data, phase = model->cdma.weights.phase;
    clients->results = next_results;
    clients->context = run;
    bool done = run_sdp_from(model, work, clients, result);
    if (done) {
        finish_cdma(model, data, phase);
        finish_convolution(model, run);
    }
    return done;
}

static bool run_sdp(struct model *model, const struct work *work) {
    const struct sdp_layer *layer = &work->sdp;
    model->checker.sdp.selected = false; /* the layer takes the clock from the table's port */
    struct sdp_clients clients = {.table = &model->sdp_table.entries};
    struct sdp_result result = {.saturated = 0};
    for (int i = 0; i < SDP_STAGES; i++) {
        if (layer->operands[i].enabled) {
            open_read(model, &clients.operands[i], &operand_read[i], layer->operands[i].primary, NVDLA_SDP_RDMA);
        }
    }
    bool done;
    if (layer->flying) {
        done = run_flying(model, work, &clients, &result);
    } else {
        open_read(model, &clients.main, &sdp_read, layer->source_primary, NVDLA_SDP_RDMA);
        done = run_sdp_from(model, work, &clients, &result);
    }
    if (!done) {
        return false;
    }
    finish_sdp(model, layer, &result);
    if (work->action == ACTION_SDP_PDP) {
        finish_pdp(model, false);
    }
    return true;
}

static bool run_pdp(struct model *model, const struct work *work) {
    struct dma input, output;
    open_read(model, &input, &pdp_read, work->pdp.source_primary, NVDLA_PDP_RDMA);
    open_write(model, &output, &pdp_write, work->pdp.destination_primary, NVDLA_PDP);
    const struct pdp_layer layer = with_tap(model, &work->pdp);
    uint64_t nans;
    if (!pdp_run_from_memory(&layer, &input, &output, &nans)) {
        return false;
    }
    register_group_load(&model->units[NVDLA_PDP], PDP_D_NAN_OUTPUT_NUM, nans);
    finish_pdp(model, true);
    return true;
}

/* Loads the counters of CDP and releases both groups. */
static void finish_cdp(struct model *model, const struct cdp_counts *counts) {
    struct register_group *cdp = &model->units[NVDLA_CDP];
    cdp_counts_load(counts, cdp);
    raise_interrupt(model, INTERRUPT_CDP, end_layer(model, NVDLA_CDP));
    register_group_done(&model->units[NVDLA_CDP_RDMA]);
}

/* A CDP layer whose streams are counted. */
static struct cdp_layer with_taps(struct model *model, const struct cdp_layer *layer) {
    struct cdp_layer tapped = *layer;
    if (!model->histograms) {
        return tapped;
    }
    enum nvdla_precision precision = layer->kernel.precision;
    int bits = element_bits(precision);
    struct cdp_taps *taps = &tapped.taps;
    taps->input = tap_of(model, NVDLA_CDP, TAP_CDP_IN, bits);
    taps->convertor = tap_of(model, NVDLA_CDP, TAP_CDP_CVT_IN, cdp_product_bits(precision));
    taps->output = tap_of(model, NVDLA_CDP, TAP_CDP_OUT, bits);
    if (bits > 0 && taps->input && taps->convertor) {
        const struct cdp_convertor *in = &layer->kernel.input, *out = &layer->kernel.output;
        const struct convertor input = {in->offset, in->scale, in->shift, bits + 1};
        const struct convertor output = {out->offset, out->scale, out->shift, bits};
        /* Inside CDP elements have 9 or 17 bits; 90-statistics section B.9 keeps to 16. */
        histogram_convertor(taps->input, &input, bits == 8 ? 9 : 16);
        histogram_convertor(taps->convertor, &output, bits);
    }
    return tapped;
}

static bool run_cdp(struct model *model, const struct work *work) {
    const struct cdp_layer layer = with_taps(model, &work->cdp);
    struct dma input, output;
    struct cdp_counts counts;
    open_read(model, &input, &cdp_read, work->cdp.source_primary, NVDLA_CDP_RDMA);
    open_write(model, &output, &cdp_write, work->cdp.destination_primary, NVDLA_CDP);
    if (!cdp_run(&layer, &model->lut, &model->cdp_idle, &input, &output, &counts)) {
        return false;
    }
    finish_cdp(model, &counts);
    return true;
}

static bool run_bdma(struct model *model) {
    struct bdma_served answered = bdma_served(model);
    struct bdma_clients clients;
    for (int primary = 0; primary < 2; primary++) {
        if (answered.read[primary]) {
            open_read(model, &clients.read[primary], &bdma_read, primary, NVDLA_BDMA);
        }
        if (answered.write[primary]) {
            open_write(model, &clients.write[primary], &bdma_store, primary, NVDLA_BDMA);
        }
    }
    if (!bdma_run(&model->bdma, &clients)) {
        return false;
    }
    unsigned group;
    if (bdma_done(&model->bdma, &group)) {
        raise_interrupt(model, INTERRUPT_BDMA, group);
    }
    return true;
}

static bool run_rubik(struct model *model, const struct work *work) {
    struct dma input, output;
    open_read(model, &input, &rubik_read, work->rubik.source_primary, NVDLA_RBK);
    open_write(model, &output, &rubik_write, work->rubik.destination_primary, NVDLA_RBK);
    if (!rubik_run(&work->rubik, &input, &output)) {
        return false;
    }
    raise_interrupt(model, INTERRUPT_RUBIK, register_group_done(&model->units[NVDLA_RBK]));
    return true;
}

/* Carries the work out. Returns false only when memory is exhausted. */
static bool run(struct model *model, const struct work *work) {
    clock_t start = clock();
    bool done = true;
    switch (work->action) {
    case ACTION_NONE:
        break;
    case ACTION_CDMA:
        done = run_cdma(model);
        break;
    case ACTION_CSC_START:
        csc_start(&model->csc, &model->cdma, &model->cbuf, &model->units[NVDLA_CSC]);
        break;
    case ACTION_SDP_RDMA_EMPTY:
        finish_sdp_rdma(model);
        break;
    case ACTION_SDP:
    case ACTION_SDP_PDP:
        done = run_sdp(model, work);
        break;
    case ACTION_PDP:
        done = run_pdp(model, work);
        break;
    case ACTION_CDP:
        done = run_cdp(model, work);
        break;
    case ACTION_BDMA:
        done = run_bdma(model);
        break;
    case ACTION_RUBIK:
        done = run_rubik(model, work);
        break;
    }
    model->busy += clock() - start;
    model->steps++;
    return done && !(model->histograms && model->histograms->exhausted);
}

/* One finding for a layer that only its size keeps from running. */
static void report_too_large(struct model *model, const struct work *work) {
    if (model->reported[work->too_large]) {
        return;
    }
    model->reported[work->too_large] = true;
    device_report(&model->dev, 0, "layer-size",
                  "%s launch %d has %" PRIu64 " %s; the model carries out layers of at most %" PRIu64,
                  nvdla_unit_names[work->too_large], ordinal_of(model, work->too_large), work->size, work->measure,
                  work->most);
}

static enum device_state model_advance(struct device *dev, uint64_t cycles, bool until_interrupt, struct error *err) {
    (void)cycles;
    struct model *model = model_of(dev);
    if (until_interrupt && interrupt_line(model)) {
        return DEVICE_INTERRUPT;
    }
    if (!checker_started(&model->checker, err)) {
        return DEVICE_FAILED;
    }
    struct work work;
    find_work(model, &work);
    if (work.too_large != NVDLA_UNIT_COUNT) {
        report_too_large(model, &work);
    }
    if (work.action == ACTION_NONE) {
        return DEVICE_IDLE;
    }
    if (!run(model, &work)) {
        error_set(err, "the model has no memory left for the buffers of a layer");
        return DEVICE_FAILED;
    }
    return until_interrupt && interrupt_line(model) ? DEVICE_INTERRUPT : DEVICE_RUNNING;
}

/* ---- why nothing runs ---- */

static void explain_client(struct model *model, const struct client *client, bool primary, enum nvdla_unit unit) {
    struct device *dev = &model->dev;
    if (!dev->memory[primary ? SPACE_PRIMARY : SPACE_SECONDARY]) {
        return; /* a rule has told of it */
    }
    int offset = blocked_by(model, client, primary);
    if (offset != NOT_BLOCKED) {
        enum nvdla_unit port = primary ? NVDLA_MCIF : NVDLA_CVIF;
        const struct nvdla_register *reg =
            nvdla_register_at(dev->config, nvdla_unit_base(dev->config, port) + (uint32_t)offset);
        uint32_t value = register_group_value(&model->units[port], (uint32_t)offset);
        char fields[120];
        device_warn(dev, unit, ordinal_of(model, unit), "%s.%s = 0x%x (%s): %s; the hardware hangs",
                    nvdla_unit_names[port], reg->name, (unsigned)value,
                    nvdla_register_decode(reg, value, fields, sizeof fields),
                    (uint32_t)offset == MCIF_CFG_OUTSTANDING_CNT
                        ? "whole bursts never go out (70-memory-interface section 3.3)"
                        : "the requests of a client with weight 0 wait (70-memory-interface section 3.1)");
    }
}

static void explain_sdp(struct model *model) {
    const struct register_group *sdp = &model->units[NVDLA_SDP], *rdma = &model->units[NVDLA_SDP_RDMA];
    struct sdp_layer layer;
    sdp_layer_decode(&layer, model->dev.config, sdp, rdma);
    if (register_group_running(sdp) && !layer.to_pdp && !layer.compare) {
        explain_client(model, &sdp_write, layer.destination_primary, NVDLA_SDP);
    }
    if (!register_group_running(rdma)) {
        return;
    }
    if (model->rdma_stuck) {
        device_warn(&model->dev, NVDLA_SDP_RDMA, register_group_ordinal(rdma),
                    "waits for ever with operands that no stage has taken; the hardware hangs (50-sdp section 4)");
    }
    if (!layer.flying) {
        explain_client(model, &sdp_read, layer.source_primary, NVDLA_SDP_RDMA);
    }
    for (int i = 0; i < SDP_STAGES; i++) {
        if (layer.operands[i].enabled) {
            explain_client(model, &operand_read[i], layer.operands[i].primary, NVDLA_SDP_RDMA);
        }
    }
}

static void explain_convolution(struct model *model) {
    const struct register_group *cdma = &model->units[NVDLA_CDMA], *csc = &model->units[NVDLA_CSC];
    if (register_group_running(cdma)) {
        struct cdma_layer layer;
        cdma_layer_decode(&layer, model->dev.config, cdma);
        explain_client(model, &data_read, layer.data_primary, NVDLA_CDMA);
        explain_client(model, &weight_read, layer.weight_primary, NVDLA_CDMA);
    }
    if (!register_group_running(csc)) {
        return;
    }
    const struct csc_layer *layer = &model->csc.layer;
    if (!model->csc.started) {
        device_warn(&model->dev, NVDLA_CSC, register_group_ordinal(csc),
                    "waits for CDMA to agree to the change of banks; the hardware hangs (30-cdma-cbuf section 3)");
    } else if (model->cbuf.data.slices < layer->height) {
        device_warn(&model->dev, NVDLA_CSC, register_group_ordinal(csc),
                    "waits for input: CBUF has %zu lines of %zu; the hardware hangs (30-cdma-cbuf section 9.2)",
                    model->cbuf.data.slices, layer->height);
    } else if (layer->valid && !csc_can_run(&model->csc, &model->cdma, &model->cbuf, weights_come(model))) {
        device_warn(&model->dev, NVDLA_CSC, register_group_ordinal(csc),
                    "waits for weights: not all of its %zu kernels come; the hardware hangs (30-cdma-cbuf section 8)",
                    layer->kernels);
    }
}

static void explain_pooling(struct model *model) {
    const struct register_group *pdp = &model->units[NVDLA_PDP], *rdma = &model->units[NVDLA_PDP_RDMA];
    struct pdp_layer layer;
    pdp_layer_decode(&layer, model->dev.config, pdp, rdma);
    if (register_group_running(pdp)) {
        explain_client(model, &pdp_write, layer.destination_primary, NVDLA_PDP);
    }
    if (register_group_running(rdma)) {
        explain_client(model, &pdp_read, layer.source_primary, NVDLA_PDP_RDMA);
    }
}

static void explain_cdp(struct model *model) {
    const struct register_group *cdp = &model->units[NVDLA_CDP], *rdma = &model->units[NVDLA_CDP_RDMA];
    struct cdp_layer layer;
    cdp_layer_decode(&layer, model->dev.config, cdp, rdma);
    if (register_group_running(cdp)) {
        explain_client(model, &cdp_write, layer.destination_primary, NVDLA_CDP);
    }
    if (register_group_running(rdma)) {
        explain_client(model, &cdp_read, layer.source_primary, NVDLA_CDP_RDMA);
    }
}

static void explain_movers(struct model *model) {
    const struct register_group *rubik = &model->units[NVDLA_RBK];
    if (implements(model, NVDLA_RBK) && register_group_running(rubik)) {
        struct rubik_layer layer;
        rubik_layer_decode(&layer, model->dev.config, rubik);
        explain_client(model, &rubik_read, layer.source_primary, NVDLA_RBK);
        explain_client(model, &rubik_write, layer.destination_primary, NVDLA_RBK);
    }
    if (implements(model, NVDLA_BDMA) && model->bdma.loading.count > 0) {
        explain_client(model, &bdma_read, model->bdma.loading.descriptors[0].source_primary, NVDLA_BDMA);
        explain_client(model, &bdma_store, model->bdma.loading.descriptors[0].destination_primary, NVDLA_BDMA);
    }
}

static void model_explain(struct device *dev) {
    struct model *model = model_of(dev);
    checker_explain(&model->checker);
    explain_convolution(model);
    explain_sdp(model);
    explain_pooling(model);
    explain_cdp(model);
    explain_movers(model);
}

static bool model_interrupt(struct device *dev) {
    return interrupt_line(model_of(dev));
}

static bool model_at_rest(struct device *dev) {
    struct work work;
    find_work(model_of(dev), &work);
    return work.action == ACTION_NONE;
}

static uint64_t model_time(struct device *dev) {
    return model_of(dev)->steps;
}

static void model_statistics(struct device *dev, struct device_statistics *statistics) {
    const struct model *model = model_of(dev);
    *statistics = (struct device_statistics){.outside = dev->outside,
                                             .cpu_seconds = (double)model->busy / CLOCKS_PER_SEC,
                                             .table_hits = model->csc.tables.hits,
                                             .table_builds = model->csc.tables.builds};
    for (int id = 0; id < AXI_IDS; id++) {
        statistics->read_beats[id] = model->read_beats[id];
        statistics->write_beats[id] = model->write_beats[id];
    }
}

/* ---- life ---- */

static void model_destroy(struct device *dev) {
    struct model *model = model_of(dev);
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        register_group_free(&model->units[unit]);
    }
    csc_free(&model->csc);
    csc_run_free(model->core);
    pool_free(model->pool);
    cdma_free(&model->cdma);
    cbuf_free(&model->cbuf);
    device_release(dev);
    free(model);
}

static const struct device_ops model_ops = {
    .reset = model_reset,
    .csb_write = model_write,
    .csb_read = model_read,
    .advance = model_advance,
    .interrupt = model_interrupt,
    .at_rest = model_at_rest,
    .explain = model_explain,
    .time = model_time,
    .statistics = model_statistics,
    .destroy = model_destroy,
};

/* Bits of S_INTR_STATUS that exist. Sources whose unit the configuration lacks have mask bits but no status. Chapter 10
 * section 7. */
static uint32_t interrupt_bits(const struct nvdla_config *config) {
    const struct nvdla_register *status = nvdla_register_find(config, NVDLA_GLB, "S_INTR_STATUS");
    uint32_t bits = 0;
    for (size_t i = 0; status && i < status->field_count; i++) {
        bits |= UINT32_MAX >> (31 - (status->fields[i].msb - status->fields[i].lsb)) << status->fields[i].lsb;
    }
    if (!config->bdma) {
        bits &= ~(GLB_S_INTR_STATUS__BDMA_DONE_STATUS0_MASK | GLB_S_INTR_STATUS__BDMA_DONE_STATUS1_MASK);
    }
    if (!config->rubik) {
        bits &= ~(GLB_S_INTR_STATUS__RUBIK_DONE_STATUS0_MASK | GLB_S_INTR_STATUS__RUBIK_DONE_STATUS1_MASK);
    }
    return bits;
}

struct device *model_new(const struct nvdla_config *config, const struct model_options *options, struct error *err) {
    struct model *model = calloc(1, sizeof *model);
    if (!model) {
        error_set(err, "no memory for a model of configuration %s", config->name);
        return NULL;
    }
    struct device *dev = &model->dev;
    dev->ops = &model_ops;
    dev->name = "model";
    dev->config = config;
    dev->allow_outside = options->allow_outside;
    checker_init(&model->checker, dev, model->units, options->allow_undefined);
    model->limits = (struct model_limits){
        .atoms = options->limits.atoms ? options->limits.atoms : own_limits.atoms,
        .products = options->limits.products ? options->limits.products : own_limits.products,
        .elements = options->limits.elements ? options->limits.elements : own_limits.elements,
    };
    model->histograms = options->histograms;
    model->interrupt_bits = interrupt_bits(config);
    bool complete = true;
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        if (nvdla_has_unit(config, unit)) {
            dev->units |= UINT32_C(1) << unit;
            complete = complete && register_group_init(&model->units[unit], config, unit);
        }
    }
    complete = complete && cbuf_init(&model->cbuf, config);
    cdma_init(&model->cdma, config);
    csc_init(&model->csc, config);
    model->pool = pool_new(options->threads > 1 ? options->threads : 1);
    model->core = csc_run_new(model->pool);
    complete = complete && model->pool && model->core;
    dev->memory[SPACE_PRIMARY] = memory_new();
    complete = complete && dev->memory[SPACE_PRIMARY];
    if (config->secondary_memory) {
        dev->memory[SPACE_SECONDARY] = memory_new();
        complete = complete && dev->memory[SPACE_SECONDARY];
    }
    if (!complete) {
        error_set(err, "no memory for a model of configuration %s", config->name);
        model_destroy(dev);
        return NULL;
    }
    return dev;
}
