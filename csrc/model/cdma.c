#include "model/cdma.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/fixed.h"
#include "nvdla_offsets.h"

/* ---- registers ---- */

/* All ones in a field of D_BANK, plus 1. */
#define BANKS_AFTER_RESET ((size_t)REGISTER_FIELD(UINT32_MAX, CDMA_D_BANK__DATA_BANK) + 1)

/* Longest request in atoms; requests do not cross multiples of it. Section 8.1. */
enum { BURST = 8 };

/* Feature and weight addresses lose their low bits before anything is added, those of pixel planes do not.
 * 20-data-formats section 9. */
static uint64_t aligned(const struct nvdla_config *config, uint64_t bytes) {
    return bytes & ~((uint64_t)config->mem_atom - 1);
}

static void decode_feature(struct cdma_layer *layer, const struct nvdla_config *config,
                           const struct register_group *regs) {
    uint32_t map = register_group_value(regs, CDMA_D_DAIN_MAP);
    uint32_t channel = register_group_value(regs, CDMA_D_DATAIN_SIZE_1);
    layer->surfaces = channel / (uint32_t)config->mem_atom + 1;
    layer->base[0] = aligned(config, layer->base[0]);
    layer->line_stride[0] = aligned(config, layer->line_stride[0]);
    layer->surface_stride = aligned(config, register_group_value(regs, CDMA_D_SURF_STRIDE));
    if (REGISTER_FIELD(map, CDMA_D_DAIN_MAP__LINE_PACKED)) {
        layer->packed_lines = true;
        layer->grain = (size_t)register_group_value(regs, CDMA_D_FETCH_GRAIN) + 1;
    }
    if (layer->width == 1 && layer->height == 1 && REGISTER_FIELD(map, CDMA_D_DAIN_MAP__SURF_PACKED)) {
        layer->surface_stride = (uint64_t)config->mem_atom;
    }
}

static void decode_image(struct cdma_layer *layer, const struct nvdla_config *config,
                         const struct register_group *regs) {
    uint32_t format = register_group_value(regs, CDMA_D_DATAIN_FORMAT);
    uint32_t padding = register_group_value(regs, CDMA_D_ZERO_PADDING);
    layer->pixel = nvdla_pixel_format(REGISTER_FIELD(format, CDMA_D_DATAIN_FORMAT__PIXEL_FORMAT));
    layer->base[1] = dma_address(config, regs, CDMA_D_DAIN_ADDR_LOW_1, CDMA_D_DAIN_ADDR_HIGH_1);
    layer->line_stride[1] = register_group_value(regs, CDMA_D_LINE_UV_STRIDE);
    layer->x_offset =
        REGISTER_FIELD(register_group_value(regs, CDMA_D_PIXEL_OFFSET), CDMA_D_PIXEL_OFFSET__PIXEL_X_OFFSET);
    layer->pad_left = REGISTER_FIELD(padding, CDMA_D_ZERO_PADDING__PAD_LEFT);
    layer->pad_right = REGISTER_FIELD(padding, CDMA_D_ZERO_PADDING__PAD_RIGHT);
    layer->pad = (uint8_t)register_group_value(regs, CDMA_D_ZERO_PADDING_VALUE);
}

void cdma_layer_decode(struct cdma_layer *layer, const struct nvdla_config *config, const struct register_group *regs) {
    uint32_t misc = register_group_value(regs, CDMA_D_MISC_CFG);
    uint32_t size = register_group_value(regs, CDMA_D_DATAIN_SIZE_0);
    uint32_t bank = register_group_value(regs, CDMA_D_BANK);
    uint64_t atom = (uint64_t)config->mem_atom;
    *layer = (struct cdma_layer){
        .image = REGISTER_FIELD(register_group_value(regs, CDMA_D_DATAIN_FORMAT), CDMA_D_DATAIN_FORMAT__DATAIN_FORMAT),
        .data_reuse = REGISTER_FIELD(misc, CDMA_D_MISC_CFG__DATA_REUSE),
        .weight_reuse = REGISTER_FIELD(misc, CDMA_D_MISC_CFG__WEIGHT_REUSE),
        .skip_data = REGISTER_FIELD(misc, CDMA_D_MISC_CFG__SKIP_DATA_RLS),
        .skip_weights = REGISTER_FIELD(misc, CDMA_D_MISC_CFG__SKIP_WEIGHT_RLS),
        .data_banks = REGISTER_FIELD(bank, CDMA_D_BANK__DATA_BANK) + 1,
        .weight_banks = REGISTER_FIELD(bank, CDMA_D_BANK__WEIGHT_BANK) + 1,
        .width = REGISTER_FIELD(size, CDMA_D_DATAIN_SIZE_0__DATAIN_WIDTH) + 1,
        .height = REGISTER_FIELD(size, CDMA_D_DATAIN_SIZE_0__DATAIN_HEIGHT) + 1,
        .slice_entries = (size_t)register_group_value(regs, CDMA_D_ENTRY_PER_SLICE) + 1,
        .grain = 1,
        .base = {dma_address(config, regs, CDMA_D_DAIN_ADDR_LOW_0, CDMA_D_DAIN_ADDR_HIGH_0)},
        .line_stride = {register_group_value(regs, CDMA_D_LINE_STRIDE)},
        .data_primary = register_group_value(regs, CDMA_D_DAIN_RAM_TYPE) & CDMA_D_DAIN_RAM_TYPE__DATAIN_RAM_TYPE_MASK,
        .weight_primary =
            register_group_value(regs, CDMA_D_WEIGHT_RAM_TYPE) & CDMA_D_WEIGHT_RAM_TYPE__WEIGHT_RAM_TYPE_MASK,
        .weights = aligned(config, dma_address(config, regs, CDMA_D_WEIGHT_ADDR_LOW, CDMA_D_WEIGHT_ADDR_HIGH)),
        .weight_atoms = register_group_value(regs, CDMA_D_WEIGHT_BYTES) / atom,
        .kernel_bytes = (uint64_t)register_group_value(regs, CDMA_D_WEIGHT_SIZE_0) + 1,
        .kernels = (uint64_t)register_group_value(regs, CDMA_D_WEIGHT_SIZE_1) + 1,
    };
    if (layer->image) {
        decode_image(layer, config, regs);
    } else {
        decode_feature(layer, config, regs);
    }
}

/* Bytes from the first pixel's atom to the end of the last pixel in one line of a plane. */
static size_t plane_bytes(const struct cdma_layer *layer, size_t offset, int plane) {
    return (offset + layer->width) * (size_t)layer->pixel->pixel_bytes[plane];
}

static size_t atoms_of(const struct cdma *cdma, size_t bytes) {
    return (bytes + cdma->atom - 1) / cdma->atom;
}

uint64_t cdma_layer_atoms(const struct cdma_layer *layer) {
    uint64_t pixels = (uint64_t)layer->width * layer->height;
    return layer->image ? pixels : pixels * layer->surfaces;
}

/* ---- convertor ---- */

int8_t cdma_convert(int32_t value, int16_t offset, int16_t scale, unsigned shift, bool wide) {
    int64_t product = ((int64_t)value - offset) * scale;
    /* The clamp to 17 bits is inside the one to 16 or 8 bits. */
    return (int8_t)fixed_saturate(fixed_round_shift(product, shift), wide ? 16 : 8);
}

/* Tabulates the convertor: sign and offset by channel. */
static void convertor_init(struct cdma_convertor *convertor, const struct cdma_layer *layer,
                           const struct register_group *regs) {
    uint32_t config = register_group_value(regs, CDMA_D_CVT_CFG);
    convertor->enabled = REGISTER_FIELD(config, CDMA_D_CVT_CFG__CVT_EN);
    convertor->zero = 0;
    if (!convertor->enabled) {
        return;
    }
    uint32_t misc = register_group_value(regs, CDMA_D_MISC_CFG),
             format = register_group_value(regs, CDMA_D_DATAIN_FORMAT);
    uint32_t mean[2] = {register_group_value(regs, CDMA_D_MEAN_GLOBAL_0),
                        register_group_value(regs, CDMA_D_MEAN_GLOBAL_1)};
    bool wide = REGISTER_FIELD(misc, CDMA_D_MISC_CFG__PROC_PRECISION) != 0;
    bool sign = !layer->image || REGISTER_FIELD(format, CDMA_D_DATAIN_FORMAT__PIXEL_SIGN_OVERRIDE);
    bool means = layer->image && register_group_value(regs, CDMA_D_MEAN_FORMAT) != 0;
    unsigned shift = REGISTER_FIELD(config, CDMA_D_CVT_CFG__CVT_TRUNCATE);
    int16_t scale = (int16_t)register_group_value(regs, CDMA_D_CVT_SCALE);
    int16_t offset = (int16_t)register_group_value(regs, CDMA_D_CVT_OFFSET);
    convertor->zero = (uint8_t)cdma_convert(0, means ? 0 : offset, scale, shift, wide);
    int channels = layer->image && layer->pixel ? layer->pixel->components : 1;
    for (int channel = 0; channel < channels; channel++) {
        int16_t by = means ? (int16_t)(uint16_t)(mean[channel / 2] >> channel % 2 * 16) : offset;
        for (int32_t byte = 0; byte < 256; byte++) {
            int32_t value = sign ? (int8_t)byte : byte;
            convertor->table[channel][byte] = (uint8_t)cdma_convert(value, by, scale, shift, wide);
        }
    }
}

/* ---- data engine ---- */

static bool grow(uint8_t **buffer, size_t *room, size_t size) {
    if (size <= *room) {
        return true;
    }
    uint8_t *grown = realloc(*buffer, size);
    if (!grown) {
        return false;
    }
    *buffer = grown;
    *room = size;
    return true;
}

/* Lines of the next grain (image: one). */
static size_t next_lines(const struct cdma *cdma) {
    size_t rest = cdma->layer.height - cdma->lines;
    return cdma->layer.grain < rest ? cdma->layer.grain : rest;
}

static bool data_fits(const struct cdma *cdma, const struct cbuf *cbuf) {
    size_t ring = cbuf_data_ring(cbuf, cdma->layer.data_banks).entries;
    return cbuf->data.held + next_lines(cdma) * cdma->layer.slice_entries <= ring;
}

static void convert(const struct cdma_convertor *convertor, uint8_t *bytes, size_t n) {
    if (!convertor->enabled) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        bytes[i] = convertor->table[0][bytes[i]];
    }
}

/* Puts feature line y, all surfaces, into the slice buffer. Returns the bytes of the slice. Slots of the last entries
 * that have no source are 0 and not converted. */
static size_t fetch_feature_line(struct cdma *cdma, const struct cbuf *cbuf, struct dma *client, size_t y) {
    const struct cdma_layer *layer = &cdma->layer;
    size_t width = layer->width, surfaces = layer->surfaces;
    size_t size = cbuf_slice_size(cbuf, width, surfaces);
    uint64_t line = y * layer->line_stride[0];
    if (layer->packed_lines) {
        size_t in_grain = y % layer->grain;
        line = (y - in_grain) * layer->line_stride[0] + in_grain * width * cdma->atom;
    }
    if (surfaces % cbuf->slots != 0) {
        memset(cdma->slice, 0, size);
    }
    for (size_t surface = 0; surface < surfaces; surface++) {
        uint64_t at = layer->base[0] + surface * layer->surface_stride + line;
        uint8_t *bytes = cbuf->slots == 1 ? cdma->slice + surface * width * cdma->atom : cdma->line;
        dma_read(client, at, bytes, width);
        convert(&cdma->convertor, bytes, width * cdma->atom);
        for (size_t x = 0; x < width && cbuf->slots > 1; x++) {
            memcpy(cdma->slice + cbuf_atom_offset(cbuf, width, surfaces, surface, x), bytes + x * cdma->atom,
                   cdma->atom);
        }
    }
    return size;
}

/* Puts image line y, pads included, into the slice buffer. Returns the bytes of the slice. */
static size_t fetch_image_line(struct cdma *cdma, const struct cbuf *cbuf, struct dma *client, size_t y) {
    const struct cdma_layer *layer = &cdma->layer;
    const struct nvdla_pixel_format *format = layer->pixel;
    size_t components = (size_t)format->components;
    const uint8_t *source[CDMA_CHANNELS] = {NULL}; /* of component c: its byte of the first pixel, */
    size_t step[CDMA_CHANNELS] = {0};              /* and bytes from pixel to pixel */
    size_t at = 0;
    for (int plane = 0; plane < format->planes; plane++) {
        size_t pixel = (size_t)format->pixel_bytes[plane];
        /* The second plane's first pixel lies in its first atom: chapter 20 section 4. */
        size_t offset = plane == 0 ? layer->x_offset : layer->x_offset % (cdma->atom / pixel);
        size_t atoms = atoms_of(cdma, plane_bytes(layer, offset, plane));
        dma_read(client, layer->base[plane] + y * layer->line_stride[plane], cdma->line + at, atoms);
        for (size_t c = plane == 0 ? 0 : 1; c < components; c++) {
            source[c] = cdma->line + at + offset * pixel + format->position[c];
            step[c] = pixel;
        }
        at += atoms * cdma->atom;
    }
    uint8_t *out = cdma->slice;
    memset(out, layer->pad, layer->pad_left * components);
    out += layer->pad_left * components;
    for (size_t c = 0; c < components; c++) {
        const uint8_t *table = cdma->convertor.table[c];
        for (size_t x = 0; x < layer->width; x++) {
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the planes of a format hold all its components */
            uint8_t byte = source[c][x * step[c]];
            out[x * components + c] = cdma->convertor.enabled ? table[byte] : byte;
        }
    }
    out += layer->width * components;
    memset(out, layer->pad, layer->pad_right * components);
    out += layer->pad_right * components;
    size_t size = (size_t)(out - cdma->slice);
    size_t rest = (cbuf->entry - size % cbuf->entry) % cbuf->entry;
    memset(out, cdma->convertor.zero, rest);
    return size + rest;
}

/* Makes room for a slice and for the line it is made of. */
static bool reserve(struct cdma *cdma, const struct cbuf *cbuf) {
    const struct cdma_layer *layer = &cdma->layer;
    size_t slice = 0, line = 0;
    if (!layer->image) {
        slice = cbuf_slice_size(cbuf, layer->width, layer->surfaces);
        line = layer->width * cdma->atom;
    } else if (layer->pixel) {
        size_t pixels = layer->pad_left + layer->width + layer->pad_right;
        slice = pixels * (size_t)layer->pixel->components + cbuf->entry;
        for (int plane = 0; plane < layer->pixel->planes; plane++) {
            line += atoms_of(cdma, plane_bytes(layer, layer->x_offset, plane)) * cdma->atom;
        }
    }
    return grow(&cdma->slice, &cdma->slice_room, slice) && grow(&cdma->line, &cdma->line_room, line);
}

static void fetch_data(struct cdma *cdma, struct cbuf *cbuf, struct dma *client) {
    const struct cdma_layer *layer = &cdma->layer;
    struct cbuf_ring ring = cbuf_data_ring(cbuf, layer->data_banks);
    while (cdma->lines < layer->height && data_fits(cdma, cbuf)) {
        size_t lines = next_lines(cdma);
        for (size_t y = cdma->lines; y < cdma->lines + lines; y++) {
            size_t size =
                layer->image ? fetch_image_line(cdma, cbuf, client, y) : fetch_feature_line(cdma, cbuf, client, y);
            cbuf_write(cbuf, ring, cbuf->data.write * cbuf->entry, cdma->slice, size);
            cbuf->data.write = (cbuf->data.write + layer->slice_entries) % ring.entries;
        }
        cbuf->data.held += lines * layer->slice_entries;
        cbuf->data.slices += lines;
        cdma->lines += lines;
    }
    if (cdma->lines == layer->height) {
        cdma->data = CDMA_DONE;
    }
}

/* ---- weight engine ---- */

/* Atoms of the next burst: up to the next multiple of BURST atoms. */
static uint64_t next_burst(const struct cdma *cdma, const struct cdma_weights *weights) {
    uint64_t atom = cdma->layer.weights / cdma->atom + weights->fetched;
    uint64_t burst = BURST - atom % BURST, rest = cdma->layer.weight_atoms - weights->fetched;
    return burst < rest ? burst : rest;
}

static uint64_t weight_room(const struct cdma *cdma, const struct cbuf *cbuf) {
    const struct cdma_layer *layer = &cdma->layer;
    return cbuf_weight_ring(cbuf, layer->data_banks, layer->weight_banks).entries * cbuf->slots;
}

static bool burst_fits(const struct cdma *cdma, const struct cbuf *cbuf, const struct cdma_weights *weights,
                       const struct cbuf_weights *account) {
    return account->held + next_burst(cdma, weights) <= weight_room(cdma, cbuf);
}

/* Kernels whose group is complete with what has been fetched. */
static uint64_t complete_kernels(const struct cdma *cdma, const struct cdma_weights *weights) {
    const struct cdma_layer *layer = &cdma->layer;
    if (weights->fetched == layer->weight_atoms) {
        return layer->kernels;
    }
    uint64_t whole = weights->fetched * cdma->atom / layer->kernel_bytes;
    uint64_t last_group = (layer->kernels - 1) / cdma->kernel_group * cdma->kernel_group;
    uint64_t complete = whole - whole % cdma->kernel_group;
    return complete < last_group ? complete : last_group; /* the last group waits for everything */
}

void cdma_account_weights(const struct cdma *cdma, const struct cbuf *cbuf, struct cdma_weights *weights,
                          struct cbuf_weights *account) {
    if (weights->phase != CDMA_BUSY) {
        return;
    }
    const struct cdma_layer *layer = &cdma->layer;
    size_t room = (size_t)weight_room(cdma, cbuf);
    while (weights->fetched < layer->weight_atoms && burst_fits(cdma, cbuf, weights, account)) {
        size_t burst = (size_t)next_burst(cdma, weights);
        account->write += burst;
        account->held += burst;
        weights->fetched += burst;
    }
    account->write %= room;
    uint64_t complete = complete_kernels(cdma, weights);
    account->kernels += (size_t)(complete - weights->kernels);
    weights->kernels = complete;
    if (weights->fetched == layer->weight_atoms) {
        /* The layer behind this one starts with a new entry. */
        size_t rest = (cbuf->slots - account->write % cbuf->slots) % cbuf->slots;
        account->write = (account->write + rest) % room;
        account->held += rest;
        weights->phase = CDMA_DONE;
    }
}

void cdma_fetch_weights(struct cdma *cdma, struct cbuf *cbuf, struct dma *client) {
    const struct cdma_layer *layer = &cdma->layer;
    struct cbuf_ring ring = cbuf_weight_ring(cbuf, layer->data_banks, layer->weight_banks);
    uint64_t before = cdma->weights.fetched;
    size_t to = cbuf->weights.write;
    cdma_account_weights(cdma, cbuf, &cdma->weights, &cbuf->weights);
    uint8_t bytes[MEMORY_PAGE];
    while (before < cdma->weights.fetched) {
        uint64_t left = cdma->weights.fetched - before;
        size_t atoms = left < sizeof bytes / cdma->atom ? (size_t)left : sizeof bytes / cdma->atom;
        dma_read(client, layer->weights + before * cdma->atom, bytes, atoms);
        cbuf_write(cbuf, ring, to * cdma->atom, bytes, atoms * cdma->atom);
        before += atoms;
        to += atoms;
    }
}

/* ---- layers ---- */

void cdma_init(struct cdma *cdma, const struct nvdla_config *config) {
    *cdma = (struct cdma){.atom = (size_t)config->mem_atom, .kernel_group = (size_t)config->atomic_k};
    cdma_reset(cdma);
}

void cdma_reset(struct cdma *cdma) {
    cdma->data = CDMA_IDLE;
    cdma->weights.phase = CDMA_IDLE;
    cdma->last_data_banks = BANKS_AFTER_RESET;
    cdma->last_weight_banks = BANKS_AFTER_RESET;
    cdma->last_skip_data = false;
    cdma->last_skip_weights = false;
}

void cdma_free(struct cdma *cdma) {
    free(cdma->slice);
    free(cdma->line);
    cdma->slice = NULL;
    cdma->line = NULL;
    cdma->slice_room = 0;
    cdma->line_room = 0;
}

/* Section 9.3. */
static void start(struct cdma *cdma, const struct nvdla_config *config, const struct register_group *regs) {
    struct cdma_layer *layer = &cdma->layer;
    cdma_layer_decode(layer, config, regs);
    convertor_init(&cdma->convertor, layer, regs);
    cdma->lines = 0;
    cdma->weights = (struct cdma_weights){.phase = CDMA_BUSY};
    cdma->data = CDMA_BUSY;
    bool data_banks = layer->data_banks != cdma->last_data_banks;
    bool weight_banks = layer->weight_banks != cdma->last_weight_banks;
    if (data_banks) {
        cdma->data = CDMA_PEND;
    } else if (layer->data_reuse && cdma->last_skip_data && layer->image == cdma->last_image) {
        cdma->data = CDMA_DONE;
    }
    if (data_banks || weight_banks) {
        cdma->weights.phase = CDMA_PEND;
    } else if (layer->weight_reuse && cdma->last_skip_weights) {
        cdma->weights.phase = CDMA_DONE;
    }
}

static bool data_moves(const struct cdma *cdma, const struct cbuf *cbuf, struct cdma_served served) {
    return cdma->data == CDMA_BUSY && served.data && (!cdma->layer.image || cdma->layer.pixel) && data_fits(cdma, cbuf);
}

bool cdma_can_step(const struct cdma *cdma, const struct cbuf *cbuf, const struct register_group *regs,
                   struct cdma_served served) {
    if (!register_group_running(regs)) {
        return false;
    }
    return cdma->data == CDMA_IDLE || data_moves(cdma, cbuf, served) ||
           (cdma->weights.phase == CDMA_BUSY && served.weights &&
            burst_fits(cdma, cbuf, &cdma->weights, &cbuf->weights));
}

bool cdma_step(struct cdma *cdma, struct cbuf *cbuf, const struct nvdla_config *config,
               const struct register_group *regs, struct cdma_served served, struct cdma_clients *clients) {
    if (cdma->data == CDMA_IDLE) {
        start(cdma, config, regs);
    }
    if (data_moves(cdma, cbuf, served)) {
        if (!reserve(cdma, cbuf)) {
            return false;
        }
        fetch_data(cdma, cbuf, &clients->data);
    }
    if (served.weights) {
        cdma_fetch_weights(cdma, cbuf, &clients->weights);
    }
    return true;
}

void cdma_leave_pend(struct cdma *cdma, bool data) {
    if (data && cdma->data == CDMA_PEND) {
        cdma->data = CDMA_BUSY;
    }
    if (cdma->weights.phase == CDMA_PEND) {
        cdma->weights.phase = CDMA_BUSY;
    }
}

bool cdma_layer_done(const struct cdma *cdma) {
    return cdma->data == CDMA_DONE && cdma->weights.phase == CDMA_DONE;
}

void cdma_end(struct cdma *cdma) {
    cdma->last_data_banks = cdma->layer.data_banks;
    cdma->last_weight_banks = cdma->layer.weight_banks;
    cdma->last_image = cdma->layer.image;
    cdma->last_skip_data = cdma->layer.skip_data;
    cdma->last_skip_weights = cdma->layer.skip_weights;
    cdma->data = CDMA_IDLE;
    cdma->weights.phase = CDMA_IDLE;
}
