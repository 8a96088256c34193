/* CDP and CDP_RDMA: local response normalisation over 3, 5, 7 or 9 channels, of INT8, INT16 and FP16 cubes.
 *
 * Each element: input convertor; square sum over the neighbouring channels; two-table look-up of the sum; multiplied
 * with the converted element; output convertor. The square sum and the multiplication can be bypassed. All lanes of all
 * atoms are written; lanes beyond the channel count enter as 0. Spec: 62-cdp, 55-lut section 7. */
#pragma once

#include "layers/cubes.h"
#include "model/dma.h"
#include "model/register_group.h"
#include "nvdla/config.h"
#include "nvdla/lut.h"
#include "observe/tap.h"

enum { CDP_MAX_LANES = 8192 }; /* of a column: D_DATA_CUBE_CHANNEL has 13 bits */

/* (value - offset) * scale / 2^shift, of integer layers. FP16 layers only change the format. */
struct cdp_convertor {
    int32_t offset; /* input: signed 8 or 16 bits; output: signed 25 or 32 bits */
    int16_t scale;
    unsigned shift; /* input: 0..31; output: 0..63 */
};

/* Arithmetic of a layer. */
struct cdp_kernel {
    enum nvdla_precision precision;
    bool nan_to_zero; /* of inputs; FP16 */
    bool square_sum_bypass, multiply_bypass;
    bool count_saturation;
    size_t reach; /* channels on either side of the square sum, 1..4 */
    struct cdp_convertor input, output;
    struct lut_settings lut;
};

/* The access port of the tables: S_LUT_ACCESS_CFG is the pointer and always current, S_LUT_ACCESS_DATA the entry it
 * points to. Accesses in its direction advance it, up to the last entry of its table. Addresses beyond the table
 * (undefined) read 0, ignore writes, and advance to the last entry.
 *
 * Spec: 55-lut section 3.2, 62-cdp section 2.1. */
void cdp_lut_write(struct register_group *cdp, struct lut_entries *entries, uint32_t value);
uint32_t cdp_lut_read(struct register_group *cdp, const struct lut_entries *entries);

/* A layer's streams, see enum tap. */
struct cdp_taps {
    struct tap_out input, sum, answer, factor, convertor, output;
};

/* A layer as the armed register groups describe it. CDP has no sizes of its own: only the data formats of the two units
 * must agree. */
struct cdp_layer {
    bool valid; /* the units agree on an existing data format; otherwise they wait for ever */
    struct cdp_kernel kernel;
    int width, height, channels, surfaces;
    size_t atom;  /* bytes */
    size_t lanes; /* elements of an atom */
    struct memory_cube source, destination;
    struct cdp_taps taps; /* as decoded: no listeners */
};

/* Reads the layer from the registers of both units. */
void cdp_layer_decode(struct cdp_layer *layer, const struct registers_view *view);

/* Atoms that the layer reads and writes. */
uint64_t cdp_layer_atoms(const struct cdp_layer *layer);

/* The last answers of the look-up units that only INT8 uses (every second lane of a beat, from lane 1 on), from the
 * last beat of the latest INT8 layer. INT16 layers count these answers again in each of their beats of as many bytes.
 *
 * Spec: 62-cdp section 9. */
struct cdp_idle_units {
    size_t units;                /* half of the bytes of a beat */
    struct lut_counters answers; /* their sum is `units` */
};

/* The state after reset: in INT16 layers the units count as hybrid. */
void cdp_idle_units_reset(struct cdp_idle_units *idle, const struct nvdla_config *config);

/* Counts of a layer for the status registers, over all lanes. The hardware's own NAN_OUTPUT_NUM, and its OUT_SATURATION
 * of integer layers, depend on the previous layer and on timing; here both mean what their names say.
 *
 * Spec: 62-cdp section 9. */
struct cdp_counts {
    struct lut_counters lut;
    uint64_t nan_outputs; /* written elements that are NaN */
    uint64_t saturated; /* written elements that were clipped; in FP16 those equal to the largest number of either sign,
                           clipped or not. 0 in configurations without 16-bit types */
};

/* Loads the counts into the registers of group CONSUMER. NaN and infinities of the input are not counted. */
void cdp_counts_load(const struct cdp_counts *counts, struct register_group *cdp);

/* Runs a valid layer, in the hardware's order: line, group of 8 columns, surface. The counts start at 0.
 *
 * Spec: 62-cdp sections 3 to 9. */
void cdp_run(const struct cdp_layer *layer, const struct lut_entries *entries, struct cdp_idle_units *idle,
             struct dma *input, struct dma *output, struct cdp_counts *counts);
