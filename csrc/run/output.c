/* Checks at the end that all of standard output was written. */
#include "run/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/options.h"

static void check(void) {
    errno = 0;
    const int before = ferror(stdout), after = fflush(stdout);
    if (before || after) {
        fprintf(stderr, "nvcosim: what was printed could not be written: %s\n",
                errno ? strerror(errno) : "an earlier write failed");
        fflush(stderr);
        _exit(EXIT_BAD_INPUT);
    }
}

void output_check_at_exit(void) {
    atexit(check);
}
