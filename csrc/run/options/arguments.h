/* Arguments of options that several commands take: checked in one way, with one message. */
#ifndef RUN_OPTIONS_ARGUMENTS_H
#define RUN_OPTIONS_ARGUMENTS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number from min to max; else usage with "--NAME: found '...', expected a number from ..." and no return. */
uint64_t argument_number(struct argp_state *state, const char *name, const char *arg, uint64_t min, uint64_t max);

/* The argument, which must not be empty; what: what was expected. */
const char *argument_text(struct argp_state *state, const char *name, const char *arg, const char *what);

/* A row of a command's table of options. */
#define OPTION(title, code, argument, text)                                                                            \
    { .name = (title), .key = (code), .arg = (argument), .doc = (text) }

/* What a simple option sets: a member of the structure that a command keeps its options in. */
struct argument {
    int key;
    enum { ARGUMENT_FLAG, ARGUMENT_NUMBER, ARGUMENT_NUMBER_32, ARGUMENT_TEXT } kind; /* bool, uint64_t, 32 bits, text */
    size_t member, also;  /* offsets in it; also: a bool that is set too, 0: none */
    uint64_t least, most; /* of a number */
    const char *what;     /* a text must not be empty: what was expected; NULL: it may */
    bool own; /* of nvcosim run: of this process, a simulator that it starts is not given it, or another value */
};

/* Initialisers of a row: .key = KEY, and one of these. */
#define FLAG_AT(offset) .kind = ARGUMENT_FLAG, .member = (offset)
#define NUMBER_AT(offset, from, to) .kind = ARGUMENT_NUMBER, .member = (offset), .least = (from), .most = (to)
#define NUMBER_32_AT(offset, from, to) .kind = ARGUMENT_NUMBER_32, .member = (offset), .least = (from), .most = (to)
#define TEXT_AT(offset, expected) .kind = ARGUMENT_TEXT, .member = (offset), .what = (expected)

/* The name of the option with that key; NULL if there is none. */
const char *argument_name(const struct argp_option *options, int key);

/* Sets what the row with that key says, in *to, or complains as above. Returns the row; NULL: there is none. */
const struct argument *argument_take(const struct argument *rows, size_t count, const struct argp_option *options,
                                     void *to, int key, const char *arg, struct argp_state *state);

#endif
