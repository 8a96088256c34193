/* The weight engine of CDMA: weights and, if compressed, mask bits (WMB) and group sizes (WGS).
 *
 * Spec: 30-cdma-cbuf section 8, 20-data-formats sections 5 and 6. */
#include "model/cdma.h"
#include "model/conv_streams.h"
#include "nvdla/sizes.h"
#include "nvdla_offsets.h"

/* Longest request in atoms; requests do not cross multiples of it. Section 8.1. */
enum { BURST = 8 };

/* ---- accounts ---- */

/* A surface read linearly into a ring. */
struct surface_stream {
    uint64_t address, atoms;
    struct cbuf_ring ring;
};

static struct surface_stream weight_stream(const struct cdma_layer *layer, const struct cbuf *cbuf) {
    return (struct surface_stream){layer->cubes.weights, layer->cubes.weight_atoms,
                                   cbuf_weight_ring(cbuf, layer->data_banks, layer->weight_banks)};
}

static struct surface_stream mask_stream(const struct cdma_layer *layer, const struct cbuf *cbuf) {
    return (struct surface_stream){layer->cubes.masks, layer->cubes.mask_atoms, cbuf_mask_ring(cbuf)};
}

/* Atoms of the next burst: up to the next multiple of BURST atoms. */
static uint64_t next_burst(const struct surface_stream *stream, const struct cbuf *cbuf, uint64_t fetched) {
    uint64_t burst = BURST - (stream->address / cbuf->atom + fetched) % BURST, rest = stream->atoms - fetched;
    return burst < rest ? burst : rest;
}

static bool burst_fits(const struct surface_stream *stream, const struct cbuf *cbuf, uint64_t fetched, size_t held) {
    return held + next_burst(stream, cbuf, fetched) <= stream->ring.entries * cbuf->slots;
}

/* Accounts for all bursts that fit. write and held are those of the ring, in atoms. */
static void account_stream(const struct surface_stream *stream, const struct cbuf *cbuf, uint64_t *fetched,
                           size_t *write, size_t *held) {
    size_t atoms = 0;
    while (*fetched < stream->atoms && burst_fits(stream, cbuf, *fetched, *held + atoms)) {
        size_t burst = (size_t)next_burst(stream, cbuf, *fetched);
        atoms += burst;
        *fetched += burst;
    }
    if (atoms > 0 && *fetched == stream->atoms) {
        /* The next layer starts with a new entry. */
        atoms += (cbuf->slots - (*write + atoms) % cbuf->slots) % cbuf->slots;
    }
    *write = (*write + atoms) % (stream->ring.entries * cbuf->slots);
    *held += atoms;
}

/* True if the next group to report has arrived: the last group waits for everything. Sections 8.1 and 8.2. */
static bool group_complete(const struct cdma *cdma, const struct cdma_weights *weights) {
    const struct cdma_layer *layer = &cdma->layer;
    if (weights->kernels == layer->cubes.kernels)
        return false;
    if (layer->cubes.kernels - weights->kernels <= layer->cubes.kernel_group)
        return weights->fetched == layer->cubes.weight_atoms && weights->masks_fetched == layer->cubes.mask_atoms;
    uint64_t bytes = (weights->kernels + layer->cubes.kernel_group) * layer->cubes.kernel_bytes;
    if (!layer->cubes.compressed)
        return weights->fetched * cdma->atom >= bytes;
    uint64_t elements = layer->cubes.proc == NVDLA_INT8 ? bytes : bytes / 2;
    return weights->fetched * cdma->atom >= cdma->group_ends[weights->kernels / layer->cubes.kernel_group] &&
           weights->masks_fetched * cdma->atom * 8 >= elements;
}

static bool sizes_missing(const struct cdma *cdma) {
    return cdma->layer.cubes.compressed && !cdma->sizes_known;
}

void cdma_account_weights(const struct cdma *cdma, const struct cbuf *cbuf, struct cdma_weights *weights,
                          struct cbuf_weights *account) {
    if (weights->phase != CDMA_BUSY || sizes_missing(cdma))
        return;
    const struct cdma_layer *layer = &cdma->layer;
    const struct surface_stream bytes = weight_stream(layer, cbuf), masks = mask_stream(layer, cbuf);
    account_stream(&bytes, cbuf, &weights->fetched, &account->write, &account->held);
    account_stream(&masks, cbuf, &weights->masks_fetched, &account->mask_write, &account->mask_held);
    while (group_complete(cdma, weights)) {
        uint64_t rest = layer->cubes.kernels - weights->kernels;
        uint64_t kernels = rest < layer->cubes.kernel_group ? rest : layer->cubes.kernel_group;
        account->kernels += (size_t)kernels;
        weights->kernels += kernels;
    }
    if (weights->kernels == layer->cubes.kernels)
        weights->phase = CDMA_DONE;
}

bool cdma_weights_move(const struct cdma *cdma, const struct cbuf *cbuf) {
    const struct cdma_weights *weights = &cdma->weights;
    if (weights->phase != CDMA_BUSY)
        return false;
    const struct surface_stream bytes = weight_stream(&cdma->layer, cbuf), masks = mask_stream(&cdma->layer, cbuf);
    return sizes_missing(cdma) || group_complete(cdma, weights) ||
           (weights->fetched < bytes.atoms && burst_fits(&bytes, cbuf, weights->fetched, cbuf->weights.held)) ||
           (weights->masks_fetched < masks.atoms &&
            burst_fits(&masks, cbuf, weights->masks_fetched, cbuf->weights.mask_held));
}

/* ---- fetching ---- */

/* Reads WGS, a 32-bit word per group, in whole atoms. */
static void read_sizes(struct cdma *cdma, struct dma *client) {
    const struct cdma_layer *layer = &cdma->layer;
    size_t groups = ceil_div(layer->cubes.kernels, layer->cubes.kernel_group);
    size_t atoms = ceil_div(groups * sizeof(uint32_t), cdma->atom);
    uint32_t sizes[CDMA_GROUPS];
    dma_read(client, layer->cubes.sizes, sizes, atoms);
    uint64_t end = 0;
    for (size_t group = 0; group < groups; group++) {
        end += sizes[group];
        cdma->group_ends[group] = end;
    }
    cdma->sizes_known = true;
}

/* Reads atoms [from, to) of a stream to atom `at` of its ring and following. */
static void read_stream(const struct surface_stream *stream, struct cbuf *cbuf, struct dma *client, uint64_t from,
                        uint64_t to, size_t at, struct cdma_specials *specials) {
    uint8_t bytes[MEMORY_PAGE];
    while (from < to) {
        size_t most = sizeof bytes / cbuf->atom;
        size_t atoms = to - from < most ? (size_t)(to - from) : most, size = atoms * cbuf->atom;
        dma_read(client, stream->address + from * cbuf->atom, bytes, atoms);
        if (specials)
            cdma_watch(specials, bytes, size / 2);
        cbuf_write(cbuf, stream->ring, at * cbuf->atom, bytes, size);
        from += atoms;
        at += atoms;
    }
}

void cdma_fetch_weights(struct cdma *cdma, struct cbuf *cbuf, struct dma *client) {
    const struct cdma_weights before = cdma->weights;
    if (before.phase != CDMA_BUSY)
        return;
    if (sizes_missing(cdma))
        read_sizes(cdma, client);
    const struct surface_stream bytes = weight_stream(&cdma->layer, cbuf), masks = mask_stream(&cdma->layer, cbuf);
    size_t to = cbuf->weights.write, masks_to = cbuf->weights.mask_write;
    cdma_account_weights(cdma, cbuf, &cdma->weights, &cbuf->weights);
    read_stream(&bytes, cbuf, client, before.fetched, cdma->weights.fetched, to, &cdma->weight_specials);
    read_stream(&masks, cbuf, client, before.masks_fetched, cdma->weights.masks_fetched, masks_to, NULL);
    conv_streams_weights(&cdma->weight_tap, cbuf, bytes.ring, to, (size_t)(cdma->weights.fetched - before.fetched));
    conv_streams_weights(&cdma->mask_tap, cbuf, masks.ring, masks_to,
                         (size_t)(cdma->weights.masks_fetched - before.masks_fetched));
}
