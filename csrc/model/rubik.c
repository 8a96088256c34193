/* Contract, split and merge: one cube read, another written. See rubik.h. */
#include "model/rubik.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/sizes.h"
#include "nvdla_offsets.h"

enum { MODE_UNDEFINED = 3 };

enum { CHUNK = 64 }; /* columns that split handles at a time */

void rubik_layer_decode(struct rubik_layer *layer, const struct nvdla_config *config,
                        const struct register_group *rubik) {
    uint32_t misc = register_group_value(rubik, RBK_D_MISC_CFG);
    uint32_t size = register_group_value(rubik, RBK_D_DATAIN_SIZE_0);
    uint32_t stride = register_group_value(rubik, RBK_D_DECONV_STRIDE);
    uint32_t mode = REGISTER_FIELD(misc, RBK_D_MISC_CFG__RUBIK_MODE);
    /* The undefined precision 3 has two bytes, too. */
    int element = nvdla_element_bytes(REGISTER_FIELD(misc, RBK_D_MISC_CFG__IN_PRECISION));
    int width = (int)REGISTER_FIELD(size, RBK_D_DATAIN_SIZE_0__DATAIN_WIDTH) + 1;
    int in_channels = (int)register_group_value(rubik, RBK_D_DATAIN_SIZE_1) + 1;
    int out_channels = (int)register_group_value(rubik, RBK_D_DATAOUT_SIZE_1) + 1;

    *layer = (struct rubik_layer){
        .mode = (enum rubik_mode)mode,
        .source_primary = register_group_value(rubik, RBK_D_DAIN_RAM_TYPE),
        .destination_primary = register_group_value(rubik, RBK_D_DAOUT_RAM_TYPE),
        .atom = (size_t)config->mem_atom,
        .lanes = (size_t)(config->mem_atom / element),
        .element = (size_t)element,
        .width = width,
        .height = (int)REGISTER_FIELD(size, RBK_D_DATAIN_SIZE_0__DATAIN_HEIGHT) + 1,
        .in_channels = in_channels,
        .out_channels = out_channels,
        .surfaces = (int)ceil_div((size_t)out_channels * (size_t)element, (size_t)config->mem_atom),
        .last_planes = (size_t)((in_channels - 1) % (config->mem_atom / element) + 1),
        .x_stride = (int)REGISTER_FIELD(stride, RBK_D_DECONV_STRIDE__DECONV_X_STRIDE) + 1,
        .y_stride = (int)REGISTER_FIELD(stride, RBK_D_DECONV_STRIDE__DECONV_Y_STRIDE) + 1,
        .planar_atoms = ceil_div((size_t)width * (size_t)element, (size_t)config->mem_atom),
        .source = dma_address(config, rubik, RBK_D_DAIN_ADDR_LOW, RBK_D_DAIN_ADDR_HIGH),
        .destination = dma_address(config, rubik, RBK_D_DAOUT_ADDR_LOW, RBK_D_DAOUT_ADDR_HIGH),
        .source_line = register_group_value(rubik, RBK_D_DAIN_LINE_STRIDE),
        .source_surface = register_group_value(rubik, RBK_D_DAIN_SURF_STRIDE),
        .source_planar = register_group_value(rubik, RBK_D_DAIN_PLANAR_STRIDE),
        .destination_line = register_group_value(rubik, RBK_D_DAOUT_LINE_STRIDE),
        .destination_surface = register_group_value(rubik, RBK_D_DAOUT_SURF_STRIDE),
        .destination_planar = register_group_value(rubik, RBK_D_DAOUT_PLANAR_STRIDE),
        .phase = register_group_value(rubik, RBK_D_CONTRACT_STRIDE_0),
    };
    /* Mode 3 reads endlessly; a merge waits for planes that are not read. Section 9. */
    layer->valid = mode != MODE_UNDEFINED && !(mode == RUBIK_MERGE && layer->out_channels > layer->in_channels);
}

/* Planes of a surface in split and merge. With DATAIN_CHANNEL = DATAOUT_CHANNEL both modes agree; else split takes the
 * number of planes in the last surface from DATAIN_CHANNEL, and merge leaves out the surfaces behind DATAOUT_CHANNEL.
 * Spec: 66-rubik section 9. */
static size_t planes_of(const struct rubik_layer *layer, int surface) {
    if (layer->mode == RUBIK_SPLIT) {
        return surface == layer->surfaces - 1 ? layer->last_planes : layer->lanes;
    }
    size_t left = (size_t)layer->in_channels - (size_t)surface * layer->lanes;
    return left < layer->lanes ? left : layer->lanes;
}

uint64_t rubik_layer_atoms(const struct rubik_layer *layer) {
    uint64_t plane = (uint64_t)layer->width * (uint64_t)layer->height;
    if (layer->mode == RUBIK_CONTRACT) {
        return 2 * (uint64_t)layer->surfaces * plane * (uint64_t)layer->x_stride * (uint64_t)layer->y_stride;
    }
    uint64_t planes = 0;
    for (int z = 0; z < layer->surfaces; z++) {
        planes += planes_of(layer, z);
    }
    return (uint64_t)layer->surfaces * plane + planes * (uint64_t)layer->height * layer->planar_atoms;
}

static uint64_t at(uint64_t base, int surface, uint64_t surface_stride, int line, uint64_t line_stride) {
    return base + (uint64_t)surface * surface_stride + (uint64_t)line * line_stride;
}

/* ---- contract ---- */

/* Puts a line of a phase into the output line: its atoms lie x_stride apart. */
static void spread(const struct rubik_layer *layer, const uint8_t *in, uint8_t *out) {
    for (size_t x = 0; x < (size_t)layer->width; x++) {
        memcpy(out + x * (size_t)layer->x_stride * layer->atom, in + x * layer->atom, layer->atom);
    }
}

/* Spec: 66-rubik section 3. */
static void contract(const struct rubik_layer *layer, struct dma *input, struct dma *output, uint8_t *in,
                     uint8_t *out) {
    int out_height = layer->height * layer->y_stride;
    for (int z = 0; z < layer->surfaces; z++) {
        for (int row = 0; row < out_height; row++) {
            int y = row / layer->y_stride, v = row % layer->y_stride;
            for (int u = 0; u < layer->x_stride; u++) {
                uint64_t from = at(layer->source, z, layer->source_surface, y, layer->source_line);
                from += (uint64_t)(v * layer->x_stride + u) * layer->phase;
                dma_read(input, from, in, (size_t)layer->width);
                spread(layer, in, out + (size_t)u * layer->atom);
            }
            dma_write(output, at(layer->destination, z, layer->destination_surface, row, layer->destination_line), out,
                      (size_t)layer->width * (size_t)layer->x_stride);
        }
    }
}

/* ---- split and merge ---- */

/* Moves `count` elements of 1 or 2 bytes between places `from_step` and `to_step` bytes apart. */
static void move_elements(uint8_t *to, size_t to_step, const uint8_t *from, size_t from_step, size_t element,
                          size_t count) {
    if (element == 1) {
        for (size_t x = 0; x < count; x++) {
            to[x * to_step] = from[x * from_step];
        }
    } else {
        for (size_t x = 0; x < count; x++) {
            memcpy(to + x * to_step, from + x * from_step, 2);
        }
    }
}

/* Planar lines end with zeros up to the whole atom. Spec: 66-rubik section 4; what stays where planes overlap follows
 * from the order of the writes, section 6. */
static void split(const struct rubik_layer *layer, struct dma *input, struct dma *output, uint8_t *feature,
                  uint8_t *planar) {
    for (int z = 0; z < layer->surfaces; z++) {
        size_t planes = planes_of(layer, z);
        for (int y = 0; y < layer->height; y++) {
            uint64_t from = at(layer->source, z, layer->source_surface, y, layer->source_line);
            uint64_t to =
                at(layer->destination, z, layer->lanes * layer->destination_planar, y, layer->destination_line);
            for (int x = 0; x < layer->width; x += CHUNK) {
                size_t columns = (size_t)(layer->width - x < CHUNK ? layer->width - x : CHUNK);
                size_t atoms = ceil_div(columns * layer->element, layer->atom);
                dma_read(input, from + (uint64_t)x * layer->atom, feature, columns);
                memset(planar, 0, atoms * layer->atom);
                for (size_t k = 0; k < planes; k++) {
                    move_elements(planar, layer->element, feature + k * layer->element, layer->atom, layer->element,
                                  columns);
                    dma_write(output, to + k * layer->destination_planar + (uint64_t)x * layer->element, planar, atoms);
                }
            }
        }
    }
}

/* Lanes behind the last channel become zero. Spec: 66-rubik section 5. */
static void merge(const struct rubik_layer *layer, struct dma *input, struct dma *output, uint8_t *planar,
                  uint8_t *feature) {
    for (int z = 0; z < layer->surfaces; z++) {
        size_t planes = planes_of(layer, z);
        memset(feature, 0, (size_t)layer->width * layer->atom);
        for (int y = 0; y < layer->height; y++) {
            uint64_t from = at(layer->source, z, layer->lanes * layer->source_planar, y, layer->source_line);
            for (size_t k = 0; k < planes; k++) {
                dma_read(input, from + k * layer->source_planar, planar, layer->planar_atoms);
                move_elements(feature + k * layer->element, layer->atom, planar, layer->element, layer->element,
                              (size_t)layer->width);
            }
            dma_write(output, at(layer->destination, z, layer->destination_surface, y, layer->destination_line),
                      feature, (size_t)layer->width);
        }
    }
}

bool rubik_run(const struct rubik_layer *layer, struct dma *input, struct dma *output) {
    size_t line = (size_t)layer->width * layer->atom; /* a planar line is no longer */
    uint8_t *in = malloc(line);
    uint8_t *out = malloc(layer->mode == RUBIK_CONTRACT ? line * (size_t)layer->x_stride : line);
    bool done = in && out;
    if (done) {
        switch (layer->mode) {
        case RUBIK_CONTRACT:
            contract(layer, input, output, in, out);
            break;
        case RUBIK_SPLIT:
            split(layer, input, output, in, out);
            break;
        case RUBIK_MERGE:
            merge(layer, input, output, in, out);
            break;
        }
        dma_flush(output);
    }
    free(in);
    free(out);
    return done;
}
