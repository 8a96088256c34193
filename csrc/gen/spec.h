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

/* Condition under which a member matters. */
enum gen_part {
    PART_LAYER,
    PART_CONV,
    PART_CVT,  /* with CVT_EN */
    PART_MEAN, /* with MEAN_FORMAT, image */
    PART_IMAGE,
    PART_WINOGRAD,
    PART_BATCH,      /* more than one batch */
    PART_COMPRESSED, /* compressed weights */
    PART_CONV_FP16,
    PART_SDP,
    PART_BS,     /* stage on */
    PART_BS_ALU, /* ALU on */
    PART_BS_MUL,
    PART_BS_ALU_REGISTER,
    PART_BS_MUL_REGISTER,
    PART_BS_MEMORY,
    PART_BN,
    PART_BN_ALU,
    PART_BN_MUL,
    PART_BN_ALU_REGISTER,
    PART_BN_MUL_REGISTER,
    PART_BN_MEMORY,
    PART_EW,
    PART_EW_ALU,
    PART_EW_MUL,
    PART_EW_ALU_REGISTER,
    PART_EW_MUL_REGISTER,
    PART_EW_MEMORY,
    PART_EW_ALU_CVT, /* operand from memory, convertor on */
    PART_EW_MUL_CVT,
    PART_PDP,
    PART_AVERAGE, /* method average */
    PART_SPLIT,   /* more than one strip */
    PART_CDP,
    PART_TABLE, /* CDP, or SDP with the table of EW */
    PART_LUT,   /* tables are loaded */
    PART_BDMA,
    PART_DECONV, /* RUBIK contract, or a set of a deconvolution's kernels */
    PART_SET,    /* a set of a deconvolution's kernels */
    PART_INPUT,  /* input from separate memory */
    PART_OUTPUT, /* in a separate region, not in place */
};

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
