/* Histograms: the cases of histogram.txt, the settings that a convertor may have, and the taps of the model on random
 * layers, against the memory that the layers leave behind. */
#include "layers/cubes.h"
#include "layers/tracker.h"
#include "model_run.h"
#include "nvdla/cube.h"
#include "nvdla_offsets.h"
#include "observe/histogram.h"
#include "report/histograms.h"
#include "tests/unit/golden.h"
#include "tests/unit/random.h"
#include "tests/unit/steps.h"
#include "tests/unit/test.h"
#include "trace/launches.h"

static void count_one(struct histogram *histogram, int width, int64_t x) {
    histogram_init(histogram, width);
    histogram_int64(histogram, &x, 1, 1, 1);
}

static uint64_t in_bins(const struct histogram *histogram) {
    uint64_t count = 0;
    for (int bin = 0; bin < HISTOGRAM_BINS; bin++)
        count += histogram->positive[bin] + histogram->negative[bin];
    return count;
}

/* B.8. */
static void assert_complete(const struct histogram *histogram) {
    assert_int_equal(in_bins(histogram) + histogram->zeros + histogram->minus_ones + histogram->nans +
                         histogram->infinities,
                     histogram->count);
}

static void assert_same(const struct histogram *a, const struct histogram *b) {
    assert_memory_equal(a->positive, b->positive, sizeof a->positive);
    assert_memory_equal(a->negative, b->negative, sizeof a->negative);
    assert_memory_equal(a->candidates.fits, b->candidates.fits, sizeof a->candidates.fits);
    assert_true(a->width == b->width && a->count == b->count && a->zeros == b->zeros);
    assert_true(a->minus_ones == b->minus_ones && a->nans == b->nans && a->infinities == b->infinities);
    assert_true(a->saturated == b->saturated && a->minimum == b->minimum && a->maximum == b->maximum);
    assert_true(a->sum == b->sum && a->squares == b->squares && a->fp_sum == b->fp_sum);
    assert_true(a->fp_squares == b->fp_squares && a->fp_minimum == b->fp_minimum && a->fp_maximum == b->fp_maximum);
    assert_true(a->conversion.known == b->conversion.known && a->conversion.clipped == b->conversion.clipped);
    assert_true(a->conversion.error_squares == b->conversion.error_squares);
}

/* ---- cases of histogram.txt ---- */

/* WIDTH of the stream. */
static void *begin(const char *title) {
    struct histogram *histogram = test_new(sizeof *histogram);
    histogram_init(histogram, atoi(title));
    return histogram;
}

static int64_t signed_word(const struct step *step, size_t i) {
    return strtoll(step->word[i], NULL, 0);
}

/* int64, int32, fp16, fp32 VALUE...; all of them, or those of LANES VALID before them; bins BIN:COUNT... of no
 * values (COUNT below 0: of negative ones). */
static bool count_step(struct histogram *histogram, const struct step *step) {
    int64_t wide[STEP_WORDS];
    int32_t words[STEP_WORDS];
    uint16_t halves[STEP_WORDS];
    const size_t n = step->count - 1;
    for (size_t i = 0; i < n; i++) {
        wide[i] = signed_word(step, i + 1);
        words[i] = (int32_t)wide[i];
        halves[i] = (uint16_t)wide[i];
    }
    if (step_is(step, "int64"))
        histogram_int64(histogram, wide, 1, n, n);
    else if (step_is(step, "int32"))
        histogram_int32(histogram, words, 1, n, n);
    else if (step_is(step, "lanes"))
        histogram_int32(histogram, words + 2, (n - 2) / (size_t)wide[0], (size_t)wide[0], (size_t)wide[1]);
    else if (step_is(step, "fp16"))
        histogram_elements(histogram, NVDLA_FP16, (const uint8_t *)halves, 1, n, n);
    else if (step_is(step, "fp32"))
        histogram_fp32(histogram, words, 1, n, n);
    else if (step_is(step, "bins"))
        for (size_t i = 1; i <= n; i++) {
            int bin, count;
            assert_int_equal(sscanf(step->word[i], "%d:%d", &bin, &count), 2);
            (count < 0 ? histogram->negative : histogram->positive)[bin] += (uint64_t)abs(count);
            histogram->count += (uint64_t)abs(count);
        }
    else
        return false;
    return true;
}

static void print_counts(const struct histogram *histogram, FILE *found) {
    fprintf(found,
            "%" PRIu64 ": zeros %" PRIu64 ", -1 %" PRIu64 ", NaN %" PRIu64 ", infinite %" PRIu64 ", saturated %" PRIu64,
            histogram->count, histogram->zeros, histogram->minus_ones, histogram->nans, histogram->infinities,
            histogram->saturated);
    if (histogram->width)
        fprintf(found, ", %" PRId64 "..%" PRId64, histogram->minimum, histogram->maximum);
    else
        fprintf(found, ", %g..%g", histogram->fp_minimum, histogram->fp_maximum);
    for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
        if (histogram->positive[bin])
            fprintf(found, " +%d:%" PRIu64, bin, histogram->positive[bin]);
        if (histogram->negative[bin])
            fprintf(found, " -%d:%" PRIu64, bin, histogram->negative[bin]);
    }
}

static bool act(void *context, const struct step *step, FILE *found) {
    struct histogram *histogram = context;
    const struct histogram_moments moments = histogram_moments(histogram);
    struct convertor convertor = {.offset = (int32_t)signed_word(step, 1),
                                  .scale = (int16_t)signed_word(step, 2),
                                  .shift = (unsigned)signed_word(step, 3),
                                  .bits = 8};
    if (step_is(step, "counts")) {
        assert_complete(histogram);
        print_counts(histogram, found);
    } else if (step_is(step, "moments"))
        fprintf(found, "%.7g %.7g, low %.7g %.7g, middle %.7g %.7g", moments.mean, moments.deviation, moments.low_mean,
                moments.low_deviation, moments.middle_mean, moments.middle_deviation);
    else if (step_is(step, "highest"))
        fprintf(found, "%d", histogram_highest(histogram));
    else if (step_is(step, "setting")) { /* BIN BITS KIND, and results of values */
        convertor = convertor_for_bin((int)signed_word(step, 1), (int)signed_word(step, 2), signed_word(step, 3));
        fprintf(found, "(x - %" PRId64 ") * %d >> %u", convertor.offset, convertor.scale, convertor.shift);
        for (size_t i = 4; i < step->count; i++)
            fprintf(found, " %" PRId64, (int64_t)convertor_apply(&convertor, signed_word(step, i)));
    } else if (step_is(step, "convertor"))
        histogram_convertor(histogram, &convertor, 0);
    else if (step_is(step, "clipped"))
        fprintf(found, "%" PRIu64 " %g", histogram->conversion.clipped, histogram->conversion.error_squares);
    else
        return count_step(histogram, step);
    return true;
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/histogram.txt", &(struct steps_player){begin, act});
}

/* ---- elements ---- */

TEST(powers_of_two_differ_by_their_sign) {
    struct histogram histogram;
    for (int k = 0; k < 62; k++) {
        count_one(&histogram, 63, INT64_C(1) << k);
        assert_int_equal(histogram.positive[k], 1);
        count_one(&histogram, 63, -(INT64_C(1) << k));
        if (k == 0)
            assert_int_equal(histogram.minus_ones, 1);
        else
            assert_int_equal(histogram.negative[k - 1], 1);
    }
}

TEST(ends_of_a_width_are_in_its_last_bin) {
    for (int width = 2; width <= 63; width++) {
        int64_t highest = (INT64_C(1) << (width - 1)) - 1, ends[] = {highest, -highest - 1};
        struct histogram histogram;
        histogram_init(&histogram, width);
        histogram_int64(&histogram, ends, 1, 2, 2);
        assert_int_equal(histogram.positive[width - 2], 1);
        assert_int_equal(histogram.negative[width - 2], 1);
        assert_int_equal(histogram.saturated, 2);
        assert_true(histogram.minimum == ends[1] && histogram.maximum == ends[0]);
    }
}

/* Whatever the number of lanes, and with a last vector that is only partly valid. */
TEST(lanes_do_not_matter) {
    enum { COUNT = 1003 };
    int32_t values[COUNT + 16];
    uint64_t seed = 5;
    for (size_t i = 0; i < COUNT + 16; i++)
        values[i] = (int32_t)rnd(&seed) >> (rnd(&seed) % 32);
    struct histogram one, other;
    histogram_init(&one, 32);
    histogram_int32(&one, values, COUNT, 1, 1);
    static const size_t lanes[] = {8, 16, COUNT};
    for (size_t i = 0; i < sizeof lanes / sizeof lanes[0]; i++) {
        size_t whole = COUNT / lanes[i];
        histogram_init(&other, 32);
        histogram_int32(&other, values, whole, lanes[i], lanes[i]);
        histogram_int32(&other, values + whole * lanes[i], 1, lanes[i], COUNT % lanes[i]);
        assert_same(&one, &other);
    }
    assert_complete(&one);
}

/* ---- convertors ---- */

TEST(a_convertor_keeps_what_it_does_not_clip) {
    uint64_t seed = 3;
    for (int i = 0; i < 3000; i++) {
        int bits = (int)(rnd(&seed) % 9) + 2;
        struct convertor convertor = {.offset = (int)(rnd(&seed) % 201) - 100,
                                      .scale = (int16_t)rnd(&seed) >> (rnd(&seed) % 16),
                                      .shift = rnd(&seed) % 22,
                                      .bits = bits};
        struct convertor wide = convertor;
        wide.bits = 48;
        struct convertor_interval keeps = convertor_keeps(&convertor);
        for (int64_t x = -600; x <= 600; x++) {
            bool kept = convertor_apply(&convertor, x) == convertor_apply(&wide, x);
            assert_int_equal(kept, keeps.low <= x && x <= keeps.high);
        }
    }
}

TEST(settings_for_bins_are_nested) {
    for (int bits = 8; bits <= 16; bits++) {
        for (int bin = 1; bin < HISTOGRAM_BINS; bin++) {
            for (int kind = 0; kind < 2; kind++) {
                struct convertor smaller = convertor_for_bin(bin - 1, bits, kind),
                                 larger = convertor_for_bin(bin, bits, kind);
                struct convertor_interval inner = convertor_keeps(&smaller), outer = convertor_keeps(&larger);
                assert_true(outer.low <= inner.low && inner.high <= outer.high);
            }
        }
    }
}

/* The clipped values of every candidate are counted exactly. */
TEST(candidates_are_counted_exactly) {
    enum { COUNT = 4000 };
    int32_t values[COUNT];
    uint64_t seed = 9;
    for (int bits = 8; bits <= 16; bits += 8) {
        struct histogram histogram;
        const struct convertor present = {.offset = 7, .scale = 3, .shift = 4, .bits = bits};
        histogram_init(&histogram, 32);
        histogram_convertor(&histogram, &present, bits);
        for (size_t i = 0; i < COUNT; i++) {
            /* Many near the edges of bins. */
            int32_t edge = INT32_C(1) << (rnd(&seed) % 31), near = (int32_t)(rnd(&seed) % 64) * (edge >> 12);
            values[i] = rnd(&seed) % 2 ? edge - 1 + near : -edge - near;
        }
        histogram_int32(&histogram, values, COUNT, 1, 1);
        uint64_t clipped = 0;
        for (size_t i = 0; i < COUNT; i++) {
            struct convertor_interval keeps = convertor_keeps(&present);
            clipped += values[i] < keeps.low || values[i] > keeps.high;
        }
        assert_int_equal(histogram.conversion.clipped, clipped);
        for (int kind = 0; kind < HISTOGRAM_KINDS; kind++) {
            uint64_t counted = COUNT;
            for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
                struct convertor candidate = convertor_for_bin(bin, bits, kind == HISTOGRAM_ASYMMETRIC);
                struct convertor wide = candidate;
                wide.bits = 40;
                counted -= histogram.candidates.fits[kind][bin];
                clipped = 0;
                for (size_t i = 0; i < COUNT && bin < 40; i++)
                    clipped += convertor_apply(&candidate, values[i]) != convertor_apply(&wide, values[i]);
                assert_true(bin >= 40 || clipped == counted);
            }
        }
    }
}

/* ---- sets ---- */

TEST(sets_keep_layers_apart) {
    struct histogram_set set = {0};
    /* Two taps together; the launch of the other group runs first. */
    struct histogram *second = histogram_of(&set, NVDLA_SDP, 1, TAP_SDP_IN, 32);
    struct histogram *out = histogram_of(&set, NVDLA_SDP, 1, TAP_SDP_OUT, 8);
    histogram_set_done(&set, NVDLA_SDP, 1, 0);
    struct histogram *first = histogram_of(&set, NVDLA_SDP, 0, TAP_SDP_IN, 32);
    assert_true(second != out && second != first);
    assert_ptr_equal(histogram_of(&set, NVDLA_SDP, 1, TAP_SDP_IN, 32), second);
    assert_ptr_equal(histogram_find(&set, NVDLA_SDP, 0, TAP_SDP_IN), first);
    assert_null(histogram_find(&set, NVDLA_SDP, 0, TAP_SDP_OUT));
    assert_null(histogram_find(&set, NVDLA_PDP, 0, TAP_PDP_OUT));
    histogram_set_done(&set, NVDLA_SDP, 0, 1);
    histogram_set_done(&set, NVDLA_PDP, 0, 0); /* without histograms: no layer */
    histogram_of(&set, NVDLA_SDP, 2, TAP_SDP_IN, 32);
    assert_int_equal(set.layers, 2);
    assert_int_equal(set.entries[0]->layer, 0);
    assert_int_equal(set.entries[1]->layer, 0);
    assert_int_equal(set.entries[2]->layer, 1);
    assert_int_equal(set.entries[2]->group, 1);
    assert_int_equal(set.entries[3]->layer, -1);
    histogram_set_free(&set);
    assert_int_equal(set.count, 0);
}

/* Counters of the dump have 32 bits (B.8). */
TEST(dumps_and_pictures_show_every_stream) {
    struct histogram_set set = {0};
    static const int32_t values[] = {100, 90, -3, 0, -1};
    struct histogram *histogram = histogram_of(&set, NVDLA_SDP, 0, TAP_SDP_CVT_IN, 34);
    histogram->positive[3] = UINT64_C(1) << 33;
    histogram->count = histogram->positive[3];
    histogram->maximum = 9;
    histogram_of(&set, NVDLA_CACC, 0, TAP_CACC_SAT, 0);
    histogram_set_done(&set, NVDLA_SDP, 0, 1);
    histogram_int32(histogram_of(&set, NVDLA_SDP, 4, TAP_SDP_IN, 32), values, 1, 5, 5);
    histogram_of(&set, NVDLA_PDP, 2, TAP_PDP_OUT, 8);
    char *text = NULL;
    size_t size;
    FILE *out = xmemstream(&text, &size);
    histograms_print(out, &set);
    fprintf(out, "%s%s", kept(histograms_json(&set)), kept(histograms_svg(&set, "a<b&\xff")));
    xmemstream_close(out);
    golden("histograms.txt", kept(text));
    histogram_set_free(&set);
}

/* ---- taps ---- */

/* A run of a random program. */
struct run {
    struct device *dev;
    struct histogram_set histograms;
};

static void play_case(struct run *run, const struct program *prog, bool count, size_t threads) {
    run->histograms = (struct histogram_set){0};
    struct model_options options = {.threads = threads};
    if (count)
        tap_listen(&options.taps, histogram_listener(&run->histograms));
    run->dev = model_played(prog, &options);
}

static void end_case(struct run *run) {
    run->dev->ops->destroy(run->dev);
    histogram_set_free(&run->histograms);
}

/* Elements of the output cubes of a launch; 0: not known here. */
static uint64_t output_elements(const struct nvdla_config *config, const struct launch *launch) {
    if (launch->unit == NVDLA_SDP) {
        struct registers_view view = launch_view(config, launch);
        const struct sdp_shape shape = sdp_cubes(&view).shape;
        return (uint64_t)shape.width * (uint64_t)shape.height * (uint64_t)shape.channels * (uint64_t)shape.batches;
    }
    struct cube cube;
    bool primary, whole = launch->unit != NVDLA_PDP || !(launch_register(launch, PDP_D_OPERATION_MODE_CFG) &
                                                         PDP_D_OPERATION_MODE_CFG__SPLIT_NUM_MASK);
    return whole && launch_output_cube(config, launch, &cube, &primary)
               ? (uint64_t)cube.width * (uint64_t)cube.height * (uint64_t)cube.channels
               : 0;
}

/* Counts a cube of integers in the layout of memory. */
static void count_cube(const struct device *dev, const struct cube *cube, bool primary, struct histogram *histogram) {
    size_t lanes = (size_t)(cube->atom / cube->element_bytes);
    uint8_t atom[64];
    histogram_init(histogram, 8 * cube->element_bytes);
    for (int surface = 0; surface < cube_surfaces(cube); surface++) {
        for (int line = 0; line < cube->height; line++) {
            for (int column = 0; column < cube->width; column++) {
                memory_read(dev->memory[primary ? SPACE_PRIMARY : SPACE_SECONDARY],
                            cube_atom_address(cube, surface, line, column), atom, (size_t)cube->atom);
                histogram_elements(histogram, cube->element_bytes == 1 ? NVDLA_INT8 : NVDLA_INT16, atom, 1, lanes,
                                   tap_lanes((size_t)cube->channels, lanes, (size_t)surface));
            }
        }
    }
}

/* Histograms of the outputs, and of the inputs of convolutions, by what memory holds. Of programs of one layer; returns
 * how many were compared. */
static int compare_with_memory(const struct run *run, const struct program *prog, struct layer_tracker *layers) {
    int compared = 0;
    for (size_t i = 0; i < run->histograms.count; i++) {
        const struct histogram_entry *entry = run->histograms.entries[i];
        const struct launch *launch = layer_tracker_find(layers, entry->unit, entry->ordinal);
        bool output = entry->tap == TAP_SDP_OUT || entry->tap == TAP_PDP_OUT || entry->tap == TAP_CDP_OUT;
        struct cube cube;
        bool primary;
        bool known = output ? launch_output_cube(prog->config, launch, &cube, &primary)
                            : entry->tap == TAP_CDMA_CVT && launch_input_cube(prog->config, launch, &cube, &primary);
        uint64_t elements = (uint64_t)cube.width * (uint64_t)cube.height * (uint64_t)cube.channels;
        if (!known || entry->histogram.width == 0 || elements != entry->histogram.count ||
            (entry->tap == TAP_CDMA_CVT && launch_register(launch, CDMA_D_DAIN_MAP) & 1))
            continue;
        struct histogram expected;
        count_cube(run->dev, &cube, primary, &expected);
        assert_memory_equal(expected.positive, entry->histogram.positive, sizeof expected.positive);
        assert_memory_equal(expected.negative, entry->histogram.negative, sizeof expected.negative);
        assert_int_equal(expected.zeros, entry->histogram.zeros);
        assert_int_equal(expected.minimum, entry->histogram.minimum);
        assert_int_equal(expected.maximum, entry->histogram.maximum);
        compared++;
    }
    return compared;
}

static bool delivers(enum tap tap) {
    return tap == TAP_SDP_IN || tap == TAP_SDP_CVT_IN || tap == TAP_SDP_OUT || tap == TAP_PDP_OUT ||
           tap == TAP_CDP_IN || tap == TAP_CDP_CVT_IN || tap == TAP_CDP_OUT;
}

/* B.8: the bins add up to the elements, which are those of the output cube. */
static void check_counts(const struct run *run, const struct program *prog, struct layer_tracker *layers) {
    for (size_t i = 0; i < run->histograms.count; i++) {
        const struct histogram_entry *entry = run->histograms.entries[i];
        const struct launch *launch = layer_tracker_find(layers, entry->unit, entry->ordinal);
        assert_non_null(launch);
        assert_complete(&entry->histogram);
        assert_true(entry->layer >= 0);
        uint64_t elements = output_elements(prog->config, launch);
        if (delivers(entry->tap) && elements > 0)
            assert_int_equal(entry->histogram.count, elements);
        const struct histogram *input = histogram_find(&run->histograms, entry->unit, entry->ordinal, TAP_CACC_OUT);
        if (entry->tap == TAP_CACC_SAT && input)
            assert_int_equal(entry->histogram.count, input->count);
    }
}

static void assert_same_histograms(const struct histogram_set *a, const struct histogram_set *b) {
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_true(a->entries[i]->unit == b->entries[i]->unit && a->entries[i]->tap == b->entries[i]->tap);
        assert_same(&a->entries[i]->histogram, &b->entries[i]->histogram);
    }
}

/* Random layers of all engines: complete counts, the same with threads, and memory is what it is without counting. */
TEST(taps_count_every_element_of_random_layers) {
    static const char *const engines[] = {"conv", "img", "sdp", "pdp", "cdp", "mix"};
    int compared = 0;
    bool seen[TAP_COUNT] = {false};
    for (int c = 0; c < nvdla_config_count; c++) {
        for (size_t set = 0; set < sizeof engines / sizeof engines[0]; set++) {
            const uint64_t seeds = nvdla_configs[c].int16 ? seeds_of(16) : 3;
            for (uint64_t seed = 1; seed <= seeds; seed++) {
                autoprogram struct program *prog = random_program(&nvdla_configs[c], engines[set], seed);
                struct layer_tracker *layers = program_launches(prog);
                struct run run, threaded, plain;
                play_case(&run, prog, true, 1);
                play_case(&threaded, prog, true, 4);
                play_case(&plain, prog, false, 1);
                check_counts(&run, prog, layers);
                assert_same_histograms(&run.histograms, &threaded.histograms);
                assert_int_equal(plain.histograms.count, 0);
                for (int space = 0; space < SPACE_COUNT; space++) {
                    uint64_t address;
                    assert_false(run.dev->memory[space] &&
                                 memory_next_difference(run.dev->memory[space], plain.dev->memory[space], 0, &address));
                }
                for (size_t i = 0; i < run.histograms.count; i++)
                    seen[run.histograms.entries[i]->tap] = true;
                if (set < 5 && run.histograms.layers <= 4)
                    compared += compare_with_memory(&run, prog, layers);
                end_case(&run);
                end_case(&threaded);
                end_case(&plain);
                layer_tracker_free(layers);
            }
        }
    }
    assert_true(compared > 100);
    for (enum tap tap = 0; tap < TAP_COUNT; tap++)
        assert_true(seen[tap] == tap_has_statistics(tap));
}
