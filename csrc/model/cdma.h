/* CDMA: fetches the input (feature cube or image) and the weights of convolution layers into CBUF.
 *
 * A layer has two engines, data and weights, that go from PEND (banks changed: waits for CSC) over BUSY (fetching what
 * CBUF has room for) to DONE. What does not fit waits until CSC releases entries; what never fits waits for ever.
 * Spec: 30-cdma-cbuf, 20-data-formats sections 2, 4, 5 and 9.
 */
#ifndef MODEL_CDMA_H
#define MODEL_CDMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/cbuf.h"
#include "model/dma.h"
#include "model/register_group.h"
#include "nvdla/config.h"
#include "nvdla/pixel.h"

/* One element through the input convertor: (value - offset) * scale, shifted right with rounding to nearest, ties away
 * from zero, then saturated to 17 bits and to 8.
 *
 * value  17 bits signed; shift 0..63
 * wide   PROC_PRECISION is not INT8: saturates to 16 bits instead and stores the low byte
 * Spec: 30-cdma-cbuf sections 6.3 and 6.4. */
int8_t cdma_convert(int32_t value, int16_t offset, int16_t scale, unsigned shift, bool wide);

enum { CDMA_CHANNELS = 4 }; /* most channels of a pixel */

/* The input convertor of a layer, tabulated over the source byte. */
struct cdma_convertor {
    bool enabled;
    uint8_t zero;                      /* what fills an image line behind its last pixel */
    uint8_t table[CDMA_CHANNELS][256]; /* by channel of the pixel; feature input uses the first */
};

/* A layer as the registers describe it. Sizes are true sizes, addresses and strides bytes. */
struct cdma_layer {
    bool image;
    bool data_reuse, weight_reuse, skip_data, skip_weights;
    size_t data_banks, weight_banks;
    size_t width, height, surfaces;                   /* surfaces: feature input only */
    size_t slice_entries;                             /* ENTRY_PER_SLICE */
    size_t grain;                                     /* lines */
    bool packed_lines;                                /* a grain is one run of atoms, whatever the line stride says */
    uint64_t base[2], line_stride[2], surface_stride; /* [1]: UV plane */
    const struct nvdla_pixel_format *pixel;           /* image only; NULL: not a format of this machine */
    size_t x_offset, pad_left, pad_right;             /* pixels */
    uint8_t pad;
    bool data_primary, weight_primary; /* RAM types */
    uint64_t weights;                  /* address */
    uint64_t weight_atoms;
    uint64_t kernel_bytes, kernels;
};

void cdma_layer_decode(struct cdma_layer *layer, const struct nvdla_config *config, const struct register_group *regs);

/* Atoms of input that the layer moves. */
uint64_t cdma_layer_atoms(const struct cdma_layer *layer);

enum cdma_phase { CDMA_IDLE, CDMA_PEND, CDMA_BUSY, CDMA_DONE };

/* Progress of the weight engine in its layer. */
struct cdma_weights {
    enum cdma_phase phase;
    uint64_t fetched; /* atoms */
    uint64_t kernels; /* reported to CSC */
};

struct cdma {
    size_t atom;          /* bytes */
    size_t kernel_group;  /* kernels: AtomicK */
    enum cdma_phase data; /* CDMA_IDLE: no layer has been started */
    size_t lines;         /* fetched in this layer */
    struct cdma_weights weights;
    struct cdma_layer layer;
    struct cdma_convertor convertor;
    /* What the last finished layer left. */
    size_t last_data_banks, last_weight_banks;
    bool last_image, last_skip_data, last_skip_weights;
    uint8_t *slice; /* a slice as it goes into CBUF */
    uint8_t *line;  /* lines of both planes as read */
    size_t slice_room, line_room;
};

void cdma_init(struct cdma *cdma, const struct nvdla_config *config);
void cdma_reset(struct cdma *cdma);
void cdma_free(struct cdma *cdma);

/* Whether the memory answers the read clients of the two engines. */
struct cdma_served {
    bool data, weights;
};

/* True if cdma_step() would change anything. regs is the unit's register group. */
bool cdma_can_step(const struct cdma *cdma, const struct cbuf *cbuf, const struct register_group *regs,
                   struct cdma_served served);

struct cdma_clients {
    struct dma data, weights; /* each only where it is served */
};

/* Starts the layer of an armed group and fetches what fits into CBUF now. Returns false only when memory is exhausted.
 */
bool cdma_step(struct cdma *cdma, struct cbuf *cbuf, const struct nvdla_config *config,
               const struct register_group *regs, struct cdma_served served, struct cdma_clients *clients);

/* The weight engine alone: fetches as long as bursts fit. */
void cdma_fetch_weights(struct cdma *cdma, struct cbuf *cbuf, struct dma *client);

/* What cdma_fetch_weights() does to the accounts, without fetching: for looking ahead on copies. */
void cdma_account_weights(const struct cdma *cdma, const struct cbuf *cbuf, struct cdma_weights *weights,
                          struct cbuf_weights *account);

/* The handshake with CSC: pending engines start their full fetch. */
void cdma_leave_pend(struct cdma *cdma, bool data);

/* True when both engines are done; then cdma_end() remembers the layer and is ready for the next. */
bool cdma_layer_done(const struct cdma *cdma);
void cdma_end(struct cdma *cdma);

#endif
