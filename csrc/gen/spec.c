/* Converts the description of a case to text and back. See spec.h. */
#include "gen/spec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Member, when it matters, plain value, lowest, highest, how it shrinks. */
#define F(member, part_, plain_, low, high, kind_)                                                                     \
    {.name = #member,                                                                                                  \
     .offset = offsetof(struct gen_layer, member),                                                                     \
     .plain = (plain_),                                                                                                \
     .lowest = (low),                                                                                                  \
     .highest = (high),                                                                                                \
     .part = PART_##part_,                                                                                             \
     .kind = FIELD_##kind_}

#define STAGE(x, X)                                                                                                    \
    F(x.source, X##_MEMORY, 0, 0, GEN_LAYERS, FIXED), F(x.on, SDP, 0, 0, 1, SETTING), F(x.alu, X, 0, 0, 1, SETTING),   \
        F(x.mul, X, 0, 0, 1, SETTING), F(x.relu, X, 0, 0, 1, SETTING), F(x.prelu, X##_MUL, 0, 0, 1, SETTING),          \
        F(x.algorithm, X##_ALU, 2, 0, 3, SETTING), F(x.alu_memory, X##_ALU, 0, 0, 1, SETTING),                         \
        F(x.mul_memory, X##_MUL, 0, 0, 1, SETTING), F(x.element, X##_MEMORY, 0, 0, 1, SETTING),                        \
        F(x.two_bytes, X##_MEMORY, 0, 0, 1, SETTING),                                                                  \
        F(x.alu_operand, X##_ALU_REGISTER, 0, INT16_MIN, INT16_MAX, SETTING),                                          \
        F(x.alu_shift, X##_ALU, 0, 0, 63, AMOUNT),                                                                     \
        F(x.mul_operand, X##_MUL_REGISTER, 1, INT16_MIN, INT16_MAX, SETTING), F(x.mul_shift, X, 0, 0, 63, AMOUNT),     \
        F(x.line, X##_MEMORY, 0, 0, 1 << 16, SETTING), F(x.surface, X##_MEMORY, 0, 0, 1 << 16, SETTING),               \
        F(x.space, X##_MEMORY, 0, 0, 1, SETTING), F(x.data, X##_MEMORY, STYLE_ZEROS, 0, STYLE_COUNT - 1, AMOUNT)

#define EW_CVT(x, X)                                                                                                   \
    F(x##_cvt, X, 0, 0, 1, SETTING), F(x##_cvt_offset, X##_CVT, 0, INT32_MIN, INT32_MAX, SETTING),                     \
        F(x##_cvt_scale, X##_CVT, 1, INT16_MIN, INT16_MAX, SETTING), F(x##_cvt_truncate, X##_CVT, 0, 0, 63, SETTING)

#define BITS38 ((INT64_C(1) << 37) - 1)
#define SEED INT64_MAX

/* In the order in which shrinking tries them. */
const struct gen_field gen_fields[] = {
    F(conv, LAYER, 0, 0, 3, FIXED),
    F(sdp, LAYER, 0, 0, 1, FIXED),
    F(pdp, LAYER, 0, 0, 1, FIXED),
    F(cdp, LAYER, 0, 0, 1, FIXED),
    F(source, LAYER, 0, 0, GEN_LAYERS, FIXED),
    F(bdma, LAYER, 0, 0, 1, FIXED),
    F(rubik, LAYER, 0, 0, 3, FIXED),
    F(input_of, LAYER, 0, 0, GEN_LAYERS, FIXED),
    F(into, LAYER, 0, 0, GEN_LAYERS, FIXED),
    F(at, LAYER, 0, 0, 8192, FIXED),
    F(room, LAYER, 0, 0, 8192, SETTING),
    F(full_s, CONV, 0, 0, 256, SETTING),
    F(full_r, CONV, 0, 0, 256, SETTING),
    F(set_x, SET, 0, 0, 31, FIXED),
    F(set_y, SET, 0, 0, 31, FIXED),
    F(deconv_x, DECONV, 1, 1, 32, AMOUNT),
    F(deconv_y, DECONV, 1, 1, 32, AMOUNT),
    F(join, BDMA, 0, 0, 1, SETTING),
    F(parts, BDMA, 1, 1, 20, AMOUNT),
    F(replicate, BDMA, 0, 0, 3, SETTING),
    F(lut, TABLE, 0, 0, 1, FIXED),
    F(splits, PDP, 1, 1, 64, SETTING),
    F(precision, LAYER, NVDLA_INT8, NVDLA_INT8, NVDLA_FP16, SETTING),
    F(kernel_w, PDP, 1, 1, 8, AMOUNT),
    F(kernel_h, PDP, 1, 1, 8, AMOUNT),
    F(step_x, PDP, 1, 1, 16, AMOUNT),
    F(step_y, PDP, 1, 1, 16, AMOUNT),
    F(pool_left, PDP, 0, 0, 7, AMOUNT),
    F(pool_right, PDP, 0, 0, 7, AMOUNT),
    F(pool_top, PDP, 0, 0, 7, AMOUNT),
    F(pool_bottom, PDP, 0, 0, 7, AMOUNT),
    F(reuse_data, CONV, 0, 0, 1, SETTING),
    F(reuse_weights, CONV, 0, 0, 1, SETTING),
    F(skip_data, CONV, 0, 0, 1, SETTING),
    F(skip_weights, CONV, 0, 0, 1, SETTING),
    F(keep, CONV, 0, 0, 8191, SETTING),
    F(batches, CONV, 1, 1, 32, AMOUNT),
    F(compressed, CONV, 0, 0, 1, SETTING),
    F(empty_groups, COMPRESSED, 0, 0, 64, SETTING),
    F(dense_groups, COMPRESSED, 0, 0, 64, SETTING),
    F(density, COMPRESSED, 16, 0, 16, SETTING),
    F(post, IMAGE, 1, 1, 4, SETTING),
    F(dilation_x, CONV, 1, 1, 32, AMOUNT),
    F(dilation_y, CONV, 1, 1, 32, AMOUNT),
    F(stride_x, CONV, 1, 1, 8, AMOUNT),
    F(stride_y, CONV, 1, 1, 8, AMOUNT),
    F(pad_left, CONV, 0, 0, 31, AMOUNT),
    F(pad_right, CONV, 0, 0, 63, AMOUNT),
    F(pad_top, CONV, 0, 0, 31, AMOUNT),
    F(pad_bottom, CONV, 0, 0, 63, AMOUNT),
    F(r, CONV, 1, 1, 32, AMOUNT),
    F(s, CONV, 1, 1, 32, AMOUNT),
    F(k, CONV, 1, 1, 8192, AMOUNT),
    F(h, LAYER, 1, 1, 8192, AMOUNT),
    F(w, LAYER, 1, 1, 8192, AMOUNT),
    F(c, LAYER, 1, 1, 8192, AMOUNT),
    STAGE(bs, BS),
    STAGE(bn, BN),
    F(ew.source, EW_MEMORY, 0, 0, GEN_LAYERS, FIXED),
    F(ew.on, SDP, 0, 0, 1, SETTING),
    F(ew.lut, EW, 0, 0, 1, SETTING),
    F(ew.alu, EW, 0, 0, 1, SETTING),
    F(ew.mul, EW, 0, 0, 1, SETTING),
    F(ew.prelu, EW_MUL, 0, 0, 1, SETTING),
    F(ew.algorithm, EW_ALU, 2, 0, 3, SETTING),
    F(ew.alu_memory, EW_ALU, 0, 0, 1, SETTING),
    F(ew.mul_memory, EW_MUL, 0, 0, 1, SETTING),
    EW_CVT(ew.alu, EW_ALU),
    EW_CVT(ew.mul, EW_MUL),
    F(ew.element, EW_MEMORY, 0, 0, 1, SETTING),
    F(ew.two_bytes, EW_MEMORY, 0, 0, 1, SETTING),
    F(ew.alu_operand, EW_ALU_REGISTER, 0, INT32_MIN, INT32_MAX, SETTING),
    F(ew.mul_operand, EW_MUL_REGISTER, 1, INT32_MIN, INT32_MAX, SETTING),
    F(ew.mul_shift, EW_MUL, 0, 0, 1023, AMOUNT),
    F(ew.line, EW_MEMORY, 0, 0, 1 << 16, SETTING),
    F(ew.surface, EW_MEMORY, 0, 0, 1 << 16, SETTING),
    F(ew.space, EW_MEMORY, 0, 0, 1, SETTING),
    F(ew.data, EW_MEMORY, STYLE_ZEROS, 0, STYLE_COUNT - 1, AMOUNT),
    F(noise, LAYER, 0, 0, SEED, SETTING),
    F(order, LAYER, 0, 0, SEED, SETTING),
    F(arm, LAYER, 0, 0, SEED, SETTING),
    F(perf, LAYER, 0, 0, 15, SETTING),
    F(status, LAYER, 0, 0, 1, SETTING),
    F(nan_to_zero, LAYER, 0, 0, 1, SETTING),
    F(in_place, LAYER, 0, 0, 1, SETTING),
    F(in_order, INPUT, 0, 0, 1, SETTING),
    F(in_line, INPUT, 0, 0, 1 << 16, SETTING),
    F(in_surface, INPUT, 0, 0, 1 << 16, SETTING),
    F(in_space, INPUT, 0, 0, 1, SETTING),
    F(out_order, OUTPUT, 0, 0, 1, SETTING),
    F(out_line, OUTPUT, 0, 0, 1 << 16, SETTING),
    F(out_surface, OUTPUT, 0, 0, 1 << 16, SETTING),
    F(out_space, OUTPUT, 0, 0, 1, SETTING),
    F(uv_line, IMAGE, 0, 0, 1 << 16, SETTING),
    F(in_batch, BATCH, 0, 0, 1 << 16, SETTING),
    F(out_batch, BATCH, 0, 0, 1 << 16, SETTING),
    F(weight_space, CONV, 0, 0, 1, SETTING),
    F(eps_extra, CONV, 0, 0, 64, SETTING),
    F(unpacked, CONV, 0, 0, 1, SETTING),
    F(grain, CONV, 1, 1, 4096, SETTING),
    F(weight_pad, CONV, 0, 0, 1, SETTING),
    F(data_banks, CONV, 0, 0, 64, SETTING),
    F(weight_banks, CONV, 0, 0, 64, SETTING),
    F(cvt, CONV, 0, 0, 1, SETTING),
    F(mean, IMAGE, 0, 0, 1, SETTING),
    F(x_offset, IMAGE, 0, 0, 31, SETTING),
    F(sign, IMAGE, 1, 0, 1, SETTING),
    F(format, IMAGE, 0, 0, 63, FIXED),
    F(mean_0, MEAN, 0, INT16_MIN, INT16_MAX, SETTING),
    F(mean_1, MEAN, 0, INT16_MIN, INT16_MAX, SETTING),
    F(mean_2, MEAN, 0, INT16_MIN, INT16_MAX, SETTING),
    F(mean_3, MEAN, 0, INT16_MIN, INT16_MAX, SETTING),
    F(cvt_offset, CVT, 0, INT16_MIN, INT16_MAX, SETTING),
    F(cvt_scale, CVT, 1, INT16_MIN, INT16_MAX, SETTING),
    F(cvt_shift, CVT, 0, 0, 63, SETTING),
    F(pad, CONV, 0, INT16_MIN, INT16_MAX, SETTING),
    F(clip, CONV, 0, 0, 31, SETTING),
    F(pra, WINOGRAD, 0, 0, 3, SETTING),
    F(nans, CONV_FP16, 0, 0, 64, SETTING),
    F(weight_nans, CONV_FP16, 0, 0, 64, SETTING),
    F(weight_exponent, CONV_FP16, 0, 0, 30, SETTING),
    F(offset, SDP, 0, INT32_MIN, INT32_MAX, SETTING),
    F(scale, SDP, 1, INT16_MIN, INT16_MAX, SETTING),
    F(shift, SDP, 0, 0, 63, SETTING),
    F(in_convert, SDP, 0, 0, 1, SETTING),
    F(out_convert, SDP, 0, 0, 1, SETTING),
    F(method, PDP, 1, 0, 2, SETTING),
    F(recip_w, AVERAGE, 0x10000, 0, 0x1ffff, SETTING),
    F(recip_h, AVERAGE, 0x10000, 0, 0x1ffff, SETTING),
    F(pool_pad_1, AVERAGE, 0, -0x40000, 0x3ffff, SETTING),
    F(pool_pad_2, AVERAGE, 0, -0x40000, 0x3ffff, SETTING),
    F(pool_pad_3, AVERAGE, 0, -0x40000, 0x3ffff, SETTING),
    F(pool_pad_4, AVERAGE, 0, -0x40000, 0x3ffff, SETTING),
    F(pool_pad_5, AVERAGE, 0, -0x40000, 0x3ffff, SETTING),
    F(pool_pad_6, AVERAGE, 0, -0x40000, 0x3ffff, SETTING),
    F(pool_pad_7, AVERAGE, 0, -0x40000, 0x3ffff, SETTING),
    F(first_out, SPLIT, 0, 0, 1024, FIXED),
    F(mid_out, SPLIT, 0, 0, 1024, FIXED),
    F(sqsum_bypass, CDP, 0, 0, 1, SETTING),
    F(mul_bypass, CDP, 0, 0, 1, SETTING),
    F(length, CDP, 3, 3, 9, AMOUNT),
    F(in_offset, CDP, 0, INT16_MIN, INT16_MAX, SETTING),
    F(in_scale, CDP, 1, INT16_MIN, INT16_MAX, SETTING),
    F(in_shift, CDP, 0, 0, 31, SETTING),
    F(out_offset, CDP, 0, INT32_MIN, INT32_MAX, SETTING),
    F(out_scale, CDP, 1, INT16_MIN, INT16_MAX, SETTING),
    F(out_shift, CDP, 0, 0, 63, SETTING),
    F(le_linear, LUT, 0, 0, 1, SETTING),
    F(under_lo, LUT, 0, 0, 1, SETTING),
    F(over_lo, LUT, 0, 0, 1, SETTING),
    F(hybrid_lo, LUT, 0, 0, 1, SETTING),
    F(le_offset, LUT, 0, -128, 127, SETTING),
    F(le_select, LUT, 0, -128, 127, SETTING),
    F(lo_select, LUT, 0, -128, 127, SETTING),
    F(le_under_scale, LUT, 0, INT16_MIN, INT16_MAX, SETTING),
    F(le_over_scale, LUT, 0, INT16_MIN, INT16_MAX, SETTING),
    F(le_under_shift, LUT, 0, -16, 15, SETTING),
    F(le_over_shift, LUT, 0, -16, 15, SETTING),
    F(lo_under_scale, LUT, 0, INT16_MIN, INT16_MAX, SETTING),
    F(lo_over_scale, LUT, 0, INT16_MIN, INT16_MAX, SETTING),
    F(lo_under_shift, LUT, 0, -16, 15, SETTING),
    F(lo_over_shift, LUT, 0, -16, 15, SETTING),
    F(le_start, LUT, 0, -BITS38 - 1, BITS38, SETTING),
    F(lo_start, LUT, 0, -BITS38 - 1, BITS38, SETTING),
    F(le_end, LUT, 0, -BITS38 - 1, BITS38, SETTING),
    F(lo_end, LUT, 0, -BITS38 - 1, BITS38, SETTING),
    F(le_data, LUT, STYLE_ZEROS, 0, STYLE_COUNT - 1, AMOUNT),
    F(lo_data, LUT, STYLE_ZEROS, 0, STYLE_COUNT - 1, AMOUNT),
    F(weights, CONV, STYLE_ZEROS, 0, STYLE_COUNT - 1, AMOUNT),
    F(in_data, INPUT, STYLE_ZEROS, 0, STYLE_COUNT - 1, AMOUNT),
    F(out_fill, OUTPUT, 0, 0, 255, SETTING),
    F(seed, LAYER, 0, 0, SEED, FIXED),
    F(serial, LAYER, 1, 0, 1, SETTING),
};
const size_t gen_field_count = sizeof gen_fields / sizeof gen_fields[0];

int64_t *gen_field_of(struct gen_layer *layer, const struct gen_field *field) {
    return (int64_t *)(void *)((char *)layer + field->offset);
}

void gen_layer_plain(struct gen_layer *layer) {
    *layer = (struct gen_layer){0}; /* members that a stage does not use stay 0 */
    for (size_t i = 0; i < gen_field_count; i++)
        *gen_field_of(layer, &gen_fields[i]) = gen_fields[i].plain;
}

static bool stage_matters(const struct gen_layer *layer, const struct gen_stage *stage, enum gen_part part) {
    bool on = layer->sdp && stage->on;
    switch (part) {
    case PART_BS_ALU:
        return on && stage->alu;
    case PART_BS_MUL:
        return on && stage->mul;
    case PART_BS_ALU_REGISTER:
        return on && stage->alu && !stage->alu_memory;
    case PART_BS_MUL_REGISTER:
        return on && stage->mul && !stage->mul_memory;
    case PART_BS_MEMORY:
        return on && ((stage->alu && stage->alu_memory) || (stage->mul && stage->mul_memory));
    default:
        return on;
    }
}

bool gen_uses_table(const struct gen_layer *layer) {
    return layer->cdp || (layer->sdp && layer->ew.on && layer->ew.lut);
}

static bool matters(const struct gen_layer *layer, enum gen_part part) {
    if (part >= PART_BS && part <= PART_BS_MEMORY)
        return stage_matters(layer, &layer->bs, part);
    if (part >= PART_BN && part <= PART_BN_MEMORY)
        return stage_matters(layer, &layer->bn, part - PART_BN + PART_BS);
    if (part >= PART_EW && part <= PART_EW_MEMORY)
        return stage_matters(layer, &layer->ew, part - PART_EW + PART_BS);
    switch (part) {
    case PART_CONV:
        return layer->conv != 0;
    case PART_CVT:
        return layer->conv && layer->cvt;
    case PART_MEAN:
        return layer->conv == 2 && layer->cvt && layer->mean;
    case PART_IMAGE:
        return layer->conv == 2;
    case PART_WINOGRAD:
        return layer->conv == 3;
    case PART_BATCH:
        return layer->conv && layer->batches > 1;
    case PART_COMPRESSED:
        return layer->conv && layer->compressed;
    case PART_CONV_FP16:
        return layer->conv && layer->precision == NVDLA_FP16;
    case PART_SDP:
        return layer->sdp != 0;
    case PART_PDP:
        return layer->pdp != 0;
    case PART_AVERAGE:
        return layer->pdp && layer->method == 0;
    case PART_SPLIT:
        return layer->pdp && layer->splits > 1;
    case PART_CDP:
        return layer->cdp != 0;
    case PART_EW_ALU_CVT:
        return layer->sdp && layer->ew.on && layer->ew.alu && layer->ew.alu_memory && layer->ew.alu_cvt;
    case PART_EW_MUL_CVT:
        return layer->sdp && layer->ew.on && layer->ew.mul && layer->ew.mul_memory && layer->ew.mul_cvt;
    case PART_TABLE:
        return gen_uses_table(layer);
    case PART_LUT:
        return gen_uses_table(layer) && layer->lut;
    case PART_BDMA:
        return layer->bdma != 0;
    case PART_DECONV:
        return layer->rubik == 1 || (layer->conv && layer->full_r);
    case PART_SET:
        return layer->conv && layer->full_r;
    case PART_INPUT:
        return layer->source == 0 && layer->input_of == 0;
    case PART_OUTPUT:
        return layer->in_place == 0 && layer->into == 0;
    default:
        return true;
    }
}

void gen_layer_tidy(struct gen_layer *layer) {
    for (size_t i = 0; i < gen_field_count; i++)
        if (!matters(layer, gen_fields[i].part))
            *gen_field_of(layer, &gen_fields[i]) = gen_fields[i].plain;
}

const struct gen_field *gen_field_find(const char *name, size_t n) {
    for (size_t i = 0; i < gen_field_count; i++)
        if (strlen(gen_fields[i].name) == n && memcmp(gen_fields[i].name, name, n) == 0)
            return &gen_fields[i];
    return NULL;
}

/* ---- comments ------------------------------------------------------------------------------------------------------
 *
 * # gen case engines=mix seed=7 layers=2 place=99 expect_all=1
 * # gen layer 0 sdp=1 w=5 c=9 ... */

static void add_note(struct program *prog, const char *text, size_t n) {
    struct op op = op_make(OP_NOTE, 0);
    op.stream = (uint16_t)program_stream(prog, "memory");
    op.text = program_text(prog, text, n);
    program_append(prog, &op);
}

void gen_case_note(const struct gen_case *gen, struct program *prog) {
    char text[8192];
    for (size_t i = 0; gen->described_in && i < gen->described_in->count; i++) {
        const struct op *op = &gen->described_in->ops[i];
        if (op->kind == OP_NOTE && strncmp(op->text, "gen ", 4) != 0)
            add_note(prog, op->text, strlen(op->text));
    }
    int n =
        snprintf(text, sizeof text, "gen case engines=%s seed=%" PRIu64 " layers=%d place=%" PRIu64 " expect_all=%d",
                 gen->engines, gen->seed, gen->count, gen->place, (int)gen->expect_all);
    add_note(prog, text, (size_t)n);
    for (int i = 0; i < gen->count; i++) {
        struct gen_layer layer = gen->layers[i];
        n = snprintf(text, sizeof text, "gen layer %d", i);
        for (size_t f = 0; f < gen_field_count; f++) {
            int64_t value = *gen_field_of(&layer, &gen_fields[f]);
            if (value != gen_fields[f].plain)
                n += snprintf(text + n, sizeof text - (size_t)n, " %s=%" PRId64, gen_fields[f].name, value);
        }
        add_note(prog, text, (size_t)n);
    }
}

/* Removes "NAME=" from *text and returns what follows, up to a blank; NULL if *text begins otherwise. */
static const char *take(const char **text, const char *name, char *value, size_t size) {
    size_t n = strlen(name);
    const char *at = *text + strspn(*text, " ");
    if (strncmp(at, name, n) != 0 || at[n] != '=')
        return NULL;
    at += n + 1;
    size_t length = strcspn(at, " ");
    if (length == 0 || length >= size)
        return NULL;
    memcpy(value, at, length);
    value[length] = '\0';
    *text = at + length;
    return value;
}

static bool take_unsigned(const char **text, const char *name, uint64_t highest, uint64_t *result) {
    char value[32], *end;
    if (!take(text, name, value, sizeof value) || value[0] < '0' || value[0] > '9')
        return false;
    errno = 0;
    unsigned long long parsed = strtoull(value, &end, 10);
    *result = parsed;
    return errno == 0 && *end == '\0' && parsed <= highest;
}

static bool read_case(struct gen_case *gen, const char *text) {
    uint64_t layers, expect_all;
    if (!take(&text, "engines", gen->engines, sizeof gen->engines) ||
        !take_unsigned(&text, "seed", UINT64_MAX, &gen->seed) || !take_unsigned(&text, "layers", GEN_LAYERS, &layers) ||
        layers == 0 || !take_unsigned(&text, "place", UINT64_MAX, &gen->place) ||
        !take_unsigned(&text, "expect_all", 1, &expect_all))
        return false;
    gen->count = (int)layers;
    gen->expect_all = expect_all != 0;
    return text[strspn(text, " ")] == '\0';
}

static bool read_layer(struct gen_layer *layer, const char *text, struct error *err) {
    gen_layer_plain(layer);
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        size_t n = strcspn(text, "= ");
        const struct gen_field *field = text[n] == '=' ? gen_field_find(text, n) : NULL;
        char *end;
        if (!field)
            return error_set(err, "'%.*s' is not a setting of a layer", (int)n, text);
        errno = 0;
        long long value = strtoll(text + n + 1, &end, 10);
        if (errno != 0 || end == text + n + 1 || (*end != ' ' && *end != '\0') || value < field->lowest ||
            value > field->highest)
            return error_set(err, "%s: expected a number from %" PRId64 " to %" PRId64, field->name, field->lowest,
                             field->highest);
        *gen_field_of(layer, field) = value;
        text = end;
    }
    return true;
}

bool gen_case_read(struct gen_case *gen, const struct program *prog, struct error *err) {
    *gen = (struct gen_case){.config = prog->config};
    int seen = 0;
    for (size_t i = 0; i < prog->count && (gen->count == 0 || seen < gen->count); i++) {
        const struct op *op = &prog->ops[i];
        char position[512], expected[32];
        if (op->kind != OP_NOTE || strncmp(op->text, "gen ", 4) != 0)
            continue;
        op_position(prog, op, position, sizeof position);
        int n = snprintf(expected, sizeof expected, "gen layer %d ", seen);
        if (gen->count == 0) {
            if (strncmp(op->text, "gen case ", 9) != 0 || !read_case(gen, op->text + 9))
                return error_set(err,
                                 "%s: expected \"gen case engines=... seed=... layers=... place=... "
                                 "expect_all=...\"",
                                 position);
        } else if (strncmp(op->text, expected, (size_t)n) != 0) {
            return error_set(err, "%s: expected \"%s...\"", position, expected);
        } else if (!read_layer(&gen->layers[seen++], op->text + n, err)) {
            return error_prefix(err, "%s: ", position);
        }
    }
    if (gen->count == 0)
        return error_set(err, "%s: no description of random layers in its comments", prog->files[0]);
    return seen == gen->count ||
           error_set(err, "%s: the descriptions of %d layers are missing", prog->files[0], gen->count - seen);
}
