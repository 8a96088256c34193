/* The loops of a convolution over kernel groups, stripes and channels. See csc_run.h. */
#include "model/csc_run.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "model/cacc.h"
#include "model/cacc_fp16.h"
#include "model/cmac_fp16.h"
#include "model/csc_input.h"
#include "model/weights.h"
#include "nvdla/sizes.h"
#include "nvdla/xalloc.h"

enum {
    PANEL = 48,         /* windows per task; Winograd tiles have 16 sums each, so fewer */
    TILE_PANEL = 12,    /* both multiples of the positions that CMAC takes together */
    PANELS = 20,        /* windows that one thread computes ahead of SDP */
    SHARED_PANELS = 64, /* and that each of several threads does */
    MOST_LANES = 64,    /* most kernels of a group, any configuration */
    FP16_BLOCKS = MOST_LANES / 2 / CMAC_FP16_LANES,
    OUTPUTS = 4,            /* of a tile */
    TILE_ELEMENTS = 16,     /* positions in a tile */
    WORTH_SHARING = 1 << 18 /* products */
};

/* How the sums of a kernel group are computed: 95-compiled-representation section B.4. */
enum arithmetic {
    ANY_ORDER,     /* integers that cannot saturate */
    ATOM_BY_ATOM,  /* integers that may saturate */
    FLOATING_POINT /* FP16 */
};

struct csc_run {
    struct csc *csc;
    struct cdma *cdma;
    struct cbuf *cbuf;
    struct dma *client; /* NULL: the rest of the weights is in CBUF */
    struct thread_pool *pool;
    bool multiplies;
    unsigned truncate;
    const struct crep *table;
    bool tiles;     /* Winograd: windows are tiles of four results */
    size_t windows; /* of a group */
    size_t lanes;   /* results of a position */
    size_t group;   /* next group */
    size_t kernels; /* of the current group */
    enum arithmetic arithmetic;
    struct buffer input; /* batches of the table's stored lines */
    struct csc_input_buffers input_buffers;
    struct weights weights;
    struct cmac_weights packed;        /* ANY_ORDER */
    struct buffer ordered;             /* ATOM_BY_ATOM: [element][lane] in hardware order */
    struct cmac_fp16_weights floating; /* FLOATING_POINT */
    /* Results computed ahead of SDP. */
    struct buffer results; /* of `ahead` windows */
    size_t ahead, window;  /* most windows in it; the group's next window */
    size_t first, count;   /* windows being computed */
    size_t parts;          /* of a panel: kernels of each block, or all */
    size_t ready, taken;   /* results in it, and how many SDP has taken */
    struct tap_out sums_tap, results_tap;
    struct conv_streams streams;
    struct buffer sums; /* sums before delivery, in the same places, if a tap needs them */
    atomic_uint_least64_t saturated;
};

/* ---- windows ---- */

/* Bases of the windows [first, first + count) of a group: output line, batch, column; or tiles line by line. */
static void find_windows(const struct csc_run *run, size_t first, size_t count, const int16_t **windows) {
    const struct csc_layer *layer = &run->csc->layer;
    const struct crep *table = run->table;
    size_t width = table->shape.out_width, batches = layer->batches, cube = table->stored_line * table->stored_lines;
    size_t positions = run->windows / batches, y = first / (width * batches);
    size_t in_line = lesser(width, positions - y * width), rest = first - y * width * batches;
    size_t batch = rest / in_line, x = rest % in_line;
    for (size_t i = 0; i < count; i++) {
        windows[i] = (const int16_t *)run->input.bytes + batch * cube + table->row[y] + table->column[x];
        if (++x == in_line) {
            x = 0;
            if (++batch == batches) {
                batch = 0;
                y++;
                in_line = lesser(width, positions - y * width);
            }
        }
    }
}

/* Place of output n of a window, n = 0 except for tiles; `window` counts from the first one ahead. */
static int32_t *result_of(const struct csc_run *run, size_t window, size_t n) {
    int32_t *results = run->results.bytes;
    if (!run->tiles)
        return results + window * run->lanes;
    size_t across = run->table->shape.out_width;
    size_t y = window / across * 2 + n / 2, x = window % across * 2 + n % 2;
    return results + (y * across * 2 + x) * run->lanes;
}

/* Delivers n sums to the lanes of a result. Returns how many were saturated. */
static uint64_t deliver(const struct csc_run *run, const int64_t *sums, int32_t *results, size_t n) {
    if (run->sums_tap.count > 0)
        memcpy((int64_t *)run->sums.bytes + (results - (int32_t *)run->results.bytes), sums, n * sizeof *sums);
    return cacc_deliver_all(sums, results, n, run->truncate);
}

/* ---- sums ---- */

/* Lanes of a part: the blocks of `kernels` lanes [first, end). */
struct part {
    size_t first, end;
};

static struct part part_of(const struct csc_run *run, size_t i, size_t kernels, size_t blocks) {
    size_t used = lesser(ceil_div(run->kernels, kernels), blocks);
    return run->parts == 1 ? (struct part){0, used} : (struct part){i, i + 1};
}

static void any_order(struct csc_run *run, const int16_t *const *windows, size_t window, size_t count, size_t part) {
    const struct crep *table = run->table;
    const struct cmac_weights *weights = &run->packed;
    struct part blocks = part_of(run, part, weights->kernels, weights->blocks);
    size_t lanes = run->lanes, step = count * lanes;
    size_t from = blocks.first * weights->kernels;
    size_t n = run->parts == 1 ? lanes : lesser(weights->kernels, lanes - from);
    int64_t sums[TILE_PANEL * TILE_ELEMENTS * MOST_LANES];
    _Static_assert(PANEL <= TILE_PANEL * TILE_ELEMENTS, "the sums of a panel fit");
    memset(sums, 0, (run->tiles ? TILE_ELEMENTS : 1) * step * sizeof *sums);
    for (size_t c = 0; c < table->chunk_count; c++) {
        const struct crep_chunk *chunk = &table->chunks[c];
        for (size_t block = blocks.first; block < blocks.end; block++) {
            cmac_multiply(weights, block, windows, count, table->runs + chunk->run, chunk->runs, chunk->pair,
                          sums + chunk->column * step);
        }
    }
    uint64_t saturated = 0;
    for (size_t p = 0; p < count && run->tiles; p++) {
        int64_t out[OUTPUTS * MOST_LANES];
        cmac_post_add(sums + p * lanes + from, step, n, out);
        for (size_t o = 0; o < OUTPUTS; o++)
            saturated += deliver(run, out + o * n, result_of(run, window + p, o) + from, n);
    }
    if (!run->tiles && n == lanes)
        saturated = deliver(run, sums, result_of(run, window, 0), step);
    else if (!run->tiles)
        for (size_t p = 0; p < count; p++)
            saturated += deliver(run, sums + p * lanes + from, result_of(run, window + p, 0) + from, n);
    atomic_fetch_add_explicit(&run->saturated, saturated, memory_order_relaxed);
}

static void atom_by_atom(struct csc_run *run, const int16_t *const *windows, size_t window, size_t count) {
    const struct crep *table = run->table;
    const enum nvdla_precision precision = run->csc->layer.precision;
    size_t lanes = run->lanes, outputs = run->tiles ? OUTPUTS : 1;
    uint64_t saturated = 0;
    for (size_t p = 0; p < count; p++) {
        int64_t accumulators[OUTPUTS * MOST_LANES] = {0}, sums[TILE_ELEMENTS * MOST_LANES], out[OUTPUTS * MOST_LANES];
        const int16_t *weights = run->ordered.bytes;
        for (size_t a = 0, piece = 0; a < table->atoms; piece = table->ends[a++]) {
            const struct cmac_piece *pieces = table->pieces + piece;
            size_t pieces_of = table->ends[a] - piece;
            if (run->tiles) {
                for (size_t e = 0; e < pieces_of; e++) {
                    cmac_atom(windows[p], pieces + e, 1, weights, lanes, sums + e * lanes);
                    weights += pieces[e].count * lanes;
                }
                cmac_post_add(sums, lanes, lanes, out);
            } else {
                cmac_atom(windows[p], pieces, pieces_of, weights, lanes, out);
                for (size_t e = 0; e < pieces_of; e++)
                    weights += pieces[e].count * lanes;
            }
            for (size_t i = 0; i < outputs * lanes; i++) {
                int bits = cacc_width(run->csc->config, precision, i % lanes);
                accumulators[i] = cacc_add(accumulators[i], out[i], bits);
            }
        }
        for (size_t o = 0; o < outputs; o++)
            saturated += deliver(run, accumulators + o * lanes, result_of(run, window + p, o), lanes);
    }
    atomic_fetch_add_explicit(&run->saturated, saturated, memory_order_relaxed);
}

static void floating_point(struct csc_run *run, const int16_t *const *windows, size_t window, size_t count,
                           size_t part) {
    const struct crep *table = run->table;
    const struct cmac_fp16_weights *weights = &run->floating;
    struct part blocks = part_of(run, part, CMAC_FP16_LANES, weights->blocks);
    size_t outputs = run->tiles ? OUTPUTS : 1, first = blocks.first * CMAC_FP16_LANES;
    size_t end = lesser(blocks.end * CMAC_FP16_LANES, run->kernels);
    size_t behind = run->parts == 1 ? run->lanes : lesser(blocks.end * CMAC_FP16_LANES, run->lanes);
    /* Position, then output, then block. */
    struct cacc_fp16_lanes accumulators[PANEL][FP16_BLOCKS];
    _Static_assert(TILE_PANEL * OUTPUTS <= PANEL, "the outputs of a panel of tiles fit");
    _Static_assert((int)CMAC_FP16_LANES == CACC_FP16_LANES, "a block of sums is one of accumulators");
    memset(accumulators, 0, count * outputs * sizeof accumulators[0]);
    /* The weights of an atomic operation are used for all positions while they are in the cache. */
    for (size_t a = 0, piece = 0, element = 0; a < table->atoms; piece = table->ends[a++]) {
        size_t pieces = table->ends[a] - piece;
        for (size_t p = 0; p < count; p++) {
            struct cmac_fp16_data data;
            struct cmac_fp16_sums sums;
            cmac_fp16_data_read(&data, weights, windows[p], table->pieces + piece, pieces);
            for (size_t block = blocks.first; block < blocks.end; block++) {
                cmac_fp16_atom(weights, block, a, element, &data, run->tiles, &sums);
                for (size_t o = 0; o < outputs; o++)
                    cacc_fp16_add_lanes(&accumulators[p * outputs + o][block], sums.exponent, sums.mantissa[o]);
            }
        }
        for (size_t e = 0; e < pieces; e++)
            element += table->pieces[piece + e].count;
    }
    for (size_t i = 0; i < count * outputs; i++) {
        int32_t *results = result_of(run, window + i / outputs, i % outputs);
        for (size_t k = first; k < behind; k++) {
            const struct cacc_fp16_lanes *from = &accumulators[i][k / CMAC_FP16_LANES];
            const size_t lane = k % CMAC_FP16_LANES;
            const struct cacc_fp16 sum = {(int32_t)from->exponent[lane], from->mantissa[lane]};
            results[k] = k < end ? (int32_t)cacc_fp16_deliver(&sum) : 0;
        }
    }
}

/* ---- tasks ---- */

static size_t panel_size(const struct csc_run *run) {
    return run->tiles ? TILE_PANEL : PANEL;
}

/* Task i: a part of a panel of the current windows. */
static void run_task(void *context, size_t i) {
    struct csc_run *run = context;
    const int16_t *windows[PANEL];
    size_t at = i / run->parts * panel_size(run), count = lesser(run->count - at, panel_size(run));
    find_windows(run, run->first + at, count, windows);
    switch (run->arithmetic) {
    case ANY_ORDER:
        any_order(run, windows, at, count, i % run->parts);
        break;
    case ATOM_BY_ATOM:
        atom_by_atom(run, windows, at, count);
        break;
    case FLOATING_POINT:
        floating_point(run, windows, at, count, i % run->parts);
        break;
    }
}

/* Blocks of kernels that can be computed independently. */
static size_t blocks_in_use(const struct csc_run *run) {
    switch (run->arithmetic) {
    case ANY_ORDER:
        return ceil_div(run->kernels, run->packed.kernels);
    case FLOATING_POINT:
        return ceil_div(run->kernels, CMAC_FP16_LANES);
    case ATOM_BY_ATOM:
        break;
    }
    return 1;
}

/* Sends the results computed ahead to the taps, line by line. */
static void show_ready(const struct csc_run *run) {
    if (run->sums_tap.count + run->results_tap.count == 0)
        return;
    size_t batches = run->csc->layer.batches, width = run->table->shape.out_width * (run->tiles ? 2 : 1);
    size_t first = run->first * (run->tiles ? OUTPUTS : 1);
    for (size_t at = 0, n; at < run->ready; at += n) {
        size_t line = (first + at) / width, x = (first + at) % width; /* a line of each batch in turn */
        const struct tap_place place = {.batch = (int32_t)(line % batches),
                                        .channel = (int32_t)((run->group - 1) * run->lanes),
                                        .y = (int32_t)(line / batches),
                                        .x = (int32_t)x};
        n = lesser(run->ready - at, width - x);
        if (run->sums_tap.count > 0) { /* otherwise there is no buffer */
            tap_send(&run->sums_tap, place, (const int64_t *)run->sums.bytes + at * run->lanes, n, run->kernels,
                     run->lanes);
        }
        tap_send(&run->results_tap, place, (const int32_t *)run->results.bytes + at * run->lanes, n, run->kernels,
                 run->lanes);
    }
}

/* Computes the next windows of the group. */
static void compute_ahead(struct csc_run *run) {
    size_t panels, threads = pool_threads(run->pool);
    run->first = run->window;
    run->count = lesser(run->windows - run->window, run->ahead);
    panels = ceil_div(run->count, panel_size(run));
    bool shared = threads > 1 && run->count * run->kernels * run->table->elements >= WORTH_SHARING;
    run->parts = shared && panels < 2 * threads ? blocks_in_use(run) : 1;
    if (run->parts > 1 || !run->multiplies) {
        /* Lanes that no part writes. */
        memset(run->results.bytes, 0, run->count * (run->tiles ? OUTPUTS : 1) * run->lanes * sizeof(int32_t));
    }
    if (run->multiplies && shared)
        pool_run(run->pool, panels * run->parts, run_task, run);
    else if (run->multiplies)
        for (size_t i = 0; i < panels; i++)
            run_task(run, i);
    run->window += run->count;
    run->ready = run->count * (run->tiles ? OUTPUTS : 1);
    run->taken = 0;
    show_ready(run);
}

/* ---- weights ---- */

/* True if no sum of the group can saturate its accumulator, whatever the input. */
static bool never_saturates(const struct csc_run *run, const int16_t *elements) {
    const struct csc_layer *layer = &run->csc->layer;
    unsigned bits = layer->precision == NVDLA_INT8 ? 7 : 15;
    int narrowest = cacc_width(run->csc->config, layer->precision, 1);
    uint64_t limit = UINT64_C(1) << (narrowest - 1);
    if ((uint64_t)run->table->elements << 2 * bits < limit)
        return true;
    uint64_t magnitudes[MOST_LANES] = {0};
    const struct crep *table = run->table;
    for (size_t a = 0, piece = 0; a < table->atoms; piece = table->ends[a++]) {
        size_t step = 0;
        for (size_t e = piece; e < table->ends[a]; e++)
            step += table->pieces[e].count;
        for (size_t k = 0; k < run->kernels; k++, elements += step)
            for (size_t i = 0; i < step; i++)
                magnitudes[k] += (uint64_t)abs(elements[i]);
    }
    for (size_t k = 0; k < run->kernels; k++) {
        limit = UINT64_C(1) << (cacc_width(run->csc->config, layer->precision, k) - 1);
        if (magnitudes[k] << bits >= limit)
            return false;
    }
    return true;
}

/* Places the weights of a piece for the arithmetic. In the stream those of the first kernel start at `first`, and each
 * kernel has `step` weights for the atomic operation. */
static void place_weights(struct csc_run *run, size_t atom, const struct cmac_piece *piece, size_t element,
                          const int16_t *stream, size_t first, size_t step) {
    const int16_t *from = stream + first;
    switch (run->arithmetic) {
    case ANY_ORDER:
        cmac_weights_place(&run->packed, piece->packed, first, step, run->kernels, piece->count);
        break;
    case ATOM_BY_ATOM:
        for (size_t i = 0; i < piece->count; i++) {
            int16_t *to = (int16_t *)run->ordered.bytes + (element + i) * run->lanes;
            for (size_t k = 0; k < run->kernels; k++)
                to[k] = from[k * step + i];
        }
        break;
    case FLOATING_POINT:
        cmac_fp16_weights_place(&run->floating, element, atom, from, step, run->kernels, piece->count);
        break;
    }
}

/* Sorts the weights of a group from the stream: 40-convolution-core section 4.4. */
static void arrange_weights(struct csc_run *run, const int16_t *stream) {
    const struct crep *table = run->table;
    if (run->arithmetic == ANY_ORDER)
        cmac_weights_take(&run->packed, stream, run->kernels * table->elements);
    for (size_t a = 0, piece = 0, element = 0, first = 0; a < table->atoms; piece = table->ends[a++]) {
        size_t step = 0;
        for (size_t e = piece; e < table->ends[a]; e++)
            step += table->pieces[e].count;
        for (size_t e = piece, at = 0; e < table->ends[a]; at += table->pieces[e++].count)
            place_weights(run, a, &table->pieces[e], element + at, stream, first + at, step);
        element += step;
        first += step * run->kernels;
    }
}

static void release_group(struct csc_run *run) {
    struct cbuf_weights *account = &run->cbuf->weights;
    if (!run->csc->layer.skip_weights && run->kernels > 0) {
        csc_release_weights(account, run->cbuf, run->weights.data.entries, run->weights.mask.entries, run->kernels);
        account->read = run->weights.data.entry;
        account->mask_read = run->weights.mask.entry;
    }
    run->kernels = 0;
}

/* Releases the weights of the last group and loads those of the next. */
static void next_group(struct csc_run *run) {
    const struct csc_layer *layer = &run->csc->layer;
    release_group(run);
    if (run->client)
        cdma_fetch_weights(run->cdma, run->cbuf, run->client);
    run->kernels = csc_layer_group_kernels(layer, run->group++);
    const int16_t *elements = weights_next(&run->weights, run->cbuf, run->kernels * run->table->elements);
    run->window = 0;
    if (!run->multiplies)
        return;
    if (run->arithmetic != FLOATING_POINT)
        run->arithmetic = never_saturates(run, elements) ? ANY_ORDER : ATOM_BY_ATOM;
    bool partial = run->kernels < run->lanes;
    if (run->arithmetic == FLOATING_POINT)
        cmac_fp16_weights_clear(&run->floating);
    else if (run->arithmetic == ANY_ORDER && partial)
        cmac_weights_clear(&run->packed);
    else if (run->arithmetic == ATOM_BY_ATOM && partial)
        memset(run->ordered.bytes, 0, run->table->elements * run->lanes * sizeof(int16_t));
    arrange_weights(run, elements);
    const struct conv_source source = {
        .table = run->table, .input = run->input.bytes, .weights = elements, .floating = &run->floating};
    conv_streams_group(&run->streams, &source);
}

/* ---- life ---- */

/* Makes room for the layer and reads its input. */
static void prepare(struct csc_run *run) {
    const struct csc_layer *layer = &run->csc->layer;
    const struct crep *table = run->table;
    size_t kernels = csc_layer_group_kernels(layer, 0), outputs = run->tiles ? OUTPUTS : 1;
    size_t stored = csc_layer_stored(layer, run->csc->config, run->cbuf);
    /* CMAC reads pairs of elements: one more than exist. */
    buffer_reserve(&run->input, stored + 1, sizeof(int16_t));
    buffer_reserve(&run->results, run->ahead * outputs * run->lanes, sizeof(int32_t));
    weights_begin(&run->weights, run->cbuf, layer->data_banks, layer->weight_banks, layer->precision, layer->compressed,
                  kernels * table->elements);
    if (layer->precision == NVDLA_FP16) {
        cmac_fp16_weights_begin(&run->floating, kernels, table->elements, table->atoms);
    } else {
        bool wide = layer->precision == NVDLA_INT16;
        cmac_weights_begin(&run->packed, wide, run->lanes, table->pairs, kernels * table->elements);
        buffer_reserve(&run->ordered, table->elements * run->lanes, sizeof(int16_t));
    }
    int16_t *input = run->input.bytes;
    input[stored] = 0;
    csc_input_read(layer, run->cbuf, table, &run->input_buffers, input);
}

/* Windows to compute at a time: panels for all threads; tiles: whole lines, which are two lines of results. */
static size_t windows_ahead(const struct csc_run *run) {
    size_t threads = pool_threads(run->pool), panels = threads > 1 ? SHARED_PANELS * threads : PANELS;
    size_t ahead = panels * panel_size(run), line = run->tiles ? run->table->shape.out_width : 1;
    return lesser(run->windows, ceil_div(ahead, line) * line);
}

struct csc_run *csc_run_new(struct thread_pool *pool, bool multiplies) {
    struct csc_run *run = xcalloc(1, sizeof *run);
    run->multiplies = multiplies;
    run->pool = pool;
    return run;
}

void csc_run_free(struct csc_run *run) {
    if (run) {
        buffer_free(&run->input);
        buffer_free(&run->input_buffers.slice);
        buffer_free(&run->input_buffers.pixels);
        buffer_free(&run->results);
        buffer_free(&run->sums);
        buffer_free(&run->ordered);
        weights_free(&run->weights);
        cmac_weights_free(&run->packed);
        cmac_fp16_weights_free(&run->floating);
        free(run);
    }
}

void csc_run_begin(struct csc_run *run, struct csc *csc, struct cdma *cdma, struct cbuf *cbuf, struct dma *client,
                   unsigned truncate) {
    const struct csc_layer *layer = &csc->layer;
    struct crep_shape shape = csc_layer_shape(layer, csc->config, cbuf);
    run->csc = csc;
    run->cdma = cdma;
    run->cbuf = cbuf;
    run->client = client;
    run->truncate = truncate;
    run->table = crep_find(&csc->tables, &shape);
    run->tiles = layer->mode == CSC_WINOGRAD;
    run->lanes = layer->kernel_group;
    run->windows = layer->positions * layer->batches / (run->tiles ? OUTPUTS : 1);
    run->window = run->windows; /* of the group before the first */
    run->ahead = windows_ahead(run);
    run->group = 0;
    run->kernels = 0;
    run->ready = 0;
    run->taken = 0;
    run->arithmetic = layer->precision == NVDLA_FP16 ? FLOATING_POINT : ANY_ORDER;
    run->sums_tap = run->results_tap = (struct tap_out){.count = 0};
    run->streams = (struct conv_streams){.next = {0}};
    atomic_store(&run->saturated, 0);
    prepare(run);
}

void csc_run_observe(struct csc_run *run, const struct tap_out *sums, const struct tap_out *results,
                     const struct conv_streams *streams) {
    run->results_tap = *results;
    run->streams = *streams;
    if (sums->count == 0 || run->arithmetic == FLOATING_POINT)
        return;
    const struct convertor truncation = {.scale = 1, .shift = run->truncate, .bits = 32};
    tap_convertor(sums, &truncation, 0);
    run->sums_tap = *sums;
    buffer_reserve(&run->sums, run->ahead * (run->tiles ? OUTPUTS : 1) * run->lanes, sizeof(int64_t));
}

void csc_run_next(struct csc_run *run, int32_t *results, size_t atoms) {
    while (atoms > 0) {
        if (run->taken == run->ready) {
            if (run->window == run->windows)
                next_group(run);
            compute_ahead(run);
        }
        size_t n = lesser(atoms, run->ready - run->taken);
        memcpy(results, (const int32_t *)run->results.bytes + run->taken * run->lanes,
               n * run->lanes * sizeof *results);
        results += n * run->lanes;
        run->taken += n;
        atoms -= n;
    }
}

uint64_t csc_run_saturated(const struct csc_run *run) {
    return run->saturated;
}

void csc_run_end(struct csc_run *run) {
    release_group(run);
    tap_clipped(&run->sums_tap, run->saturated);
    csc_end(run->csc, run->cbuf);
}
