/* Standard output that cannot be written must not look like success. */
#ifndef RUN_OPTIONS_OUTPUT_H
#define RUN_OPTIONS_OUTPUT_H

/* From now on the program ends with a message and status 2 if something that it printed could not be written,
 * --help and --version included. Call it first in main(). */
void output_check_at_exit(void);

#endif
