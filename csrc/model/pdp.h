/* PDP and PDP_RDMA: max, min and average pooling of INT8 cubes in the W x H plane, from memory or on the fly from SDP.
 *
 * Lines come in processing order (strip, surface, line). Each is pooled along W at once; the last 16 pooled rows are
 * kept, and an output line is made when the last row that its windows need has arrived. All lanes of all atoms are
 * processed. Spec: 60-pdp.
 */
#ifndef MODEL_PDP_H
#define MODEL_PDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/dma.h"
#include "model/register_group.h"
#include "nvdla/config.h"

enum pdp_method { PDP_AVERAGE, PDP_MAX, PDP_MIN };

enum { PDP_PADS = 8 }; /* entries of the padding table, T(0) = 0 */

/* Windows and arithmetic of a layer. */
struct pdp_kernel {
    enum pdp_method method;
    int width, height;                           /* 1..16 (legal 1..8) */
    int stride_width, stride_height;             /* 1..16 */
    int pad_left, pad_top;                       /* 0..7; right and bottom pads follow from the sizes */
    int32_t reciprocal_width, reciprocal_height; /* unsigned 17 bits */
    int32_t pad[PDP_PADS];                       /* T(n), signed 19 bits */
};

/* Rounds product / 65536 to nearest, ties away from zero, and reduces it to `bits` bits as the hardware does: without
 * saturation, with its own wrap for each sign.
 *
 * Spec: 60-pdp section 5.3, "RND". */
int32_t pdp_round(int32_t product, int bits);

/* A layer as the armed register groups describe it. */
struct pdp_layer {
    bool from_memory;
    bool valid; /* the registers fit together; else the hardware would hang */
    bool source_primary, destination_primary;
    struct pdp_kernel kernel;
    int width, out_width; /* without split */
    int height, surfaces, out_height;
    size_t atom;                                  /* lanes (= bytes) of an atom */
    int strips;                                   /* 1: no split */
    int first_in, mid_in, last_in;                /* PARTIAL_WIDTH_IN, columns */
    int first_out, mid_out, last_out;             /* PARTIAL_WIDTH_OUT */
    uint64_t source, source_line, source_surface; /* base and strides, bytes, low bits included */
    uint64_t destination, destination_line, destination_surface;
};

/* Reads the layer out of the CONSUMER groups. rdma counts only if the layer reads from memory. */
void pdp_layer_decode(struct pdp_layer *layer, const struct nvdla_config *config, const struct register_group *pdp,
                      const struct register_group *rdma);

/* Atoms that the layer reads and writes. */
uint64_t pdp_layer_atoms(const struct pdp_layer *layer);

/* Where lines come from: each call delivers the next line in processing order, strip width * atom bytes. */
struct pdp_source {
    void (*next_line)(void *context, uint8_t *bytes);
    void *context;
};

/* Runs a valid layer. Returns false only when memory is exhausted (before anything was read or written). */
bool pdp_run(const struct pdp_layer *layer, struct pdp_source source, struct dma *output);

/* The same with PDP_RDMA's client as source. */
bool pdp_run_from_memory(const struct pdp_layer *layer, struct dma *input, struct dma *output);

#endif
