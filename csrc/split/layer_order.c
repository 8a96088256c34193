/* Which layers a program has and when each is done. See course.h. */
#include "split/layer_order.h"

#include <stdlib.h>
#include <string.h>

#include "export/order.h"
#include "layers/pairing.h"
#include "model/model.h"
#include "model/snapshot.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"
#include "replay/player.h"
#include "trace/launches.h"

enum { POSITION = 512 };

/* ---- layers ---- */

static size_t index_of(const struct layer_tracker *tracker, const struct launch *launch) {
    size_t index = 0;
    while (layer_tracker_launch(tracker, index) != launch)
        index++;
    return index;
}

/* The first launch of those that are one layer; `first` leads there step by step. */
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

/* Joins launches that feed each other in one layer. */
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

static void find_layers(struct course *course) {
    const size_t count = layer_tracker_count(course->tracker);
    size_t *first = xcalloc(count + 1, sizeof *first), *number = xcalloc(count + 1, sizeof *number);
    for (size_t i = 0; i < count; i++)
        first[i] = i;
    find_partners(course->tracker, first);
    course->layer_of = xcalloc(count + 1, sizeof *course->layer_of);
    course->layers = xcalloc(count + 1, sizeof *course->layers);
    for (size_t i = 0; i < count; i++) {
        const size_t leader = first_of(first, i);
        if (leader == i)
            number[i] = course->layer_count++;
        struct course_layer *layer = &course->layers[number[leader]];
        layer->launches = xgrow(layer->launches, layer->launch_count, sizeof *layer->launches);
        layer->launches[layer->launch_count++] = i;
    }
    free(first);
    free(number);
}

/* ---- when they end ---- */

struct watching {
    struct course *course;
    size_t *ended;       /* by launch: how many looks it took until it was seen done; 0: not yet */
    size_t *waits;       /* by launch: operation that was tried then */
    size_t first, looks; /* first: launches before have ended */
};

/* Takes note of the launches that have ended. Armed are those whose operation is before `op`. */
static void look(void *context, const struct device *model, size_t op) {
    struct watching *watching = context;
    const struct layer_tracker *tracker = watching->course->tracker;
    const size_t count = layer_tracker_count(tracker);
    watching->looks++;
    for (size_t i = watching->first; i < count; i++) {
        const struct launch *launch = layer_tracker_launch(tracker, i);
        if (launch->tag >= op && op < watching->course->end)
            break;
        if (!watching->ended[i] && launch->ordinal < model_launches(model, launch->unit) &&
            !model_is_armed(model, launch->unit, launch->ordinal)) {
            watching->ended[i] = watching->looks;
            watching->waits[i] = op < watching->course->end ? op : watching->course->end;
        }
        if (i == watching->first && watching->ended[i])
            watching->first++;
    }
}

/* What an operation is without data. */
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

enum play_outcome course_play(const struct program *prog, const struct split_options *options, bool needs_data,
                              struct device *model, struct play_options *play_options, struct play_result *result) {
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

static struct device *new_model(const struct course *course, const struct split_options *options, bool registers_only) {
    const struct model_options model = {.allow_outside = true,
                                        .allow_undefined = options->allow_undefined,
                                        .registers_only = registers_only,
                                        .threads = options->threads};
    return model_new(course->prog->config, &model);
}

/* Says what the program does instead of coming to its end. */
static bool explain(const struct course *course, const struct play_result *result, const struct watching *watching,
                    struct error *err) {
    char position[POSITION];
    const char *file = course->prog->files[0];
    if (result->outcome == PLAY_REFUSED || result->outcome == PLAY_BROKEN)
        return error_set(err, "%s: the model does not play it: %s", file, result->message);
    for (size_t i = 0; i < layer_tracker_count(course->tracker); i++) {
        const struct launch *launch = layer_tracker_launch(course->tracker, i);
        if (!watching->ended[i])
            return error_set(err,
                             "%s: %s launch %d, armed here, does not end on the model; only programs that come to "
                             "their end can be cut (see `nvcosim run --dut model`)",
                             op_position(course->prog, &course->prog->ops[launch->tag], position, sizeof position),
                             nvdla_unit_names[launch->unit], launch->ordinal);
    }
    return error_set(err,
                     "%s: does not come to its end on the model; only programs that do can be cut (see `nvcosim run "
                     "--dut model`)",
                     file);
}

/* The hardware drops an arming of a group that is still armed. */
static bool all_accepted(const struct course *course, const struct device *model, struct error *err) {
    for (size_t i = 0; i < layer_tracker_count(course->tracker); i++) {
        const struct launch *launch = layer_tracker_launch(course->tracker, i);
        char position[POSITION];
        if (launch->ordinal >= model_launches(model, launch->unit))
            return error_set(err,
                             "%s: of %d launches of %s the model has dropped %d, since their group was still armed; "
                             "such a program cannot be cut",
                             op_position(course->prog, &course->prog->ops[launch->tag], position, sizeof position),
                             launch->ordinal + 1, nvdla_unit_names[launch->unit],
                             launch->ordinal + 1 - model_launches(model, launch->unit));
    }
    return true;
}

static enum play_outcome play_once(struct watching *watching, const struct split_options *options, bool registers_only,
                                   bool *good, struct error *err) {
    struct course *course = watching->course;
    const size_t count = layer_tracker_count(course->tracker);
    struct device *model = new_model(course, options, registers_only);
    struct play_options play_options;
    struct play_result result;
    watching->first = watching->looks = 0;
    memset(watching->ended, 0, (count + 1) * sizeof *watching->ended);
    play_options_default(&play_options);
    play_options.trying = look;
    play_options.trying_context = watching;
    const enum play_outcome outcome =
        course_play(course->prog, options, !registers_only, model, &play_options, &result);
    look(watching, model, course->end);
    *good = (outcome == PLAY_PASSED || outcome == PLAY_CHECK_FAILED) && watching->first == count;
    if (*good)
        *good = all_accepted(course, model, err);
    else
        explain(course, &result, watching, err);
    play_result_free(&result);
    model->ops->destroy(model);
    return outcome;
}

static size_t end_of(const struct watching *watching, const struct course_layer *layer) {
    size_t last = 0;
    for (size_t i = 0; i < layer->launch_count; i++)
        last = watching->ended[layer->launches[i]] > last ? watching->ended[layer->launches[i]] : last;
    return last;
}

static int layer_order(const void *left, const void *right, void *context) {
    const struct course_layer *a = left, *b = right;
    const size_t x = end_of(context, a), y = end_of(context, b);
    if (x != y)
        return x < y ? -1 : 1;
    return a->launches[0] < b->launches[0] ? -1 : 1;
}

/* Plays the program for the order of its layers: what data they hold does not matter for that, unless the program waits
 * for a number that comes out of them. */
static bool put_in_order(struct course *course, const struct split_options *options, struct error *err) {
    const size_t count = layer_tracker_count(course->tracker);
    struct watching watching = {.course = course,
                                .ended = xcalloc(count + 1, sizeof *watching.ended),
                                .waits = xcalloc(count + 1, sizeof *watching.waits)};
    bool good;
    if (play_once(&watching, options, true, &good, err) == PLAY_HUNG) {
        course->needs_data = true;
        play_once(&watching, options, false, &good, err);
    }
    if (good)
        qsort_r(course->layers, course->layer_count, sizeof *course->layers, layer_order, &watching);
    for (size_t l = 0; good && l < course->layer_count; l++) {
        struct course_layer *layer = &course->layers[l];
        for (size_t i = 0; i < layer->launch_count; i++) {
            const size_t waits = watching.waits[layer->launches[i]];
            course->layer_of[layer->launches[i]] = l;
            layer->waits = waits > layer->waits ? waits : layer->waits;
        }
    }
    free(watching.ended);
    free(watching.waits);
    return good;
}

/* ---- boundaries ---- */

/* Operations that look at what has ended before, or clear its interrupts. */
static bool looks_back(const struct program *prog, const struct op *op) {
    const uint32_t status = nvdla_unit_base(prog->config, NVDLA_GLB) + GLB_S_INTR_STATUS;
    return op->kind == OP_MEM_CHECK || op->kind == OP_MEM_CRC || op->kind == OP_READ_CHECK || op->kind == OP_POLL ||
           op->kind == OP_WAIT || (op->kind == OP_WRITE && op->address == status);
}

/* The first operation from `at` on that arms a layer behind the boundary; `limit` if none does before. */
static size_t next_arming(const struct course *course, size_t boundary, size_t at, size_t limit) {
    for (size_t i = 0; i < layer_tracker_count(course->tracker); i++) {
        const size_t tag = layer_tracker_launch(course->tracker, i)->tag;
        if (tag >= limit)
            break;
        if (tag >= at && course->layer_of[i] > boundary)
            return tag;
    }
    return limit;
}

/* The cut stands behind the last look back before anything is armed or waited for that comes behind it; what is
 * programmed in between is the next piece's. */
static void find_boundaries(struct course *course) {
    size_t ended = 0, *armed = xcalloc(course->layer_count + 1, sizeof *armed);
    course->boundaries = xcalloc(course->layer_count + 1, sizeof *course->boundaries);
    for (size_t l = course->layer_count; l-- > 0;) { /* the first arming of this layer or one behind it */
        const size_t tag = layer_tracker_launch(course->tracker, course->layers[l].launches[0])->tag;
        armed[l] = l + 1 < course->layer_count && armed[l + 1] < tag ? armed[l + 1] : tag;
    }
    for (size_t l = 0; l + 1 < course->layer_count; l++) {
        struct boundary *boundary = &course->boundaries[l];
        const size_t waits = course->layers[l].waits, next = course->layers[l + 1].waits;
        ended = waits > ended ? waits : ended;
        boundary->at = ended + (next > ended);
        const size_t limit = next_arming(course, l, boundary->at, next);
        for (size_t i = boundary->at; i < limit; i++)
            if (looks_back(course->prog, &course->prog->ops[i]))
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

/* Behind what fills memory before the first access. */
static size_t first_access(const struct program *prog) {
    size_t begin = 0;
    while (begin < prog->count &&
           (prog->ops[begin].kind == OP_MEM_LOAD || prog->ops[begin].kind == OP_MEM_FILL ||
            prog->ops[begin].kind == OP_MEM_RESERVE || prog->ops[begin].kind == OP_NOTE) &&
           !prog->ops[begin].at_end)
        begin++;
    return begin;
}

struct course *course_new(struct program *prog, const struct split_options *options, struct error *err) {
    struct course *course = xcalloc(1, sizeof *course);
    course->prog = program_in_order(prog, err);
    program_free(prog);
    if (course->prog) {
        course->end = first_of_end(course->prog);
        course->begin = first_access(course->prog);
        course->tracker = program_launches(course->prog);
        find_layers(course);
    }
    if (!course->prog || !put_in_order(course, options, err)) {
        course_free(course);
        return NULL;
    }
    find_boundaries(course);
    return course;
}

size_t course_layer_of(const struct course *course, const struct launch *launch) {
    return course->layer_of[index_of(course->tracker, launch)];
}

void course_forbid(struct course *course, size_t boundary, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!course->boundaries[boundary].forbidden)
        course->boundaries[boundary].forbidden = xvprintf(format, args);
    va_end(args);
}

void course_free(struct course *course) {
    if (!course)
        return;
    program_free(course->prog);
    layer_tracker_free(course->tracker);
    for (size_t i = 0; i < course->layer_count; i++)
        free(course->layers[i].launches);
    for (size_t i = 0; course->boundaries && i + 1 < course->layer_count; i++)
        free(course->boundaries[i].forbidden);
    free(course->layers);
    free(course->layer_of);
    free(course->boundaries);
    free(course);
}
