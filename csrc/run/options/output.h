/* Failure to write standard output must not look like success. */
#pragma once

/* From now on the program exits with a message and status 2 if any of its output could not be written, --help and
 * --version included. Call it first in main(). */
void output_check_at_exit(void);
