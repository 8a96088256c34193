/* Finds the layers of a program and when each is done. See layer_order.h. */
#include "split/layer_order.h"

#include <stdlib.h>
#include <string.h>

#include "export/order.h"
#include "layers/pairing.h"
#include "model/model.h"
#include "model/snapshot.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"
#include "trace/launches.h"

enum { POSITION = 512 };

/* ---- layers ---- */

static size_t index_of(const struct layer_tracker *tracker, const struct launch *launch) {
    size_t index = 0;
    while (layer_tracker_launch(tracker, index) != launch)
        index++;
    return index;
}

/* The first launch of a layer, by following `first` (union-find). */
static size_t first_of(const size_t *first, size_t launch) {
    while (first[launch] != launch)
        launch = first[launch];
    return launch;
}

static void join(size_t *first, size_t a, size_t b) {
    a = first_of(first, a);
    b = first_of(first, b);
    first[a > b ? a : b] = a < b ? a : b;
}

/* Joins launches that feed each other into one layer. */
static void find_partners(const struct layer_tracker *tracker, size_t *first) {
    static const enum nvdla_unit feeders[] = {NVDLA_CDMA,     NVDLA_CSC, NVDLA_CMAC_A,   NVDLA_CMAC_B,  NVDLA_CACC,
                                              NVDLA_SDP_RDMA, NVDLA_SDP, NVDLA_PDP_RDMA, NVDLA_CDP_RDMA};
    for (size_t i = 0; i < layer_tracker_count(tracker); i++) {
        const struct launch *launch = layer_tracker_launch(tracker, i);
        for (size_t f = 0; f < sizeof feeders / sizeof *feeders; f++) {
            const struct launch *feeder =
                launch->unit == feeders[f] ? NULL : layer_tracker_feeder(tracker, launch, feeders[f]);
            if (feeder)
                join(first, i, index_of(tracker, feeder));
        }
    }
}

static void find_layers(struct layer_order *order) {
    const size_t count = layer_tracker_count(order->tracker);
    autofree size_t *first = xcalloc(count + 1, sizeof *first), *number = xcalloc(count + 1, sizeof *number);
    for (size_t i = 0; i < count; i++)
        first[i] = i;
    find_partners(order->tracker, first);
    order->layer_of = xcalloc(count + 1, sizeof *order->layer_of);
    order->layers = xcalloc(count + 1, sizeof *order->layers);
    for (size_t i = 0; i < count; i++) {
        const size_t leader = first_of(first, i);
        if (leader == i)
            number[i] = order->layer_count++;
        struct order_layer *layer = &order->layers[number[leader]];
        *xadd(layer->launches, layer->launch_count) = i;
    }
}

/* ---- when they end ---- */

struct watching {
    struct layer_order *order;
    size_t *ended;       /* by launch: number of the look that saw it done; 0: not yet */
    size_t *waits;       /* by launch: operation tried at that time */
    size_t first, looks; /* first: earlier launches have ended */
};

/* Records which launches have ended, of those armed before operation `op`. */
static void look(void *context, const struct device *model, size_t op) {
    struct watching *watching = context;
    const struct layer_tracker *tracker = watching->order->tracker;
    const size_t count = layer_tracker_count(tracker);
    watching->looks++;
    for (size_t i = watching->first; i < count; i++) {
        const struct launch *launch = layer_tracker_launch(tracker, i);
        if (launch->tag >= op && op < watching->order->end)
            break;
        if (!watching->ended[i] && launch->ordinal < model_launches(model, launch->unit) &&
            !model_is_armed(model, launch->unit, launch->ordinal)) {
            watching->ended[i] = watching->looks;
            watching->waits[i] = op < watching->order->end ? op : watching->order->end;
        }
        if (i == watching->first && watching->ended[i])
            watching->first++;
    }
}

/* The form of an operation without data. */
static struct op bare(const struct op *op) {
    struct op plain = *op;
    if (op->kind == OP_MEM_LOAD && op->blob->extent > 0) {
        plain.kind = OP_MEM_RESERVE;
        plain.size = op->blob->extent;
    } else if (op->kind == OP_MEM_FILL) {
        plain.kind = OP_MEM_RESERVE;
    } else if (op->kind == OP_MEM_LOAD || op->kind == OP_MEM_CHECK || op->kind == OP_MEM_CRC) {
        plain.kind = OP_NOTE;
        plain.text = "";
    }
    return plain;
}

enum play_outcome layer_order_play(const struct program *prog, const struct split_options *options, bool needs_data,
                                   struct device *model, struct play_options *play_options,
                                   struct play_result *result) {
    struct program without = *prog;
    const bool data = needs_data || nvdla_has(prog->config, FEATURE_COMPRESSION);
    play_options->seed = options->seed;
    play_options->progress = options->progress;
    play_options->progress_context = options->progress_context;
    without.ops = data ? prog->ops : xcalloc(prog->count + 1, sizeof *without.ops);
    for (size_t i = 0; !data && i < prog->count; i++)
        without.ops[i] = bare(&prog->ops[i]);
    const enum play_outcome outcome = play(&without, model, play_options, result);
    if (!data)
        free(without.ops);
    return outcome;
}

struct device *layer_order_model(const struct layer_order *order, const struct split_options *options,
                                 bool registers_only) {
    const struct model_options model = {.allow_outside = true,
                                        .allow_undefined = options->allow_undefined,
                                        .errata = options->errata,
                                        .registers_only = registers_only,
                                        .threads = options->threads};
    return model_new(order->prog->config, &model);
}

/* Reports why the program does not finish. */
static bool explain(const struct layer_order *order, const struct play_result *result, const struct watching *watching,
                    struct error *err) {
    char position[POSITION];
    const char *file = order->prog->files[0];
    if (result->outcome == PLAY_REFUSED || result->outcome == PLAY_BROKEN)
        return error_set(err, "%s: the model does not play it: %s", file, result->message);
    for (size_t i = 0; i < layer_tracker_count(order->tracker); i++) {
        const struct launch *launch = layer_tracker_launch(order->tracker, i);
        if (!watching->ended[i])
            return error_set(err,
                             "%s: %s launch %d, armed here, does not end on the model; only programs that finish can "
                             "be cut (see `nvcosim run --dut model`)",
                             op_position(order->prog, &order->prog->ops[launch->tag], position, sizeof position),
                             nvdla_unit_names[launch->unit], launch->ordinal);
    }
    return error_set(
        err, "%s: does not finish on the model; only programs that do can be cut (see `nvcosim run --dut model`)",
        file);
}

/* The hardware drops an arming of a group that is still armed. */
static bool all_accepted(const struct layer_order *order, const struct device *model, struct error *err) {
    for (size_t i = 0; i < layer_tracker_count(order->tracker); i++) {
        const struct launch *launch = layer_tracker_launch(order->tracker, i);
        char position[POSITION];
        if (launch->ordinal >= model_launches(model, launch->unit))
            return error_set(err,
                             "%s: of %d launches of %s the model dropped %d because their group was still armed; such "
                             "a program cannot be cut",
                             op_position(order->prog, &order->prog->ops[launch->tag], position, sizeof position),
                             launch->ordinal + 1, nvdla_unit_names[launch->unit],
                             launch->ordinal + 1 - model_launches(model, launch->unit));
    }
    return true;
}

static enum play_outcome play_once(struct watching *watching, const struct split_options *options, bool registers_only,
                                   bool *good, struct error *err) {
    struct layer_order *order = watching->order;
    const size_t count = layer_tracker_count(order->tracker);
    struct device *model = layer_order_model(order, options, registers_only);
    struct play_options play_options;
    struct play_result result;
    watching->first = watching->looks = 0;
    memset(watching->ended, 0, (count + 1) * sizeof *watching->ended);
    play_options_default(&play_options);
    play_options.trying = look;
    play_options.trying_context = watching;
    const enum play_outcome outcome =
        layer_order_play(order->prog, options, !registers_only, model, &play_options, &result);
    look(watching, model, order->end);
    *good = (outcome == PLAY_PASSED || outcome == PLAY_CHECK_FAILED) && watching->first == count;
    if (*good)
        *good = all_accepted(order, model, err);
    else
        explain(order, &result, watching, err);
    play_result_free(&result);
    model->ops->destroy(model);
    return outcome;
}

static size_t end_of(const struct watching *watching, const struct order_layer *layer) {
    size_t last = 0;
    for (size_t i = 0; i < layer->launch_count; i++)
        last = watching->ended[layer->launches[i]] > last ? watching->ended[layer->launches[i]] : last;
    return last;
}

static int layer_order(const void *left, const void *right, void *context) {
    const struct order_layer *a = left, *b = right;
    const size_t x = end_of(context, a), y = end_of(context, b);
    if (x != y)
        return x < y ? -1 : 1;
    return a->launches[0] < b->launches[0] ? -1 : 1;
}

/* Plays the program to find the order of its layers. Their data does not matter for that, unless the program waits for
 * a number that depends on it. */
static bool put_in_order(struct layer_order *order, const struct split_options *options, struct error *err) {
    const size_t count = layer_tracker_count(order->tracker);
    struct watching watching = {.order = order,
                                .ended = xcalloc(count + 1, sizeof *watching.ended),
                                .waits = xcalloc(count + 1, sizeof *watching.waits)};
    bool good;
    if (play_once(&watching, options, true, &good, err) == PLAY_HUNG) {
        order->needs_data = true;
        play_once(&watching, options, false, &good, err);
    }
    if (good)
        qsort_r(order->layers, order->layer_count, sizeof *order->layers, layer_order, &watching);
    for (size_t l = 0; good && l < order->layer_count; l++) {
        struct order_layer *layer = &order->layers[l];
        for (size_t i = 0; i < layer->launch_count; i++) {
            const size_t waits = watching.waits[layer->launches[i]];
            order->layer_of[layer->launches[i]] = l;
            layer->waits = waits > layer->waits ? waits : layer->waits;
        }
    }
    free(watching.ended);
    free(watching.waits);
    return good;
}

/* ---- boundaries ---- */

/* True for operations that check whether something has ended, or that clear its interrupts. */
static bool looks_back(const struct program *prog, const struct op *op) {
    const uint32_t status = nvdla_unit_base(prog->config, NVDLA_GLB) + GLB_S_INTR_STATUS;
    return op->kind == OP_MEM_CHECK || op->kind == OP_MEM_CRC || op->kind == OP_READ_CHECK || op->kind == OP_POLL ||
           op->kind == OP_WAIT || (op->kind == OP_WRITE && op->address == status);
}

/* The first operation from `at` on that arms a layer after the boundary, or `limit`. */
static size_t next_arming(const struct layer_order *order, size_t boundary, size_t at, size_t limit) {
    for (size_t i = 0; i < layer_tracker_count(order->tracker); i++) {
        const size_t tag = layer_tracker_launch(order->tracker, i)->tag;
        if (tag >= limit)
            break;
        if (tag >= at && order->layer_of[i] > boundary)
            return tag;
    }
    return limit;
}

/* The cut is after the last check of earlier layers, before later layers are armed or waited for; register writes in
 * between belong to the next piece. */
static void find_boundaries(struct layer_order *order) {
    size_t ended = 0, *armed = xcalloc(order->layer_count + 1, sizeof *armed);
    order->boundaries = xcalloc(order->layer_count + 1, sizeof *order->boundaries);
    for (size_t l = order->layer_count; l-- > 0;) { /* the first arming of this layer or a later one */
        const size_t tag = layer_tracker_launch(order->tracker, order->layers[l].launches[0])->tag;
        armed[l] = l + 1 < order->layer_count && armed[l + 1] < tag ? armed[l + 1] : tag;
    }
    for (size_t l = 0; l + 1 < order->layer_count; l++) {
        struct boundary *boundary = &order->boundaries[l];
        const size_t waits = order->layers[l].waits, next = order->layers[l + 1].waits;
        ended = waits > ended ? waits : ended;
        boundary->at = ended + (next > ended);
        const size_t limit = next_arming(order, l, boundary->at, next);
        for (size_t i = boundary->at; i < limit; i++)
            if (looks_back(order->prog, &order->prog->ops[i]))
                boundary->at = i + 1;
        boundary->idle = armed[l + 1] >= boundary->at;
    }
    free(armed);
}

static size_t first_of_end(const struct program *prog) {
    size_t end = prog->count;
    while (end > 0 && prog->ops[end - 1].at_end)
        end--;
    return end;
}

/* After the operations that fill memory before the first access. */
static size_t first_access(const struct program *prog) {
    size_t begin = 0;
    while (begin < prog->count &&
           (prog->ops[begin].kind == OP_MEM_LOAD || prog->ops[begin].kind == OP_MEM_FILL ||
            prog->ops[begin].kind == OP_MEM_RESERVE || prog->ops[begin].kind == OP_NOTE) &&
           !prog->ops[begin].at_end)
        begin++;
    return begin;
}

struct layer_order *layer_order_new(struct program *prog, const struct split_options *options, struct error *err) {
    struct layer_order *order = xcalloc(1, sizeof *order);
    order->prog = program_in_order(prog, err);
    program_free(prog);
    if (order->prog) {
        order->end = first_of_end(order->prog);
        order->begin = first_access(order->prog);
        order->tracker = program_launches(order->prog);
        find_layers(order);
    }
    if (!order->prog || !put_in_order(order, options, err)) {
        layer_order_free(order);
        return NULL;
    }
    find_boundaries(order);
    return order;
}

size_t layer_order_layer_of(const struct layer_order *order, const struct launch *launch) {
    return order->layer_of[index_of(order->tracker, launch)];
}

void layer_order_forbid(struct layer_order *order, size_t boundary, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!order->boundaries[boundary].forbidden)
        order->boundaries[boundary].forbidden = xvprintf(format, args);
    va_end(args);
}

void layer_order_free(struct layer_order *order) {
    if (!order)
        return;
    program_free(order->prog);
    layer_tracker_free(order->tracker);
    for (size_t i = 0; i < order->layer_count; i++)
        free(order->layers[i].launches);
    for (size_t i = 0; order->boundaries && i + 1 < order->layer_count; i++)
        free(order->boundaries[i].forbidden);
    free(order->layers);
    free(order->layer_of);
    free(order->boundaries);
    free(order);
}
