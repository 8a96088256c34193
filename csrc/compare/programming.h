/* Compares the programming of two traces, launch by launch and register by register, except for polls, waits, register
 * groups and the timing of interrupts; and the memory content that the launches read. Addresses may differ, by the same
 * distance wherever the same address is used. */
#pragma once

#include <stdio.h>

#include "trace/program.h"

struct programming_difference {
    size_t launches;      /* of the first program */
    size_t launches_only; /* that one has and the other has not */
    size_t registers;     /* that differ with an effect; entries of tables too */
    size_t contents;      /* inputs, weights and operands of launches that differ */
    size_t idle;          /* registers that differ without an effect */
    size_t addresses;     /* that differ */
};

/* Whether something differs that is neither an address nor without effect. */
static inline bool programming_differs(const struct programming_difference *difference) {
    return difference->launches_only || difference->registers || difference->contents;
}

/* Prints every difference to out, launches that only one program has first, then registers and content in the order
 * of the launches, and a last line with the counts. False with a message if they are of different configurations. */
bool programming_compare(FILE *out, const struct program *const programs[2], struct programming_difference *difference,
                         struct error *err);
