/* The description of a random case: layers with their sizes and settings. The program is built from it (gen/build.h),
 * the trace carries it in comments, and shrinking reduces it (gen/shrink.h).
 *
 * A layer is a chain of engines that run as one: convolution -> SDP [-> PDP], SDP [-> PDP], PDP, CDP, BDMA, RUBIK. All
 * members are int64_t so that one table (gen_fields) names, prints, parses and shrinks them. Sizes are true sizes. A
 * plain layer has the plain values of that table and is zero otherwise; only other values are printed. */
#pragma once

#include "nvdla/config.h"
#include "nvdla/error.h"
#include "trace/program.h"

/* Content of memory, simplest first. Elements of one or two bytes; FP16 differs where it is named. */
enum gen_style {
    STYLE_ZEROS,
    STYLE_ONES,
    STYLE_RAMP,
    STYLE_SMALL,   /* -3 .. 3 */
    STYLE_SPARSE,  /* four of five are zero */
    STYLE_UNIFORM, /* FP16: magnitudes from 2^-6 to 2^7 */
    STYLE_EXTREME, /* both ends of the range, their neighbours, -1, 0, 1; FP16: also denormals and both zeros */
    STYLE_MIXED,   /* runs of 16 elements in the styles above */
    STYLE_SPECIAL, /* FP16: uniform, about every 16th NaN, infinite, denormal, zero or largest; otherwise as extreme */
    STYLE_LOWEST,  /* the lowest number alone; FP16: the lowest finite one */
    STYLE_HIGHEST,
    STYLE_COUNT
};

/* One of the SDP stages BS, BN and EW. */
struct gen_stage {
    int64_t on;                                      /* 0: bypassed */
    int64_t alu, algorithm, alu_memory, alu_operand; /* alu 0: bypassed; _memory: operand from memory, else register */
    int64_t alu_shift;                               /* 0..63, left; not EW */
    int64_t mul, prelu, mul_memory, mul_operand;     /* likewise */
    int64_t mul_shift;                               /* 0..63, EW 0..1023, right */
    int64_t relu;                                    /* 1: on; not EW */
    int64_t element, two_bytes;                      /* memory operands: per element; 16 bits */
    int64_t data, line, surface, space;              /* their memory: style, slack in atoms, secondary */
    int64_t source;                                  /* 1 + layer whose output is the per-element operand, 0: none */
    /* EW: the table, and the convertors of operands from memory; 1: on */
    int64_t lut;
    int64_t alu_cvt, alu_cvt_offset, alu_cvt_scale, alu_cvt_truncate;
    int64_t mul_cvt, mul_cvt_offset, mul_cvt_scale, mul_cvt_truncate;
};

/* A layer: the members of gen/spec_fields.h, and the stages of SDP. */
struct gen_layer {
#define F(member, ...) int64_t member;
#define S(...)
#define STAGE(...)
#define EW_CVT(...)
#include "gen/spec_fields.h"
    struct gen_stage bs, bn, ew;
};

/* How shrinking treats a member. */
enum gen_field_kind {
    FIELD_FIXED,   /* not at all */
    FIELD_SETTING, /* its plain value */
    FIELD_AMOUNT,  /* its plain value, else towards it by halves */
};

/* When a member matters: P(name, condition on a `layer`). In STAGE_PARTS: of a stage of SDP that is on. */
#define GEN_STAGE_PARTS(P, X, stage)                                                                                   \
    P(X, layer->sdp &&stage.on)                                                                                        \
    P(X##_ALU, layer->sdp &&stage.on &&stage.alu)                                                                      \
    P(X##_MUL, layer->sdp &&stage.on &&stage.mul)                                                                      \
    P(X##_ALU_REGISTER, layer->sdp &&stage.on &&stage.alu && !stage.alu_memory)                                        \
    P(X##_MUL_REGISTER, layer->sdp &&stage.on &&stage.mul && !stage.mul_memory)                                        \
    P(X##_MEMORY, layer->sdp &&stage.on && ((stage.alu && stage.alu_memory) || (stage.mul && stage.mul_memory)))
#define GEN_PARTS(P)                                                                                                   \
    P(LAYER, true)                                                                                                     \
    P(CONV, layer->conv)                                                                                               \
    P(CVT, layer->conv && layer->cvt)                                                                                  \
    P(MEAN, layer->conv == 2 && layer->cvt && layer->mean)                                                             \
    P(IMAGE, layer->conv == 2)                                                                                         \
    P(WINOGRAD, layer->conv == 3)                                                                                      \
    P(BATCH, layer->conv && layer->batches > 1)                                                                        \
    P(COMPRESSED, layer->conv && layer->compressed)                                                                    \
    P(CONV_FP16, layer->conv && layer->precision == NVDLA_FP16)                                                        \
    P(SDP, layer->sdp)                                                                                                 \
    GEN_STAGE_PARTS(P, BS, layer->bs)                                                                                  \
    GEN_STAGE_PARTS(P, BN, layer->bn)                                                                                  \
    GEN_STAGE_PARTS(P, EW, layer->ew)                                                                                  \
    P(EW_ALU_CVT, layer->sdp && layer->ew.on && layer->ew.alu && layer->ew.alu_memory && layer->ew.alu_cvt)            \
    P(EW_MUL_CVT, layer->sdp && layer->ew.on && layer->ew.mul && layer->ew.mul_memory && layer->ew.mul_cvt)            \
    P(PDP, layer->pdp)                                                                                                 \
    P(AVERAGE, layer->pdp && layer->method == 0)                                                                       \
    P(SPLIT, layer->pdp && layer->splits > 1)                                                                          \
    P(CDP, layer->cdp)                                                                                                 \
    P(TABLE, gen_uses_table(layer))                                                                                    \
    P(LUT, gen_uses_table(layer) && layer->lut)                                                                        \
    P(BDMA, layer->bdma)                                                                                               \
    P(DECONV, layer->rubik == 1 || (layer->conv && layer->full_r)) /* RUBIK contract, or a set of its kernels */       \
    P(SET, layer->conv && layer->full_r)                                                                               \
    P(INPUT, layer->source == 0 && layer->input_of == 0) /* from separate memory */                                    \
    P(OUTPUT, layer->in_place == 0 && layer->into == 0)  /* in a separate region */

#define P(name, condition) PART_##name,
enum gen_part { GEN_PARTS(P) PARTS };
#undef P

struct gen_field {
    const char *name; /* the member's name, with stage: "bs.alu_shift" */
    size_t offset;    /* in struct gen_layer */
    int64_t plain, lowest, highest;
    enum gen_part part;
    enum gen_field_kind kind;
};

extern const struct gen_field gen_fields[];
extern const size_t gen_field_count;

int64_t *gen_field_of(struct gen_layer *layer, const struct gen_field *field);

/* The member with that name of n characters, NULL if there is none. */
const struct gen_field *gen_field_find(const char *name, size_t n);

enum { GEN_LAYERS = 16, GEN_ENGINES_NAME = 56 };

struct gen_case {
    const struct nvdla_config *config;
    char engines[GEN_ENGINES_NAME]; /* engines it was drawn from, "conv" or "sdp-pdp" or "mix"; for the user */
    uint64_t seed;
    uint64_t place;                     /* seed of the places of regions, 0: one after the other */
    bool expect_all;                    /* also waits for the interrupts of CDMA and CACC; otherwise masks them */
    const struct program *described_in; /* a trace whose other comments are kept, or NULL */
    int count;
    struct gen_layer layers[GEN_LAYERS];
};

void gen_layer_plain(struct gen_layer *layer);

/* True if the layer uses tables: CDP always, SDP in EW. */
bool gen_uses_table(const struct gen_layer *layer);

/* Sets every member that does not matter for the layer to its plain value. */
void gen_layer_tidy(struct gen_layer *layer);

/* Inserts the description before the program's other operations, as comments. */
void gen_case_note(const struct gen_case *gen, struct program *prog);

/* Reads it from the comments of a trace. False with a message if it is missing or damaged. */
bool gen_case_read(struct gen_case *gen, const struct program *prog, struct error *err);
