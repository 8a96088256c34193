/* Options of an RTL's sources. See rtl_source.h. */
#include "run/options/rtl_source.h"
#include "run/options/arguments.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_FILELIST = 0x200, KEY_TOP, KEY_VERILATOR, KEY_PIN };

static const struct argp_option option_table[] = {
    OPTION("filelist", KEY_FILELIST, "FILE.f",
           "Sources to compile, +incdir+DIR, -v FILE, +define+NAME, in the format of Verilator's -f; paths are "
           "relative to the file"),
    OPTION("top", KEY_TOP, "MODULE", "Top module (default NV_nvdla)"),
    OPTION(
        "verilator-option", KEY_VERILATOR, "OPTION",
        "Further option for Verilator; may be repeated: --verilator-option=-Wno-WIDTH --verilator-option=-DSYNTHESIS"),
    OPTION("pin", KEY_PIN, "NAME=VALUE",
           "Value of a static input of this RTL unless run --pin changes it; may be repeated. --nvidia sets "
           "tmc2slcg_disable_clock_gating=1, which whole networks need; single layers run 1.4 to 1.7 times as fast "
           "with --pin tmc2slcg_disable_clock_gating=0"),
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct rtl_source *source = state->input;
    switch (key) {
    case KEY_FILELIST:
        source->filelist = arg;
        return 0;
    case KEY_TOP:
        if (arg[0] == '\0' ||
            strspn(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(arg))
            argp_error(state, "--top: found '%s', expected the name of a module", arg);
        source->top = arg;
        return 0;
    case KEY_VERILATOR:
        if (strpbrk(arg, "\n'"))
            argp_error(state, "--verilator-option: quotes and line ends are not supported");
        words_add(&source->verilator, "%s", arg);
        return 0;
    case KEY_PIN:
        if (!strchr(arg, '=') || arg[0] == '=' || strpbrk(arg, " ,\n'\"$\\"))
            argp_error(state, "--pin: found '%s', expected NAME=VALUE", arg);
        words_add(&source->pins, "%s", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp rtl_source_argp = {.options = option_table, .parser = parse};

void rtl_source_free(struct rtl_source *source) {
    words_free(&source->verilator);
    words_free(&source->pins);
}

static void join(struct text *text, const struct words *words) {
    for (size_t i = 0; words && i < words->count; i++)
        text_printf(text, "%s%s", text->n ? " " : "", words->items[i]);
}

void rtl_source_variables(const struct rtl_source *source, const struct words *more, struct words *variables) {
    struct text verilator = {0}, pins = {0};
    join(&verilator, &source->verilator);
    join(&pins, more);
    join(&pins, &source->pins);
    words_add(variables, "TOP=%s", source->top ? source->top : "NV_nvdla");
    words_add(variables, "VERILATOR_OPTIONS=%s", verilator.text ? verilator.text : "");
    words_add(variables, "PINS=%s", pins.text ? pins.text : "");
    free(verilator.text);
    free(pins.text);
}
