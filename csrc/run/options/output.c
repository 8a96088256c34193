/* Checks at the end that all of standard output was written. */
#include "run/options/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "run/options/options.h"

static void check(void) {
    errno = 0;
    const bool failed = ferror(stdout) || fflush(stdout) != 0;
    if (failed) {
        if (errno == 0 && write(STDOUT_FILENO, "\n", 1) == 1) /* an earlier write failed; the next may say why */
            errno = EIO;
        fprintf(stderr, "nvcosim: the output could not be written: %m\n");
        fflush(stderr);
        _exit(EXIT_BAD_INPUT);
    }
}

void output_check_at_exit(void) {
    /* A stream that the caller closed must not become a file that is opened later: writing to it has to fail. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(EXIT_BAD_INPUT);
    atexit(check);
}
