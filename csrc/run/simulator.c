/* A simulator executable: one trace on its RTL. See simulator.h. */
#include "run/simulator.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "run/output.h"
#include "run/session.h"
#include "run/version.h"

static const char *how_made = "";

static void print_version(FILE *out, struct argp_state *state) {
    fprintf(out, "%s, a simulator of nvcosim %s\n%s", state->name, nvcosim_version(), how_made);
}

/* The RTL's own pins before those of the command line, so that the latter win. */
static void default_pins(struct run_options *options, const char *pins) {
    struct words all = {0};
    char *copy = xstrdup(pins), *rest = copy;
    for (char *pin = strsep(&rest, ","); pin; pin = strsep(&rest, ","))
        if (pin[0])
            words_add(&all, "%s", pin);
    free(copy);
    for (size_t i = 0; i < options->pins.count; i++)
        words_add(&all, "%s", options->pins.items[i]);
    words_free(&options->pins);
    options->pins = all;
    options->rtl.pins = (const char *const *)all.items;
}

int simulator_main(int argc, char **argv, const char *config_name, const char *rtl_name, const char *pins,
                   const char *made, rtl_open open, void *context) {
    static const struct argp argp = {
        .options = run_option_table,
        .parser = run_option_parse,
        .args_doc = "TRACE",
        .doc = "Plays one trace. Started by nvcosim, which knows more: use `nvcosim run`.",
    };
    struct run_options options;
    output_check_at_exit();
    how_made = made;
    argp_program_version_hook = print_version;
    run_options_init(&options);
    argp_err_exit_status = EXIT_BAD_INPUT;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0) {
        run_options_free(&options);
        return EXIT_BAD_INPUT;
    }
    char name[RTL_NAME_MAX + 8];
    bool own = !rtl_name || rtl_name[0] == '\0';
    snprintf(name, sizeof name, "rtl%s%s", own ? "" : ":", own ? "" : rtl_name);
    int status = EXIT_BAD_INPUT;
    if (options.traces.count != 1)
        fprintf(stderr, "%s: plays one trace, %zu are given\n", argv[0], options.traces.count);
    else if (options.config && strcmp(options.config->name, config_name) != 0)
        status =
            play_none(&options, name, "%s simulates configuration %s, %s is asked for; remove it and it is built again",
                      argv[0], config_name, options.config->name);
    else {
        options.config = nvdla_config_find(config_name);
        default_pins(&options, pins);
        status = play_one(&options, name, open, context);
    }
    run_options_free(&options);
    return status;
}
