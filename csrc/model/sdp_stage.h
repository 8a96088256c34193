/* Arithmetic of the stages of SDP on lines of elements: BS and BN (called X: ALU, then MUL, then ReLU) and EW (Y: MUL,
 * then ALU; its table is sdp_table.h).
 *
 * An element in the pipe has 32 bits: a signed integer (PROC INT8 and INT16, the same arithmetic) or an FP32 pattern
 * (PROC FP16). The 16-bit operands of a stage are first converted to the same format, once for all elements that share
 * them. Spec: 50-sdp sections 4 to 6. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sdp_algorithm { SDP_MAX, SDP_MIN, SDP_SUM, SDP_EQUAL };

/* How a 16-bit operand becomes a 32-bit one. */
enum sdp_operand_form {
    SDP_SIGNED,    /* MUL of X, EW without convertor */
    SDP_SHIFTED,   /* ALU of X: shifted left, saturated to 32 bits */
    SDP_CONVERTED, /* EW: (operand - offset) * scale, rounded by shift, saturated to 32 bits */
    SDP_FP16,
    SDP_FP16_WITHOUT_NAN /* NAN_TO_ZERO: NaN becomes +0 */
};

struct sdp_operand_format {
    enum sdp_operand_form form;
    unsigned shift; /* 0..63 */
    int32_t offset;
    int16_t scale;
};

/* One half of a stage, ALU or MUL. */
struct sdp_operand {
    bool from_memory;                 /* the half is active and takes its operands from the stage's DMA */
    struct sdp_operand_format format; /* for operands from memory, and for register operands in X stages */
    int32_t value;                    /* register operand in its final format */
};

/* Settings of a stage. */
struct sdp_stage {
    bool bypass, alu_bypass, mul_bypass;
    bool prelu;          /* elements that are not negative skip the multiplication */
    bool relu;           /* X only */
    bool ew;             /* the stage is EW */
    bool floating_point; /* PROC FP16 */
    enum sdp_algorithm algorithm;
    unsigned shift; /* right shift after the multiplication, integers: X 0..63, EW 0..1023 */
    struct sdp_operand alu, mul;
};

/* Converts operands to the format of the pipe.
 *
 * Spec: 50-sdp sections 5.1 (X), 5.2 (EW), 6.1 and 6.3 (FP16). */
void sdp_prepare_operands(const struct sdp_operand_format *format, const int16_t *in, int32_t *out, size_t count);

/* Applies one stage to `count` elements in place. alu and mul hold one prepared operand per element; each may be NULL
 * if that half is bypassed.
 *
 * Spec: 50-sdp sections 5.1 (integer X), 5.2 (integer EW), 6.3 (FP16). */
void sdp_stage_apply(const struct sdp_stage *stage, int32_t *data, const int32_t *alu, const int32_t *mul,
                     size_t count);
