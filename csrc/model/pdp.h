/* PDP and PDP_RDMA: max, min and average pooling in the W x H plane, from memory or on the fly from SDP.
 *
 * Lines come in processing order (strip, surface, line). Each is immediately pooled along W; the last 16 pooled rows
 * are stored, and an output line is computed once the last row of its windows has arrived. All lanes of all atoms are
 * processed. Spec: 60-pdp. */
#pragma once

#include "layers/cubes.h"
#include "model/dma.h"
#include "model/pdp_pool.h"
#include "observe/tap.h"

/* A layer's streams, see enum tap. */
struct pdp_taps {
    struct tap_out input, row, output;
};

/* A layer as the armed register groups describe it. */
struct pdp_layer {
    bool from_memory;
    bool valid;      /* the registers and the windows fit together; otherwise the hardware hangs */
    bool flush_nans; /* NAN_TO_ZERO */
    struct pdp_kernel kernel;
    int width, out_width; /* without split */
    int height, surfaces, out_height;
    size_t channels;
    size_t atom, lanes; /* bytes and elements of an atom */
    struct pdp_strips in, out;
    struct memory_cube source, destination;
    struct pdp_taps taps; /* as decoded: no listeners */
};

/* Reads the layer from the registers of both units; those of PDP_RDMA count only if the layer reads from memory. */
void pdp_layer_decode(struct pdp_layer *layer, const struct registers_view *view);

/* Output lines that wait in the line buffer at the same time, and the output columns it holds of each. Spec: 60-pdp
 * section 9, "L". */
int pdp_waiting_lines(const struct pdp_kernel *kernel);
int pdp_line_buffer_columns(const struct pdp_kernel *kernel);

/* Atoms that the layer reads and writes. */
uint64_t pdp_layer_atoms(const struct pdp_layer *layer);

/* Source of lines: each call delivers the next line in processing order, strip width * atom bytes. */
struct pdp_source {
    void (*next_line)(void *context, uint8_t *bytes);
    void *context;
};

/* Runs a valid layer. nan_outputs: NaNs in the output cube (FP16; otherwise 0).
 *
 * D_NAN_OUTPUT_NUM is meant to be that count; the RTL omits some and counts others twice, depending on stale data.
 * Spec: 60-pdp section 10. */
void pdp_run(const struct pdp_layer *layer, struct pdp_source source, struct dma *output, uint64_t *nan_outputs);

/* The same with PDP_RDMA's client as source. */
void pdp_run_from_memory(const struct pdp_layer *layer, struct dma *input, struct dma *output, uint64_t *nan_outputs);
