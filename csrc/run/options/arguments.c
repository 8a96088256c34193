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

const char *argument_name(const struct argp_option *options, int key) {
    for (; options->name || options->doc; options++)
        if (options->name && options->key == key)
            return options->name;
    return NULL;
}

const struct argument *argument_take(const struct argument *rows, size_t count, const struct argp_option *options,
                                     void *to, int key, const char *arg, struct argp_state *state) {
    const struct argument *row = rows;
    while (row < rows + count && row->key != key)
        row++;
    if (row == rows + count)
        return NULL;
    const char *name = argument_name(options, key);
    void *member = (char *)to + row->member;
    switch (row->kind) {
    case ARGUMENT_FLAG:
        *(bool *)member = true;
        break;
    case ARGUMENT_NUMBER:
        *(uint64_t *)member = argument_number(state, name, arg, row->least, row->most);
        break;
    case ARGUMENT_NUMBER_32: /* an int, too: none is above INT_MAX */
        *(uint32_t *)member = (uint32_t)argument_number(state, name, arg, row->least, row->most);
        break;
    case ARGUMENT_TEXT:
        *(const char **)member = row->what ? argument_text(state, name, arg, row->what) : arg;
        break;
    }
    if (row->also)
        *((bool *)to + row->also) = true;
    return row;
}
