/* A simulator executable: one trace on its RTL. See simulator.h. */
#include "run/session/simulator.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "run/options/output.h"
#include "run/serve/serve.h"
#include "run/session/live.h"
#include "run/session/session.h"
#include "run/simulators/version.h"

static const char *how_made = "";

static void print_version(FILE *out, struct argp_state *state) {
    fprintf(out, "%s, a simulator of nvcosim %s\n%s", state->name, nvcosim_version(), how_made);
}

/* Puts the RTL's own pins before those of the command line, so that the latter win. */
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

/* The RTL of this simulator, and a device that may have been reset before its trace was known. */
struct simulation {
    const struct nvdla_config *config;
    rtl_open open;
    void *context;
    struct device *reset; /* NULL: there is none */
    char *reset_key;      /* its rtl_options_reset_key() */
};

static int ports_of(const struct nvdla_config *config) {
    return config->secondary_memory ? 2 : 1;
}

/* Opens the RTL, or takes the reset device if its key is the same. */
static struct device *open_simulation(void *context, const struct nvdla_config *config,
                                      const struct rtl_options *options, struct error *err) {
    struct simulation *simulation = context;
    struct device *dev = simulation->reset;
    autofree char *key = dev ? rtl_options_reset_key(options, ports_of(config)) : NULL;
    const bool same = key && strcmp(key, simulation->reset_key) == 0 && dev->ops->adopt(dev, &options->axi);
    simulation->reset = NULL;
    if (same)
        return dev;
    if (dev)
        dev->ops->destroy(dev);
    return simulation->open(simulation->context, config, options, err);
}

/* Resets the RTL and plays the traces from the socket in copies of this process. Returns true in a copy, with its
 * words; false in the server at its end. */
static bool play_orders(struct simulation *simulation, const struct run_options *options, struct words *words) {
    struct error err;
    struct rtl_options rtl = options->rtl;
    rtl.axi.seed = options->seed;
    simulation->reset_key = rtl_options_reset_key(&rtl, ports_of(simulation->config));
    simulation->reset = simulation->open(simulation->context, simulation->config, &rtl, &err);
    struct device *dev = simulation->reset;
    return dev && simulation->reset_key && dev->ops->adopt && !serve_obstacle(options->serve.runner) &&
           dev->ops->reset(dev, &err) && !serve_obstacle(options->serve.runner) && serve(options->serve.socket, words);
}

/* Reads the arguments of a simulator. False with a message. */
static bool read_arguments(struct run_options *options, int argc, char **argv, const char *pins) {
    static const struct argument none[] = {{0}};
    static const struct command command = {.options = none,
                                           .usage = "TRACE",
                                           .doc = "Plays one trace. Started by nvcosim: use `nvcosim run`.",
                                           .operands = {.most = SIZE_MAX}};
    run_options_init(options);
    if (!run_command_read(&command, 0, options, argc, argv, options))
        return false;
    default_pins(options, pins);
    return true;
}

static int serve_driver(struct run_options *options, const char *name, struct simulation *simulation) {
    options->config = simulation->config;
    return live_one(options, name, open_simulation, simulation);
}

static int play_arguments(const char *program, struct run_options *options, const char *name,
                          struct simulation *simulation) {
    const char *config_name = simulation->config->name;
    if (options->traces.count != 1) {
        fprintf(stderr, "%s: found %zu traces, expected one\n", program, options->traces.count);
        return EXIT_BAD_INPUT;
    }
    if (options->config && strcmp(options->config->name, config_name) != 0)
        return play_none(options, name, "%s simulates configuration %s, but %s is needed; remove it, and it is rebuilt",
                         program, config_name, options->config->name);
    options->config = simulation->config;
    return play_one(options, name, open_simulation, simulation);
}

int simulator_main(int argc, char **argv, const struct simulator_facts *facts) {
    struct simulation simulation = {
        .config = nvdla_config_find(facts->config), .open = facts->open, .context = facts->context};
    struct run_options options = {0}, served = {0}; /* the reset device refers to these */
    autowords struct words words = {0};
    char name[RTL_NAME_MAX + 8];
    const bool own = !*facts->rtl;
    int status = EXIT_BAD_INPUT;
    snprintf(name, sizeof name, "rtl%s%s", own ? "" : ":", own ? "" : facts->rtl);
    output_check_at_exit();
    how_made = facts->made;
    argp_program_version_hook = print_version;
    argp_err_exit_status = EXIT_BAD_INPUT;
    bool read = read_arguments(&options, argc, argv, facts->pins);
    if (read && options.serve.socket >= 0) {
        served = options;
        options = (struct run_options){0};
        read = play_orders(&simulation, &served, &words) &&
               read_arguments(&options, (int)words.count, words.items, facts->pins);
    }
    options.foreign = facts->foreign;
    if (read && run_is_live(&options))
        status = serve_driver(&options, name, &simulation);
    else if (read)
        status = play_arguments(argv[0], &options, name, &simulation);
    if (simulation.reset)
        simulation.reset->ops->destroy(simulation.reset);
    free(simulation.reset_key);
    run_options_free(&options);
    run_options_free(&served);
    return status;
}
