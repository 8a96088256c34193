/* nvcosim calibrate: recommends convertor settings for the values of each layer. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "model/model.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"
#include "report/calibrate.h"
#include "report/hang_text.h"
#include "report/histograms.h"
#include "run/options/arguments.h"
#include "run/process/progress.h"
#include "run/session/session.h"
#include "trace/formats.h"
#include "trace/launches.h"
#include "trace/program_filter.h"

struct calibrate_run {
    struct run_options run; /* the trace, and options of the model */
    double clip;
    bool clip_given, asymmetric, minimum_error;
    const char *write;
};

static const char doc[] =
    "Plays a trace on the model, counts the values before each convertor by their leftmost bit, and recommends offset, "
    "scale and shift of the output convertors of SDP and CDP, those of CDMA's input convertor where it is enabled, and "
    "CACC's CLIP_TRUNCATE. FP16 layers have no such settings.\v"
    "Two lines for each convertor: the setting now and the recommended one, with the values that are expected to "
    "saturate, those that did, the expected and the measured root mean square error in units of the values, and the "
    "ratio of signal to expected error. A present setting that saturates nothing and has a smaller error than the best "
    "alternative is kept.\n"
    "A setting changes the input of all later layers. So the trace is played repeatedly, one layer further each time, "
    "until every recommendation is applied; the numbers are those of the last play. Data in memory is not changed. "
    "Biases and pad values depend on the scale of the values and may need adjusting. The tables of CDP are made for "
    "its input convertor, so that convertor's recommendation is only printed.\n"
    "The trace of --write has the new register values; checks of registers and memory that no longer hold are left "
    "out.\n"
    "\n"
    "Examples:\n"
    "  nvcosim calibrate net.cfg\n"
    "  nvcosim calibrate --clip 0.001 --write better.nvt.gz net.cfg\n"
    "  nvcosim run --histogram better.nvt.gz\n"
    "\n"
    "Exit status: 0 done; 2 bad input or usage; 3 the trace hangs.";

static void clip_option(void *member, const char *arg, struct argp_state *state) {
    char *end;
    const double clip = strtod(arg, &end);
    if (end == arg || *end || !(clip >= 0 && clip <= 1))
        argp_error(state, "--clip: found '%s', expected a share from 0 to 1", arg);
    *(double *)member = clip;
}

static void check(void *input, struct argp_state *state) {
    const struct calibrate_run *options = input;
    if (options->run.traces.count == 0)
        argp_error(state, "no trace is given; expected a .cfg, .txn, .nvt or .nvt.gz file, or a directory that holds "
                          "one");
    else if (options->clip_given && options->minimum_error)
        argp_error(state, "--clip and --minimum-error exclude each other");
}

#define OF(member) offsetof(struct calibrate_run, member)

static const struct argument option_table[] = {
    CONFIG_OF_TRACE(OF(run.config)),
    OPTION("clip", "P", "Share of a layer's values that may saturate, 0 to 1 (default 0)",
           TAKEN_AT(OF(clip), clip_option), .also = OF(clip_given)),
    OPTION("asymmetric", NULL,
           "Use all codes for values that are never negative: 0 gets the lowest code, so the next layer needs matching "
           "settings (pad value, CDMA offset). CDMA: the middle of the input becomes 0",
           FLAG_AT(OF(asymmetric))),
    OPTION("minimum-error", NULL, "Minimise the expected error instead of using --clip", FLAG_AT(OF(minimum_error))),
    OPTION("write", "OUT", "Write the trace with these settings, .nvt or .nvt.gz",
           FILE_AT(OF(write), ".nvt or .nvt.gz")),
    OPTION("threads", "N", "Compute each convolution with N threads (default 1)",
           NUMBER_32_AT(OF(run.threads), 1, 256)),
    OPTION("allow-undefined", NULL, "Accept settings whose result the spec leaves undefined, with a warning",
           FLAG_AT(OF(run.allow_undefined))),
    {0},
};

/* ---- convertors and their registers ---- */

/* A convertor of a layer, whose setting calibration may change. */
struct spot {
    enum nvdla_unit unit;
    int ordinal;
    enum tap tap;
    const char *obstacle; /* why nothing is recommended; NULL: something is */
    struct convertor present, now;
    uint64_t counted_before; /* in the first play: saturated values */
    double error_before;     /* and measured error */
    struct calibrate_estimate expected_before;
    int head_room; /* bits of the results unused with the present setting; SDP only */
    /* Of the last play. */
    struct calibrate_setting setting;
    uint64_t counted;
    double error;
};

/* Name and registers of a tap's convertor; shift: a field of the last register. */
struct convertor_registers {
    enum tap tap;
    const char *name;
    bool written; /* --write includes its setting */
    uint32_t offset, scale, shift;
    uint32_t shift_mask;
    unsigned shift_lsb;
};

static const struct convertor_registers convertors[] = {
    {TAP_CDMA_CVT, "input convertor", true, CDMA_D_CVT_OFFSET, CDMA_D_CVT_SCALE, CDMA_D_CVT_CFG,
     CDMA_D_CVT_CFG__CVT_TRUNCATE_MASK, CDMA_D_CVT_CFG__CVT_TRUNCATE_LSB},
    {TAP_CACC_OUT, "CLIP_TRUNCATE", true, 0, 0, CACC_D_CLIP_CFG, CACC_D_CLIP_CFG__CLIP_TRUNCATE_MASK,
     CACC_D_CLIP_CFG__CLIP_TRUNCATE_LSB},
    {TAP_SDP_CVT_IN, "output convertor", true, SDP_D_CVT_OFFSET, SDP_D_CVT_SCALE, SDP_D_CVT_SHIFT,
     SDP_D_CVT_SHIFT__CVT_SHIFT_MASK, SDP_D_CVT_SHIFT__CVT_SHIFT_LSB},
    {TAP_CDP_IN, "input convertor", false, CDP_D_DATIN_OFFSET, CDP_D_DATIN_SCALE, CDP_D_DATIN_SHIFTER,
     CDP_D_DATIN_SHIFTER__DATIN_SHIFTER_MASK, CDP_D_DATIN_SHIFTER__DATIN_SHIFTER_LSB},
    {TAP_CDP_CVT_IN, "output convertor", true, CDP_D_DATOUT_OFFSET, CDP_D_DATOUT_SCALE, CDP_D_DATOUT_SHIFTER,
     CDP_D_DATOUT_SHIFTER__DATOUT_SHIFTER_MASK, CDP_D_DATOUT_SHIFTER__DATOUT_SHIFTER_LSB},
};

static const struct convertor_registers *convertor_of(enum tap tap) {
    for (size_t i = 0; i < sizeof convertors / sizeof convertors[0]; i++)
        if (convertors[i].tap == tap)
            return &convertors[i];
    return NULL;
}

/* Bits of the offset register of a convertor. */
static int offset_bits(enum tap tap, const struct convertor *convertor) {
    bool wide = convertor->bits > 9;
    switch (tap) {
    case TAP_CDMA_CVT:
        return 16;
    case TAP_CDP_IN:
        return wide ? 16 : 8;
    case TAP_CDP_CVT_IN:
        return wide ? 32 : 25;
    default:
        return 32;
    }
}

/* Why a stream gets no recommendation; NULL: it gets one. */
static const char *obstacle(const struct histogram_entry *entry, const struct launch *launch) {
    const struct histogram *histogram = &entry->histogram;
    if (histogram->width == 0)
        return "FP16, not applicable";
    if (!histogram->conversion.known && entry->tap == TAP_CDMA_CVT) {
        bool enabled = launch_register(launch, CDMA_D_CVT_CFG) & CDMA_D_CVT_CFG__CVT_EN_MASK;
        return enabled ? "each component has its own mean (MEAN_FORMAT), not changed" : "not enabled";
    }
    if (!histogram->conversion.known)
        return "compares, not applicable";
    if (histogram->count == 0)
        return "no data";
    return entry->tap != TAP_CACC_OUT && histogram->candidates.bits == 0 ? "results are FP16, not applicable" : NULL;
}

/* ---- plays ---- */

struct calibration {
    struct progress progress;
    const struct calibrate_run *options;
    struct program *prog;
    struct layer_tracker *layers; /* of the program as it was read */
    struct spot *spots;
    size_t count;
    int plays;
    struct histogram_set histograms; /* of the last play */
    struct device *dev;              /* that played it */
    struct play_result result;
};

static double measured_error(const struct histogram *histogram) {
    const struct histogram_conversion *conversion = &histogram->conversion;
    return conversion->convertor.scale == 0 ? NAN : sqrt(conversion->error_squares / (double)histogram->count);
}

static void forget_play(struct calibration *calibration) {
    if (calibration->dev) {
        play_result_free(&calibration->result);
        calibration->dev->ops->destroy(calibration->dev);
        histogram_set_free(&calibration->histograms);
        calibration->dev = NULL;
    }
}

/* Plays the program. Returns the exit status. */
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

static int play_once(struct calibration *calibration) {
    const struct run_options *options = &calibration->options->run;
    struct model_options model = {
        .allow_outside = true, .allow_undefined = options->allow_undefined, .threads = (size_t)options->threads};
    forget_play(calibration);
    tap_listen(&model.taps, histogram_listener(&calibration->histograms));
    calibration->dev = model_new(calibration->prog->config, &model);
    calibration->plays++;
    struct play_options play_options = options->play;
    play_options.progress = show_progress;
    play_options.progress_context = calibration;
    const enum play_outcome outcome = play(calibration->prog, calibration->dev, &play_options, &calibration->result);
    progress_clear(&calibration->progress);
    switch (outcome) {
    case PLAY_PASSED:
    case PLAY_CHECK_FAILED:
        return EXIT_OK;
    case PLAY_REFUSED:
        fprintf(stderr, "nvcosim: the model refuses the trace: %s\n", calibration->result.message);
        return EXIT_BAD_INPUT;
    case PLAY_HUNG:
    case PLAY_STOPPED:
    case PLAY_BROKEN:
        break;
    }
    hang_explain(&calibration->result);
    fprintf(stderr, "nvcosim: the trace does not finish: %s\n", calibration->result.message);
    return EXIT_HUNG;
}

static struct calibrate_setting recommend(const struct calibration *calibration, const struct spot *spot,
                                          const struct histogram *histogram) {
    const struct calibrate_run *run = calibration->options;
    if (spot->tap == TAP_CACC_OUT) {
        struct calibrate_setting setting = {.convertor = spot->present, .bin = histogram_highest(histogram)};
        setting.convertor.shift = calibrate_truncate(histogram);
        setting.present = setting.convertor.shift == spot->present.shift;
        setting.expected = calibrate_expect(histogram, &setting.convertor);
        return setting;
    }
    enum calibrate_kind asymmetric = spot->tap == TAP_CDMA_CVT ? CALIBRATE_CENTRED : CALIBRATE_ASYMMETRIC;
    const struct calibrate_options options = {.clip = run->clip,
                                              .minimum_error = run->minimum_error,
                                              .kind = run->asymmetric ? asymmetric : CALIBRATE_SYMMETRIC,
                                              .offset_bits = offset_bits(spot->tap, &spot->present)};
    return calibrate_convertor(histogram, &spot->present, &options);
}

/* Head room of section B.10: bits that no output uses. */
static int head_room(const struct calibration *calibration, const struct spot *spot) {
    const struct histogram *output =
        spot->tap == TAP_SDP_CVT_IN ? histogram_find(&calibration->histograms, spot->unit, spot->ordinal, TAP_SDP_OUT)
                                    : NULL;
    return output && output->width > 0 ? output->width - 1 - (histogram_highest(output) + 1) : 0;
}

/* Collects the convertors in the first play. */
static void find_spots(struct calibration *calibration) {
    autofree const struct histogram_entry **entries = histograms_sorted(&calibration->histograms);
    calibration->spots = xcalloc(calibration->histograms.count, sizeof *calibration->spots);
    for (size_t i = 0; i < calibration->histograms.count; i++) {
        const struct histogram_entry *entry = entries[i];
        const struct histogram *histogram = &entry->histogram;
        if (!convertor_of(entry->tap))
            continue;
        struct spot *spot = &calibration->spots[calibration->count++];
        *spot = (struct spot){.unit = entry->unit, .ordinal = entry->ordinal, .tap = entry->tap};
        spot->obstacle = obstacle(entry, layer_tracker_find(calibration->layers, entry->unit, entry->ordinal));
        if (spot->obstacle)
            continue;
        spot->present = spot->now = histogram->conversion.convertor;
        spot->counted_before = histogram->conversion.clipped;
        spot->error_before = measured_error(histogram);
        spot->head_room = head_room(calibration, spot);
        if (spot->present.scale != 0)
            spot->expected_before = calibrate_expect(histogram, &spot->present);
    }
}

/* Replaces a spot's field of a register; the other fields stay as in the launch. */
static struct launch_setting with_field(const struct calibration *calibration, const struct spot *spot, uint32_t offset,
                                        uint32_t mask, unsigned lsb, uint32_t value) {
    const struct launch *launch = layer_tracker_find(calibration->layers, spot->unit, spot->ordinal);
    uint32_t rest = launch_register(launch, offset) & ~mask;
    return (struct launch_setting){spot->unit, spot->ordinal, offset, rest | (value << lsb & mask)};
}

/* Writes the spots' current settings into the program. */
static void apply(struct calibration *calibration) {
    autofree struct launch_setting *settings = xmalloc(3 * calibration->count * sizeof *settings);
    size_t n = 0;
    for (size_t i = 0; i < calibration->count; i++) {
        const struct spot *spot = &calibration->spots[i];
        const struct convertor_registers *registers = convertor_of(spot->tap);
        if (spot->obstacle || !registers->written)
            continue;
        settings[n++] = with_field(calibration, spot, registers->shift, registers->shift_mask, registers->shift_lsb,
                                   spot->now.shift);
        if (spot->tap != TAP_CACC_OUT) {
            settings[n++] = with_field(calibration, spot, registers->scale, UINT16_MAX, 0, (uint32_t)spot->now.scale);
            settings[n++] =
                with_field(calibration, spot, registers->offset, spot->tap == TAP_CDMA_CVT ? UINT16_MAX : UINT32_MAX, 0,
                           (uint32_t)spot->now.offset);
        }
    }
    program_set_launches(calibration->prog, settings, n);
}

static bool same_setting(const struct convertor *a, const struct convertor *b) {
    return a->offset == b->offset && a->scale == b->scale && a->shift == b->shift;
}

/* Adopts the recommendations of the last play. Returns true if any differs from the setting played. */
static bool take_recommendations(struct calibration *calibration) {
    bool changed = false;
    for (size_t i = 0; i < calibration->count; i++) {
        struct spot *spot = &calibration->spots[i];
        if (spot->obstacle)
            continue;
        const struct histogram *histogram =
            histogram_find(&calibration->histograms, spot->unit, spot->ordinal, spot->tap);
        spot->setting = recommend(calibration, spot, histogram);
        spot->counted = histogram->conversion.clipped;
        spot->error = measured_error(histogram);
        if (convertor_of(spot->tap)->written) {
            changed = changed || !same_setting(&spot->now, &spot->setting.convertor);
            spot->now = spot->setting.convertor;
        }
    }
    return changed;
}

/* Plays until every recommendation is set. Layers depend on earlier ones only, so each play settles at least one more
 * convertor. Returns the exit status. */
static int settle(struct calibration *calibration) {
    int status = play_once(calibration);
    if (status != EXIT_OK)
        return status;
    if (calibration->result.outcome == PLAY_CHECK_FAILED)
        fprintf(stderr, "nvcosim: warning: checks of the trace fail on the model\n");
    find_spots(calibration);
    while (status == EXIT_OK && take_recommendations(calibration)) {
        apply(calibration);
        status = play_once(calibration);
    }
    return status;
}

/* ---- results ---- */

/* Prints a number; "-" for NAN. */
static void print_number(double value, const char *format) {
    char text[32] = "-";
    if (isfinite(value))
        snprintf(text, sizeof text, format, value);
    printf(" %11s", text);
}

/* counted: negative: not counted. */
static void print_row(const struct spot *spot, const char *name, const struct convertor *setting,
                      const struct calibrate_estimate *expected, double counted, double measured) {
    printf("  %-12s", name);
    if (spot->tap == TAP_CACC_OUT)
        printf(" %31u", setting->shift);
    else
        printf(" %12" PRId64 " %10d %7u", setting->offset, setting->scale, setting->shift);
    print_number(setting->scale == 0 ? NAN : expected->saturated, "%.6g");
    print_number(counted < 0 ? NAN : counted, "%.0f");
    print_number(setting->scale == 0 ? NAN : expected->error, "%.5g");
    print_number(measured, "%.5g");
    print_number(expected->error > 0 ? expected->signal / expected->error : NAN, "%.4g");
    putchar('\n');
}

static void print_spot(const struct calibration *calibration, const struct spot *spot) {
    const struct convertor_registers *registers = convertor_of(spot->tap);
    printf("%s #%d, %s: ", nvdla_unit_names[spot->unit], spot->ordinal, registers->name);
    if (spot->obstacle) {
        printf("%s\n\n", spot->obstacle);
        return;
    }
    const struct histogram *histogram = histogram_find(&calibration->histograms, spot->unit, spot->ordinal, spot->tap);
    const struct calibrate_setting *setting = &spot->setting;
    printf("%" PRIu64 " values, %" PRId64 " .. %" PRId64 "; bin %d, %" PRIu64 " values above it\n", histogram->count,
           histogram->minimum, histogram->maximum, setting->bin, setting->above);
    if (spot->tap == TAP_CACC_OUT)
        printf("  %-12s %31s", "", "truncate");
    else
        printf("  %-12s %12s %10s %7s", "", "offset", "scale", "shift");
    printf(" %11s %11s %11s %11s %11s\n", "saturated", "(counted)", "RMS error", "(measured)", "S/N");
    struct calibrate_estimate expected = setting->expected;
    expected.saturated = (double)setting->saturated;
    print_row(spot, "present", &spot->present, &spot->expected_before, (double)spot->counted_before,
              spot->error_before);
    bool played = registers->written;
    print_row(spot, setting->present ? "as it is" : "recommended", &setting->convertor, &expected,
              played ? (double)spot->counted : -1, played ? spot->error : NAN);
    if (spot->head_room > 0) {
        printf("  the present setting leaves %d bit%s of the results unused\n", spot->head_room,
               spot->head_room == 1 ? "" : "s");
    }
    if (!played)
        printf("  not written: the tables of this layer are made for the present setting\n");
    putchar('\n');
}

static void print_all(const struct calibration *calibration) {
    for (size_t i = 0; i < calibration->count; i++) {
        const struct spot *spot = &calibration->spots[i];
        if (spot->tap != TAP_CDMA_CVT || !spot->obstacle || strcmp(spot->obstacle, "not enabled") != 0)
            print_spot(calibration, spot);
    }
    if (calibration->count == 0)
        printf("no layer has a convertor\n");
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

static int write_trace(struct calibration *calibration, const char *path) {
    struct error err;
    size_t dropped = drop_checks(calibration);
    if (!trace_write(calibration->prog, path, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    fprintf(stderr, "nvcosim: %s written after %d plays; checks left out because they no longer hold: %zu\n", path,
            calibration->plays, dropped);
    return EXIT_OK;
}

static int calibrate(const struct calibrate_run *options) {
    struct error err;
    struct calibration calibration = {.options = options, .progress = progress_start()};
    calibration.prog = read_trace(&options->run, options->run.traces.items[0], &err);
    if (!calibration.prog) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    calibration.layers = program_launches(calibration.prog);
    int status = settle(&calibration);
    if (status == EXIT_OK) {
        print_all(&calibration);
        if (options->write)
            status = write_trace(&calibration, options->write);
    }
    forget_play(&calibration);
    free(calibration.spots);
    layer_tracker_free(calibration.layers);
    program_free(calibration.prog);
    return status;
}

int calibrate_main(int argc, char **argv) {
    static const struct command command = {
        .options = option_table,
        .usage = "TRACE",
        .doc = doc,
        .operands = {.member = OF(run.traces), .words = true, .most = 1, .expected = "one trace only"},
        .check = check};
    struct calibrate_run options = {.clip = 0};
    run_options_init(&options.run);
    int status = command_read(&command, argc, argv, &options) ? calibrate(&options) : EXIT_BAD_INPUT;
    run_options_free(&options.run);
    return status;
}
