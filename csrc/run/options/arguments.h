/* Arguments of options that several commands share: one check and one message for each kind. */
#ifndef RUN_OPTIONS_ARGUMENTS_H
#define RUN_OPTIONS_ARGUMENTS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number from min to max. Otherwise ends the program with a usage error: "--NAME: found '...', expected a number from
 * ...". */
uint64_t argument_number(struct argp_state *state, const char *name, const char *arg, uint64_t min, uint64_t max);

/* The argument, which must not be empty. what: what was expected. */
const char *argument_text(struct argp_state *state, const char *name, const char *arg, const char *what);

/* A row of a command's table of options. */
#define OPTION(title, code, argument, text) {.name = (title), .key = (code), .arg = (argument), .doc = (text)}

/* A simple option: it sets a member of a command's structure of options. */
struct argument {
    int key;
    enum { ARGUMENT_FLAG, ARGUMENT_NUMBER, ARGUMENT_NUMBER_32, ARGUMENT_TEXT } kind; /* bool, uint64_t, 32 bits, text */
    size_t member, also;  /* offsets of members; also: a bool to set too, 0: none */
    uint64_t least, most; /* of a number */
    const char *what;     /* what was expected of a text that must not be empty; NULL: it may be empty */
    bool own; /* of nvcosim run: concerns this process only; a simulator it starts does not get it, or gets another
                 value */
};

/* Initialisers of a row: .key = KEY, and one of these. */
#define FLAG_AT(offset) .kind = ARGUMENT_FLAG, .member = (offset)
#define NUMBER_AT(offset, from, to) .kind = ARGUMENT_NUMBER, .member = (offset), .least = (from), .most = (to)
#define NUMBER_32_AT(offset, from, to) .kind = ARGUMENT_NUMBER_32, .member = (offset), .least = (from), .most = (to)
#define TEXT_AT(offset, expected) .kind = ARGUMENT_TEXT, .member = (offset), .what = (expected)

/* The name of the option with that key; NULL if there is none. */
const char *argument_name(const struct argp_option *options, int key);

/* Applies the row with that key to *to, with a usage error as above. Returns the row, or NULL if there is none. */
const struct argument *argument_take(const struct argument *rows, size_t count, const struct argp_option *options,
                                     void *to, int key, const char *arg, struct argp_state *state);

#endif
