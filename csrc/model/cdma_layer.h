/* A layer of CDMA as its registers describe it.
 *
 * Spec: 30-cdma-cbuf section 2, 20-data-formats section 9.
 */
#ifndef MODEL_CDMA_LAYER_H
#define MODEL_CDMA_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/cbuf.h"
#include "model/dma.h"
#include "model/register_group.h"
#include "nvdla/config.h"
#include "nvdla/pixel.h"

/* What the data engine makes of its input. Reuse depends on it. */
enum cdma_mode { CDMA_FEATURE, CDMA_IMAGE, CDMA_WINOGRAD };

/* Sizes are true sizes, addresses and strides bytes. What a mode does not use is neutral: one batch, strides of 1. */
struct cdma_layer {
    enum cdma_mode mode;
    enum nvdla_precision in, proc;
    bool data_reuse, weight_reuse, skip_data, skip_weights;
    size_t data_banks, weight_banks;
    bool data_primary, weight_primary; /* RAM types */
    size_t width, height, surfaces;    /* to be fetched; surfaces: not of images */
    size_t channels;                   /* of cubes */
    size_t slice_entries;              /* ENTRY_PER_SLICE */
    size_t batches;
    size_t grain;                                     /* lines that are fetched together; Winograd: a superslice */
    bool packed_lines;                                /* a grain is one run of atoms, whatever the line stride says */
    uint64_t base[2], line_stride[2], surface_stride; /* [1]: UV plane */
    uint64_t batch_stride;
    size_t pad_left, pad_right, pad_top;    /* pixels of the input; image: left and right, Winograd: left and top */
    uint16_t pad;                           /* value; INT8 has it in the low byte */
    const struct nvdla_pixel_format *pixel; /* image; NULL: not a format of this configuration */
    size_t x_offset;                        /* image; pixels */
    size_t chunk;                           /* image: bytes of AtomicC elements, to which lines are filled up */
    size_t stride_x, stride_y;              /* Winograd: steps of the channel extension */
    size_t extended_width, extended_height; /* Winograd: extended cube, in whole superslices and columns of 4 */
    bool compressed;                        /* weights come with WMB and WGS */
    uint64_t weights, masks, sizes;         /* addresses of weights, WMB and WGS */
    uint64_t weight_atoms, mask_atoms;
    uint64_t kernel_bytes; /* of one kernel, uncompressed */
    uint64_t kernels;
    uint64_t kernel_group; /* kernels of a group */
};

/* Reads the registers of group CONSUMER. */
void cdma_layer_decode(struct cdma_layer *layer, const struct nvdla_config *config, const struct register_group *regs);

/* Lines that come into CBUF: those of the input, with Winograd those of the extended cube. */
size_t cdma_layer_lines(const struct cdma_layer *layer);

/* Atoms of input that the layer moves (image: pixels). */
uint64_t cdma_layer_atoms(const struct cdma_layer *layer);

#endif
