/* CDMA: fetches the input (feature cube or image) and the weights of convolution layers into CBUF.
 *
 * A layer has two engines, data and weights. Each goes from PEND (banks changed: waits for CSC) through BUSY (fetching
 * what CBUF has room for) to DONE. What does not fit waits until CSC releases entries; what never fits waits for ever.
 * The layer's registers are in cdma_layer.h, the input on its way into CBUF in cdma_input.h, the convertor in
 * cdma_convertor.h; cdma_weights.c is the weight engine. Spec: 30-cdma-cbuf, 20-data-formats sections 2, 4, 5, 6 and 9.
 */
#pragma once

#include "model/buffer.h"
#include "model/cbuf.h"
#include "model/cdma_convertor.h"
#include "model/cdma_layer.h"
#include "model/dma.h"
#include "model/register_group.h"
#include "nvdla/config.h"
#include "observe/tap.h"

enum cdma_phase { CDMA_IDLE, CDMA_PEND, CDMA_BUSY, CDMA_DONE };

/* Progress of the weight engine in a layer. */
struct cdma_weights {
    enum cdma_phase phase;
    uint64_t fetched;       /* atoms of weights */
    uint64_t masks_fetched; /* atoms of WMB */
    uint64_t kernels;       /* reported to CSC */
};

/* Most kernel groups of a layer with compressed weights: 8192 kernels in groups of 16. */
enum { CDMA_GROUPS = 512 };

struct cdma {
    size_t atom;          /* bytes */
    enum cdma_phase data; /* CDMA_IDLE: no layer has started */
    size_t lines;         /* lines fetched in this layer; Winograd: of the extended cube */
    struct cdma_weights weights;
    struct cdma_layer layer;
    struct cdma_convertor convertor;
    struct cdma_specials data_specials, weight_specials; /* of this layer */
    bool sizes_known;                                    /* WGS has been read: */
    uint64_t group_ends[CDMA_GROUPS];                    /* end of each kernel group in compressed bytes */
    /* State left by the last finished layer. */
    size_t last_data_banks, last_weight_banks;
    enum cdma_mode last_mode;
    bool last_skip_data, last_skip_weights;
    struct tap_out tap;                            /* input of the layer whose group is armed */
    struct tap_out data_tap, weight_tap, mask_tap; /* what it writes into CBUF */
    bool by_address;                               /* order of data_tap: see conv_streams_data() */
    struct buffer slice, line;                     /* of struct cdma_input */
};

void cdma_init(struct cdma *cdma, const struct nvdla_config *config);
void cdma_reset(struct cdma *cdma);
void cdma_free(struct cdma *cdma);

/* Whether the memory answers the read clients of the two engines. Weights, WMB and WGS share a client. */
struct cdma_served {
    bool data, weights;
};

/* True if cdma_step() would change anything. regs is the unit's register group. */
bool cdma_can_step(const struct cdma *cdma, const struct cbuf *cbuf, const struct register_group *regs,
                   struct cdma_served served);

struct cdma_clients {
    struct dma data, weights; /* each only if it is served */
};

/* Starts the layer of an armed group and fetches what fits into CBUF now. */
void cdma_step(struct cdma *cdma, struct cbuf *cbuf, const struct nvdla_config *config,
               const struct register_group *regs, struct cdma_served served, struct cdma_clients *clients);

/* True if the weight engine, if served, has something to fetch or report now. */
bool cdma_weights_move(const struct cdma *cdma, const struct cbuf *cbuf);

/* Steps the weight engine only: fetches as long as bursts fit. */
void cdma_fetch_weights(struct cdma *cdma, struct cbuf *cbuf, struct dma *client);

/* Updates the accounts like cdma_fetch_weights(), but fetches nothing: for looking ahead on copies. Compressed weights
 * need their group sizes, which the engine's first cdma_step() reads; before, nothing happens. */
void cdma_account_weights(const struct cdma *cdma, const struct cbuf *cbuf, struct cdma_weights *weights,
                          struct cbuf_weights *account);

/* The handshake with CSC: pending engines start fetching. */
void cdma_leave_pend(struct cdma *cdma, bool data);

/* True if both engines are done; cdma_end() then stores the layer and is ready for the next. */
bool cdma_layer_done(const struct cdma *cdma);
void cdma_end(struct cdma *cdma);
