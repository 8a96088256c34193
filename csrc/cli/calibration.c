/* nvcosim calibration: plays a trace on the model for nvcosim calibrate, which is written in Python, and prints its
 * streams as JSON, a line for each play. Lines on stdin say what is next: settings of launches, "UNIT ORDINAL REGISTER
 * FIELD VALUE"; "play" with these, too; "write" the trace. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "model/model.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"
#include "report/hang_text.h"
#include "report/histograms.h"
#include "report/json_text.h"
#include "run/options/arguments.h"
#include "run/process/progress.h"
#include "run/session/session.h"
#include "trace/formats.h"
#include "trace/launches.h"
#include "trace/program_filter.h"

struct calibration {
    struct run_options run; /* options of the model */
    const char *path, *out; /* out: NULL: no trace is written */
    struct progress progress;
    struct program *prog;
    struct layer_tracker *layers; /* of the program as it was read */
    int plays;
    struct play_result result; /* of the last play */
};

#define OF(member) offsetof(struct calibration, member)

static const struct argument option_table[] = {
    CONFIG_OF_TRACE(OF(run.config)),
    OPTION("threads", "N", "Threads of the model", NUMBER_32_AT(OF(run.threads), 1, 256)),
    OPTION("allow-undefined", NULL, "Play what the spec leaves undefined", FLAG_AT(OF(run.allow_undefined))),
    {0},
};

/* ---- streams ---- */

static json_t *json_counts(const uint64_t *counts, int bins) {
    json_t *list = json_array();
    for (int bin = 0; bin < bins; bin++)
        json_array_append_new(list, json_integer((json_int_t)counts[bin]));
    return list;
}

/* The settings for bins: [offset, scale, shift, bits, values that it clips]. */
static json_t *json_candidates(const struct histogram *histogram, int kind, int bins) {
    const struct histogram_candidates *candidates = &histogram->candidates;
    uint64_t clipped = histogram->count;
    json_t *list = json_array();
    for (int bin = 0; bin < bins; bin++) {
        const struct convertor setting = convertor_for_bin(bin, candidates->bits, kind == HISTOGRAM_ASYMMETRIC);
        clipped -= candidates->fits[kind][bin];
        json_array_append_new(list, json_pack("[I, i, i, i, I]", (json_int_t)setting.offset, setting.scale,
                                              (int)setting.shift, setting.bits, (json_int_t)clipped));
    }
    return list;
}

/* Members of class Stream of python/nvcosim/calibrate.py, in their order. */
static json_t *json_stream(const struct histogram_entry *entry, const struct layer_tracker *layers) {
    const struct histogram *histogram = &entry->histogram;
    const struct histogram_conversion *conversion = &histogram->conversion;
    const struct convertor *convertor = &conversion->convertor;
    const struct launch *launch = layer_tracker_find(layers, entry->unit, entry->ordinal);
    const bool enabled =
        entry->tap == TAP_CDMA_CVT && REGISTER_FIELD(launch_register(launch, CDMA_D_CVT_CFG), CDMA_D_CVT_CFG__CVT_EN);
    const int highest = histogram_highest(histogram), bins = highest > 0 ? highest + 1 : 1;
    json_t *candidates = json_array();
    for (int kind = 0; kind < HISTOGRAM_KINDS && histogram->candidates.bits > 0; kind++)
        json_array_append_new(candidates, json_candidates(histogram, kind, bins));
    return json_pack("[s, i, s, i, I, I, I, I, I, o, o, b, [I, i, i, i], [I, I], I, f, o]",
                     nvdla_unit_names[entry->unit], entry->ordinal, tap_names[entry->tap], histogram->width,
                     (json_int_t)histogram->count, (json_int_t)histogram->zeros, (json_int_t)histogram->minus_ones,
                     (json_int_t)histogram->minimum, (json_int_t)histogram->maximum,
                     json_counts(histogram->positive, bins), json_counts(histogram->negative, bins), enabled,
                     (json_int_t)convertor->offset, convertor->scale, (int)convertor->shift, convertor->bits,
                     (json_int_t)conversion->keeps.low, (json_int_t)conversion->keeps.high,
                     (json_int_t)conversion->clipped, conversion->error_squares, candidates);
}

static void print_streams(const struct calibration *calibration, const struct histogram_set *set) {
    autofree const struct histogram_entry **entries = histograms_sorted(set);
    json_t *list = json_array();
    for (size_t i = 0; i < set->count; i++)
        json_array_append_new(list, json_stream(entries[i], calibration->layers));
    autofree char *text = json_to_text(list, JSON_COMPACT);
    puts(text);
    fflush(stdout);
}

/* ---- plays ---- */

static void show_progress(void *context, const struct device *dev, size_t done, size_t total) {
    struct calibration *calibration = context;
    char left[48];
    (void)dev;
    if (progress_due(&calibration->progress)) {
        progress_show(&calibration->progress, "play %d: %zu of %zu operations%s", calibration->plays, done, total,
                      calibration->plays > 1
                          ? ""
                          : progress_left(&calibration->progress, (double)done, (double)total, left, sizeof left));
    }
}

/* Returns the exit status. */
static int judge(struct calibration *calibration, enum play_outcome outcome) {
    struct play_result *result = &calibration->result;
    switch (outcome) {
    case PLAY_CHECK_FAILED:
        if (calibration->plays == 1)
            fprintf(stderr, "nvcosim: warning: checks of the trace fail on the model\n");
        return EXIT_OK;
    case PLAY_PASSED:
        return EXIT_OK;
    case PLAY_REFUSED:
        fprintf(stderr, "nvcosim: the model refuses the trace: %s\n", result->message);
        return EXIT_BAD_INPUT;
    case PLAY_HUNG:
    case PLAY_STOPPED:
    case PLAY_BROKEN:
        break;
    }
    hang_explain(result);
    fprintf(stderr, "nvcosim: the trace does not finish: %s\n", result->message);
    return EXIT_HUNG;
}

/* Plays the program and prints its streams. Returns the exit status. */
static int play_once(struct calibration *calibration) {
    const struct run_options *run = &calibration->run;
    struct histogram_set histograms = {0};
    struct model_options options = {
        .allow_outside = true, .allow_undefined = run->allow_undefined, .threads = (size_t)run->threads};
    tap_listen(&options.taps, histogram_listener(&histograms));
    struct device *model = model_new(calibration->prog->config, &options);
    struct play_options play_options = run->play;
    play_options.progress = show_progress;
    play_options.progress_context = calibration;
    play_result_free(&calibration->result);
    calibration->plays++;
    const enum play_outcome outcome = play(calibration->prog, model, &play_options, &calibration->result);
    progress_clear(&calibration->progress);
    const int status = judge(calibration, outcome);
    if (status == EXIT_OK)
        print_streams(calibration, &histograms);
    model->ops->destroy(model);
    histogram_set_free(&histograms);
    return status;
}

/* ---- what is next ---- */

/* Reads a line of a setting. The other fields of the register stay as in the launch. False: it is none. */
static bool read_setting(const struct calibration *calibration, const char *line, struct launch_setting *setting) {
    char unit[32], name[32], field[32];
    uint32_t value;
    if (sscanf(line, "%31s %d %31s %31s %" SCNu32, unit, &setting->ordinal, name, field, &value) != 5)
        return false;
    const struct nvdla_config *config = calibration->prog->config;
    setting->unit = nvdla_unit_find(unit);
    const struct launch *launch = layer_tracker_find(calibration->layers, setting->unit, setting->ordinal);
    const struct nvdla_register *reg = launch ? nvdla_register_find(config, setting->unit, name) : NULL;
    for (size_t i = 0; reg && i < reg->field_count; i++) {
        if (strcmp(reg->fields[i].name, field) != 0)
            continue;
        const uint32_t mask = nvdla_field_mask(&reg->fields[i]);
        setting->offset = reg->address - nvdla_unit_base(config, setting->unit);
        setting->value = (launch_register(launch, setting->offset) & ~mask) | (value << reg->fields[i].lsb & mask);
        return true;
    }
    return false;
}

/* Turns checks that failed in the last play into comments. Returns their number. */
static size_t drop_checks(struct calibration *calibration) {
    const struct play_result *result = &calibration->result;
    for (size_t i = 0; i < result->failure_count; i++) {
        struct op *op = &calibration->prog->ops[result->failures[i].op];
        struct op note = op_make(OP_NOTE, op->line);
        note.stream = op->stream;
        note.file = op->file;
        static const char text[] = "a check that no longer holds with the settings of nvcosim calibrate";
        note.text = program_text(calibration->prog, text, strlen(text));
        *op = note;
    }
    return result->failure_count;
}

static int write_trace(struct calibration *calibration) {
    struct error err;
    size_t dropped = drop_checks(calibration);
    if (!trace_write(calibration->prog, calibration->out, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    fprintf(stderr, "nvcosim: %s written after %d plays; checks left out because they no longer hold: %zu\n",
            calibration->out, calibration->plays, dropped);
    return EXIT_OK;
}

/* Does what the lines on stdin say. Returns the exit status. */
static int follow(struct calibration *calibration) {
    autofree struct launch_setting *settings = NULL;
    autofree char *line = NULL;
    size_t count = 0, size = 0;
    int status = play_once(calibration);
    while (status == EXIT_OK && getline(&line, &size, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, "write") == 0 && calibration->out) {
            status = write_trace(calibration);
        } else if (strcmp(line, "play") == 0) {
            program_set_launches(calibration->prog, settings, count);
            count = 0;
            status = play_once(calibration);
        } else if (!read_setting(calibration, line, xadd(settings, count))) {
            text_print_line(stderr,
                            "nvcosim calibration: found '%s', expected UNIT ORDINAL REGISTER FIELD VALUE of a "
                            "launch, play, or write with OUT",
                            line);
            status = EXIT_BAD_INPUT;
        }
    }
    return status;
}

int calibration_main(int argc, char **argv) {
    static const struct command command = {.options = option_table,
                                           .usage = "TRACE [OUT]",
                                           .doc = "Plays a trace on the model and prints its streams as JSON.",
                                           .operands = {.member = OF(path), .most = 2}};
    struct calibration calibration = {.path = "", .progress = progress_start()};
    struct error err;
    int status = EXIT_BAD_INPUT;
    run_options_init(&calibration.run);
    if (!command_read(&command, argc, argv, &calibration))
        return status;
    calibration.prog = read_trace(&calibration.run, calibration.path, &err);
    if (calibration.prog) {
        calibration.layers = program_launches(calibration.prog);
        status = follow(&calibration);
        play_result_free(&calibration.result);
        layer_tracker_free(calibration.layers);
    } else
        fprintf(stderr, "%s\n", err.text);
    program_free(calibration.prog);
    run_options_free(&calibration.run);
    return status;
}
