/* For nvcosim diff: two traces or recordings of a driver. */
#pragma once

#include "import/source.h"

struct diff_programs {
    const struct nvdla_config *config; /* NULL: as the traces say; of captures small */
    const char *from;                  /* format of the captures, NULL: by their content */
    struct source_options source;
};

/* Whether a file is compared as a program: a trace or a capture by its name, or any with a format. */
bool diff_is_program(const struct diff_programs *options, const char *path);

/* Compares two of them and prints the differences. Returns the exit status. */
int diff_programs(const struct diff_programs *options, const char *a, const char *b);
