/* nvcosim simulators: for nvcosim build and others that are written in Python. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "run/list/facts.h"
#include "run/options/arguments.h"
#include "run/options/options.h"

struct simulator_options {
    const struct nvdla_config *config;
    const char *name;
    enum simulator_variant variant;
    bool known, update, profile, folder, again;
    struct words operands;
};

static const char doc[] =
    "Builds the simulator of an RTL by variables of make, or prints as JSON whether and where it is.";

static void name_option(void *name, const char *arg, struct argp_state *state) {
    if (!rtl_name_valid(arg))
        argp_error(state, "--name: found '%s', expected the name of an RTL", arg);
    *(const char **)name = arg;
}

static void variant_option(void *variant, const char *arg, struct argp_state *state) {
    int i = VARIANT_PLAIN;
    while (i < VARIANT_COUNT && strcmp(arg, simulator_variant_names[i]) != 0)
        i++;
    if (i == VARIANT_COUNT)
        argp_error(state, "--variant: found '%s', expected the name of a variant", arg);
    *(enum simulator_variant *)variant = (enum simulator_variant)i;
}

#define OF(member) offsetof(struct simulator_options, member)

static const struct argument option_table[] = {
    CONFIG_SMALL(OF(config)),
    OPTION("name", "NAME", "Name of the RTL", TAKEN_AT(OF(name), name_option)),
    OPTION("variant", "VARIANT", "Variant of the simulator", TAKEN_AT(OF(variant), variant_option)),
    OPTION("known", NULL, "Print whether there is one or it can be built", FLAG_AT(OF(known))),
    OPTION("update", NULL, "Bring it up to date, and print where it is", FLAG_AT(OF(update))),
    OPTION("profile", NULL, "With a profile", FLAG_AT(OF(profile))),
    OPTION("folder", NULL, "Print the path of a file beside the simulators", FLAG_AT(OF(folder))),
    OPTION("again", NULL, "Keep the other variables of the last build", FLAG_AT(OF(again))),
    {0},
};

/* Prints the path, or makes the simulator. False with a message. */
static bool act(const struct simulator_options *options, struct error *err) {
    char path[SIMULATOR_PATH];
    if (!options->folder)
        return (options->again ? remake_simulator : make_simulator)(options->config->name, options->name, VARIANT_PLAIN,
                                                                    &options->operands, err);
    if (!simulators_can_be_built(err) || !simulator_side_path(options->operands.items[0], path, sizeof path, err))
        return false;
    puts(path);
    return true;
}

int simulators_main(int argc, char **argv) {
    static const struct command command = {
        .options = option_table, .usage = "[VARIABLE=VALUE...]", .doc = doc, .operands = OPERANDS_AT(OF(operands))};
    struct simulator_options options = {.config = nvdla_config_find("small"), .name = ""};
    struct error err;
    if (!command_read(&command, argc, argv, &options))
        return EXIT_BAD_INPUT;
    const struct facts_simulator simulator = {
        .config = options.config->name, .rtl_name = options.name, .variant = options.variant};
    bool fine = true;
    if (options.known)
        facts_of_simulator(stdout, &simulator);
    else if (options.update)
        facts_update_simulator(stdout, &simulator, options.profile);
    else
        fine = act(&options, &err);
    if (!fine)
        fprintf(stderr, "nvcosim%s: %s\n", options.folder ? "" : " build", err.text);
    words_free(&options.operands);
    return fine ? EXIT_OK : EXIT_BAD_INPUT;
}
