/* The labels of a set of pictures: a text file with a line "FILE LABEL" for each picture. */
#ifndef RUN_ACCURACY_LABELS_H
#define RUN_ACCURACY_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "nvdla/error.h"
#include "nvdla/text.h"

struct labelled {
    char *file;     /* as in the file of labels, without "./" */
    unsigned label; /* class, from 0 */
    int line;       /* in the file of labels, from 1 */
};

struct labels {
    struct labelled *items; /* in the order of the file */
    size_t count;
    struct labelled **by_name; /* the same, ordered by name */
};

/* Names of the classes, one a line. False with a message. */
bool classes_read(const char *path, struct words *classes, struct error *err);

/* Reads a file of labels for that many classes. The last comma, blank or tab of a line separates FILE and LABEL; either
 * may be in double quotes. LABEL is the number of a class, or its name in `classes`. Empty lines are skipped, and so is
 * a first line "file,label". False with a message that names file and line: no label, an unknown class, a file that is
 * named twice. Free with labels_free in any case. */
bool labels_read(const char *path, const struct words *classes, size_t class_count, struct labels *labels,
                 struct error *err);
void labels_free(struct labels *labels);

/* True if a line names that file. */
bool labels_name(const struct labels *labels, const char *file);

#endif
