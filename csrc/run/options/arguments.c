/* Reads the arguments of commands. See arguments.h. */
#include "run/options/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"

uint64_t argument_number(struct argp_state *state, const char *name, const char *arg, uint64_t min, uint64_t max) {
    uint64_t value = min;
    if (!text_number(arg, max, &value) || value < min)
        argp_error(state, "--%s: found '%s', expected a number from %llu to %llu", name, arg, (unsigned long long)min,
                   (unsigned long long)max);
    return value;
}

void argument_pieces(void *pieces, const char *arg, struct argp_state *state) {
    uint64_t value = 0;
    if (strcmp(arg, "all") != 0 && (!text_number(arg, PIECES_MOST, &value) || value == 0))
        argp_error(state, "--pieces: found '%s', expected all or a number from 1 to %d", arg, PIECES_MOST);
    *(size_t *)pieces = (size_t)value;
}

/* The index of the word of a list, "A, B or C", that is the text, or that is a suffix with which it ends; -1: none is.
 */
static int find_word(const char *list, const char *text, bool suffix) {
    const size_t length = strlen(text);
    int index = 0;
    for (const char *at = list; *at; at += strspn(at, ", ")) {
        const size_t n = strcspn(at, ", ");
        if (strncmp(at, "or ", 3) != 0) {
            if ((suffix ? length > n : length == n) && memcmp(text + length - n, at, n) == 0)
                return index;
            index++;
        }
        at += n;
    }
    return -1;
}

static const char *checked_text(const struct argument *row, const char *arg, struct argp_state *state) {
    if (row->kind == ARGUMENT_FILE && find_word(row->what, arg, true) < 0)
        argp_error(state, "--%s: found '%s', expected a name that ends in %s", row->name, arg, row->what);
    if (row->kind == ARGUMENT_TEXT && row->what && arg[0] == '\0')
        argp_error(state, "--%s: found '', expected %s", row->name, row->what);
    return arg;
}

static int key_of(const struct argument *rows, const struct argument *row, int keys) {
    return row->letter ? row->letter : keys + (int)(row - rows);
}

const struct argument *argument_take(const struct argument *rows, int keys, void *to, int key, const char *arg,
                                     struct argp_state *state) {
    const struct argument *row = rows;
    while ((row->name || row->doc) && (!row->name || key_of(rows, row, keys) != key))
        row++;
    if (!row->name)
        return NULL;
    void *member = (char *)to + row->member;
    int choice;
    switch (row->kind) {
    case ARGUMENT_FLAG:
        *(bool *)member = true;
        break;
    case ARGUMENT_NUMBER:
        *(uint64_t *)member = argument_number(state, row->name, arg, row->least, row->most);
        break;
    case ARGUMENT_NUMBER_32:
        *(uint32_t *)member = (uint32_t)argument_number(state, row->name, arg, row->least, row->most);
        break;
    case ARGUMENT_TEXT:
    case ARGUMENT_FILE:
        *(const char **)member = checked_text(row, arg, state);
        break;
    case ARGUMENT_CHOICE:
        choice = find_word(row->what, arg, false);
        if (choice < 0)
            argp_error(state, "--%s: found '%s', expected %s", row->name, arg, row->what);
        *(int *)member = (int)row->least + choice;
        break;
    case ARGUMENT_WORDS:
        words_put(member, arg);
        break;
    case ARGUMENT_TAKEN:
        row->take(member, arg, state);
        break;
    }
    if (row->also)
        *((bool *)to + row->also) = true;
    return row;
}

void arguments_add(struct argp_option **table, size_t *n, const struct argument *rows, int keys, int group,
                   unsigned by) {
    for (const struct argument *row = rows; row->name || row->doc; row++) {
        if ((!row->name && group) || (row->left_out & by))
            continue;
        const bool shown = row->shown & by;
        *xadd(*table, *n) = (struct argp_option){.name = row->name,
                                                 .key = row->name ? key_of(rows, row, keys) : 0,
                                                 .arg = row->arg,
                                                 .flags = (row->optional ? OPTION_ARG_OPTIONAL : 0) |
                                                          (row->hidden && !shown ? OPTION_HIDDEN : 0),
                                                 .doc = row->doc,
                                                 .group = group ? group - shown : row->group};
    }
    *table = xgrow(*table, *n, sizeof **table);
    (*table)[*n] = (struct argp_option){0};
}

/* The option that a word `--NAME[=VALUE]` of n letters in NAME stands for, NULL if none does. */
static const struct argp_option *option_of(const struct argp *argp, const char *name, size_t n, struct guess *guess) {
    for (const struct argp_option *option = argp->options; option->name || option->doc || option->group; option++) {
        if (!option->name)
            continue;
        if (strncmp(option->name, name, n) == 0)
            return option;
        if (!(option->flags & OPTION_HIDDEN))
            guess_try(guess, option->name);
    }
    for (const struct argp_child *child = argp->children; child && child->argp; child++) {
        const struct argp_option *option = option_of(child->argp, name, n, guess);
        if (option)
            return option;
    }
    return NULL;
}

error_t arguments_parse(const struct argp *argp, int argc, char **argv, void *input) {
    static const struct argp_option own[] = {{.name = "help"}, {.name = "usage"}, {0}};
    const struct argp_child known[] = {{.argp = argp}, {0}};
    const struct argp all = {.options = own, .children = known};
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) != 0)
            continue;
        const char *name = argv[i] + 2;
        struct guess guess = {.word = name, .n = strcspn(name, "=")};
        const struct argp_option *option = option_of(&all, name, guess.n, &guess);
        if (option) {
            i += option->arg && !(option->flags & OPTION_ARG_OPTIONAL) && !name[guess.n];
        } else if (guess.best[0]) {
            fprintf(stderr, "%s: unrecognized option '%s'; did you mean --%s?\n", argv[0], argv[i], guess.best);
            argp_help(argp, stderr, ARGP_HELP_SEE, argv[0]);
            exit(argp_err_exit_status);
        }
    }
    return argp_parse(argp, argc, argv, 0, NULL, input);
}

bool operand_fits(const struct operands *operands, const char *arg, struct argp_state *state) {
    if (state->arg_num >= operands->most && operands->expected)
        argp_error(state, "found '%s', expected %s", arg, operands->expected);
    return state->arg_num < operands->most || operands->expected;
}

/* ---- a command ---- */

/* A table that is read: that of the command, or further options. */
struct table_reading {
    const struct argument *options;
    void *input;
    const struct command *command; /* NULL: further options */
    size_t given;                  /* as in struct command */
    void *children[2];             /* inputs of the parsers of further options */
};

static error_t take_operand(const struct table_reading *reading, char *arg, struct argp_state *state) {
    const struct operands *operands = &reading->command->operands;
    void *member = (char *)reading->input + operands->member;
    if (!operand_fits(operands, arg, state))
        return ARGP_ERR_UNKNOWN;
    if (operands->words)
        words_put(member, arg);
    else
        ((const char **)member)[state->arg_num] = arg;
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct table_reading *reading = state->input;
    const struct command *command = reading->command;
    if (command && key == ARGP_KEY_INIT)
        for (int i = 0; i < 2 && command->more[i].options; i++)
            state->child_inputs[i] = reading->children[i];
    if (command && key == ARGP_KEY_ARG)
        return take_operand(reading, arg, state);
    if (command && key == ARGP_KEY_END && command->check)
        command->check(reading->input, state);
    const struct argument *row = argument_take(reading->options, ARGUMENT_KEYS, reading->input, key, arg, state);
    if (row && reading->given)
        *(const char **)(void *)((char *)reading->input + reading->given) = row->name;
    return row ? 0 : ARGP_ERR_UNKNOWN;
}

bool command_read(const struct command *command, int argc, char **argv, void *input) {
    struct argp_option *tables[3] = {0};
    struct argp argps[2];
    struct argp_child children[3] = {{0}};
    struct table_reading inputs[2], reading = {.options = command->options, .input = input, .command = command};
    size_t n = 0;
    for (int i = 0; i < 2 && command->more[i].options; i++, n = 0) {
        const struct more_options *more = &command->more[i];
        void *member = (char *)input + more->member;
        arguments_add(&tables[i], &n, more->options, ARGUMENT_KEYS, 0, 0);
        inputs[i] = (struct table_reading){.options = more->options, .input = member, .given = more->given};
        reading.children[i] = more->parser ? member : &inputs[i];
        argps[i] = (struct argp){.options = tables[i], .parser = more->parser ? more->parser : parse};
        children[i] = (struct argp_child){.argp = &argps[i], .group = more->group};
    }
    arguments_add(&tables[2], &n, command->options, ARGUMENT_KEYS, 0, 0);
    const struct argp argp = {
        .children = children, .options = tables[2], .parser = parse, .args_doc = command->usage, .doc = command->doc};
    const bool good = arguments_parse(&argp, argc, argv, &reading) == 0;
    for (int i = 0; i < 3; i++)
        free(tables[i]);
    return good;
}
