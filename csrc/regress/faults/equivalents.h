/* The list of faults that change nothing observable, each with the reason: a YAML file (docs/qualify.md). */
#ifndef REGRESS_FAULTS_EQUIVALENTS_H
#define REGRESS_FAULTS_EQUIVALENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "nvdla/error.h"

struct equivalent {
    char *file;      /* relative to the RTL */
    char *statement; /* with the change marked, as nvcosim qualify prints it */
    char *reason;
    int line; /* in the list */
};

struct equivalents {
    struct equivalent *items;
    size_t count;
};

/* Reads a list. False with "FILE:LINE:COLUMN: what was found, what was expected". Free it either way. */
bool equivalents_read(const char *path, struct equivalents *list, struct error *err);
void equivalents_free(struct equivalents *list);

/* The reason why a fault changes nothing; NULL: the list does not have it. */
const char *equivalents_reason(const struct equivalents *list, const char *file, const char *statement);

#endif
