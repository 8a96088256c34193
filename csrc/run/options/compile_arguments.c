/* The options for compiling, shared by several commands. See options.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "run/network/compile.h"
#include "run/options/arguments.h"
#include "run/options/options.h"

static float factor(struct argp_state *state, const char *name, const char *arg) {
    char *end;
    const float value = strtof(arg, &end);
    if (end == arg || *end || !isfinite(value) || value == 0)
        argp_error(state, "%s: found '%s', expected a number that is not 0", name, arg);
    return value;
}

static void mean_option(void *input, const char *arg, struct argp_state *state) {
    struct error err;
    if (!input_mean_parse(arg, "--mean", input, &err))
        argp_error(state, "%s", err.text);
}

static void norm_option(void *norm, const char *arg, struct argp_state *state) {
    *(float *)norm = factor(state, "--norm", arg);
}

static void scale_option(void *scale, const char *arg, struct argp_state *state) {
    *(float *)scale = factor(state, "--scale", arg);
}

static void channels_option(void *rgb, const char *arg, struct argp_state *state) {
    *(bool *)rgb = strcmp(arg, "rgb") == 0;
    if (!*(bool *)rgb && strcmp(arg, "bgr") != 0)
        argp_error(state, "--channels: found '%s', expected bgr or rgb", arg);
}

static void base_option(void *base, const char *arg, struct argp_state *state) {
    if (!text_number(arg, UINT64_MAX, base))
        argp_error(state, "--base: found '%s', expected an address", arg);
}

#define OF(member) offsetof(struct compile_options, member)

const struct argument compile_arguments[] = {
    OPTION("input", "PICTURE",
           "Input of the network: a picture (PGM, PPM, PNG, JPEG) of its size; raw:FILE, the bytes of the input "
           "memory or, of a quantised network, its elements in the type of its file (int8:FILE: as INT8); "
           "random:SEED; zero. Repeat for each picture of a batch and for each of several inputs",
           WORDS_AT(OF(input.sources))),
    OPTION("mean", "V[,V...]",
           "Subtracted from a picture's values of 0 to 255: one number for all channels or one for each (default 0; "
           "quantised networks: 128)",
           TAKEN_AT(OF(input), mean_option)),
    OPTION("norm", "N", "Divisor after that (default 1)", TAKEN_AT(OF(input.norm), norm_option)),
    OPTION("scale", "S",
           "Value of 1 in an INT8 input, from the compiler's calibration table (default: the extreme values of a "
           "picture become 127 or -127; quantised networks: 1)",
           TAKEN_AT(OF(input.scale), scale_option)),
    OPTION("channels", "bgr|rgb", "Order of colours in the channels (default bgr; quantised networks: rgb)",
           TAKEN_AT(OF(input.rgb), channels_option), .also = OF(order_given)),
    OPTION("base", "ADDR", "Start of the network's memories (default 0x80000000)", TAKEN_AT(OF(base), base_option)),
    OPTION("no-layer-checks", NULL, "Check only the outputs, not each layer's writes: a smaller trace",
           FLAG_AT(OF(no_layer_checks))),
    {0},
};
