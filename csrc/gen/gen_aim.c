/* Aims layers at corners: of shapes, and of values, where each aim changes some settings of a layer so that its engine
 * reaches the corners of one stage (coverage/corners.h). */
#include "gen/engine.h"
#include "nvdla/convertor.h"

/* A convertor with ties, or with one end of what it keeps at a value that data have, or that clips. */
static void aim_convertor(struct rng *rng, int bits, int64_t *offset, int64_t *scale, int64_t *shift) {
    static const int64_t common[] = {0, 1, -1, 127, -128};
    *shift = rng_range(rng, 0, 1);
    *scale = *shift ? 1 : rng_range(rng, 2, INT16_MAX);
    if (rng_chance(rng, 30))
        *scale = -*scale;
    *offset = 0;
    if (rng_chance(rng, 30))
        return;
    const struct convertor convertor = {.scale = (int32_t)*scale, .shift = (unsigned)*shift, .bits = bits};
    const struct convertor_interval keeps = convertor_keeps(&convertor);
    *offset = rng_pick(rng, common, sizeof common / sizeof common[0]) - (rng_chance(rng, 50) ? keeps.low : keeps.high);
}

/* An offset that does not fit its register is none. */
static void limit(int64_t *offset, int bits) {
    const int64_t most = (int64_t)1 << (bits - 1);
    if (*offset < -most || *offset >= most)
        *offset = 0;
}

/* Sums of 2^30 and beyond need many channels of the largest products; FP16 overflows at once. */
static void aim_conv(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer) {
    layer->clip = rng_range(rng, 0, 1);
    if (rng_chance(rng, 40)) {
        layer->cvt = 1;
        aim_convertor(rng, layer->precision == NVDLA_INT8 ? 8 : 16, &layer->cvt_offset, &layer->cvt_scale,
                      &layer->cvt_shift);
        limit(&layer->cvt_offset, 16);
        return;
    }
    layer->in_data = STYLE_LOWEST;
    layer->weights = rng_chance(rng, 50) ? STYLE_LOWEST : STYLE_HIGHEST;
    layer->pra = 0;
    if (layer->conv != GEN_FEATURE || layer->precision != NVDLA_INT8 || layer->source || !rng_chance(rng, 30))
        return;
    layer->w = layer->h = layer->r = layer->k = layer->batches = 1;
    layer->stride_x = layer->stride_y = layer->dilation_x = layer->dilation_y = layer->grain = 1;
    layer->c = 2560;
    layer->s = 32;
    layer->pad_left = 31; /* pads take no room in CBUF */
    layer->pad_right = layer->pad_top = layer->pad_bottom = layer->keep = 0;
    layer->pad = INT8_MIN;
    layer->eps_extra = layer->skip_data = layer->skip_weights = layer->compressed = 0;
    layer->weight_banks = config->cbuf_banks * 3 / 4;
    layer->data_banks = config->cbuf_banks - layer->weight_banks;
}

/* Results of a stage of 2^30 and beyond. */
static void aim_stage(struct rng *rng, struct gen_stage *stage) {
    *stage = (struct gen_stage){.on = 1, .alu = 1, .algorithm = 2};
    stage->alu_operand = rng_chance(rng, 50) ? INT16_MAX : INT16_MIN;
    stage->alu_shift = rng_range(rng, 15, 16);
}

/* Tables that end, or begin, among small inputs. */
static void aim_table(struct rng *rng, struct gen_layer *layer) {
    const bool ends = rng_chance(rng, 70);
    layer->lut = 1;
    layer->le_linear = 1;
    layer->le_select = rng_range(rng, 0, 2);
    layer->lo_select = rng_range(rng, 0, 2);
    layer->le_start = rng_range(rng, -2, 2) - (ends ? 64 << layer->le_select : 0);
    layer->lo_start = rng_range(rng, -2, 2) - (ends ? 256 << layer->lo_select : 0);
    layer->le_end = layer->le_start + (64 << layer->le_select);
    layer->lo_end = layer->lo_start + (256 << layer->lo_select);
}

static void aim_sdp(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer) {
    struct gen_stage *ew = &layer->ew;
    const int aim = (int)rng_range(rng, 0, nvdla_has(config, FEATURE_EW) ? 4 : 1);
    if (layer->precision == NVDLA_FP16) {
        layer->in_data = STYLE_SPECIAL;
        layer->nan_to_zero = 0;
    } else if (aim == 0) {
        aim_convertor(rng, 8, &layer->offset, &layer->scale, &layer->shift);
        limit(&layer->offset, 32);
    } else if (aim == 1) {
        const bool bs = rng_chance(rng, 50);
        if (nvdla_has(config, bs ? FEATURE_BS : FEATURE_BN))
            aim_stage(rng, bs ? &layer->bs : &layer->bn);
        if (rng_chance(rng, 50))
            layer->bs.relu = 0;
    } else if (aim < 4) {
        *ew = (struct gen_stage){.on = 1, .alu = 1, .algorithm = 2, .alu_memory = 1, .data = STYLE_SMALL};
        ew->element = 1;
        ew->two_bytes = layer->precision != NVDLA_INT8;
        ew->alu_cvt = 1;
        if (aim == 3) {
            ew->alu = ew->alu_cvt = 0;
            ew->mul = ew->mul_memory = ew->mul_cvt = 1;
        }
        int64_t offset, scale, shift;
        aim_convertor(rng, 32, &offset, &scale, &shift);
        limit(&offset, 32);
        *(aim == 3 ? &ew->mul_cvt_offset : &ew->alu_cvt_offset) = offset;
        *(aim == 3 ? &ew->mul_cvt_scale : &ew->alu_cvt_scale) = scale;
        *(aim == 3 ? &ew->mul_cvt_truncate : &ew->alu_cvt_truncate) = shift;
    } else if (nvdla_has(config, FEATURE_SDP_LUT)) {
        layer->bs = layer->bn = *ew = (struct gen_stage){.on = 0};
        ew->on = ew->lut = 1;
        layer->in_data = STYLE_SMALL;
        aim_table(rng, layer);
    }
}

/* Means with ties, of the ends of the range; special numbers of FP16. */
static void aim_pdp(struct rng *rng, struct gen_layer *layer) {
    layer->nan_to_zero = 0;
    if (!layer->sdp && rng_chance(rng, 40))
        layer->in_data = layer->precision == NVDLA_FP16 ? STYLE_SPECIAL
                         : rng_chance(rng, 50)          ? STYLE_LOWEST
                                                        : STYLE_HIGHEST;
    if (layer->precision == NVDLA_FP16 || !rng_chance(rng, 60))
        return;
    layer->method = 0;
    layer->kernel_h = 1;
    layer->pool_top = layer->pool_bottom = 0;
    layer->recip_h = 0x10000;
    layer->recip_w = 0x8000; /* half, whatever the width */
}

static void aim_cdp(struct rng *rng, struct gen_layer *layer) {
    if (layer->precision == NVDLA_FP16) {
        layer->in_data = STYLE_SPECIAL;
        layer->nan_to_zero = 0;
        return;
    }
    const int bits = layer->precision == NVDLA_INT8 ? 8 : 16;
    if (rng_chance(rng, 50)) {
        aim_convertor(rng, bits + 1, &layer->in_offset, &layer->in_scale, &layer->in_shift);
        limit(&layer->in_offset, bits);
    } else {
        aim_convertor(rng, bits, &layer->out_offset, &layer->out_scale, &layer->out_shift);
        limit(&layer->out_offset, bits == 8 ? 25 : 32);
    }
    if (!layer->source && rng_chance(rng, 50)) {
        layer->in_data = STYLE_SMALL;
        aim_table(rng, layer);
    }
}

/* Another length of the last block of channels, and of the last group of kernels; of RUBIK, of planar lines. */
static void aim_lengths(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer) {
    const int bytes = nvdla_element_bytes((enum nvdla_precision)layer->precision);
    const int64_t block = layer->conv ? config->atomic_c : config->mem_atom / bytes, group = config->atomic_k / bytes;
    if (layer->rubik > GEN_CONTRACT)
        layer->w = (layer->w - 1) / block * block + rng_range(rng, 1, block);
    if (layer->bdma || layer->rubik)
        return;
    if (layer->conv != GEN_IMAGE && !layer->source)
        layer->c = (layer->c - 1) / block * block + rng_range(rng, 1, block);
    if (layer->conv)
        layer->k = (layer->k - 1) / group * group + rng_range(rng, 1, group);
}

static void aim(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer) {
    const bool last = rng_chance(rng, 50); /* of a chain */
    if (layer->conv && !(layer->sdp && last))
        aim_conv(rng, config, layer);
    else if (layer->sdp && !(layer->pdp && last))
        aim_sdp(rng, config, layer);
    else if (layer->pdp)
        aim_pdp(rng, layer);
    else if (layer->cdp)
        aim_cdp(rng, layer);
}

void gen_aim(struct rng *rng, struct gen_case *gen) {
    struct gen_shape shapes[GEN_LAYERS];
    for (int i = 0; i < 2 * gen->count; i++) {
        struct gen_layer *layer = &gen->layers[i / 2];
        const struct gen_layer kept = *layer;
        if (i % 2)
            aim(rng, gen->config, layer);
        else
            aim_lengths(rng, gen->config, layer);
        if (!gen_case_shape(gen, shapes, NULL))
            *layer = kept;
        gen_layer_tidy(layer);
    }
}
