/* The laws of NVIDIA's errata: the tables of 99-illegal-programming section 5. */
#include "nvdla/errata.h"

#include "model/model.h"
#include "run/session/errata.h"
#include "tests/unit/test.h"
#include "trace/formats.h"
#include "trace/launches.h"

/* A line of small: components, kernel width, outputs. */
static struct errata_line line_of(size_t components, size_t kernel, size_t outputs, size_t stride) {
    return (struct errata_line){
        .lanes = 8, .stripe = 16, .row = components * kernel, .step = stride * components, .outputs = outputs};
}

/* Kernel widths below 32 that are concerned, as a set of bits. */
static uint32_t concerned(size_t components, size_t outputs) {
    uint32_t widths = 0;
    for (size_t kernel = 1; kernel < 32; kernel++) {
        const struct errata_line line = line_of(components, kernel, outputs, 1);
        widths |= (uint32_t)errata_takes_others(&line) << kernel;
    }
    return widths;
}

static uint32_t set_of(const int *widths) {
    uint32_t set = 0;
    for (; *widths; widths++)
        set |= UINT32_C(1) << *widths;
    return set;
}

TEST(kernel_widths_with_e1) {
    static const int one[] = {17, 25, 0}, one_single[] = {17, 25, 26, 27, 28, 0};
    static const int three[] = {11, 19, 27, 0};
    static const int three_single[] = {9, 11, 12, 14, 15, 17, 18, 19, 20, 22, 23, 25, 26, 27, 28, 29, 30, 31, 0};
    static const int four_single[] = {7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 0};
    assert_int_equal(concerned(1, 2), set_of(one));
    assert_int_equal(concerned(1, 17), set_of(one_single));
    assert_int_equal(concerned(3, 2), set_of(three));
    assert_int_equal(concerned(3, 1), set_of(three_single));
    assert_int_equal(concerned(4, 16), 0);
    assert_int_equal(concerned(4, 33), set_of(four_single));
}

/* Elements are the right ones exactly if the law says so. */
TEST(elements_of_lines) {
    for (size_t components = 1; components <= 4; components += components == 1 ? 2 : 1) {
        for (size_t kernel = 1; kernel <= 32; kernel++) {
            for (size_t outputs = 1; outputs <= 34; outputs++) {
                const struct errata_line line = line_of(components, kernel, outputs, 1 + kernel % 3);
                bool right = true;
                for (size_t x = 0; x < outputs; x++)
                    for (size_t i = 0; i < line.row; i++)
                        right = right && errata_element(&line, x, i) == (long)(x * line.step + i);
                assert_int_equal(right, !errata_takes_others(&line));
            }
        }
    }
}

/* 7x7 of four components with stride 2 and 113 outputs: one wrong element is padding instead of padding. */
TEST(padding_for_padding_does_not_count) {
    const struct errata_line line = line_of(4, 7, 113, 2);
    const struct errata_pixels odd = {12, 12 + 4 * 225, true}, even = {12, 12 + 4 * 226, true};
    assert_true(errata_takes_others(&line));
    assert_false(errata_line_differs(&line, &odd));
    assert_true(errata_line_differs(&line, &even));
}

TEST(pads_that_are_lost) {
    assert_false(errata_pads_are_lost(1, 20, 31, 31, 0));
    assert_false(errata_pads_are_lost(3, 20, 21, 0, 0));
    assert_true(errata_pads_are_lost(3, 20, 29, 0, 0));
    assert_true(errata_pads_are_lost(4, 10, 31, 0, 0));
    assert_true(errata_pads_are_lost(4, 6, 0, 30, 0));
    assert_false(errata_pads_are_lost(4, 6, 3, 3, 0));
}

enum { WHOLE = 0, SPOILED = -1 };

/* The beat that begins with the first difference of two memories, with so many of the bytes that differ. */
static struct wrong_beat beat_of(const struct memory *rtl, const struct memory *model, int wrong) {
    struct wrong_beat found = {.beat = {.port = SPACE_PRIMARY, .owner = {-1, -1}}};
    uint8_t expected[WRONG_BYTES];
    assert_true(memory_next_difference(rtl, model, 0, &found.beat.address));
    memory_read(rtl, found.beat.address, found.got, WRONG_BYTES);
    memory_read(model, found.beat.address, expected, WRONG_BYTES);
    for (unsigned i = 0; i < WRONG_BYTES; i++)
        if (found.got[i] != expected[i] && wrong-- > 0)
            found.wrong |= UINT64_C(1) << i;
    assert_true(wrong <= 0);
    return found;
}

/* What is known about an RTL of another's that computes what the model of a configuration does, played as small. end:
 * WHOLE; SPOILED: with one other byte; else stopped at a beat with so many wrong bytes. */
static char *known_of(const char *config, const char *trace, int end, enum errata_part *part) {
    struct error err;
    struct program *prog = trace_read(trace, &(struct trace_options){0}, &err);
    assert_non_null(prog);
    struct layer_tracker *launches = program_launches(prog);
    struct run_options options = {.foreign = true, .rtl_name = "other"};
    struct report_input input = {.prog = prog, .launches = launches, .played_count = 2};
    struct play_result results[2];
    char *text;
    play_options_default(&options.play);
    for (int i = 0; i < 2; i++) {
        struct device *device = model_new(i == 0 ? nvdla_config_find(config) : prog->config,
                                          &(struct model_options){.allow_undefined = true});
        play(prog, device, &options.play, &results[i]);
        input.played[i] = (struct played){.dev = device, .result = &results[i]};
    }
    struct memory *const memory = input.played[0].dev->memory[SPACE_PRIMARY];
    struct wrong_beat beat;
    if (end > 0) {
        beat = beat_of(memory, input.played[1].dev->memory[SPACE_PRIMARY], end);
        input.wrong = &beat;
    } else if (end == SPOILED) {
        memory_write(memory, 0x12345, &(uint8_t){0x5a}, 1, NULL, NULL);
    }
    *part = errata_part(&options, &input, &text);
    for (int i = 0; i < 2; i++) {
        play_result_free(&results[i]);
        input.played[i].dev->ops->destroy(input.played[i].dev);
    }
    layer_tracker_free(launches);
    program_free(prog);
    return kept(text);
}

TEST(an_rtl_of_another_configuration) {
    enum errata_part part;
    char *text = known_of("small_256", "traces/conformance/small/rand_mixed_000.nvt.gz", WHOLE, &part);
    assert_int_equal(part, ERRATA_LIKELY);
    assert_non_null(strstr(text, "likely the RTL of configuration small_256"));
    text = known_of("small", "traces/conformance/small/rand_mixed_000.nvt.gz", WHOLE, &part);
    assert_int_equal(part, ERRATA_NO_PART);
    assert_null(text);
}

TEST(what_no_configuration_computes_is_of_none) {
    enum errata_part part;
    assert_null(known_of("small_256", "traces/conformance/small/rand_dc_004.nvt.gz", SPOILED, &part));
    assert_int_equal(part, ERRATA_NO_PART);
}

TEST(few_wrong_bytes_of_a_beat_tell_nothing) {
    enum errata_part part;
    assert_null(known_of("small_256", "traces/conformance/small/rand_dc_004.nvt.gz", 2, &part));
    assert_non_null(known_of("small_256", "traces/conformance/small/rand_dc_004.nvt.gz", 3, &part));
    assert_int_equal(part, ERRATA_LIKELY);
}

TEST(an_rtl_of_another_configuration_that_hangs) {
    enum errata_part part;
    char *text = known_of("small_256", "traces/conformance/small/rand_dc_001.nvt.gz", WHOLE, &part);
    assert_int_equal(part, ERRATA_POSSIBLE);
    assert_non_null(strstr(text, "possibly the RTL of configuration small_256"));
}
