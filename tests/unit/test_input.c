/* Pictures in the input tensors of networks: the cases of input.txt, and every half. */
#include <math.h>

#include "loadable/half.h"
#include "loadable/input.h"
#include "memory/file.h"
#include "tests/unit/steps.h"
#include "tests/unit/test.h"

TEST(halves_of_floats_of_halves) {
    for (unsigned half = 0; half < 0x10000; half++)
        if ((half & 0x7fff) <= 0x7c00)
            assert_int_equal(float_to_half(half_to_float((uint16_t)half)), half);
    assert_true(isnan(half_to_float(float_to_half(NAN))));
}

/* A network with one input. */
struct network {
    struct loadable_tensor tensor;
    struct loadable_memory memory;
    struct loadable loadable;
    struct input_options options;
    uint8_t **filled;
};

static void network_release(struct network *net) {
    input_free(&net->loadable, net->filled);
    input_options_free(&net->options);
}
TEST_KEEPS(network_keep, struct network, network_release)

static void *begin(const char *title) {
    struct network *net = network_keep(test_new(sizeof *net));
    (void)title;
    net->memory.flags = MEMORY_INPUT;
    net->loadable = (struct loadable){.path = "net", .memory_count = 1, .tensor_count = 1};
    net->loadable.memories = &net->memory;
    net->loadable.tensors = &net->tensor;
    return net;
}

/* tensor TYPE FORMAT N CHANNELS SIZE, and the side, line and surface of a larger picture than 2 x 1. */
static void set_tensor(struct network *net, const struct step *step) {
    const bool large = step->count > 6;
    net->memory.size = step_number(step, 5);
    net->tensor = (struct loadable_tensor){.name = "data", .n = (int)step_number(step, 3), .w = 2, .h = 1};
    net->tensor.data_type = (unsigned)step_number(step, 1);
    net->tensor.pixel_format = (unsigned)step_number(step, 2);
    net->tensor.c = (int)step_number(step, 4);
    if (large)
        net->tensor.w = net->tensor.h = (int)step_number(step, 6);
    net->tensor.stride[0] = 1;
    net->tensor.stride[1] = large ? (uint32_t)step_number(step, 7) : 64;
    net->tensor.stride[2] = large ? (uint32_t)step_number(step, 8) : 64;
}

/* The elements that are not 0, AT:VALUE; halves as patterns. */
static void print_elements(const struct network *net, FILE *found) {
    const uint8_t *bytes = net->filled[0];
    const char *before = "";
    for (size_t i = 0; i < net->memory.size; before = ftell(found) ? " " : "", i++)
        if (net->tensor.data_type == DATA_HALF && i % 2 == 0 && (bytes[i] || bytes[i + 1]))
            fprintf(found, "%s%zu:0x%x", before, i / 2, bytes[i] | bytes[i + 1] << 8);
        else if (net->tensor.data_type != DATA_HALF && bytes[i])
            fprintf(found, "%s%zu:%d", before, i, (int8_t)bytes[i]);
}

/* fill SOURCE...; a message, or what the input is then. */
static void fill(struct network *net, const struct step *step, FILE *found) {
    struct error err = {.text = ""};
    words_free(&net->options.sources);
    net->options.sources = (struct words){0};
    for (size_t i = 1; i < step->count; i++)
        words_add(&net->options.sources, "%s", step->word[i]);
    input_free(&net->loadable, net->filled);
    net->filled = input_fill(&net->loadable, &net->options, &err);
    if (!net->filled)
        fputs(err.text, found);
}

static bool act(void *context, const struct step *step, FILE *found) {
    struct network *net = context;
    struct error err = {.text = ""};
    char *file = NULL;
    size_t n = 0;
    if (step_is(step, "half"))
        for (size_t i = 1; i < step->count; i++)
            fprintf(found, "%s0x%04x", i > 1 ? " " : "", float_to_half(strtof(step->word[i], NULL)));
    else if (step_is(step, "tensor"))
        set_tensor(net, step);
    else if (step_is(step, "bare"))
        net->memory.tensor = LOADABLE_NONE;
    else if (step_is(step, "rgb"))
        net->options.rgb = step_number(step, 1);
    else if (step_is(step, "norm"))
        net->options.norm = strtof(step->word[1], NULL);
    else if (step_is(step, "scale"))
        net->options.scale = strtof(step->word[1], NULL);
    else if (step_is(step, "mean"))
        fputs(input_mean_parse(step->word[1], "--mean", &net->options, &err) ? "" : err.text, found);
    else if (step_is(step, "fill")) {
        fill(net, step, found);
        if (net->filled)
            print_elements(net, found);
    } else if (step_is(step, "same")) { /* as the file of this name */
        fill(net, &(struct step){.word = {"", step->word[1]}, .count = 2}, found);
        assert_true(net->filled && file_read(step->word[2], &file, &n, &err));
        fprintf(found, "%d", n == net->memory.size && memcmp(net->filled[0], file, n) == 0);
        free(file);
    } else
        return false;
    return true;
}

TEST(cases_are_filled_as_they_say) {
    steps_play("tests/unit/input.txt", &(struct steps_player){begin, act});
}
