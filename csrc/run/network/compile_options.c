/* The options of compiling that several commands have. */
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
     .doc =
         "What goes into the network: a picture (PGM, PPM, PNG, JPEG) of the size of its input; raw:FILE, the bytes of "
         "the input memory; random:SEED; zero. Again for each picture of a batch, and for each input of several"},
    {.name = "mean",
     .key = KEY_MEAN,
     .arg = "V[,V...]",
     .doc = "What is taken off a picture's values of 0 to 255, of all channels or of each (default 0)"},
    {.name = "norm", .key = KEY_NORM, .arg = "N", .doc = "What they are then divided by (default 1)"},
    {.name = "scale",
     .key = KEY_SCALE,
     .arg = "S",
     .doc = "What 1 of an INT8 input stands for, as the compiler's calibration table has it (default: such that the "
            "values that pictures can have just reach 127 or -127)"},
    {.name = "channels",
     .key = KEY_CHANNELS,
     .arg = "bgr|rgb",
     .doc = "Order of a picture's colours in the channels (default bgr)"},
    {.name = "base", .key = KEY_BASE, .arg = "ADDR", .doc = "Where the network's memories begin (default 0x80000000)"},
    {.name = "no-layer-checks",
     .key = KEY_NO_LAYER_CHECKS,
     .doc = "Check the outputs alone, not what each layer writes: a smaller trace"},
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
