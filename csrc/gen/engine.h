/* Interface of the engine families, private to csrc/gen. Each family has three functions for its part of a layer:
 * drawing it, checking it, and computing its registers.
 *
 * gen_X_draw   draws the engine's members of a layer; `cycles` is the budget. What it draws is mostly legal.
 * gen_X_shape  checks the engine's members and fills its part of shapes[index]; shapes of earlier layers are complete.
 *              False with a message where the spec forbids the layer or leaves its result open.
 * gen_X_registers  adds the register values to the lists of the units; addresses have been given to shapes. */
#pragma once

#include "gen/shape.h"
#include "nvdla/lut.h"

/* ---- convolution ----------------------------------------------------------------------------- */

bool gen_conv_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err);
void gen_conv_registers(struct gen_writer *regs);
void gen_conv_draw(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, bool image,
                   int64_t cycles);
/* Sets the right and bottom pads of a Winograd layer so that it consists of whole tiles. */
void gen_conv_fit(struct gen_layer *layer);
/* What the previous convolution of any kind leaves in CBUF, and what this layer leaves. last: NULL if there is none. */
void gen_conv_draw_kept(struct rng *rng, const struct nvdla_config *config, const struct gen_layer *last,
                        struct gen_layer *layer);

/* Bytes of a layer's weights. Compressed weights: stored elements and mask bits. */
struct conv_weight_sizes {
    int64_t bytes, largest_group;           /* of all groups; of the largest group */
    int64_t mask_bytes, largest_mask_group; /* likewise, 0: not compressed; the largest rounded up to whole bytes */
    int64_t groups;
};
struct conv_weight_sizes conv_weight_sizes(const struct nvdla_config *config, const struct gen_layer *layer);
/* Weights of the layer for its surfaces, which have the sizes of the shape and are all zero. */
void gen_weights(const struct nvdla_config *config, const struct gen_layer *layer, const struct gen_shape *shape,
                 uint8_t *const surfaces[GEN_WEIGHT_SURFACES]);

/* ---- deconvolution --------------------------------------------------------------------------- */

/* The whole kernel of the deconvolution that such a layer belongs to: k kernels of full_r lines, full_s columns, c
 * channels (last index fastest); and the layer's set of it as weights. */
void gen_deconv_kernel(const struct gen_layer *layer, uint8_t *bytes);
void gen_deconv_weights(const struct nvdla_config *config, const struct gen_layer *layer, uint8_t *bytes);
/* Checks a convolution with a set of a deconvolution's kernel. */
bool gen_deconv_shape(const struct gen_layer *layer, struct error *err);
/* A deconvolution from layer `index` on: convolutions, then the contract, into layers[] (room up to GEN_LAYERS).
 * common: what gen_draw_common() drew. Returns their number. */
int gen_deconv_draw(struct rng *rng, const struct nvdla_config *config, int index, const struct gen_layer *common,
                    int64_t cycles, struct gen_layer *layers);

/* ---- SDP ------------------------------------------------------------------------------------- */

/* A stage of SDP in a layer. */
const struct gen_stage *gen_stage_of(const struct gen_layer *layer, int stage);
/* True if SDP only compares (50-sdp section 9) and writes nothing. */
bool gen_compares(const struct gen_layer *layer);
bool gen_sdp_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err);
void gen_sdp_registers(struct gen_writer *regs);
/* Sizes of an SDP layer from memory; gen_sdp_draw draws the rest of any SDP layer. bits: magnitude of its input. */
void gen_sdp_draw_size(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, int64_t cycles);
void gen_sdp_draw(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, int bits);

/* ---- PDP ------------------------------------------------------------------------------------- */

bool gen_pdp_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err);
void gen_pdp_registers(struct gen_writer *regs);
/* PDP from memory (draws sizes, too), or after an SDP with an output of w x h. */
void gen_pdp_draw(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, int64_t cycles);
void gen_pdp_draw_behind(struct rng *rng, struct gen_layer *layer, int64_t w, int64_t h);

/* ---- CDP ------------------------------------------------------------------------------------- */

bool gen_cdp_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err);
void gen_cdp_registers(struct gen_writer *regs);
void gen_cdp_draw(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, int64_t cycles);
/* A table set for a CDP layer. */
void gen_cdp_draw_lut(struct rng *rng, struct gen_layer *layer);

/* ---- tables of CDP and SDP ------------------------------------------------------------------- */

/* Tables and S_LUT registers in writing order. */
struct gen_lut_writes {
    struct {
        uint32_t offset, value;
    } list[400];
    size_t count;
};
void gen_lut(const struct gen_layer *layer, struct gen_lut_writes *writes);
/* The same for look-ups. */
struct lut_settings gen_lut_settings(const struct gen_layer *layer);
void gen_lut_entries(const struct gen_layer *layer, struct lut_entries *entries);
/* The last layer up to index that loads the tables of CDP or SDP, NULL if there is none. */
const struct gen_layer *gen_lut_loaded(const struct gen_case *gen, int index, bool cdp);
/* Checks the tables that a layer uses. */
bool gen_lut_shape(const struct gen_case *gen, int index, struct error *err);
/* Tables for inputs of `bits` bits without sign; FP16: of magnitudes up to about 2^bits. */
void gen_lut_draw(struct rng *rng, struct gen_layer *layer, int bits);

/* ---- BDMA and RUBIK -------------------------------------------------------------------------- */

bool gen_bdma_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err);
/* Of one of the layer's descriptors. */
void gen_bdma_registers(struct gen_writer *regs, int64_t part);
/* First layer of the group that a BDMA layer belongs to. */
int gen_bdma_first(const struct gen_case *gen, int index);
void gen_bdma_draw(struct rng *rng, const struct gen_case *gen, int index, struct gen_layer *layer, int64_t cycles);
bool gen_rubik_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, struct error *err);
void gen_rubik_registers(struct gen_writer *regs);
void gen_rubik_draw(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer, int64_t cycles);

/* ---- cases ----------------------------------------------------------------------------------- */

/* Applies all families to a case: checks it and fills shapes[0 .. count-1]. */
bool gen_case_shape(const struct gen_case *gen, struct gen_shape *shapes, struct error *err);
/* Layers of a case from a set of engines (gen.h). */
void gen_mix_draw(struct rng *rng, struct gen_case *gen, uint32_t engines);
/* Changes layers so that they reach corners of values, as far as that is legal. */
void gen_aim(struct rng *rng, struct gen_case *gen);
