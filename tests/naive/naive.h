/* A second, slow reading of the chapters: every unit as the plain mathematical definition, on memory.
 *
 * Written from the specification alone; shares no arithmetic, no layout and no control with csrc/model. Sizes are in
 * elements, addresses in bytes. One file per unit executes one layer of it, from the registers of the group that the
 * unit would execute next (the consumer group). A layer that this file has no definition for is reported by
 * naive_unsupported and ends the run. */
#pragma once

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/memory.h"
#include "nvdla/config.h"
#include "nvdla/error.h"
#include "nvdla/registers.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"
#include "trace/program.h"

enum { NAIVE_WINDOW_WORDS = 1024, NAIVE_LE_ENTRIES = 65, NAIVE_LO_ENTRIES = 257, NAIVE_BDMA_QUEUE = 20 };

struct naive_unit {
    uint32_t words[2][NAIVE_WINDOW_WORDS]; /* by group; registers that exist once are kept alike in both */
    bool armed[2];
    int consumer;
    int layers; /* finished */
};

/* The two tables of SDP or CDP and their access port (chapter 55 section 3). */
struct naive_tables {
    uint16_t le[NAIVE_LE_ENTRIES], lo[NAIVE_LO_ENTRIES];
    uint32_t pointer;
};

/* One line of convolution input: a feature line of all batches, an image line, or an extended Winograd line. */
struct naive_slice {
    int batches, width, lanes; /* element (b, x, c) is elements[(b * width + x) * lanes + c]; image: lanes 1 */
    int components;            /* image: components of a pixel, else 0 */
    int32_t *elements;         /* INT8, INT16 sign-extended; FP16 patterns */
};

/* What CDMA has delivered and CSC has not released yet, oldest first. */
struct naive_cbuf {
    struct naive_slice *slices;
    size_t slice_count;
    uint8_t *weights, *masks; /* whole entries */
    size_t weight_bytes, mask_bytes;
    int left;          /* slices that CSC's last layer did not release */
    bool weights_kept; /* CSC's last layer had SKIP_WEIGHT_RLS */
    size_t kept_bytes; /* its WEIGHT_BYTES and WMB_BYTES */
    size_t kept_masks;
    int csc_mode;        /* of CSC's last layer, -1 before the first */
    bool cdma_ran;       /* any layer since reset */
    int cdma_mode;       /* of CDMA's last layer */
    uint32_t cdma_banks; /* D_BANK of it */
    bool cdma_skip_data, cdma_skip_weights;
};

struct naive_copy {
    uint32_t words[12]; /* BDMA registers 0x00 to 0x2c */
};

struct naive_bdma {
    struct naive_copy queue[NAIVE_BDMA_QUEUE + 1], group[2][NAIVE_BDMA_QUEUE + 1];
    int queued, count[2];
    bool launched[2];
    int first; /* group that was launched first, if both are */
};

/* Counters inside the units: a layer whose counting is off loads what the last one that counted left. */
struct naive_counters {
    uint32_t sdp_saturation, sdp_nan_input, sdp_inf_input, cacc_saturation;
    uint32_t cdp_idle[4]; /* offset of the table counter that each idle look-up lane counts in, 0: hybrid */
};

/* What happens in INT8 averages of PDP (chapter 60 section 5.3), in the order of the sums; a layer counts once for
 * each. */
enum naive_average {
    NAIVE_AVERAGES,     /* any */
    NAIVE_PADDED,       /* with a pad on some side */
    NAIVE_SUM_WRAPS,    /* any of the next four */
    NAIVE_ROW_WRAPS,    /* the sum along W */
    NAIVE_PAD_WRAPS,    /* the vertical pad term, at 14 bits */
    NAIVE_TOTAL_PASSES, /* rows and vertical pad term together leave 14 bits; of full: the total wraps */
    NAIVE_PRODUCT_WRAPS,
    NAIVE_FIRST_WRAPS, /* the rounded first product */
    NAIVE_RESULT_WRAPS,
    NAIVE_AVERAGE_KINDS
};

struct naive {
    const struct nvdla_config *config;
    struct memory *memory[SPACE_COUNT];
    struct naive_unit units[NVDLA_UNIT_COUNT];
    uint32_t interrupts; /* GLB.S_INTR_STATUS */
    struct naive_tables sdp_tables, cdp_tables;
    struct naive_cbuf cbuf;
    struct naive_bdma bdma;
    struct naive_counters counters;
    uint64_t averages[NAIVE_AVERAGE_KINDS]; /* layers */
    bool failed;
    char message[512]; /* "UNSUPPORTED: ..." */
};

/* Results of a convolution or of SDP, complete: lane l of position p of batch b in surface s is
 * values[((s * batches + b) * positions + p) * lanes + l], a signed integer or an FP32 (SDP: FP16) pattern. */
struct naive_stream {
    int surfaces, batches, positions, lanes;
    int32_t *values;
};

/* Reports what is not defined here. Returns false. */
bool naive_unsupported(struct naive *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- machine ---------------------------------------------------------------------------------------------------- */

struct naive *naive_new(const struct nvdla_config *config);
void naive_free(struct naive *m);
/* Register access by byte address, with every side effect. Layers run in naive_step only. */
void naive_write(struct naive *m, uint32_t address, uint32_t value);
uint32_t naive_read(struct naive *m, uint32_t address);
/* Executes one layer (one chain of layers) that has all it needs. False if there is none, or after a failure. */
bool naive_step(struct naive *m);
/* A unit that is armed and cannot run, for messages; NVDLA_UNIT_COUNT if there is none. */
enum nvdla_unit naive_stuck(const struct naive *m);

/* Register of the consumer group, by offset inside the unit. */
uint32_t naive_register(const struct naive *m, enum nvdla_unit unit, uint32_t offset);
/* Sets a status register of the consumer group. */
void naive_set_register(struct naive *m, enum nvdla_unit unit, uint32_t offset, uint32_t value);
/* True for the status registers that are computed here. */
bool naive_computes(enum nvdla_unit unit, uint32_t offset);
/* Field of one: NAIVE_FIELD(m, CDMA, D_MISC_CFG, CONV_MODE). */
#define NAIVE_FIELD(m, unit, reg, field)                                                                               \
    ((int)((naive_register(m, NVDLA_##unit, unit##_##reg) & unit##_##reg##__##field##_MASK) >>                         \
           unit##_##reg##__##field##_LSB))
/* 64-bit (32-bit) address of a LOW and a HIGH register. */
uint64_t naive_address(const struct naive *m, enum nvdla_unit unit, uint32_t low, uint32_t high);
/* The low bits that an atom's address does not have. */
uint64_t naive_align(const struct naive *m, uint64_t address);

/* True if the configuration has 16-bit types; without them everything is INT8. */
bool naive_has_16(const struct naive *m);
int naive_element_bytes(enum nvdla_precision precision);

/* Memory behind a RAM_TYPE field: 1 primary, 0 secondary (NULL with a report where there is none). */
struct memory *naive_memory(struct naive *m, int ram_type);
/* One element, little endian: INT8 and INT16 sign-extended, FP16 as pattern. */
int32_t naive_load(const struct memory *mem, uint64_t address, enum nvdla_precision precision);
/* Elements of an atom in a buffer. */
int32_t naive_get(const uint8_t *bytes, int index, enum nvdla_precision precision);
void naive_put(uint8_t *bytes, int index, enum nvdla_precision precision, int32_t value);
/* Writes by a unit's layer. */
void naive_store(struct naive *m, struct memory *mem, enum nvdla_unit unit, uint64_t address, const void *bytes,
                 size_t n);

int naive_divide_up(int a, int b);

/* ---- units; each executes the consumer group's layer, false after naive_unsupported ------------------------------ */

bool naive_cdma(struct naive *m);
/* False with *ready = false if CBUF does not hold the layer's input yet. */
bool naive_conv(struct naive *m, struct naive_stream *out, bool *ready);
void naive_cbuf_free(struct naive_cbuf *cbuf);
/* in: results of the convolution, NULL if SDP reads memory. out: what PDP gets, NULL if SDP writes. */
bool naive_sdp(struct naive *m, const struct naive_stream *in, struct naive_stream *out);
/* True if the layer needs SDP_RDMA. */
bool naive_sdp_needs_rdma(const struct naive *m);
bool naive_pdp(struct naive *m, const struct naive_stream *in);
bool naive_cdp(struct naive *m);
bool naive_rubik(struct naive *m);
bool naive_bdma_copy(struct naive *m, int group);

/* ---- programs --------------------------------------------------------------------------------------------------- */

/* Executes a program and its memory checks. False with a reason. */
bool naive_play(struct naive *m, const struct program *prog, uint64_t seed, struct error *err);
