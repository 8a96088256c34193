/* Chooses cuts, plays the program with its cuts on the model, and makes pieces. See split.h. */
#include "split/split.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layers/tracker.h"
#include "layers/traffic.h"
#include "model/snapshot.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"
#include "replay/player.h"
#include "split/cut_program.h"
#include "split/cuts.h"
#include "split/layer_order.h"
#include "split/piece.h"
#include "trace/exchange.h"
#include "trace/network.h"

enum { LAYER_CLOCKS = 200 }; /* of the start and the end of a layer */

/* ---- layers ---- */

static void describe_layers(struct split *split, const struct network *network) {
    const struct layer_order *order = split->order;
    split->layer_count = order->layer_count;
    split->layers = xcalloc(order->layer_count + 1, sizeof *split->layers);
    for (size_t l = 0; l < order->layer_count; l++) {
        struct split_layer *layer = &split->layers[l];
        layer->launch_count = order->layers[l].launch_count;
        layer->launches = xcalloc(layer->launch_count, sizeof *layer->launches);
        for (size_t i = 0; i < layer->launch_count; i++) {
            const struct launch *launch = layer_tracker_launch(order->tracker, order->layers[l].launches[i]);
            const struct network_layer *of = network_layer_of(network, launch->unit, launch->ordinal);
            const uint64_t clocks = launch_clocks(order->prog->config, launch);
            char position[512];
            const char *folder;
            op_position(order->prog, &order->prog->ops[launch->tag], position, sizeof position);
            folder = strrchr(position, '/'); /* pieces do not depend on the path of the trace */
            layer->launches[i] =
                (struct split_launch){.unit = launch->unit,
                                      .ordinal = launch->ordinal,
                                      .position = xstrdup(folder ? folder + 1 : position),
                                      .network = of ? xprintf("%u.%u", of->task, of->operation) : NULL};
            layer->clocks = clocks > layer->clocks ? clocks : layer->clocks;
            layer->work += launch_work(order->prog->config, launch);
        }
        layer->clocks += LAYER_CLOCKS;
        layer->work += layer->clocks;
    }
}

/* ---- cuts ---- */

static bool may_cut(const struct split *split, const struct split_options *options, size_t layer) {
    const struct boundary *boundary = &split->order->boundaries[layer];
    return !boundary->forbidden && (boundary->idle || !options->idle_only);
}

/* Returns how many cuts there are. */
static size_t choose_cuts(const struct split *split, const struct split_options *options, size_t *cuts) {
    autofree uint64_t *work = xcalloc(split->layer_count + 1, sizeof *work);
    autofree bool *allowed = xcalloc(split->layer_count + 1, sizeof *allowed);
    for (size_t l = 0; l < split->layer_count; l++) {
        work[l] = split->layers[l].work;
        allowed[l] = l + 1 < split->layer_count && may_cut(split, options, l);
    }
    return cuts_choose(&(struct cuts_wanted){.work = work,
                                             .allowed = allowed,
                                             .layers = split->layer_count,
                                             .pieces = options->pieces,
                                             .workers = options->workers},
                       cuts);
}

/* ---- checking the cuts ---- */

struct trial {
    struct split *split;
    struct cut_program *sequence;
    const size_t *cuts;
    size_t next; /* piece that begins next */
    bool allowed;
};

/* What the next convolution after a boundary reuses in CBUF and would not find there, or NULL. The reuse bits of CDMA
 * and CSC are at the same positions. */
static const char *misses(const struct layer_order *order, const struct device *model, size_t boundary) {
    const uint32_t reuse = CDMA_D_MISC_CFG__DATA_REUSE_MASK | CDMA_D_MISC_CFG__WEIGHT_REUSE_MASK;
    const struct launch *cdma, *csc;
    int ordinal = 0;
    while ((cdma = layer_tracker_find(order->tracker, NVDLA_CDMA, ordinal)) != NULL &&
           layer_order_layer_of(order, cdma) <= boundary)
        ordinal++;
    if (!cdma || model_cbuf_free(model))
        return NULL;
    csc = layer_tracker_find(order->tracker, NVDLA_CSC, ordinal);
    if ((launch_register(cdma, CDMA_D_MISC_CFG) | (csc ? launch_register(csc, CSC_D_MISC_CFG) : 0)) & reuse)
        return "the next convolution reuses the content of CBUF";
    if (csc && model_weights_in_front(model, launch_register(csc, CSC_D_BANK)))
        return "the next convolution begins with unused weights of the last one";
    return NULL;
}

/* Why the model's current boundary cannot be a cut, or NULL. */
static const char *no_cut(const struct trial *trial, const struct device *model, size_t boundary) {
    if (!model_at_ease(model))
        return "a unit is not idle";
    return misses(trial->split->order, model, boundary);
}

static void try_mark(void *context, const struct device *model, size_t op) {
    struct trial *trial = context;
    while (trial->next < trial->sequence->pieces && op >= trial->sequence->marks[trial->next]) {
        const size_t piece = trial->next++;
        const char *why = piece > 0 ? no_cut(trial, model, trial->cuts[piece - 1]) : NULL;
        if (why) {
            layer_order_forbid(trial->split->order, trial->cuts[piece - 1], "%s", why);
            trial->allowed = false;
        }
        for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
            if (unit_has_groups(trial->sequence->prog->config, unit) && model_consumer(model, unit) == 1)
                trial->sequence->exchanged[piece] |= UINT32_C(1) << unit;
    }
}

/* Checks that compare both groups of an exchanged unit for other than equality cannot be exchanged. */
static void try_exchange(struct trial *trial) {
    const struct cut_program *sequence = trial->sequence;
    for (size_t piece = 1; piece < sequence->pieces; piece++)
        for (size_t i = sequence->marks[piece]; i < sequence->marks[piece + 1]; i++) {
            struct op op = sequence->prog->ops[i];
            if (!exchange_groups(sequence->prog->config, sequence->exchanged[piece], &op)) {
                layer_order_forbid(trial->split->order, trial->cuts[piece - 1],
                                   "a later check compares both groups of a unit for other than equality");
                trial->allowed = false;
            }
        }
}

/* Plays the program with its cuts, without data. False: a cut was impossible and is now forbidden. */
static bool try_cuts(struct trial *trial, const struct split_options *options) {
    static const char stands[] = "a cut here would make the program hang";
    struct layer_order *order = trial->split->order;
    struct device *model = layer_order_model(order, options, !order->needs_data);
    struct play_options play_options;
    struct play_result result;
    play_options_default(&play_options);
    play_options.trying = try_mark;
    play_options.trying_context = trial;
    const enum play_outcome outcome =
        layer_order_play(trial->sequence->prog, options, order->needs_data, model, &play_options, &result);
    if (outcome != PLAY_PASSED && outcome != PLAY_CHECK_FAILED && trial->next > 0) {
        /* It waits for an event of the next piece, or one that the previous piece should have caused. */
        const size_t cuts = trial->sequence->pieces - 1, piece = trial->next - 1;
        layer_order_forbid(order, trial->cuts[piece < cuts ? piece : cuts - 1], "%s", stands);
        if (piece > 0)
            layer_order_forbid(order, trial->cuts[piece - 1], "%s", stands);
        trial->allowed = false;
    }
    try_exchange(trial);
    play_result_free(&result);
    model->ops->destroy(model);
    return trial->allowed;
}

/* Finds valid cuts. Each round forbids at least one invalid cut. */
static struct cut_program *find_sequence(struct split *split, const struct split_options *options, size_t *cuts,
                                         size_t *count) {
    for (;;) {
        *count = choose_cuts(split, options, cuts);
        struct cut_program *sequence = cut_program_new(split->order, cuts, *count);
        if (!sequence)
            continue;
        struct trial trial = {.split = split, .sequence = sequence, .cuts = cuts, .allowed = true};
        if (*count == 0 || try_cuts(&trial, options))
            return sequence;
        cut_program_free(sequence);
    }
}

static void describe_pieces(struct split *split, const size_t *cuts, size_t count) {
    split->piece_count = count + 1;
    split->pieces = xcalloc(split->piece_count, sizeof *split->pieces);
    size_t piece = 0;
    for (size_t l = 0; l < split->layer_count; l++) {
        split->pieces[piece].count++;
        split->pieces[piece].clocks += split->layers[l].clocks;
        split->pieces[piece].work += split->layers[l].work;
        if (piece < count && cuts[piece] == l)
            split->pieces[++piece].first = l + 1;
    }
    for (size_t i = 0; i < split->piece_count; i++)
        split->pieces[i].deferred = i > 0 && !split->order->boundaries[cuts[i - 1]].idle;
}

struct split *split_new(struct program *prog, const char *name, const struct split_options *options,
                        struct error *err) {
    struct network network;
    if (!network_read(prog, &network, err)) {
        program_free(prog);
        return NULL;
    }
    struct split *split = xcalloc(1, sizeof *split);
    split->name = xstrdup(name);
    split->network = network;
    split->order = layer_order_new(prog, options, err);
    if (!split->order) {
        split_free(split);
        return NULL;
    }
    describe_layers(split, &network);
    size_t *cuts = xcalloc(split->layer_count + 1, sizeof *cuts), count;
    split->sequence = find_sequence(split, options, cuts, &count);
    describe_pieces(split, cuts, count);
    split->most = split->idle = 1;
    for (size_t l = 0; l + 1 < split->layer_count; l++) {
        const struct boundary *boundary = &split->order->boundaries[l];
        split->most += !boundary->forbidden;
        split->idle += !boundary->forbidden && boundary->idle;
    }
    free(cuts);
    return split;
}

void split_free(struct split *split) {
    if (!split)
        return;
    for (size_t l = 0; l < split->layer_count; l++) {
        for (size_t i = 0; i < split->layers[l].launch_count; i++) {
            free(split->layers[l].launches[i].position);
            free(split->layers[l].launches[i].network);
        }
        free(split->layers[l].launches);
    }
    free(split->layers);
    free(split->pieces);
    free(split->name);
    network_free(&split->network);
    cut_program_free(split->sequence);
    layer_order_free(split->order);
    free(split);
}

/* ---- making the pieces ---- */

struct making {
    struct split *split;
    const struct split_options *options;
    struct device *model;
    struct piece_maker *maker;
    struct play_result result; /* results of all checks so far */
    size_t next;               /* piece that begins next */
    split_taker *take;
    void *context;
    struct error *err;
    bool good;
};

static bool hand_over(struct making *making) {
    struct program *piece = piece_end(making->maker, making->split, making->next - 1, making->options, &making->result);
    return making->take(making->context, making->next - 1, piece, making->model->memory, making->err);
}

static void at_mark(void *context, const struct device *model, size_t op) {
    struct making *making = context;
    const struct cut_program *sequence = making->split->sequence;
    while (making->good && making->next < sequence->pieces && op >= sequence->marks[making->next]) {
        making->good = making->next == 0 || hand_over(making);
        if (making->good) {
            piece_begin(making->maker);
            making->next++;
        }
    }
    if (!making->good)
        making->model->stop = true;
    (void)model;
}

bool split_make(struct split *split, const struct split_options *options, split_taker *take, void *context,
                struct error *err) {
    struct making making = {.split = split,
                            .options = options,
                            .model = layer_order_model(split->order, options, false),
                            .take = take,
                            .context = context,
                            .err = err,
                            .good = true};
    struct play_options play_options;
    making.maker = piece_maker_new(making.model);
    play_options_default(&play_options);
    play_options.seed = options->seed;
    play_options.progress = options->progress;
    play_options.progress_context = options->progress_context;
    play_options.trying = at_mark;
    play_options.trying_context = &making;
    const enum play_outcome outcome = play(split->sequence->prog, making.model, &play_options, &making.result);
    at_mark(&making, making.model, SIZE_MAX);
    split->failed = making.result.failure_count;
    if (making.good && outcome != PLAY_PASSED && outcome != PLAY_CHECK_FAILED)
        making.good = error_set(err, "%s: does not finish on the model: %s", split->order->prog->files[0],
                                making.result.message ? making.result.message : "a wait never ends");
    if (making.good)
        making.good = hand_over(&making);
    piece_maker_free(making.maker);
    play_result_free(&making.result);
    making.model->ops->destroy(making.model);
    return making.good;
}
