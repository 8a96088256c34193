/* The two-table look-up of SDP and CDP as mathematics (chapter 55). */
#pragma once

#include "tests/naive/naive.h"

enum naive_answer { NAIVE_HIT, NAIVE_UNDER, NAIVE_OVER };

struct naive_lut {
    const struct naive_tables *tables;
    bool le_linear;
    int under_priority, over_priority, hybrid_priority; /* 0 LE, 1 LO */
    int le_offset;
    int select[2];
    int64_t start[2], end[2]; /* by table; FP16: FP32 patterns */
    uint32_t scale[2][2];     /* [table][0 under, 1 over], 16-bit patterns */
    int shift[2][2];
};

struct naive_lookup {
    int64_t value; /* integer; SDP FP16: FP32 pattern; CDP FP16: FP17 pattern */
    enum naive_answer answers[2];
    int table;         /* that answers */
    int64_t index;     /* its sample, or the one below */
    uint64_t fraction; /* in units of 2^-35 (SDP) or 2^-16 */
    bool unsupported;  /* programming without a defined result */
};

struct naive_lut naive_lut_sdp(const struct naive *m);
struct naive_lut naive_lut_cdp(const struct naive *m);

struct naive_lookup naive_look_up_sdp_integer(const struct naive_lut *lut, int32_t x);
struct naive_lookup naive_look_up_sdp_fp16(const struct naive_lut *lut, uint32_t x);
/* precision INT8 or INT16. full: the INT8 index unit of full, which wants START sign-extended. */
struct naive_lookup naive_look_up_cdp_integer(const struct naive_lut *lut, int64_t q, enum nvdla_precision precision,
                                              bool full);
struct naive_lookup naive_look_up_cdp_fp16(const struct naive_lut *lut, uint32_t q);
