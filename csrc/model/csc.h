/* CSC: the layers of the convolution core as its registers describe them, and their accounts of CBUF.
 *
 * CSC starts a layer alone: it releases what the last layer left and resets the rings if banks changed. The layer runs
 * (csc_run.h) once its input is complete, its weights are certain to arrive, and all units of the core and SDP are
 * armed. Spec: 40-convolution-core sections 6 and 7, 30-cdma-cbuf section 9. */
#pragma once

#include "layers/view.h"
#include "model/cbuf.h"
#include "model/cdma.h"
#include "model/crep.h"
#include "model/register_group.h"
#include "nvdla/config.h"
#include "nvdla/errata.h"

enum csc_mode { CSC_FEATURE, CSC_IMAGE, CSC_WINOGRAD };

/* A layer as CSC's registers describe it. Sizes are true sizes. */
struct csc_layer {
    enum csc_mode mode;
    enum nvdla_precision precision;
    bool valid; /* otherwise its results are undefined and it never runs */
    bool compressed;
    bool data_reuse, weight_reuse, skip_data, skip_weights;
    size_t data_banks, weight_banks;
    size_t width, height, channels; /* input; image: width is unused, channels are those of a kernel row (S*C) */
    size_t pixel;                   /* image: elements of a pixel, 1, 3 or 4 */
    size_t batches;
    size_t kernel_width, kernel_height, kernels; /* Winograd: 4 x 4 */
    size_t kernel_group;                         /* kernels of a full group: a surface of the output */
    size_t extension;                            /* image: kernel rows whose weights are stored together, 1, 2 or 4 */
    size_t slice_entries;                        /* ENTRY_PER_SLICE */
    size_t weight_bytes, mask_bytes;
    size_t out_width;
    size_t positions; /* of one output */
    size_t release;   /* slices */
    size_t stride_x, stride_y, dilation_x, dilation_y;
    size_t pad_left, pad_top;
    int16_t pad; /* INT8 sign-extended, FP16 a pattern */
    unsigned pra_truncate;
    struct errata_line erratum; /* E1 is computed: windows have elements of their own; row 0: it is not */
};

void csc_layer_decode(struct csc_layer *layer, const struct registers_view *view);

/* Kernel groups, each kernel_group kernels (the last: the rest). */
size_t csc_layer_groups(const struct csc_layer *layer);

/* Kernels of group g. */
size_t csc_layer_group_kernels(const struct csc_layer *layer, size_t g);

/* Elements of a kernel. */
size_t csc_layer_kernel_elements(const struct csc_layer *layer);

/* Multiply-adds of the layer. */
uint64_t csc_layer_work(const struct csc_layer *layer);

/* The key of a valid layer's table. */
struct crep_shape csc_layer_shape(const struct csc_layer *layer, const struct nvdla_config *config,
                                  const struct cbuf *cbuf);

/* Elements of the layer's input in the table's layout, all batches with their halos, or of its source if that is
 * larger; SIZE_MAX if too many to count. For valid layers. */
size_t csc_layer_stored(const struct csc_layer *layer, const struct nvdla_config *config, const struct cbuf *cbuf);

struct csc {
    const struct nvdla_config *config;
    bool errata;  /* layers are computed with erratum E1 of NVIDIA's RTL */
    bool started; /* layer of the armed group */
    struct csc_layer layer;
    /* State left by the last finished layer. */
    size_t last_data_banks, last_weight_banks;
    size_t left, last_entries; /* slices not released, entries of each (of all batches) */
    enum csc_mode last_mode;
    bool last_skip_weights;
    size_t last_weight_bytes, last_mask_bytes, last_kernels;
    struct crep_cache tables;
};

void csc_init(struct csc *csc, const struct nvdla_config *config);
void csc_reset(struct csc *csc);
void csc_free(struct csc *csc);

/* True if the layer of the armed group has not started and can: CDMA answers if the banks changed. */
bool csc_can_start(const struct csc *csc, const struct cdma *cdma, const struct register_group *regs);

/* Starts it: chapter 40 section 6, chapter 30 sections 3 and 9.2. */
void csc_start(struct csc *csc, struct cdma *cdma, struct cbuf *cbuf, const struct register_group *regs);

/* True if the started layer gets its whole input and all its weights. weights_served: CDMA's weight client is
 * answered. */
bool csc_can_run(const struct csc *csc, const struct cdma *cdma, const struct cbuf *cbuf, bool weights_served);

/* Subtracts `kernels`, and the entries of the weight and mask rings that only they used, from the weight accounts. The
 * caller moves the read pointers. */
void csc_release_weights(struct cbuf_weights *weights, const struct cbuf *cbuf, size_t entries, size_t mask_entries,
                         size_t kernels);

/* Ends the layer: releases input slices and stores what the next layer depends on. */
void csc_end(struct csc *csc, struct cbuf *cbuf);
