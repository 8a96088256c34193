/* CDP and CDP_RDMA: local response normalisation of INT8 cubes over 3, 5, 7 or 9 channels.
 *
 * Each element: input convertor; square sum over the neighbouring channels; two-table look-up of the sum; multiplied
 * with the converted element; output convertor. The square sum and the multiplication can be bypassed. All lanes of all
 * atoms are written, but lanes beyond the channel count enter as 0. Spec: 62-cdp, 55-lut section 7.
 */
#ifndef MODEL_CDP_H
#define MODEL_CDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/dma.h"
#include "model/register_group.h"
#include "nvdla/config.h"
#include "nvdla/lut.h"

enum { CDP_MAX_LANES = 8192 }; /* of a column: D_DATA_CUBE_CHANNEL has 13 bits */

/* (value - offset) * scale / 2^shift. */
struct cdp_convertor {
    int32_t offset; /* input: signed 8 bits; output: signed 25 bits */
    int16_t scale;
    unsigned shift; /* input: 0..31; output: 0..63 */
};

/* The convertors: an element to a signed 9-bit value, a product (signed 25 bits) to an element.
 *
 * Spec: 62-cdp sections 4 and 8, INT8. */
int32_t cdp_convert_input(const struct cdp_convertor *convertor, int8_t element);
int8_t cdp_convert_output(const struct cdp_convertor *convertor, int32_t product);

/* Arithmetic of a layer. */
struct cdp_kernel {
    bool square_sum_bypass, multiply_bypass;
    size_t reach; /* channels on either side of the square sum, 1..4 */
    struct cdp_convertor input, output;
    struct lut_settings lut;
};

/* Processes one column: element c of in and out is channel c, 0 <= c < lanes <= CDP_MAX_LANES, and channels from
 * `channels` on count as 0. in and out may be the same.
 *
 * Spec: 62-cdp sections 3 to 8. */
void cdp_column(const struct cdp_kernel *kernel, const struct lut_entries *entries, const int8_t *in, int8_t *out,
                size_t channels, size_t lanes, struct lut_counters *counters);

/* The access port of the tables: S_LUT_ACCESS_CFG is the pointer and stays current, S_LUT_ACCESS_DATA the entry that it
 * points at. It advances with accesses in its own direction, up to the last entry of its table. Addresses beyond the
 * table (undefined) read 0, drop what is written, and advance to the last entry.
 *
 * Spec: 55-lut section 3.2, 62-cdp section 2.1. */
void cdp_lut_write(struct register_group *cdp, struct lut_entries *entries, uint32_t value);
uint32_t cdp_lut_read(struct register_group *cdp, const struct lut_entries *entries);

/* A layer as the armed register groups describe it. Everything fits together always: CDP has no sizes of its own. */
struct cdp_layer {
    bool source_primary, destination_primary;
    struct cdp_kernel kernel;
    int width, height, channels, surfaces;
    size_t atom;                                  /* lanes (= bytes) of an atom */
    uint64_t source, source_line, source_surface; /* base and strides, bytes, low bits included */
    uint64_t destination, destination_line, destination_surface;
};

/* Reads the layer out of the CONSUMER groups of both units. */
void cdp_layer_decode(struct cdp_layer *layer, const struct nvdla_config *config, const struct register_group *cdp,
                      const struct register_group *rdma);

/* Atoms that the layer reads and writes. */
uint64_t cdp_layer_atoms(const struct cdp_layer *layer);

/* Runs a layer, in the hardware's order: line, group of 8 columns, surface. The counters start at 0. Returns false only
 * when memory is exhausted (before anything was read or written).
 *
 * Spec: 62-cdp section 9. */
bool cdp_run(const struct cdp_layer *layer, const struct lut_entries *entries, struct dma *input, struct dma *output,
             struct lut_counters *counters);

#endif
