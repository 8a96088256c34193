/* The state of the model: all units, and what they share. model.c answers register accesses, ports.c memory accesses;
 * schedule.c finds the layer that can run next, execute.c runs it. */
#pragma once

#include <time.h>

#include "device/device.h"
#include "model/bdma.h"
#include "model/cbuf.h"
#include "model/cdma.h"
#include "model/cdp.h"
#include "model/checker.h"
#include "model/csc_run.h"
#include "model/dma.h"
#include "model/limits.h"
#include "model/ordered_tap.h"
#include "model/pool.h"
#include "model/register_group.h"
#include "model/sdp.h"
#include "nvdla/lut.h"
#include "observe/tap.h"

/* Streams that may need reordering: ordered_tap.h. */
enum ordered_stream {
    ORDERED_CACC_OUT,
    ORDERED_CACC_SAT,
    ORDERED_SDP_IN,
    ORDERED_SDP_STAGES, /* one for each */
    ORDERED_SDP_LUT_IN = ORDERED_SDP_STAGES + SDP_STAGES,
    ORDERED_SDP_LUT_OUT,
    ORDERED_SDP_CVT_IN,
    ORDERED_SDP_OUT,
    ORDERED_STREAMS
};

struct model {
    struct device dev;                             /* first member: the device is the model */
    struct register_group units[NVDLA_UNIT_COUNT]; /* those with a bit in dev.units */
    uint32_t interrupt_bits;                       /* bits of S_INTR_STATUS that exist */
    uint32_t interrupt_status;
    struct lut_entries lut; /* of CDP */
    struct sdp_table sdp_table;
    struct cdp_idle_units cdp_idle;
    struct tap_listeners taps; /* see model_options */
    struct ordered_tap ordered[ORDERED_STREAMS];
    struct cbuf cbuf;
    struct cdma cdma;
    struct csc csc;
    struct csc_run *core;
    struct thread_pool *pool; /* thread pool for convolutions */
    struct bdma bdma;
    uint64_t cacc_saturation;      /* count of the last layer */
    struct sdp_result sdp_counted; /* each count is from the last layer that counted it */
    bool rdma_stuck;               /* SDP_RDMA waits for ever with operands that no stage takes */
    struct checker checker;
    struct model_limits limits;
    struct dma_outside outside;
    bool reported[NVDLA_UNIT_COUNT]; /* the unit's running layer has been reported as too large */
    uint64_t steps;                  /* accesses and layers since reset */
    uint64_t read_beats[AXI_IDS], write_beats[AXI_IDS];
    clock_t busy; /* CPU time spent on layers */
    struct model_statistics statistics;
};

/* The registers of all units of the configuration, as the engines see them: groups CONSUMER. */
static inline struct registers_view model_view(const struct model *model) {
    struct registers_view view = {.config = model->dev.config};
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        view.units[unit] = register_group_words(&model->units[unit], model->units[unit].consumer);
    return view;
}

/* Launch that the unit is working on. BDMA has no register groups. */
static inline int model_ordinal(const struct model *model, enum nvdla_unit unit) {
    return unit == NVDLA_BDMA ? model->bdma.ordinal : register_group_ordinal(&model->units[unit]);
}
