/* The cubes that layers read and write, decoded from their registers: the only place that decodes sizes, strides,
 * addresses, memories (RAM types) and precisions of cubes. The engine functions serve the model, coverage and traffic;
 * the launch functions serve callers that only need the location of a launch's data.
 *
 * Decoding never fails: register values are used unchanged, legal or not. Without 16-bit types precisions are INT8;
 * without batches or Winograd, batches are 1 and Winograd is off. */
#pragma once

#include "layers/tracker.h"
#include "layers/view.h"
#include "nvdla/cube.h"
#include "nvdla/pixel.h"

/* A cube and the memory that its RAM_TYPE selects: primary (MC) or secondary (CV), which the configuration may not
 * have. */
struct memory_cube {
    struct cube cube;
    bool primary;
};

/* ---- SDP ------------------------------------------------------------------------------------- */

enum sdp_stage_index { SDP_BS, SDP_BN, SDP_EW, SDP_STAGES };

/* A configuration without a stage passes data on unchanged, and reads no operands. */
bool sdp_has_stage(const struct nvdla_config *config, enum sdp_stage_index stage);

/* What the registers of both SDP and SDP_RDMA say. Spec: 50-sdp sections 3, 7 and 8. */
struct sdp_shape {
    bool flying;   /* input from CACC */
    bool winograd; /* order of the pipe */
    int width, height, channels, batches;
    enum nvdla_precision in, proc, out; /* as programmed, including 3; SDP does not know `in` and has `proc` there */
    int lanes;                          /* elements of a processing group: E of chapter 50 */
    int surfaces;                       /* processing groups per pixel: NS of chapter 50 */
};

/* SDP's registers. */
struct sdp_cubes {
    struct sdp_shape shape;
    bool to_pdp;
    bool compare; /* EW compares: nothing is written (section 9) */
    struct memory_cube destination;
};

/* An operand DMA: BRDMA, NRDMA or ERDMA. Sections 4 and 8.3. */
struct sdp_operands {
    bool enabled;
    int components; /* 1 or 2 per element; 2: first ALU, then MUL */
    bool has_alu, has_mul;
    size_t component_bytes; /* 1 or 2 */
    bool per_element;       /* otherwise per kernel: one operand atom per surface */
    bool primary;
    uint64_t base;
    uint64_t line_stride, surface_stride; /* bytes */
};

/* SDP_RDMA's registers. Operands of absent stages are not enabled. */
struct sdp_rdma_cubes {
    struct sdp_shape shape;
    struct memory_cube source; /* read unless flying */
    struct sdp_operands operands[SDP_STAGES];
};

struct sdp_cubes sdp_cubes(const struct registers_view *view);
struct sdp_rdma_cubes sdp_rdma_cubes(const struct registers_view *view);

/* Surfaces in memory per surface of the pipe, 1 or 2: INT8 processing moves both 16-bit surfaces of each group. */
int sdp_memory_surfaces(const struct sdp_shape *shape, enum nvdla_precision precision);

/* ---- PDP ------------------------------------------------------------------------------------- */

/* A width cut into vertical strips: first + (count - 2) * middle + last columns. Count 1: first is the whole width.
 * Spec: 60-pdp section 7. */
struct pdp_strips {
    int count, first, middle, last;
};

/* Columns of all strips if each after the first has `overlap` more columns (fewer if negative; never below 0). */
int64_t pdp_strip_columns(const struct pdp_strips *strips, int overlap);

/* Place of a strip in the input and in the output. */
struct pdp_strip {
    int column, width; /* input columns to be read; column may be negative in illegal programs */
    int out_column, out_width;
};

/* Strip 0 .. in->count - 1. overlap: columns shared with the previous strip, kernel width minus stride. Spec: 60-pdp
 * section 7. */
struct pdp_strip pdp_strip(const struct pdp_strips *in, const struct pdp_strips *out, int overlap, int index);

/* True if the window of some output line contains input line y. kernel, stride: heights. */
bool pdp_line_counts(int y, int kernel, int stride, int pad_top, int out_height);

/* PDP's registers. Spec: 60-pdp section 3. */
struct pdp_cubes {
    bool from_memory;               /* otherwise from SDP */
    enum nvdla_precision precision; /* as programmed, including 3 */
    int in_width, in_height, in_channels;
    int out_width; /* of the register; the destination's is that of the strips */
    struct pdp_strips in, out;
    struct memory_cube destination;
};

/* PDP_RDMA's registers. */
struct pdp_rdma_cubes {
    enum nvdla_precision precision;
    struct pdp_strips in;
    int kernel_width, stride_width;
    struct memory_cube source;
};

struct pdp_cubes pdp_cubes(const struct registers_view *view);
struct pdp_rdma_cubes pdp_rdma_cubes(const struct registers_view *view);

/* ---- CDP ------------------------------------------------------------------------------------- */

/* CDP and CDP_RDMA; only CDP_RDMA has the sizes. Spec: 62-cdp section 1. */
struct cdp_cubes {
    int width, height, channels;
    enum nvdla_precision precision, rdma_precision; /* as programmed, including 3 */
    struct memory_cube source, destination;
};

struct cdp_cubes cdp_cubes(const struct registers_view *view);

/* Bits of a product of integers, 25 or 33; 0 in FP16. Spec: 62-cdp section 7. */
int cdp_product_bits(enum nvdla_precision precision);

/* Bits of the sums looked up in the table; 0: floating point. */
int cdp_sum_bits(enum nvdla_precision precision);

/* ---- CDMA ------------------------------------------------------------------------------------ */

/* How the data engine interprets its input. */
enum cdma_mode { CDMA_FEATURE, CDMA_IMAGE, CDMA_WINOGRAD };

/* Sizes are true sizes, addresses and strides in bytes. Spec: 30-cdma-cbuf section 2, 20-data-formats section 9. */
struct cdma_cubes {
    enum cdma_mode mode;
    enum nvdla_precision in, proc; /* as programmed, including 3 */
    bool data_primary, weight_primary;
    size_t width, height, channels;                   /* to be fetched; channels: not for images */
    size_t batches;                                   /* 1 except for feature cubes */
    uint64_t base[2], line_stride[2], surface_stride; /* [1]: UV plane */
    uint64_t batch_stride;
    bool packed_1x1;                        /* feature cube of one pixel whose surfaces are declared contiguous */
    const struct nvdla_pixel_format *pixel; /* image; NULL: this configuration does not have the format */
    size_t x_offset;                        /* image; pixels */
    size_t stride_x, stride_y;              /* Winograd: steps of the channel extension */
    size_t extended_width, extended_height; /* Winograd: extended cube */
    size_t pad_left, pad_right, pad_top;    /* pixels of the input; image: left and right, Winograd: left and top */
    bool compressed;                        /* weights come with WMB and WGS */
    uint64_t weights, masks, sizes;         /* addresses of weights, WMB and WGS */
    uint64_t weight_atoms, mask_atoms;
    uint64_t kernel_bytes; /* of one kernel, uncompressed */
    uint64_t kernels;
    uint64_t kernel_group; /* kernels of a group */
};

struct cdma_cubes cdma_cubes(const struct registers_view *view);

/* The input of a feature layer; for Winograd what would be read without its tiles. */
struct memory_cube cdma_feature(const struct cdma_cubes *cubes, const struct nvdla_config *config);

/* ---- RUBIK and BDMA -------------------------------------------------------------------------- */

enum rubik_mode { RUBIK_CONTRACT, RUBIK_SPLIT, RUBIK_MERGE, RUBIK_UNDEFINED };

/* Spec: 66-rubik sections 2 and 3. */
struct rubik_cubes {
    enum rubik_mode mode;
    int width, height; /* of the input */
    int in_channels, out_channels;
    int surfaces;           /* of the feature cube: contract: of a phase; merge, split: of the output channels */
    int x_stride, y_stride; /* of the deconvolution, 1..32; 1 except for contract */
    size_t element;         /* bytes */
    size_t lanes;           /* elements of an atom */
    size_t planar_atoms;    /* of a planar line */
    uint64_t phase;         /* CONTRACT_STRIDE_0: distance of two phases in the input, bytes */
    /* Planar cubes (source of merge, destination of split) have the planar stride as surface stride. Contract: the
     * source with all its phases as channels, which is what is read if phase == surfaces * surface_stride. */
    struct memory_cube source, destination;
};

struct rubik_cubes rubik_cubes(const struct registers_view *view);

/* A descriptor of BDMA, as cubes of one-byte elements: columns are atoms of a line. Spec: 64-bdma sections 2 and 3. */
struct bdma_cubes {
    uint32_t atoms;           /* of a line, 1..8192 */
    uint32_t lines, surfaces; /* 1..2^24; the cubes have the 13 bits of the store engine */
    struct memory_cube source, destination;
};

struct bdma_cubes bdma_cubes(const struct registers_view *view);

/* ---- launches -------------------------------------------------------------------------------- */

/* The cube that a launch writes to memory. Returns false if it writes none (RDMA units, SDP to PDP, compare mode) or
 * several (BDMA: launch_block). Units: SDP (with its batches), PDP (with split width), CDP, RUBIK (split: a planar
 * cube). primary: always true without secondary memory. Spec: 50-sdp section 8, 60-pdp section 3, 66-rubik section
 * 2. */
bool launch_output_cube(const struct nvdla_config *config, const struct launch *launch, struct cube *cube,
                        bool *primary);

/* The main cube that a launch reads from memory (CDMA feature input with its batches, SDP_RDMA MRDMA, PDP_RDMA,
 * CDP_RDMA, RUBIK); false if it reads none. */
bool launch_input_cube(const struct nvdla_config *config, const struct launch *launch, struct cube *cube,
                       bool *primary);

/* What a BDMA descriptor copies. */
struct launch_block {
    struct cube source, destination;
    bool source_primary, destination_primary;
};

/* The index-th descriptor of a launch; false if there is none. */
bool launch_block(const struct nvdla_config *config, const struct launch *launch, size_t index,
                  struct launch_block *block);
