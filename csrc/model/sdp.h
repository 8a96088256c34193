/* SDP and SDP_RDMA: single-point operations on INT8 cubes or on sums from CACC, to memory or to PDP.
 *
 * The engine works on whole lines of atoms: input line -> BS -> BN -> output convertor -> output line. All lanes of all
 * atoms are processed, lanes beyond the channel count like any other. EW and its table are absent: bypassed. Spec:
 * 50-sdp.
 */
#ifndef MODEL_SDP_H
#define MODEL_SDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/dma.h"
#include "model/register_group.h"
#include "nvdla/config.h"

enum sdp_algorithm { SDP_MAX, SDP_MIN, SDP_SUM, SDP_EQUAL };

/* Settings of an X stage (BS, BN). */
struct sdp_stage {
    bool bypass, alu_bypass, mul_bypass, prelu, relu;
    enum sdp_algorithm algorithm;
    unsigned alu_shift; /* left shift of the ALU operand, 0..63 */
    unsigned mul_shift; /* right shift of the product, 0..63 */
    bool alu_from_memory, mul_from_memory;
    int16_t alu_operand, mul_operand; /* register operands */
};

/* Applies one stage to `count` elements in place. alu and mul hold one operand per element; each may be NULL if that
 * half is bypassed.
 *
 * Spec: 50-sdp section 5.1. */
void sdp_stage_apply(const struct sdp_stage *stage, int32_t *data, const int16_t *alu, const int16_t *mul,
                     size_t count);

/* Settings of the output convertor. */
struct sdp_convertor {
    int32_t offset;
    int16_t scale;
    unsigned shift; /* 0..63 */
};

/* Converts `count` elements to INT8. Returns how many of them raise the saturation flag, which looks at the 17-bit step
 * only.
 *
 * Spec: 50-sdp sections 5.3 and 10 (small). */
uint64_t sdp_convert(const struct sdp_convertor *convertor, const int32_t *data, int8_t *out, size_t count);

/* An operand DMA: BRDMA or NRDMA. */
struct sdp_operands {
    bool enabled;
    int components; /* 1 or 2 per element; 2: ALU, then MUL */
    bool has_alu, has_mul;
    size_t component_bytes; /* 1 or 2 */
    bool per_element;       /* else per kernel: one operand atom per surface */
    bool primary;
    uint64_t base;
    uint64_t line_stride, surface_stride; /* bytes */
};

enum { SDP_STAGES = 2 }; /* BS, BN */

/* A layer as the two armed register groups describe it. */
struct sdp_layer {
    bool flying;    /* input from CACC */
    bool uses_rdma; /* reads input or operands from memory: SDP_RDMA takes part */
    bool to_pdp;
    bool compare;  /* EW is programmed to compare: nothing is written, the convertor passes the low bits */
    bool valid;    /* the registers of SDP and SDP_RDMA fit together; else the hardware would hang */
    bool leftover; /* operands are fetched that no stage takes: SDP finishes, SDP_RDMA never does */
    bool count_saturation;
    bool source_primary, destination_primary;
    int width, height, surfaces;                  /* of the cube, in atoms */
    size_t atom;                                  /* elements (= bytes) of an atom */
    uint64_t source, source_line, source_surface; /* base and strides, bytes */
    uint64_t destination, destination_line, destination_surface;
    struct sdp_stage stage[SDP_STAGES];
    struct sdp_operands operands[SDP_STAGES];
    struct sdp_convertor convertor;
};

/* Reads the layer out of the registers of the CONSUMER groups of both units; those of rdma count only if uses_rdma. */
void sdp_layer_decode(struct sdp_layer *layer, const struct nvdla_config *config, const struct register_group *sdp,
                      const struct register_group *rdma);

/* True if SDP_RDMA has something to read in this setting of its registers. */
bool sdp_rdma_busy(const struct register_group *rdma);

/* Atoms of the cube. */
uint64_t sdp_layer_atoms(const struct sdp_layer *layer);

/* A layer in progress. */
struct sdp_run;

/* Where a layer reads and writes; only what it uses counts. */
struct sdp_clients {
    struct dma main, operands[SDP_STAGES], output;
    /* Flying layers: the next `atoms` results of CACC, in the order surface, line, column, as many as an atom has
     * elements each. */
    void (*results)(void *context, int32_t *results, size_t atoms);
    void *context;
};

/* What a layer leaves in the status registers. */
struct sdp_result {
    uint64_t saturated; /* lanes flagged by the convertor; 0 in compare mode */
    bool unequal;       /* any output byte that was not zero */
};

/* Starts a valid layer. clients must outlive the run. NULL only when memory is exhausted. */
struct sdp_run *sdp_run_new(const struct sdp_layer *layer, struct sdp_clients *clients);
void sdp_run_free(struct sdp_run *run);

/* Computes the next line in processing order (surface, line): layer width * atom bytes at out. At most height *
 * surfaces calls. */
void sdp_run_line(struct sdp_run *run, uint8_t *out);

/* Runs a whole layer whose destination is memory. */
void sdp_run_to_memory(struct sdp_run *run);

/* What the lines so far add up to. */
struct sdp_result sdp_run_result(const struct sdp_run *run);

#endif
