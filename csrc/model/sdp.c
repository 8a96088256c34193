/* A layer of SDP in progress: lines in, stages, lines to memory or PDP, counters. See sdp.h. */
#include "model/sdp.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

/* Operands of one stage, prepared, one per element of the line; NULL if the stage takes none. */
struct operand_line {
    int32_t *alu, *mul;
    uint8_t *bytes; /* as read: a line of operand atoms, or one */
};

struct sdp_run {
    struct sdp_layer layer;
    struct sdp_clients *clients;
    int surface, line; /* next line */
    int batch;         /* batch whose line is in the pipe */
    size_t elements;   /* of a line */
    int32_t *data;     /* the line inside the pipe */
    struct operand_line operands[SDP_STAGES];
    int16_t *unpacked; /* operands between memory and the pipe */
    uint8_t *bytes;    /* line as read or written */
    uint8_t *halves;   /* the same if memory has two surfaces: a line of the first, then of the second */
    struct sdp_result result;
};

/* ---- life ---- */

/* A 1x1xC cube is one contiguous run of atoms, in memory and in the operands: process it as one line. */
static void flatten(struct sdp_layer *layer) {
    layer->shape.width = layer->shape.surfaces;
    layer->shape.surfaces = 1;
    for (int i = 0; i < SDP_STAGES; i++)
        layer->operands[i].per_element = true;
}

static bool can_be_flattened(const struct sdp_layer *layer) {
    return layer->shape.width == 1 && layer->shape.height == 1 && layer->shape.batches == 1 && !layer->to_pdp &&
           layer->source_surfaces == 1 && layer->destination_surfaces == 1;
}

/* A line of operands, filled with the register's value; it stays so if none come from memory. */
static int32_t *operand_line_new(const struct sdp_operand *operand, size_t count) {
    int32_t *line = xmalloc(count * sizeof *line);
    for (size_t i = 0; i < count; i++)
        line[i] = operand->value;
    return line;
}

/* Makes the operand lines of a stage. */
static void operands_new(struct sdp_run *run, int index) {
    const struct sdp_stage *stage = &run->layer.stage[index];
    const struct sdp_operands *operands = &run->layer.operands[index];
    struct operand_line *line = &run->operands[index];
    bool alu = !stage->bypass && !stage->alu_bypass, mul = !stage->bypass && !stage->mul_bypass;
    size_t atoms = operands->per_element ? (size_t)run->layer.shape.width : 1;
    line->alu = alu ? operand_line_new(&stage->alu, run->elements) : NULL;
    line->mul = mul ? operand_line_new(&stage->mul, run->elements) : NULL;
    line->bytes = operands->enabled ? xmalloc(atoms * sdp_operand_atom(&run->layer, operands)) : NULL;
}

struct sdp_run *sdp_run_new(const struct sdp_layer *layer, struct sdp_clients *clients) {
    struct sdp_run *run = xcalloc(1, sizeof *run);
    run->layer = *layer;
    run->clients = clients;
    if (can_be_flattened(layer))
        flatten(&run->layer);
    run->elements = (size_t)run->layer.shape.width * (size_t)run->layer.shape.lanes;
    run->data = xmalloc(run->elements * sizeof *run->data);
    run->unpacked = xmalloc(run->elements * sizeof *run->unpacked);
    run->bytes = xmalloc(2 * run->elements);
    run->halves = xmalloc(2 * run->elements);
    for (int i = 0; i < SDP_STAGES; i++)
        operands_new(run, i);
    return run;
}

void sdp_run_free(struct sdp_run *run) {
    if (!run)
        return;
    for (int i = 0; i < SDP_STAGES; i++) {
        free(run->operands[i].alu);
        free(run->operands[i].mul);
        free(run->operands[i].bytes);
    }
    free(run->data);
    free(run->unpacked);
    free(run->bytes);
    free(run->halves);
    free(run);
}

/* ---- taps ---- */

/* Elements of a line inside the cube: the first `valid` of every group of `lanes`. */
struct line_shape {
    size_t atoms, lanes, valid;
};

static struct line_shape line_shape(const struct sdp_run *run) {
    const struct sdp_layer *layer = &run->layer;
    if (layer->shape.surfaces == 1) { /* also a flattened cube: all its channels are contiguous */
        bool flat = layer->shape.channels > layer->shape.lanes;
        return (struct line_shape){flat ? 1 : (size_t)layer->shape.width,
                                   flat ? run->elements : (size_t)layer->shape.lanes, (size_t)layer->shape.channels};
    }
    return (struct line_shape){
        (size_t)layer->shape.width, (size_t)layer->shape.lanes,
        tap_lanes((size_t)layer->shape.channels, (size_t)layer->shape.lanes, (size_t)run->surface)};
}

/* Sends a line to a tap; not whole: one atom that represents all of its surface. */
static void show_line(const struct sdp_run *run, const struct tap_out *tap, const void *elements, bool whole) {
    if (tap->count == 0)
        return;
    struct line_shape shape = line_shape(run);
    const struct tap_place place = {
        .batch = run->batch, .channel = run->surface * (int)run->layer.shape.lanes, .y = run->line, .x = 0};
    tap_send(tap, place, elements, whole ? shape.atoms : 1, shape.valid, shape.lanes);
}

/* ---- operands ---- */

/* Extracts component `index` of `count` elements from operand bytes, sign-extended. */
static void unpack(const struct sdp_operands *operands, const uint8_t *bytes, int index, int16_t *out, size_t count) {
    size_t step = (size_t)operands->components * operands->component_bytes;
    const uint8_t *at = bytes + (size_t)index * operands->component_bytes;
    if (operands->component_bytes == 1)
        for (size_t i = 0; i < count; i++)
            out[i] = (int8_t)at[i * step];
    else
        for (size_t i = 0; i < count; i++)
            memcpy(&out[i], at + i * step, sizeof out[i]);
}

/* Prepares one component of the operands read last; operands of one atom are repeated over the whole line. */
static void take_operands(struct sdp_run *run, int index, const struct sdp_operand *operand, int component,
                          int32_t *line, const struct tap_out *tap) {
    if (!operand->from_memory)
        return;
    const struct sdp_operands *operands = &run->layer.operands[index];
    size_t count = operands->per_element ? run->elements : (size_t)run->layer.shape.lanes;
    unpack(operands, run->operands[index].bytes, component, run->unpacked, count);
    if (tap)
        show_line(run, tap, run->unpacked, operands->per_element);
    sdp_prepare_operands(&operand->format, run->unpacked, line, count);
    for (size_t i = count; i < run->elements; i += count)
        memcpy(line + i, line, count * sizeof *line);
}

/* Fetches the operands of the current line: per element for every line, per kernel for the first line of a surface. */
static void fetch_operands(struct sdp_run *run, int index) {
    const struct sdp_layer *layer = &run->layer;
    const struct sdp_operands *operands = &layer->operands[index];
    if (!operands->enabled || (!operands->per_element && run->line > 0))
        return;
    struct operand_line *line = &run->operands[index];
    size_t bytes = sdp_operand_atom(layer, operands);
    uint64_t at = operands->base;
    if (operands->per_element) {
        at += (uint64_t)run->surface * operands->surface_stride + (uint64_t)run->line * operands->line_stride;
        bytes *= (size_t)layer->shape.width;
    } else {
        at += (uint64_t)run->surface * bytes;
    }
    dma_read(&run->clients->operands[index], at, line->bytes, bytes / layer->atom);
    const struct sdp_taps *taps = &run->clients->taps;
    bool ew = index == SDP_EW;
    take_operands(run, index, &layer->stage[index].alu, 0, line->alu, ew ? &taps->ew_alu : NULL);
    take_operands(run, index, &layer->stage[index].mul, operands->components - 1, line->mul, ew ? &taps->ew_mul : NULL);
}

/* ---- lines ---- */

/* Reads the current line of surface t in memory. */
static void read_line(struct sdp_run *run, int t, uint8_t *bytes) {
    const struct sdp_layer *layer = &run->layer;
    const struct cube *from = &layer->source.cube;
    uint64_t at = from->base + (uint64_t)t * from->surface_stride + (uint64_t)run->line * from->line_stride;
    dma_read(&run->clients->main, at, bytes, (size_t)layer->shape.width);
}

/* The input of the current line from memory. */
static void load_line(struct sdp_run *run) {
    const struct sdp_layer *layer = &run->layer;
    size_t width = (size_t)layer->shape.width, atom = layer->atom;
    if (layer->source_surfaces == 1) {
        read_line(run, run->surface, run->bytes);
    } else {
        read_line(run, 2 * run->surface, run->halves);
        read_line(run, 2 * run->surface + 1, run->halves + width * atom);
        for (size_t i = 0; i < width; i++) {
            memcpy(run->bytes + 2 * i * atom, run->halves + i * atom, atom);
            memcpy(run->bytes + (2 * i + 1) * atom, run->halves + (width + i) * atom, atom);
        }
    }
    sdp_load(layer->shape.in, run->bytes, run->data, run->elements);
    if (layer->count_specials)
        fp16_count_specials(run->bytes, run->elements, &run->result.input);
}

/* Writes the current line of a batch from run->bytes. */
static void write_line(struct sdp_run *run, int batch) {
    const struct sdp_layer *layer = &run->layer;
    struct dma *output = &run->clients->output;
    size_t width = (size_t)layer->shape.width, atom = layer->atom;
    const struct cube *to = &layer->destination.cube;
    uint64_t at = to->base + (uint64_t)run->line * to->line_stride + (uint64_t)batch * to->batch_stride;
    if (layer->destination_surfaces == 1) {
        dma_write(output, at + (uint64_t)run->surface * to->surface_stride, run->bytes, width);
        return;
    }
    for (size_t i = 0; i < width; i++) {
        memcpy(run->halves + i * atom, run->bytes + 2 * i * atom, atom);
        memcpy(run->halves + (width + i) * atom, run->bytes + (2 * i + 1) * atom, atom);
    }
    at += (uint64_t)(2 * run->surface) * to->surface_stride;
    dma_write(output, at, run->halves, width);
    dma_write(output, at + to->surface_stride, run->halves + width * atom, width);
}

static bool any_set(const uint8_t *bytes, size_t count) {
    uint8_t seen = 0;
    for (size_t i = 0; i < count; i++)
        seen |= bytes[i];
    return seen != 0;
}

/* The output convertor and its counters. */
static void convert_line(struct sdp_run *run, uint8_t *out) {
    const struct sdp_layer *layer = &run->layer;
    const struct sdp_taps *taps = &run->clients->taps;
    struct sdp_result *result = &run->result;
    show_line(run, &taps->convertor, run->data, true);
    if (!layer->compare || layer->compare_flags)
        result->saturated += sdp_convert(&layer->convertor, run->data, out, run->elements);
    if (layer->compare) {
        sdp_pass_low_bits(layer->shape.out, run->data, out, run->elements);
    } else if (layer->shape.out == NVDLA_FP16 && !layer->to_pdp) {
        struct fp16_specials specials = {.nan = 0};
        fp16_count_specials(out, run->elements, &specials);
        result->nan_outputs += specials.nan;
    }
    show_line(run, &taps->output, out, true);
    result->unequal = result->unequal || any_set(out, run->elements * (size_t)nvdla_element_bytes(layer->shape.out));
}

/* Takes the line in run->data through the stages to out. */
static void process_line(struct sdp_run *run, uint8_t *out) {
    const struct sdp_layer *layer = &run->layer;
    if (layer->flush_nans)
        sdp_flush_nans(run->data, run->elements);
    show_line(run, &run->clients->taps.input, run->data, true);
    for (int i = 0; i < SDP_STAGES; i++) {
        sdp_stage_apply(&layer->stage[i], run->data, run->operands[i].alu, run->operands[i].mul, run->elements);
        show_line(run, &run->clients->taps.stage[i], run->data, true);
    }
    if (layer->table) {
        show_line(run, &run->clients->taps.table_in, run->data, true);
        sdp_table_apply(&layer->lut, run->clients->table, layer->shape.proc == NVDLA_FP16, run->data, run->elements,
                        &run->result.table);
        show_line(run, &run->clients->taps.table_out, run->data, true);
    }
    convert_line(run, out);
}

/* The current line, batch by batch: input through the stages to out. */
static void run_batch(struct sdp_run *run, int batch, uint8_t *out) {
    run->batch = batch;
    if (run->layer.shape.flying)
        run->clients->results(run->clients->context, run->data, (size_t)run->layer.shape.width);
    else
        load_line(run);
    process_line(run, out);
}

static void begin_line(struct sdp_run *run) {
    for (int i = 0; i < SDP_STAGES; i++)
        fetch_operands(run, i);
}

static void end_line(struct sdp_run *run) {
    if (++run->line == run->layer.shape.height) {
        run->line = 0;
        run->surface++;
    }
}

void sdp_run_line(struct sdp_run *run, uint8_t *out) {
    begin_line(run);
    run_batch(run, 0, out);
    end_line(run);
}

void sdp_run_to_memory(struct sdp_run *run) {
    const struct sdp_layer *layer = &run->layer;
    while (run->surface < layer->shape.surfaces) {
        begin_line(run);
        for (int batch = 0; batch < layer->shape.batches; batch++) {
            run_batch(run, batch, run->bytes);
            if (!layer->compare)
                write_line(run, batch);
        }
        end_line(run);
    }
    if (!layer->compare)
        dma_flush(&run->clients->output);
}

struct sdp_result sdp_run_result(const struct sdp_run *run) {
    return run->result;
}
