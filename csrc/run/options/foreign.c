/* See foreign.h. */
#include "run/options/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "run/simulators/simulators.h"

#define CLOCK_GATING_OFF "tmc2slcg_disable_clock_gating=1"

bool foreign_can_play(const struct run_options *options, const char *config, struct error *err) {
    return !options->rtl.checks || simulator_can_check(config, options->rtl_name, err);
}

void foreign_announce_served(const struct run_options *options, const char *config) {
    struct error none;
    if (options->quiet || !simulator_is_foreign(config, options->rtl_name))
        return;
    fprintf(stderr,
            "nvcosim serve: rtl:%s is another's RTL: %s%stimelines and reports of hangs show only its registers "
            "and ports (docs/other-rtl.md)\n",
            options->rtl_name, simulator_can_check(config, options->rtl_name, &none) ? "" : "it has no checks inside; ",
            simulator_has_taps(config, options->rtl_name)
                ? ""
                : "the streams inside it are not known (build --taps FILE.csv), so --tap records those of its ports, "
                  "and --debug cannot tell an engine from those before it; ");
}

void foreign_announce_coverage(const struct run_options *options, const char *config) {
    if (options->coverage && !options->quiet && simulator_is_foreign(config, options->rtl_name))
        fprintf(stderr,
                "nvcosim: --coverage: rtl:%s is another's RTL: its lines are counted, but make coverage "
                "prints those in rtl/ alone; verilator_coverage --annotate DIR FILE.dat shows them\n",
                options->rtl_name);
}

const char *foreign_gates_note(bool foreign, const struct words *pins) {
    bool off = false;
    for (size_t i = 0; i < pins->count; i++)
        if (strncmp(pins->items[i], CLOCK_GATING_OFF, sizeof CLOCK_GATING_OFF - 2) == 0)
            off = strcmp(pins->items[i], CLOCK_GATING_OFF) == 0;
    return foreign && !off ? "clock gates of another RTL may stay closed under Verilator: try --pin " CLOCK_GATING_OFF
                           : NULL;
}

const char *foreign_gates_of(const struct run_options *options, const char *config) {
    autowords struct words pins = {0};
    char *built = simulator_variable(config, options->rtl_name, "PINS"), *rest = built;
    for (char *pin; rest && (pin = strsep(&rest, " "));)
        words_add(&pins, "%s", pin);
    for (size_t i = 0; i < options->pins.count; i++)
        words_add(&pins, "%s", options->pins.items[i]);
    const char *note = foreign_gates_note(simulator_is_foreign(config, options->rtl_name), &pins);
    free(built);
    return note;
}
