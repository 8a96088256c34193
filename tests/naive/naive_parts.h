/* Pieces of the convolution's arithmetic, for the vectors of the chapters. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/config.h"

/* CDMA's convertor (chapter 30 section 6). */
struct naive_convertor {
    bool enabled, flush, wide_cell; /* wide_cell: INT8 hardware whose register says INT16 (chapter 30 section 6.4) */
    enum nvdla_precision in, proc;
    int64_t offset[4], scale;
    int truncate;
};
int32_t naive_convert(const struct naive_convertor *cvt, int32_t x, int component);

/* CSC's input transform of one tile, row by row, in place; precision of the elements, PRA_TRUNCATE 0 to 2. */
void naive_input_transform(enum nvdla_precision precision, int truncate, int32_t tile[16]);

/* What CMAC sends for one FP16 atom: exponent field and 38-bit mantissas n0 (Winograd: to n3). */
struct naive_float_sum {
    int exponent;
    int64_t mantissa[4];
};
struct naive_float_sum naive_atom_fp16(const int32_t *weights, const int32_t *data, int lanes, bool winograd);

/* CACC's FP16 accumulator, 8-bit exponent and 40-bit mantissa. */
struct naive_float_acc {
    int p;
    int64_t q;
};
struct naive_float_acc naive_accumulate_fp16(struct naive_float_acc acc, int e, int64_t mantissa);
int32_t naive_deliver_fp16(struct naive_float_acc acc);
/* saturated: the flag of chapter 40 section 9.4. */
int32_t naive_deliver_integer(int64_t acc, int truncate, bool *saturated);

/* Computes every vector that the chapters list for floating point, the convolution's arithmetic, the input convertor
 * and the tables, and prints those that differ. Adds to the two counts. */
void naive_vectors(size_t *passed, size_t *failed);
