/* Options of commands as tables. A row has what --help says about an option, and what becomes of its argument; all
 * commands share one check and one message for each kind. */
#pragma once

#include <argp.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row; a table ends with {0}. A row without a name is the heading of a group of options in --help. */
struct argument {
    const char *name, *arg, *doc; /* --NAME, what --help calls its argument (NULL: none), and says about it */
    char letter;                  /* -o; 0: none */
    bool hidden, optional;        /* not in --help; the argument may be missing */
    int group;                    /* in --help; 0: that of the row before, or the next one for a heading */
    enum {
        ARGUMENT_FLAG,      /* sets a bool */
        ARGUMENT_NUMBER,    /* uint64_t from least to most */
        ARGUMENT_NUMBER_32, /* the same for 32 bits, and for an int */
        ARGUMENT_TEXT,      /* const char *, empty only if `what` is NULL */
        ARGUMENT_FILE,      /* const char *, a name that ends in one of the suffixes in `what` */
        ARGUMENT_CHOICE,    /* an enum: `least` and the index of the word in `what` */
        ARGUMENT_WORDS,     /* struct words, to which it is added */
        ARGUMENT_TAKEN,     /* `take` does it */
    } kind;
    size_t member, also; /* offsets in the input of a command; also: of a bool to set too, 0: none */
    uint64_t least, most;
    const char *what; /* what was expected: of a text; ".nvt or .nvt.gz"; "line, toggle or none" */
    void (*take)(void *member, const char *arg, struct argp_state *state);
    /* nvcosim run: */
    bool own; /* concerns this process only; a simulator it starts does not get it, or gets another value */
    bool needs_rtl, needs_model; /* without effect if only the model, only an RTL plays */
    unsigned left_out, shown;    /* commands that do not take it; whose --help has it though it is hidden: bits */
};

/* A row: strings as above, then what becomes of it: one of the initialisers below. Without a text it is hidden. */
#define OPTION(title, argument, text, ...) {.name = (title), .arg = (argument), .doc = (text), __VA_ARGS__}
#define HIDDEN(title, argument, ...) OPTION(title, argument, NULL, .hidden = true, __VA_ARGS__)
#define HEADING(text) {.doc = (text)}
#define FLAG_AT(offset) .kind = ARGUMENT_FLAG, .member = (offset)
#define NUMBER_AT(offset, from, to) .kind = ARGUMENT_NUMBER, .member = (offset), .least = (from), .most = (to)
#define NUMBER_32_AT(offset, from, to) .kind = ARGUMENT_NUMBER_32, .member = (offset), .least = (from), .most = (to)
#define TEXT_AT(offset, expected) .kind = ARGUMENT_TEXT, .member = (offset), .what = (expected)
#define FILE_AT(offset, suffixes) .kind = ARGUMENT_FILE, .member = (offset), .what = (suffixes)
#define CHOICE_AT(offset, choices) .kind = ARGUMENT_CHOICE, .member = (offset), .what = (choices)
#define WORDS_AT(offset) .kind = ARGUMENT_WORDS, .member = (offset)
#define TAKEN_AT(offset, function) .kind = ARGUMENT_TAKEN, .member = (offset), .take = (function)

/* The arguments of a command. */
struct command {
    const struct argument *options;
    const char *usage, *doc; /* for --help: the operands, what the command does */
    /* Operands: added to a struct words, or in turn to as many const char * as there may be. expected: said of one too
     * many, "one trace"; NULL: argp's message. */
    struct operands {
        size_t member, most;
        bool words;
        const char *expected;
    } operands;
    /* Further options, and the member that is their input. */
    struct more_options {
        const struct argument *options;
        error_t (*parser)(int key, char *arg, struct argp_state *state); /* NULL: only options are read */
        size_t member;
        size_t given; /* in it: gets the name of the last one that was given, const char *; 0: nothing does */
        int group;    /* in --help */
    } more[2];
    void (*check)(void *input, struct argp_state *state); /* when all is read; may end the program; NULL: nothing */
};

#define OPERANDS_AT(offset) {.member = (offset), .words = true, .most = SIZE_MAX}
#define OPERAND_AT(offset, text) {.member = (offset), .most = 1, .expected = (text)}

/* Reads the command line into the input. False if it cannot be used, with a message. */
bool command_read(const struct command *command, int argc, char **argv, void *input);

/* ---- for parsers ---- */

enum { ARGUMENT_KEYS = 0x100 };

/* Adds the rows to a table for argp of *n rows, which ends with {0}. A row's key is its letter, or `keys` and its
 * index. group: of all rows, without headings; 0: as in the rows. by: bits of commands: they leave rows out, and show
 * hidden ones in the group before. */
void arguments_add(struct argp_option **table, size_t *n, const struct argument *rows, int keys, int group,
                   unsigned by);

/* Applies the row with that key to its member of *to, or ends the program with a message. NULL: there is none. */
const struct argument *argument_take(const struct argument *rows, int keys, void *to, int key, const char *arg,
                                     struct argp_state *state);

/* argp_parse(), with the option that was meant in the message about one that there is not. */
error_t arguments_parse(const struct argp *argp, int argc, char **argv, void *input);

/* False if there are as many operands as there may be, and a message is left to argp. */
bool operand_fits(const struct operands *operands, const char *arg, struct argp_state *state);

/* A number from min to max. Otherwise ends the program with a usage error: "--NAME: found '...', expected a number from
 * ...". */
uint64_t argument_number(struct argp_state *state, const char *name, const char *arg, uint64_t min, uint64_t max);

/* --pieces into a size_t: "all", which is 0, or a number from 1. */
enum { PIECES_MOST = 100000 };
void argument_pieces(void *pieces, const char *arg, struct argp_state *state);
