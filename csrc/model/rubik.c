/* Contract, split and merge: reads one cube, writes another. See rubik.h. */
#include "model/rubik.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/sizes.h"
#include "nvdla/xalloc.h"

enum { CHUNK = 64 }; /* columns that split handles at a time */

void rubik_layer_decode(struct rubik_layer *layer, const struct registers_view *view) {
    *layer = (struct rubik_layer){.cubes = rubik_cubes(view), .atom = (size_t)view->config->mem_atom};
    const struct rubik_cubes *cubes = &layer->cubes;
    layer->last_planes = (size_t)(cubes->in_channels - 1) % cubes->lanes + 1;
    /* The undefined mode reads without end; a merge waits for planes that are not read. Section 9. */
    layer->valid =
        cubes->mode != RUBIK_UNDEFINED && !(cubes->mode == RUBIK_MERGE && cubes->out_channels > cubes->in_channels);
}

/* Planes of a surface in split and merge. With DATAIN_CHANNEL = DATAOUT_CHANNEL both modes agree; otherwise split takes
 * the number of planes in the last surface from DATAIN_CHANNEL, and merge omits the surfaces beyond DATAOUT_CHANNEL.
 * Spec: 66-rubik section 9. */
static size_t planes_of(const struct rubik_layer *layer, int surface) {
    const struct rubik_cubes *cubes = &layer->cubes;
    if (cubes->mode == RUBIK_SPLIT)
        return surface == cubes->surfaces - 1 ? layer->last_planes : cubes->lanes;
    size_t left = (size_t)cubes->in_channels - (size_t)surface * cubes->lanes;
    return left < cubes->lanes ? left : cubes->lanes;
}

uint64_t rubik_layer_atoms(const struct rubik_layer *layer) {
    const struct rubik_cubes *cubes = &layer->cubes;
    uint64_t plane = (uint64_t)cubes->width * (uint64_t)cubes->height;
    if (cubes->mode == RUBIK_CONTRACT)
        return 2 * (uint64_t)cubes->surfaces * plane * (uint64_t)cubes->x_stride * (uint64_t)cubes->y_stride;
    uint64_t planes = 0;
    for (int z = 0; z < cubes->surfaces; z++)
        planes += planes_of(layer, z);
    return (uint64_t)cubes->surfaces * plane + planes * (uint64_t)cubes->height * cubes->planar_atoms;
}

static uint64_t at(uint64_t base, int surface, uint64_t surface_stride, int line, uint64_t line_stride) {
    return base + (uint64_t)surface * surface_stride + (uint64_t)line * line_stride;
}

/* ---- contract ---- */

/* Copies a line of a phase into the output line: its atoms are x_stride apart. */
static void spread(const struct rubik_layer *layer, const uint8_t *in, uint8_t *out) {
    const struct rubik_cubes *cubes = &layer->cubes;
    for (size_t x = 0; x < (size_t)cubes->width; x++)
        memcpy(out + x * (size_t)cubes->x_stride * layer->atom, in + x * layer->atom, layer->atom);
}

/* Spec: 66-rubik section 3. */
static void contract(const struct rubik_layer *layer, struct dma *input, struct dma *output, uint8_t *in,
                     uint8_t *out) {
    const struct rubik_cubes *cubes = &layer->cubes;
    int out_height = cubes->height * cubes->y_stride;
    for (int z = 0; z < cubes->surfaces; z++) {
        for (int row = 0; row < out_height; row++) {
            int y = row / cubes->y_stride, v = row % cubes->y_stride;
            for (int u = 0; u < cubes->x_stride; u++) {
                uint64_t from = at(cubes->source.cube.base, z, cubes->source.cube.surface_stride, y,
                                   cubes->source.cube.line_stride);
                from += (uint64_t)(v * cubes->x_stride + u) * cubes->phase;
                dma_read(input, from, in, (size_t)cubes->width);
                spread(layer, in, out + (size_t)u * layer->atom);
            }
            dma_write(output,
                      at(cubes->destination.cube.base, z, cubes->destination.cube.surface_stride, row,
                         cubes->destination.cube.line_stride),
                      out, (size_t)cubes->width * (size_t)cubes->x_stride);
        }
    }
}

/* ---- split and merge ---- */

/* Moves `count` elements of 1 or 2 bytes between places `from_step` and `to_step` bytes apart. */
static void move_elements(uint8_t *to, size_t to_step, const uint8_t *from, size_t from_step, size_t element,
                          size_t count) {
    if (element == 1)
        for (size_t x = 0; x < count; x++)
            to[x * to_step] = from[x * from_step];
    else
        for (size_t x = 0; x < count; x++)
            memcpy(to + x * to_step, from + x * from_step, 2);
}

/* Planar lines end with zeros up to a whole atom. Spec: 66-rubik section 4. The contents where planes overlap follow
 * from the order of writes, section 6. */
static void split(const struct rubik_layer *layer, struct dma *input, struct dma *output, uint8_t *feature,
                  uint8_t *planar) {
    const struct rubik_cubes *cubes = &layer->cubes;
    for (int z = 0; z < cubes->surfaces; z++) {
        size_t planes = planes_of(layer, z);
        for (int y = 0; y < cubes->height; y++) {
            uint64_t from =
                at(cubes->source.cube.base, z, cubes->source.cube.surface_stride, y, cubes->source.cube.line_stride);
            uint64_t to = at(cubes->destination.cube.base, z, cubes->lanes * cubes->destination.cube.surface_stride, y,
                             cubes->destination.cube.line_stride);
            for (int x = 0; x < cubes->width; x += CHUNK) {
                size_t columns = (size_t)(cubes->width - x < CHUNK ? cubes->width - x : CHUNK);
                size_t atoms = ceil_div(columns * cubes->element, layer->atom);
                dma_read(input, from + (uint64_t)x * layer->atom, feature, columns);
                memset(planar, 0, atoms * layer->atom);
                for (size_t k = 0; k < planes; k++) {
                    move_elements(planar, cubes->element, feature + k * cubes->element, layer->atom, cubes->element,
                                  columns);
                    dma_write(output, to + k * cubes->destination.cube.surface_stride + (uint64_t)x * cubes->element,
                              planar, atoms);
                }
            }
        }
    }
}

/* Lanes after the last channel become zero. Spec: 66-rubik section 5. */
static void merge(const struct rubik_layer *layer, struct dma *input, struct dma *output, uint8_t *planar,
                  uint8_t *feature) {
    const struct rubik_cubes *cubes = &layer->cubes;
    for (int z = 0; z < cubes->surfaces; z++) {
        size_t planes = planes_of(layer, z);
        memset(feature, 0, (size_t)cubes->width * layer->atom);
        for (int y = 0; y < cubes->height; y++) {
            uint64_t from = at(cubes->source.cube.base, z, cubes->lanes * cubes->source.cube.surface_stride, y,
                               cubes->source.cube.line_stride);
            for (size_t k = 0; k < planes; k++) {
                dma_read(input, from + k * cubes->source.cube.surface_stride, planar, cubes->planar_atoms);
                move_elements(feature + k * cubes->element, layer->atom, planar, cubes->element, cubes->element,
                              (size_t)cubes->width);
            }
            dma_write(output,
                      at(cubes->destination.cube.base, z, cubes->destination.cube.surface_stride, y,
                         cubes->destination.cube.line_stride),
                      feature, (size_t)cubes->width);
        }
    }
}

void rubik_run(const struct rubik_layer *layer, struct dma *input, struct dma *output) {
    const struct rubik_cubes *cubes = &layer->cubes;
    size_t line = (size_t)cubes->width * layer->atom; /* a planar line is not longer */
    autofree uint8_t *in = xmalloc(line);
    autofree uint8_t *out = xmalloc(line * (size_t)cubes->x_stride);
    switch (cubes->mode) {
    case RUBIK_CONTRACT:
        contract(layer, input, output, in, out);
        break;
    case RUBIK_SPLIT:
        split(layer, input, output, in, out);
        break;
    case RUBIK_MERGE:
        merge(layer, input, output, in, out);
        break;
    case RUBIK_UNDEFINED: /* not a valid layer */
        break;
    }
    dma_flush(output);
}
