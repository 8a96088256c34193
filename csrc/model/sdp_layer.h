/* A layer of SDP and SDP_RDMA as the registers of the two units describe it.
 *
 * Precisions, batches, Winograd order and the EW stage are decoded only in configurations that have them; in others
 * layers are INT8, one batch, in plain order, and EW and its operand DMA are always off. Spec: 50-sdp. */
#pragma once

#include "layers/cubes.h"
#include "model/sdp_convert.h"
#include "model/sdp_stage.h"
#include "nvdla/config.h"
#include "nvdla/lut.h"

struct sdp_layer {
    struct sdp_shape shape;
    bool uses_rdma; /* reads input or operands from memory: SDP_RDMA takes part */
    bool to_pdp;
    bool compare;  /* EW compares: nothing is written, the convertor passes the low bits */
    bool valid;    /* the registers of SDP and SDP_RDMA fit together; otherwise the hardware hangs, or its behaviour is
                      undefined */
    bool leftover; /* operands are fetched that no stage takes: SDP finishes, SDP_RDMA never does */
    bool flush_nans; /* NAN_TO_ZERO, FP16 processing */
    bool table;      /* EW ends with the table */
    bool count_saturation, count_table, count_specials;
    bool compare_flags; /* the convertor flags saturation in compare mode, too */
    size_t atom;        /* bytes */
    /* Surfaces in memory per surface of the pipe, 1 or 2: INT16 cubes around INT8 processing have two. */
    int source_surfaces, destination_surfaces;
    struct memory_cube source, destination;
    struct sdp_stage stage[SDP_STAGES];
    struct sdp_operands operands[SDP_STAGES];
    struct lut_settings lut;
    struct sdp_convertor convertor;
};

/* Reads the layer from the registers of both units; those of SDP_RDMA count only if uses_rdma. */
void sdp_layer_decode(struct sdp_layer *layer, const struct registers_view *view);

/* True if SDP_RDMA reads anything with these registers. */
bool sdp_rdma_busy(const struct registers_view *view);

/* Atoms that go through the pipe. */
uint64_t sdp_layer_atoms(const struct sdp_layer *layer);

/* Bytes of the operands of one atom: 1, 2 or 4 per element. */
size_t sdp_operand_atom(const struct sdp_layer *layer, const struct sdp_operands *operands);
