/* Checks of arguments. See arguments.h. */
#include "run/options/arguments.h"

#include "nvdla/text.h"

uint64_t argument_number(struct argp_state *state, const char *name, const char *arg, uint64_t min, uint64_t max) {
    uint64_t value = min;
    if (!text_number(arg, max, &value) || value < min)
        argp_error(state, "--%s: found '%s', expected a number from %llu to %llu", name, arg, (unsigned long long)min,
                   (unsigned long long)max);
    return value;
}

const char *argument_text(struct argp_state *state, const char *name, const char *arg, const char *what) {
    if (arg[0] == '\0')
        argp_error(state, "--%s: found '', expected %s", name, what);
    return arg;
}
