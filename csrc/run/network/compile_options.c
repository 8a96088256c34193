/* The options for compiling, shared by several commands. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/text.h"
#include "run/network/compile.h"

enum { KEY_INPUT = 0x2000, KEY_MEAN, KEY_NORM, KEY_SCALE, KEY_CHANNELS, KEY_BASE, KEY_NO_LAYER_CHECKS };

static const struct argp_option option_table[] = {
    {.name = "input",
     .key = KEY_INPUT,
     .arg = "PICTURE",
     .doc = "Input of the network: a picture (PGM, PPM, PNG, JPEG) of its size; raw:FILE, the bytes of the input "
            "memory; random:SEED; zero. Repeat for each picture of a batch and for each of several inputs"},
    {.name = "mean",
     .key = KEY_MEAN,
     .arg = "V[,V...]",
     .doc = "Subtracted from a picture's values of 0 to 255: one number for all channels or one for each (default 0; "
            "quantised networks: 128)"},
    {.name = "norm", .key = KEY_NORM, .arg = "N", .doc = "Divisor after that (default 1)"},
    {.name = "scale",
     .key = KEY_SCALE,
     .arg = "S",
     .doc = "Value of 1 in an INT8 input, from the compiler's calibration table (default: the extreme values of a "
            "picture become 127 or -127; quantised networks: 1)"},
    {.name = "channels",
     .key = KEY_CHANNELS,
     .arg = "bgr|rgb",
     .doc = "Order of colours in the channels (default bgr; quantised networks: rgb)"},
    {.name = "base", .key = KEY_BASE, .arg = "ADDR", .doc = "Start of the network's memories (default 0x80000000)"},
    {.name = "no-layer-checks",
     .key = KEY_NO_LAYER_CHECKS,
     .doc = "Check only the outputs, not each layer's writes: a smaller trace"},
    {0},
};

static float factor(struct argp_state *state, const char *name, const char *arg) {
    char *end;
    const float value = strtof(arg, &end);
    if (end == arg || *end || !isfinite(value) || value == 0)
        argp_error(state, "%s: found '%s', expected a number that is not 0", name, arg);
    return value;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct compile_options *options = state->input;
    struct error err;
    for (const struct argp_option *option = option_table; option->name; option++)
        options->given = option->key == key ? option->name : options->given;
    switch (key) {
    case KEY_INPUT:
        words_add(&options->input.sources, "%s", arg);
        return 0;
    case KEY_MEAN:
        if (!input_mean_parse(arg, "--mean", &options->input, &err))
            argp_error(state, "%s", err.text);
        return 0;
    case KEY_NORM:
        options->input.norm = factor(state, "--norm", arg);
        return 0;
    case KEY_SCALE:
        options->input.scale = factor(state, "--scale", arg);
        return 0;
    case KEY_CHANNELS:
        if (strcmp(arg, "bgr") != 0 && strcmp(arg, "rgb") != 0)
            argp_error(state, "--channels: found '%s', expected bgr or rgb", arg);
        options->input.rgb = strcmp(arg, "rgb") == 0;
        options->order_given = true;
        return 0;
    case KEY_BASE:
        if (!text_number(arg, UINT64_MAX, &options->base))
            argp_error(state, "--base: found '%s', expected an address", arg);
        return 0;
    case KEY_NO_LAYER_CHECKS:
        options->layer_checks = false;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp compile_argp = {.options = option_table, .parser = parse};

void compile_options_init(struct compile_options *options) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    *options = (struct compile_options){
        .base = COMPILE_BASE,
        .secondary_base = COMPILE_SECONDARY_BASE,
        .layer_checks = true,
        .threads = processors > 8   ? 8
                   : processors > 1 ? (size_t)processors
                                    : 1,
    };
}

void compile_options_free(struct compile_options *options) {
    input_options_free(&options->input);
}
