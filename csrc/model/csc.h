/* CSC, CMAC and CACC: the convolution core from CBUF to the stream that CACC hands to SDP.
 *
 * CSC starts a layer on its own (releases what the last layer left, resets the rings when banks changed). The layer
 * then runs when its input is complete, its weights will come and all units of the core and SDP are armed; SDP draws
 * the results in the order kernel group, position. Spec: 40-convolution-core, 30-cdma-cbuf section 9.
 */
#ifndef MODEL_CSC_H
#define MODEL_CSC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/cbuf.h"
#include "model/cdma.h"
#include "model/crep.h"
#include "model/register_group.h"
#include "nvdla/config.h"

/* A layer as CSC's registers describe it. Sizes are true sizes. */
struct csc_layer {
    bool image;
    bool data_reuse, weight_reuse, skip_data, skip_weights;
    size_t data_banks, weight_banks;
    size_t width, height, channels; /* input; image: width is unused, channels are those of a kernel row (S*C) */
    size_t pixel;                   /* image: elements of a pixel, 1, 3 or 4 */
    size_t kernel_width, kernel_height, kernels;
    size_t extension;     /* image: kernel rows whose weights stand together, 1, 2 or 4 */
    size_t slice_entries; /* ENTRY_PER_SLICE */
    size_t weight_bytes;
    size_t out_width;
    size_t positions; /* of the output */
    size_t release;   /* slices */
    size_t stride_x, stride_y, dilation_x, dilation_y;
    size_t pad_left, pad_top;
    int8_t pad;
};

void csc_layer_decode(struct csc_layer *layer, const struct register_group *regs);

/* Kernel groups, each AtomicK kernels (the last: the rest), each one surface of the output. */
size_t csc_layer_groups(const struct csc_layer *layer, size_t kernel_group);

/* Multiply-adds of the layer. */
uint64_t csc_layer_work(const struct csc_layer *layer);

struct csc {
    size_t kernel_group; /* AtomicK */
    bool started;        /* the layer of the armed group */
    struct csc_layer layer;
    /* What the last finished layer left. */
    size_t last_data_banks, last_weight_banks;
    size_t left, last_entries; /* slices not released, entries of each */
    bool last_image, last_skip_weights;
    size_t last_weight_bytes, last_kernels;
    struct crep_cache tables;
};

void csc_init(struct csc *csc, const struct nvdla_config *config);
void csc_reset(struct csc *csc);
void csc_free(struct csc *csc);

/* True if the layer of the armed group has not been started and can be: CDMA answers if the banks changed. */
bool csc_can_start(const struct csc *csc, const struct cdma *cdma, const struct register_group *regs);

/* Starts it: sections 6 of chapter 40, 3 and 9.2 of chapter 30. */
void csc_start(struct csc *csc, struct cdma *cdma, struct cbuf *cbuf, const struct register_group *regs);

/* True if the started layer gets its whole input and all its weights; weights_served tells that CDMA's weight client is
 * answered. */
bool csc_can_run(const struct csc *csc, const struct cdma *cdma, const struct cbuf *cbuf, bool weights_served);

/* A layer in progress. */
struct csc_run;

/* Starts the flow of results of a layer that can run.
 *
 * truncate  CLIP_TRUNCATE of CACC
 * client    CDMA's weight client, for weights that come while others are used; NULL if it is not served
 * NULL only when memory is exhausted. */
struct csc_run *csc_run_new(struct csc *csc, struct cdma *cdma, struct cbuf *cbuf, struct dma *client,
                            unsigned truncate);

/* The next `atoms` results of CACC: AtomicK each, 0 in the lanes that have no kernel; in all positions x groups. */
void csc_run_next(struct csc_run *run, int32_t *results, size_t atoms);

/* Results that were clamped to 32 bits so far. */
uint64_t csc_run_saturated(const struct csc_run *run);

/* Ends the layer: releases input slices and remembers what the next layer needs to know. */
void csc_run_end(struct csc_run *run);
void csc_run_free(struct csc_run *run);

#endif
