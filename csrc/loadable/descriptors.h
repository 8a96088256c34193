/* The descriptors for the engines in a loadable, decoded and encoded: operations and their cubes. Names are those of
 * the driver's structures. Spec: 87-loadables section 4. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla_names.h"

/* Types of operations: the driver's processors. */
enum op_type { TYPE_BDMA, TYPE_CONV, TYPE_SDP, TYPE_PDP, TYPE_CDP, TYPE_RUBIK, TYPE_COUNT };

/* "BDMA", "CONV", ... */
extern const char *const op_type_names[TYPE_COUNT];
extern const enum nvdla_unit op_type_units[TYPE_COUNT]; /* of types that write results */

enum cube_type { CUBE_MEMORY, CUBE_SRAM, CUBE_ON_THE_FLY };

/* Bytes per entry of the lists. */
enum { DEPENDENCY_BYTES = 36, OPERATION_BYTES = 116, SURFACE_BYTES = 644, TABLE_BYTES = 700, NETWORK_BYTES = 40 };

struct data_cube {
    unsigned type; /* enum cube_type, unchecked */
    int position;  /* in the task's address list, -1: none */
    uint32_t offset, size;
    unsigned width, height, channel;
    uint32_t line_stride, surface_stride, plane_stride; /* bytes */
    uint64_t address, room; /* once resolved: address of its first byte, bytes from there to the end of its memory */
};

struct cvt_param {
    int scale;
    unsigned truncate;
    bool enable;
    int32_t offset;
};

struct conv_op {
    unsigned mode; /* 0 direct, 1 Winograd */
    unsigned data_reuse, weight_reuse, skip_data_rls, skip_weight_rls;
    unsigned entry_per_slice, data_format, pixel_mapping, fetch_grain, batch, weight_format, data_bank, weight_bank;
    uint32_t batch_stride;
    unsigned post_extension, pixel_override, release;
    unsigned w_csc, h_csc, c_csc, kw_csc, kh_csc, kc_csc, w_cmac, h_cmac;
    uint32_t bytes_per_kernel;
    int mean_ry, mean_gu, mean_bv, mean_ax;
    unsigned mean_format, stride_x, stride_y, pad_left, pad_right, pad_top, pad_bottom, dilation_x, dilation_y,
        pra_truncate;
    unsigned in_precision, out_precision;
    int pad_value;
    struct cvt_param in_cvt, out_cvt;
    struct data_cube weight, wmb, wgs;
    int64_t u_offset;
    uint32_t uv_line_stride;
};

struct sdp_unit {
    bool enable;
    unsigned alu_type; /* 0 max, 1 min, 2 sum, 3 equal */
    unsigned type;     /* 0 none, 1 mul, 2 add, 3 both */
    unsigned mode;     /* 0 per layer, 1 per kernel, 2 per point */
    unsigned act;      /* 0 none, 1 ReLU, 2 table, 3 PReLU */
    unsigned shift, truncate, precision;
    int32_t alu_operand, mul_operand;
    struct cvt_param alu_cvt, mul_cvt;
    struct data_cube cube;
};

enum { SDP_X1, SDP_X2, SDP_Y, SDP_UNITS };

struct sdp_op {
    unsigned src_precision, dst_precision;
    int lut; /* index in the list of tables, -1: none */
    struct cvt_param out_cvt;
    unsigned mode, batch;
    uint32_t batch_stride;
    struct sdp_unit units[SDP_UNITS];
};

struct pdp_op {
    unsigned in_first, in_mid, in_last, out_first, out_mid, out_last, split;
    unsigned mode;                    /* 0 average, 1 max, 2 min */
    unsigned pool_width, pool_height; /* size - 1 */
    unsigned stride_x, stride_y, pad_left, pad_right, pad_top, pad_bottom, precision;
    int32_t padding_value[7];
};

struct cdp_op {
    unsigned in_precision, out_precision;
    int lut;
    struct cvt_param in_cvt, out_cvt;
    unsigned local_size;
    bool bypass_sqsum, bypass_mul;
};

struct rubik_op {
    unsigned mode; /* 0 contract, 1 split, 2 merge */
    unsigned precision, stride_x, stride_y;
};

enum { BDMA_TRANSFERS = 20 };

struct bdma_transfer {
    int source, destination; /* list positions */
    uint32_t line, line_repeat, source_line, destination_line, surface_repeat, source_surface, destination_surface;
    uint64_t source_address, destination_address; /* once resolved */
};

struct bdma_op {
    unsigned source_type, destination_type, transfer_count;
    struct bdma_transfer transfers[BDMA_TRANSFERS];
};

/* An edge: what an operation waits for or releases. */
struct op_edge {
    int operation; /* -1: no edge */
    unsigned event;
};

enum op_event { EVENT_COMPLETED = 1, EVENT_PROGRAMMED, EVENT_ARMED, EVENT_WEIGHTS_FETCHED, EVENT_DATA_FETCHED };

struct operation {
    unsigned type;    /* enum op_type */
    unsigned counter; /* edges that name it, as in the file */
    struct op_edge consumers[TYPE_COUNT], fused_parent;
    struct data_cube src, dst; /* not for BDMA */
    union {
        struct conv_op conv;
        struct sdp_op sdp;
        struct pdp_op pdp;
        struct cdp_op cdp;
        struct rubik_op rubik;
        struct bdma_op bdma;
    };
};

struct network_descriptor {
    int operations, surfaces, dependencies, tables, roi_array, roi_surface, statistics; /* list positions */
    int heads[TYPE_COUNT];
    unsigned roi_count, operation_count, table_count, address_count;
    int input_layer;
    bool dynamic_roi;
};

/* A table of SDP or CDP; the slopes have the unit's precision. Section 7. */
struct lut_param {
    int16_t le[65], lo[257];
    int le_offset; /* exponential: offset of the exponent; linear: select */
    int lo_select;
    uint64_t le_start, le_end, lo_start, lo_end;
    struct lut_slope {
        uint16_t fp16;
        int scale, shift;
    } le_underflow, le_overflow, lo_underflow, lo_overflow;
    unsigned hybrid, underflow, overflow, method;
};

/* From NETWORK_BYTES, DEPENDENCY_BYTES, TABLE_BYTES bytes. */
struct network_descriptor network_decode(const uint8_t *bytes);
void dependency_decode(const uint8_t *bytes, struct operation *op);
void lut_decode(const uint8_t *bytes, struct lut_param *lut);

/* Sizes of a cube in the two layouts. */
enum { OLD_CUBE_BYTES = 28, CUBE_BYTES = 32 };

/* From OPERATION_BYTES and SURFACE_BYTES bytes, after dependency_decode, with an existing type. old: the layout with
 * cubes of 28 bytes. Addresses stay 0. */
void operation_decode(const uint8_t *operation, const uint8_t *surface, bool old, struct operation *op);

/* The inverse, in the new layout. index: of the operation in its task. Of operations the bytes are 0 before. */
void network_encode(const struct network_descriptor *descriptor, uint8_t *bytes);
void dependency_encode(const struct operation *op, int index, uint8_t *bytes);
void operation_encode(const struct operation *op, uint8_t *operation, uint8_t *surface);

/* Calls a function for every cube of an operation; BDMA has none. */
void operation_cubes(struct operation *op, void (*each)(void *context, struct data_cube *cube, const char *name),
                     void *context);
