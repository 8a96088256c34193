/* Arguments of options that several commands take: checked in one way, with one message. */
#ifndef RUN_OPTIONS_ARGUMENTS_H
#define RUN_OPTIONS_ARGUMENTS_H

#include <argp.h>
#include <stdint.h>

/* A number from min to max; else usage with "--NAME: found '...', expected a number from ..." and no return. */
uint64_t argument_number(struct argp_state *state, const char *name, const char *arg, uint64_t min, uint64_t max);

/* The argument, which must not be empty; what: what was expected. */
const char *argument_text(struct argp_state *state, const char *name, const char *arg, const char *what);

#endif
